/* The looks that are open: asked for and not yet told.
 *
 * Serials only grow, so they stay sorted as they come; one that is closed is marked, and marked ones are swept out when
 * the room is used up.  add and close: O(log most), amortised; nothing is allocated after the start. */
#include <stdlib.h>
#include <string.h>

#include "learn/learner.h"

#define CLOSED (UINT64_C(1) << 63)

int scant_open_new(scant_open *open, size_t most) {
  *open = (scant_open){.most = most};
  if (most > SIZE_MAX / 2) return 0;
  open->serial = scant_array(2 * most, sizeof *open->serial);
  return open->serial != NULL;
}

/* Sweeps out the closed ones. */
static void sweep(scant_open *open) {
  size_t kept = 0;
  for (size_t i = 0; i < open->length; i++)
    if (!(open->serial[i] & CLOSED)) open->serial[kept++] = open->serial[i];
  open->length = kept;
}

void scant_open_add(scant_open *open, uint64_t serial) {
  if (open->length == 2 * open->most) sweep(open);
  open->serial[open->length++] = serial;
  open->count++;
}

/* The first place whose serial is not smaller. */
static size_t place_of(const scant_open *open, uint64_t serial) {
  size_t low = 0, high = open->length;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if ((open->serial[middle] & ~CLOSED) < serial)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* The place of the serial, closed or not; `length` if it is not there. */
static size_t find(const scant_open *open, uint64_t serial) {
  size_t place = place_of(open, serial);
  return place < open->length && (open->serial[place] & ~CLOSED) == serial ? place : open->length;
}

int scant_open_has(const scant_open *open, uint64_t serial) {
  size_t place = find(open, serial);
  return place < open->length && !(open->serial[place] & CLOSED);
}

void scant_open_close(scant_open *open, uint64_t serial) {
  size_t place = find(open, serial);
  if (place == open->length || (open->serial[place] & CLOSED)) return;
  open->serial[place] |= CLOSED;
  open->count--;
  /* closed looks at the end are dropped at once, so nothing piles up if looks are told in order */
  while (open->length && (open->serial[open->length - 1] & CLOSED)) open->length--;
}

void scant_open_again(scant_open *open, uint64_t serial) {
  if (open->length == 2 * open->most) sweep(open);
  size_t place = place_of(open, serial);
  if (place == open->length || (open->serial[place] & ~CLOSED) != serial) { /* it was swept out */
    memmove(open->serial + place + 1, open->serial + place, (open->length - place) * sizeof *open->serial);
    open->length++;
  }
  open->serial[place] = serial;
  open->count++;
}
