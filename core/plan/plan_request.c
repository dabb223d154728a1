/* Checks of a request, and the cost of each K. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/source.h"
#include "learn/resolve.h"
#include "plan/plan.h"

#define BUDGET_MOST (SCANT_MONEY_MOST / 100)
#define ROWS_MOST 1000000000
#define ROOM 1.25 /* examples may turn out cheaper than it seems beforehand */

/* ---- checks that need no pilot ------------------------------------------------------ */

static scant_status check_money(const scant_plan_request *r, scant_error *error) {
  if (r->unit != SCANT_CURVE_ATTRIBUTES && r->unit != SCANT_CURVE_MONEY)
    return scant_fail(error, SCANT_USAGE, "the budget of a plan is attributes or money");
  if (!(r->reach >= 0) || !isfinite(r->reach))
    return scant_fail(error, SCANT_USAGE, "the wanted error must be above 0");
  if (!r->budget && r->reach == 0)
    return scant_fail(error, SCANT_USAGE, "a plan needs a budget or a wanted error (budget, budget-cost or reach)");
  if (r->budget > BUDGET_MOST || r->label_cost > BUDGET_MOST)
    return scant_fail(error, SCANT_USAGE, "the budget or the cost of a label is more than can be counted");
  if (r->unit == SCANT_CURVE_MONEY && !r->prices)
    return scant_fail(error, SCANT_USAGE, "budget-cost needs costs (option costs): without prices give a budget");
  if (r->label_cost && r->prices && r->unit == SCANT_CURVE_ATTRIBUTES)
    return scant_fail(error, SCANT_USAGE,
                      "with costs a label can't be counted in attributes: give the budget in money (budget-cost)");
  return SCANT_OK;
}

/* A column of words is no attribute, so that whatever else is wrong of them follows from it. */
static scant_status check_words(const scant_plan_request *r, scant_error *error) {
  if (!r->pilot || !r->pilot->kind->check_types) return SCANT_OK;
  return r->pilot->kind->check_types(r->pilot, error);
}

static scant_status check_pilot(const scant_plan_request *r, scant_error *error) {
  if (r->model && !scant_model_is_gaussian(r->model))
    return scant_fail(error, SCANT_USAGE,
                      "a plan needs a model of the algorithm gaussian, and this one is of %.40s: give examples instead",
                      scant_model_settings(r->model)->learning.algorithm);
  if (r->model) return SCANT_OK;
  if (!scant_source_has_target(r->pilot)) return scant_fail(error, SCANT_DATA, "the pilot has no target");
  if (scant_source_rows(r->pilot) < SCANT_PLAN_PILOT_LEAST)
    return scant_fail(error, SCANT_DATA, "the pilot has %zu example%s, and a plan needs %d at least",
                      scant_source_rows(r->pilot), scant_source_rows(r->pilot) == 1 ? "" : "s", SCANT_PLAN_PILOT_LEAST);
  return SCANT_OK;
}

static scant_status check_algorithm(const scant_settings *s, scant_error *error) {
  const scant_algorithm *a = scant_algorithm_find(s->learning.algorithm);
  if (s->learning.errors_of) /* the examples that are simulated have no names */
    return scant_fail(error, SCANT_USAGE, "errors-of is for fits, and a plan has no errors");
  if (scant_settings_is_default(s)) return SCANT_OK;
  if (!a) return scant_fail(error, SCANT_USAGE, "there is no algorithm '%.64s'", s->learning.algorithm);
  if (a->whole)
    return scant_fail(error, SCANT_USAGE, "%s looks at every attribute, and a plan is of algorithms that buy K of them",
                      a->name);
  return SCANT_OK;
}

scant_status scant_plan_check(const scant_plan_request *r, size_t dimension, scant_error *error) {
  SCANT_TRY(check_money(r, error));
  SCANT_TRY(check_algorithm(r->settings, error));
  SCANT_TRY(check_words(r, error));
  if (r->prices && r->prices->dimension != dimension)
    return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, and the pilot has %zu",
                      r->prices->dimension, dimension);
  if (dimension < 2)
    return scant_fail(error, SCANT_DATA, "a plan needs two attributes at least, and the pilot has %zu", dimension);
  for (size_t i = 0; i < r->k_count; i++) {
    unsigned long long k = r->k[i];
    if (k > dimension)
      return scant_fail(error, SCANT_DATA, "K = %llu is more than the %zu attributes of the pilot", k, dimension);
    if (k < 2) return scant_fail(error, SCANT_USAGE, "K = %llu: the least K is 2", k);
    if (i && k <= r->k[i - 1])
      return scant_fail(error, SCANT_USAGE, "the list of K is not ascending: %llu comes after %llu%s", k,
                        (unsigned long long)r->k[i - 1], k == dimension ? ", and d is that number" : "");
  }
  return check_pilot(r, error);
}

