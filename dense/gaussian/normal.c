#include "gaussian/normal.h"

#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int scant_normal_new(scant_normal *normal, size_t n) {
  scant_normal made = {
      .n = n, .mean = scant_array(n, sizeof(double)), .covariance = scant_array(n * n, sizeof(double))};
  if (!made.mean || !made.covariance) {
    scant_normal_free(&made);
    return 0;
  }
  *normal = made;
  return 1;
}

void scant_normal_add(scant_normal *normal, size_t n, scant_arrays *arrays) {
  normal->n = n;
  normal->mean = scant_arrays_add(arrays, n, sizeof *normal->mean);
  normal->covariance = scant_arrays_add(arrays, n * n, sizeof *normal->covariance);
}

void scant_normal_free(scant_normal *normal) {
  free(normal->mean);
  free(normal->covariance);
  *normal = (scant_normal){0};
}

void scant_normal_copy(scant_normal *to, const scant_normal *from) {
  memcpy(to->mean, from->mean, from->n * sizeof *to->mean);
  memcpy(to->covariance, from->covariance, from->n * from->n * sizeof *to->covariance);
}

void scant_normal_reset(scant_normal *normal) {
  size_t n = normal->n;
  memset(normal->mean, 0, n * sizeof *normal->mean);
  memset(normal->covariance, 0, n * n * sizeof *normal->covariance);
  for (size_t i = 0; i < n; i++) normal->covariance[i * n + i] = 1;
}

int scant_regress(const scant_normal *normal, const double *factor, const unsigned char *plain, double penalty,
                  double *w, double *scratch) {
  size_t n = normal->n, used = 0;
  const double *s = normal->covariance, *target = s + (n - 1) * n;
  for (size_t i = 0; i + 1 < n; i++) {
    if (factor && isinf(factor[i])) continue;
    double *row = scratch + used * (n - 1);
    size_t column = 0;
    for (size_t j = 0; j <= i; j++)
      if (!factor || !isinf(factor[j])) row[column++] = s[i * n + j];
    row[column - 1] *= (factor ? factor[i] : 1) + (plain && plain[i] ? 0 : penalty);
    w[used++] = target[i];
  }
  if (used &&
      LAPACKE_dposv(LAPACK_COL_MAJOR, 'U', (lapack_int)used, 1, scratch, (lapack_int)(n - 1), w, (lapack_int)used))
    return 0;
  for (size_t i = n - 1; i-- > 0;) /* to their places, from the last */
    w[i] = factor && isinf(factor[i]) ? 0 : w[--used];
  return 1;
}

void scant_regress_terms(const scant_normal *normal, const double *w, double *product, double *square) {
  size_t n = normal->n;
  const double *s = normal->covariance, *target = s + (n - 1) * n;
  *product = *square = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double sum = 0;
    if (w[i] == 0) continue;
    for (size_t j = 0; j + 1 < n; j++) sum += s[i * n + j] * w[j];
    *product += w[i] * target[i];
    *square += w[i] * sum;
  }
}
