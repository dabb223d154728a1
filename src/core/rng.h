/* Random numbers: one explicit value (xoshiro256**, seeded by splitmix64), the
 * same bits everywhere.
 *
 * Every random choice of the library goes through scant_rng_below,
 * scant_rng_pick or scant_sumtree_draw.  With `script` set (by tests) they ask
 * it instead, so that every outcome of the real code can be enumerated with
 * its exact probability.
 */
#ifndef SCANT_CORE_RNG_H
#define SCANT_CORE_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct scant_script {
  /* Chooses one of `count` outcomes; weights NULL: all alike, else outcome i
   * has probability weights[i] / sum of weights. */
  size_t (*choose)(struct scant_script *script, size_t count, const double *weights);
} scant_script;

typedef struct scant_rng {
  uint64_t state[4];
  scant_script *script; /* NULL outside of tests */
} scant_rng;

/* Streams of one seed are independent: the learner's draws, each pass's
 * shuffle. */
void scant_rng_seed(scant_rng *rng, uint64_t seed, uint64_t stream);

uint64_t scant_rng_next(scant_rng *rng);

/* Uniform in [0, 1), a multiple of 2^-53. */
static inline double scant_rng_unit(scant_rng *rng) {
  return (double)(scant_rng_next(rng) >> 11) * 0x1p-53;
}

/* Uniform in {0, ..., bound - 1}, without bias; bound > 0. */
uint32_t scant_rng_below(scant_rng *rng, uint32_t bound);
uint64_t scant_rng_below64(scant_rng *rng, uint64_t bound);

/* One of a few outcomes with these weights, whose sum is 1 up to rounding. */
size_t scant_rng_pick(scant_rng *rng, size_t count, const double *weights);

#endif
