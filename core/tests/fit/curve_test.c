/* Curves: a fit that stops is the fit that does not; points are the last examples that fit into their steps; nothing
 * depends on threads. */
#include "fail_each.h"

enum { D = 6, N = 90, HELD = 30, POINTS = 7, RUNS = 3, ENTRIES = 3 };

static double x[N][D], y[N];
static size_t opened;
static int dead; /* the training data can't be read */

static void fill_data(void) {
  uint64_t seed = 3;
  for (size_t row = 0; row < N; row++) {
    for (size_t i = 0; i < D; i++) x[row][i] = random_real(&seed);
    y[row] = x[row][0] - x[row][3] / 2 + random_real(&seed) / 4;
  }
}

static scant_status fetch(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                          scant_error *e) {
  (void)user;
  if (dead) {
    snprintf(e->text, sizeof e->text, "the line is dead");
    return SCANT_IO;
  }
  for (size_t i = 0; i < count; i++) values[i] = x[row][attributes[i]];
  return SCANT_OK;
}

/* The last rows are the test; attribute i costs i + 1, the second one half of that. */
static scant_status open_data(void *user, scant_source **train, scant_source **test, scant_error *e) {
  static const uint64_t costs[D] = {100, 150, 300, 400, 500, 600};
  scant_prices *prices = NULL;
  opened++;
  scant_status status = scant_source_custom(train, N - HELD, D, fetch, NULL, y, e);
  if (status == SCANT_OK) status = scant_prices_new(&prices, D, costs, NULL, e);
  if (status == SCANT_OK) status = scant_source_set_prices(*train, prices, e);
  if (status == SCANT_OK && user)
    status = scant_source_wrap(test, SCANT_FLOAT64, x[N - HELD], HELD, D, sizeof x[0], sizeof x[0][0], y + N - HELD, e);
  scant_prices_free(prices);
  return status;
}

/* ---- steps and marks ------------------------------------------------------------------ */

TEST(steps_are_equal) {
  for (uint64_t end = 0; end < 40; end++)
    for (size_t points = 1; points < 9; points++)
      for (size_t p = 0; p < 2 * points; p++) {
        uint64_t down = end * (p + 1) / points, up = (end * (p + 1) + points - 1) / points;
        CHECK(scant_curve_step(SCANT_CURVE_EXAMPLES, end, points, p) == up);
        CHECK(scant_curve_step(SCANT_CURVE_ATTRIBUTES, end, points, p) == down);
        CHECK(scant_curve_step(SCANT_CURVE_MONEY, end, points, p) == down);
      }
  uint64_t most = UINT64_MAX - 5; /* no product overflows on the way */
  CHECK(scant_curve_step(SCANT_CURVE_MONEY, most, 1000, 999) == most);
}

static void check_model(const scant_fit *fit, const char *list, uint64_t examples) {
  scant_settings s = settings_from(list);
  scant_source *source = NULL;
  scant_fit *whole = NULL;
  scant_model *mine = NULL, *its = NULL;
  int done;
  s.run.examples = examples;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, N, D, sizeof x[0], sizeof x[0][0], y, NULL) == SCANT_OK);
  CHECK(scant_fit_new(&whole, &s, source, NULL) == SCANT_OK);
  CHECK(scant_fit_advance(whole, UINT64_MAX, &done, NULL) == SCANT_OK && done);
  CHECK(scant_fit_model(whole, 0, &its, NULL) == SCANT_OK && scant_fit_model(fit, 0, &mine, NULL) == SCANT_OK);
  CHECK(!memcmp(scant_model_weights(mine), scant_model_weights(its), D * sizeof(double)));
  CHECK(!memcmp(scant_model_ledger(mine), scant_model_ledger(its), sizeof(scant_ledger)));
  scant_model_free(mine);
  scant_model_free(its);
  scant_fit_free(whole);
  scant_source_free(source);
}

