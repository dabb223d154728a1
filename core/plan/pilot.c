/* From a pilot to worlds.
 *
 * A pilot is often tiny, with fewer examples than attributes, and its Gaussian must not be taken at its word.  The
 * strength of the relation is estimated with its standard error: run r has the strength at the (r + 1/2)/runs
 * quantile of that.  The direction of the relation and the covariance are, in each run, those of the pilot without
 * another part.  A pilot may show no relation at all; the runs have one that explains a twentieth at least, since in a
 * world without one all K are alike. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "joint/joint.h"
#include "model/model.h"
#include "plan/plan.h"

/* The pilot, a part of it, or one that was drawn. */
typedef struct examples {
  size_t rows, dimension;
  double *x, *y;             /* NaN: no value */
  scant_model *model;        /* of the algorithm gaussian; NULL: not fitted, or their targets do not vary */
  double variance;           /* then: of the target */
  double shown, shown_error; /* R^2 by held-out halves, and its standard error */
} examples;

static void free_examples(examples *pilot) {
  free(pilot->x);
  free(pilot->y);
  scant_model_free(pilot->model);
}

/* Zeros. */
static scant_status make_examples(examples *pilot, size_t rows, size_t dimension, scant_error *error) {
  *pilot = (examples){.rows = rows, .dimension = dimension};
  if (!dimension || rows > SIZE_MAX / sizeof(double) / dimension) return scant_fail_memory(error);
  pilot->x = scant_array(rows * dimension, sizeof *pilot->x);
  pilot->y = scant_array(rows, sizeof *pilot->y);
  return pilot->x && pilot->y ? SCANT_OK : scant_fail_memory(error);
}

static scant_status read_pilot(examples *p, scant_source *source, scant_error *error) {
  SCANT_TRY(make_examples(p, scant_source_rows(source), scant_source_dimension(source), error));
  int varies = 0;
  for (size_t i = 0; i < p->rows; i++) {
    SCANT_TRY(scant_source_row(source, i, p->x + i * p->dimension, error));
    p->y[i] = scant_source_target(source, i);
    varies = varies || p->y[i] != p->y[0];
  }
  if (!varies)
    return scant_fail(error, SCANT_DATA,
                      "every target of the pilot is %.6g, so that it can't show what the attributes tell of it",
                      p->y[0]);
  return SCANT_OK;
}

/* All but part `part` of `parts`.  The parts are taken in turn. */
static scant_status leave_out(examples *rest, const examples *all, size_t part, size_t parts, scant_error *error) {
  size_t count = 0, d = all->dimension;
  SCANT_TRY(make_examples(rest, all->rows, d, error));
  for (size_t i = 0; i < all->rows; i++) {
    if (i % parts == part) continue;
    memcpy(rest->x + count * d, all->x + i * d, d * sizeof *rest->x);
    rest->y[count++] = all->y[i];
  }
  rest->rows = count;
  return SCANT_OK;
}

#define ERROR_UNKNOWN 0.25 /* of R^2, where gaussian can't say */

/* Takes the model of a fit, and what it shows. */
static scant_status read_fit(examples *pilot, const scant_fit *fit, scant_error *error) {
  scant_learner_facts facts;
  scant_model *model = NULL;
  SCANT_TRY(scant_fit_model(fit, 0, &model, error));
  scant_fit_get_facts(fit, &facts);
  const scant_gaussian *g = model->gaussian;
  if (!g) {
    scant_model_free(model);
    return SCANT_OK;
  }
  pilot->model = model;
  pilot->variance = facts.target_variance;
  pilot->shown = 1 - facts.risk / facts.target_variance;
  pilot->shown_error = facts.risk_error / facts.target_variance;
  if (isfinite(pilot->shown) && isfinite(pilot->shown_error)) return SCANT_OK;
  pilot->shown = scant_world_strength(g, NULL);
  pilot->shown_error = ERROR_UNKNOWN;
  return SCANT_OK;
}

