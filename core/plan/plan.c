#include "plan/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/jobs.h"
#include "base/memory.h"

void scant_plan_free(scant_plan *plan) {
  if (!plan) return;
  for (size_t i = 0; plan->worlds && i < plan->world_count; i++) scant_world_free(plan->worlds[i]);
  free(plan->worlds);
  free(plan->cases);
  free(plan->stops);
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

static scant_status copy_target(scant_plan *plan, const scant_plan_request *r, scant_error *error) {
  const char *name = r->model ? scant_model_target_name(r->model) : scant_source_target_name(r->pilot);
  if (name && !(plan->target = scant_copy_text(name, strlen(name)))) return scant_fail_memory(error);
  return SCANT_OK;
}

static scant_status begin(scant_plan *plan, const scant_plan_request *r, scant_error *error) {
  plan->dimension = r->model ? scant_model_dimension(r->model) : scant_source_dimension(r->pilot);
  SCANT_TRY(scant_plan_check(r, plan->dimension, error));
  if (r->prices && !(plan->prices = scant_prices_copy(r->prices))) return scant_fail_memory(error);
  SCANT_TRY(copy_target(plan, r, error));
  plan->by_attributes = r->prices && r->unit == SCANT_CURVE_ATTRIBUTES;
  plan->request = *r;
  plan->request.model = NULL;
  plan->request.pilot = NULL;
  plan->request.prices = NULL;
  plan->request.k = NULL;
  SCANT_TRY(scant_plan_make_cases(plan, r, error));
  SCANT_TRY(scant_plan_make_worlds(plan, r, error));
  SCANT_TRY(check_reach(plan, error));
  plan->facts.dimension = plan->dimension;
  plan->facts.k_count = plan->k_count;
  plan->facts.runs = plan->runs;
  plan->facts.steps = plan->steps;
  plan->facts.step = SCANT_PLAN_HALVINGS;
  plan->facts.recommended = plan->facts.recommended_budget = plan->k_count;
  plan->facts.limit = (double)scant_plan_money(plan, plan->steps - 1) / 100;
  plan->stops = scant_array(plan->k_count * plan->runs * plan->steps, sizeof *plan->stops);
  return plan->stops ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_plan_new(scant_plan **plan, const scant_plan_request *request, scant_error *error) {
  if (!request->model == !request->pilot)
    return scant_fail(error, SCANT_MISUSE, "a plan has either a pilot or a model");
  scant_plan *p = scant_array(1, sizeof *p);
  if (!p) return scant_fail_memory(error);
  pthread_mutex_init(&p->lock, NULL);
  scant_status status = begin(p, request, error);
  if (status != SCANT_OK) {
    scant_plan_free(p);
    return status;
  }
  *plan = p;
  return SCANT_OK;
}

scant_status scant_plan_progress(scant_plan *plan, double work, scant_error *error) {
  pthread_mutex_lock(&plan->lock);
  plan->done += work;
  double share = plan->done / plan->facts.work;
  if (!plan->stopped && plan->request.progress)
    plan->stopped = plan->request.progress(plan->request.user, share < 1 ? share : 1) != 0;
  int stopped = plan->stopped;
  pthread_mutex_unlock(&plan->lock);
  return stopped ? scant_fail(error, SCANT_STOPPED, "the plan was stopped") : SCANT_OK;
}

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

typedef struct {
  scant_plan *plan;
  const size_t *order;
} crowd;

static scant_status run_job(void *user, size_t job, scant_error *error) {
  crowd *c = user;
  size_t which = c->order[job];
  return scant_plan_simulate(c->plan, which / c->plan->runs, which % c->plan->runs, error);
}

scant_status scant_plan_run(scant_plan *plan, scant_error *error) {
  if (plan->ran || plan->stopped) return scant_fail(error, SCANT_MISUSE, "a plan runs once");
  size_t *order = sort_jobs(plan);
  if (!order) return scant_fail_memory(error);
  crowd c = {plan, order};
  uint64_t threads = plan->request.threads ? plan->request.threads : 1;
  scant_status status = scant_jobs_run(plan->k_count * plan->runs, threads, run_job, &c, error);
  free(order);
  if (status != SCANT_OK) return plan->stopped ? scant_fail(error, SCANT_STOPPED, "the plan was stopped") : status;
  plan->ran = 1;
  size_t budget = plan->request.budget ? scant_plan_recommend(plan) : plan->k_count;
  size_t reach = plan->request.reach > 0 ? scant_plan_recommend_reach(plan) : plan->k_count;
  plan->facts.recommended_budget = budget;
  plan->facts.recommended = reach < plan->k_count ? reach : budget;
  plan->facts.worse_than_mean = plan->request.budget && scant_plan_is_worse(plan);
  return SCANT_OK;
}

void scant_plan_get_facts(const scant_plan *plan, scant_plan_facts *facts) {
  *facts = plan->facts;
}