static void walk(uint64_t stride) {
  static const uint64_t marks[] = {0, 5, 5, 41, 4000}, stops[] = {5, 41, N};
  scant_settings s = settings_from("algorithm=auto k=3 seed=4");
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_curve *curve = NULL;
  size_t met = 0;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, N, D, sizeof x[0], sizeof x[0][0], y, NULL) == SCANT_OK);
  CHECK(scant_fit_new(&fit, &s, source, NULL) == SCANT_OK);
  CHECK(scant_curve_new(&curve, fit, marks, 5, NULL) == SCANT_OK);
  for (int arrived, done = 0; !done;) {
    uint64_t before = scant_fit_ledger(fit)->examples;
    if (!CHECK(scant_curve_advance(curve, stride, &arrived, &done, NULL) == SCANT_OK)) break;
    scant_curve_point point;
    scant_curve_get_point(curve, &point);
    CHECK(point.examples - before <= stride);
    CHECK(point.attributes == scant_fit_ledger(fit)->attributes_bought && point.reached && !point.over);
    CHECK(arrived == (met < 3 && point.examples == stops[met]) && done == (point.examples == N));
    if (!arrived) continue;
    met++;
    check_model(fit, "algorithm=auto k=3 seed=4", point.examples);
  }
  CHECK(met == 3);
  scant_curve_free(curve);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(a_fit_stops_at_its_marks) {
  walk(1);
  walk(7);
  walk(UINT64_MAX);
}

TEST(marks_do_not_fall) {
  static const uint64_t marks[] = {3, 2};
  scant_settings s = settings_from("algorithm=auto k=3");
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_curve *curve = NULL;
  scant_error e;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, N, D, sizeof x[0], sizeof x[0][0], y, NULL) == SCANT_OK);
  CHECK(scant_fit_new(&fit, &s, source, NULL) == SCANT_OK);
  CHECK(scant_curve_new(&curve, fit, marks, 2, &e) == SCANT_MISUSE && !curve);
  CHECK_SAYS(e.text, "mark 2");
  scant_fit_free(fit);
  scant_source_free(source);
}

/* ---- many --------------------------------------------------------------------------------- */

static scant_curve_entry entries[ENTRIES];
static scant_curve_point found[ENTRIES * RUNS * POINTS];

static scant_curve_plan plan_of(scant_curve_unit unit, uint64_t end, int with_test) {
  static int yes = 1;
  entries[0] = (scant_curve_entry){"first", settings_from("algorithm=auto k=3")};
  entries[1] = (scant_curve_entry){"second", settings_from("algorithm=coinflip k=2 radius=2 eta=0.05")};
  entries[2] = (scant_curve_entry){"third", settings_from("algorithm=online-ridge radius=2 eta=0.05")};
  for (size_t i = 0; !with_test && i < ENTRIES; i++) entries[i].settings.run.split = 0.2;
  return (scant_curve_plan){.entries = entries,
                            .entry_count = ENTRIES,
                            .unit = unit,
                            .end = end,
                            .points = POINTS,
                            .runs = RUNS,
                            .seed = 11,
                            .threads = 1,
                            .open = open_data,
                            .user = with_test ? &yes : NULL};
}

/* What a fit of as many examples has: its ledger, and the scores on what it did not learn from. */
static void fit_by_hand(const scant_curve_plan *plan, size_t entry, size_t run, uint64_t examples,
                        scant_curve_point *out) {
  scant_settings s = plan->entries[entry].settings;
  scant_source *train = NULL, *test = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  size_t count = 0;
  int done;
  s.learning.seed = plan->seed + run;
  s.run.examples = examples;
  CHECK(open_data(plan->user, &train, &test, NULL) == SCANT_OK);
  CHECK(scant_fit_new(&fit, &s, train, NULL) == SCANT_OK);
  CHECK(scant_fit_advance(fit, UINT64_MAX, &done, NULL) == SCANT_OK);
  CHECK(scant_fit_model(fit, 0, &model, NULL) == SCANT_OK);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  *out = (scant_curve_point){
      .examples = ledger->examples, .attributes = ledger->attributes_bought, .money = ledger->money_spent};
  const uint64_t *rows = test ? NULL : scant_fit_held_out(fit, &count);
  CHECK(scant_model_evaluate(model, test ? test : train, rows, count, &out->scores, NULL) == SCANT_OK);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(train);
  scant_source_free(test);
}

static uint64_t used_by(scant_curve_unit unit, const scant_curve_point *p) {
  return unit == SCANT_CURVE_EXAMPLES ? p->examples : unit == SCANT_CURVE_MONEY ? p->money : p->attributes;
}

