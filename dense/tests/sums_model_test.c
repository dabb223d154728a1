/* What is made of what was learned from sums: models, facts, and what is refused. */
#include "sums/sums_fit.h"
#include "fail_each.h"
#include "scant_dense.h"
#include "table_of_blocks.h"

enum { D = 10, K = 4, BLOCKS = 40 };

static scant_asker *asker_of(const scant_sums *sums) {
  scant_asker *asker = NULL;
  CHECK(scant_asker_here(&asker, &sums, 1, 1, &error) == SCANT_OK);
  return asker;
}

static scant_sums_fit *learn(const scant_sums *sums, const char *list) {
  scant_settings settings = settings_from(list);
  scant_asker *asker = asker_of(sums);
  scant_sums_fit *fit = NULL;
  if (!CHECK(scant_sums_learn(&fit, &settings, D, asker, 1, &error) == SCANT_OK)) printf("# %s\n", error.text);
  scant_asker_here_free(asker);
  return fit;
}

/* With limits that these very blocks give. */
static scant_sums *limited_sums(const blocks_table *t, double *low, double *high) {
  scant_sums *raw = table_sums(t, 0, BLOCKS, K), *sums = NULL;
  CHECK(scant_sums_limits(raw, 2, low, high, &error) == SCANT_OK);
  CHECK(scant_sums_new(&sums, D, &error) == SCANT_OK);
  for (uint64_t b = 0; b < BLOCKS; b++) {
    uint32_t look[K];
    size_t count;
    double values[K * 100], y[100], x[TABLE_MOST];
    CHECK(scant_block_look(D, K, t->seed, b, NULL, NULL, look, &count, NULL) == SCANT_OK);
    for (size_t r = 0; r < t->rows; r++) {
      y[r] = table_row(t, b, r, x);
      for (size_t c = 0; c < count; c++) values[c * t->rows + r] = x[look[c]];
    }
    CHECK(scant_sums_add(sums, b, t->rows, count, look, values, y, low, high, &error) == SCANT_OK);
  }
  scant_sums_free(raw);
  return sums;
}

/* ---- models --------------------------------------------------------------------------------- */

static const char *const names[D] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

static scant_model *model_of(const scant_sums_fit *fit, const scant_sums *sums, const double *low, const double *high) {
  scant_sums_facts facts;
  scant_sums_get_facts(sums, &facts);
  scant_ledger ledger = {.examples = facts.examples,
                         .distinct_examples = facts.examples,
                         .looks_drawn = facts.cells,
                         .attributes_bought = facts.cells,
                         .max_bought_per_example = K};
  scant_sums_terms terms = {.names = names, .target = "y", .low = low, .high = high, .ledger = &ledger};
  scant_model *model = NULL;
  if (!CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_OK)) printf("# %s\n", error.text);
  return model;
}

static void check_predictions(const scant_model *model, const blocks_table *t, const double *w, double intercept,
                              const double *low, const double *high) {
  double x[TABLE_MOST];
  for (size_t r = 0; r < 5; r++) {
    double wanted = intercept;
    table_row(t, 1000, r, x);
    for (size_t j = 0; j < D; j++) wanted += w[j] * fmin(fmax(x[j], low[j]), high[j]);
    CHECK_NEAR(scant_model_predict(model, x), wanted, 1e-12 * (1 + fabs(wanted)));
  }
}

static void round_trip(const char *list, int gaussian) {
  blocks_table t = table_new(D, 20, 0.5, 7);
  double low[D], high[D], w[D], intercept;
  scant_sums *sums = limited_sums(&t, low, high);
  scant_sums_fit *fit = learn(sums, list);
  scant_model *model = model_of(fit, sums, low, high), *again = NULL;
  uint64_t purchases[D];
  char *text[2];
  size_t length[2];
  const char *path = file_path("from-sums.json");
  scant_sums_fit_weights(fit, w, &intercept);
  scant_sums_purchases(sums, purchases);
  CHECK(!memcmp(scant_model_weights(model), w, sizeof w) && scant_model_intercept(model) == intercept);
  for (size_t j = 0; j < D; j++) CHECK(scant_model_purchases(model)[j] == purchases[j]);
  check_predictions(model, &t, w, intercept, low, high);
  CHECK(scant_model_save(model, path, &error) == SCANT_OK);
  if (!CHECK(scant_model_load(&again, path, &error) == SCANT_OK)) printf("# %s\n", error.text);
  check_predictions(again, &t, w, intercept, low, high);
  CHECK(scant_model_write(model, &text[0], &length[0], &error) == SCANT_OK);
  CHECK(scant_model_write(again, &text[1], &length[1], &error) == SCANT_OK);
  CHECK(length[0] == length[1] && !memcmp(text[0], text[1], length[0]));
  CHECK((strstr(text[0], "\"gaussian\"") != NULL) == gaussian && strstr(text[0], "\"c\"") &&
        strstr(text[0], "\"low\""));
  scant_text_free(text[0]);
  scant_text_free(text[1]);
  scant_model_free(model);
  scant_model_free(again);
  scant_sums_fit_free(fit);
  scant_sums_free(sums);
}

