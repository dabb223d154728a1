/* Generators whose next output is chosen, and counts beside what they should be. */
#ifndef SCANT_TESTS_CHOSEN_H
#define SCANT_TESTS_CHOSEN_H

#include "base/rng.h"
#include "support.h"

/* The inverse of an odd number modulo 2^64, by Newton. */
static inline uint64_t inverse_of(uint64_t odd) {
  uint64_t x = odd;
  for (int i = 0; i < 6; i++) x *= 2 - odd * x;
  return x;
}

/* A generator whose next output is this. */
static inline scant_rng rng_with_next(uint64_t output) {
  uint64_t turned = output * inverse_of(9);
  return (scant_rng){.state = {1, ((turned >> 7) | (turned << 57)) * inverse_of(5), 2, 3}};
}

/* |count - n p| <= 5 sigma, and exactly 0 where p = 0. */
static inline int within_5_sigma(uint64_t count, double n, double p) {
  if (!(p > 0)) return count == 0;
  return fabs((double)count - n * p) <= 5 * sqrt(n * p * (1 - p));
}

#endif
