/* Values that are missing: what a learner, a meter, a fit and a model make of
 * NaN under each policy. */
#include "data/meter.h"
#include "data/source.h"
#include "files.h"
#include "model/model.h"
#include "support.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data; /* about one value in four is NaN; targets are not */
static scant_error error;

static scant_status tell(scant_learner *learner, const scant_look *look, const double *values, double y) {
  return scant_learner_tell(learner, look, look->count, look->attributes, values, y, &error);
}

static int count_missing(const scant_look *look, const double *values) {
  int count = 0;
  for (uint32_t i = 0; i < look->count; i++) count += isnan(values[i]) != 0;
  return count;
}

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
static void each_row(void (*test)(const char *list, int centred), const char *more) {
  for (size_t row = 0; scant_algorithm_at(row) && !scant_algorithm_at(row)->solved; row++) {
    const scant_algorithm *a = scant_algorithm_at(row);
    int centers = scant_list_has(a->options, "center"), bounded = scant_list_has(a->options, "x-bound");
    for (int other = 0; other < 2; other++) {
      char list[160];
      snprintf(list, sizeof list, "algorithm=%s k=8%s%s%s", a->name, bounded ? " x-bound=4" : "",
               other ? other_center(a) : "", more);
      test(list, centers ? other : !other);
    }
  }
}

/* A look with a missing value leaves what cancelling it leaves. */
static void skip_examples(const char *list, int centred) {
  (void)centred;
  scant_learner *one = learner_from(list, D, N), *two = learner_from(list, D, N);
  scant_look *look = look_for(one);
  int skipped = 0;
  for (size_t row = 0; row < N; row++) {
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK);
    CHECK(scant_learner_ask(two, look, &error) == SCANT_OK);
    const double *values = table_values(&data, row, look);
    int missing = count_missing(look, values);
    CHECK(tell(one, look, values, data.y[row]) == SCANT_OK);
    CHECK((missing ? scant_learner_cancel(two, look, &error) : tell(two, look, values, data.y[row])) == SCANT_OK);
    CHECK(same_state(one, two));
    CHECK(tell(one, look, values, data.y[row]) == SCANT_MISUSE); /* it is closed */
    skipped += missing > 0;
  }
  scant_learner_facts facts;
  scant_learner_get_facts(one, &facts);
  if (!CHECK(skipped > 0 && facts.told == (uint64_t)(N - skipped))) printf("#   %s: %d skipped\n", list, skipped);
  scant_look_free(look);
  scant_learner_free(one);
  scant_learner_free(two);
}

TEST(skip_example_is_as_cancelling) {
  each_row(skip_examples, " missing=skip-example");
}

/* A missing value is as the running mean of the known ones, kept here, told in
 * its place, but for what is known of the attribute and of all, which is put
 * back.  In rows that subtract means it is the mean in the look. */
static void put_back(scant_learner *two, const scant_learner *one) {
  two->pool_sum = one->pool_sum;
  two->pool_count = one->pool_count;
  two->law_pool = one->law_pool;
  scant_learner_rebuild_law(two);
}

static void skip_cells(const char *list, int centred) {
  scant_learner *one = learner_from(list, D, N), *two = learner_from(list, D, N);
  if (one->row->standardised && !centred) { /* a deviation would count the mean once more: the next test */
    scant_learner_free(one);
    scant_learner_free(two);
    return;
  }
  scant_look *look = look_for(one);
  double known[D] = {0}, means[D], bound = one->settings.x_bound, pool = 0, pooled = 0;
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
      double mean = centred ? look->entries[i].mean : known[look->attributes[i]];
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
      pool += deviation * deviation * n / (n + 1);
      pooled += n > 0;
      known[a] += deviation / (n + 1);
    }
    CHECK_NEAR(one->pool_sum, pool, 1e-12);
    CHECK(one->pool_count == pooled);
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
  each_row(skip_cells, "");
  each_row(skip_cells, " missing=skip-cell average=last");
}

