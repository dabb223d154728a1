/* From a pilot to worlds.
 *
 * A pilot is often tiny, with fewer examples than attributes, and its Gaussian must not be taken at its word.  The
 * strength of the relation is that of strength.c, with its standard error: run r has the strength at the (r + 1/2)/runs
 * quantile of that.  The direction of the relation and the covariance are, in each run, those of the pilot without
 * another part.  A pilot may show no relation at all; the runs have one that explains a twentieth at least, since in a
 * world without one all K are alike.
 */
#include "plan/pilot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "joint/predictive.h"
#include "model/model.h"

void scant_pilot_free(scant_pilot *pilot) {
  free(pilot->x);
  free(pilot->y);
}

scant_status scant_pilot_new(scant_pilot *pilot, size_t rows, size_t dimension, scant_error *error) {
  *pilot = (scant_pilot){.rows = rows, .dimension = dimension};
  if (!dimension || rows > SIZE_MAX / sizeof(double) / dimension) return scant_fail_memory(error);
  pilot->x = scant_array(rows * dimension, sizeof *pilot->x);
  pilot->y = scant_array(rows, sizeof *pilot->y);
  return pilot->x && pilot->y ? SCANT_OK : scant_fail_memory(error);
}

static scant_status read_pilot(scant_pilot *p, scant_source *source, scant_error *error) {
  SCANT_TRY(scant_pilot_new(p, scant_source_rows(source), scant_source_dimension(source), error));
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
static scant_status leave_out(scant_pilot *rest, const scant_pilot *all, size_t part, size_t parts,
                              scant_error *error) {
  size_t count = 0, d = all->dimension;
  SCANT_TRY(scant_pilot_new(rest, all->rows, d, error));
  for (size_t i = 0; i < all->rows; i++) {
    if (i % parts == part) continue;
    memcpy(rest->x + count * d, all->x + i * d, d * sizeof *rest->x);
    rest->y[count++] = all->y[i];
  }
  rest->rows = count;
  return SCANT_OK;
}

scant_status scant_pilot_fit(const scant_pilot *pilot, const scant_settings *given, scant_model **model,
                             scant_learner_facts *facts, scant_error *error) {
  scant_settings s;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  int done;
  scant_settings_init(&s);
  s.runtime = given->runtime;
  s.learning.k = pilot->dimension;
  scant_status status = scant_settings_set(&s, "algorithm", scant_default_algorithm(SCANT_DEFAULT_DENSE)->name, error);
  if (status == SCANT_OK) status = scant_settings_set(&s, "observed", "yes", error);
  if (status == SCANT_OK)
    status = scant_source_wrap(&source, SCANT_FLOAT64, pilot->x, pilot->rows, pilot->dimension,
                               (ptrdiff_t)(pilot->dimension * sizeof *pilot->x), sizeof *pilot->x, pilot->y, error);
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

/* Over the examples that have a value. */
static double sample_covariance(const scant_pilot *p, size_t attribute) {
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

void scant_pilot_cross(const scant_pilot *pilot, const scant_gaussian *gaussian, double *cross) {
  const scant_gaussian *g = gaussian;
  int related = 0;
  memcpy(cross, g->covariance + g->count * (g->count + 1) / 2, g->count * sizeof *cross);
  for (size_t i = 0; i < g->count; i++) related = related || cross[i] != 0;
  for (size_t i = 0; !related && i < g->count; i++) cross[i] = sample_covariance(pilot, g->attributes[i]);
}

/* ---- worlds --------------------------------------------------------------------------- */

static double strength_of(const scant_plan *plan, const scant_strength *strength, size_t run) {
  return scant_strength_at(strength, scant_normal_quantile(((double)run + 0.5) / (double)plan->runs));
}

/* The world of a run from the Gaussian of a part of the pilot; *world stays NULL if that shows no relation at all. */
static scant_status world_of(const scant_plan *plan, const scant_pilot *part, const scant_gaussian *g,
                             double target_mean, double strength, scant_world **world, scant_error *error) {
  int explains = 0;
  double *cross = scant_array(g->count, sizeof *cross);
  if (!cross) return scant_fail_memory(error);
  scant_pilot_cross(part, g, cross);
  scant_status status =
      scant_world_new(world, plan->dimension, g, cross, strength, target_mean, plan->facts.variance, &explains, error);
  free(cross);
  if (status == SCANT_OK && !explains) {
    scant_world_free(*world);
    *world = NULL;
  }
  return status;
}

/* A part whose targets do not vary, or that shows no relation, gives way to the whole pilot. */
static scant_status make_world(scant_plan *plan, const scant_pilot *all, const scant_model *whole, double strength,
                               size_t run, const scant_settings *given, scant_error *error) {
  scant_pilot part = {0};
  scant_model *model = NULL;
  scant_learner_facts facts;
  double target_mean = whole->gaussian->mean[whole->gaussian->count];
  size_t parts = plan->runs > SCANT_PLAN_RUNS_MOST ? SCANT_PLAN_RUNS_MOST : plan->runs;
  scant_status status = SCANT_OK;
  if (parts > 1) status = leave_out(&part, all, run % parts, parts, error);
  if (status == SCANT_OK && parts > 1) status = scant_pilot_fit(&part, given, &model, &facts, error);
  if (status == SCANT_OK && model)
    status = world_of(plan, &part, model->gaussian, target_mean, strength, &plan->worlds[run], error);
  if (status == SCANT_OK && !plan->worlds[run])
    status = world_of(plan, all, whole->gaussian, target_mean, strength, &plan->worlds[run], error);
  if (status == SCANT_OK && !plan->worlds[run])
    status = scant_fail(error, SCANT_DATA, "no attribute of the pilot has anything to do with its target");
  scant_model_free(model);
  scant_pilot_free(&part);
  return status;
}

static scant_status make_all(scant_plan *plan, const scant_pilot *all, const scant_model *whole,
                             const scant_learner_facts *learned, const scant_settings *given, scant_error *error) {
  scant_strength strength;
  scant_plan_facts *f = &plan->facts;
  plan->world_count = plan->runs;
  f->pilot_examples = all->rows;
  f->unknown = plan->dimension - whole->gaussian->count;
  f->variance = learned->target_variance;
  SCANT_TRY(scant_strength_find(&strength, plan, all, whole, learned, given, error));
  f->shown = strength.shown;
  f->shown_error = strength.error;
  f->strength = scant_strength_at(&strength, 0);
  f->strength_error = (scant_strength_at(&strength, 1) - scant_strength_at(&strength, -1)) / 2;
  for (size_t run = 0; run < plan->runs; run++)
    SCANT_TRY(make_world(plan, all, whole, strength_of(plan, &strength, run), run, given, error));
  return SCANT_OK;
}

static scant_status from_examples(scant_plan *plan, const scant_plan_request *request, scant_error *error) {
  scant_pilot all = {0};
  scant_model *whole = NULL;
  scant_learner_facts facts;
  scant_status status = read_pilot(&all, request->pilot, error);
  if (status == SCANT_OK) status = scant_pilot_fit(&all, request->settings, &whole, &facts, error);
  if (status == SCANT_OK && !whole) status = scant_fail(error, SCANT_DATA, "the pilot shows nothing of its target");
  if (status == SCANT_OK) status = make_all(plan, &all, whole, &facts, request->settings, error);
  scant_model_free(whole);
  scant_pilot_free(&all);
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
  f->strength = fmin(fmax(share * (1 - g->excess), SCANT_STRENGTH_LEAST), SCANT_STRENGTH_MOST);
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

scant_status scant_plan_make_worlds(scant_plan *plan, const scant_plan_request *request, scant_error *error) {
  plan->worlds = scant_array(plan->runs, sizeof(scant_world *));
  if (!plan->worlds) return scant_fail_memory(error);
  SCANT_TRY(request->model ? from_model(plan, request->model->gaussian, error) : from_examples(plan, request, error));
  note_least(plan);
  return SCANT_OK;
}
