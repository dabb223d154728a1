/* Out of memory: learners, sources and fits (see fail_each.h). */
#include "data/source.h"
#include "fail_each.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data;
/* ---- learners ------------------------------------------------------------------- */

static scant_settings settings;

static scant_status learn_table(scant_learner *learner, scant_look *look, int again) {
  for (size_t row = 0; row < N; row++) {
    scant_status status = scant_learner_ask(learner, look, &error);
    if (status == SCANT_MEMORY && again) status = scant_learner_ask(learner, look, &error);
    if (status != SCANT_OK) return status;
    const double *values = table_values(&data, row, look);
    status = scant_learner_tell(learner, look, look->count, look->attributes, values, data.y[row], &error);
    if (status == SCANT_MEMORY && again)
      status = scant_learner_tell(learner, look, look->count, look->attributes, values, data.y[row], &error);
    if (status != SCANT_OK) return status;
  }
  return SCANT_OK;
}

static scant_status run_learner(void) {
  scant_learner *learner = NULL;
  scant_look *look = NULL;
  scant_status status = scant_learner_new(&learner, &settings, D, N, &error);
  if (status == SCANT_OK) status = scant_look_new(&look, learner, &error);
  if (status == SCANT_OK) status = learn_table(learner, look, 0);
  stop_failing();
  if (status == SCANT_OK) note_text(learner_text(learner));
  scant_look_free(look);
  scant_learner_free(learner);
  return status;
}

TEST(learners_survive) {
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    for (int center = 0; center < 2; center++) {
      const char *name = scant_algorithm_at(row)->name;
      char list[64];
      snprintf(list, sizeof list, "algorithm=%s k=8%s", name, center ? other_center(scant_algorithm_at(row)) : "");
      settings = settings_from(list);
      fail_each(name, run_learner);
    }
  }
}

/* aesvr's looks grow. */
TEST(a_second_try_of_ask_and_tell_gives_the_same_bits) {
  settings = settings_from("algorithm=aesvr k=8 smoothing=0.5 seed=3");
  uint64_t wanted = 0;
  unsigned long met = 0;
  for (unsigned long n = 0; n < 2 || failures; n++) {
    scant_learner *learner = NULL;
    scant_look *look = NULL;
    CHECK(scant_learner_new(&learner, &settings, D, N, &error) == SCANT_OK);
    CHECK(scant_look_new(&look, learner, &error) == SCANT_OK);
    failures = 0;
    outcome = SCANT_HASH_START;
    allocations_fail(n, 0);
    CHECK(learn_table(learner, look, 1) == SCANT_OK);
    stop_failing();
    note_text(learner_text(learner));
    if (!n) wanted = outcome;
    CHECK(outcome == wanted);
    scant_look_free(look);
    scant_learner_free(learner);
    met += failures;
  }
  CHECK(met > 0);
}

/* ---- sources ---------------------------------------------------------------------- */

static const char *path;
static scant_target_need need;

static scant_status run_source(void) {
  scant_source *source = NULL;
  double x[64];
  uint64_t digest = 0;
  scant_status status = scant_source_open(&source, path, &settings, need, &error);
  for (size_t row = 0; status == SCANT_OK && row < scant_source_rows(source); row++) {
    status = scant_source_row(source, row, x, &error);
    double y = scant_source_target(source, row);
    if (status == SCANT_OK) note(x, scant_source_dimension(source) * sizeof *x);
    if (!isnan(y)) note(&y, sizeof y);
  }
  if (status == SCANT_OK) status = scant_source_digest(source, &digest, &error);
  note(&digest, sizeof digest);
  for (size_t i = 0; status == SCANT_OK && i < scant_source_dimension(source); i++) {
    const char *name = scant_source_name(source, i);
    if (name) note(name, strlen(name));
  }
  scant_source_free(source);
  return status;
}

static void fail_source(const char *file, const char *labels, const char *classes) {
  settings = file_settings();
  settings.reading.labels = labels;
  settings.reading.classes = classes;
  path = file;
  need = SCANT_TARGET_REQUIRED;
  fail_each(strrchr(file, '/') + 1, run_source);
  need = SCANT_TARGET_OPTIONAL;
  fail_each(strrchr(file, '/') + 1, run_source);
}

TEST(text_files_survive) {
  char many[2000] = "a,\"b \"\"x\"\"\",c,label\n", sparse[2000] = "";
  for (int i = 0; i < 40; i++) { /* enough rows to make arrays grow */
    sprintf(many + strlen(many), "%d,\"%d.5\",-1e-%d,%d\n", i, i, i, i % 3);
    sprintf(sparse + strlen(sparse), "%d 1:%d 7:0.5 # note\n", i % 3, i);
  }
  fail_source(file_text("a.csv", many), NULL, NULL);
  fail_source(file_text("b.csv", many), NULL, "0,2");
  fail_source(file_text("a.svm", sparse), NULL, NULL);
  fail_source(file_text("b.svm", sparse), NULL, "1,2");
}

