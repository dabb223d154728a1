#include "full/solve.h"

#include <math.h>

/* Relative to the first known value, for the reason given below. */
void scant_dense_impute(size_t n, size_t d, double *x, double *mean) {
  for (size_t j = 0; j < d; j++) {
    size_t known = 0;
    double first = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
      if (isnan(x[i * d + j])) continue;
      if (!known++) first = x[i * d + j];
      sum += x[i * d + j] - first;
    }
    mean[j] = known ? first + sum / (double)known : 0;
    for (size_t i = 0; i < n; i++)
      if (isnan(x[i * d + j])) x[i * d + j] = mean[j];
  }
}

/* Deviations are taken from the first row.  So the mean of a constant is exactly its value, and no rounding
 * errors are left that a solver would take for data. */
void scant_dense_center(size_t n, size_t d, double *x, double *y, double *x_mean, double *y_mean) {
  double sum = 0;
  for (size_t j = 0; j < d; j++) x_mean[j] = 0;
  for (size_t i = 1; i < n; i++) {
    sum += y[i] - y[0];
    for (size_t j = 0; j < d; j++) x_mean[j] += x[i * d + j] - x[j];
  }
  *y_mean = y[0] + sum / (double)n;
  for (size_t j = 0; j < d; j++) x_mean[j] = x[j] + x_mean[j] / (double)n;
  for (size_t i = 0; i < n; i++) {
    y[i] -= *y_mean;
    for (size_t j = 0; j < d; j++) x[i * d + j] -= x_mean[j];
  }
}
