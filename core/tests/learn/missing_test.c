/* Values that are missing: what a learner and a meter make of NaN under each
 * policy. */
#include "data/meter.h"
#include "learners.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS };

static table data; /* table_punch has made holes; targets have none */

/* ---- learners ------------------------------------------------------------------ */

TEST(error_refuses_a_missing_value_and_changes_nothing) {
  scant_learner *learner = learner_from("k=6 missing=error", D, 0);
  scant_look *look = look_for(learner);
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  double values[D] = {0};
  values[look->count - 1] = NAN;
  char *before = learner_text(learner);
  CHECK(tell(learner, look, values, 1) == SCANT_DATA);
  CHECK_SAYS(error.text, "attribute");
  char *after = learner_text(learner);
  CHECK(strcmp(before, after) == 0);
  values[look->count - 1] = 0;
  CHECK(tell(learner, look, values, 1) == SCANT_OK); /* it is still open */
  free(before);
  free(after);
  scant_look_free(look);
  scant_learner_free(learner);
}

TEST(infinity_and_a_missing_target_stay_errors) {
  static const char *const policies[] = {"error", "skip-cell", "skip-example"};
  for (size_t p = 0; p < 3; p++) {
    char list[64];
    snprintf(list, sizeof list, "k=6 missing=%s", policies[p]);
    scant_learner *learner = learner_from(list, D, 0);
    scant_look *look = look_for(learner);
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK && look->count > 1);
    double values[D] = {0};
    for (int missing = 0; missing < 2; missing++) {
      char *before = learner_text(learner);
      values[0] = missing ? NAN : 0;
      CHECK(tell(learner, look, values, NAN) == SCANT_DATA);
      values[1] = INFINITY;
      CHECK(tell(learner, look, values, 1) == SCANT_DATA);
      values[1] = -INFINITY;
      CHECK(tell(learner, look, values, 1) == SCANT_DATA);
      values[1] = 0;
      char *after = learner_text(learner);
      CHECK(strcmp(before, after) == 0);
      free(before);
      free(after);
    }
    scant_look_free(look);
    scant_learner_free(learner);
  }
}

/* Each row of the table with and without what it subtracts. */
static void each_row(void (*test)(const char *list, int centred), const char *more, int unclipped) {
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    const scant_algorithm *a = scant_algorithm_at(row);
    int centers = scant_list_has(a->options, "center"), bounded = scant_list_has(a->options, "x-bound");
    for (int other = 0; other < 2; other++) {
      char list[160];
      snprintf(list, sizeof list, "algorithm=%s k=8%s%s%s%s", a->name, bounded ? " x-bound=4" : "",
               other ? other_center(a) : "", unclipped && scant_list_has(a->options, "clip") ? " clip=none" : "", more);
      test(list, centers ? other : !other);
    }
  }
}

/* A look with a missing value leaves what cancelling it leaves. */
static void skip_examples(const char *list, int centred) {
  (void)centred;
  scant_learner *one = learner_from(list, D, N), *two = learner_from(list, D, N);
  skip_or_cancel(one, two, &data);
  if (check_failures) printf("#   %s\n", list);
  scant_learner_free(one);
  scant_learner_free(two);
}

TEST(skip_example_is_as_cancelling) {
  each_row(skip_examples, " missing=skip-example", 0);
}

/* A missing value is as the running mean of the known ones, kept here, told in
 * its place, but for what is known of the attribute and of all, which is put
 * back.  In rows that subtract means it is the mean in the look. */
static void put_back(scant_learner *two, const scant_learner *one) {
  two->pool.sum = one->pool.sum;
  two->pool.count = one->pool.count;
  two->looks.law.pool = one->looks.law.pool;
  if (!one->looks.kind->in_items) return;
  memcpy(two->looks.law.explore, one->looks.law.explore, one->looks.law.known * sizeof *one->looks.law.explore);
  memcpy(two->looks.law.follow, one->looks.law.follow, one->looks.law.known * sizeof *one->looks.law.follow);
  scant_looks_make_law(&two->looks);
}

