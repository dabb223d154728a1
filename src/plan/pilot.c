/* From a pilot to worlds.
 *
 * A pilot is often tiny: fewer examples than attributes.  Then three things must not be taken at their word.  The
 * strength of the relation: the fitted Gaussian may explain all of the target, or none of it.  What is taken is the
 * risk that gaussian finds for its regressor by held-out halves of the examples, with its standard error: run r has
 * the strength at the (r + 1/2)/runs quantile of that.  The direction of the relation and the covariance: each run has
 * those of the pilot without a part of it.  And no relation at all: the runs have one that explains a twentieth at
 * least, since in a world without one all K are alike.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "joint/predictive.h"
#include "model/model.h"
#include "plan/plan.h"

#define STRENGTH_LEAST 0.05
#define STRENGTH_MOST 0.98
#define STRENGTH_ERROR 0.25 /* of R^2, where gaussian can't say */

/* The pilot's examples, read once. */
typedef struct {
  size_t rows, dimension;
  double *x, *y;
} examples;

static void free_examples(examples *e) {
  free(e->x);
  free(e->y);
}

static scant_status new_examples(examples *e, size_t rows, size_t dimension, scant_error *error) {
  *e = (examples){.rows = rows, .dimension = dimension};
  if (!dimension || rows > SIZE_MAX / sizeof(double) / dimension) return scant_fail_memory(error);
  e->x = scant_array(rows * dimension, sizeof *e->x);
  e->y = scant_array(rows, sizeof *e->y);
  return e->x && e->y ? SCANT_OK : scant_fail_memory(error);
}

static scant_status read_examples(examples *e, scant_source *pilot, scant_error *error) {
  SCANT_TRY(new_examples(e, scant_source_rows(pilot), scant_source_dimension(pilot), error));
  int varies = 0;
  for (size_t i = 0; i < e->rows; i++) {
    SCANT_TRY(scant_source_row(pilot, i, e->x + i * e->dimension, error));
    e->y[i] = scant_source_target(pilot, i);
    varies = varies || e->y[i] != e->y[0];
  }
  if (!varies)
    return scant_fail(error, SCANT_DATA, "every target of the pilot is %.6g: it shows nothing of what the attributes tell",
                      e->y[0]);
  return SCANT_OK;
}

/* All but part `part` of `parts`; parts 1: all.  The parts are taken in turn. */
static scant_status leave_out(examples *rest, const examples *all, size_t part, size_t parts, scant_error *error) {
  size_t count = 0, d = all->dimension;
  SCANT_TRY(new_examples(rest, all->rows, d, error));
  for (size_t i = 0; i < all->rows; i++) {
    if (parts > 1 && i % parts == part) continue;
    memcpy(rest->x + count * d, all->x + i * d, d * sizeof *rest->x);
    rest->y[count++] = all->y[i];
  }
  rest->rows = count;
  return SCANT_OK;
}

