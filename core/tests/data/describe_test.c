/* Names and prices that the caller gives to a source. */
#include "fail_each.h"
#include "fit/fit.h"
#include "price/prices.h"
#include "tables.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS };

static table data;
static const char *const names[D] = {"a", "b", "c", "", "e", "f", "g", "h", "i", "j", "TSH", "l"};
static recorder record;

/* A table of each kind with the same cells. */
enum { WRAP, CUSTOM, COLUMNS, SPARSE, KINDS };

static scant_status open_kind(int kind, scant_source **source) {
  static scant_column columns[D];
  static int32_t starts[N + 1], indices[N * D];
  record = (recorder){.table = &data};
  for (size_t i = 0; i < D; i++)
    columns[i] = (scant_column){.type = SCANT_FLOAT64, .data = &data.x[0][i], .stride = sizeof *data.x};
  for (size_t i = 0; i < N * D; i++) indices[i] = (int32_t)(i % D);
  for (size_t row = 0; row <= N; row++) starts[row] = (int32_t)(row * D);
  const scant_sparse sparse = {0, SCANT_FLOAT64, SCANT_INT32, data.x, indices, starts};
  switch (kind) {
    case WRAP:
      return scant_source_wrap(source, SCANT_FLOAT64, data.x, N, D, sizeof *data.x, sizeof **data.x, data.y, &error);
    case CUSTOM:
      return scant_source_custom(source, N, D, recorder_fetch, &record, data.y, &error);
    case COLUMNS:
      return scant_source_columns(source, columns, N, D, data.y, &error);
    default:
      return scant_source_sparse(source, &sparse, N, D, data.y, &error);
  }
}

static scant_source *opened(int kind) {
  scant_source *source = NULL;
  CHECK(open_kind(kind, &source) == SCANT_OK);
  return source;
}

/* ---- names ------------------------------------------------------------------------ */

TEST(names_are_used) {
  for (int kind = 0; kind < KINDS; kind++) {
    table_fill(&data, 1);
    data.x[3][10] = INFINITY;
    data.x[4][2] = INFINITY;
    scant_source *source = opened(kind);
    uint64_t plain, named;
    CHECK(!scant_source_name(source, 0) && !scant_source_target_name(source));
    CHECK(scant_source_digest(source, &plain, &error) == SCANT_OK);
    ROW_FAILS(source, 3, "row 3, attribute 10: infinity can't be learned from");
    char own[] = "target";
    const char *copy[D];
    memcpy(copy, names, sizeof copy);
    CHECK(scant_source_set_names(source, copy, own, &error) == SCANT_OK);
    copy[0] = NULL;
    own[0] = 'x'; /* they were copied */
    for (size_t i = 0; i < D; i++) CHECK(!strcmp(scant_source_name(source, i), names[i]));
    CHECK(!scant_source_name(source, D) && !strcmp(scant_source_target_name(source), "target"));
    ROW_FAILS(source, 3, "row 3, attribute 'TSH': infinity can't be learned from");
    CHECK(scant_source_digest(source, &named, &error) == SCANT_OK && named != plain);
    char text[64];
    scant_source_where(source, 5, SCANT_WHOLE_ROW, text, sizeof text);
    CHECK(!strcmp(text, "row 5"));
    CHECK(scant_source_set_names(source, NULL, NULL, &error) == SCANT_OK);
    CHECK(!scant_source_name(source, 0) && !scant_source_target_name(source));
    ROW_FAILS(source, 4, "row 4, attribute 2: infinity can't be learned from");
    CHECK(scant_source_digest(source, &named, &error) == SCANT_OK && named == plain);
    CHECK(scant_source_set_names(source, NULL, "y", &error) == SCANT_OK);
    CHECK(!scant_source_name(source, 0) && !strcmp(scant_source_target_name(source), "y"));
    scant_source_free(source);
  }
}

TEST(long_names_leave_room_for_the_rest) {
  char name[1000];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = 0;
  const char *copy[D];
  memcpy(copy, names, sizeof copy);
  copy[10] = name;
  table_fill(&data, 1);
  data.x[3][10] = INFINITY;
  scant_source *source = opened(WRAP);
  CHECK(scant_source_set_names(source, copy, NULL, &error) == SCANT_OK);
  ROW_FAILS(source, 3, "row 3, attribute 'nnn", "nnn': infinity can't be learned from");
  scant_source_free(source);
}