static void skip_cells(const char *list, int centred) {
  scant_learner *one = learner_from(list, D, N), *two = learner_from(list, D, N);
  if (one->parts->standardised && !centred) { /* a deviation would count the mean once more: the next test */
    scant_learner_free(one);
    scant_learner_free(two);
    return;
  }
  scant_look *look = look_for(one);
  double known[D] = {0}, means[D], bound = one->settings.learning.x_bound, pool = 0, pooled = 0;
  uint64_t count[D] = {0};
  int told_missing = 0;
  for (size_t row = 0; row < N; row++) {
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK);
    CHECK(scant_learner_ask(two, look, &error) == SCANT_OK);
    const double *values = table_values(&data, row, look);
    double filled[D];
    scant_moments before[D];
    memcpy(before, two->moments, sizeof before);
    for (uint32_t i = 0; i < look->count; i++) {
      double mean = centred ? look->mean[i] : scant_learner_mean(one, look->attributes[i]);
      if (!centred) CHECK_NEAR(mean, known[look->attributes[i]], 1e-12);
      filled[i] = !isnan(values[i]) ? values[i] : isnan(mean) ? 77 : bound * mean;
    }
    told_missing += count_missing(look, values);
    CHECK(tell(one, look, values, data.y[row]) == SCANT_OK);
    CHECK(tell(two, look, filled, data.y[row]) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      uint32_t a = look->attributes[i];
      if (isnan(values[i])) {
        two->moments[a] = before[a];
        continue;
      }
      double deviation = values[i] / bound - known[a], n = (double)count[a]++;
      double size = centred ? deviation : values[i] / bound; /* around 0 where nothing is centred */
      pool += size * size * (centred ? n / (n + 1) : 1);
      pooled += !centred || n > 0;
      known[a] += deviation / (n + 1);
    }
    if (one->settings.learning.like_units || one->looks.kind->by_deviation) { /* the others have no use for it */
      CHECK_NEAR(one->pool.sum, pool, 1e-12);
      CHECK(one->pool.count == pooled);
    }
    put_back(two, one);
    if (!CHECK(same_state(one, two))) printf("#   %s, row %zu\n", list, row);
  }
  CHECK(told_missing > 10);
  scant_learner_means(one, means);
  for (size_t i = 0; i < D; i++) CHECK_NEAR(means[i], bound * known[i], 1e-12);
  scant_look_free(look);
  scant_learner_free(one);
  scant_learner_free(two);
}

TEST(skip_cell_is_as_telling_the_running_mean) {
  each_row(skip_cells, "", 1);
  each_row(skip_cells, " missing=skip-cell average=last", 1);
}

/* Without an intercept deviations are from 0, and a missing value is the mean
 * in units of the known ones' deviation. */
TEST(a_standardised_row_without_intercept_takes_the_mean) {
  scant_learner *learner = learner_from("algorithm=auto k=12 intercept=no clip=none", D, N);
  scant_look *look = look_for(learner);
  double x[D], values[D], sum[D] = {0}, squares[D] = {0}, largest[D] = {0}, count[D] = {0};
  for (size_t row = 0; row < N; row++) {
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK && look->count == D);
    memcpy(values, table_values(&data, row, look), sizeof values);
    scant_learner_units(learner, look, values, x);
    for (uint32_t i = 0; i < D; i++) {
      uint32_t a = look->attributes[i];
      if (!isnan(values[i])) {
        count[a]++;
        sum[a] += values[i];
        squares[a] += values[i] * values[i];
        largest[a] = fmax(largest[a], values[i] * values[i]);
      } else {
        CHECK_NEAR(x[i], count[a] > 0 ? sum[a] / count[a] / sqrt((squares[a] + largest[a]) / count[a]) : 0, 1e-12);
      }
    }
    CHECK(tell(learner, look, values, data.y[row]) == SCANT_OK);
  }
  scant_look_free(look);
  scant_learner_free(learner);
}

