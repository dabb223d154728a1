/* The same as in dense/gaussian, computed slowly and in the plainest way. */
#ifndef SCANT_TESTS_DIRECT_H
#define SCANT_TESTS_DIRECT_H

#include "gaussian/em.h"
#include "gaussians.h"

typedef long double real;

enum { DIRECT_MOST = 200 }; /* variables of examples that are made up */

/* The inverse of a, n x n, and log |det a|, by elimination with pivots. */
static inline real invert_directly(size_t n, const double *a, real *inverse) {
  real *m = malloc((2 * n * n + 1) * sizeof *m), log_det = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      m[i * 2 * n + j] = a[i * n + j];
      m[i * 2 * n + n + j] = i == j;
    }
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k; i < n; i++)
      if (fabsl(m[i * 2 * n + k]) > fabsl(m[best * 2 * n + k])) best = i;
    for (size_t j = 0; j < 2 * n; j++) {
      real kept = m[k * 2 * n + j];
      m[k * 2 * n + j] = m[best * 2 * n + j];
      m[best * 2 * n + j] = kept;
    }
    real pivot = m[k * 2 * n + k];
    log_det += logl(fabsl(pivot));
    for (size_t j = 0; j < 2 * n; j++) m[k * 2 * n + j] /= pivot;
    for (size_t i = 0; i < n; i++) {
      real share = i == k ? 0 : m[i * 2 * n + k];
      for (size_t j = 0; j < 2 * n && share != 0; j++) m[i * 2 * n + j] -= share * m[k * 2 * n + j];
    }
  }
  for (size_t i = 0; i < n; i++) memcpy(inverse + i * n, m + i * 2 * n + n, n * sizeof *inverse);
  free(m);
  return log_det;
}

/* A random covariance: `rank` factors and noise. */
static inline void random_covariance(size_t n, size_t rank, double noise, uint64_t *seed, double *covariance) {
  double *load = malloc(n * (rank + 1) * sizeof *load);
  for (size_t i = 0; i < n * rank; i++) load[i] = random_normal(seed) / sqrt((double)rank);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double sum = i == j ? noise : 0;
      for (size_t k = 0; k < rank; k++) sum += load[i * rank + k] * load[j * rank + k];
      covariance[i * n + j] = sum;
    }
  free(load);
}

/* ---- examples ------------------------------------------------------------------ */

/* Attributes are variables as they are. */
static inline scant_frame plain_frame(size_t dimension) {
  scant_frame f = {.dimension = dimension, .variables = dimension + 1};
  f.variable = scant_arrays_add(&f.arrays, dimension + 1, sizeof *f.variable);
  f.attribute = scant_arrays_add(&f.arrays, dimension + 1, sizeof *f.attribute);
  f.center = scant_arrays_add(&f.arrays, dimension + 1, sizeof *f.center);
  f.unit = scant_arrays_add(&f.arrays, dimension + 1, sizeof *f.unit);
  f.factor = scant_arrays_add(&f.arrays, dimension + 1, sizeof *f.factor);
  f.guess = scant_arrays_add(&f.arrays, dimension + 1, sizeof *f.guess);
  for (size_t j = 0; j <= dimension; j++) {
    f.variable[j] = f.attribute[j] = (uint32_t)j;
    f.unit[j] = f.factor[j] = f.guess[j] = 1;
  }
  return f;
}

/* Examples of the covariance, around the mean 1, -1, 1, ... of which each attribute is seen with
 * this probability; each pattern is used `repeats` times. */
static inline void add_examples(scant_answers *looks, size_t n, const double *covariance, size_t examples, double seen,
                                size_t repeats, uint64_t *seed) {
  double(*l)[DIRECT_MOST] = calloc(n, sizeof *l);
  uint32_t attributes[DIRECT_MOST];
  double values[DIRECT_MOST], mask[DIRECT_MOST];
  CHECK(n <= DIRECT_MOST);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double s = covariance[i * n + j];
      for (size_t k = 0; k < j; k++) s -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(fmax(s, 0)) : l[j][j] > 0 ? s / l[j][j] : 0;
    }
  for (size_t e = 0; e < examples; e++) {
    double free_part[DIRECT_MOST], y = 0;
    size_t count = 0;
    for (size_t i = 0; i < n && e % repeats == 0; i++) mask[i] = (random_real(seed) + 1) / 2;
    for (size_t i = 0; i < n; i++) free_part[i] = random_normal(seed);
    for (size_t i = n; i-- > 0;) { /* looks come in any order */
      double x = i % 2 ? -1 : 1;
      for (size_t k = 0; k <= i; k++) x += l[i][k] * free_part[k];
      if (i + 1 == n) y = x;
      if (i + 1 == n || mask[i] >= seen) continue;
      attributes[count] = (uint32_t)i;
      values[count++] = x;
    }
    CHECK(scant_answers_add(looks, NULL, count, attributes, values, y));
  }
  free(l);
}

/* A whole problem in a line. */
static inline scant_seen seen_from(size_t n, const double *covariance, size_t examples, double share, size_t repeats,
                                   uint64_t seed) {
  scant_answers looks = {.dimension = n - 1};
  scant_frame frame = plain_frame(n - 1);
  scant_seen seen = {0};
  add_examples(&looks, n, covariance, examples, share, repeats, &seed);
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0));
  scant_frame_free(&frame);
  scant_answers_free(&looks);
  return seen;
}

