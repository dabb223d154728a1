/* Out of memory: predictions from a few attributes (see fail_each.h). */
#include "fail_each.h"
#include "gaussians.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS };

static table data;
static const char *path;

static scant_status keep_bought(void *user, size_t row, const scant_bought *b, scant_error *unused) {
  (void)unused;
  ((scant_prediction *)user)[row] = b->prediction;
  return SCANT_OK;
}

/* Saves and loads a Gaussian, predicts and scores in every way. */
static scant_status run_few(void) {
  static const uint64_t costs[D] = {3, 0, 1, 2, 3};
  static const uint32_t panels[D] = {1, 1, 0, 2, 2};
  scant_source *source = NULL;
  scant_model *model = NULL;
  scant_prices *prices = NULL;
  scant_prediction few[N], known[N], bought[N];
  static const unsigned char have[D] = {[3] = 1};
  scant_bought_scores until;
  scant_known_scores curve[5], scores;
  double plain[N];
  scant_status status = scant_model_load(&model, path, &error);
  if (status == SCANT_OK) status = scant_model_save(model, file_path("saved.json"), &error);
  if (status == SCANT_OK) status = scant_prices_new(&prices, D, costs, panels, &error);
  if (status == SCANT_OK)
    status = scant_source_wrap(&source, SCANT_FLOAT64, data.x, N, D, sizeof *data.x, 8, data.y, &error);
  if (status == SCANT_OK) status = scant_model_predict_rows(model, source, plain, &error);
  if (status == SCANT_OK) status = scant_model_predict_known(model, source, 0.9, known, &error);
  if (status == SCANT_OK) status = scant_model_predict_few(model, source, 4, prices, 0.9, few, NULL, &error);
  if (status == SCANT_OK) status = scant_model_evaluate_known(model, source, 0.9, &scores, &error);
  if (status == SCANT_OK) status = scant_model_evaluate_few(model, source, 4, NULL, 0.9, curve, NULL, &error);
  scant_buying buying = {prices, {3, 5, 0.5, 0}, 0.9, have};
  if (status == SCANT_OK) status = scant_model_buy(model, source, &buying, keep_bought, bought, NULL, &error);
  if (status == SCANT_OK) status = scant_model_evaluate_bought(model, source, &buying, &until, NULL, &error);
  stop_failing();
  if (status == SCANT_OK) {
    note(bought, sizeof bought);
    note(&until.all.scores.squared_error, sizeof until.all.scores.squared_error);
    note(plain, sizeof plain);
    note(known, sizeof known);
    note(few, sizeof few);
    note(curve, sizeof curve);
  }
  scant_source_free(source);
  scant_prices_free(prices);
  scant_model_free(model);
  return status;
}

TEST(predictions_from_a_few_attributes_survive) {
  scant_model *model = gaussian_model(D, 3, "algorithm=auto k=3");
  path = file_path("gaussian.json");
  CHECK(scant_model_save(model, path, &error) == SCANT_OK);
  scant_model_free(model);
  table_punch(&data, 7);
  fail_each("few", run_few);
}

/* A value that could not be told for want of memory can be told again. */
TEST(a_second_try_of_telling_a_query_gives_the_same_bits) {
  scant_model *model = gaussian_model(D, 3, "algorithm=auto k=3");
  unsigned long met = 0;
  scant_prediction wanted, got;
  for (unsigned long n = 0; n < 9; n++) {
    scant_query *query = NULL;
    CHECK(scant_query_new(&query, model, NULL, &error) == SCANT_OK);
    allocations_fail(n, 0);
    for (uint32_t i = 0; i < D; i++) {
      scant_status status = scant_query_tell(query, i, i / 4.0, &error);
      if (status == SCANT_MEMORY) status = scant_query_tell(query, i, i / 4.0, &error);
      CHECK(status == SCANT_OK);
    }
    met += allocations_failed();
    allocations_reset();
    scant_query_predict(query, 0.5, n ? &got : &wanted);
    CHECK(!n || memcmp(&got, &wanted, sizeof got) == 0);
    scant_query_free(query);
  }
  CHECK(met > 0);
  scant_model_free(model);
}

/* A word that could not be told for want of memory can be told again; costs that could not be read are not there. */
TEST(words_and_costs_survive) {
  static const char *names[D] = {"c=r", "c=g", "c=b"};
  static uint64_t costs[D];
  static uint32_t groups[D] = {1, 1, 1};
  static char others[D][8];
  scant_model *model = gaussian_model(D, 3, "algorithm=auto k=3");
  char list[300] = "attribute,cost\nc,1\n";
  unsigned long met = 0;
  scant_prediction wanted, got;
  for (size_t i = 3; i < D; i++) {
    snprintf(others[i], sizeof others[i], "x%zu", i);
    names[i] = others[i];
    snprintf(list + strlen(list), sizeof list - strlen(list), "x%zu,2\n", i);
  }
  const char *file = file_text("costs.csv", list);
  CHECK(scant_model_set_names(model, names, NULL, &error) == SCANT_OK);
  CHECK(scant_prices_new(&model->prices, D, costs, groups, &error) == SCANT_OK);
  for (unsigned long n = 0; n < 120; n++) {
    scant_query *query = NULL;
    scant_prices *prices = NULL;
    int unlisted;
    CHECK(scant_query_new(&query, model, NULL, &error) == SCANT_OK);
    allocations_fail(n, 0);
    scant_status status = scant_query_tell_text(query, "c=g", &unlisted, &error);
    if (status == SCANT_MEMORY) status = scant_query_tell_text(query, "c=g", &unlisted, &error);
    CHECK(status == SCANT_OK);
    status = scant_model_load_prices(model, file, &prices, &error);
    CHECK(status == SCANT_OK ? prices != NULL : status == SCANT_MEMORY && !prices);
    met += allocations_failed();
    allocations_reset();
    scant_query_predict(query, 0.5, n ? &got : &wanted);
    CHECK(!n || memcmp(&got, &wanted, sizeof got) == 0);
    scant_prices_free(prices);
    scant_query_free(query);
  }
  CHECK(met > 20);
  scant_model_free(model);
}

int main(void) {
  files_begin();
  table_fill(&data, 4);
  files_held();
  RUN(a_second_try_of_telling_a_query_gives_the_same_bits);
  RUN(words_and_costs_survive);
  RUN(predictions_from_a_few_attributes_survive);
  files_end();
  return check_done();
}