/* Looks that are told late: x is 0 whatever the mean has become meanwhile. */
TEST(the_mean_of_a_late_look_is_the_frozen_one) {
  scant_learner *one = learner_from("k=12 residual-looks=1 center=yes max-open=2 algorithm=aerr", D, N);
  scant_look *late = look_for(one), *look = look_for(one);
  learn_rows(one, look, &data, 0, 9);
  CHECK(scant_learner_ask(one, late, &error) == SCANT_OK);
  learn_rows(one, look, &data, 9, 18);
  double values[D], x[D];
  for (uint32_t i = 0; i < late->count; i++) values[i] = NAN;
  scant_learner_units(one, late, values, x);
  for (uint32_t i = 0; i < late->count; i++) CHECK(x[i] == 0);
  CHECK(tell(one, late, values, 1) == SCANT_OK);
  scant_look_free(late);
  scant_look_free(look);
  scant_learner_free(one);
}

/* An example that is skipped judges nobody; one with a mean in its place does. */
TEST(what_is_skipped_does_not_judge) {
  static const char *const lists[] = {"algorithm=auto k=8", "algorithm=auto k=8 missing=skip-example"};
  for (int skip = 0; skip < 2; skip++) {
    scant_learner *learner = learner_from(lists[skip], D, N);
    scant_look *look = look_for(learner);
    int judged = 0;
    for (size_t row = 0; row < N; row++) {
      double risk = 0;
      CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
      const double *values = table_values(&data, row, look);
      CHECK(scant_learner_judge(learner, look, values, data.y[row], &risk, &error) == SCANT_OK);
      if (skip && count_missing(look, values))
        CHECK(isnan(risk));
      else
        judged += isfinite(risk);
      CHECK(tell(learner, look, values, data.y[row]) == SCANT_OK);
    }
    CHECK(skip ? judged > 0 && judged < N : judged > N / 2);
    scant_look_free(look);
    scant_learner_free(learner);
  }
}

/* ---- the meter ------------------------------------------------------------------ */

static void buy_all(int missing, uint64_t cells, uint64_t examples) {
  scant_source *source = table_source(&data);
  scant_meter *meter = NULL;
  uint32_t attributes[D];
  for (uint32_t i = 0; i < D; i++) attributes[i] = i;
  scant_look look = {.count = D, .draws = D, .attributes = attributes};
  CHECK(scant_meter_new(&meter, source, D, 0, &error) == SCANT_OK);
  scant_meter_set_missing(meter, (scant_missing)missing);
  for (size_t row = 0; row < N; row++) {
    double values[D], y;
    CHECK(scant_meter_buy(meter, row, &look, values, &y, &error) == SCANT_OK);
    for (size_t i = 0; i < D; i++) CHECK(bits_of(values[i]) == bits_of(data.x[row][i]));
  }
  const scant_ledger *ledger = scant_meter_ledger(meter);
  CHECK(ledger->examples == N && ledger->attributes_bought == N * D);
  CHECK(ledger->missing_cells == cells && ledger->skipped_examples == examples);
  scant_meter_free(meter);
  scant_source_free(source);
}

TEST(the_meter_charges_and_counts_what_is_missing) {
  uint64_t cells = 0, examples = 0;
  for (size_t row = 0; row < N; row++) {
    uint64_t before = cells;
    for (size_t i = 0; i < D; i++) cells += isnan(data.x[row][i]) != 0;
    examples += cells > before;
  }
  CHECK(cells > examples && examples < N);
  buy_all(SCANT_MISSING_SKIP_CELL, cells, 0);
  buy_all(SCANT_MISSING_SKIP_EXAMPLE, cells, examples);
}

int main(void) {
  table_fill(&data, 5);
  table_punch(&data, 9);
  RUN(error_refuses_a_missing_value_and_changes_nothing);
  RUN(infinity_and_a_missing_target_stay_errors);
  RUN(skip_example_is_as_cancelling);
  RUN(skip_cell_is_as_telling_the_running_mean);
  RUN(a_standardised_row_without_intercept_takes_the_mean);
  RUN(the_mean_of_a_late_look_is_the_frozen_one);
  RUN(what_is_skipped_does_not_judge);
  RUN(the_meter_charges_and_counts_what_is_missing);
  return check_done();
}
