/* Random numbers: one explicit value (xoshiro256**, seeded by splitmix64), the same bits everywhere.
 *
 * Every random choice of the library goes through the functions of this file, of sample/sumtree.h or of
 * sample/inverse.h.  If a test sets `script`, they ask it instead, so that every outcome of the real code can be
 * enumerated with its exact probability.
 */
#ifndef SCANT_CORE_RNG_H
#define SCANT_CORE_RNG_H

#include "scant_engine.h"

typedef struct scant_script {
  /* Chooses one of `count` outcomes, in proportion to their weights; NULL: all alike. */
  size_t (*choose)(struct scant_script *script, size_t count, const double *weights);
} scant_script;

static inline uint64_t scant_rng_rotate(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}

/* Inline, so that a loop keeps the state in registers. */
static inline uint64_t scant_rng_next(scant_rng *rng) {
  uint64_t *s = rng->state;
  uint64_t result = scant_rng_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = scant_rng_rotate(s[3], 45);
  return result;
}

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double scant_rng_unit(scant_rng *rng) {
  return (double)(scant_rng_next(rng) >> 11) * 0x1p-53;
}

/* Lemire's multiplication with rejection: the low half of the product of 32 random bits and the bound tells whether
 * this draw belongs to the few that would make the result uneven, its high half is the result. */
static inline int scant_rng_is_uneven(uint64_t product, uint32_t bound) {
  uint32_t low = (uint32_t)product;
  return low < bound && low < (uint32_t)(-bound) % bound;
}

/* Uniform in {0, ..., bound - 1}, without bias; bound > 0. */
static inline uint32_t scant_rng_below(scant_rng *rng, uint32_t bound) {
  if (rng->script) return (uint32_t)rng->script->choose(rng->script, bound, NULL);
  uint64_t product;
  do product = (scant_rng_next(rng) >> 32) * bound;
  while (scant_rng_is_uneven(product, bound));
  return (uint32_t)(product >> 32);
}
uint64_t scant_rng_below64(scant_rng *rng, uint64_t bound);

/* Up to this bound hardly any draw of a batch is uneven. */
#define SCANT_RNG_EVEN (UINT32_C(1) << 20)

/* `count` words at once. */
void scant_rng_words(scant_rng *rng, size_t count, uint64_t *words);

/* `count` such draws at once. */
void scant_rng_fill(scant_rng *rng, uint32_t bound, size_t count, uint32_t *draws);

/* A uniform subset without replacement, one element at a time, in Floyd's way: to draw k of d, call for r = 0 .. k-1.
 * `taken` tells whether an element is in the subset already; the caller adds the result to it.  O(1) per draw, no
 * memory of its own. */
static inline uint32_t scant_subset_draw(scant_rng *rng, uint32_t d, uint32_t k, uint32_t r,
                                         int (*taken)(const void *set, uint32_t element), const void *set) {
  uint32_t top = d - k + r;
  uint32_t i = scant_rng_below(rng, top + 1);
  return taken(set, i) ? top : i;
}

#endif