TEST(models_are_saved_and_loaded) {
  round_trip("algorithm=gaussian k=4 clip=2", 1);
  round_trip("algorithm=moments k=4 clip=2", 0);
}

TEST(terms_must_fit) {
  blocks_table t = table_new(D, 20, 0.5, 7);
  scant_sums *sums = table_sums(&t, 0, BLOCKS, K);
  scant_sums_fit *fit = learn(sums, "algorithm=gaussian k=4 clip=none");
  double low[D] = {0}, high[D] = {0}, values[2] = {1, 1};
  scant_ledger ledger = {0};
  scant_model *model = NULL;
  scant_sums_terms terms = {.ledger = &ledger, .low = low, .high = high};
  CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "no limits");
  terms = (scant_sums_terms){.ledger = &ledger, .low = low};
  CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_MISUSE);
  terms = (scant_sums_terms){0};
  CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_MISUSE);
  terms = (scant_sums_terms){.ledger = &ledger, .two_values = values};
  CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_MISUSE && !model);
  values[1] = 2;
  CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_OK);
  scant_model_free(model);
  scant_sums_fit_free(fit);
  scant_sums_free(sums);
}

/* ---- where there is little to learn ------------------------------------------------------------ */

/* Sums of `blocks` blocks with so many rows, the target as `y` says: NULL is that of the table. */
static void learns_the_mean(uint64_t blocks, size_t rows, const double *y, const char *list) {
  blocks_table t = table_new(D, rows, 0.5, 8);
  scant_sums *sums = NULL;
  double w[D], intercept, sum = 0;
  scant_learner_facts facts;
  CHECK(scant_sums_new(&sums, D, &error) == SCANT_OK);
  for (uint64_t b = 0; b < blocks; b++) {
    uint32_t look[K];
    size_t count;
    double values[K * 32], targets[32], x[TABLE_MOST];
    CHECK(scant_block_look(D, K, 1, b, NULL, NULL, look, &count, NULL) == SCANT_OK);
    for (size_t r = 0; r < rows; r++) {
      targets[r] = table_row(&t, b, r, x);
      if (y) targets[r] = *y;
      sum += targets[r];
      for (size_t c = 0; c < count; c++) values[c * rows + r] = x[look[c]];
    }
    CHECK(scant_sums_add(sums, b, rows, count, look, values, targets, NULL, NULL, &error) == SCANT_OK);
  }
  scant_sums_fit *fit = learn(sums, list);
  scant_sums_fit_weights(fit, w, &intercept);
  scant_sums_fit_facts(fit, &facts);
  CHECK_NEAR(intercept, sum / (double)(blocks * rows), 1e-12 * (1 + fabs(sum)));
  for (size_t j = 0; j < D; j++) CHECK(w[j] == 0);
  CHECK(isnan(facts.risk) && facts.told == blocks * rows && facts.dimension == D);
  double follow[D], explore[D];
  scant_sums_fit_law(fit, follow, explore);
  for (size_t j = 0; j < D; j++) CHECK(follow[j] == 0 && explore[j] > 0);
  scant_ledger ledger = {0};
  scant_sums_terms terms = {.ledger = &ledger};
  scant_model *model = NULL;
  char *text;
  size_t length;
  CHECK(scant_sums_fit_model(fit, &terms, &model, &error) == SCANT_OK);
  CHECK(scant_model_write(model, &text, &length, &error) == SCANT_OK);
  scant_text_free(text);
  scant_model_free(model);
  scant_sums_fit_free(fit);
  scant_sums_free(sums);
}

