/* One simulated fit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "plan/plan.h"

#define MOST_OF 0.8 /* the money: then the examples were enough */

typedef struct {
  scant_plan *plan;
  scant_plan_case *c;
  const scant_world *world;
  scant_fit *fit;
  double *scratch;
  size_t rows; /* examples that there are */
  double work; /* what of it is still to be told */
  uint64_t spent;
  int ran_out; /* of examples, before the money was spent */
} simulation;

static int watch(void *watcher, const scant_thought *thought) {
  scant_plan *plan = watcher;
  (void)thought;
  pthread_mutex_lock(&plan->lock);
  int stopped = plan->stopped;
  pthread_mutex_unlock(&plan->lock);
  return stopped;
}

/* Learns from examples as long as the money of a step pays for the next one, or for the next block, whatever it
 * costs. */
static scant_status learn_until(const simulation *s, uint64_t money, int *done, scant_error *error) {
  uint64_t block = s->c->settings.learning.block;
  for (;;) {
    const scant_ledger *ledger = scant_fit_ledger(s->fit);
    uint64_t spent = scant_plan_spent(s->plan, ledger);
    uint64_t paid = spent > money ? 0 : (money - spent) / s->c->dearest;
    if (*done || paid < block) return SCANT_OK;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): settings are checked, a block has an example or more */
    SCANT_TRY(scant_fit_advance(s->fit, paid - paid % block, done, error));
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

static scant_status run_steps(simulation *s, scant_plan_stop *stops, scant_error *error) {
  const scant_plan *plan = s->plan;
  double told = 0, wanted = plan->request.reach;
  int done = 0, reached = 0;
  for (size_t step = 0; step < plan->steps && !done; step++) {
    SCANT_TRY(learn_until(s, scant_plan_money(plan, step), &done, error));
    if (!scant_fit_ledger(s->fit)->examples) continue;
    SCANT_TRY(take_point(s, &stops[step], error));
    double share = (double)(step + 1) / (double)plan->steps;
    SCANT_TRY(scant_plan_progress(s->plan, s->work * (share - told), error));
    told = share;
    int enough = !plan->request.budget || step >= SCANT_PLAN_HALVINGS;
    if (enough && wanted > 0 && stops[step].point.error <= wanted) done = reached = 1;
  }
  s->ran_out = done && !reached && !scant_fit_budget_spent(s->fit);
  return scant_plan_progress(s->plan, s->work * (1 - told), error);
}

static scant_status simulate(simulation *s, uint64_t run, scant_plan_stop *stops, scant_error *error) {
  scant_settings settings = s->c->settings;
  scant_source *source = NULL;
  void *drawing = NULL;
  settings.learning.seed = s->plan->request.seed + run;
  settings.runtime.watch = watch;
  settings.runtime.watcher = s->plan;
  scant_status status = scant_world_draw(&source, &drawing, s->world, s->rows, scant_plan_world_seed(s->plan, run),
                                         s->plan->prices, error);
  if (status == SCANT_OK) status = scant_fit_new(&s->fit, &settings, source, error);
  if (status == SCANT_OK) status = run_steps(s, stops, error);
  if (status == SCANT_OK && !run) /* one job alone writes it */
    s->c->algorithm = scant_learner_algorithm(scant_fit_learner(s->fit));
  s->spent = status == SCANT_OK ? scant_plan_spent(s->plan, scant_fit_ledger(s->fit)) : 0;
  scant_fit_free(s->fit);
  s->fit = NULL;
  scant_source_free(source);
  scant_world_end(drawing);
  return status;
}

/* Looks with replacement, and those that leave out what option spend does not pay for, are cheaper than it seemed.
 * How many examples there must be then; 0: they were enough. */
static size_t find_more(const simulation *s) {
  double money = (double)scant_plan_money(s->plan, s->plan->steps - 1), spent = fmax((double)s->spent, 1);
  if (!s->ran_out || spent >= MOST_OF * money) return 0;
  double rows = fmin(ceil((double)s->rows * fmin(money / spent, 4)), (double)s->c->rows_most);
  return rows > (double)s->rows ? (size_t)rows : 0;
}

scant_status scant_plan_simulate(scant_plan *plan, size_t k, size_t run, scant_error *error) {
  scant_plan_case *c = &plan->cases[k];
  simulation s = {.plan = plan, .c = c, .world = plan->worlds[run % plan->world_count], .work = c->work};
  scant_plan_stop *stops = scant_plan_stops(plan, k, run);
  s.scratch = scant_array(plan->dimension, sizeof *s.scratch);
  scant_status status = s.scratch ? SCANT_OK : scant_fail_memory(error);
  for (size_t rows = (size_t)c->rows; status == SCANT_OK && rows; rows = find_more(&s)) {
    memset(stops, 0, plan->steps * sizeof *stops);
    s.rows = rows;
    status = simulate(&s, run, stops, error);
    s.work = 0; /* once is enough */
  }
  free(s.scratch);
  return status;
}
