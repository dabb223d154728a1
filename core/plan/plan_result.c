/* What the simulated fits came to. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/plan.h"

/* The last point of a run within the budget; NULL: there is none. */
static const scant_plan_stop *last_stop(const scant_plan *plan, size_t k, size_t run) {
  const scant_plan_stop *stops = scant_plan_stops(plan, k, run);
  for (size_t step = SCANT_PLAN_HALVINGS + 1; step--;)
    if (stops[step].reached) return &stops[step];
  return NULL;
}

static double error_of(const scant_plan *plan, size_t k, size_t run) {
  const scant_plan_stop *stop = last_stop(plan, k, run);
  return stop ? stop->point.error : plan->facts.variance;
}

/* ---- regret ---------------------------------------------------------------------------- */

/* How much larger the error of a K is than the least of the run, relative to that. */
static double regret_of(const scant_plan *plan, size_t k, size_t run) {
  double least = INFINITY;
  for (size_t i = 0; i < plan->k_count; i++) least = fmin(least, error_of(plan, i, run));
  return error_of(plan, k, run) / least - 1;
}

static double mean_regret(const scant_plan *plan, size_t k) {
  double sum = 0;
  for (size_t run = 0; run < plan->runs; run++) sum += regret_of(plan, k, run);
  return sum / (double)plan->runs;
}

static size_t least_regret(const scant_plan *plan) {
  size_t best = 0;
  for (size_t k = 1; k < plan->k_count; k++)
    if (mean_regret(plan, k) <= mean_regret(plan, best)) best = k;
  return best;
}

/* The standard error of the mean difference between two K, run by run. */
static double difference_error(const scant_plan *plan, size_t k, size_t other) {
  double n = (double)plan->runs, mean = mean_regret(plan, k) - mean_regret(plan, other), squares = 0;
  for (size_t run = 0; run < plan->runs; run++) {
    double off = regret_of(plan, k, run) - regret_of(plan, other, run) - mean;
    squares += off * off;
  }
  return n > 1 ? sqrt(squares / (n - 1) / n) : 0;
}

/* ---- the wanted error ---------------------------------------------------------------------- */

/* Where a run comes to the wanted error; INFINITY: it does not. */
static void reach_of(const scant_plan *plan, size_t k, size_t run, double *examples, double *money) {
  const scant_plan_stop *stops = scant_plan_stops(plan, k, run);
  const scant_plan_point *before = NULL;
  double wanted = plan->request.reach;
  *examples = *money = INFINITY;
  for (size_t step = 0; step < plan->steps; step++) {
    const scant_plan_point *at = &stops[step].point;
    if (!stops[step].reached) continue;
    if (at->error <= wanted) {
      double part =
          before && before->error > at->error ? log(before->error / wanted) / log(before->error / at->error) : 1;
      const scant_plan_point *from = before ? before : at;
      *examples = (double)from->examples * pow((double)at->examples / (double)from->examples, part);
      *money = (double)from->money * pow((double)at->money / (double)from->money, part) / 100;
      return;
    }
    before = at;
  }
}

static int ascending(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return a < b ? -1 : a > b;
}