/* ---- the money ------------------------------------------------------------------------ */

static int descending(const void *left, const void *right) {
  uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
  return a < b ? 1 : a > b ? -1 : 0;
}

/* The cost of the `k` dearest items, or of all of them where K holds in expectation only; but no more than option spend
 * allows. */
static scant_status find_dearest(const scant_plan *plan, uint64_t k, uint64_t *dearest, scant_error *error) {
  const scant_prices *p = plan->prices;
  const scant_algorithm *a = scant_algorithm_find(plan->request.settings->learning.algorithm);
  uint64_t spend = 0, cost = 0;
  if (a && !a->strict) k = plan->dimension;
  scant_money_of(plan->request.settings->learning.spend, &spend);
  *dearest = plan->request.label_cost;
  if (!p || plan->by_attributes) {
    *dearest += 100 * k;
    return SCANT_OK;
  }
  uint64_t *costs = scant_array(p->items, sizeof *costs);
  if (!costs) return scant_fail_memory(error);
  memcpy(costs, p->cost, p->items * sizeof *costs);
  qsort(costs, p->items, sizeof *costs, descending);
  for (size_t i = 0; i < p->items && i < k; i++) cost += costs[i];
  *dearest += spend && spend < cost ? spend : cost;
  free(costs);
  return SCANT_OK;
}

/* About the cost of the attributes of an example, if this much money is for all. */
static double find_price(const scant_plan *plan, const scant_terms *terms, double money) {
  scant_terms t = *terms;
  double label = (double)plan->request.label_cost;
  double price = 100 * fmin((double)t.settings.learning.k, scant_terms_visit_looks(&t, plan->prices));
  if (!plan->prices || plan->by_attributes) return price;
  double plain = scant_terms_visit_price(&t, plan->prices, 0), visits = money / fmax(plain + label, 1);
  t.settings.run.budget_cost = ceil(money) / 100;
  return scant_terms_visit_price(&t, plan->prices, (uint64_t)fmax(visits, 1));
}

/* How many examples there are for a K, so that all the money can be spent; and the money for their attributes, which
 * steers looks that follow prices. */
static scant_status share_money(const scant_plan *plan, const scant_terms *terms, scant_plan_case *c,
                                scant_error *error) {
  double label = (double)plan->request.label_cost;
  double money = (double)scant_plan_money(plan, plan->steps - 1);
  uint64_t most = plan->request.examples;
  double price = find_price(plan, terms, money);
  double room = price + label < (double)c->dearest ? ROOM : 1;
  double rows = ceil(room * money / fmax(price + label, 1)) + 1;
  if (!most && !plan->request.budget) most = SCANT_PLAN_EXAMPLES_MOST;
  if (most && rows > (double)most) rows = (double)most;
  c->rows_most = most ? most : ROWS_MOST;
  if (rows > ROWS_MOST)
    return scant_fail(error, SCANT_USAGE, "the budget pays for more than 10^9 examples, too many to simulate");
  c->rows = (uint64_t)rows;
  if (!plan->prices || plan->by_attributes) return SCANT_OK;
  double visits = fmin(rows, money / fmax(price + label, 1)), attributes = money - label * visits;
  c->settings.run.budget_cost = fmax(ceil(attributes), 1) / 100;
  return SCANT_OK;
}

/* ---- settings of each K ----------------------------------------------------------------- */

/* Those of the request, without the options of its data and its run. */
static scant_status settings_for(const scant_settings *given, uint64_t k, scant_settings *s, scant_error *error) {
  scant_settings plain;
  const scant_option *o;
  scant_settings_init(&plain);
  *s = *given;
  s->run = plain.run;
  s->reading = plain.reading;
  s->run.shuffle = 0; /* examples are drawn in random order; so all K have the same ones */
  s->runtime.threads = 1;
  s->runtime.watch = NULL;
  s->learning.k = k;
  s->learning.max_open = plain.learning.max_open;
  s->learning.observed = 0;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    int kept = (o->scope & SCANT_SCOPE_LEARNER) && strcmp(o->name, "observed") != 0;
    if (!kept && strcmp(o->name, "passes") != 0) s->given &= ~(UINT64_C(1) << i);
  }
  const scant_algorithm *a = scant_algorithm_find(s->learning.algorithm);
  if (!a || scant_algorithm_takes(a, "clip")) SCANT_TRY(scant_settings_set(s, "clip", "none", error));
  return SCANT_OK;
}

/* About how many multiplications a fit takes.  gaussian makes some EM steps for each renewal and each reading; where
 * all attributes are seen, examples share their matrices, and so do those of a block. */