/* Their Gaussian, by the algorithm gaussian.  *model stays NULL if their targets do not vary. */
static scant_status fit_gaussian(const examples *e, const scant_settings *given, scant_model **model,
                                 scant_learner_facts *facts, scant_error *error) {
  scant_settings s;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  int done;
  scant_settings_init(&s);
  s.runtime = given->runtime;
  s.learning.seed = given->learning.seed;
  s.learning.k = e->dimension;
  scant_status status = scant_settings_set(&s, "algorithm", "gaussian", error);
  if (status == SCANT_OK) status = scant_settings_set(&s, "observed", "yes", error);
  if (status == SCANT_OK)
    status = scant_source_wrap(&source, SCANT_FLOAT64, e->x, e->rows, e->dimension,
                               (ptrdiff_t)(e->dimension * sizeof *e->x), sizeof *e->x, e->y, error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, &s, source, error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, UINT64_MAX, &done, error);
  if (status == SCANT_OK) status = scant_fit_model(fit, 0, model, error);
  if (status == SCANT_OK) scant_fit_get_facts(fit, facts);
  if (status == SCANT_OK && !(*model)->gaussian) {
    scant_model_free(*model);
    *model = NULL;
  }
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

/* ---- the relation ------------------------------------------------------------------- */

static int is_zero(const double *cross, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (cross[i] != 0) return 0;
  return 1;
}

/* Covariances with the target over the examples that have a value.  The Gaussian has none where its regressor is no
 * better than the mean. */
static void sample_cross(const examples *e, const scant_gaussian *g, double *cross) {
  for (size_t i = 0; i < g->count; i++) {
    double n = 0, x_mean = 0, y_mean = 0, sum = 0;
    for (size_t row = 0; row < e->rows; row++) {
      double x = e->x[row * e->dimension + g->attributes[i]], off = x - x_mean;
      if (isnan(x)) continue;
      n++;
      x_mean += off / n;
      y_mean += (e->y[row] - y_mean) / n;
      sum += off * (e->y[row] - y_mean);
    }
    cross[i] = n > 1 ? sum / n : 0;
  }
}

/* What the pilot's halves showed. */
static void note_strength(scant_plan *plan, const scant_model *model, const scant_learner_facts *facts) {
  scant_plan_facts *f = &plan->facts;
  f->variance = facts->target_variance;
  f->strength = 1 - facts->risk / f->variance;
  f->strength_error = facts->risk_error / f->variance;
  if (isfinite(f->strength) && isfinite(f->strength_error)) return;
  f->strength = scant_world_strength(model->gaussian, NULL);
  f->strength_error = STRENGTH_ERROR;
}

static double strength_of(const scant_plan *plan, size_t run) {
  const scant_plan_facts *f = &plan->facts;
  double z = scant_normal_quantile(((double)run + 0.5) / (double)plan->runs);
  return fmin(fmax(f->strength + f->strength_error * z, STRENGTH_LEAST), STRENGTH_MOST);
}

/* ---- worlds --------------------------------------------------------------------------- */

/* The world of a run from the Gaussian of a part of the pilot; *world stays NULL if that shows no relation at all. */
static scant_status world_of(const scant_plan *plan, const examples *part, const scant_gaussian *g, double target_mean,
                             size_t run, scant_world **world, scant_error *error) {
  int explains = 0;
  double *cross = scant_array(g->count, sizeof *cross);
  if (!cross) return scant_fail_memory(error);
  memcpy(cross, g->covariance + g->count * (g->count + 1) / 2, g->count * sizeof *cross);
  if (is_zero(cross, g->count)) sample_cross(part, g, cross);
  scant_status status = scant_world_new(world, plan->dimension, g, cross, strength_of(plan, run), target_mean,
                                        plan->facts.variance, &explains, error);
  free(cross);
  if (status == SCANT_OK && !explains) {
    scant_world_free(*world);
    *world = NULL;
  }
  return status;
}

/* A part whose targets do not vary, or that shows no relation, gives way to the whole pilot. */
static scant_status make_world(scant_plan *plan, const examples *all, const scant_model *whole, size_t run,
                               const scant_settings *given, scant_error *error) {
  examples part = {0};
  scant_model *model = NULL;
  scant_learner_facts facts;
  double target_mean = whole->gaussian->mean[whole->gaussian->count];
  size_t parts = plan->runs > SCANT_PLAN_RUNS_MOST ? SCANT_PLAN_RUNS_MOST : plan->runs;
  scant_status status = leave_out(&part, all, run % parts, parts, error);
  if (status == SCANT_OK && parts > 1) status = fit_gaussian(&part, given, &model, &facts, error);
  if (status == SCANT_OK && model)
    status = world_of(plan, &part, model->gaussian, target_mean, run, &plan->worlds[run], error);
  if (status == SCANT_OK && !plan->worlds[run])
    status = world_of(plan, all, whole->gaussian, target_mean, run, &plan->worlds[run], error);
  if (status == SCANT_OK && !plan->worlds[run])
    status = scant_fail(error, SCANT_DATA, "no attribute of the pilot has anything to do with its target");
  scant_model_free(model);
  free_examples(&part);
  return status;
}

static scant_status from_examples(scant_plan *plan, const scant_plan_request *request, scant_error *error) {
  examples all = {0};
  scant_model *whole = NULL;
  scant_learner_facts facts;
  scant_status status = read_examples(&all, request->pilot, error);
  if (status == SCANT_OK) status = fit_gaussian(&all, request->settings, &whole, &facts, error);
  if (status == SCANT_OK && !whole)
    status = scant_fail(error, SCANT_DATA, "the pilot shows nothing of its target");
  if (status == SCANT_OK) {
    plan->world_count = plan->runs;
    plan->facts.pilot_examples = all.rows;
    plan->facts.unknown = plan->dimension - whole->gaussian->count;
    note_strength(plan, whole, &facts);
  }
  for (size_t run = 0; status == SCANT_OK && run < plan->runs; run++)
    status = make_world(plan, &all, whole, run, request->settings, error);
  scant_model_free(whole);
  free_examples(&all);
  return status;
}

/* One world for all runs.  Its strength is what the model explains, less what its predictions err beyond their own
 * variance. */
static scant_status from_model(scant_plan *plan, const scant_gaussian *g, scant_error *error) {
  double share = scant_world_strength(g, NULL);
  int explains = 0;
  if (isnan(share)) return scant_fail_memory(error);
  plan->world_count = 1;
  plan->facts.unknown = plan->dimension - g->count;
  plan->facts.variance = scant_gaussian_covariance(g, g->count, g->count);
  plan->facts.strength = share * (1 - g->excess);
  plan->facts.strength_error = NAN;
  double strength = fmin(fmax(plan->facts.strength, STRENGTH_LEAST), STRENGTH_MOST);
  SCANT_TRY(scant_world_new(&plan->worlds[0], plan->dimension, g, g->covariance + g->count * (g->count + 1) / 2,
                            strength, g->mean[g->count], plan->facts.variance, &explains, error));
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

scant_status scant_plan_make_worlds(scant_plan *plan, const scant_plan_request *request, scant_error *error) {
  plan->worlds = scant_array(plan->runs, sizeof(scant_world *));
  if (!plan->worlds) return scant_fail_memory(error);
  SCANT_TRY(request->model ? from_model(plan, request->model->gaussian, error)
                           : from_examples(plan, request, error));
  note_least(plan);
  return SCANT_OK;
}
