/* Fits whose examples come source by source, also taken up again from their model and
 * their learner. */
#include "fits.h"
#include "fit/fit.h"
#include "keep.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30, PARTS = 3 };

static table data, holes;
static scant_error error;
static const char *costs; /* a file of some_prices */

#define NEED_A_HORIZON "ddaerr ddaelr aer"

/* Rows [first, first + count) of a table. */
static scant_source *rows_of(const table *t, size_t first, size_t count) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, t->x[first], count, D, sizeof *t->x, sizeof **t->x, t->y + first,
                          NULL) == SCANT_OK);
  return source;
}

/* Parts of different sizes. */
static const size_t part_start[PARTS + 1] = {0, 11, 30, N};

static scant_source *part_of(const table *t, size_t part) {
  return rows_of(t, part_start[part], part_start[part + 1] - part_start[part]);
}

/* "costs=yes" stands for the file. */
static scant_settings settings_of(const char *list) {
  scant_settings settings = settings_from(list);
  if (settings.run.costs) settings.run.costs = costs;
  return settings;
}

static scant_fit *fit_of(const char *list, int stream, scant_source *source) {
  scant_settings settings = settings_of(list);
  scant_fit *fit = NULL;
  scant_status status =
      stream ? scant_fit_stream(&fit, &settings, source, &error) : scant_fit_new(&fit, &settings, source, &error);
  if (!CHECK(status == SCANT_OK)) printf("#   %s: %s\n", list, error.text);
  return fit;
}

static int feed(scant_fit *fit, scant_source *source) {
  int good = CHECK(scant_fit_feed(fit, source, &error) == SCANT_OK);
  if (!good) printf("#   %s\n", error.text);
  return good;
}