/* A number of any length is a number, with memory or without: if it could not
 * be read for want of memory, that is what must be said, and an example of a
 * class must not drop out because its label is long. */
TEST(long_numbers_survive) {
  char zeros[301], text[2000];
  memset(zeros, '0', 300);
  zeros[300] = 0;
  sprintf(text, "a,b,y\n1.%s1,2,3\n4,5,6\n", zeros);
  fail_source(file_text("long.csv", text), NULL, NULL);
  sprintf(text, "a,b,y\n1,2,1.%s\n4,5,6\n7,8,1\n", zeros);
  fail_source(file_text("label.csv", text), NULL, "6,1");
}

/* A file of bytes with this header in front. */
static const char *with_header(const char *name, const void *header, size_t length, size_t elements) {
  unsigned char bytes[512];
  memcpy(bytes, header, length);
  for (size_t i = 0; i < elements; i++) bytes[length + i] = (unsigned char)(i % 7);
  return file_write(name, bytes, length + elements);
}

TEST(binary_files_survive) {
  static const char table_npy[] = "\x93NUMPY\1\0\x3d\0{'descr': '|u1', 'fortran_order': False, 'shape': (14, 5), }\n";
  static const char labels_npy[] = "\x93NUMPY\1\0\x3b\0{'descr': '|u1', 'fortran_order': False, 'shape': (14,), }\n";
  static const char table_idx[] = "\0\0\x08\3\0\0\0\x0e\0\0\0\5\0\0\0\1", labels_idx[] = "\0\0\x08\1\0\0\0\x0e";
  const char *npy = with_header("x.npy", table_npy, sizeof table_npy - 1, 70);
  const char *npy_labels = with_header("y.npy", labels_npy, sizeof labels_npy - 1, 14);
  const char *idx = with_header("x-idx3-ubyte", table_idx, sizeof table_idx - 1, 70);
  const char *idx_labels = with_header("y-idx1-ubyte", labels_idx, sizeof labels_idx - 1, 14);
  fail_source(npy, npy_labels, NULL);
  fail_source(npy, npy_labels, "2,5");
  fail_source(idx, idx_labels, NULL);
  fail_source(idx, idx_labels, "2,5");
  const size_t resident = scant_bytes_resident;
  scant_bytes_resident = 0; /* as files that are too long to stay in memory */
  fail_source(npy, npy_labels, NULL);
  scant_bytes_resident = resident;
}

static scant_status run_own_sources(void) {
  recorder record = {.table = &data};
  scant_source *table_in_memory = NULL, *custom = NULL;
  double x[D];
  scant_status status =
      scant_source_wrap(&table_in_memory, SCANT_FLOAT64, data.x, N, D, sizeof *data.x, 8, data.y, &error);
  if (status == SCANT_OK) status = scant_source_custom(&custom, N, D, recorder_fetch, &record, data.y, &error);
  if (status == SCANT_OK) status = scant_source_row(table_in_memory, 3, x, &error);
  if (status == SCANT_OK) status = scant_source_row(custom, 4, x, &error);
  note(x, sizeof x);
  scant_source_free(table_in_memory);
  scant_source_free(custom);
  return status;
}

TEST(sources_in_memory_survive) {
  fail_each("memory", run_own_sources);
}

/* ---- fits --------------------------------------------------------------------------- */

/* Opens, fits half, keeps a checkpoint, loads it, goes on, scores. */
static scant_status run_fit(void) {
  scant_source *source = NULL;
  scant_fit *fit = NULL, *second = NULL;
  scant_model *model = NULL, *loaded = NULL, *last = NULL;
  scant_scores scores;
  int done = 0;
  scant_status status = scant_source_open(&source, path, &settings, SCANT_TARGET_REQUIRED, &error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, &settings, source, &error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, 25, &done, &error);
  if (status == SCANT_OK) status = scant_fit_model(fit, 1, &model, &error);
  if (status == SCANT_OK) status = scant_model_save(model, file_path("half.json"), &error);
  if (status == SCANT_OK) status = scant_model_load(&loaded, file_path("half.json"), &error);
  if (status == SCANT_OK) status = scant_model_bind(loaded, source, &error);
  scant_settings given = settings;
  given.run.costs = NULL; /* the checkpoint holds its own */
  if (status == SCANT_OK) status = scant_fit_resume(&second, loaded, &given, source, &error);
  if (status == SCANT_OK) status = scant_fit_advance(second, ALL, &done, &error);
  if (status == SCANT_OK) status = scant_fit_model(second, 0, &last, &error);
  if (status == SCANT_OK) status = scant_model_evaluate(last, source, NULL, 0, &scores, &error);
  stop_failing();
  if (status == SCANT_OK) {
    note(&scores.squared_error, sizeof scores.squared_error);
    note_text(model_text(last, file_path("last.json")));
  }
  scant_fit_free(fit);
  scant_fit_free(second);
  scant_model_free(model);
  scant_model_free(loaded);
  scant_model_free(last);
  scant_source_free(source);
  return status;
}

