/* Plans: a point is a fit of the very learner, the money is never passed, labels are paid, nothing depends on threads,
 * and what is wrong is refused. */
#include "plans.h"

/* ---- points ------------------------------------------------------------------------------ */

/* Fits the examples of the run by hand, as many as the point says. */
static void check_by_hand(const scant_plan *plan, size_t index, size_t run, size_t step) {
  const scant_plan_case *c = &plan->cases[index];
  const scant_world *world = plan->worlds[run % plan->world_count];
  scant_plan_point p;
  scant_settings s = c->settings;
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  void *scratch = NULL;
  int done;
  double room[D];
  if (!CHECK(scant_plan_point_at(plan, index, run, step, &p))) return;
  s.learning.seed = plan->request.seed + run;
  CHECK(scant_world_draw(&source, &scratch, world, c->rows, scant_plan_world_seed(plan, run), plan->prices, NULL) ==
        SCANT_OK);
  CHECK(scant_fit_new(&fit, &s, source, NULL) == SCANT_OK);
  CHECK(scant_fit_advance(fit, p.examples, &done, NULL) == SCANT_OK);
  CHECK(scant_fit_model(fit, 0, &model, NULL) == SCANT_OK);
  const scant_ledger *ledger = scant_model_ledger(model);
  CHECK(ledger->examples == p.examples && ledger->attributes_bought == p.attributes);
  uint64_t bought = plan->prices ? ledger->money_spent : 100 * ledger->attributes_bought;
  CHECK(p.money == bought + plan->request.label_cost * p.examples);
  CHECK(p.error == scant_world_error(world, scant_model_weights(model), scant_model_intercept(model), room));
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  scant_world_end(scratch);
}

