/* Money is counted in hundredths, so that sums are exact. */
#ifndef SCANT_CORE_MONEY_H
#define SCANT_CORE_MONEY_H

#include <math.h>
#include <stdint.h>

/* Hundredths up to here are exact as a double. */
#define SCANT_MONEY_MOST (UINT64_C(1) << 52)

/* An amount in hundredths; 0 if it has more decimals than two, is negative, or is
 * too large to be counted exactly. */
static inline int scant_money_of(double x, uint64_t *hundredths) {
  double rounded = round(100 * x);
  /* the quotient is the double nearest to the amount; no tolerance would suit small and large amounts alike */
  if (!(x >= 0) || !(rounded <= (double)SCANT_MONEY_MOST) || x != rounded / 100) return 0;
  *hundredths = (uint64_t)rounded;
  return 1;
}

#endif
