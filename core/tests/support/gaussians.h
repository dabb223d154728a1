/* Gaussian models for tests, and what they say computed directly. */
#ifndef SCANT_TESTS_GAUSSIANS_H
#define SCANT_TESTS_GAUSSIANS_H

#include "model/model.h"
#include "support.h"

enum { GAUSSIAN_MOST = 16 };

static inline double random_normal(uint64_t *seed) {
  double r = sqrt(-2 * log((random_real(seed) + 1) / 2 + 1e-300));
  return r * cos(3.141592653589793 * random_real(seed));
}

/* A model of `dimension` attributes whose Gaussian knows all but attribute 1 (of
 * more than two); every attribute is a mixture of hidden ones, in units of its
 * own. */
static inline scant_model *gaussian_model(size_t dimension, uint64_t seed, const char *list) {
  scant_model *m = NULL;
  scant_gaussian *g = NULL;
  size_t count = dimension > 2 ? dimension - 1 : dimension, n = count + 1;
  double mixture[GAUSSIAN_MOST][GAUSSIAN_MOST + 3];
  scant_settings settings = settings_from(list);
  CHECK(n <= GAUSSIAN_MOST && scant_settings_resolve(&settings, NULL) == SCANT_OK);
  settings.learning.clip = 0; /* there are no limits here */
  CHECK(scant_model_new(&m, dimension, NULL) == SCANT_OK && scant_gaussian_new(&g, count, 0, NULL) == SCANT_OK);
  CHECK(scant_model_set_settings(m, &settings, NULL) == SCANT_OK);
  m->gaussian = g;
  for (size_t i = 0; i < count; i++) g->attributes[i] = (uint32_t)(i + (dimension > 2 && i > 0));
  for (size_t i = 0; i < n; i++) {
    double unit = i == count ? 1 : pow(10, 2 * random_real(&seed));
    g->mean[i] = unit * random_real(&seed);
    for (size_t k = 0; k < n + 2; k++) mixture[i][k] = unit * random_normal(&seed);
  }
  double *c = g->covariance;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      *c = 0;
      for (size_t k = 0; k < n + 2; k++) *c += mixture[i][k] * mixture[j][k];
      c++;
    }
  return m;
}

/* Solves a x = b in place by elimination with pivots; `a` is count x count. */
static inline void solve_directly(long double *a, long double *b, size_t count) {
  for (size_t k = 0; k < count; k++) {
    size_t best = k;
    for (size_t i = k; i < count; i++)
      if (fabsl(a[i * count + k]) > fabsl(a[best * count + k])) best = i;
    for (size_t j = 0; j < count; j++) {
      long double kept = a[k * count + j];
      a[k * count + j] = a[best * count + j];
      a[best * count + j] = kept;
    }
    long double kept = b[k];
    b[k] = b[best];
    b[best] = kept;
    for (size_t i = k + 1; i < count; i++) {
      long double share = a[i * count + k] / a[k * count + k];
      for (size_t j = k; j < count; j++) a[i * count + j] -= share * a[k * count + j];
      b[i] -= share * b[k];
    }
  }
  for (size_t k = count; k-- > 0;) {
    for (size_t j = k + 1; j < count; j++) b[k] -= a[k * count + j] * b[j];
    b[k] /= a[k * count + k];
  }
}

/* Mean and variance of the target given x at the places of the bits of `known`. */
static inline void expect_directly(const scant_gaussian *g, unsigned known, const double *x, double *mean,
                                   double *variance) {
  size_t places[GAUSSIAN_MOST], count = 0, y = g->count;
  long double a[GAUSSIAN_MOST * GAUSSIAN_MOST], b[GAUSSIAN_MOST];
  for (size_t i = 0; i < y; i++)
    if (known >> i & 1) places[count++] = i;
  for (size_t i = 0; i < count; i++) {
    b[i] = scant_gaussian_covariance(g, places[i], y);
    for (size_t j = 0; j < count; j++) a[i * count + j] = scant_gaussian_covariance(g, places[i], places[j]);
  }
  solve_directly(a, b, count);
  long double m = g->mean[y], v = scant_gaussian_covariance(g, y, y);
  for (size_t i = 0; i < count; i++) {
    m += b[i] * ((long double)x[g->attributes[places[i]]] - g->mean[places[i]]);
    v -= b[i] * scant_gaussian_covariance(g, places[i], y);
  }
  *mean = (double)m;
  *variance = (double)v;
}

#endif
