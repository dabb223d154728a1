/* Running a figure: random splits, tuning by cross-validation on the training
 * part alone, ten prefixes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "pool.h"
#include "random.h"
#include "run.h"
#include "scant_solve.h"

static scant_status fetch(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                          scant_error *error) {
  const view *v = user;
  const double *x = v->x + v->rows[row] * v->d;
  (void)error;
  for (size_t i = 0; i < count; i++) values[i] = x[attributes[i]];
  return SCANT_OK;
}

scant_status open_view(scant_source **source, view *v, scant_error *error) {
  double *y = malloc(v->n * sizeof *y);
  if (!y) return SCANT_MEMORY;
  for (size_t i = 0; i < v->n; i++) y[i] = v->y[v->rows[i]];
  scant_status status = scant_source_custom(source, v->n, v->d, fetch, v, y, error);
  free(y);
  return status;
}

double squared_error(const scant_model *model, const view *v) {
  const double *w = scant_model_weights(model);
  double sum = 0;
  for (size_t i = 0; i < v->n; i++) {
    const double *x = v->x + v->rows[i] * v->d;
    double s = scant_model_intercept(model);
    for (size_t j = 0; j < v->d; j++) s += w[j] * x[j];
    sum += (s - v->y[v->rows[i]]) * (s - v->y[v->rows[i]]);
  }
  return sum / (double)v->n;
}

/* ---- one fit ------------------------------------------------------------ */

