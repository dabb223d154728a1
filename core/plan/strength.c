/* How strong the relation between attributes and target is, from a pilot that may be tiny.
 *
 * What gaussian says of itself by held-out halves is honest, but it is about a regressor that was learned from few
 * examples, and full information explains more.  What its Gaussian explains is no better: it repeats the examples, or
 * is shrunk to almost nothing.  So pilots of the same size, with the same cells empty, are drawn from worlds in which
 * the attributes explain 5%, 25%, ... of the target, and are fitted in the same way.  The strength is the one whose
 * pilots show, on average, what the real one shows.
 *
 * That takes the covariance of the pilot for the true one.  Of few examples it is shrunk to almost no relations between
 * attributes, in its worlds little can be learned from few examples, and the strength comes out too large.  So it is
 * believed with the weight n/(n + d) for n examples of d attributes, and what the halves show with the rest.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/jobs.h"
#include "base/memory.h"
#include "model/model.h"
#include "plan/pilot.h"

enum { LEVELS = 5, REPEATS = 6, REPEATS_OF_LARGE = 2, ENOUGH = 100 /* examples per attribute */ };
#define LARGE_WORK 5e8              /* multiplications of a fit */
#define ERROR_UNKNOWN 0.25          /* of R^2, where gaussian can't say */
#define SEED UINT64_C(0x746f6c6970) /* so that pilots and examples have different streams */

static const double levels[LEVELS] = {SCANT_STRENGTH_LEAST, 0.25, 0.5, 0.75, SCANT_STRENGTH_MOST};

typedef struct {
  const scant_pilot *pilot;
  const scant_settings *given;
  scant_world *worlds[LEVELS];
  size_t repeats;
  uint64_t seed;
  double shown[LEVELS * REPEATS]; /* NaN: a pilot shows nothing */
} trial;

static void show(const scant_model *model, const scant_learner_facts *facts, double *shown, double *error) {
  *shown = 1 - facts->risk / facts->target_variance;
  *error = facts->risk_error / facts->target_variance;
  if (isfinite(*shown) && isfinite(*error)) return;
  *shown = scant_world_strength(model->gaussian, NULL);
  *error = ERROR_UNKNOWN;
}

/* A pilot from a world, with the empty cells of the real one. */
static scant_status draw_pilot(scant_pilot *drawn, const trial *t, const scant_world *world, uint64_t seed,
                               scant_error *error) {
  const scant_pilot *real = t->pilot;
  scant_source *source = NULL;
  void *scratch = NULL;
  SCANT_TRY(scant_pilot_new(drawn, real->rows, real->dimension, error));
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
  trial *t = user;
  size_t level = job / t->repeats, repeat = job % t->repeats;
  scant_pilot drawn = {0};
  scant_model *model = NULL;
  scant_learner_facts facts;
  double ignored;
  scant_settings given = *t->given;
  given.runtime.threads = 1;
  scant_status status = draw_pilot(&drawn, t, t->worlds[level], (t->seed + repeat) ^ SEED << 24, error);
  if (status == SCANT_OK) status = scant_pilot_fit(&drawn, &given, &model, &facts, error);
  t->shown[job] = NAN;
  if (status == SCANT_OK && model) show(model, &facts, &t->shown[job], &ignored);
  scant_model_free(model);
  scant_pilot_free(&drawn);
  return status;
}

/* The means, made ascending: a stronger relation shows more. */
static void take_means(const trial *t, scant_strength *s) {
  for (size_t level = 0; level < LEVELS; level++) {
    double sum = 0, count = 0;
    for (size_t i = 0; i < t->repeats; i++) {
      double shown = t->shown[level * t->repeats + i];
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

static scant_status make_worlds(trial *t, const scant_plan *plan, const scant_gaussian *g, double variance,
                                scant_error *error) {
  double *cross = scant_array(g->count, sizeof *cross);
  int explains = 1;
  scant_status status = cross ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) scant_pilot_cross(t->pilot, g, cross);
  for (size_t i = 0; status == SCANT_OK && i < LEVELS && explains; i++)
    status = scant_world_new(&t->worlds[i], plan->dimension, g, cross, levels[i], g->mean[g->count], variance,
                             &explains, error);
  free(cross);
  if (status == SCANT_OK && !explains)
    status = scant_fail(error, SCANT_DATA, "no attribute of the pilot has anything to do with its target");
  return status;
}

scant_status scant_strength_find(scant_strength *strength, const scant_plan *plan, const scant_pilot *pilot,
                                 const scant_model *whole, const scant_learner_facts *facts,
                                 const scant_settings *given, scant_error *error) {
  double rows = (double)pilot->rows, d = (double)pilot->dimension;
  trial t = {.pilot = pilot, .given = given, .seed = plan->request.seed};
  *strength = (scant_strength){.weight = rows / (rows + d)};
  show(whole, facts, &strength->shown, &strength->error);
  if (rows >= ENOUGH * d) return SCANT_OK;
  t.repeats = 400 * d * d * d + 50 * rows * d * d > LARGE_WORK ? REPEATS_OF_LARGE : REPEATS;
  scant_status status = make_worlds(&t, plan, whole->gaussian, facts->target_variance, error);
  if (status == SCANT_OK)
    status =
        scant_jobs_run(LEVELS * t.repeats, plan->request.threads ? plan->request.threads : 1, run_trial, &t, error);
  if (status == SCANT_OK) take_means(&t, strength);
  for (size_t i = 0; i < LEVELS; i++) scant_world_free(t.worlds[i]);
  return status;
}

/* The strength whose pilots show this. */
static double look_up(const scant_strength *s, double shown) {
  if (!(shown > s->simulated[0])) return s->truth[0];
  for (size_t i = 1; i < s->count; i++)
    if (shown < s->simulated[i]) {
      double part = (shown - s->simulated[i - 1]) / (s->simulated[i] - s->simulated[i - 1]);
      return s->truth[i - 1] + part * (s->truth[i] - s->truth[i - 1]);
    }
  return s->truth[s->count - 1];
}

double scant_strength_at(const scant_strength *strength, double deviations) {
  const scant_strength *s = strength;
  double shown = s->shown + deviations * s->error;
  if (s->count) shown += s->weight * (look_up(s, shown) - shown);
  return fmin(fmax(shown, SCANT_STRENGTH_LEAST), SCANT_STRENGTH_MOST);
}
