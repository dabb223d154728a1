/* Loops over eight numbers at a time (scant_engine.h), and over four. */
#ifndef SCANT_CORE_LANES_H
#define SCANT_CORE_LANES_H

#include "scant_engine.h"

/* The sum of a_i, and the largest |a_i| (NaN if one is NaN). */
double scant_lanes_sum(size_t count, const double *a);
double scant_lanes_largest(size_t count, const double *a);
/* a_i becomes factor a_i. */
void scant_lanes_scale(size_t count, double *a, double factor);
/* Is every |a_i| <= most?  No if one is NaN. */
int scant_lanes_within(size_t count, const double *a, double most);

/* sinh and cosh of each; |x| up to 700; cosh may be NULL, and sinh may be x.  Made of additions, multiplications,
 * divisions and shifts of bits alone, so that the bits are the same on every machine and with every C library; within 2
 * units in the last place (core/tests/base/lanes_test.c). */
void scant_hyperbolic(size_t count, const double *x, double *sinh, double *cosh);

/* a.b of n numbers, in four plain sums, so that additions need not wait for each other. */
static inline double scant_dot(const double *a, const double *b, size_t n) {
  double s[4] = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) s[k] += a[i + k] * b[i + k];
  for (; i < n; i++) s[0] += a[i] * b[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

#endif
