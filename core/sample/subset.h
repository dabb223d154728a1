/* A uniform subset without replacement, one element at a time. */
#ifndef SCANT_SAMPLE_SUBSET_H
#define SCANT_SAMPLE_SUBSET_H

#include "base/rng.h"

/* Floyd's way: to draw k of d, call for r = 0 .. k-1.  `taken` tells whether an element is in the subset
 * already; the caller adds the result to it.  O(1) per draw, no memory of its own. */
static inline uint32_t scant_subset_draw(scant_rng *rng, uint32_t d, uint32_t k, uint32_t r,
                                         int (*taken)(const void *set, uint32_t element), const void *set) {
  uint32_t top = d - k + r;
  uint32_t i = scant_rng_below(rng, top + 1);
  return taken(set, i) ? top : i;
}

#endif