/* The model's text, which must be one that can be read. */
static char *text_of(const scant_fit *fit) {
  scant_model *model = NULL, *again = NULL;
  char *text = NULL, *same = NULL;
  size_t length = 0;
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(scant_model_write(model, &text, &length, &error) == SCANT_OK && strlen(text) == length);
  if (!CHECK(scant_model_read(&again, text, length, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(scant_model_write(again, &same, &length, &error) == SCANT_OK && same_text(text, same));
  scant_model_free(model);
  scant_model_free(again);
  return text;
}

/* To the bit: models with their ledgers, and learners. */
static int same_fits(const scant_fit *a, const scant_fit *b) {
  size_t length;
  char *one = text_of(a), *two = saved_learner(scant_fit_learner(a), &length);
  int same = same_text(one, text_of(b));
  same = same_text(two, saved_learner(scant_fit_learner(b), &length)) && same;
  scant_text_free(one);
  scant_text_free(two);
  return same;
}

/* ---- one source ------------------------------------------------------------------- */

/* What a stream without shuffling is, written by hand. */
static void by_hand(const char *list, scant_learner **learner, scant_meter **meter, const scant_prices *prices,
                    scant_source *source) {
  scant_settings settings = settings_of(list);
  uint64_t spend = (uint64_t)(100 * settings.learning.spend), budget = (uint64_t)(100 * settings.run.budget_cost);
  const scant_algorithm *row = scant_algorithm_find(settings.learning.algorithm);
  double values[D], y;
  CHECK(scant_learner_new(learner, &settings, D, 0, &error) == SCANT_OK);
  CHECK(scant_meter_new(meter, source, row->strict ? settings.learning.k : 0, settings.run.budget, &error) == SCANT_OK);
  if (prices && is_row(list, PRICED_ROWS)) CHECK(scant_learner_price(*learner, prices, &error) == SCANT_OK);
  if (prices) CHECK(scant_meter_price(*meter, prices, spend, budget, &error) == SCANT_OK);
  scant_meter_set_missing(*meter, (scant_missing)settings.learning.missing);
  scant_look *look = look_for(*learner);
  for (size_t r = 0; r < scant_source_rows(source); r++) {
    CHECK(scant_learner_ask(*learner, look, &error) == SCANT_OK);
    CHECK(scant_meter_buy(*meter, r, look, values, &y, &error) == SCANT_OK);
    CHECK(scant_learner_tell(*learner, look, look->count, NULL, values, y, &error) == SCANT_OK);
  }
  scant_look_free(look);
}

static void compare_by_hand(const char *list) {
  if (is_row(list, NEED_A_HORIZON)) return;
  if (strstr(list, "spend") && !is_row(list, PRICED_ROWS)) return;
  const table *t = strstr(list, "missing") ? &holes : &data;
  scant_source *source = rows_of(t, 0, N);
  scant_prices *prices = strstr(list, "costs") ? some_prices() : NULL;
  scant_learner *learner = NULL;
  scant_meter *meter = NULL;
  scant_fit *fit = fit_of(list, 1, source);
  CHECK(scant_fit_horizon(fit) == 0);
  while (!advance(fit, 7)) continue;
  by_hand(list, &learner, &meter, prices, source);
  CHECK(same_state(learner, scant_fit_learner(fit)));
  CHECK(scant_fit_ledger(fit)->examples == N);
  CHECK(memcmp(scant_fit_ledger(fit), scant_meter_ledger(meter), sizeof(scant_ledger)) == 0);
  CHECK(memcmp(fit->meter->purchases, scant_meter_purchases(meter), D * sizeof(uint64_t)) == 0);
  scant_fit_free(fit);
  scant_meter_free(meter);
  scant_learner_free(learner);
  scant_prices_free(prices);
  scant_source_free(source);
}

TEST(a_stream_is_ask_buy_and_tell_without_a_horizon) {
  each_row("shuffle=no", compare_by_hand);
  each_row("shuffle=no missing=skip-cell", compare_by_hand);
  each_row("shuffle=no missing=skip-example", compare_by_hand);
  each_row("shuffle=no costs=yes", compare_by_hand);
  each_row("shuffle=no costs=yes spend=9", compare_by_hand);
  each_row("shuffle=no costs=yes budget-cost=100000", compare_by_hand);
  each_row("shuffle=no budget=100000", compare_by_hand);
}

/* ---- several ------------------------------------------------------------------------ */

/* The same fit from what was kept of it. */
static scant_fit *kept(scant_fit *fit, scant_source *source) {
  size_t length, model_length;
  char *text = saved_learner(scant_fit_learner(fit), &length), *model_text = text_of(fit);
  model_length = strlen(model_text);
  scant_fit_free(fit);
  scant_learner *learner = loaded_learner(text, length);
  scant_model *model = NULL;
  CHECK(scant_model_read(&model, model_text, model_length, &error) == SCANT_OK);
  scant_text_free(text);
  scant_text_free(model_text);
  scant_fit *again = NULL;
  if (!CHECK(scant_fit_continue(&again, model, learner, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_model_free(model);
  return again;
}

static void compare_kept(const char *list, int stream) {
  const table *t = strstr(list, "missing") ? &holes : &data;
  scant_source *part[PARTS];
  for (size_t i = 0; i < PARTS; i++) part[i] = part_of(t, i);
  scant_fit *one = fit_of(list, stream, part[0]), *two = fit_of(list, stream, part[0]);
  uint64_t before = 0;
  for (size_t i = 0; i < PARTS; i++) {
    if (i) feed(one, part[i]);
    if (i) two = kept(two, part[i]);
    if (i) CHECK(scant_fit_horizon(one) == 0 && scant_fit_horizon(two) == 0);
    if (i) CHECK(advance(one, 0) == scant_fit_budget_spent(one));
    CHECK(advance(one, ALL) == 1);
    while (!advance(two, i + 3)) continue;
    CHECK(same_fits(one, two));
    CHECK(scant_fit_budget_spent(one) == scant_fit_budget_spent(two));
    CHECK(scant_fit_ledger(one)->examples > before || scant_fit_budget_spent(one));
    before = scant_fit_ledger(one)->examples;
  }
  uint64_t passes = scant_fit_settings(one)->learning.passes;
  int all = !scant_fit_settings(one)->run.examples && !(scant_fit_settings(one)->run.split > 0);
  CHECK(!all || scant_fit_budget_spent(one) || before == N * passes);
  CHECK(scant_fit_ledger(one)->distinct_examples * passes >= before);
  scant_fit_free(one);
  scant_fit_free(two);
  for (size_t i = 0; i < PARTS; i++) scant_source_free(part[i]);
}

static void compare_streams(const char *list) {
  if (is_row(list, NEED_A_HORIZON) || (strstr(list, "spend") && !is_row(list, PRICED_ROWS))) return;
  compare_kept(list, 1);
}

TEST(a_stream_that_was_kept_goes_on_with_the_same_bits) {
  each_row("", compare_streams);
  each_row("shuffle=no", compare_streams);
  each_row("seed=9 missing=skip-cell", compare_streams);
  each_row("missing=skip-example", compare_streams);
  each_row("costs=yes", compare_streams);
  each_row("costs=yes spend=9.25", compare_streams);
  each_row("costs=yes budget-cost=60", compare_streams);
  each_row("budget=150", compare_streams);
  each_row("average=late", compare_streams);
}

static void compare_fits(const char *list) {
  if (strstr(list, "spend") && !is_row(list, PRICED_ROWS)) return;
  if (strstr(list, "passes") && is_row(list, "online-ridge online-lasso aesvr")) return;
  compare_kept(list, 0);
}

/* Every row goes on past its horizon. */
TEST(a_fit_that_is_done_can_be_fed) {
  each_row("", compare_fits);
  each_row("average=half", compare_fits);
  each_row("passes=2", compare_fits);
  each_row("split=0.3 examples=5", compare_fits);
  each_row("costs=yes spend=9.25 budget-cost=60", compare_fits);
  each_row("budget=150", compare_fits);
}

/* A source that is not gone through when the next one comes. */
TEST(what_is_left_of_a_source_is_left_out) {
  scant_source *part[PARTS];
  for (size_t i = 0; i < PARTS; i++) part[i] = part_of(&data, i);
  for (size_t cut = 0; cut < 9; cut += 4) {
    scant_fit *one = fit_of("algorithm=auto k=4", 1, part[0]), *two = fit_of("algorithm=auto k=4", 1, part[0]);
    CHECK(!advance(one, cut) && !advance(two, cut));
    feed(one, part[1]);
    two = kept(two, part[1]);
    CHECK(advance(one, ALL) == 1 && advance(two, ALL) == 1);
    CHECK(same_fits(one, two));
    CHECK(scant_fit_ledger(one)->examples == cut + 19);
    scant_fit_free(one);
    scant_fit_free(two);
  }
  for (size_t i = 0; i < PARTS; i++) scant_source_free(part[i]);
}

/* Every source has an order of its own, and each row its turn. */
TEST(orders_differ_from_source_to_source) {
  static recorder records[4];
  scant_source *source[4];
  scant_fit *fit = NULL;
  for (size_t i = 0; i < 4; i++) {
    records[i] = (recorder){.table = &data};
    source[i] = recorder_source(&records[i]);
    if (i)
      feed(fit, source[i]);
    else
      fit = fit_of("algorithm=aerr k=4", 1, source[0]);
    CHECK(advance(fit, ALL) == 1);
    int met[N] = {0};
    CHECK(records[i].calls == N);
    for (size_t r = 0; r < N; r++) met[records[i].visits[r]]++;
    for (size_t r = 0; r < N; r++) CHECK(met[r] == 1);
    for (size_t j = 0; j < i; j++) CHECK(memcmp(records[i].visits, records[j].visits, N * sizeof(size_t)) != 0);
  }
  scant_fit_free(fit);
  for (size_t i = 0; i < 4; i++) scant_source_free(source[i]);
}

/* ---- limits --------------------------------------------------------------------------- */

TEST(a_budget_goes_on) {
  scant_source *part[PARTS];
  for (size_t i = 0; i < PARTS; i++) part[i] = part_of(&data, i);
  scant_fit *fit = fit_of("algorithm=aerr k=4 replacement=no budget=100", 1, part[0]);
  CHECK(advance(fit, ALL) == 1 && !scant_fit_budget_spent(fit));
  feed(fit, part[1]);
  CHECK(advance(fit, ALL) == 1 && scant_fit_budget_spent(fit));
  scant_ledger before = *scant_fit_ledger(fit);
  CHECK(before.attributes_bought <= 100 && before.attributes_bought > 96);
  feed(fit, part[2]);
  CHECK(scant_fit_budget_spent(fit) && advance(fit, ALL) == 1);
  CHECK(memcmp(&before, scant_fit_ledger(fit), sizeof before) == 0);
  fit = kept(fit, part[2]);
  CHECK(advance(fit, ALL) == 1 && scant_fit_budget_spent(fit));
  CHECK(memcmp(&before, scant_fit_ledger(fit), sizeof before) == 0);
  scant_fit_free(fit);
  for (size_t i = 0; i < PARTS; i++) scant_source_free(part[i]);
}

/* K, and money, are for each example: those of a later source have all of it. */
TEST(each_new_example_has_its_own_k_and_money) {
  scant_source *few = rows_of(&data, 0, 3), *many = rows_of(&data, 3, N - 3);
  scant_fit *fit = fit_of("algorithm=auto k=4 costs=yes spend=6", 1, few);
  CHECK(advance(fit, ALL) == 1);
  for (int i = 0; i < 4; i++) {
    feed(fit, i % 2 ? few : many);
    CHECK(advance(fit, ALL) == 1 && !scant_fit_budget_spent(fit));
  }
  const scant_ledger *l = scant_fit_ledger(fit);
  CHECK(l->examples == 2 * N + 3 && l->distinct_examples == l->examples);
  CHECK(l->max_bought_per_example <= 4 && l->money_spent <= 600 * l->examples);
  scant_fit_free(fit);
  scant_source_free(few);
  scant_source_free(many);
}

/* ---- what is refused ---------------------------------------------------------------------- */

static void refuse_stream(const char *list, const char *words) {
  scant_source *source = rows_of(&data, 0, N);
  scant_settings settings = settings_of(list);
  scant_fit *fit = NULL;
  CHECK(scant_fit_stream(&fit, &settings, source, &error) == SCANT_USAGE && !fit);
  CHECK_SAYS(error.text, words);
  scant_source_free(source);
}

TEST(what_needs_all_examples_is_refused) {
  refuse_stream("algorithm=aerr k=4 split=0.5", "split can't be had of examples that come source by source");
  refuse_stream("algorithm=aerr k=4 examples=5", "examples can't be had");
  refuse_stream("algorithm=aerr k=4 passes=2", "more than one pass can't be had");
  refuse_stream("algorithm=aerr k=4 average=half", "average half needs the number of examples beforehand");
  refuse_stream("algorithm=aer k=4", "penalty auto needs the number of examples beforehand");
  refuse_stream("algorithm=ddaerr k=4", "ddaerr needs the number of examples beforehand");
  refuse_stream("algorithm=auto k=4 spend=2", "need costs");
}

TEST(there_is_no_checkpoint_of_a_stream) {
  scant_source *source = rows_of(&data, 0, N);
  scant_model *model = NULL;
  scant_fit *fit = fit_of("algorithm=aerr k=4", 1, source);
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_MISUSE && !model);
  CHECK_SAYS(error.text, "keep the model and the learner");
  scant_fit_free(fit);
  fit = fit_of("algorithm=aerr k=4", 0, source);
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_OK && scant_model_is_checkpoint(model));
  scant_model_free(model);
  model = NULL;
  feed(fit, source);
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_MISUSE && !model);
  fit = kept(fit, source);
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_MISUSE && !model);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* Feeds what must be refused, and sees that nothing has changed. */
static void refuse_feed(scant_source *source, scant_status status, const char *words) {
  scant_source *first = rows_of(&data, 0, 11), *next = rows_of(&data, 11, 19);
  scant_fit *one = fit_of("algorithm=auto k=4", 1, first), *two = fit_of("algorithm=auto k=4", 1, first);
  advance(one, 5);
  advance(two, 5);
  CHECK(scant_fit_feed(one, source, &error) == status);
  CHECK_SAYS(error.text, words);
  CHECK(one->source == first && same_fits(one, two));
  CHECK(advance(one, ALL) == 1 && advance(two, ALL) == 1);
  feed(one, next);
  feed(two, next);
  CHECK(advance(one, ALL) == 1 && advance(two, ALL) == 1 && same_fits(one, two));
  scant_learner *learner = NULL;
  scant_model *model = NULL;
  size_t length;
  char *text = saved_learner(scant_fit_learner(one), &length);
  learner = loaded_learner(text, length);
  scant_text_free(text);
  CHECK(scant_fit_model(one, 0, &model, &error) == SCANT_OK);
  scant_fit *fit = NULL;
  CHECK(scant_fit_continue(&fit, model, learner, source, &error) == status && !fit);
  CHECK_SAYS(error.text, words);
  scant_model_free(model);
  scant_fit_free(one);
  scant_fit_free(two);
  scant_source_free(first);
  scant_source_free(next);
  scant_source_free(source);
}

TEST(other_data_are_refused) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, data.x, N, D - 1, sizeof *data.x, sizeof **data.x, data.y, NULL) ==
        SCANT_OK);
  refuse_feed(source, SCANT_DATA, "these data have 11 attributes, and those before had 12");
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, data.x, N, D, sizeof *data.x, sizeof **data.x, NULL, NULL) ==
        SCANT_OK);
  refuse_feed(source, SCANT_DATA, "the data have no target to learn");
  double positive[N];
  for (size_t i = 0; i < N; i++) positive[i] = (double)i;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, data.x, N, D, sizeof *data.x, sizeof **data.x, positive, NULL) ==
        SCANT_OK);
  CHECK(scant_source_log_target(source, NULL) == SCANT_OK);
  refuse_feed(source, SCANT_USAGE, "log-target is no in the settings, but yes in the data");
}