static inline scant_normal normal_from(size_t n, const double *mean, const double *covariance) {
  scant_normal normal = {0};
  CHECK(scant_normal_new(&normal, n));
  memcpy(normal.covariance, covariance, n * n * sizeof(double));
  if (mean) memcpy(normal.mean, mean, n * sizeof(double));
  return normal;
}

/* The share of the target's variance that a regressor on all other variables explains, without any penalty. */
static inline double explained_directly(const scant_normal *normal) {
  size_t n = normal->n, p = n - 1;
  real *a = calloc(p * p, sizeof *a), *b = calloc(p, sizeof *b), sum = 0;
  for (size_t i = 0; i < p; i++) {
    b[i] = normal->covariance[p * n + i];
    for (size_t j = 0; j < p; j++) a[i * p + j] = normal->covariance[i * n + j];
  }
  solve_directly(a, b, p);
  for (size_t i = 0; i < p; i++) sum += b[i] * normal->covariance[p * n + i];
  free(a);
  free(b);
  return (double)(sum / normal->covariance[n * n - 1]);
}

/* ---- what one example says ------------------------------------------------------- */

typedef struct said {
  size_t size;
  const uint32_t *o;
  const double *z;
  real *inverse, *a; /* S_oo^-1, and that times the deviation */
  real likelihood;
} said;

static inline said say_directly(const scant_seen *seen, size_t e, const scant_normal *at) {
  said s = {.size = scant_seen_size(seen, e), .o = seen->variable + seen->first[e], .z = seen->value + seen->first[e]};
  double *matrix = calloc(s.size * s.size, sizeof *matrix);
  s.inverse = calloc(s.size * s.size, sizeof *s.inverse);
  s.a = calloc(s.size, sizeof *s.a);
  for (size_t i = 0; i < s.size; i++)
    for (size_t j = 0; j < s.size; j++) matrix[i * s.size + j] = at->covariance[s.o[i] * at->n + s.o[j]];
  s.likelihood =
      -0.5L * (invert_directly(s.size, matrix, s.inverse) + (real)s.size * 1.837877066409345483560659472811L);
  for (size_t i = 0; i < s.size; i++) {
    for (size_t j = 0; j < s.size; j++) s.a[i] += s.inverse[i * s.size + j] * ((real)s.z[j] - at->mean[s.o[j]]);
    s.likelihood -= 0.5L * s.a[i] * ((real)s.z[i] - at->mean[s.o[i]]);
  }
  free(matrix);
  return s;
}

static inline void said_free(said *s) {
  free(s->inverse);
  free(s->a);
}

static inline double likelihood_directly(const scant_seen *seen, const scant_normal *at) {
  real sum = 0;
  for (size_t e = 0; e < seen->examples; e++) {
    said s = say_directly(seen, e, at);
    sum += s.likelihood;
    said_free(&s);
  }
  return (double)(sum / (real)seen->examples);
}

/* Batches of examples of which the same was seen. */
static inline size_t count_alike(const scant_seen *seen) {
  size_t count = 0;
  for (size_t b = 0; b < seen->batch_count; b++) count += seen->batches[b].alike != 0;
  return count;
}

/* ---- EM ---------------------------------------------------------------------------- */

/* The objective of a point, by its definition; -infinity where it is not positive definite. */
static inline double objective_directly(const scant_seen *seen, const scant_normal *at, double noise) {
  size_t n = at->n;
  real *l = calloc(n * n, sizeof *l), *inverse = calloc(n * n, sizeof *inverse), log_det, trace = 0;
  int good = 1;
  for (size_t i = 0; good && i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      real x = at->covariance[i * n + j];
      for (size_t k = 0; k < j; k++) x -= l[i * n + k] * l[j * n + k];
      good = good && (i != j || x > 0);
      l[i * n + j] = i == j ? sqrtl(x) : x / l[j * n + j];
    }
  log_det = invert_directly(n, at->covariance, inverse);
  for (size_t i = 0; i < n; i++) trace += inverse[i * n + i];
  free(l);
  free(inverse);
  if (!good) return -INFINITY;
  return likelihood_directly(seen, at) - 0.5 * noise * (double)(log_det + trace) / (double)seen->examples;
}

/* The plain way to call it. */
static inline double run_em(const scant_seen *seen, scant_em_options o, scant_normal *normal) {
  double likelihood = NAN;
  scant_error error;
  if (!o.threads) o.threads = 1;
  if (!CHECK(scant_em_run(seen, &o, normal, &likelihood, NULL, NULL, &error) == SCANT_OK))
    printf("#   %s\n", error.text);
  return likelihood;
}

static inline scant_normal unit_normal(size_t n) {
  scant_normal normal = {0};
  CHECK(scant_normal_new(&normal, n));
  scant_normal_reset(&normal);
  return normal;
}

static inline void check_same_bits(const scant_normal *a, const scant_normal *b) {
  CHECK(!memcmp(a->mean, b->mean, a->n * sizeof *a->mean));
  CHECK(!memcmp(a->covariance, b->covariance, a->n * a->n * sizeof *a->covariance));
}

#endif
