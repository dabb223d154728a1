/* The full-information curves: every prefix is solved, with the radius that did
 * best for prefixes of that length in cross-validation on the training part. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "figures.h"
#include "scant_base.h"
#include "scant_dense.h"
#include "scant_full.h"
#include "jobs.h"

enum { RADII = 24, SAMPLES = 3, FEW = 100 };
#define GROWTH 1.35

/* n rows of a view, centred, as a reference with center=yes sees them. */
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
  if (!s->x || !s->y || !s->mean) return scant_fail_memory(error);
  for (size_t i = 0; i < n; i++) {
    double norm = v->norm ? v->norm[rows[i]] : 1;
    for (size_t j = 0; j < d; j++) s->x[i * d + j] = v->x[rows[i] * d + j] / norm;
    s->y[i] = v->y[rows[i]];
  }
  scant_dense_center(n, d, s->x, s->y, s->mean, &s->y_mean);
  s->problem = (scant_dense){n, d, s->x, s->y};
  return SCANT_OK;
}

/* Fills `models` with the solutions for the radii, up to the first ball that does not bind, and sets *solved to their
 * number.  A larger ball changes nothing: with fewer examples than attributes w already fits them exactly. */
static scant_status solve_radii(const sample *s, int lasso, const double *radii, lineup *models, size_t *solved,
                                scant_error *error) {
  size_t d = s->problem.d;
  double *w = malloc(RADII * d * sizeof *w), lambda[RADII] = {0};
  scant_lasso *one = NULL;
  scant_ridge *two = NULL;
  scant_status status = w ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK)
    status = lasso ? scant_lasso_new(&one, &s->problem, error) : scant_ridge_new(&two, &s->problem, error);
  if (status == SCANT_OK && lasso) status = scant_lasso_path(one, RADII, radii, w, lambda, error);
  size_t r = 0;
  for (; status == SCANT_OK && r < RADII && (!r || lambda[r - 1] > 0); r++) {
    if (!lasso) status = scant_ridge_solve(two, radii[r], w + r * d, &lambda[r], error);
    double intercept = s->y_mean;
    for (size_t j = 0; j < d; j++) intercept -= w[r * d + j] * s->mean[j];
    lineup_set(models, r, w + r * d, intercept);
  }
  *solved = r;
  scant_lasso_free(one);
  scant_ridge_free(two);
  free(w);
  return status;
}

/* Adds the errors of all radii on the rows of a fold. */
static void score_radii(const lineup *models, size_t solved, const view *train, size_t fold, double *sum) {
  double errors[RADII];
  view held_out = *train;
  held_out.rows += fold_start(train->n, fold);
  held_out.n = fold_start(train->n, fold + 1) - fold_start(train->n, fold);
  lineup_score(models, &held_out, errors);
  for (size_t r = 0; r < RADII; r++) sum[r] += r < solved ? errors[r] : INFINITY;
}

/* Sample k of n examples outside a fold is solved, and scored on the fold.  A
 * sample from before the fold is the same for all later folds, so it is solved
 * once for all of them.  Returns in *fold the first that was not scored. */
static scant_status try_sample(const task *t, const view *train, const double *radii, size_t n, size_t k, size_t *fold,
                               lineup *models, double *sum, scant_error *error) {
  size_t start = fold_start(train->n, *fold), skipped = fold_start(train->n, *fold + 1) - start, solved;
  uint32_t *rows = malloc(n * sizeof *rows);
  if (!rows) return scant_fail_memory(error);
  for (size_t i = 0; i < n; i++) rows[i] = train->rows[k * n + i < start ? k * n + i : k * n + i + skipped];
  sample s;
  scant_status status = sample_take(&s, train, rows, n, error);
  if (status == SCANT_OK) status = solve_radii(&s, t->curve->lasso, radii, models, &solved, error);
  int common = (k + 1) * n <= start;
  if (status == SCANT_OK) do
      score_radii(models, solved, train, *fold, sum);
    while (++*fold < FOLDS && common);
  sample_free(&s);
  free(rows);
  return status;
}

/* The best radius for prefixes of n examples: samples of that length from four
 * fifths of the training part, scored on the other fifth. */
static scant_status choose_radius(const task *t, const view *train, size_t n, double *radius, scant_error *error) {
  double radii[RADII] = {0}, sum[RADII] = {0};
  lineup models;
  scant_status status = lineup_new(&models, train->d, RADII) ? SCANT_OK : scant_fail_memory(error);
  for (size_t r = 0; r < RADII; r++) radii[r] = r ? radii[r - 1] * GROWTH : t->curve->radii[0];
  for (size_t k = 0; k < (n <= FEW ? SAMPLES : 1); k++)
    for (size_t f = 0; status == SCANT_OK && f < FOLDS;) {
      if ((k + 1) * n <= train->n - (fold_start(train->n, f + 1) - fold_start(train->n, f)))
        status = try_sample(t, train, radii, n, k, &f, &models, sum, error);
      else
        f++;
    }
  size_t best = 0;
  for (size_t r = 1; r < RADII; r++)
    if (sum[r] < sum[best]) best = r;
  *radius = radii[best];
  lineup_free(&models);
  return status;
}

scant_status run_reference(const task *t, const view *train, const view *test, uint64_t mark, outcome *out,
                           scant_error *error) {
  view prefix = *train;
  prefix.n = mark < train->n ? (size_t)mark : train->n;
  char buffer[256];
  double radius;
  scant_settings settings;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  lineup alone;
  if (!lineup_new(&alone, train->d, 1)) return scant_fail_memory(error);
  scant_status status = choose_radius(t, train, prefix.n, &radius, error);
  if (status == SCANT_OK) status = task_settings(t, 0, radius, buffer, sizeof buffer, &settings, error);
  if (status == SCANT_OK) status = open_view(&source, &prefix, error);
  if (status == SCANT_OK) status = fit_whole(&fit, &model, &settings, source, error);
  if (status == SCANT_OK) {
    const scant_ledger *ledger = scant_fit_ledger(fit);
    *out = (outcome){NAN, ledger->attributes_bought, ledger->examples};
    lineup_set(&alone, 0, scant_model_weights(model), scant_model_intercept(model));
    lineup_score(&alone, test, &out->error);
  }
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  lineup_free(&alone);
  return status;
}
