#include "sample/inverse.h"

#include <stdlib.h>

#include "scant_base.h"

#define ALL (UINT64_C(1) << 63)

/* With few outcomes there are eight to sixteen guides per outcome, so that nearly every stretch has one outcome and
 * searches end predictably; with many outcomes one or two, since guides take time to make. */
static unsigned guide_bits(size_t count) {
  unsigned bits = count <= 4096 ? 3 : 0;
  for (size_t n = 1; n < count; n *= 2) bits++;
  return bits ? bits : 1;
}

/* Guides enough for any number of outcomes up to `most`. */
static unsigned most_bits(size_t most) {
  unsigned few = guide_bits(most < 4096 ? most : 4096), many = guide_bits(most);
  return few > many ? few : many;
}

int scant_inverse_new(scant_inverse *inverse, size_t most) {
  *inverse = (scant_inverse){0};
  inverse->probability = scant_array(most, sizeof *inverse->probability);
  inverse->end = scant_array(most, sizeof *inverse->end);
  inverse->guide = scant_array((size_t)1 << most_bits(most), sizeof *inverse->guide);
  if (inverse->probability && inverse->end && inverse->guide) return 1;
  scant_inverse_free(inverse);
  return 0;
}

void scant_inverse_free(scant_inverse *inverse) {
  free(inverse->probability);
  free(inverse->end);
  free(inverse->guide);
  *inverse = (scant_inverse){0};
}

/* Outcomes with a positive weight have at least one unit; the last of them takes the rest. */
static void cumulate(scant_inverse *inverse) {
  double *weight = inverse->probability, sum = 0, before = 0;
  uint64_t *end = inverse->end, last = 0;
  size_t n = inverse->count, last_outcome = 0;
  for (size_t i = 0; i < n; i++) sum += weight[i];
  double tiny = sum < 1e-200 ? 0x1p600 : 1, scale = (0x1p63 - 0x1p33) / (sum * tiny); /* within the range of a double */
  for (size_t i = 0; i < n; i++) {
    before += weight[i];
    uint64_t units = (uint64_t)(int64_t)(before * tiny * scale), least = last + (weight[i] > 0);
    last = end[i] = units > least && weight[i] > 0 ? units : least;
    last_outcome = weight[i] > 0 ? i : last_outcome;
  }
  for (size_t i = last_outcome; i < n; i++) end[i] = ALL;
  for (size_t i = n; i-- > 1;) weight[i] = (double)(int64_t)(end[i] - end[i - 1]) * 0x1p-63;
  weight[0] = (double)end[0] * 0x1p-63; /* all of 2^63, if it is the only one */
}

void scant_inverse_build(scant_inverse *inverse, size_t count) {
  unsigned bits = guide_bits(count);
  inverse->count = count;
  inverse->shift = 63 - bits;
  cumulate(inverse);
  size_t stretch = 0;
  for (size_t i = 0; i < count; i++)
    for (; stretch < (size_t)1 << bits && (uint64_t)stretch << inverse->shift < inverse->end[i]; stretch++)
      inverse->guide[stretch] = (uint32_t)i;
}

enum { WORDS = 64 };

void scant_inverse_fill(const scant_inverse *inverse, scant_rng *rng, size_t count, uint32_t *draws) {
  const uint64_t *restrict end = inverse->end;
  const uint32_t *restrict guide = inverse->guide;
  for (size_t i = 0; rng->script && i < count; i++)
    draws[i] = (uint32_t)rng->script->choose(rng->script, inverse->count, inverse->probability);
  for (size_t done = 0; !rng->script && done < count; done += WORDS) {
    uint64_t words[WORDS];
    size_t part = count - done < WORDS ? count - done : WORDS;
    scant_rng_words(rng, part, words);
    for (size_t r = 0; r < part; r++) {
      uint64_t word = words[r] >> 1;
      uint32_t i = guide[word >> inverse->shift];
      while (word >= end[i]) i++;
      draws[done + r] = i;
    }
  }
}