scant_status task_settings(const task *t, double step, double radius, char *buffer, size_t size, scant_settings *s,
                           scant_error *error) {
  const scant_algorithm *row = scant_algorithm_find(t->curve->row);
  scant_settings_init(s);
  s->engines = scant_solve_engines;
  s->threads = 1; /* the runs are the threads */
  s->algorithm = row->name;
  s->shuffle = 0; /* the rows are in random order already */
  s->seed = t->seed;
  if (!row->whole) s->k = t->figure->k;
  snprintf(buffer, size, "%s", t->curve->options);
  size_t used = strlen(buffer);
  if (radius > 0) used += (size_t)snprintf(buffer + used, size - used, " radius=%.17g", radius);
  if (t->curve->step) snprintf(buffer + used, size - used, " %s=%.17g", t->curve->step, step);
  char *rest = NULL;
  for (char *name = strtok_r(buffer, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
    char *value = strchr(name, '=');
    *value++ = 0;
    scant_status status = scant_settings_set(s, name, value, error);
    if (status != SCANT_OK) return status;
  }
  return SCANT_OK;
}

/* Learns on `train` and fills out[p] with the error on `test` after marks[p]
 * examples, for p from `first` to before `after`. */
static scant_status learn_points(const scant_settings *settings, view *train, const view *test, const uint64_t *marks,
                                 size_t first, size_t after, outcome *out, scant_error *error) {
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_status status = open_view(&source, train, error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, settings, source, error);
  for (size_t p = first; status == SCANT_OK && p < after; p++) {
    const scant_ledger *ledger = scant_fit_ledger(fit);
    int done;
    scant_model *model = NULL;
    if (marks[p] > ledger->examples) status = scant_fit_advance(fit, marks[p] - ledger->examples, &done, error);
    if (status == SCANT_OK) status = scant_fit_model(fit, 0, &model, error);
    if (status == SCANT_OK) out[p] = (outcome){squared_error(model, test), ledger->attributes_bought, ledger->examples};
    scant_model_free(model);
  }
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

/* All points: the step size is given, so one fit can serve them all. */
static scant_status learn_curve(const task *t, view *train, const view *test, double step, double radius,
                                const uint64_t *marks, outcome *out, scant_error *error) {
  char buffer[256];
  scant_settings settings;
  scant_status status = task_settings(t, step, radius, buffer, sizeof buffer, &settings, error);
  if (!t->curve->fit_each && status == SCANT_OK)
    return learn_points(&settings, train, test, marks, 0, POINTS, out, error);
  for (size_t p = 0; status == SCANT_OK && p < POINTS; p++) {
    settings.examples = marks[p] < train->n ? marks[p] : train->n;
    status = learn_points(&settings, train, test, marks, p, p + 1, out, error);
  }
  return status;
}

/* ---- tuning -------------------------------------------------------------- */

static size_t grid_size(const double *grid) {
  size_t n = 0;
  while (n < 8 && grid[n] > 0) n++;
  return n;
}

/* Adds the validation errors of one candidate over the folds. */
static scant_status validate(const task *t, const view *train, uint32_t *scratch, double step, double radius,
                             const uint64_t *marks, double *sum, scant_error *error) {
  for (size_t f = 0; f < FOLDS; f++) {
    size_t first = train->n * f / FOLDS, after = train->n * (f + 1) / FOLDS, kept = train->n - (after - first);
    memcpy(scratch, train->rows, first * sizeof *scratch);
    memcpy(scratch + first, train->rows + after, (train->n - after) * sizeof *scratch);
    view rest = *train, held_out = *train;
    rest.rows = scratch;
    rest.n = kept;
    held_out.rows = train->rows + first;
    held_out.n = after - first;
    uint64_t shorter[POINTS];
    outcome out[POINTS];
    for (size_t p = 0; p < POINTS; p++) { /* the same share of what is there to learn from */
      shorter[p] = marks[p] * kept / train->n;
      if (!shorter[p]) shorter[p] = 1;
    }
    scant_status status = learn_curve(t, &rest, &held_out, step, radius, shorter, out, error);
    if (status != SCANT_OK) return status;
    for (size_t p = 0; p < POINTS; p++) sum[p] += isfinite(out[p].error) ? out[p].error : INFINITY;
  }
  return SCANT_OK;
}

/* The mean over a point and its neighbours: near the largest step that still
 * works one point says little. */
static double around(const double *sum, size_t p) {
  size_t first = p ? p - 1 : p, last = p + 1 < POINTS ? p + 1 : p;
  double total = 0;
  for (size_t i = first; i <= last; i++) total += sum[i];
  return total / (double)(last - first + 1);
}

/* Every point gets the candidate that did best at about its length in
 * cross-validation; then the candidates that were chosen learn on all. */
static scant_status run_learner(const task *t, view *train, const view *test, const uint64_t *marks, outcome *out,
                                scant_error *error) {
  const curve_plan *c = t->curve;
  size_t steps = grid_size(c->steps), radii = grid_size(c->radii), best[POINTS] = {0};
  double lowest[POINTS];
  if (!radii) return learn_curve(t, train, test, 0, 0, marks, out, error); /* nothing to tune */
  uint32_t *scratch = malloc(train->n * sizeof *scratch);
  scant_status status = scratch ? SCANT_OK : SCANT_MEMORY;
  for (size_t p = 0; p < POINTS; p++) lowest[p] = INFINITY;
  for (size_t g = 0; status == SCANT_OK && g < steps * radii; g++) {
    double sum[POINTS] = {0};
    status = validate(t, train, scratch, c->steps[g / radii], c->radii[g % radii], marks, sum, error);
    for (size_t p = 0; p < POINTS; p++) {
      double about = around(sum, p);
      if (about < lowest[p]) {
        lowest[p] = about;
        best[p] = g;
      }
    }
  }
  for (size_t p = 0; c->tuned_once && p < POINTS; p++) best[p] = best[POINTS - 1];
  for (size_t g = 0; status == SCANT_OK && g < steps * radii; g++) {
    int chosen = 0;
    outcome all[POINTS];
    for (size_t p = 0; p < POINTS; p++) chosen = chosen || best[p] == g;
    if (!chosen) continue;
    status = learn_curve(t, train, test, c->steps[g / radii], c->radii[g % radii], marks, all, error);
    for (size_t p = 0; status == SCANT_OK && p < POINTS; p++)
      if (best[p] == g) out[p] = all[p];
  }
  free(scratch);
  return status;
}

/* ---- all of it ----------------------------------------------------------- */

typedef struct {
  results *results;
  const image_set *images;
  uint64_t seed;
} plan;

uint32_t *split_images(const image_set *m, uint64_t seed, size_t run, view *train, view *test) {
  uint32_t *rows = malloc(m->n * sizeof *rows);
  if (!rows) return NULL;
  uint64_t random = seed * UINT64_C(1000003) + run;
  for (size_t i = 0; i < m->n; i++) rows[i] = (uint32_t)i;
  for (size_t i = m->n; i > 1; i--) {
    size_t j = (size_t)random_below(&random, i);
    uint32_t kept = rows[i - 1];
    rows[i - 1] = rows[j];
    rows[j] = kept;
  }
  size_t test_count = m->n / 10;
  *train = (view){m->x, m->y, m->d, m->n - test_count, rows};
  *test = (view){m->x, m->y, m->d, test_count, rows + train->n};
  return rows;
}

/* One curve on one split. */
static scant_status run_job(void *user, size_t job, scant_error *error) {
  const plan *p = user;
  const results *r = p->results;
  const image_set *m = p->images;
  size_t c = job % r->curve_count, run = job / r->curve_count;
  const curve_plan *curve = r->curves[c];
  view train, test;
  uint32_t *rows = split_images(m, p->seed, run, &train, &test);
  if (!rows) return SCANT_MEMORY;
  if (curve->unit_rows) train.x = test.x = m->unit;
  const scant_algorithm *row = scant_algorithm_find(curve->row);
  task t = {r->figure, curve, split_seed(p->seed, run)};
  uint64_t marks[POINTS], per_example = row->whole ? m->d : r->figure->k;
  for (size_t i = 0; i < POINTS; i++) marks[i] = r->figure->attributes * (i + 1) / per_example;
  scant_status status = (row->solved ? run_reference(&t, &train, &test, marks, results_at(r, c, run, 0), error)
                                     : run_learner(&t, &train, &test, marks, results_at(r, c, run, 0), error));
  free(rows);
  return status;
}

scant_status figure_run(results *r, const image_set *images, uint64_t seed, unsigned threads,
                        void (*progress)(void *user, double share), void *user, scant_error *error) {
  plan p = {.results = r, .images = images, .seed = seed};
  pool_options options = {threads, progress, user};
  r->outcome = calloc(r->curve_count * r->runs * POINTS, sizeof *r->outcome);
  if (!r->outcome) {
    snprintf(error->text, sizeof error->text, "out of memory");
    return SCANT_MEMORY;
  }
  return pool_run(r->curve_count * r->runs, run_job, &p, &options, error);
}