/* The middle one, or the mean of two. */
static double median(const double *sorted, size_t count) {
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static scant_status fill_reach(const scant_plan *plan, size_t k, scant_plan_entry *e, scant_error *error) {
  double *examples = scant_array(plan->runs, sizeof *examples), *money = scant_array(plan->runs, sizeof *money);
  scant_status status = examples && money ? SCANT_OK : scant_fail_memory(error);
  for (size_t run = 0; status == SCANT_OK && run < plan->runs; run++) {
    reach_of(plan, k, run, &examples[run], &money[run]);
    e->reached += isfinite(money[run]);
  }
  if (status == SCANT_OK) {
    qsort(examples, plan->runs, sizeof *examples, ascending);
    qsort(money, plan->runs, sizeof *money, ascending);
    e->reach_examples = median(examples, plan->runs);
    e->reach_money = median(money, plan->runs);
    e->reach_low = money[0];
    e->reach_high = money[plan->runs - 1];
  }
  free(examples);
  free(money);
  return status;
}

/* ---- entries ----------------------------------------------------------------------------- */

static void fill_means(const scant_plan *plan, size_t k, scant_plan_entry *e) {
  double n = (double)plan->runs, squares = 0;
  for (size_t run = 0; run < plan->runs; run++) {
    const scant_plan_stop *stop = last_stop(plan, k, run);
    e->error += error_of(plan, k, run);
    if (!stop) continue;
    e->examples += (double)stop->point.examples;
    e->attributes += (double)stop->point.attributes;
    e->money += (double)stop->point.money;
  }
  e->error /= n;
  e->examples /= n;
  e->attributes /= n;
  e->money /= 100 * n;
  for (size_t run = 0; run < plan->runs; run++) {
    double off = error_of(plan, k, run) - e->error;
    squares += off * off;
  }
  e->sd = n > 1 ? sqrt(squares / (n - 1)) : 0;
  e->r2 = 1 - e->error / plan->facts.variance;
}

scant_status scant_plan_entry_at(const scant_plan *plan, size_t index, scant_plan_entry *entry, scant_error *error) {
  if (!plan->ran) return scant_fail(error, SCANT_MISUSE, "the plan was not run");
  if (index >= plan->k_count) return scant_fail(error, SCANT_MISUSE, "the plan has no K number %zu", index);
  scant_plan_entry e = {.k = plan->cases[index].settings.learning.k, .algorithm = plan->cases[index].algorithm};
  fill_means(plan, index, &e);
  e.regret = mean_regret(plan, index);
  e.regret_error = difference_error(plan, index, least_regret(plan));
  if (plan->request.reach > 0) SCANT_TRY(fill_reach(plan, index, &e, error));
  *entry = e;
  return SCANT_OK;
}

int scant_plan_point_at(const scant_plan *plan, size_t index, size_t run, size_t step, scant_plan_point *point) {
  if (!plan->ran || index >= plan->k_count || run >= plan->runs || step >= plan->steps) return 0;
  const scant_plan_stop *stop = scant_plan_stops(plan, index, run) + step;
  if (stop->reached) *point = stop->point;
  return stop->reached;
}

/* ---- the choice --------------------------------------------------------------------------- */

#define AS_GOOD 1.05 /* times the least money is as good */
#define FAR 0.5      /* more regret is too much, however uncertain it is */

/* The K that reaches the wanted error for the least money, or the largest of those that take hardly more. */
size_t scant_plan_recommend_reach(const scant_plan *plan) {
  double least = INFINITY;
  size_t best = plan->k_count;
  for (int second = 0; second < 2; second++) {
    for (size_t k = 0; k < plan->k_count; k++) {
      scant_plan_entry e = {0};
      if (fill_reach(plan, k, &e, NULL) != SCANT_OK || !isfinite(e.reach_money)) continue;
      if (!second) least = fmin(least, e.reach_money);
      if (second && e.reach_money <= AS_GOOD * least) best = k;
    }
  }
  return best;
}

static double mean_error(const scant_plan *plan, size_t k) {
  double sum = 0;
  for (size_t run = 0; run < plan->runs; run++) sum += error_of(plan, k, run);
  return sum / (double)plan->runs;
}

/* Errors that vary without bounds show nothing to be worse: so half as much error again is worse whatever they vary by,
 * and so is a K above the mean's error if the best one is below it. */
static int is_far(const scant_plan *plan, size_t k, size_t best) {
  if (mean_regret(plan, k) - mean_regret(plan, best) > FAR) return 1;
  return mean_error(plan, k) > plan->facts.variance && mean_error(plan, best) <= plan->facts.variance;
}

/* The largest K that is not shown to be worse than the one with the least regret: by no more than the standard error
 * of their difference.  A larger K needs fewer examples, and finds relations that the pilot did not show. */
size_t scant_plan_recommend(const scant_plan *plan) {
  size_t best = least_regret(plan), taken = best;
  for (size_t k = best + 1; k < plan->k_count; k++)
    if (mean_regret(plan, k) - mean_regret(plan, best) <= difference_error(plan, k, best) && !is_far(plan, k, best))
      taken = k;
  return taken;
}

int scant_plan_is_worse(const scant_plan *plan) {
  for (size_t k = 0; k < plan->k_count; k++)
    if (mean_error(plan, k) < plan->facts.variance) return 0;
  return 1;
}
