/* Whoever watches the purchases of a fit is told of each of them, once, as it was paid. */
#include "fits.h"

typedef struct {
  const table *table;
  size_t calls, cells, fail_at; /* fail_at: the call that fails; 0: none */
  uint64_t purchases[TABLE_DIMENSION];
} watcher;

static scant_status count(void *user, size_t row, const scant_look *look, const double *values, double y,
                          scant_error *error) {
  watcher *w = user;
  w->calls++;
  CHECK(row < TABLE_ROWS && y == w->table->y[row]);
  for (uint32_t i = 0; i < look->count; i++) {
    double x = w->table->x[row][look->attributes[i]];
    CHECK(values[i] == x || (isnan(values[i]) && isnan(x)));
    w->purchases[look->attributes[i]]++;
    w->cells++;
  }
  if (w->calls != w->fail_at) return SCANT_OK;
  snprintf(error->text, sizeof error->text, "the disk is full");
  return SCANT_IO;
}

static void check_ledger(const watcher *w, const scant_fit *fit, const scant_model *model) {
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(w->calls == ledger->examples && w->cells == ledger->attributes_bought && w->cells > 0);
  CHECK(!memcmp(w->purchases, scant_model_purchases(model), sizeof w->purchases));
}

static void watch_fit(const char *list) {
  table t;
  table_fill(&t, 3);
  table_punch(&t, 4);
  watcher w = {.table = &t};
  scant_source *source = table_source(&t);
  scant_fit *fit = fit_from(list, source);
  scant_model *model = NULL;
  scant_fit_watch_purchases(fit, count, &w);
  CHECK(advance(fit, 7) == 0 && w.calls == 7);
  CHECK(advance(fit, 1 << 20) == 1);
  CHECK(scant_fit_model(fit, 0, &model, NULL) == SCANT_OK);
  check_ledger(&w, fit, model);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(every_purchase_is_told) {
  watch_fit("algorithm=auto k=4");
  watch_fit("algorithm=auto k=4 passes=2");
  watch_fit("algorithm=auto k=4 budget=50");
  watch_fit("algorithm=aerr k=3 missing=skip-example");
}

TEST(purchases_of_a_tuning_are_told) {
  table t;
  table_fill(&t, 3);
  watcher w = {.table = &t};
  scant_source *source = table_source(&t);
  scant_settings s[2] = {settings_from("algorithm=lasso k=4 threads=2"), settings_from("algorithm=lasso k=4 eta=2")};
  scant_tune *tune = NULL;
  scant_model *model = NULL;
  int done = 0;
  CHECK(scant_tune_new(&tune, s, 2, source, NULL) == SCANT_OK);
  scant_tune_watch_purchases(tune, count, &w);
  CHECK(scant_tune_advance(tune, UINT64_MAX, &done, NULL) == SCANT_OK && done);
  CHECK(scant_tune_model(tune, 0, &model, NULL) == SCANT_OK);
  check_ledger(&w, scant_tune_fit(tune), model);
  scant_model_free(model);
  scant_tune_free(tune);
  scant_source_free(source);
}

/* What was bought is paid, so the fit is over. */
TEST(a_watcher_can_end_the_fit) {
  table t;
  table_fill(&t, 3);
  watcher w = {.table = &t, .fail_at = 5};
  scant_source *source = table_source(&t);
  scant_fit *fit = fit_from("algorithm=auto k=4", source);
  scant_error error = {""};
  int done = 0;
  scant_fit_watch_purchases(fit, count, &w);
  CHECK(scant_fit_advance(fit, 1 << 20, &done, &error) == SCANT_IO);
  CHECK_SAYS(error.text, "the disk is full");
  CHECK(scant_fit_ledger(fit)->examples == 5);
  CHECK(scant_fit_advance(fit, 1 << 20, &done, &error) == SCANT_IO && w.calls == 5);
  scant_fit_free(fit);
  scant_source_free(source);
}

int main(void) {
  RUN(every_purchase_is_told);
  RUN(purchases_of_a_tuning_are_told);
  RUN(a_watcher_can_end_the_fit);
  return check_done();
}