TEST(a_point_is_a_fit_of_as_many_examples) {
  static const uint64_t k[] = {2, 3, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_prices *prices = some_prices();
  for (int auto_ = 0; auto_ < 2; auto_++)
    for (int priced = 0; priced < 2; priced++) {
      scant_plan_request r = request_of(m, k, 3);
      if (auto_) settings.learning.algorithm = "auto";
      if (priced) r.prices = prices, r.unit = SCANT_CURVE_MONEY, r.budget = 500000;
      r.label_cost = 125;
      scant_plan *plan = planned(&r);
      for (size_t i = 0; plan && i < 3; i++)
        for (size_t run = 0; run < 3; run++)
          for (size_t step = 0; step < plan->steps; step += 3) check_by_hand(plan, i, run, step);
      scant_plan_entry e;
      CHECK(scant_plan_entry_at(plan, 1, &e, NULL) == SCANT_OK);
      CHECK(!strcmp(e.algorithm, auto_ ? "auto" : "gaussian"));
      scant_plan_free(plan);
    }
  scant_prices_free(prices);
  scant_model_free(m);
}

/* Without prices every example costs K and the label, so that the number of examples follows. */
TEST(money_pays_for_attributes_and_labels) {
  static const uint64_t k[] = {2, 4, D}, labels[] = {0, 50, 1000};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  for (size_t l = 0; l < 3; l++) {
    scant_plan_request r = request_of(m, k, 3); /* gaussian buys K attributes, no fewer */
    r.label_cost = labels[l];
    scant_plan *plan = planned(&r);
    for (size_t i = 0; plan && i < 3; i++)
      for (size_t step = 0; step < plan->steps; step++) {
        scant_plan_point p = {0};
        uint64_t money = 80000 >> (SCANT_PLAN_HALVINGS - step), each = 100 * k[i] + labels[l];
        CHECK(scant_plan_point_at(plan, i, 1, step, &p) == (money >= each));
        CHECK(p.examples == money / each && p.money == p.examples * each && p.attributes == k[i] * p.examples);
      }
    scant_plan_free(plan);
  }
  scant_model_free(m);
}

TEST(the_money_of_a_step_is_never_passed) {
  scant_model *m = gaussian_model(D, 9, "algorithm=gaussian k=3");
  scant_prices *prices = some_prices();
  for (uint64_t budget = 30000; budget < 1000000; budget *= 3) {
    scant_plan_request r = request_of(m, NULL, 0);
    r.prices = prices;
    r.unit = SCANT_CURVE_MONEY;
    r.budget = budget;
    r.label_cost = 300;
    scant_plan *plan = planned(&r);
    scant_plan_facts f;
    if (!plan) continue;
    scant_plan_get_facts(plan, &f);
    CHECK(f.runs == 3 && f.dimension == D && f.step + 1 == f.steps && f.unknown == 1);
    for (size_t i = 0; i < f.k_count; i++) {
      for (size_t run = 0; run < f.runs; run++)
        for (size_t step = 0; step < f.steps; step++) {
          scant_plan_point p = {0};
          if (!scant_plan_point_at(plan, i, run, step, &p)) continue;
          CHECK(p.money <= budget >> (f.step - step) && p.examples > 0 && p.money >= 300 * p.examples);
          CHECK(p.error >= f.least);
        }
      scant_plan_point p;
      CHECK(scant_plan_point_at(plan, i, 0, f.step, &p) && 2 * p.money > budget); /* most of it is spent */
    }
    scant_plan_free(plan);
  }
  scant_prices_free(prices);
  scant_model_free(m);
}

/* The last points of all runs; checks that most of the money went. */
static void check_spent(const scant_plan_request *r, uint64_t money) {
  scant_plan *plan = planned(r);
  for (size_t i = 0; plan && i < r->k_count; i++)
    for (size_t run = 0; run < r->runs; run++) {
      scant_plan_point p = {0};
      CHECK(scant_plan_point_at(plan, i, run, SCANT_PLAN_HALVINGS, &p));
      if (!CHECK(p.money <= money && p.money >= 0.8 * (double)money))
        printf("#   K = %d: %d of %d\n", (int)r->k[i], (int)p.money, (int)money);
    }
  scant_plan_free(plan);
}

/* What an example really costs is not known beforehand: draws may be of one attribute, and spend leaves dear ones out.
 */
TEST(the_money_is_spent_on_cheap_examples_too) {
  static const uint64_t k[] = {2, 4, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_prices *prices = some_prices();
  scant_plan_request r = request_of(m, k, 3);
  settings.learning.algorithm = "aer";
  check_spent(&r, 80000);
  r = request_of(m, k, 3);
  CHECK(scant_settings_set(&settings, "spend", "14", NULL) == SCANT_OK);
  r.prices = prices;
  r.unit = SCANT_CURVE_MONEY;
  r.budget = 30000; /* two examples with the two dearest attributes take 11050 */
  check_spent(&r, 30000);
  r.budget = 9000;
  check_spent(&r, 9000);
  scant_prices_free(prices);
  scant_model_free(m);
}

/* ---- the list of K ---------------------------------------------------------------------------- */

TEST(k_doubles_up_to_whole_examples) {
  static const uint64_t wanted[] = {2, 4, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, NULL, 0);
  settings.learning.algorithm = "auto";
  r.runs = 0;
  for (int few = 0; few < 2; few++) {
    r.budget = few ? 2 * D - 1 : 800; /* few: whole examples can't be paid twice */
    scant_plan *plan = planned(&r);
    scant_plan_facts f;
    scant_plan_get_facts(plan, &f);
    CHECK(f.k_count == (few ? 2 : 3) && f.runs == 10 && f.k_count * f.runs <= 30);
    for (size_t i = 0; i < f.k_count; i++) {
      scant_plan_entry e;
      CHECK(scant_plan_entry_at(plan, i, &e, NULL) == SCANT_OK && e.k == wanted[i]);
    }
    scant_plan_free(plan);
  }
  scant_model_free(m);
}

/* svr needs three attributes, or all; aer an even number of them. */
TEST(k_that_the_algorithm_does_not_take_are_left_out) {
  static const char *const algorithms[] = {"svr", "aer"};
  static const uint64_t wanted[2][2] = {{4, 7}, {2, 4}};
  scant_model *m = gaussian_model(7, 4, "algorithm=gaussian k=3");
  for (size_t a = 0; a < 2; a++) {
    scant_plan_request r = request_of(m, NULL, 0);
    settings.learning.algorithm = algorithms[a];
    r.runs = 1;
    scant_plan *plan = planned(&r);
    CHECK(plan && plan->k_count == 2);
    for (size_t i = 0; plan && i < plan->k_count; i++) CHECK(plan->cases[i].settings.learning.k == wanted[a][i]);
    scant_plan_free(plan);
    r.k = wanted[1 - a];
    r.k_count = 2;
    refuses(&r, a ? SCANT_USAGE : SCANT_DATA, a ? "even" : "svr needs at least 3"); /* those that are asked for */
  }
  scant_model_free(m);
}

TEST(there_are_no_more_examples_than_exist) {
  static const uint64_t k[] = {2, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, k, 2);
  r.examples = 150;
  scant_plan *plan = planned(&r);
  scant_plan_entry e;
  CHECK(scant_plan_entry_at(plan, 0, &e, NULL) == SCANT_OK && e.examples == 150 && e.money == 300);
  CHECK(scant_plan_entry_at(plan, 1, &e, NULL) == SCANT_OK && e.examples == 100 && e.money == 800);
  scant_plan_free(plan);
  scant_model_free(m);
}

/* ---- the same bits ------------------------------------------------------------------------------ */

static int same_points(const scant_plan *a, const scant_plan *b) {
  size_t count = a->k_count * a->runs * a->steps;
  for (size_t i = 0; i < count; i++) {
    const scant_plan_point *p = &a->points[i], *q = &b->points[i];
    if (p->examples != q->examples || p->money != q->money || bits_of(p->error) != bits_of(q->error)) return 0;
  }
  return a->facts.recommended == b->facts.recommended && bits_of(a->facts.strength) == bits_of(b->facts.strength);
}

TEST(threads_change_nothing) {
  static double x[N * D], y[N];
  static const uint64_t k[] = {2, 4, D};
  fill_pilot(x, y, N, 3, 1, 1);
  scant_source *pilot = some_pilot(x, y, N);
  scant_plan *plans[4] = {0};
  for (size_t i = 0; i < 4; i++) {
    scant_plan_request r = request_of(NULL, k, 3);
    r.pilot = pilot;
    r.threads = i == 0 ? 1 : i + 1;
    if (i == 3) r.seed = 6;
    plans[i] = planned(&r);
  }
  CHECK(same_points(plans[0], plans[1]) && same_points(plans[0], plans[2]) && !same_points(plans[0], plans[3]));
  for (size_t i = 0; i < 4; i++) scant_plan_free(plans[i]);
  scant_source_free(pilot);
}
/* ---- what is refused ------------------------------------------------------------------------------- */

TEST(what_is_wrong_is_refused) {
  static const uint64_t large[] = {2, D + 1}, small[] = {1, 2}, twice[] = {2, 2}, whole[] = {2, D},
                        whole_twice[] = {D, D};
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_prices *prices = some_prices(), *others = NULL;
  const uint64_t one = 100;
  CHECK(scant_prices_new(&others, 1, &one, NULL, NULL) == SCANT_OK);
  scant_plan_request r = request_of(m, large, 2);
  refuses(&r, SCANT_DATA, "K = 9 is more than the 8 attributes");
  r = request_of(m, small, 2);
  refuses(&r, SCANT_USAGE, "the least K is 2");
  r = request_of(m, twice, 2);
  refuses(&r, SCANT_USAGE, "not ascending");
  r = request_of(m, whole_twice, 2);
  refuses(&r, SCANT_USAGE, "8 comes after 8, and d is that number");
  r = request_of(m, whole, 2);
  r.budget = 15;
  refuses(&r, SCANT_USAGE, "the budget of 15 does not pay for two examples with K = 8, which may cost 8 each");
  r = request_of(m, NULL, 0);
  r.budget = 3;
  refuses(&r, SCANT_USAGE, "does not pay for two examples with K = 2, which may cost 2 each");
  r.budget = 0;
  refuses(&r, SCANT_USAGE, "needs a budget or a wanted error");
  r.budget = UINT64_MAX;
  refuses(&r, SCANT_USAGE, "more than can be counted");
  r.budget = 500;
  r.label_cost = 100000;
  refuses(&r, SCANT_USAGE, "K = 2, which may cost 1002 each, nor with any larger K");
  r = request_of(m, NULL, 0);
  r.unit = SCANT_CURVE_MONEY;
  refuses(&r, SCANT_USAGE, "budget-cost needs costs");
  r = request_of(m, NULL, 0);
  r.prices = others;
  refuses(&r, SCANT_DATA, "prices of 1 attributes");
  r.prices = prices;
  r.label_cost = 100;
  refuses(&r, SCANT_USAGE, "can't be counted in attributes");
  r = request_of(m, NULL, 0);
  settings.learning.algorithm = "full-ridge";
  refuses(&r, SCANT_USAGE, "looks at every attribute");
  settings.learning.algorithm = "nothing";
  refuses(&r, SCANT_USAGE, "no algorithm 'nothing'");
  settings.learning.algorithm = "gaussian";
  settings.learning.errors_of = "all";
  refuses(&r, SCANT_USAGE, "errors-of is for fits");
  r = request_of(m, NULL, 0);
  r.reach = 1e-9;
  refuses(&r, SCANT_DATA, "with full information it is");
  r.reach = 1e9;
  refuses(&r, SCANT_DATA, "takes no attribute");
  r.reach = NAN;
  refuses(&r, SCANT_USAGE, "above 0");
  r = request_of(NULL, NULL, 0);
  refuses(&r, SCANT_MISUSE, "either a pilot or a model");
  scant_prices_free(others);
  scant_prices_free(prices);
  scant_model_free(m);
}

TEST(a_pilot_that_shows_nothing_is_refused) {
  static double x[N * D], y[N];
  fill_pilot(x, y, N, 3, 1, 0);
  scant_plan_request r = request_of(NULL, NULL, 0);
  r.pilot = some_pilot(x, NULL, N);
  refuses(&r, SCANT_DATA, "no target");
  scant_source_free(r.pilot);
  r.pilot = some_pilot(x, y, 9);
  refuses(&r, SCANT_DATA, "9 examples, and a plan needs 10");
  scant_source_free(r.pilot);
  for (size_t row = 0; row < N; row++) y[row] = 2;
  r.pilot = some_pilot(x, y, N);
  refuses(&r, SCANT_DATA, "every target of the pilot is 2");
  scant_source_free(r.pilot);
  fill_pilot(x, y, N, 3, 1, 0);
  r.pilot = some_pilot(x, y, N);
  settings.runtime.engines = NULL;
  scant_plan *plan = NULL;
  CHECK(scant_plan_new(&plan, &r, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "gaussian");
  scant_source_free(r.pilot);
}

TEST(a_model_without_a_gaussian_is_refused) {
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  scant_plan_request r = request_of(m, NULL, 0);
  for (size_t i = 0; i < m->gaussian->count; i++)
    m->gaussian->covariance[m->gaussian->count * (m->gaussian->count + 1) / 2 + i] = 0;
  refuses(&r, SCANT_DATA, "tell nothing of the target");
  scant_gaussian_free(m->gaussian);
  m->gaussian = NULL;
  refuses(&r, SCANT_USAGE, "a model of the algorithm gaussian");
  scant_model_free(m);
}

static int stop_soon(void *user, double share) {
  size_t *calls = user;
  CHECK(share > 0 && share <= 1);
  return ++*calls == 3;
}

TEST(progress_can_stop_it) {
  scant_model *m = gaussian_model(D, 4, "algorithm=gaussian k=3");
  for (uint64_t threads = 1; threads < 4; threads++) {
    scant_plan_request r = request_of(m, NULL, 0);
    scant_plan *plan = NULL;
    scant_plan_entry e;
    scant_plan_point p;
    size_t calls = 0;
    r.progress = stop_soon;
    r.user = &calls;
    r.threads = threads;
    CHECK(scant_plan_new(&plan, &r, NULL) == SCANT_OK);
    CHECK(scant_plan_entry_at(plan, 0, &e, &error) == SCANT_MISUSE);
    CHECK(scant_plan_run(plan, &error) == SCANT_STOPPED && calls == 3);
    CHECK_SAYS(error.text, "stopped");
    CHECK(!scant_plan_point_at(plan, 0, 0, 0, &p) && scant_plan_run(plan, &error) == SCANT_MISUSE);
    scant_plan_free(plan);
  }
  scant_model_free(m);
}

int main(void) {
  RUN(a_point_is_a_fit_of_as_many_examples);
  RUN(money_pays_for_attributes_and_labels);
  RUN(the_money_of_a_step_is_never_passed);
  RUN(the_money_is_spent_on_cheap_examples_too);
  RUN(k_doubles_up_to_whole_examples);
  RUN(k_that_the_algorithm_does_not_take_are_left_out);
  RUN(there_are_no_more_examples_than_exist);
  RUN(threads_change_nothing);
  RUN(what_is_wrong_is_refused);
  RUN(a_pilot_that_shows_nothing_is_refused);
  RUN(a_model_without_a_gaussian_is_refused);
  RUN(progress_can_stop_it);
  return check_done();
}
