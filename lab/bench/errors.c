/* How good standard errors are, on data whose weights are known: errors_bench ALGORITHM D K M RUNS [SEED [OPTIONS ...]]
 *
 * Attributes have three common factors, which make up half of the variance of each, and variance 1; half of the weights
 * are 0, and the target is w.x plus 1 plus noise, so that w.x explains 70% of it.  Loadings and weights follow from
 * SEED, and each run draws new examples and new looks.  OPTIONS are settings such as errors-of=all.  Prints in one
 * line:
 *
 *   coverage   share of the weights that are in their 90% intervals, of all runs
 *   zeros      share of the weights that are 0 that are in theirs
 *   ratio      root of the mean squared error that was reported, over the spread of the weights over the runs
 *   bias       root of the mean squared bias of a weight, over the same spread
 *   intercept  coverage of the intercept
 *   risk       mean risk that was reported over the true one
 *   risk ratio its error over its spread
 *   seconds    of a fit, and of its errors, relative to it
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scant.h"
#include "scant_dense.h"

enum { FACTORS = 3 };
#define EXPLAINED 0.7

static scant_error error;

_Noreturn static void fail(const char *what) {
  fprintf(stderr, "errors_bench: %s\n", what);
  exit(1);
}

static uint64_t state;

static double uniform(void) {
  uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void) {
  double r = sqrt(-2 * log(uniform()));
  return r * cos(2 * acos(-1) * uniform());
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the data ---------------------------------------------------------------- */

typedef struct {
  size_t d, m;
  double *loading, *w, noise; /* noise: its standard deviation */
  double *x, *y;
} world;

static double covariance(const world *a, size_t i, size_t j) {
  double sum = i == j ? 0.5 : 0;
  for (size_t q = 0; q < FACTORS; q++) sum += a->loading[i * FACTORS + q] * a->loading[j * FACTORS + q];
  return sum;
}

static void make_world(world *a, uint64_t seed) {
  double variance = 0;
  state = seed;
  a->loading = calloc(a->d * FACTORS, sizeof *a->loading);
  a->w = calloc(a->d, sizeof *a->w);
  a->x = calloc(a->m * a->d, sizeof *a->x);
  a->y = calloc(a->m, sizeof *a->y);
  if (!a->loading || !a->w || !a->x || !a->y) fail("out of memory");
  for (size_t i = 0; i < a->d; i++) {
    double sum = 0;
    for (size_t q = 0; q < FACTORS; q++) a->loading[i * FACTORS + q] = normal();
    for (size_t q = 0; q < FACTORS; q++) sum += a->loading[i * FACTORS + q] * a->loading[i * FACTORS + q];
    for (size_t q = 0; q < FACTORS; q++) a->loading[i * FACTORS + q] *= sqrt(0.5 / sum);
    a->w[i] = i % 2 ? 0 : normal();
  }
  for (size_t i = 0; i < a->d; i++)
    for (size_t j = 0; j < a->d; j++) variance += a->w[i] * a->w[j] * covariance(a, i, j);
  a->noise = sqrt(variance * (1 - EXPLAINED) / EXPLAINED);
}

static void draw_examples(world *a, uint64_t seed) {
  state = seed * UINT64_C(0x9e3779b97f4a7c15) + 99;
  for (size_t e = 0; e < a->m; e++) {
    double factor[FACTORS], sum = 1 + a->noise * normal();
    for (size_t q = 0; q < FACTORS; q++) factor[q] = normal();
    for (size_t i = 0; i < a->d; i++) {
      double x = sqrt(0.5) * normal();
      for (size_t q = 0; q < FACTORS; q++) x += a->loading[i * FACTORS + q] * factor[q];
      a->x[e * a->d + i] = x;
      sum += a->w[i] * x;
    }
    a->y[e] = sum;
  }
}

/* What the weights of a model lose against noise alone, and the noise. */
static double true_risk(const world *a, const scant_model *model) {
  const double *w = scant_model_weights(model);
  double risk = a->noise * a->noise + (scant_model_intercept(model) - 1) * (scant_model_intercept(model) - 1);
  for (size_t i = 0; i < a->d; i++)
    for (size_t j = 0; j < a->d; j++) risk += (w[i] - a->w[i]) * (w[j] - a->w[j]) * covariance(a, i, j);
  return risk;
}

/* ---- runs --------------------------------------------------------------------- */

typedef struct {
  double *sum, *squares, *errors; /* of each weight, then the intercept and the risk: sums over the runs */
  double covered, zeros_covered, intercept_covered, zeros, risk_share, fit_seconds, error_seconds;
  uint64_t rare, pairs;
} tally;

static void note(tally *t, size_t place, double x, double its_error) {
  t->sum[place] += x;
  t->squares[place] += x * x;
  t->errors[place] += its_error * its_error;
}

