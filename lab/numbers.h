/* Means, quantiles and lines through measurements, and random numbers for the experiments. */
#ifndef SCANT_LAB_NUMBERS_H
#define SCANT_LAB_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct spread {
  double mean, sd, q10, median, q90;
} spread;

/* Sorts the values.  n = 0: all NAN; n = 1: sd 0. */
spread spread_of(double *values, size_t n);

typedef struct fitted_line {
  double slope, intercept, error; /* the slope's standard error; NAN with two points */
} fitted_line;

/* Least squares of y = intercept + slope x; NAN with fewer than two points. */
fitted_line line_fit(const double *x, const double *y, size_t n);

/* ---- random numbers: splitmix64, with one word of state; the learners have their own generator ---- */

static inline uint64_t random_next(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Uniform in {0, ..., bound - 1}; its bias is below bound / 2^64. */
static inline uint64_t random_below(uint64_t *state, uint64_t bound) {
  return random_next(state) % bound;
}

/* The same by Lemire's multiplication with rejection: without bias or division,
 * where a draw is to be fast.  bound > 0. */
static inline uint32_t random_draw(uint64_t *state, uint32_t bound) {
  uint64_t product = (random_next(state) >> 32) * bound;
  if ((uint32_t)product < bound) {
    uint32_t threshold = (uint32_t)(-bound) % bound;
    while ((uint32_t)product < threshold) product = (random_next(state) >> 32) * bound;
  }
  return (uint32_t)(product >> 32);
}

static inline double random_sign(uint64_t *state) {
  return random_next(state) >> 63 ? 1 : -1;
}

/* Uniform in [0, 1). */
static inline double random_unit(uint64_t *state) {
  return (double)(random_next(state) >> 11) * 0x1p-53;
}

#endif
