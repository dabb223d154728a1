/* Means, quantiles and lines through measurements. */
#ifndef SCANT_LAB_NUMBERS_H
#define SCANT_LAB_NUMBERS_H

#include <stddef.h>

typedef struct spread {
  double mean, sd, q10, median, q90;
} spread;

/* Sorts the values.  n = 0: all NAN; n = 1: sd 0. */
spread spread_of(double *values, size_t n);

typedef struct line {
  double slope, intercept, error; /* the slope's standard error; NAN with two points */
} line;

/* Least squares of y = intercept + slope x; NAN with fewer than two points. */
line line_fit(const double *x, const double *y, size_t n);

#endif
