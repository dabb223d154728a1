#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

void scant_plan_free(scant_plan *plan) {
  if (!plan) return;
  for (size_t i = 0; plan->worlds && i < plan->world_count; i++) scant_world_free(plan->worlds[i]);
  free(plan->worlds);
  free(plan->cases);
  free(plan->points);
  free(plan->entries);
  free(plan->order);
  scant_prices_free(plan->prices);
  free(plan->target);
  pthread_mutex_destroy(&plan->lock);
  free(plan);
}

/* One run has one world, which shows no spread. */
double scant_plan_least_error(const scant_plan *plan) {
  const scant_plan_facts *f = &plan->facts;
  if (!f->pilot_examples) return 0;
  return plan->world_count > 1 ? f->least_sd : f->variance * f->strength_error;
}

static scant_status check_reach(const scant_plan *plan, scant_error *error) {
  const scant_plan_facts *f = &plan->facts;
  double wanted = plan->request.reach, sd = scant_plan_least_error(plan);
  if (wanted == 0) return SCANT_OK;
  if (wanted < f->least && !f->pilot_examples)
    return scant_fail(error, SCANT_DATA,
                      "a squared error of %.6g can't be reached by this model: with full information it is %.6g; how "
                      "sure that is can't be known from a model, and the examples themselves are a better pilot",
                      wanted, f->least);
  if (wanted < f->least - 2 * sd)
    return scant_fail(error, SCANT_DATA,
                      "a squared error of %.6g can't be reached by this pilot: with full information it is %.6g +- "
                      "%.2g; a larger pilot may show more",
                      wanted, f->least, sd);
  if (wanted >= f->variance)
    return scant_fail(error, SCANT_DATA,
                      "a squared error of %.6g takes no attribute: that of the target's mean alone is %.6g", wanted,
                      f->variance);
  return SCANT_OK;
}

static scant_status begin(scant_plan *plan, scant_error *error) {
  const scant_plan_request *r = &plan->request;
  const char *target = r->model ? scant_model_target_name(r->model) : scant_source_target_name(r->pilot);
  plan->dimension = r->model ? scant_model_dimension(r->model) : scant_source_dimension(r->pilot);
  SCANT_TRY(scant_plan_check(r, plan->dimension, error));
  if (r->prices && !(plan->prices = scant_prices_copy(r->prices))) return scant_fail_memory(error);
  if (target && !(plan->target = scant_copy_text(target, strlen(target)))) return scant_fail_memory(error);
  plan->by_attributes = r->prices && r->unit == SCANT_CURVE_ATTRIBUTES;
  SCANT_TRY(scant_plan_make_cases(plan, error));
  SCANT_TRY(scant_plan_make_worlds(plan, error));
  SCANT_TRY(check_reach(plan, error));
  plan->facts.dimension = plan->dimension;
  plan->facts.k_count = plan->k_count;
  plan->facts.runs = plan->runs;
  plan->facts.steps = plan->steps;
  plan->facts.step = SCANT_PLAN_HALVINGS;
  plan->facts.recommended = plan->facts.recommended_budget = plan->k_count;
  plan->facts.limit = (double)scant_plan_money(plan, plan->steps - 1) / 100;
  plan->points = scant_array(plan->k_count * plan->runs * plan->steps, sizeof *plan->points);
  plan->entries = scant_array(plan->k_count, sizeof *plan->entries);
  return plan->points && plan->entries ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_plan_new(scant_plan **plan, const scant_plan_request *request, scant_error *error) {
  if (!request->model == !request->pilot)
    return scant_fail(error, SCANT_MISUSE, "a plan has either a pilot or a model");
  scant_plan *p = scant_array(1, sizeof *p);
  if (!p) return scant_fail_memory(error);
  p->request = *request;
  pthread_mutex_init(&p->lock, NULL);
  scant_status status = begin(p, error);
  if (status != SCANT_OK) {
    scant_plan_free(p);
    return status;
  }
  *plan = p;
  return SCANT_OK;
}

/* ---- one simulated fit --------------------------------------------------------------- */

/* The money that was spent, with the labels. */
static uint64_t spent_of(const scant_plan *plan, const scant_ledger *ledger) {
  uint64_t bought = plan->prices && !plan->by_attributes ? ledger->money_spent : 100 * ledger->attributes_bought;
  return bought + plan->request.label_cost * ledger->examples;
}

/* So much more of the fits is done; SCANT_STOPPED if the caller wants to stop. */
static scant_status note_progress(scant_plan *plan, double work, scant_error *error) {
  pthread_mutex_lock(&plan->lock);
  plan->done += work;
  double share = plan->done / plan->facts.work;
  if (!plan->stopped && plan->request.progress)
    plan->stopped = plan->request.progress(plan->request.user, share < 1 ? share : 1) != 0;
  int stopped = plan->stopped;
  pthread_mutex_unlock(&plan->lock);
  return stopped ? scant_fail(error, SCANT_STOPPED, "the plan was stopped") : SCANT_OK;
}

#define MOST_OF 0.8 /* the money: then the examples were enough */

typedef struct {
  scant_plan *plan;
  scant_plan_case *c;
  const scant_world *world;
  scant_fit *fit;
  double *scratch;
  size_t rows; /* examples that there are */
  double work; /* the part of it that was not reported yet */
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
    uint64_t spent = spent_of(s->plan, ledger);
    uint64_t paid = spent > money ? 0 : (money - spent) / s->c->dearest;
    if (*done || paid < block) return SCANT_OK;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): settings are checked, a block has an example or more */
    SCANT_TRY(scant_fit_advance(s->fit, paid - paid % block, done, error));
  }
}