static void note_model(const world *a, tally *t, const scant_model *model) {
  const double *w = scant_model_weights(model), *e = scant_model_errors(model);
  double q = scant_model_error_quantile(model, 0.9), risk = scant_model_risk(model), true_one = true_risk(a, model);
  for (size_t i = 0; i < a->d; i++) {
    double its = isnan(e[i]) ? 0 : e[i];
    int covered = fabs(w[i] - a->w[i]) <= q * its;
    note(t, i, w[i], its);
    t->covered += covered;
    if (a->w[i] != 0) continue;
    t->zeros_covered += covered;
    t->zeros++;
  }
  note(t, a->d, scant_model_intercept(model), scant_model_intercept_error(model));
  note(t, a->d + 1, risk - true_one, scant_model_risk_error(model));
  t->intercept_covered += fabs(scant_model_intercept(model) - 1) <= q * scant_model_intercept_error(model);
  t->risk_share += risk / true_one;
  scant_model_pairs(model, &t->pairs, &t->rare);
}

static void run_once(world *a, const scant_settings *settings, uint64_t seed, tally *t) {
  scant_settings s = *settings;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done;
  s.learning.seed = seed;
  draw_examples(a, seed);
  double start = seconds();
  if (scant_source_wrap(&source, SCANT_FLOAT64, a->x, a->m, a->d, (ptrdiff_t)(a->d * sizeof *a->x), sizeof *a->x, a->y,
                        &error) != SCANT_OK ||
      scant_fit_new(&fit, &s, source, &error) != SCANT_OK ||
      scant_fit_advance(fit, UINT64_MAX, &done, &error) != SCANT_OK ||
      scant_fit_model(fit, 0, &model, &error) != SCANT_OK)
    fail(error.text);
  double middle = seconds();
  if (scant_fit_errors(fit, model, &error) != SCANT_OK) fail(error.text);
  t->fit_seconds += middle - start;
  t->error_seconds += seconds() - middle;
  note_model(a, t, model);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

static void print_tally(const world *a, const tally *t, double runs) {
  double errors = 0, spread = 0, bias = 0, r = 0;
  for (size_t i = 0; i < a->d; i++) {
    double mean = t->sum[i] / runs;
    errors += t->errors[i] / runs;
    spread += (t->squares[i] / runs - mean * mean) * runs / (runs - 1);
    bias += (mean - a->w[i]) * (mean - a->w[i]);
  }
  size_t of_risk = a->d + 1;
  r = t->sum[of_risk] / runs;
  double risk_spread = (t->squares[of_risk] / runs - r * r) * runs / (runs - 1);
  printf(
      "coverage %5.1f%%  zeros %5.1f%%  ratio %.3f  bias %.2f  intercept %5.1f%%  risk %.3f  risk ratio %.2f  "
      "rare pairs %llu of %llu  seconds %.3g, errors %.2g times that\n",
      100 * t->covered / runs / (double)a->d, 100 * t->zeros_covered / t->zeros, sqrt(errors / spread),
      sqrt(bias / spread), 100 * t->intercept_covered / runs, t->risk_share / runs,
      sqrt(t->errors[of_risk] / runs / risk_spread), (unsigned long long)t->rare, (unsigned long long)t->pairs,
      t->fit_seconds / runs, t->error_seconds / t->fit_seconds);
}

int main(int count, char **words) {
  if (count < 6) fail("errors_bench ALGORITHM D K M RUNS [SEED [NAME=VALUE ...]]");
  world a = {.d = (size_t)atol(words[2]), .m = (size_t)atol(words[4])};
  uint64_t runs = (uint64_t)atol(words[5]), seed = count > 6 ? (uint64_t)atol(words[6]) : 1;
  scant_settings settings;
  scant_settings_init(&settings);
  settings.runtime.engines = scant_dense_engines();
  if (scant_settings_set(&settings, "algorithm", words[1], &error) != SCANT_OK ||
      scant_settings_set(&settings, "k", words[3], &error) != SCANT_OK ||
      scant_settings_set(&settings, "errors", "yes", &error) != SCANT_OK)
    fail(error.text);
  for (int i = 7; i < count; i++) {
    char *value = strchr(words[i], '=');
    if (!value) fail("an option is NAME=VALUE");
    *value++ = 0;
    if (scant_settings_set(&settings, words[i], value, &error) != SCANT_OK) fail(error.text);
  }
  make_world(&a, seed);
  tally t = {.sum = calloc(a.d + 2, sizeof(double)),
             .squares = calloc(a.d + 2, sizeof(double)),
             .errors = calloc(a.d + 2, sizeof(double))};
  if (!t.sum || !t.squares || !t.errors) fail("out of memory");
  for (uint64_t r = 0; r < runs; r++) run_once(&a, &settings, seed + r, &t);
  print_tally(&a, &t, (double)runs);
  return 0;
}
