/* One simulated fit. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "plan/plan.h"

typedef struct {
  scant_plan *plan;
  scant_plan_case *c;
  const scant_world *world;
  scant_fit *fit;
  double *scratch;
} simulation;

static int watch(void *watcher, const scant_thought *thought) {
  scant_plan *plan = watcher;
  (void)thought;
  pthread_mutex_lock(&plan->lock);
  int stopped = plan->stopped;
  pthread_mutex_unlock(&plan->lock);
  return stopped;
}

/* Learns from examples as long as the money of a step pays for the next one, whatever it costs. */
static scant_status learn_until(const simulation *s, uint64_t money, int *done, scant_error *error) {
  for (;;) {
    const scant_ledger *ledger = scant_fit_ledger(s->fit);
    uint64_t spent = scant_plan_spent(s->plan, ledger);
    if (*done || spent > money || money - spent < s->c->dearest) return SCANT_OK;
    SCANT_TRY(scant_fit_advance(s->fit, (money - spent) / s->c->dearest, done, error));
  }
}

/* Notes where the fit stands. */
static scant_status take_point(const simulation *s, scant_plan_stop *stop, scant_error *error) {
  const scant_ledger *ledger = scant_fit_ledger(s->fit);
  scant_model *model = NULL;
  SCANT_TRY(scant_fit_model(s->fit, 0, &model, error));
  stop->point = (scant_plan_point){
      .examples = ledger->examples,
      .attributes = ledger->attributes_bought,
      .money = scant_plan_spent(s->plan, ledger),
      .error = scant_world_error(s->world, scant_model_weights(model), scant_model_intercept(model), s->scratch)};
  stop->reached = 1;
  scant_model_free(model);
  return SCANT_OK;
}

static scant_status run_steps(const simulation *s, scant_plan_stop *stops, scant_error *error) {
  const scant_plan *plan = s->plan;
  double told = 0, wanted = plan->request.reach;
  int done = 0;
  for (size_t step = 0; step < plan->steps && !done; step++) {
    SCANT_TRY(learn_until(s, scant_plan_money(plan, step), &done, error));
    if (!scant_fit_ledger(s->fit)->examples) continue;
    SCANT_TRY(take_point(s, &stops[step], error));
    double share = (double)(step + 1) / (double)plan->steps;
    SCANT_TRY(scant_plan_progress(s->plan, s->c->work * (share - told), error));
    told = share;
    int enough = !plan->request.budget || step >= SCANT_PLAN_HALVINGS;
    if (enough && wanted > 0 && stops[step].point.error <= wanted) break;
  }
  return scant_plan_progress(s->plan, s->c->work * (1 - told), error);
}

static scant_status simulate(simulation *s, scant_source *source, uint64_t seed, scant_plan_stop *stops,
                             scant_error *error) {
  scant_settings settings = s->c->settings;
  settings.learning.seed = seed;
  settings.runtime.watch = watch;
  settings.runtime.watcher = s->plan;
  SCANT_TRY(scant_fit_new(&s->fit, &settings, source, error));
  return run_steps(s, stops, error);
}

scant_status scant_plan_simulate(scant_plan *plan, size_t k, size_t run, scant_error *error) {
  simulation s = {.plan = plan, .c = &plan->cases[k], .world = plan->worlds[run % plan->world_count]};
  uint64_t seed = plan->request.seed + run;
  scant_source *source = NULL;
  void *drawing = NULL;
  s.scratch = scant_array(plan->dimension, sizeof *s.scratch);
  scant_status status = s.scratch ? scant_world_draw(&source, &drawing, s.world, (size_t)s.c->rows,
                                                     scant_plan_world_seed(plan, run), plan->prices, error)
                                  : scant_fail_memory(error);
  if (status == SCANT_OK) status = simulate(&s, source, seed, scant_plan_stops(plan, k, run), error);
  if (status == SCANT_OK && !run) /* one job alone writes it */
    s.c->algorithm = scant_learner_algorithm(scant_fit_learner(s.fit));
  scant_fit_free(s.fit);
  scant_source_free(source);
  scant_world_end(drawing);
  free(s.scratch);
  return status;
}