/* Fits gaussian, with the engines of the request. */
static scant_status fit_gaussian(examples *pilot, const scant_plan *plan, uint64_t threads, scant_error *error) {
  scant_settings s;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  int done;
  scant_settings_init(&s);
  s.runtime = plan->request.settings->runtime;
  s.runtime.threads = threads;
  s.learning.k = pilot->dimension;
  scant_status status = scant_settings_set(&s, "algorithm", scant_default_algorithm(SCANT_DEFAULT_DENSE)->name, error);
  if (status == SCANT_OK) status = scant_settings_set(&s, "observed", "yes", error);
  if (status == SCANT_OK)
    status = scant_source_wrap(&source, SCANT_FLOAT64, pilot->x, pilot->rows, pilot->dimension,
                               (ptrdiff_t)(pilot->dimension * sizeof *pilot->x), sizeof *pilot->x, pilot->y, error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, &s, source, error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, UINT64_MAX, &done, error);
  if (status == SCANT_OK) status = read_fit(pilot, fit, error);
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

/* Over the examples that have a value. */
static double sample_covariance(const examples *p, size_t attribute) {
  double n = 0, x_mean = 0, y_mean = 0, sum = 0;
  for (size_t row = 0; row < p->rows; row++) {
    double x = p->x[row * p->dimension + attribute], off = x - x_mean;
    if (isnan(x)) continue;
    n++;
    x_mean += off / n;
    y_mean += (p->y[row] - y_mean) / n;
    sum += off * (p->y[row] - y_mean);
  }
  return n > 1 ? sum / n : 0;
}

/* The covariances with the target of the attributes that their Gaussian knows: its own, or those of the examples where
 * it has none, since its regressor is no better than the mean. */
static void find_cross(const examples *pilot, double *cross) {
  const scant_gaussian *g = pilot->model->gaussian;
  int related = 0;
  memcpy(cross, g->covariance + g->count * (g->count + 1) / 2, g->count * sizeof *cross);
  for (size_t i = 0; i < g->count; i++) related = related || cross[i] != 0;
  for (size_t i = 0; !related && i < g->count; i++) cross[i] = sample_covariance(pilot, g->attributes[i]);
}

/* The world of their Gaussian, with this strength; *world stays NULL if it shows no relation at all. */
static scant_status world_of(const scant_plan *plan, const examples *pilot, double target_mean, double strength,
                             scant_world **world, scant_error *error) {
  const scant_gaussian *g = pilot->model->gaussian;
  int explains = 0;
  double *cross = scant_array(g->count, sizeof *cross);
  if (!cross) return scant_fail_memory(error);
  find_cross(pilot, cross);
  scant_status status =
      scant_world_new(world, plan->dimension, g, cross, strength, target_mean, plan->facts.variance, &explains, error);
  free(cross);
  if (status == SCANT_OK && !explains) {
    scant_world_free(*world);
    *world = NULL;
  }
  return status;
}

static double target_mean_of(const examples *pilot) {
  return pilot->model->gaussian->mean[pilot->model->gaussian->count];
}

/* The same for the whole pilot, which must show a relation. */
static scant_status world_of_all(const scant_plan *plan, const examples *all, double strength, scant_world **world,
                                 scant_error *error) {
  SCANT_TRY(world_of(plan, all, target_mean_of(all), strength, world, error));
  if (*world) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "no attribute of the pilot has anything to do with its target");
}

/* ---- how strong the relation between attributes and target is ------------------------- */

/* The estimate of gaussian by held-out halves is honest, but it is about a regressor that was learned from few
 * examples, and full information explains more.  The share that its Gaussian explains is no better: it repeats the
 * examples, or is shrunk to almost nothing.  So pilots of the same size, with the same cells empty, are drawn from
 * worlds in which the attributes explain 5%, 25%, ... of the target, and are fitted in the same way.  The strength is
 * the one whose pilots show, on average, what the real one shows.
 *
 * That takes the covariance of the pilot for the true one.  Of few examples it is shrunk to almost no relations between
 * attributes, in its worlds little can be learned from few examples, and the strength comes out too large.  So it is
 * believed with the weight n/(n + d) for n examples of d attributes, and the halves with the rest. */

#define STRENGTH_LEAST 0.05
#define STRENGTH_MOST 0.98

enum { LEVELS = 5, REPEATS = 6, REPEATS_OF_LARGE = 2, ENOUGH = 100 /* examples per attribute */ };
#define LARGE_WORK 5e8              /* multiplications of a fit */
#define SEED UINT64_C(0x746f6c6970) /* so that pilots and examples have different streams */

static const double levels[LEVELS] = {STRENGTH_LEAST, 0.25, 0.5, 0.75, STRENGTH_MOST};

