/* Sums that stay exact over 10^9 terms: a double and the rounding error of it, 106 bits together. */
#ifndef SCANT_CORE_SUM_H
#define SCANT_CORE_SUM_H

#include <stddef.h>

typedef struct scant_sum {
  double high, low;
} scant_sum;

/* Knuth's two-sum gives the rounding error of high + x exactly; the errors gathered in low are then moved
 * into high as far as they fit. */
static inline void scant_sum_add(scant_sum *sum, double x) {
  double high = sum->high + x;
  double part = high - sum->high;
  double low = sum->low + ((sum->high - (high - part)) + (x - part));
  sum->high = high + low;
  sum->low = low - (sum->high - high);
}

static inline double scant_sum_value(scant_sum sum) {
  return sum.high + sum.low;
}

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