TEST(few_examples_and_constant_targets_give_the_mean) {
  static const double constant = 2.5;
  learns_the_mean(3, 3, NULL, "algorithm=gaussian k=4 clip=none");
  learns_the_mean(3, 3, NULL, "algorithm=moments k=4 clip=none");
  learns_the_mean(20, 10, &constant, "algorithm=gaussian k=4 clip=none");
  learns_the_mean(20, 10, &constant, "algorithm=moments k=4 clip=none");
}

/* One block has no halves: there is a regressor, and its risk is not known. */
TEST(a_single_block_has_a_regressor_without_a_risk) {
  blocks_table t = table_new(D, 90, 0.3, 9);
  scant_sums *sums = table_sums(&t, 0, 1, D);
  scant_sums_fit *fit = learn(sums, "algorithm=gaussian k=10 clip=none");
  double w[D], intercept;
  scant_learner_facts facts;
  scant_sums_fit_weights(fit, w, &intercept);
  scant_sums_fit_facts(fit, &facts);
  CHECK(isnan(facts.risk) && isfinite(facts.likelihood));
  CHECK_AT_MOST(table_risk(&t, w, intercept), (t.noise * t.noise + table_variance(&t)) / 2);
  scant_sums_fit_free(fit);
  scant_sums_free(sums);
}

/* ---- what is refused ------------------------------------------------------------------------------ */

typedef struct {
  scant_asker *inner;
  size_t asked, fail_at;
} counter;

static scant_status ask_counted(void *user, const unsigned char *request, size_t size, unsigned char **reply,
                                size_t *reply_size, scant_error *why) {
  counter *c = user;
  if (++c->asked == c->fail_at) {
    if (why) snprintf(why->text, sizeof why->text, "the engine is gone");
    return SCANT_IO;
  }
  return c->inner->ask(c->inner->user, request, size, reply, reply_size, why);
}

static void refused(counter *c, const char *list, size_t d, scant_status status, const char *words) {
  scant_settings settings = settings_from(list);
  scant_asker asker = {ask_counted, c};
  scant_sums_fit *fit = NULL;
  c->asked = 0;
  CHECK(scant_sums_learn(&fit, &settings, d, &asker, 1, &error) == status && !fit);
  CHECK_SAYS(error.text, words);
}

TEST(refusals_come_before_anything_is_asked) {
  blocks_table t = table_new(D, 20, 0.5, 7);
  scant_sums *sums = table_sums(&t, 0, BLOCKS, K), *none = NULL;
  counter c = {.inner = asker_of(sums)};
  refused(&c, "algorithm=auto k=4", D, SCANT_USAGE, "auto does not learn from sums: gaussian and moments do");
  refused(&c, "algorithm=gaussian k=11", D, SCANT_DATA, "11");
  refused(&c, "algorithm=gaussian k=4 errors-of=all", D, SCANT_USAGE, "errors-of");
  refused(&c, "algorithm=gaussian k=4", 0, SCANT_DATA, "no attributes");
  refused(&c, "algorithm=gaussian k=50 memory=2", 5000, SCANT_DATA, "gaussian needs 2.42 GiB for the pairs of 5000");
  refused(&c, "algorithm=moments k=50 memory=1", 5000, SCANT_DATA, "moments needs");
  refused(&c, "algorithm=gaussian k=50 memory=1000", 40000, SCANT_DATA, "gaussian takes at most 32000 attributes");
  CHECK(c.asked == 0);
  CHECK(scant_sums_new(&none, D, &error) == SCANT_OK);
  counter empty = {.inner = asker_of(none)};
  refused(&empty, "algorithm=gaussian k=4 clip=none", D, SCANT_DATA, "no blocks to learn from");
  scant_asker_here_free(empty.inner);
  scant_asker_here_free(c.inner);
  scant_sums_free(none);
  scant_sums_free(sums);
}

/* Whenever the asker fails, its error comes back. */
TEST(errors_of_the_asker_come_back) {
  blocks_table t = table_new(D, 20, 0.5, 7);
  scant_sums *sums = table_sums(&t, 0, BLOCKS, K);
  counter c = {.inner = asker_of(sums)};
  scant_settings settings = settings_from("algorithm=gaussian k=4 clip=none");
  scant_asker asker = {ask_counted, &c};
  scant_sums_fit *fit = NULL;
  CHECK(scant_sums_learn(&fit, &settings, D, &asker, 1, &error) == SCANT_OK);
  scant_sums_fit_free(fit);
  size_t all = c.asked;
  CHECK(all > 20);
  for (size_t at = 1; at <= all; at += at < 8 ? 1 : all / 9) {
    c = (counter){.inner = c.inner, .fail_at = at};
    fit = NULL;
    CHECK(scant_sums_learn(&fit, &settings, D, &asker, 1, &error) == SCANT_IO && !fit && c.asked == at);
    CHECK_SAYS(error.text, "the engine is gone");
  }
  scant_asker_here_free(c.inner);
  scant_sums_free(sums);
}

