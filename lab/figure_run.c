/* Running a figure: random splits, tuning by cross-validation on the training
 * part alone, ten prefixes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "jobs.h"
#include "numbers.h"
#include "scant_base.h"
#include "scant_dense.h"

/* Reads bytes where it can.  The images as doubles are larger than the cache, and the pixels that are bought of an
 * image are far apart. */
static scant_status fetch(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                          scant_error *error) {
  const view *v = user;
  size_t image = v->rows[row];
  (void)error;
  double norm = v->norm ? v->norm[image] : 1;
  const double *x = v->x + image * v->d;
  const unsigned char *pixel = v->pixel ? v->pixel + image * v->d : NULL;
  for (size_t i = 0; i < count; i++) values[i] = (pixel ? pixel[attributes[i]] / 255.0 : x[attributes[i]]) / norm;
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

/* ---- one fit ------------------------------------------------------------ */

scant_status task_settings(const task *t, double step, double radius, char *buffer, size_t size, scant_settings *s,
                           scant_error *error) {
  const scant_algorithm *row = scant_algorithm_find(t->curve->algorithm);
  scant_settings_init(s);
  s->runtime.engines = scant_dense_engines();
  s->runtime.threads = t->threads;
  s->learning.algorithm = row->name;
  s->run.shuffle = 0; /* the rows are in random order already */
  s->learning.seed = t->seed;
  if (!row->whole) s->learning.k = t->figure->k;
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

/* The error of a model that clips its attributes, which a lineup can't. */
static scant_status score_clipped(const scant_model *model, const view *test, double *squared, scant_error *error) {
  scant_source *source = NULL;
  scant_scores scores;
  view own = *test;
  scant_status status = open_view(&source, &own, error);
  if (status == SCANT_OK) status = scant_model_evaluate(model, source, NULL, 0, &scores, error);
  if (status == SCANT_OK) *squared = scores.squared_error;
  scant_source_free(source);
  return status;
}

/* Learns on `train` and fills out[p] with what was bought after marks[p] examples,
 * and models with what was learned, for p from `first` to before `after`.  The error of a model that clips is there
 * too; others are left to the lineup. */
static scant_status learn_points(const scant_settings *settings, view *train, const view *test, const uint64_t *marks,
                                 size_t first, size_t after, outcome *out, lineup *models, scant_error *error) {
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_curve *curve = NULL;
  int done = 0, arrived;
  scant_status status = open_view(&source, train, error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, settings, source, error);
  if (status == SCANT_OK) status = scant_curve_new(&curve, fit, marks + first, after - first, error);
  for (size_t p = first; status == SCANT_OK && p < after; p++) {
    scant_curve_point point;
    scant_model *model = NULL;
    scant_curve_get_point(curve, &point);
    if (!done && marks[p] > point.examples) status = scant_curve_advance(curve, UINT64_MAX, &arrived, &done, error);
    if (status == SCANT_OK) status = scant_fit_model(fit, 0, &model, error);
    if (status == SCANT_OK) {
      scant_curve_get_point(curve, &point);
      out[p] = (outcome){NAN, point.attributes, point.examples};
      lineup_set(models, p, scant_model_weights(model), scant_model_intercept(model));
      if (scant_model_low(model)) status = score_clipped(model, test, &out[p].error, error);
    }
    scant_model_free(model);
  }
  scant_curve_free(curve);
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

/* All points, with their errors on `test`: the step size is given, so one fit can
 * serve them all. */
static scant_status learn_curve(const task *t, view *train, const view *test, double step, double radius,
                                const uint64_t *marks, outcome *out, scant_error *error) {
  char buffer[256];
  scant_settings settings;
  lineup models;
  double errors[POINTS];
  scant_status status = task_settings(t, step, radius, buffer, sizeof buffer, &settings, error);
  if (status != SCANT_OK) return status;
  if (!lineup_new(&models, train->d, POINTS)) return SCANT_MEMORY;
  if (!t->curve->fit_each) status = learn_points(&settings, train, test, marks, 0, POINTS, out, &models, error);
  for (size_t p = 0; t->curve->fit_each && status == SCANT_OK && p < POINTS; p++) {
    settings.run.examples = marks[p] < train->n ? marks[p] : train->n;
    status = learn_points(&settings, train, test, marks, p, p + 1, out, &models, error);
  }
  if (status == SCANT_OK) {
    lineup_score(&models, test, errors);
    for (size_t p = 0; p < POINTS; p++)
      if (isnan(out[p].error)) out[p].error = errors[p];
  }
  lineup_free(&models);
  return status;
}

/* ---- tuning -------------------------------------------------------------- */

static size_t grid_size(const double *grid) {
  size_t n = 0;
  while (n < 8 && grid[n] > 0) n++;
  return n;
}

static int is_solved(const curve_plan *c) {
  const scant_algorithm *algorithm = scant_algorithm_find(c->algorithm);
  return algorithm->whole && algorithm->dense;
}

static int is_tuned(const curve_plan *c) {
  return !is_solved(c) && grid_size(c->radii) > 0;
}

static double step_at(const curve_plan *c, size_t candidate) {
  return c->steps[candidate / grid_size(c->radii)];
}

static double radius_at(const curve_plan *c, size_t candidate) {
  return c->radii[candidate % grid_size(c->radii)];
}

/* One job of a thread: one candidate, or one point. */
typedef struct {
  size_t curve, run;
  size_t index, siblings; /* parts of the same curve and run; they are next to each other */
  double sum[POINTS];     /* the validation errors of a candidate */
} part;

/* The validation errors of one candidate, summed over the folds. */
static scant_status validate(const task *t, const view *train, double step, double radius, const uint64_t *marks,
                             double *sum, scant_error *error) {
  uint32_t *kept = malloc(train->n * sizeof *kept);
  scant_status status = kept ? SCANT_OK : SCANT_MEMORY;
  for (size_t p = 0; p < POINTS; p++) sum[p] = 0;
  for (size_t f = 0; status == SCANT_OK && f < FOLDS; f++) {
    size_t first = fold_start(train->n, f), after = fold_start(train->n, f + 1);
    memcpy(kept, train->rows, first * sizeof *kept);
    memcpy(kept + first, train->rows + after, (train->n - after) * sizeof *kept);
    view rest = *train, held_out = *train;
    rest.rows = kept;
    rest.n = train->n - (after - first);
    held_out.rows = train->rows + first;
    held_out.n = after - first;
    uint64_t shorter[POINTS];
    outcome out[POINTS];
    for (size_t p = 0; p < POINTS; p++) { /* the same share of the examples to learn from */
      shorter[p] = marks[p] * rest.n / train->n;
      if (!shorter[p]) shorter[p] = 1;
    }
    status = learn_curve(t, &rest, &held_out, step, radius, shorter, out, error);
    for (size_t p = 0; status == SCANT_OK && p < POINTS; p++)
      sum[p] += isfinite(out[p].error) ? out[p].error : INFINITY;
  }
  free(kept);
  return status;
}

/* The mean over a point and its neighbours.  Near the largest step that still works, a single point is too noisy. */
static double around(const double *sum, size_t p) {
  size_t first = p ? p - 1 : p, last = p + 1 < POINTS ? p + 1 : p;
  double total = 0;
  for (size_t i = first; i <= last; i++) total += sum[i];
  return total / (double)(last - first + 1);
}

/* Chooses for each point the candidate that did best at about its length in cross-validation. */
static void choose_candidates(const curve_plan *c, const part *candidates, size_t *best) {
  for (size_t p = 0; p < POINTS; p++) {
    double lowest = INFINITY;
    best[p] = 0;
    for (size_t g = 0; g < candidates->siblings; g++) {
      double about = around(candidates[g].sum, p);
      if (!(about < lowest)) continue;
      lowest = about;
      best[p] = g;
    }
  }
  for (size_t p = 0; c->tuned_once && p < POINTS; p++) best[p] = best[POINTS - 1];
}

/* ---- the parts of a figure ------------------------------------------------- */

typedef struct {
  results *results;
  const image_set *images;
  uint64_t seed;
  part *parts;
  size_t part_count;
  uint64_t threads_each; /* for algorithms that use several: the threads that the parts leave over */
  void (*progress)(void *user, double share);
  void *user;
  double share;  /* of the whole work, in this pass over the parts */
  double before; /* share that was done before it */
} plan;

uint32_t *split_images(const image_set *m, double held_out, uint64_t seed, size_t run, view *train, view *test) {
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
  size_t test_count = (size_t)((double)m->n * held_out);
  *train = (view){m->x, m->y, m->d, m->n - test_count, rows, NULL, m->pixel, m->ink_start, m->ink, m->ink_x};
  *test = *train;
  test->n = test_count;
  test->rows = rows + train->n;
  return rows;
}

/* The data and settings of a part. */
typedef struct {
  task task;
  view train, test;
  uint32_t *rows;
  uint64_t marks[POINTS];
} workplace;

static int workplace_open(workplace *w, const plan *p, const part *at) {
  const results *r = p->results;
  const image_set *m = p->images;
  const curve_plan *curve = r->curves[at->curve];
  w->rows = split_images(m, HELD_OUT, p->seed, at->run, &w->train, &w->test);
  if (!w->rows) return 0;
  if (curve->unit_rows) {
    w->train.norm = w->test.norm = m->norm;
    w->train.ink_value = w->test.ink_value = m->ink_unit;
  }
  w->task = (task){r->figure, curve, split_seed(p->seed, at->run), p->threads_each};
  uint64_t per_example = scant_algorithm_find(curve->algorithm)->whole ? m->d : r->figure->k;
  for (size_t i = 0; i < POINTS; i++) w->marks[i] = r->figure->attributes * (i + 1) / per_example;
  return 1;
}

/* A tuned curve on a split has one part per candidate, a reference one per point, and any other curve one part. */
static size_t parts_of(const curve_plan *c) {
  if (is_solved(c)) return POINTS;
  return is_tuned(c) ? grid_size(c->steps) * grid_size(c->radii) : 1;
}

/* Does the parts that do not depend on others: judges candidates, solves references, and learns where nothing is
 * tuned. */
static scant_status run_part(void *user, size_t job, scant_error *error) {
  const plan *p = user;
  part *at = &p->parts[job];
  const curve_plan *c = p->results->curves[at->curve];
  outcome *out = results_at(p->results, at->curve, at->run, 0);
  workplace w;
  if (!workplace_open(&w, p, at)) return SCANT_MEMORY;
  scant_status status;
  size_t point = POINTS - 1 - at->index; /* the longest come first, so that they do not end last */
  if (is_solved(c))
    status = run_reference(&w.task, &w.train, &w.test, w.marks[point], &out[point], error);
  else if (is_tuned(c))
    status = validate(&w.task, &w.train, step_at(c, at->index), radius_at(c, at->index), w.marks, at->sum, error);
  else
    status = learn_curve(&w.task, &w.train, &w.test, 0, 0, w.marks, out, error);
  free(w.rows);
  return status;
}

/* A candidate that was chosen for some points learns on all of the training part. */
static scant_status run_chosen(void *user, size_t job, scant_error *error) {
  const plan *p = user;
  const part *at = &p->parts[job];
  const curve_plan *c = p->results->curves[at->curve];
  size_t best[POINTS];
  int chosen = 0;
  if (!is_tuned(c)) return SCANT_OK;
  choose_candidates(c, at - at->index, best);
  for (size_t i = 0; i < POINTS; i++) chosen = chosen || best[i] == at->index;
  if (!chosen) return SCANT_OK;
  outcome all[POINTS], *out = results_at(p->results, at->curve, at->run, 0);
  workplace w;
  if (!workplace_open(&w, p, at)) return SCANT_MEMORY;
  scant_status status =
      learn_curve(&w.task, &w.train, &w.test, step_at(c, at->index), radius_at(c, at->index), w.marks, all, error);
  for (size_t i = 0; status == SCANT_OK && i < POINTS; i++)
    if (best[i] == at->index) out[i] = all[i];
  free(w.rows);
  return status;
}

/* Curves of one part come first.  They take longest, so no thread should begin them last. */
static int make_parts(plan *p) {
  const results *r = p->results;
  size_t most = 0, count = 0;
  for (size_t c = 0; c < r->curve_count; c++) most += parts_of(r->curves[c]) * r->runs;
  p->parts = calloc(most + 1, sizeof *p->parts);
  if (!p->parts) return 0;
  for (int single = 1; single >= 0; single--)
    for (size_t run = 0; run < r->runs; run++)
      for (size_t c = 0; c < r->curve_count; c++) {
        size_t siblings = parts_of(r->curves[c]);
        for (size_t i = 0; (siblings == 1) == single && i < siblings; i++)
          p->parts[count++] = (part){.curve = c, .run = run, .index = i, .siblings = siblings};
      }
  p->part_count = count;
  return 1;
}

static void show_share(void *user, double share) {
  const plan *p = user;
  if (p->progress) p->progress(p->user, p->before + p->share * share);
}

scant_status figure_run(results *r, const image_set *images, uint64_t seed, unsigned threads,
                        void (*progress)(void *user, double share), void *user, scant_error *error) {
  /* tuning takes about nine tenths of the time */
  plan p = {.results = r, .images = images, .seed = seed, .progress = progress, .user = user, .share = 0.9};
  pool_options options = {threads, show_share, &p};
  r->outcome = calloc(r->curve_count * r->runs * POINTS, sizeof *r->outcome);
  scant_status status = r->outcome && make_parts(&p) ? SCANT_OK : scant_fail_memory(error);
  p.threads_each = threads > p.part_count && p.part_count ? threads / p.part_count : 1;
  if (status == SCANT_OK) status = pool_run(p.part_count, run_part, &p, &options, error);
  p.before = p.share;
  p.share = 1 - p.before;
  if (status == SCANT_OK) status = pool_run(p.part_count, run_chosen, &p, &options, error);
  free(p.parts);
  return status;
}
