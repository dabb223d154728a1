/* Out of memory: kept learners, looks and models, and examples that come source by
 * source (see fail_each.h). */
#include "keep.h"

#include "fail_each.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data;
static const char *list, *costs;

static void note_kept(char *text) {
  if (text) note(text, strlen(text));
  scant_text_free(text);
}

/* ---- texts --------------------------------------------------------------------- */

static scant_learner *taught; /* with a look open */
static scant_look *open_look;

static scant_status run_texts(void) {
  scant_learner *learner = NULL;
  scant_look *look = NULL;
  scant_settings *settings = NULL;
  char *text = NULL, *look_text = NULL, *again = NULL;
  size_t length = 0, look_length = 0;
  scant_status status = scant_settings_new(&settings, &error);
  if (status == SCANT_OK) status = scant_learner_save(taught, &text, &length, &error);
  if (status == SCANT_OK) status = scant_learner_load(&learner, text, length, settings, &error);
  if (status == SCANT_OK) status = scant_look_save(open_look, &look_text, &look_length, &error);
  if (status == SCANT_OK) status = scant_look_load(&look, look_text, look_length, &error);
  for (size_t row = 0; status == SCANT_OK && row < 3; row++) {
    status = scant_learner_tell(learner, look, look->count, NULL, table_values(&data, row, look), data.y[row], &error);
    if (status == SCANT_OK) status = scant_learner_ask(learner, look, &error);
  }
  if (status == SCANT_OK) status = scant_learner_save(learner, &again, &length, &error);
  stop_failing();
  if (status == SCANT_OK) note_kept(look_text), note_kept(again);
  if (status != SCANT_OK) scant_text_free(look_text), scant_text_free(again);
  scant_text_free(text);
  scant_settings_free(settings);
  scant_look_free(look);
  scant_learner_free(learner);
  return status;
}

static void keep_one(const char *row) {
  scant_prices *prices = some_prices();
  taught = learner_from(row, D, 100);
  if (is_row(row, PRICED_ROWS)) CHECK(scant_learner_price(taught, prices, &error) == SCANT_OK);
  open_look = look_for(taught);
  learn_rows(taught, open_look, &data, 0, N);
  CHECK(scant_learner_ask(taught, open_look, &error) == SCANT_OK);
  fail_each(row, run_texts);
  scant_look_free(open_look);
  scant_learner_free(taught);
  scant_prices_free(prices);
}

TEST(kept_texts_survive) {
  each_row("", keep_one);
}

/* ---- sources one after another ------------------------------------------------------ */

static scant_source *sources[3];

static scant_status learn_all(scant_fit *fit) {
  int done = 0;
  return scant_fit_advance(fit, ALL, &done, &error);
}

/* The fit from its model and its learner, as texts. */
static scant_status keep_fit(scant_fit **fit, scant_source *source) {
  scant_model *model = NULL, *read = NULL;
  scant_learner *learner = NULL;
  char *text = NULL, *kept = NULL;
  size_t length = 0, kept_length = 0;
  scant_status status = scant_fit_model(*fit, 0, &model, &error);
  if (status == SCANT_OK) status = scant_model_write(model, &text, &length, &error);
  if (status == SCANT_OK) status = scant_learner_save(scant_fit_learner(*fit), &kept, &kept_length, &error);
  scant_fit_free(*fit);
  *fit = NULL;
  if (status == SCANT_OK) status = scant_model_read(&read, text, length, &error);
  if (status == SCANT_OK) status = scant_learner_load(&learner, kept, kept_length, NULL, &error);
  if (status == SCANT_OK) status = scant_fit_continue(fit, read, learner, source, &error);
  scant_text_free(text);
  scant_text_free(kept);
  scant_model_free(model);
  scant_model_free(read);
  return status;
}

static scant_status run_stream(void) {
  scant_settings settings = settings_from(list);
  if (settings.run.costs) settings.run.costs = costs;
  scant_fit *fit = NULL;
  scant_status status = scant_fit_stream(&fit, &settings, sources[0], &error);
  if (status == SCANT_OK) status = learn_all(fit);
  if (status == SCANT_OK) status = scant_fit_feed(fit, sources[1], &error);
  if (status == SCANT_OK) status = learn_all(fit);
  if (status == SCANT_OK) status = keep_fit(&fit, sources[2]);
  if (status == SCANT_OK) status = learn_all(fit);
  stop_failing();
  size_t length;
  if (status == SCANT_OK) note_kept(saved_learner(scant_fit_learner(fit), &length));
  if (status == SCANT_OK) note(scant_fit_ledger(fit), sizeof(scant_ledger));
  scant_fit_free(fit);
  return status;
}

TEST(streams_survive) {
  static const char *const lists[] = {"algorithm=aerr k=4", "algorithm=auto k=4 costs=yes spend=9",
                                      "algorithm=aelr k=4 costs=yes", "algorithm=svr k=5"};
  for (size_t i = 0; i < 3; i++)
    CHECK(scant_source_wrap(&sources[i], SCANT_FLOAT64, data.x[10 * i], 10 + i, D, sizeof *data.x, sizeof **data.x,
                            data.y + 10 * i, &error) == SCANT_OK);
  for (size_t i = 0; i < 4; i++) {
    list = lists[i];
    fail_each(list, run_stream);
  }
}

/* A feed that failed has changed nothing. */
TEST(a_second_try_to_feed_gives_the_same_bits) {
  list = "algorithm=auto k=4 costs=yes spend=9";
  scant_settings settings = settings_from(list);
  settings.run.costs = costs;
  char *wanted = NULL;
  unsigned long n = 0;
  for (scant_status status = SCANT_MEMORY; n < 2 || status == SCANT_MEMORY; n++) {
    scant_fit *fit = NULL;
    size_t length;
    CHECK(scant_fit_stream(&fit, &settings, sources[0], &error) == SCANT_OK);
    CHECK(learn_all(fit) == SCANT_OK);
    allocations_fail(n, 0);
    status = scant_fit_feed(fit, sources[1], &error);
    allocations_reset();
    if (status == SCANT_MEMORY) CHECK(scant_fit_feed(fit, sources[1], &error) == SCANT_OK);
    CHECK(learn_all(fit) == SCANT_OK);
    char *text = saved_learner(scant_fit_learner(fit), &length);
    if (wanted) CHECK(same_text(wanted, text));
    if (!wanted) wanted = text;
    scant_fit_free(fit);
  }
  CHECK(n == 5); /* none fails, then each of three, then there is no fourth */
  scant_text_free(wanted);
}

int main(void) {
  table_fill(&data, 5);
  files_begin();
  files_held(); /* before anything is open */
  costs = file_text("costs.csv",
                    "attribute,cost,group\n1,1.00,\n2,2.50,p\n3,0,\n4,0.30,p\n5,0.75,\n6,1.20,q\n7,0,\n"
                    "8,0.10,q\n9,3.10,\n10,0.40,\n11,0.55,q\n12,0.90,\n");
  RUN(kept_texts_survive);
  RUN(streams_survive);
  RUN(a_second_try_to_feed_gives_the_same_bits);
  for (size_t i = 0; i < 3; i++) scant_source_free(sources[i]);
  files_end();
  return check_done();
}