TEST(other_names_are_refused) {
  scant_settings settings = file_settings();
  scant_source *one = NULL, *two = NULL, *bare = NULL;
  static const double x[4] = {1, 2, 3, 4}, y[2] = {1, -1};
  CHECK(scant_source_open(&one, file_text("one.csv", "a,b,label\n1,2,1\n3,4,-1\n"), &settings, SCANT_TARGET_REQUIRED,
                          &error) == SCANT_OK);
  CHECK(scant_source_open(&two, file_text("two.csv", "a,c,label\n1,2,1\n3,4,-1\n"), &settings, SCANT_TARGET_REQUIRED,
                          &error) == SCANT_OK);
  CHECK(scant_source_wrap(&bare, SCANT_FLOAT64, x, 2, 2, 16, 8, y, NULL) == SCANT_OK);
  scant_fit *fit = fit_of("algorithm=aerr k=2", 1, one);
  CHECK(scant_fit_feed(fit, two, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "attribute 2 is 'c' in these data, and was 'b' before");
  size_t length;
  char *text = saved_learner(scant_fit_learner(fit), &length);
  scant_learner *learner = loaded_learner(text, length);
  scant_text_free(text);
  scant_model *model = NULL;
  scant_fit *again = NULL;
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(scant_fit_continue(&again, model, learner, two, &error) == SCANT_DATA && !again);
  CHECK_SAYS(error.text, "attribute 2 is 'c' in these data, and was 'b' before");
  scant_model_free(model);
  feed(fit, bare); /* which says nothing of names */
  feed(fit, two);
  scant_fit_free(fit);
  scant_source_free(one);
  scant_source_free(two);
  scant_source_free(bare);
}

TEST(a_fit_that_failed_stays_failed) {
  static table bad;
  bad = data;
  bad.y[3] = 1e200;
  scant_source *source = rows_of(&bad, 0, N), *good = rows_of(&data, 0, N);
  scant_fit *fit = fit_of("algorithm=aerr k=4 shuffle=no", 1, source);
  int done = 0;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA);
  scant_error first = error;
  CHECK(scant_fit_feed(fit, good, &error) == SCANT_DATA && strcmp(first.text, error.text) == 0);
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA);
  scant_fit_free(fit);
  scant_source_free(source);
  scant_source_free(good);
}

