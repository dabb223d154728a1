/* What a plan came to, in sentences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "learn/terms.h"
#include "plan/plan.h"

typedef unsigned long long count;

/* Text goes to the end of the sentence. */
#define SAY(...) \
  snprintf(sentence->text + strlen(sentence->text), sizeof sentence->text - strlen(sentence->text), __VA_ARGS__)

static const char *unit_of(const scant_plan *plan) {
  return (plan->prices && !plan->by_attributes) || plan->request.label_cost ? "money" : "attributes";
}

/* ---- the pilot ---------------------------------------------------------------------------- */

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

/* ---- blocks -------------------------------------------------------------------------------- */

/* The K that the blocks are counted for, the one to take, and how many blocks there are with it; 0: none, or the
 * algorithm does not learn from pairs. */
static double count_blocks(const scant_plan *plan, scant_plan_entry *e) {
  uint64_t block = plan->k_count ? plan->cases[0].settings.learning.block : 1;
  size_t best = plan->request.budget ? plan->facts.recommended_budget : scant_plan_recommend_reach(plan);
  if (block == 1 || !plan->ran || scant_plan_entry_at(plan, best, e, NULL) != SCANT_OK) return 0;
  if (!scant_algorithm_find(e->algorithm)->dense) return 0;
  return ceil((plan->request.budget ? e->examples : e->reach_examples) / (double)block);
}

static int say_rare(const scant_plan *plan, scant_error *sentence) {
  scant_plan_entry e = {0};
  double blocks = count_blocks(plan, &e), pairs = scant_pairs_together(blocks, (double)e.k, (double)plan->dimension);
  if (!(blocks > 0) || pairs >= SCANT_PAIRS_FEWEST) return 0;
  if (blocks == 1) {
    SAY("with K = %llu there is one block, whose examples share one look, so little is learned of how attributes go "
        "together: smaller blocks are worth trying",
        (count)e.k);
    return 1;
  }
  SAY("with K = %llu two attributes are seen together in about %.2g of %.0f blocks, and below some %d little is "
      "learned "
      "of how they go together: smaller blocks or a larger K are worth trying",
      (count)e.k, pairs, blocks, SCANT_PAIRS_FEWEST);
  return 1;
}

static int say_blocks(const scant_plan *plan, scant_error *sentence) {
  scant_plan_entry e = {0};
  double blocks = count_blocks(plan, &e), pairs = scant_pairs_together(blocks, (double)e.k, (double)plan->dimension);
  if (!(blocks > 0) || pairs < SCANT_PAIRS_FEWEST) return 0;
  SAY("with K = %llu there are %.0f blocks of %llu examples, and two attributes are seen together in about %.3g of "
      "them",
      (count)e.k, blocks, (count)plan->cases[0].settings.learning.block, pairs);
  return 1;
}

/* ---- the choice ----------------------------------------------------------------------------- */

static int say_worse(const scant_plan *plan, scant_error *sentence) {
  if (!plan->ran || !plan->facts.worse_than_mean) return 0;
  SAY("with this budget none of these is expected to be better than the mean of the target alone: there must be more "
      "money or another "
      "algorithm");
  return 1;
}

static void say_k(const scant_plan *plan, const scant_plan_entry *e, scant_error *sentence) {
  SAY("take K = %llu%s", (count)e->k, e->k == plan->dimension ? " (whole examples)" : "");
}

static int say_take(const scant_plan *plan, scant_error *sentence) {
  const scant_plan_facts *f = &plan->facts;
  scant_plan_entry e;
  if (!plan->ran || f->worse_than_mean || scant_plan_entry_at(plan, f->recommended_budget, &e, NULL) != SCANT_OK)
    return 0;
  if (plan->request.reach > 0) SAY("for the budget ");
  say_k(plan, &e, sentence);
  SAY(": %.0f examples, %s %.10g", round(e.examples), unit_of(plan), round(e.money));
  return 1;
}

static int say_take_reach(const scant_plan *plan, scant_error *sentence) {
  scant_plan_entry e;
  double wanted = plan->request.reach;
  if (!plan->ran || !(wanted > 0)) return 0;
  size_t best = scant_plan_recommend_reach(plan);
  if (scant_plan_entry_at(plan, best, &e, NULL) != SCANT_OK) {
    SAY("no K comes to a squared error of %.6g within %.10g in more than half of the runs", wanted, plan->facts.limit);
    return 1;
  }
  SAY("for a squared error of %.6g ", wanted);
  say_k(plan, &e, sentence);
  SAY(": %.0f examples, %s %.10g", ceil(e.reach_examples), unit_of(plan), ceil(e.reach_money));
  double budget = (double)plan->budget / 100;
  if (plan->request.budget && e.reach_money > budget) SAY(", more than the budget of %.10g", budget);
  if (e.reached < plan->runs) SAY("; %zu of %zu runs come to it", e.reached, plan->runs);
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
