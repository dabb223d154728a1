#include "core/hyperbolic.h"

#include <stdint.h>
#include <string.h>

#include "core/lanes.h"

typedef scant_lane_bits bits;

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
SCANT_INLINE void exponential(const scant_lanes *x, scant_lanes *result) {
  scant_lanes t = *x * LOG2_E + ROUNDING, k = t - ROUNDING;
  scant_lanes r = (*x - k * LN2_HIGH) - k * LN2_LOW, sum = FACTORIAL[13] - (scant_lanes){0};
  for (int n = 12; n >= 0; n--) sum = sum * r + FACTORIAL[n];
  *result = (scant_lanes)((bits)sum + ((bits)t << 52));
}

/* x + x^3/3! + ... + x^17/17!: enough below 1, where (e^x - e^-x)/2 would cancel. */
SCANT_INLINE void series(const scant_lanes *x, scant_lanes *result) {
  scant_lanes square = *x * *x, sum = FACTORIAL[17] - (scant_lanes){0};
  for (int n = 15; n >= 1; n -= 2) sum = sum * square + FACTORIAL[n];
  *result = sum * *x;
}

SCANT_INLINE void both(const scant_lanes *x, scant_lanes *sinh, scant_lanes *cosh) {
  const bits sign = (bits){0} + INT64_MIN;
  scant_lanes size = (scant_lanes)((bits)*x & ~sign), e, small;
  exponential(&size, &e);
  series(x, &small);
  scant_lanes inverse = 1 / e, large = (scant_lanes)((bits)((e - inverse) * 0.5) | ((bits)*x & sign));
  bits is_small = size < 1;
  *sinh = (scant_lanes)(((bits)small & is_small) | ((bits)large & ~is_small));
  *cosh = (e + inverse) * 0.5;
}

SCANT_WIDEST void scant_hyperbolic(size_t count, const double *x, double *sinh, double *cosh) {
  for (size_t i = 0; i < count; i += SCANT_LANES) {
    size_t lanes = count - i < SCANT_LANES ? count - i : SCANT_LANES;
    scant_lanes part = {0}, s, c;
    memcpy(&part, x + i, lanes * sizeof *x);
    both(&part, &s, &c);
    memcpy(sinh + i, &s, lanes * sizeof *sinh);
    if (cosh) memcpy(cosh + i, &c, lanes * sizeof *cosh);
  }
}