static double work_of(const scant_plan *plan, const scant_plan_case *c) {
  double m = (double)c->rows, k = (double)c->settings.learning.k, d = (double)plan->dimension;
  scant_settings s = c->settings;
  scant_settings_choose(&s, plan->dimension, c->rows, plan->prices, NULL);
  const scant_algorithm *a = scant_algorithm_find(s.learning.algorithm);
  if (!a || !a->dense) return 100 * m * k;
  double looks = ceil(m / (double)c->settings.learning.block);
  return 700 * d * d * d + (k < d ? 14 * looks * k * k * k : 50 * m * d * d);
}

/* Why a K that nobody asked for is left out; SCANT_OK: none is. */
typedef struct {
  scant_status status;
  scant_error why;
  int by_budget;
} omission;

static scant_status fits_budget(const scant_plan *plan, uint64_t k, uint64_t dearest, uint64_t block,
                                scant_error *error) {
  if (plan->budget / 2 / block >= dearest) return SCANT_OK;
  if (block > 1)
    return scant_fail(error, SCANT_USAGE,
                      "the budget of %.10g does not pay for two blocks of %llu examples with K = %llu, which may cost "
                      "%.10g each",
                      (double)plan->budget / 100, (unsigned long long)block, (unsigned long long)k,
                      (double)dearest * (double)block / 100);
  return scant_fail(error, SCANT_USAGE,
                    "the budget of %.10g does not pay for two examples with K = %llu, which may cost %.10g each",
                    (double)plan->budget / 100, (unsigned long long)k, (double)dearest / 100);
}

/* Adds a K, or leaves it out if the algorithm or the budget does not allow it and `first` is not NULL. */
static scant_status add_case(scant_plan *plan, uint64_t k, omission *first, scant_error *error) {
  scant_plan_case *c = &plan->cases[plan->k_count];
  scant_error why = {""};
  SCANT_TRY(find_dearest(plan, k, &c->dearest, error));
  scant_terms terms;
  const scant_extent extent = {.dimension = plan->dimension, .prices = plan->prices};
  SCANT_TRY(settings_for(plan->request.settings, k, &c->settings, error));
  scant_status status = scant_terms_make(&terms, &c->settings, &extent, &why);
  int taken = status == SCANT_OK;
  if (taken) status = fits_budget(plan, k, c->dearest, c->settings.learning.block, &why);
  if (status != SCANT_OK && first && status != SCANT_MEMORY) {
    if (first->status == SCANT_OK) *first = (omission){status, why, taken};
    return SCANT_OK;
  }
  if (status != SCANT_OK) return scant_fail(error, status, "%s", why.text);
  SCANT_TRY(share_money(plan, &terms, c, error));
  c->work = work_of(plan, c);
  plan->k_count++;
  return SCANT_OK;
}

static scant_status add_cases(scant_plan *plan, scant_error *error) {
  const scant_plan_request *r = &plan->request;
  omission first = {.status = SCANT_OK};
  for (size_t i = 0; i < r->k_count; i++) SCANT_TRY(add_case(plan, r->k[i], NULL, error));
  if (r->k_count) return SCANT_OK;
  for (uint64_t k = 2; k < plan->dimension; k *= 2) SCANT_TRY(add_case(plan, k, &first, error));
  SCANT_TRY(add_case(plan, plan->dimension, &first, error));
  if (plan->k_count) return SCANT_OK;
  return scant_fail(error, first.status, "%s%s", first.why.text,
                    first.by_budget && plan->dimension > 2 ? ", nor with any larger K" : "");
}

scant_status scant_plan_make_cases(scant_plan *plan, scant_error *error) {
  const scant_plan_request *r = &plan->request;
  uint64_t whole = r->prices && !plan->by_attributes ? r->prices->total : 100 * (uint64_t)plan->dimension;
  plan->steps = SCANT_PLAN_HALVINGS + 1 + (r->reach > 0 ? SCANT_PLAN_DOUBLINGS : 0);
  plan->budget = r->unit == SCANT_CURVE_MONEY ? r->budget : 100 * r->budget;
  if (!r->budget) plan->budget = (SCANT_PLAN_ROWS_FIRST * (whole + r->label_cost)) << SCANT_PLAN_HALVINGS;
  if (!whole && !r->label_cost)
    return scant_fail(error, SCANT_DATA, "nothing costs anything: there is nothing to plan");
  plan->cases = scant_array(r->k_count + 64, sizeof *plan->cases);
  if (!plan->cases) return scant_fail_memory(error);
  SCANT_TRY(add_cases(plan, error));
  size_t runs = SCANT_PLAN_FITS / (plan->k_count ? plan->k_count : 1); /* there is one at least */
  plan->runs = r->runs ? r->runs : runs < 1 ? 1 : runs > SCANT_PLAN_RUNS_MOST ? SCANT_PLAN_RUNS_MOST : runs;
  for (size_t i = 0; i < plan->k_count; i++) plan->facts.work += plan->cases[i].work * (double)plan->runs;
  return SCANT_OK;
}
