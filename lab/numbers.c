#include "numbers.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The value below which a share of the sorted values lies, interpolated. */
static double quantile(const double *sorted, size_t n, double share) {
  double place = share * (double)(n - 1);
  size_t low = (size_t)place, high = low + 1 < n ? low + 1 : low;
  return sorted[low] + (place - (double)low) * (sorted[high] - sorted[low]);
}

spread spread_of(double *values, size_t n) {
  if (!n) return (spread){NAN, NAN, NAN, NAN, NAN};
  spread s = {0};
  double squares = 0, count = (double)n;
  for (size_t i = 0; i < n; i++) s.mean += values[i] / count;
  for (size_t i = 0; i < n; i++) squares += (values[i] - s.mean) * (values[i] - s.mean);
  s.sd = n > 1 ? sqrt(squares / (count - 1)) : 0;
  qsort(values, n, sizeof *values, by_value);
  s.q10 = quantile(values, n, 0.1);
  s.median = quantile(values, n, 0.5);
  s.q90 = quantile(values, n, 0.9);
  return s;
}

fitted_line line_fit(const double *x, const double *y, size_t n) {
  if (n < 2) return (fitted_line){NAN, NAN, NAN};
  double x_mean = 0, y_mean = 0, xx = 0, xy = 0, residual = 0, count = (double)n;
  for (size_t i = 0; i < n; i++) {
    x_mean += x[i] / count;
    y_mean += y[i] / count;
  }
  for (size_t i = 0; i < n; i++) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  fitted_line l = {.slope = xy / xx, .error = NAN};
  l.intercept = y_mean - l.slope * x_mean;
  for (size_t i = 0; i < n; i++) {
    double r = y[i] - l.intercept - l.slope * x[i];
    residual += r * r;
  }
  if (n > 2) l.error = sqrt(residual / (count - 2) / xx);
  return l;
}