/* Which share of the target attributes explain, at a number of standard errors from the best guess. */
typedef struct {
  const scant_plan *plan;
  const examples *pilot;
  scant_world *worlds[LEVELS];
  size_t repeats;
  double shown[LEVELS * REPEATS];          /* by pilots from the worlds; NaN: a pilot shows nothing */
  size_t count;                            /* of the numbers below; 0: the real pilot is believed as it is */
  double truth[LEVELS], simulated[LEVELS]; /* ascending: shown on average by pilots from worlds of this strength */
} strength_curve;

/* A pilot from a world, with the empty cells of the real one. */
static scant_status draw_pilot(examples *drawn, const examples *real, const scant_world *world, uint64_t seed,
                               scant_error *error) {
  scant_source *source = NULL;
  void *scratch = NULL;
  SCANT_TRY(make_examples(drawn, real->rows, real->dimension, error));
  scant_status status = scant_world_draw(&source, &scratch, world, real->rows, seed, NULL, error);
  for (size_t i = 0; status == SCANT_OK && i < real->rows; i++) {
    double *x = drawn->x + i * real->dimension;
    status = scant_source_row(source, i, x, error);
    for (size_t j = 0; j < real->dimension; j++)
      if (isnan(real->x[i * real->dimension + j])) x[j] = NAN;
    drawn->y[i] = scant_source_target(source, i);
  }
  scant_source_free(source);
  scant_world_end(scratch);
  return status;
}

static scant_status run_trial(void *user, size_t job, scant_error *error) {
  strength_curve *s = user;
  uint64_t seed = (s->plan->request.seed + job % s->repeats) ^ SEED << 24;
  examples drawn = {0};
  scant_status status = draw_pilot(&drawn, s->pilot, s->worlds[job / s->repeats], seed, error);
  if (status == SCANT_OK) status = fit_gaussian(&drawn, s->plan, 1, error);
  s->shown[job] = status == SCANT_OK && drawn.model ? drawn.shown : NAN;
  free_examples(&drawn);
  return status;
}

/* The means, made ascending: a stronger relation shows more. */
static void take_means(strength_curve *s) {
  for (size_t level = 0; level < LEVELS; level++) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < s->repeats; i++) {
      double shown = s->shown[level * s->repeats + i];
      if (isnan(shown)) continue;
      sum += shown;
      count++;
    }
    if (count == 0) continue;
    double mean = sum / count;
    if (s->count && mean < s->simulated[s->count - 1]) mean = s->simulated[s->count - 1];
    s->truth[s->count] = levels[level];
    s->simulated[s->count++] = mean;
  }
}

static scant_status find_strength(strength_curve *s, scant_error *error) {
  const scant_plan *plan = s->plan;
  double rows = (double)s->pilot->rows, d = (double)s->pilot->dimension;
  if (rows >= ENOUGH * d) return SCANT_OK;
  s->repeats = 400 * d * d * d + 50 * rows * d * d > LARGE_WORK ? REPEATS_OF_LARGE : REPEATS;
  uint64_t threads = plan->request.threads ? plan->request.threads : 1;
  scant_status status = SCANT_OK;
  for (size_t i = 0; status == SCANT_OK && i < LEVELS; i++)
    status = world_of_all(plan, s->pilot, levels[i], &s->worlds[i], error);
  if (status == SCANT_OK) status = scant_jobs_run(LEVELS * s->repeats, threads, run_trial, s, error);
  if (status == SCANT_OK) take_means(s);
  for (size_t i = 0; i < LEVELS; i++) scant_world_free(s->worlds[i]);
  return status;
}

/* The strength whose pilots show this. */
static double look_up(const strength_curve *s, double shown) {
  if (!(shown > s->simulated[0])) return s->truth[0];
  for (size_t i = 1; i < s->count; i++)
    if (shown < s->simulated[i]) {
      double part = (shown - s->simulated[i - 1]) / (s->simulated[i] - s->simulated[i - 1]);
      return s->truth[i - 1] + part * (s->truth[i] - s->truth[i - 1]);
    }
  return s->truth[s->count - 1];
}

static double strength_at(const strength_curve *s, double deviations) {
  const examples *p = s->pilot;
  double rows = (double)p->rows, weight = rows / (rows + (double)p->dimension);
  double shown = p->shown + deviations * p->shown_error;
  if (s->count) shown += weight * (look_up(s, shown) - shown);
  return fmin(fmax(shown, STRENGTH_LEAST), STRENGTH_MOST);
}

/* ---- worlds --------------------------------------------------------------------------- */

