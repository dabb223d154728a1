/* The looks that are open: asked for and not yet told.
 *
 * Serials only grow, so they stay sorted as they come; one that is closed is
 * marked, and marked ones are swept out when the room is used up.  add and
 * close: O(log most), amortised; nothing is allocated after the start.
 */
#ifndef SCANT_LOOK_OPEN_LOOKS_H
#define SCANT_LOOK_OPEN_LOOKS_H

#include <stddef.h>
#include <stdint.h>

typedef struct scant_open {
  uint64_t *serial; /* ascending; with CLOSED set if it was closed */
  size_t length;    /* closed ones included */
  size_t count;     /* open ones */
  size_t most;      /* how many may be open */
} scant_open;

int scant_open_new(scant_open *open, size_t most); /* 0: out of memory */
void scant_open_free(scant_open *open);

/* The caller has seen that count < most and that serial is the largest yet. */
void scant_open_add(scant_open *open, uint64_t serial);

int scant_open_has(const scant_open *open, uint64_t serial);
void scant_open_close(scant_open *open, uint64_t serial);

/* Opens one again that was closed.  The caller has seen that count < most, that it is not open, and that it was added
 * before.  O(most). */
void scant_open_again(scant_open *open, uint64_t serial);

#endif