TEST(bad_names_change_nothing) {
  table_fill(&data, 1);
  scant_source *source = opened(WRAP);
  const char *bad[D];
  CHECK(scant_source_set_names(source, names, "y", &error) == SCANT_OK);
  memcpy(bad, names, sizeof bad);
  bad[9] = "c";
  CHECK(scant_source_set_names(source, bad, "z", &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "attributes 2 and 9 are both called 'c'");
  bad[9] = NULL;
  CHECK(scant_source_set_names(source, bad, "z", &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "the name of attribute 9 is NULL");
  CHECK(scant_source_set_names(source, names, "TSH", &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "attribute 10 and the target are both called 'TSH'");
  for (size_t i = 0; i < D; i++) CHECK(!strcmp(scant_source_name(source, i), names[i]));
  CHECK(!strcmp(scant_source_target_name(source), "y"));
  scant_source_free(source);
  scant_settings settings = file_settings();
  source = file_open(file_text("n.csv", "a,b,y\n1,2,3\n"), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_set_names(source, names, NULL, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "names are for tables in memory and functions, and '");
  CHECK_SAYS(error.text, "n.csv' is a file");
  CHECK(!strcmp(scant_source_name(source, 0), "a"));
  scant_source_free(source);
}

/* A model finds its attributes in a table that has them in another order, and
 * others beside them. */
TEST(models_bind_by_name) {
  table_fill(&data, 2);
  for (int kind = 0; kind < KINDS; kind++) {
    scant_source *source = opened(kind), *turned = NULL;
    scant_settings settings = settings_from("algorithm=ridge k=4 seed=3");
    scant_fit *fit = NULL;
    scant_model *model = NULL;
    double wanted[N], got[N], x[D];
    int done;
    CHECK(scant_source_set_names(source, names, "y", &error) == SCANT_OK);
    CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK);
    CHECK(scant_fit_advance(fit, N, &done, &error) == SCANT_OK);
    CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
    CHECK(!strcmp(scant_model_name(model, 10), "TSH") && !strcmp(scant_model_target_name(model), "y"));
    CHECK(scant_model_predict_rows(model, source, wanted, &error) == SCANT_OK);
    /* backwards, with one column more in front */
    static double wide[N][D + 1];
    const char *backwards[D + 1] = {"more"};
    for (size_t i = 0; i < D; i++) backwards[1 + i] = names[D - 1 - i];
    for (size_t row = 0; row < N; row++)
      for (size_t i = 0; i < D; i++) wide[row][1 + i] = data.x[row][D - 1 - i];
    CHECK(scant_source_wrap(&turned, SCANT_FLOAT64, wide, N, D + 1, sizeof *wide, 8, NULL, &error) == SCANT_OK);
    CHECK(scant_source_set_names(turned, backwards, NULL, &error) == SCANT_OK);
    CHECK(scant_model_bind(model, turned, &error) == SCANT_OK && scant_source_dimension(turned) == D);
    CHECK(!strcmp(scant_source_name(turned, 10), "TSH"));
    CHECK(scant_source_row(turned, 6, x, &error) == SCANT_OK && !memcmp(x, data.x[6], sizeof x));
    CHECK(scant_model_predict_rows(model, turned, got, &error) == SCANT_OK);
    CHECK(!memcmp(wanted, got, sizeof got));
    wide[2][2] = INFINITY; /* TSH */
    ROW_FAILS(turned, 2, "row 2, attribute 'TSH'");
    wide[2][2] = 0;
    CHECK(scant_source_set_names(turned, backwards, NULL, &error) == SCANT_MISUSE);
    CHECK_SAYS(error.text, "the source is bound to a model by name already: say its names before");
    scant_source_free(turned);
    /* one that it needs is not there */
    backwards[2] = "other";
    CHECK(scant_source_wrap(&turned, SCANT_FLOAT64, wide, N, D + 1, sizeof *wide, 8, NULL, &error) == SCANT_OK);
    CHECK(scant_source_set_names(turned, backwards, NULL, &error) == SCANT_OK);
    CHECK(scant_model_bind(model, turned, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "the table has no column 'TSH', which the model needs");
    scant_source_free(turned);
    scant_model_free(model);
    scant_fit_free(fit);
    scant_source_free(source);
  }
}

/* ---- prices ------------------------------------------------------------------------ */

static const uint64_t costs[D] = {100, 200, 0, 50, 75, 100, 300, 100, 100, 25, 900, 100};
static const uint32_t panels[D] = {0, 1, 0, 1, 0, 0, 2, 2, 2, 0, 0, 0}; /* as a file numbers them */

static scant_prices *some_prices(size_t d) {
  scant_prices *prices = NULL;
  CHECK(scant_prices_new(&prices, d, costs, panels, &error) == SCANT_OK);
  return prices;
}

/* The same costs as a file. */
static const char *costs_file(uint64_t factor) {
  char text[1000] = "attribute,cost,group\n";
  for (size_t i = 0; i < D; i++) {
    char group[16] = "";
    if (panels[i]) snprintf(group, sizeof group, "p%u", (unsigned)panels[i]);
    sprintf(text + strlen(text), "%zu,%.2f,%s\n", i + 1, (double)(factor * costs[i]) / 100, group);
  }
  return file_text("costs.csv", text);
}

/* A fit by the source's prices is that by a file of them; a file wins. */
TEST(fits_pay_what_the_source_says) {
  table_fill(&data, 3);
  static const char *const lists[] = {"algorithm=auto k=4 spend=30 seed=2", "algorithm=aerr k=4",
                                      "algorithm=online-ridge"};
  for (int kind = 0; kind < KINDS; kind++)
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
      scant_source *source = opened(kind);
      scant_settings settings = settings_from(lists[i]), with_file = settings;
      with_file.run.costs = costs_file(1);
      char *by_file = fitted_text(&with_file, source), *free_of_charge = NULL;
      if (i) free_of_charge = fitted_text(&settings, source);
      scant_prices *prices = some_prices(D);
      CHECK(scant_source_set_prices(source, prices, &error) == SCANT_OK);
      scant_prices_free(prices); /* they were copied */
      char *by_source = fitted_text(&settings, source), *again = fitted_text(&settings, source);
      CHECK(by_file && by_source && !strcmp(by_file, by_source));
      CHECK(again && !strcmp(by_source, again));
      CHECK(by_source && strstr(by_source, "\"costs\"") != NULL);
      with_file.run.costs = costs_file(2);
      char *dearer = fitted_text(&with_file, source);
      CHECK(dearer && strcmp(dearer, by_source) != 0);
      CHECK(scant_source_set_prices(source, NULL, &error) == SCANT_OK);
      char *none = i ? fitted_text(&settings, source) : NULL;
      if (i) CHECK(!strcmp(none, free_of_charge) && strcmp(none, by_source) != 0);
      free(by_file), free(free_of_charge), free(by_source), free(again), free(dearer), free(none);
      scant_source_free(source);
    }
}

TEST(tuning_pays_what_the_source_says) {
  table_fill(&data, 3);
  scant_source *source = opened(COLUMNS);
  scant_prices *prices = some_prices(D);
  scant_settings candidates[2] = {settings_from("algorithm=auto k=4 spend=30 seed=2"),
                                  settings_from("algorithm=auto k=4 spend=30 seed=2 average=all")};
  scant_tune *tune = NULL;
  int done;
  CHECK(scant_tune_new(&tune, candidates, 2, source, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "need costs");
  CHECK(scant_source_set_prices(source, prices, &error) == SCANT_OK);
  if (!CHECK(scant_tune_new(&tune, candidates, 2, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(tune && scant_tune_advance(tune, N, &done, &error) == SCANT_OK);
  CHECK(tune && scant_fit_ledger(scant_tune_fit(tune))->money_spent > 0);
  scant_tune_free(tune);
  scant_prices_free(prices);
  scant_source_free(source);
}

/* Prices belong to columns: they go with them where a model picks some. */
TEST(prices_follow_what_is_bound) {
  table_fill(&data, 4);
  scant_source *source = opened(WRAP);
  scant_prices *prices = NULL, *picked = NULL;
  static const uint32_t high[D] = {0, 1, 0, 1, 0, 0, 12, 12, 12, 0, 0, 0};
  CHECK(scant_prices_new(&prices, D, costs, high, &error) == SCANT_OK);
  char *const wanted[] = {"j", "h", "TSH", "i", "c"};
  static const uint64_t picked_costs[] = {25, 100, 900, 100, 0};
  static const uint32_t picked_panels[] = {0, 1, 0, 1, 0};
  CHECK(scant_source_set_names(source, names, NULL, &error) == SCANT_OK);
  CHECK(scant_source_set_prices(source, prices, &error) == SCANT_OK);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 5, .names = wanted}, &error) == SCANT_OK);
  CHECK(scant_source_copy_prices(source, &picked, &error) == SCANT_OK && picked->dimension == 5);
  for (size_t i = 0; i < 5; i++)
    CHECK(scant_prices_cost(picked, i) == picked_costs[i] && scant_prices_group(picked, i) == picked_panels[i]);
  CHECK(scant_source_set_prices(source, prices, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "bound to a model by name already: say its prices before");
  scant_prices_free(picked);
  scant_prices_free(prices);
  scant_source_free(source);
}

TEST(refuses_prices_of_other_attributes) {
  table_fill(&data, 4);
  scant_source *source = opened(SPARSE);
  scant_prices *good = some_prices(D), *bad = NULL, *picked = NULL;
  CHECK(scant_prices_new(&bad, 3, costs, NULL, &error) == SCANT_OK);
  CHECK(scant_source_set_prices(source, good, &error) == SCANT_OK);
  CHECK(scant_source_set_prices(source, bad, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "there are prices of 3 attributes, and the data have 12");
  CHECK(scant_source_copy_prices(source, &picked, &error) == SCANT_OK && picked && picked->dimension == D);
  scant_prices_free(picked);
  scant_source_free(source);
  /* a LIBSVM file may be taken to have more attributes than it shows */
  scant_settings settings = file_settings();
  source = file_open(file_text("p.svm", "1 3:1\n2 1:1\n"), &settings, SCANT_TARGET_REQUIRED);
  CHECK(scant_source_set_prices(source, bad, &error) == SCANT_OK);
  CHECK(scant_source_serve(source, &(scant_needs){.dimension = 5}, &error) == SCANT_OK);
  scant_fit *fit = NULL;
  settings = settings_from("algorithm=aerr k=2");
  CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "there are prices of 3 attributes, and the data have 5");
  scant_prices_free(good);
  scant_prices_free(bad);
  scant_source_free(source);
}

/* ---- out of memory ----------------------------------------------------------------- */

static int kind_to_fail;

static scant_status run_described(void) {
  scant_source *source = NULL;
  scant_prices *prices = NULL, *picked = NULL;
  char *const wanted[] = {"j", "h", "TSH", "i", "c"};
  uint64_t digest = 0;
  scant_status status = open_kind(kind_to_fail, &source);
  if (status == SCANT_OK) status = scant_source_set_names(source, names, "y", &error);
  if (status == SCANT_OK) status = scant_source_set_names(source, names, "z", &error);
  if (status == SCANT_OK) status = scant_prices_new(&prices, D, costs, panels, &error);
  if (status == SCANT_OK) status = scant_source_set_prices(source, prices, &error);
  if (status == SCANT_OK) status = scant_source_set_prices(source, prices, &error);
  if (status == SCANT_OK) status = scant_source_serve(source, &(scant_needs){.dimension = 5, .names = wanted}, &error);
  if (status == SCANT_OK) status = scant_source_copy_prices(source, &picked, &error);
  if (status == SCANT_OK) status = scant_source_digest(source, &digest, &error);
  note(&digest, sizeof digest);
  scant_prices_free(picked);
  scant_prices_free(prices);
  scant_source_free(source);
  return status;
}

TEST(descriptions_survive_without_memory) {
  table_fill(&data, 4);
  for (kind_to_fail = 0; kind_to_fail < KINDS; kind_to_fail++) fail_each("described", run_described);
}

int main(void) {
  files_begin();
  RUN(names_are_used);
  RUN(long_names_leave_room_for_the_rest);
  RUN(bad_names_change_nothing);
  RUN(models_bind_by_name);
  RUN(fits_pay_what_the_source_says);
  RUN(tuning_pays_what_the_source_says);
  RUN(prices_follow_what_is_bound);
  RUN(refuses_prices_of_other_attributes);
  RUN(descriptions_survive_without_memory);
  files_end();
  return check_done();
}
