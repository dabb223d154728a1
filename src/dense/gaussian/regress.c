#include "dense/gaussian/regress.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

int scant_regress(const scant_normal *normal, const double *factor, double penalty, double *w, double *scratch) {
  size_t n = normal->n, used = 0;
  const double *s = normal->covariance, *target = s + (n - 1) * n;
  for (size_t i = 0; i + 1 < n; i++) {
    if (factor && isinf(factor[i])) continue;
    double *row = scratch + used * (n - 1);
    size_t column = 0;
    for (size_t j = 0; j <= i; j++)
      if (!factor || !isinf(factor[j])) row[column++] = s[i * n + j];
    row[column - 1] *= (factor ? factor[i] : 1) + penalty;
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

void scant_regress_gains(const scant_normal *normal, const double *factor, double penalty, size_t most, double *gain,
                         double *scratch) {
  size_t n = normal->n, p = n - 1;
  const double *s = normal->covariance;
  double *variance = scratch + most * n, *with_target = variance + n; /* given those chosen before */
  for (size_t j = 0; j < p; j++) {
    variance[j] = s[j * n + j] * (factor[j] + penalty);
    with_target[j] = s[p * n + j];
    gain[j] = -1; /* not chosen */
  }
  for (size_t k = 0; k < most; k++) {
    size_t best = p;
    double most_gain = 0;
    for (size_t j = 0; j < p; j++) {
      double g = with_target[j] * with_target[j] / variance[j];
      if (gain[j] < 0 && variance[j] > 1e-9 * s[j * n + j] && g > most_gain) {
        most_gain = g;
        best = j;
      }
    }
    if (best == p) break;
    gain[best] = most_gain / s[p * n + p];
    double *column = scratch + k * n, root = sqrt(variance[best]), step = with_target[best] / root;
    for (size_t j = 0; j < p; j++) {
      double c = s[best * n + j];
      for (size_t t = 0; t < k; t++) c -= scratch[t * n + best] * scratch[t * n + j];
      column[j] = c / root;
    }
    for (size_t j = 0; j < p; j++) {
      if (j == best) continue;
      variance[j] -= column[j] * column[j];
      with_target[j] -= column[j] * step;
    }
  }
  for (size_t j = 0; j < p; j++) gain[j] = fmax(gain[j], 0);
}