/* Budgets change the looks of auto and of nobody else here, and thrift is off without a budget of money. */
static void check_points(scant_curve_unit unit, uint64_t end, int with_test) {
  scant_curve_plan plan = plan_of(unit, end, with_test);
  uint64_t most = 0;
  size_t dimension = 0;
  CHECK(scant_curves_check(&plan, &most, &dimension, NULL) == SCANT_OK);
  CHECK(dimension == D && most == (with_test ? N - HELD : 48));
  CHECK(scant_curves_run(&plan, found, NULL) == SCANT_OK);
  size_t ends = 0;
  for (size_t i = 0; i < ENTRIES * RUNS * POINTS; i++) {
    size_t entry = i / POINTS / RUNS, run = i / POINTS % RUNS, point = i % POINTS;
    const scant_curve_point *p = &found[i];
    scant_curve_point hand, next;
    uint64_t step = scant_curve_step(unit, end, POINTS, point);
    if (!p->reached || (entry == 0 && unit == SCANT_CURVE_MONEY)) continue;
    fit_by_hand(&plan, entry, run, p->examples, &hand);
    CHECK(p->attributes == hand.attributes && p->money == hand.money && p->examples == hand.examples);
    CHECK(!memcmp(&p->scores, &hand.scores, sizeof hand.scores));
    CHECK(used_by(unit, p) <= step);
    ends += p->examples == most;
    if (p->examples == most) continue;
    fit_by_hand(&plan, entry, run, p->examples + 1, &next);
    CHECK(used_by(unit, &next) > step && !p->over);
  }
  CHECK(ends < ENTRIES * RUNS * POINTS);
}

TEST(points_are_the_last_examples_that_fit) {
  check_points(SCANT_CURVE_EXAMPLES, 40, 1);
  check_points(SCANT_CURVE_EXAMPLES, 100, 0); /* more than there are */
  check_points(SCANT_CURVE_ATTRIBUTES, 150, 1);
  check_points(SCANT_CURVE_ATTRIBUTES, 401, 0);
  check_points(SCANT_CURVE_MONEY, 30000, 1);
}

TEST(a_curve_ends_with_its_examples) {
  scant_curve_plan plan = plan_of(SCANT_CURVE_EXAMPLES, 120, 1); /* 60 are there: the 4th of 7 steps is 69 */
  CHECK(scant_curves_run(&plan, found, NULL) == SCANT_OK);
  for (size_t p = 0; p < POINTS; p++) {
    scant_curve_mean mean;
    CHECK(found[p].reached && found[p].over == (p > 3));
    CHECK(scant_curves_mean(&plan, found, 0, p, &mean) == (p <= 3));
    CHECK(found[p].examples == (p < 3 ? scant_curve_step(SCANT_CURVE_EXAMPLES, 120, POINTS, p) : 60));
  }
}

TEST(nothing_depends_on_threads) {
  static scant_curve_point first[ENTRIES * RUNS * POINTS];
  scant_curve_plan plan = plan_of(SCANT_CURVE_ATTRIBUTES, 150, 1);
  CHECK(scant_curves_run(&plan, first, NULL) == SCANT_OK);
  for (plan.threads = 2; plan.threads < 20; plan.threads += 5) {
    opened = 0;
    memset(found, 1, sizeof found);
    CHECK(scant_curves_run(&plan, found, NULL) == SCANT_OK);
    CHECK(!memcmp(first, found, sizeof found));
  }
  plan.threads = 1;
  opened = 0;
  CHECK(scant_curves_run(&plan, found, NULL) == SCANT_OK && opened == 1);
}

TEST(means_are_of_the_runs) {
  scant_curve_plan plan = {.entry_count = 1, .points = 2, .runs = 3};
  scant_curve_point points[6] = {0};
  scant_curve_mean mean;
  for (size_t i = 0; i < 6; i++)
    points[i] = (scant_curve_point){.examples = i,
                                    .attributes = 10 * i,
                                    .money = 100 * i,
                                    .reached = 1,
                                    .scores = {.squared_error = (double)(i * i), .r2 = NAN, .accuracy = 0.5}};
  CHECK(scant_curves_mean(&plan, points, 0, 1, &mean)); /* 1, 3, 5 */
  CHECK_NEAR(mean.examples, 3, 1e-12);
  CHECK_NEAR(mean.attributes, 30, 1e-12);
  CHECK_NEAR(mean.money, 3, 1e-12);
  CHECK_NEAR(mean.squared_error, 35.0 / 3, 1e-12);
  CHECK_NEAR(mean.sd, sqrt((pow(1 - 35.0 / 3, 2) + pow(9 - 35.0 / 3, 2) + pow(25 - 35.0 / 3, 2)) / 2), 1e-12);
  CHECK_NEAR(mean.accuracy, 0.5, 1e-12);
  CHECK(isnan(mean.r2));
  points[1].over = points[3].over = 1;
  CHECK(scant_curves_mean(&plan, points, 0, 1, &mean)); /* one goes on */
  points[5].over = 1;
  CHECK(!scant_curves_mean(&plan, points, 0, 1, &mean));
  points[2].reached = 0;
  CHECK(!scant_curves_mean(&plan, points, 0, 0, &mean));
}