static void prepare_fit(const char *list) {
  char text[8000] = "";
  for (size_t i = 0; i < D; i++) sprintf(text + strlen(text), "name%zu,", i);
  strcat(text, "y\n");
  for (size_t row = 0; row < N / 2; row++) {
    for (size_t i = 0; i < D; i++)
      sprintf(text + strlen(text), (row + i) % 7 ? "%.4f," : ",", data.x[row][i]); /* some are missing */
    sprintf(text + strlen(text), "%g\n", data.y[row]);
  }
  path = file_text("fit.csv", text);
  settings = settings_from(list);
}

TEST(fits_survive) {
  prepare_fit("k=12 passes=2 center=yes");
  fail_each("aerr", run_fit);
  prepare_fit("algorithm=aesvr k=12 passes=2 split=0.2");
  settings.reading.classes = "-1,1";
  fail_each("aesvr", run_fit);
  prepare_fit("k=2 missing=skip-example");
  fail_each("skip-example", run_fit);
}

/* The same with a file of costs: panels, what is free, a limit on money. */
TEST(fits_with_costs_survive) {
  char text[600] = "attribute,cost,group\n";
  for (size_t i = 0; i < D; i++)
    sprintf(text + strlen(text), "name%zu,%zu,%s\n", i, i, i % 4 == 1 ? "\"p \"\"x\"\"\"" : "");
  prepare_fit("algorithm=auto k=12 passes=2 spend=80 budget-cost=900");
  settings.run.costs = file_text("costs.csv", text);
  fail_each("costs", run_fit);
}

/* Out of memory, a learner keeps the law and the meter the prices that it has. */
TEST(prices_that_do_not_fit_into_memory_change_nothing) {
  const uint64_t costs[D] = {5, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const uint32_t panels[D] = {1, 1, 0, 2, 2};
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, D, costs, panels, &error) == SCANT_OK);
  scant_status status = SCANT_MEMORY;
  for (unsigned long n = 1; n < 50 && status == SCANT_MEMORY; n++) {
    scant_learner *learner = learner_from("algorithm=auto k=4", D, N), *same = learner_from("algorithm=auto k=4", D, N);
    scant_look *look = look_for(learner), *other = look_for(same);
    allocations_fail(n, 0);
    status = scant_learner_price(learner, prices, &error);
    allocations_reset();
    CHECK(status == SCANT_MEMORY || (status == SCANT_OK && n > 3));
    learn_rows(learner, look, &data, 0, N);
    learn_rows(same, other, &data, 0, N);
    CHECK(same_state(learner, same) == (status == SCANT_MEMORY));
    scant_look_free(look);
    scant_look_free(other);
    scant_learner_free(learner);
    scant_learner_free(same);
  }
  CHECK(status == SCANT_OK);
  scant_prices_free(prices);
}

/* One example at a time, each failed one tried again. */
static scant_status run_with_second_tries(void) {
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  scant_status status = scant_source_open(&source, path, &settings, SCANT_TARGET_REQUIRED, &error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, &settings, source, &error);
  while (status == SCANT_OK && !done) {
    status = scant_fit_advance(fit, 1, &done, &error);
    if (status == SCANT_MEMORY) status = scant_fit_advance(fit, 1, &done, &error);
  }
  if (status == SCANT_OK) status = scant_fit_model(fit, 1, &model, &error);
  stop_failing();
  if (status == SCANT_OK) note_text(model_text(model, file_path("tries.json")));
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

TEST(a_second_try_of_advance_gives_the_same_bits) {
  prepare_fit("algorithm=aesvr k=12 passes=2");
  fail_each("second tries", run_with_second_tries);
}

int main(void) {
  files_begin();
  table_fill(&data, 4);
  files_held();
  RUN(learners_survive);
  RUN(a_second_try_of_ask_and_tell_gives_the_same_bits);
  RUN(text_files_survive);
  RUN(long_numbers_survive);
  RUN(binary_files_survive);
  RUN(sources_in_memory_survive);
  RUN(fits_survive);
  RUN(fits_with_costs_survive);
  RUN(prices_that_do_not_fit_into_memory_change_nothing);
  RUN(a_second_try_of_advance_gives_the_same_bits);
  files_end();
  return check_done();
}