/* Notes where the fit stands. */
static scant_status take_point(const simulation *s, scant_plan_point *point, scant_error *error) {
  const scant_ledger *ledger = scant_fit_ledger(s->fit);
  scant_model *model = NULL;
  SCANT_TRY(scant_fit_model(s->fit, 0, &model, error));
  *point = (scant_plan_point){
      .examples = ledger->examples,
      .attributes = ledger->attributes_bought,
      .money = spent_of(s->plan, ledger),
      .error = scant_world_error(s->world, scant_model_weights(model), scant_model_intercept(model), s->scratch)};
  scant_model_free(model);
  return SCANT_OK;
}

static scant_status run_steps(simulation *s, scant_plan_point *points, scant_error *error) {
  const scant_plan *plan = s->plan;
  double told = 0, wanted = plan->request.reach;
  int done = 0, reached = 0;
  for (size_t step = 0; step < plan->steps && !done; step++) {
    SCANT_TRY(learn_until(s, scant_plan_money(plan, step), &done, error));
    if (!scant_fit_ledger(s->fit)->examples) continue;
    SCANT_TRY(take_point(s, &points[step], error));
    double share = (double)(step + 1) / (double)plan->steps;
    SCANT_TRY(note_progress(s->plan, s->work * (share - told), error));
    told = share;
    int enough = !plan->request.budget || step >= SCANT_PLAN_HALVINGS;
    if (enough && wanted > 0 && points[step].error <= wanted) done = reached = 1;
  }
  s->ran_out = done && !reached && !scant_fit_budget_spent(s->fit);
  return note_progress(s->plan, s->work * (1 - told), error);
}

static scant_status simulate(simulation *s, uint64_t run, scant_plan_point *points, scant_error *error) {
  scant_settings settings = s->c->settings;
  scant_source *source = NULL;
  void *drawing = NULL;
  settings.learning.seed = s->plan->request.seed + run;
  settings.runtime.watch = watch;
  settings.runtime.watcher = s->plan;
  scant_status status = scant_world_draw(&source, &drawing, s->world, s->rows, scant_plan_world_seed(s->plan, run),
                                         s->plan->prices, error);
  if (status == SCANT_OK) status = scant_fit_new(&s->fit, &settings, source, error);
  if (status == SCANT_OK) status = run_steps(s, points, error);
  if (status == SCANT_OK && !run) /* one job alone writes it */
    s->c->algorithm = scant_learner_algorithm(scant_fit_learner(s->fit));
  s->spent = status == SCANT_OK ? spent_of(s->plan, scant_fit_ledger(s->fit)) : 0;
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

static scant_status simulate_all(scant_plan *plan, size_t k, size_t run, scant_error *error) {
  scant_plan_case *c = &plan->cases[k];
  simulation s = {.plan = plan, .c = c, .world = plan->worlds[run % plan->world_count], .work = c->work};
  scant_plan_point *points = scant_plan_points(plan, k, run);
  s.scratch = scant_array(plan->dimension, sizeof *s.scratch);
  scant_status status = s.scratch ? SCANT_OK : scant_fail_memory(error);
  for (size_t rows = (size_t)c->rows; status == SCANT_OK && rows; rows = find_more(&s)) {
    memset(points, 0, plan->steps * sizeof *points);
    s.rows = rows;
    status = simulate(&s, run, points, error);
    s.work = 0; /* once is enough */
  }
  free(s.scratch);
  return status;
}

/* ---- all of them ---------------------------------------------------------------------- */

/* The fits that take longest come first, so that no thread waits for them at the end. */
static size_t *sort_jobs(const scant_plan *plan) {
  size_t jobs = plan->k_count * plan->runs, *order = scant_array(jobs, sizeof *order);
  for (size_t i = 0; order && i < jobs; i++) {
    size_t at = i;
    for (; at && plan->cases[order[at - 1] / plan->runs].work < plan->cases[i / plan->runs].work; at--)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  scant_plan *plan = user;
  return simulate_all(plan, plan->order[job] / plan->runs, plan->order[job] % plan->runs, error);
}

scant_status scant_plan_run(scant_plan *plan, scant_error *error) {
  if (plan->ran || plan->stopped) return scant_fail(error, SCANT_MISUSE, "a plan runs once");
  free(plan->order); /* of a run that failed */
  plan->order = sort_jobs(plan);
  if (!plan->order) return scant_fail_memory(error);
  uint64_t threads = plan->request.threads ? plan->request.threads : 1;
  scant_status status = scant_jobs_run(plan->k_count * plan->runs, threads, run_job, plan, error);
  if (status != SCANT_OK) return plan->stopped ? scant_fail(error, SCANT_STOPPED, "the plan was stopped") : status;
  return scant_plan_conclude(plan, error);
}

void scant_plan_get_facts(const scant_plan *plan, scant_plan_facts *facts) {
  *facts = plan->facts;
}
