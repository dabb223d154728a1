#include "core/rng.h"

static uint64_t splitmix(uint64_t *x) {
  uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

void scant_rng_seed(scant_rng *rng, uint64_t seed, uint64_t stream) {
  /* Where the sequence that fills the state begins: seed and stream enter in
   * different ways, so that no two pairs begin alike by more than chance. */
  uint64_t x = seed, start = splitmix(&x) ^ stream * UINT64_C(0xd1342543de82ef95);
  for (int i = 0; i < 4; i++) rng->state[i] = splitmix(&start);
  /* All zeros is the one state that never leaves itself. */
  if (!(rng->state[0] | rng->state[1] | rng->state[2] | rng->state[3])) rng->state[0] = 1;
  rng->script = NULL;
}

void scant_rng_fill(scant_rng *rng, uint32_t bound, size_t count, uint32_t *draws) {
  size_t i = 0;
  scant_rng local = *rng; /* in registers: draws could be the state, for all the compiler knows */
  for (; !rng->script && i + 2 <= count; i += 2) {
    uint64_t word = scant_rng_next(&local);
    uint64_t first = (word >> 32) * bound, second = (word & UINT32_MAX) * bound;
    draws[i] = scant_rng_is_uneven(first, bound) ? scant_rng_below(&local, bound) : (uint32_t)(first >> 32);
    draws[i + 1] = scant_rng_is_uneven(second, bound) ? scant_rng_below(&local, bound) : (uint32_t)(second >> 32);
  }
  for (; i < count; i++) draws[i] = scant_rng_below(&local, bound);
  *rng = local;
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
  size_t last = 0; /* rounding must not end on an outcome of weight zero */
  for (size_t i = 0; i < count; i++) {
    if (!(weights[i] > 0)) continue;
    last = i;
    if (u < weights[i]) break;
    u -= weights[i];
  }
  return last;
}
