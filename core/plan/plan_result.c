/* The results of the simulated fits, in numbers and in sentences. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "learn/resolve.h"
#include "plan/plan.h"

/* The last point of a run within the budget; NULL: there is none. */
static const scant_plan_point *last_point(const scant_plan *plan, size_t k, size_t run) {
  const scant_plan_point *points = scant_plan_points(plan, k, run);
  for (size_t step = SCANT_PLAN_HALVINGS + 1; step--;)
    if (points[step].examples) return &points[step];
  return NULL;
}

static double error_of(const scant_plan *plan, size_t k, size_t run) {
  const scant_plan_point *point = last_point(plan, k, run);
  return point ? point->error : plan->facts.variance;
}

/* How much larger the error of a K is than the least of the run, relative to that. */
static double regret_of(const scant_plan *plan, size_t k, size_t run) {
  double least = INFINITY;
  for (size_t i = 0; i < plan->k_count; i++) least = fmin(least, error_of(plan, i, run));
  return error_of(plan, k, run) / least - 1;
}

/* ---- the wanted error ---------------------------------------------------------------------- */

/* Where a run comes to the wanted error; INFINITY: it does not. */
static void reach_of(const scant_plan *plan, size_t k, size_t run, double *examples, double *money) {
  const scant_plan_point *points = scant_plan_points(plan, k, run);
  const scant_plan_point *before = NULL;
  double wanted = plan->request.reach;
  *examples = *money = INFINITY;
  for (size_t step = 0; step < plan->steps; step++) {
    const scant_plan_point *at = &points[step];
    if (!at->examples) continue;
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

/* ---- every K ------------------------------------------------------------------------------ */

static void fill_means(const scant_plan *plan, size_t k, scant_plan_entry *e) {
  double n = (double)plan->runs, squares = 0;
  for (size_t run = 0; run < plan->runs; run++) {
    const scant_plan_point *point = last_point(plan, k, run);
    e->error += error_of(plan, k, run);
    e->regret += regret_of(plan, k, run);
    if (!point) continue;
    e->examples += (double)point->examples;
    e->attributes += (double)point->attributes;
    e->money += (double)point->money;
  }
  e->error /= n;
  e->regret /= n;
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

/* The standard error of the mean difference of regret between two K, run by run. */
static double difference_error(const scant_plan *plan, size_t k, size_t other) {
  double n = (double)plan->runs, mean = plan->entries[k].regret - plan->entries[other].regret, squares = 0;
  for (size_t run = 0; run < plan->runs; run++) {
    double off = regret_of(plan, k, run) - regret_of(plan, other, run) - mean;
    squares += off * off;
  }
  return n > 1 ? sqrt(squares / (n - 1) / n) : 0;
}

/* ---- the choice --------------------------------------------------------------------------- */

#define AS_GOOD 1.05 /* times the least money is as good */
#define FAR 0.5      /* more regret is too much, however uncertain it is */

/* The K that reaches the wanted error for the least money, or the largest of those that take hardly more. */
static size_t choose_for_reach(const scant_plan *plan) {
  double least = INFINITY;
  size_t best = plan->k_count;
  for (size_t k = 0; k < plan->k_count; k++) least = fmin(least, plan->entries[k].reach_money);
  for (size_t k = 0; k < plan->k_count; k++)
    if (isfinite(plan->entries[k].reach_money) && plan->entries[k].reach_money <= AS_GOOD * least) best = k;
  return best;
}

/* Errors that vary without bounds show nothing to be worse: so half as much error again is worse whatever they vary by,
 * and so is a K above the mean's error if the best one is below it. */
static int is_far(const scant_plan *plan, const scant_plan_entry *e, const scant_plan_entry *best) {
  double variance = plan->facts.variance;
  return e->regret - best->regret > FAR || (e->error > variance && best->error <= variance);
}

/* The largest K that is not shown to be worse than the one with the least regret: by no more than the standard error
 * of their difference.  A larger K needs fewer examples, and finds relations that the pilot did not show. */
static size_t choose_for_budget(const scant_plan *plan, size_t best) {
  const scant_plan_entry *e = plan->entries;
  size_t taken = best;
  for (size_t k = best + 1; k < plan->k_count; k++)
    if (e[k].regret - e[best].regret <= difference_error(plan, k, best) && !is_far(plan, &e[k], &e[best])) taken = k;
  return taken;
}

static int is_worse_than_mean(const scant_plan *plan) {
  for (size_t k = 0; k < plan->k_count; k++)
    if (plan->entries[k].error < plan->facts.variance) return 0;
  return 1;
}

scant_status scant_plan_conclude(scant_plan *plan, scant_error *error) {
  scant_plan_facts *f = &plan->facts;
  size_t best = 0, none = plan->k_count;
  for (size_t k = 0; k < plan->k_count; k++) {
    scant_plan_entry *e = &plan->entries[k];
    *e = (scant_plan_entry){.k = plan->cases[k].settings.learning.k, .algorithm = plan->cases[k].algorithm};
    fill_means(plan, k, e);
    if (plan->request.reach > 0) SCANT_TRY(fill_reach(plan, k, e, error));
    if (e->regret <= plan->entries[best].regret) best = k;
  }
  for (size_t k = 0; k < plan->k_count; k++) plan->entries[k].regret_error = difference_error(plan, k, best);
  f->recommended_budget = plan->request.budget ? choose_for_budget(plan, best) : none;
  plan->for_reach = plan->request.reach > 0 ? choose_for_reach(plan) : none;
  f->recommended = plan->for_reach < none ? plan->for_reach : f->recommended_budget;
  f->worse_than_mean = plan->request.budget && is_worse_than_mean(plan);
  plan->ran = 1;
  return SCANT_OK;
}

scant_status scant_plan_entry_at(const scant_plan *plan, size_t index, scant_plan_entry *entry, scant_error *error) {
  if (!plan->ran) return scant_fail(error, SCANT_MISUSE, "the plan was not run");
  if (index >= plan->k_count) return scant_fail(error, SCANT_MISUSE, "the plan has no K number %zu", index);
  *entry = plan->entries[index];
  return SCANT_OK;
}

int scant_plan_point_at(const scant_plan *plan, size_t index, size_t run, size_t step, scant_plan_point *point) {
  if (!plan->ran || index >= plan->k_count || run >= plan->runs || step >= plan->steps) return 0;
  const scant_plan_point *at = scant_plan_points(plan, index, run) + step;
  if (at->examples) *point = *at;
  return at->examples != 0;
}

/* ---- sentences: the pilot ------------------------------------------------------------------ */

typedef unsigned long long count;

/* Text goes to the end of the sentence. */
#define SAY(...) \
  snprintf(sentence->text + strlen(sentence->text), sizeof sentence->text - strlen(sentence->text), __VA_ARGS__)

static const char *unit_of(const scant_plan *plan) {
  return (plan->prices && !plan->by_attributes) || plan->request.label_cost ? "money" : "attributes";
}

static int say_pilot(const scant_plan *plan, scant_error *sentence) {
  const scant_plan_facts *f = &plan->facts;
  if (f->pilot_examples)
    SAY("pilot: %llu examples of %zu attributes", (count)f->pilot_examples, f->dimension);
  else
    SAY("pilot: a model of %zu attributes", f->dimension);
  if (plan->target) SAY(", target %.100s", plan->target);
  if (f->pilot_examples)
    SAY("; R^2 %.2f +- %.2f with full information (%.2f +- %.2f by held-out halves)", f->strength, f->strength_error,
        f->shown, f->shown_error);
  else
    SAY("; R^2 %.2f, and how sure that is can't be known from a model", f->strength);
  return 1;
}

static int say_counts(const scant_plan *plan, scant_error *sentence) {
  if (plan->prices || !plan->request.label_cost) return 0;
  SAY("there are no prices: an attribute counts 1, and the target of an example %.10g",
      (double)plan->request.label_cost / 100);
  return 1;
}

static int say_unknown(const scant_plan *plan, scant_error *sentence) {
  size_t n = plan->facts.unknown;
  if (!n) return 0;
  SAY("%zu attribute%s simulated as noise, since the pilot shows too little of %s", n, n == 1 ? " is" : "s are",
      n == 1 ? "it" : "them");
  return 1;
}

static int say_weak(const scant_plan *plan, scant_error *sentence) {
  const scant_plan_facts *f = &plan->facts;
  if (!(f->shown < 2 * f->shown_error)) return 0;
  SAY("what the held-out halves show may be chance, and R^2 may be near 0: a larger pilot is worth its money");
  return 1;
}

static int say_far(const scant_plan *plan, scant_error *sentence) {
  const scant_plan_facts *f = &plan->facts;
  double wanted = plan->request.reach;
  if (!(wanted > 0) || wanted >= f->least) return 0;
  SAY("a squared error of %.6g is below what full information gives by this pilot, %.4g +- %.2g: it may be out of "
      "reach, and a larger pilot would tell",
      wanted, f->least, scant_plan_least_error(plan));
  return 1;
}

/* ---- sentences: after the run ---------------------------------------------------------------- */

/* NULL: the plan was not run, or there is no such K. */
static const scant_plan_entry *entry_of(const scant_plan *plan, size_t k) {
  return plan->ran && k < plan->k_count ? &plan->entries[k] : NULL;
}

/* The K to take, of an algorithm that learns from pairs, if there are blocks; NULL: there is none.  How many blocks
 * there are with it, and in how many of them two attributes are seen together. */
static const scant_plan_entry *count_blocks(const scant_plan *plan, double *blocks, double *pairs) {
  uint64_t block = plan->cases[0].settings.learning.block;
  int bounded = plan->request.budget != 0;
  const scant_plan_entry *e = entry_of(plan, bounded ? plan->facts.recommended_budget : plan->for_reach);
  if (block == 1 || !e || !scant_algorithm_find(e->algorithm)->dense) return NULL;
  *blocks = ceil((bounded ? e->examples : e->reach_examples) / (double)block);
  *pairs = scant_pairs_together(*blocks, (double)e->k, (double)plan->dimension);
  return *blocks > 0 ? e : NULL;
}

static int say_rare(const scant_plan *plan, scant_error *sentence) {
  double blocks, pairs;
  const scant_plan_entry *e = count_blocks(plan, &blocks, &pairs);
  if (!e || pairs >= SCANT_PAIRS_FEWEST) return 0;
  if (blocks == 1)
    SAY("with K = %llu there is one block, whose examples share one look, so little is learned of how attributes go "
        "together: smaller blocks are worth trying",
        (count)e->k);
  else
    SAY("with K = %llu two attributes are seen together in about %.2g of %.0f blocks, and below some %d little is "
        "learned of how they go together: smaller blocks or a larger K are worth trying",
        (count)e->k, pairs, blocks, SCANT_PAIRS_FEWEST);
  return 1;
}

static int say_blocks(const scant_plan *plan, scant_error *sentence) {
  double blocks, pairs;
  const scant_plan_entry *e = count_blocks(plan, &blocks, &pairs);
  if (!e || pairs < SCANT_PAIRS_FEWEST) return 0;
  SAY("with K = %llu there are %.0f blocks of %llu examples, and two attributes are seen together in about %.3g of "
      "them",
      (count)e->k, blocks, (count)plan->cases[0].settings.learning.block, pairs);
  return 1;
}

static int say_worse(const scant_plan *plan, scant_error *sentence) {
  if (!plan->facts.worse_than_mean) return 0;
  SAY("with this budget none of these is expected to be better than the mean of the target alone: there must be more "
      "money or another algorithm");
  return 1;
}

static void say_k(const scant_plan *plan, const scant_plan_entry *e, scant_error *sentence) {
  SAY("take K = %llu%s", (count)e->k, e->k == plan->dimension ? " (whole examples)" : "");
}

static int say_take(const scant_plan *plan, scant_error *sentence) {
  const scant_plan_entry *e = entry_of(plan, plan->facts.recommended_budget);
  if (!e || plan->facts.worse_than_mean) return 0;
  if (plan->request.reach > 0) SAY("for the budget ");
  say_k(plan, e, sentence);
  SAY(": %.0f examples, %s %.10g", round(e->examples), unit_of(plan), round(e->money));
  return 1;
}

static int say_take_reach(const scant_plan *plan, scant_error *sentence) {
  const scant_plan_entry *e = entry_of(plan, plan->for_reach);
  double wanted = plan->request.reach, budget = (double)plan->budget / 100;
  if (!plan->ran || !(wanted > 0)) return 0;
  if (!e) {
    SAY("no K comes to a squared error of %.6g within %.10g in more than half of the runs", wanted, plan->facts.limit);
    return 1;
  }
  SAY("for a squared error of %.6g ", wanted);
  say_k(plan, e, sentence);
  SAY(": %.0f examples, %s %.10g", ceil(e->reach_examples), unit_of(plan), ceil(e->reach_money));
  if (plan->request.budget && e->reach_money > budget) SAY(", more than the budget of %.10g", budget);
  if (e->reached < plan->runs) SAY("; %zu of %zu runs come to it", e->reached, plan->runs);
  return 1;
}

int scant_plan_say(const scant_plan *plan, scant_plan_note note, scant_error *sentence) {
  static int (*const notes[])(const scant_plan *, scant_error *) = {
      say_pilot, say_counts, say_unknown, say_weak, say_far, say_rare, say_worse, say_take, say_take_reach, say_blocks};
  scant_error said = {""};
  if ((size_t)note >= sizeof notes / sizeof *notes || !notes[note](plan, &said)) return 0;
  *sentence = said;
  return 1;
}