/* A model of one list, and a learner of another that was told `told` rows. */
static void refuse_pair(const char *list, const char *other, size_t told, int priced, const char *words) {
  scant_source *source = rows_of(&data, 0, N);
  scant_fit *fit = fit_of(list, 1, source), *again = NULL;
  advance(fit, 20);
  scant_model *model = NULL;
  scant_prices *prices = some_prices();
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  scant_learner *learner = learner_from(other, D, 0);
  if (priced) CHECK(scant_learner_price(learner, prices, &error) == SCANT_OK);
  scant_look *look = look_for(learner);
  learn_rows(learner, look, &data, 0, told);
  if (strstr(words, "open looks")) CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  CHECK(scant_fit_continue(&again, model, learner, source, &error) == SCANT_DATA && !again);
  CHECK_SAYS(error.text, words);
  scant_look_free(look);
  scant_prices_free(prices);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(a_learner_of_another_model_is_refused) {
  refuse_pair("algorithm=aerr k=4", "algorithm=aelr k=4", 20, 0, "its algorithm is aelr, not aerr");
  refuse_pair("algorithm=aerr k=4", "algorithm=aerr k=5", 20, 0, "its k is 5, not 4");
  refuse_pair("algorithm=aerr k=4", "algorithm=aerr k=4 seed=3", 20, 0, "its seed is 3, not 1");
  refuse_pair("algorithm=aerr k=4", "algorithm=aerr k=4", 19, 0, "told 19 examples, not 20");
  refuse_pair("algorithm=aerr k=4", "algorithm=aerr k=4", 20, 0, "its weights differ");
  refuse_pair("algorithm=aerr k=4", "algorithm=aerr k=4 max-open=2", 20, 0, "open looks");
  refuse_pair("algorithm=auto k=4", "algorithm=auto k=4", 20, 1, "its prices differ");
  refuse_pair("algorithm=auto k=4 costs=yes", "algorithm=auto k=4", 20, 0, "its prices differ");
  scant_source *source = rows_of(&data, 0, N);
  scant_fit *fit = fit_of("algorithm=aerr k=4", 1, source), *again = NULL;
  scant_model *model = NULL;
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(scant_fit_continue(&again, model, learner_from("algorithm=aerr k=4", D + 1, 0), source, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "it has 13 attributes, not 12");
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* The learner that a model is continued with need not have been loaded: then it takes
 * the fit's prices, and those it had can go. */
TEST(a_learner_made_by_hand_can_be_continued) {
  scant_source *source = rows_of(&data, 0, N);
  scant_prices *prices = some_prices();
  scant_fit *fit = fit_of("algorithm=auto k=4 costs=yes", 1, source), *again = NULL;
  scant_learner *learner = learner_from("algorithm=auto k=4", D, 0);
  scant_model *model = NULL;
  CHECK(scant_learner_price(learner, prices, &error) == SCANT_OK);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(scant_fit_continue(&again, model, learner, source, &error) == SCANT_OK);
  scant_prices_free(prices);
  scant_model_free(model);
  feed(fit, source);
  CHECK(advance(again, ALL) == 1 && advance(fit, ALL) == 1 && same_fits(fit, again));
  scant_fit_free(fit);
  scant_fit_free(again);
  scant_source_free(source);
}

/* A model as text is its file. */
TEST(a_model_s_text_is_its_file) {
  scant_source *source = rows_of(&data, 0, N);
  scant_fit *fit = fit_of("algorithm=auto k=4 costs=yes", 0, source);
  advance(fit, 20);
  for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
    scant_model *model = NULL, *again = NULL;
    char *text = NULL;
    size_t length = 0;
    CHECK(scant_fit_model(fit, checkpoint, &model, &error) == SCANT_OK);
    CHECK(scant_model_write(model, &text, &length, &error) == SCANT_OK);
    char *file = model_text(model, file_path("model.json"));
    CHECK(strcmp(file, text) == 0);
    free(file);
    CHECK(scant_model_read(&again, text, length, &error) == SCANT_OK);
    CHECK(scant_model_is_checkpoint(again) == checkpoint);
    scant_model_free(again);
    again = NULL;
    CHECK(scant_model_read(&again, text, length - 1, &error) == SCANT_DATA && !again);
    CHECK_SAYS(error.text, "can't read the model: its checksum is wrong: the text was changed or damaged");
    scant_text_free(text);
    scant_model_free(model);
  }
  scant_fit_free(fit);
  scant_source_free(source);
}

int main(void) {
  table_fill(&data, 5);
  holes = data;
  table_punch(&holes, 8);
  files_begin();
  costs = file_text("costs.csv",
                    "attribute,cost,group\n1,1.00,\n2,2.50,p\n3,0,\n4,0.30,p\n5,0.75,\n6,1.20,q\n7,0,\n"
                    "8,0.10,q\n9,3.10,\n10,0.40,\n11,0.55,q\n12,0.90,\n");
  RUN(a_stream_is_ask_buy_and_tell_without_a_horizon);
  RUN(a_stream_that_was_kept_goes_on_with_the_same_bits);
  RUN(a_fit_that_is_done_can_be_fed);
  RUN(what_is_left_of_a_source_is_left_out);
  RUN(orders_differ_from_source_to_source);
  RUN(a_budget_goes_on);
  RUN(each_new_example_has_its_own_k_and_money);
  RUN(what_needs_all_examples_is_refused);
  RUN(there_is_no_checkpoint_of_a_stream);
  RUN(other_data_are_refused);
  RUN(other_names_are_refused);
  RUN(a_fit_that_failed_stays_failed);
  RUN(a_learner_of_another_model_is_refused);
  RUN(a_learner_made_by_hand_can_be_continued);
  RUN(a_model_s_text_is_its_file);
  files_end();
  return check_done();
}