/* A part whose targets do not vary, or that shows no relation, gives way to the whole pilot. */
static scant_status make_world(scant_plan *plan, const examples *all, double strength, size_t run, scant_error *error) {
  examples part = {0};
  size_t parts = plan->runs > SCANT_PLAN_RUNS_MOST ? SCANT_PLAN_RUNS_MOST : plan->runs;
  scant_status status = SCANT_OK;
  if (parts > 1) status = leave_out(&part, all, run % parts, parts, error);
  if (status == SCANT_OK && parts > 1)
    status = fit_gaussian(&part, plan, plan->request.settings->runtime.threads, error);
  if (status == SCANT_OK && part.model)
    status = world_of(plan, &part, target_mean_of(all), strength, &plan->worlds[run], error);
  if (status == SCANT_OK && !plan->worlds[run]) status = world_of_all(plan, all, strength, &plan->worlds[run], error);
  free_examples(&part);
  return status;
}

static scant_status make_all(scant_plan *plan, const examples *all, scant_error *error) {
  strength_curve strength = {.plan = plan, .pilot = all};
  scant_plan_facts *f = &plan->facts;
  plan->world_count = plan->runs;
  f->pilot_examples = all->rows;
  f->unknown = plan->dimension - all->model->gaussian->count;
  f->variance = all->variance;
  f->shown = all->shown;
  f->shown_error = all->shown_error;
  SCANT_TRY(find_strength(&strength, error));
  f->strength = strength_at(&strength, 0);
  f->strength_error = (strength_at(&strength, 1) - strength_at(&strength, -1)) / 2;
  for (size_t run = 0; run < plan->runs; run++) {
    double quantile = scant_normal_quantile(((double)run + 0.5) / (double)plan->runs);
    SCANT_TRY(make_world(plan, all, strength_at(&strength, quantile), run, error));
  }
  return SCANT_OK;
}

static scant_status from_examples(scant_plan *plan, scant_source *pilot, scant_error *error) {
  examples all = {0};
  scant_status status = read_pilot(&all, pilot, error);
  if (status == SCANT_OK) status = fit_gaussian(&all, plan, plan->request.settings->runtime.threads, error);
  if (status == SCANT_OK && !all.model) status = scant_fail(error, SCANT_DATA, "the pilot shows nothing of its target");
  if (status == SCANT_OK) status = make_all(plan, &all, error);
  free_examples(&all);
  return status;
}

/* One world for all runs.  Its strength is what the model explains, less what its predictions err beyond their own
 * variance. */
static scant_status from_model(scant_plan *plan, const scant_gaussian *g, scant_error *error) {
  scant_plan_facts *f = &plan->facts;
  double share = scant_world_strength(g, NULL);
  int explains = 0;
  if (isnan(share)) return scant_fail_memory(error);
  plan->world_count = 1;
  f->unknown = plan->dimension - g->count;
  f->variance = scant_gaussian_covariance(g, g->count, g->count);
  f->strength = fmin(fmax(share * (1 - g->excess), STRENGTH_LEAST), STRENGTH_MOST);
  f->strength_error = f->shown = f->shown_error = NAN;
  SCANT_TRY(scant_world_new(&plan->worlds[0], plan->dimension, g, g->covariance + g->count * (g->count + 1) / 2,
                            f->strength, g->mean[g->count], f->variance, &explains, error));
  if (!explains)
    return scant_fail(error, SCANT_DATA,
                      "by this model the attributes tell nothing of the target, so that there is nothing to plan");
  return SCANT_OK;
}

/* The least error, and how it differs between the worlds. */
static void note_least(scant_plan *plan) {
  double n = (double)plan->world_count, mean = 0, squares = 0;
  for (size_t i = 0; i < plan->world_count; i++) mean += plan->worlds[i]->left * plan->worlds[i]->left / n;
  for (size_t i = 0; i < plan->world_count; i++) {
    double off = plan->worlds[i]->left * plan->worlds[i]->left - mean;
    squares += off * off;
  }
  plan->facts.least = mean;
  plan->facts.least_sd = n > 1 ? sqrt(squares / (n - 1)) : 0;
}

scant_status scant_plan_make_worlds(scant_plan *plan, scant_error *error) {
  const scant_plan_request *r = &plan->request;
  plan->worlds = scant_array(plan->runs, sizeof(scant_world *));
  if (!plan->worlds) return scant_fail_memory(error);
  SCANT_TRY(r->model ? from_model(plan, r->model->gaussian, error) : from_examples(plan, r->pilot, error));
  note_least(plan);
  return SCANT_OK;
}
