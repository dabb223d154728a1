/* More of exact sums (scant_engine.h), and a plain one. */
#ifndef SCANT_CORE_SUM_H
#define SCANT_CORE_SUM_H

#include "scant_engine.h"

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
