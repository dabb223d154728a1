/* The full-information curves: every prefix is solved, with the radius that did
 * best for prefixes of that length in cross-validation on the training part. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "scant_solve.h"
#include "solve/solve.h"

enum { RADII = 24, SAMPLES = 3, FEW = 100 };
#define GROWTH 1.35

static scant_status out_of_memory(scant_error *error) {
  snprintf(error->text, sizeof error->text, "out of memory");
  return SCANT_MEMORY;
}

/* n rows of a view, centred: what a reference with center=yes solves. */
typedef struct {
  scant_dense problem;
  double *x, *y, *mean, y_mean;
} sample;

static void sample_free(sample *s) {
  free(s->x);
  free(s->y);
  free(s->mean);
}

static scant_status sample_take(sample *s, const view *v, const uint32_t *rows, size_t n, scant_error *error) {
  size_t d = v->d;
  *s =
      (sample){.x = malloc(n * d * sizeof(double)), .y = malloc(n * sizeof(double)), .mean = calloc(d, sizeof(double))};
  if (!s->x || !s->y || !s->mean) return out_of_memory(error);
  for (size_t i = 0; i < n; i++) {
    memcpy(s->x + i * d, v->x + rows[i] * d, d * sizeof(double));
    s->y[i] = v->y[rows[i]];
  }
  scant_dense_center(n, d, s->x, s->y, s->mean, &s->y_mean);
  s->problem = (scant_dense){n, d, s->x, s->y};
  return SCANT_OK;
}

/* Solutions for all radii, RADII rows of d weights; NAN from where the ball no
 * longer binds: with fewer examples than attributes w then fits them exactly. */
static scant_status solve_radii(const sample *s, int lasso, const double *radii, double *w, scant_error *error) {
  size_t d = s->problem.d;
  scant_lasso *one = NULL;
  scant_ridge *two = NULL;
  scant_status status = lasso ? scant_lasso_new(&one, &s->problem, error) : scant_ridge_new(&two, &s->problem, error);
  double lambda = INFINITY;
  for (size_t r = 0; status == SCANT_OK && r < RADII; r++) {
    if (!(lambda > 0)) {
      w[r * d] = NAN;
      continue;
    }
    status = lasso ? scant_lasso_solve(one, radii[r], w + r * d, &lambda, error)
                   : scant_ridge_solve(two, radii[r], w + r * d, &lambda, error);
  }
  scant_lasso_free(one);
  scant_ridge_free(two);
  return status;
}

/* Adds the error of every radius on the held-out rows. */
static void score_radii(const sample *s, const view *held_out, const double *w, double *sum) {
  size_t d = held_out->d;
  for (size_t r = 0; r < RADII; r++) {
    double intercept = s->y_mean;
    for (size_t j = 0; j < d; j++) intercept -= w[r * d + j] * s->mean[j];
    if (isnan(w[r * d])) sum[r] = INFINITY;
    for (size_t i = 0; i < held_out->n; i++) {
      const double *x = held_out->x + held_out->rows[i] * d;
      double error = intercept - held_out->y[held_out->rows[i]];
      for (size_t j = 0; j < d; j++) error += w[r * d + j] * x[j];
      sum[r] += error * error / (double)held_out->n;
    }
  }
}

/* The best radius for prefixes of n examples: samples of that length from four
 * fifths of the training part, scored on the other fifth. */
static scant_status choose_radius(const task *t, const view *train, size_t n, double *radius, scant_error *error) {
  int lasso = !strcmp(t->curve->row, "full-lasso");
  double radii[RADII] = {0}, sum[RADII] = {0}, *w = malloc(RADII * train->d * sizeof *w);
  uint32_t *rest = malloc(train->n * sizeof *rest);
  scant_status status = w && rest ? SCANT_OK : out_of_memory(error);
  for (size_t r = 0; r < RADII; r++) radii[r] = r ? radii[r - 1] * GROWTH : t->curve->radii[0];
  for (size_t f = 0; status == SCANT_OK && f < FOLDS; f++) {
    size_t first = train->n * f / FOLDS, after = train->n * (f + 1) / FOLDS, kept = train->n - (after - first);
    memcpy(rest, train->rows, first * sizeof *rest);
    memcpy(rest + first, train->rows + after, (train->n - after) * sizeof *rest);
    view held_out = *train;
    held_out.rows = train->rows + first;
    held_out.n = after - first;
    for (size_t k = 0; status == SCANT_OK && k < (n <= FEW ? SAMPLES : 1) && (k + 1) * n <= kept; k++) {
      sample s;
      status = sample_take(&s, train, rest + k * n, n, error);
      if (status == SCANT_OK) status = solve_radii(&s, lasso, radii, w, error);
      if (status == SCANT_OK) score_radii(&s, &held_out, w, sum);
      sample_free(&s);
    }
  }
  size_t best = 0;
  for (size_t r = 1; r < RADII; r++)
    if (sum[r] < sum[best]) best = r;
  *radius = radii[best];
  free(w);
  free(rest);
  return status;
}

scant_status run_reference(const task *t, const view *train, const view *test, const uint64_t *marks, outcome *out,
                           scant_error *error) {
  for (size_t p = 0; p < POINTS; p++) {
    view prefix = *train;
    prefix.n = marks[p] < train->n ? (size_t)marks[p] : train->n;
    char buffer[256];
    double radius;
    scant_settings settings;
    scant_source *source = NULL;
    scant_fit *fit = NULL;
    scant_model *model = NULL;
    scant_certificate certificate;
    scant_status status = choose_radius(t, train, prefix.n, &radius, error);
    if (status == SCANT_OK) status = task_settings(t, 0, radius, buffer, sizeof buffer, &settings, error);
    if (status == SCANT_OK) status = open_view(&source, &prefix, error);
    if (status == SCANT_OK) status = scant_solve_fit(&fit, &model, &certificate, &settings, source, error);
    if (status == SCANT_OK) {
      const scant_ledger *ledger = scant_fit_ledger(fit);
      out[p] = (outcome){squared_error(model, test), ledger->attributes_bought, ledger->examples};
    }
    scant_model_free(model);
    scant_fit_free(fit);
    scant_source_free(source);
    if (status != SCANT_OK) return status;
  }
  return SCANT_OK;
}
