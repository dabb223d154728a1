/* Values that are missing: what a fit and a model make of them, and how they
 * stand in a source. */
#include "data/source.h"
#include "fits.h"
#include "model/model.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data; /* table_punch has made holes; targets have none */
static scant_error error;

/* ---- fits ----------------------------------------------------------------------- */

/* Stops at `cut`, goes on from the file, and ends with the bits of `wanted`. */
static void stop_and_go_on(const char *list, scant_source *source, uint64_t cut, const char *wanted) {
  int done;
  scant_fit *first = fit_from(list, source), *second = NULL;
  scant_model *half = NULL, *loaded = NULL;
  CHECK(scant_fit_advance(first, cut, &done, &error) == SCANT_OK);
  CHECK(scant_fit_model(first, 1, &half, &error) == SCANT_OK);
  CHECK(scant_model_save(half, file_path("half.json"), &error) == SCANT_OK);
  CHECK(scant_model_load(&loaded, file_path("half.json"), &error) == SCANT_OK);
  if (!CHECK(scant_fit_resume(&second, loaded, NULL, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(scant_fit_advance(second, ALL, &done, &error) == SCANT_OK && done);
  char *got = fit_text(second, 1);
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
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    for (size_t p = 0; p < 2; p++) {
      char list[128];
      int done;
      snprintf(list, sizeof list, "algorithm=%s k=12 passes=2 split=0.25 missing=%s", scant_algorithm_at(row)->name,
               policies[p]);
      scant_fit *fit = fit_from(list, source);
      CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_OK && done);
      const scant_ledger *ledger = scant_fit_ledger(fit);
      CHECK(ledger->missing_cells > 0 && !ledger->skipped_examples == !p);
      char *wanted = fit_text(fit, 1);
      for (uint64_t cut = 1; cut < 60; cut += 14) stop_and_go_on(list, source, cut, wanted);
      free(wanted);
      scant_fit_free(fit);
    }
  }
  scant_source_free(source);
}

/* What is missing in a prediction is at its mean, also in a model that was a file. */
TEST(a_model_from_a_file_predicts_rows_with_holes_as_before) {
  double predictions[2][N];
  int done;
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_from("k=8 missing=skip-cell", source);
  scant_model *model[2] = {NULL};
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_OK && done);
  CHECK(scant_fit_model(fit, 0, &model[0], &error) == SCANT_OK);
  CHECK(scant_model_save(model[0], file_path("model.json"), &error) == SCANT_OK);
  CHECK(scant_model_load(&model[1], file_path("model.json"), &error) == SCANT_OK);
  for (int i = 0; i < 2; i++) {
    if (!CHECK(scant_model_predict_rows(model[i], source, predictions[i], &error) == SCANT_OK))
      printf("#   %s\n", error.text);
    scant_model_free(model[i]);
  }
  CHECK(memcmp(predictions[0], predictions[1], sizeof predictions[0]) == 0);
  scant_fit_free(fit);
  scant_source_free(source);
}

static int warns(const char *list, const table *t, scant_error *warning) {
  int done;
  scant_source *source = table_source(t);
  scant_fit *fit = fit_from(list, source);
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_OK && done);
  warning->text[0] = 0;
  int warned = scant_fit_say(fit, NULL, SCANT_FIT_NEVER_KNOWN, warning);
  scant_fit_free(fit);
  scant_source_free(source);
  return warned;
}

/* What was read and refused is paid once: another try does not read it again. */
static void check_paid_once(const char *list, double value, const char *words) {
  static table bad;
  bad = data;
  for (size_t row = 0; row < N; row++)
    for (size_t i = 0; i < D; i++) bad.x[row][i] = row == 5 ? value : (double)(row + i);
  recorder record = {.table = &bad};
  scant_source *source = recorder_source(&record);
  scant_fit *fit = fit_from(list, source), *again = NULL;
  const scant_ledger *l = scant_fit_ledger(fit);
  int done = 0;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA && !done);
  CHECK_SAYS(error.text, words);
  uint64_t read = 0;
  for (size_t i = 0; i < (size_t)N * D; i++) read += record.cells[i / D][i % D];
  CHECK(record.calls == 6 && l->examples == 6 && l->refused_examples == 1 && l->attributes_bought == read);
  scant_ledger before = *l;
  error.text[0] = 0;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, words);
  CHECK(record.calls == 6 && memcmp(&before, l, sizeof before) == 0);
  scant_model *model = NULL, *loaded = NULL;
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_OK);
  CHECK(scant_model_save(model, file_path("failed.json"), &error) == SCANT_OK);
  if (!CHECK(scant_model_load(&loaded, file_path("failed.json"), &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(loaded && memcmp(scant_model_ledger(loaded), l, sizeof *l) == 0);
  scant_source_digest(source, &(uint64_t){0}, &error); /* reads, outside any ledger, once */
  size_t calls = record.calls;
  CHECK(loaded && scant_fit_resume(&again, loaded, NULL, source, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, words);
  CHECK(record.calls == calls);
  scant_model_free(model);
  scant_model_free(loaded);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(a_fit_that_was_refused_a_value_has_paid_it_and_is_over) {
  check_paid_once("k=4 shuffle=no missing=error", NAN, "missing");
  check_paid_once("k=4 shuffle=no missing=skip-example", INFINITY, "infinity");
  check_paid_once("k=4 shuffle=no passes=1 missing=skip-cell", -INFINITY, "minus infinity");
}

/* The same with candidates, which share what is bought. */
TEST(a_tuning_that_was_refused_a_value_has_paid_it_and_is_over) {
  static table bad;
  bad = data;
  for (size_t i = 0; i < D; i++) bad.x[5][i] = INFINITY;
  recorder record = {.table = &bad};
  scant_source *source = recorder_source(&record);
  scant_settings candidates[2] = {settings_from("algorithm=ridge k=4 shuffle=no eta=1"),
                                  settings_from("algorithm=ridge k=4 shuffle=no eta=2")};
  scant_tune *tune = NULL;
  CHECK(scant_tune_new(&tune, candidates, 2, source, &error) == SCANT_OK);
  const scant_ledger *l = scant_fit_ledger(scant_tune_fit(tune));
  int done = 0;
  for (int i = 0; i < 3; i++) {
    CHECK(scant_tune_advance(tune, ALL, &done, &error) == SCANT_DATA && !done);
    CHECK_SAYS(error.text, "infinity");
    CHECK(record.calls == 6 && l->examples == 6 && l->refused_examples == 1);
  }
  scant_tune_free(tune);
  scant_source_free(source);
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
  scant_fit *fit = fit_from("k=6 center=yes", source);
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
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

int main(void) {
  files_begin();
  table_fill(&data, 5);
  table_punch(&data, 9);
  RUN(a_model_from_a_file_predicts_rows_with_holes_as_before);
  RUN(a_fit_resumes_to_the_same_bits);
  RUN(a_fit_that_was_refused_a_value_has_paid_it_and_is_over);
  RUN(a_tuning_that_was_refused_a_value_has_paid_it_and_is_over);
  RUN(an_attribute_that_never_had_a_value_is_told);
  RUN(a_digest_tells_missing_values_from_others_and_not_from_each_other);
  RUN(a_model_puts_means_where_values_are_missing);
  files_end();
  return check_done();
}