/* ---- being told to stop ------------------------------------------------------------------------------ */

typedef struct {
  unsigned calls, stop_at, most_priors;
  int reading;
} watcher;

static int watch(void *user, const scant_thought *thought) {
  watcher *w = user;
  w->reading = thought->reading;
  if (thought->prior > w->most_priors) w->most_priors = thought->prior;
  CHECK(!strcmp(thought->algorithm, "gaussian"));
  return ++w->calls == w->stop_at;
}

TEST(a_watcher_may_stop_it) {
  blocks_table t = table_new(D, 20, 0.5, 7);
  scant_sums *sums = table_sums(&t, 0, BLOCKS, K);
  scant_asker *asker = asker_of(sums);
  scant_settings settings = settings_from("algorithm=gaussian k=4 clip=none");
  for (int final = 0; final < 2; final++) {
    watcher w = {0};
    scant_sums_fit *fit = NULL;
    settings.runtime.watch = watch;
    settings.runtime.watcher = &w;
    CHECK(scant_sums_learn(&fit, &settings, D, asker, final, &error) == SCANT_OK && w.reading == final);
    CHECK(w.calls > 10 && w.most_priors >= 3);
    scant_sums_fit_free(fit);
    unsigned all = w.calls;
    for (unsigned at = 1; at < all; at += all / 6) {
      fit = NULL;
      w = (watcher){.stop_at = at};
      scant_status status = scant_sums_learn(&fit, &settings, D, asker, final, &error);
      /* a regressor is the best so far, once a prior was tried; a law is never cut short */
      CHECK(status == (final && w.most_priors > 1 ? SCANT_OK : SCANT_STOPPED));
      if (status == SCANT_STOPPED) CHECK(!fit && strstr(error.text, "stopped"));
      scant_sums_fit_free(fit);
    }
  }
  scant_asker_here_free(asker);
  scant_sums_free(sums);
}

/* ---- out of memory ------------------------------------------------------------------------------------ */

static scant_sums *sums_at_hand;

static scant_status learn_and_save(const char *list) {
  scant_settings settings = settings_from(list);
  scant_asker *asker = NULL;
  scant_sums_fit *fit = NULL;
  scant_model *model = NULL;
  char *text = NULL;
  size_t length;
  const scant_sums *sums = sums_at_hand;
  scant_ledger ledger = {0};
  scant_sums_terms terms = {.names = names, .target = "y", .ledger = &ledger};
  scant_status status = scant_asker_here(&asker, &sums, 1, 1, &error);
  if (status == SCANT_OK) status = scant_sums_learn(&fit, &settings, D, asker, 1, &error);
  if (status == SCANT_OK) status = scant_sums_fit_model(fit, &terms, &model, &error);
  if (status == SCANT_OK) status = scant_model_write(model, &text, &length, &error);
  stop_failing();
  if (status == SCANT_OK) note(text, length);
  scant_text_free(text);
  scant_model_free(model);
  scant_sums_fit_free(fit);
  scant_asker_here_free(asker);
  return status;
}

static scant_status learn_gaussian(void) {
  return learn_and_save("algorithm=gaussian k=4 clip=none");
}

static scant_status learn_moments(void) {
  return learn_and_save("algorithm=moments k=4 clip=none");
}

TEST(every_allocation_may_fail) {
  blocks_table t = table_new(D, 3, 2, 7);
  sums_at_hand = table_sums(&t, 0, 4, D); /* all is seen, and an EM takes a few steps */
  fail_each("gaussian", learn_gaussian);
  fail_each("moments", learn_moments);
  scant_sums_free(sums_at_hand);
}

int main(void) {
  files_begin();
  RUN(models_are_saved_and_loaded);
  RUN(terms_must_fit);
  RUN(few_examples_and_constant_targets_give_the_mean);
  RUN(a_single_block_has_a_regressor_without_a_risk);
  RUN(refusals_come_before_anything_is_asked);
  RUN(errors_of_the_asker_come_back);
  RUN(a_watcher_may_stop_it);
  RUN(every_allocation_may_fail);
  files_end();
  return check_done();
}