/* Without an intercept deviations are from 0, and a missing value is the mean
 * in units of the known ones' deviation. */
TEST(a_standardised_row_without_intercept_takes_the_mean) {
  scant_learner *learner = learner_from("algorithm=auto k=12 intercept=no", D, N);
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

/* ---- fits ----------------------------------------------------------------------- */

static scant_fit *fit_of(const char *list, scant_source *source) {
  scant_settings settings = settings_from(list);
  scant_fit *fit = NULL;
  if (!CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK)) printf("#   %s: %s\n", list, error.text);
  return fit;
}

static char *text_of(const scant_fit *fit) {
  scant_model *model = NULL;
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_OK);
  char *text = model_text(model, file_path("fit.json"));
  scant_model_free(model);
  return text;
}

/* Stops at `cut`, goes on from the file, and ends with the bits of `wanted`. */
static void stop_and_go_on(const char *list, scant_source *source, uint64_t cut, const char *wanted) {
  int done;
  scant_fit *first = fit_of(list, source), *second = NULL;
  scant_model *half = NULL, *loaded = NULL;
  CHECK(scant_fit_advance(first, cut, &done, &error) == SCANT_OK);
  CHECK(scant_fit_model(first, 1, &half, &error) == SCANT_OK);
  CHECK(scant_model_save(half, file_path("half.json"), &error) == SCANT_OK);
  CHECK(scant_model_load(&loaded, file_path("half.json"), &error) == SCANT_OK);
  if (!CHECK(scant_fit_resume(&second, loaded, NULL, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(scant_fit_advance(second, ALL, &done, &error) == SCANT_OK && done);
  char *got = text_of(second);
  if (!CHECK(strcmp(wanted, got) == 0)) printf("#   %s, at %u\n", list, (unsigned)cut);
  free(got);
  scant_model_free(half);
  scant_model_free(loaded);
  scant_fit_free(first);
  scant_fit_free(second);
}

TEST(a_fit_resumes_to_the_same_bits) {
  static const char *const policies[] = {"skip-cell", "skip-example"};
  scant_source *source = table_source(&data);
  for (size_t row = 0; scant_algorithm_at(row) && !scant_algorithm_at(row)->solved; row++) {
    for (size_t p = 0; p < 2; p++) {
      char list[128];
      int done;
      snprintf(list, sizeof list, "algorithm=%s k=12 passes=2 split=0.25 missing=%s", scant_algorithm_at(row)->name,
               policies[p]);
      scant_fit *fit = fit_of(list, source);
      CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_OK && done);
      const scant_ledger *ledger = scant_fit_ledger(fit);
      CHECK(ledger->missing_cells > 0 && !ledger->skipped_examples == !p);
      char *wanted = text_of(fit);
      for (uint64_t cut = 1; cut < 60; cut += 14) stop_and_go_on(list, source, cut, wanted);
      free(wanted);
      scant_fit_free(fit);
    }
  }
  scant_source_free(source);
}

static int warns(const char *list, const table *t, scant_error *warning) {
  int done;
  scant_source *source = table_source(t);
  scant_fit *fit = fit_of(list, source);
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_OK && done);
  warning->text[0] = 0;
  int warned = scant_fit_missing_warning(fit, warning);
  scant_fit_free(fit);
  scant_source_free(source);
  return warned;
}

TEST(an_attribute_that_never_had_a_value_is_told) {
  static table bare;
  scant_error warning;
  bare = data;
  CHECK(!warns("algorithm=online-ridge", &bare, &warning));
  for (size_t row = 0; row < N; row++) bare.x[row][4] = NAN;
  CHECK(warns("algorithm=online-ridge", &bare, &warning));
  CHECK_SAYS(warning.text, "attribute 5 was bought 40 times and never had a value");
  CHECK(!strstr(warning.text, "other"));
  CHECK(warns("algorithm=online-ridge missing=skip-example", &bare, &warning)); /* though no other one was learned */
  CHECK_SAYS(warning.text, "attribute 5 ");
  CHECK(!strstr(warning.text, "other"));
  CHECK(!warns("algorithm=online-ridge examples=9", &bare, &warning)); /* too early to tell */
  CHECK(warns("algorithm=online-ridge examples=10", &bare, &warning));
  for (size_t row = 0; row < N; row++) bare.x[row][7] = NAN;
  CHECK(warns("algorithm=online-ridge", &bare, &warning));
  CHECK_SAYS(warning.text, "attribute 5 was bought 40 times and never had a value, nor had 1 other");
  bare.x[39][4] = bare.x[39][7] = 1;
  CHECK(!warns("algorithm=online-ridge", &bare, &warning));
}

/* ---- sources and models ------------------------------------------------------------ */

TEST(a_digest_tells_missing_values_from_others_and_not_from_each_other) {
  static table other;
  uint64_t one, two, three;
  scant_source *source = table_source(&other);
  other = data;
  CHECK(scant_source_digest(source, &one, &error) == SCANT_OK);
  for (size_t row = 0; row < N; row++)
    for (size_t i = 0; i < D; i++)
      if (isnan(other.x[row][i])) other.x[row][i] = real_of_bits(UINT64_C(0xfff8000000000007));
  CHECK(scant_source_digest(source, &two, &error) == SCANT_OK);
  size_t row = 0;
  while (!isnan(other.x[row][3])) row++;
  other.x[row][3] = 0;
  CHECK(scant_source_digest(source, &three, &error) == SCANT_OK);
  CHECK(one == two && one != three);
  scant_source_free(source);
}

TEST(a_model_puts_means_where_values_are_missing) {
  int done;
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_of("k=6 center=yes", source);
  scant_model *model = NULL;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_OK);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  const double *w = scant_model_weights(model), *means = scant_model_means(model);
  double predictions[N];
  CHECK(scant_model_predict_rows(model, source, predictions, &error) == SCANT_OK);
  for (size_t row = 0; row < N; row++) {
    double sum = scant_model_intercept(model);
    for (size_t i = 0; i < D; i++) sum += w[i] * (isnan(data.x[row][i]) ? means[i] : data.x[row][i]);
    CHECK_NEAR(predictions[row], sum, 1e-12);
    CHECK(scant_model_predict(model, data.x[row]) == predictions[row]);
  }
  free(model->means); /* as a file of an earlier version is loaded */
  model->means = NULL;
  size_t row = 0, i = 0;
  while (row < N && !isnan(data.x[row][i])) i = (i + 1) % D, row += !i;
  char words[64];
  snprintf(words, sizeof words, "element [%zu, %zu]: the value is missing", row, i);
  CHECK(scant_model_predict_rows(model, source, predictions, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, words);
  CHECK(isnan(scant_model_predict(model, data.x[row])) && scant_model_means(model) == NULL);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

int main(void) {
  uint64_t seed = 9;
  files_begin();
  table_fill(&data, 5);
  for (size_t row = 0; row < N; row++) /* a third of the rows is whole */
    for (size_t i = 0; i < D; i++)
      if (row % 3 && random_below(&seed, 3) == 0) data.x[row][i] = NAN;
  RUN(error_refuses_a_missing_value_and_changes_nothing);
  RUN(infinity_and_a_missing_target_stay_errors);
  RUN(skip_example_is_as_cancelling);
  RUN(skip_cell_is_as_telling_the_running_mean);
  RUN(a_standardised_row_without_intercept_takes_the_mean);
  RUN(the_mean_of_a_late_look_is_the_frozen_one);
  RUN(the_meter_charges_and_counts_what_is_missing);
  RUN(a_fit_resumes_to_the_same_bits);
  RUN(an_attribute_that_never_had_a_value_is_told);
  RUN(a_digest_tells_missing_values_from_others_and_not_from_each_other);
  RUN(a_model_puts_means_where_values_are_missing);
  files_end();
  return check_done();
}
