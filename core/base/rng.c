#include "base/rng.h"

#define STEP UINT64_C(0x9e3779b97f4a7c15)

SCANT_INLINE uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static uint64_t splitmix(uint64_t *x) {
  return mix(*x += STEP);
}

void scant_rng_seed(scant_rng *rng, uint64_t seed, uint64_t stream) {
  /* seed and stream enter in different ways, so two pairs have the same start by chance alone */
  uint64_t x = seed, start = splitmix(&x) ^ stream * UINT64_C(0xd1342543de82ef95);
  for (int i = 0; i < 4; i++) rng->state[i] = splitmix(&start);
  /* A state of all zeros would stay so for ever. */
  if (!(rng->state[0] | rng->state[1] | rng->state[2] | rng->state[3])) rng->state[0] = 1;
  rng->script = NULL;
}

/* The sequence of splitmix64 from a word of the generator on: no step needs the result of the step before. */
SCANT_WIDEST void scant_rng_words(scant_rng *rng, size_t count, uint64_t *words) {
  uint64_t start = scant_rng_next(rng);
  for (size_t i = 0; i < count; i++) words[i] = mix(start + (i + 1) * STEP);
}

enum { BATCH = 256 };

/* Fills the batch that begins at `start`; returns the lowest low half of a product (scant_rng_is_uneven). */
SCANT_INLINE uint32_t fill(uint64_t start, uint32_t bound, size_t count, uint32_t *draws) {
  uint32_t lowest = UINT32_MAX;
  for (size_t i = 0; i < count / 2; i++) {
    uint64_t word = mix(start + (i + 1) * STEP);
    draws[2 * i] = (uint32_t)word;
    draws[2 * i + 1] = (uint32_t)(word >> 32);
  }
  if (count % 2) draws[count - 1] = (uint32_t)(mix(start + (count / 2 + 1) * STEP) >> 32);
  for (size_t i = 0; i < count; i++) {
    uint64_t product = (uint64_t)draws[i] * bound;
    lowest = (uint32_t)product < lowest ? (uint32_t)product : lowest;
    draws[i] = (uint32_t)(product >> 32);
  }
  return lowest;
}

/* A batch with an uneven draw is dropped as a whole: rarely, as batches are small and bounds up to SCANT_RNG_EVEN. */
SCANT_WIDEST void scant_rng_fill(scant_rng *rng, uint32_t bound, size_t count, uint32_t *draws) {
  if (rng->script || bound > SCANT_RNG_EVEN) {
    for (size_t i = 0; i < count; i++) draws[i] = scant_rng_below(rng, bound);
    return;
  }
  for (size_t done = 0; done < count; done += BATCH) {
    size_t size = count - done < BATCH ? count - done : BATCH;
    uint32_t lowest;
    do lowest = fill(scant_rng_next(rng), bound, size, draws + done);
    while (scant_rng_is_uneven(lowest, bound));
  }
}

uint64_t scant_rng_below64(scant_rng *rng, uint64_t bound) {
  if (bound <= UINT32_MAX) return scant_rng_below(rng, (uint32_t)bound);
  if (rng->script) return rng->script->choose(rng->script, (size_t)bound, NULL);
  uint64_t excess = (UINT64_MAX - bound + 1) % bound, x;
  do x = scant_rng_next(rng);
  while (x < excess);
  return x % bound;
}

size_t scant_rng_pick(scant_rng *rng, size_t count, const double *weights) {
  if (rng->script) return rng->script->choose(rng->script, count, weights);
  double u = scant_rng_unit(rng);
  size_t last = 0; /* rounding must not choose an outcome of weight zero */
  for (size_t i = 0; i < count; i++) {
    if (!(weights[i] > 0)) continue;
    last = i;
    if (u < weights[i]) break;
    u -= weights[i];
  }
  return last;
}