/* ---- what fails ---------------------------------------------------------------------- */

/* Whether engines are there or not, online-ridge takes its radius from full-ridge. */
TEST(what_needs_an_engine_says_so) {
  scant_curve_plan plan = plan_of(SCANT_CURVE_EXAMPLES, 14, 1);
  scant_error e;
  plan.entry_count = plan.runs = 1;
  entries[0] = (scant_curve_entry){"whole", settings_from("algorithm=full-ridge radius=auto")};
  CHECK(scant_curves_run(&plan, found, &e) == SCANT_USAGE);
  CHECK_SAYS(e.text, "whole: full-ridge needs an engine");
  entries[0].settings = settings_from("algorithm=online-ridge eta=0.05"); /* its radius is that of full-ridge */
  entries[0].settings.learning.radius = NAN;
  CHECK(scant_curves_run(&plan, found, &e) == SCANT_USAGE);
  CHECK_SAYS(e.text, "whole: full-ridge needs an engine");
}

TEST(failures_name_their_entry) {
  scant_curve_plan plan = plan_of(SCANT_CURVE_ATTRIBUTES, 150, 1);
  uint64_t examples = 7;
  size_t dimension = 7;
  scant_error e;
  entries[1].settings.learning.k = 9;
  CHECK(scant_curves_check(&plan, &examples, &dimension, &e) == SCANT_DATA && examples == 7 && dimension == 7);
  CHECK_SAYS(e.text, "second: k = 9");
  CHECK(scant_curves_run(&plan, found, &e) == SCANT_DATA);
  CHECK_SAYS(e.text, "second: k = 9");
  entries[1].settings.learning.k = 2;
  entries[2].settings.learning.algorithm = "tango";
  CHECK(scant_curves_check(&plan, &examples, &dimension, &e) == SCANT_USAGE);
  CHECK_SAYS(e.text, "third: there is no algorithm 'tango'");
  CHECK(scant_curves_run(&plan, found, &e) == SCANT_USAGE);
  CHECK_SAYS(e.text, "third: there is no algorithm 'tango'");
  plan.entry_count = 1;
  dead = 1;
  CHECK(scant_curves_run(&plan, found, &e) == SCANT_IO);
  dead = 0;
  CHECK_SAYS(e.text, "first: ");
  CHECK_SAYS(e.text, "the line is dead");
  plan.runs = 0;
  CHECK(scant_curves_run(&plan, found, &e) == SCANT_MISUSE);
}

static scant_status run_plan(void) {
  scant_curve_plan plan = plan_of(SCANT_CURVE_ATTRIBUTES, 60, 1);
  uint64_t examples;
  size_t dimension;
  plan.runs = 2;
  plan.points = 2;
  entries[0].settings = settings_from("algorithm=online-ridge radius=1");
  scant_status status = scant_curves_check(&plan, &examples, &dimension, &error);
  if (status == SCANT_OK) status = scant_curves_run(&plan, found, &error);
  stop_failing();
  if (status == SCANT_OK) note(found, ENTRIES * 4 * sizeof *found);
  return status;
}

TEST(curves_survive_without_memory) {
  fail_each("curves", run_plan);
}

int main(void) {
  files_begin();
  files_held();
  fill_data();
  RUN(steps_are_equal);
  RUN(a_fit_stops_at_its_marks);
  RUN(marks_do_not_fall);
  RUN(points_are_the_last_examples_that_fit);
  RUN(a_curve_ends_with_its_examples);
  RUN(nothing_depends_on_threads);
  RUN(means_are_of_the_runs);
  RUN(what_needs_an_engine_says_so);
  RUN(failures_name_their_entry);
  RUN(curves_survive_without_memory);
  files_end();
  return check_done();
}
