#include "base/lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers at the end that do not fill all lanes are added one by one. */
SCANT_WIDEST double scant_lanes_dot(size_t count, const double *a, const double *b) {
  scant_lanes sum = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES)
    sum += *(const scant_loose_lanes *)(a + i) * *(const scant_loose_lanes *)(b + i);
  for (; i < count; i++) rest += a[i] * b[i];
  return scant_lanes_fold(&sum) + rest;
}

SCANT_WIDEST double scant_lanes_sum(size_t count, const double *a) {
  scant_lanes sum = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES) sum += *(const scant_loose_lanes *)(a + i);
  for (; i < count; i++) rest += a[i];
  return scant_lanes_fold(&sum) + rest;
}

/* The absolute values of doubles have the order of their bits as whole numbers. Comparing whole numbers needs no fixed
 * order, so the compiler can vectorise the loop. */
SCANT_WIDEST double scant_lanes_largest(size_t count, const double *a) {
  int64_t most = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t size;
    memcpy(&size, a + i, sizeof size);
    size &= INT64_MAX;
    most = size > most ? size : most;
  }
  double largest;
  memcpy(&largest, &most, sizeof largest);
  return largest;
}

SCANT_WIDEST int scant_lanes_within(size_t count, const double *a, double most) {
  uint64_t beyond = 0;
  for (size_t i = 0; i < count; i++) beyond |= (uint64_t) !(fabs(a[i]) <= most);
  return !beyond;
}

SCANT_WIDEST void scant_lanes_scale(size_t count, double *a, double factor) {
  for (size_t i = 0; i < count; i++) a[i] *= factor;
}

/* ---- sinh and cosh ------------------------------------------------------------- */

#define LOG2_E 1.44269504088896340736
#define LN2_HIGH 0x1.62e42fee00000p-1 /* 32 bits, so that whole multiples are exact */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define ROUNDING 0x1.8p52 /* adding it leaves the nearest whole number in the lowest bits */

/* 1/n! */
static const double FACTORIAL[] = {1,
                                   1,
                                   1.0 / 2,
                                   1.0 / 6,
                                   1.0 / 24,
                                   1.0 / 120,
                                   1.0 / 720,
                                   1.0 / 5040,
                                   1.0 / 40320,
                                   1.0 / 362880,
                                   1.0 / 3628800,
                                   1.0 / 39916800,
                                   1.0 / 479001600,
                                   1.0 / 6227020800,
                                   1.0 / 87178291200,
                                   1.0 / 1307674368000,
                                   1.0 / 20922789888000,
                                   1.0 / 355687428096000};

/* e^x = 2^k e^r with |r| <= ln 2 / 2, by its series up to r^13. */
SCANT_INLINE double exponential(double x) {
  double t = x * LOG2_E + ROUNDING, k = t - ROUNDING;
  double r = (x - k * LN2_HIGH) - k * LN2_LOW, sum = FACTORIAL[13];
  for (int n = 12; n >= 0; n--) sum = sum * r + FACTORIAL[n];
  uint64_t bits, power;
  memcpy(&bits, &sum, sizeof bits);
  memcpy(&power, &t, sizeof power);
  bits += power << 52;
  memcpy(&sum, &bits, sizeof sum);
  return sum;
}

/* x + x^3/3! + ... + x^17/17!: enough below 1, where (e^x - e^-x)/2 would cancel. */
SCANT_INLINE double series(double x) {
  double square = x * x, sum = FACTORIAL[17];
  for (int n = 15; n >= 1; n -= 2) sum = sum * square + FACTORIAL[n];
  return sum * x;
}

SCANT_WIDEST void scant_hyperbolic(size_t count, const double *x, double *sinh, double *cosh) {
  for (size_t i = 0; i < count; i++) {
    double size = fabs(x[i]), e = exponential(size), inverse = 1 / e, small = series(x[i]);
    double large = copysign((e - inverse) * 0.5, x[i]);
    if (cosh) cosh[i] = (e + inverse) * 0.5;
    sinh[i] = size < 1 ? small : large;
  }
}
