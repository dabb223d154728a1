/* Fits with blocks: one look for several examples. */
#include "fits.h"

#include "fit/fit.h"
#include "keep.h"
#include "learn/learner.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data, holes;
static scant_error error;

/* ---- what is bought -------------------------------------------------------------- */

/* Purchases as they come. */
typedef struct {
  size_t count, row[4 * N];
  uint64_t serial[4 * N];
  uint32_t places[4 * N], attributes[4 * N][D];
} bought;

static scant_status note(void *user, size_t row, const scant_look *look, const double *values, double y,
                         scant_error *unused) {
  bought *b = user;
  (void)values;
  (void)y;
  (void)unused;
  b->row[b->count] = row;
  b->serial[b->count] = look->serial;
  b->places[b->count] = look->count;
  memcpy(b->attributes[b->count++], look->attributes, look->count * sizeof *look->attributes);
  return SCANT_OK;
}

/* Every `size` examples of a pass share a look; a pass ends the last block. */
static void check_purchases(const char *list, size_t size, size_t per_pass, size_t passes) {
  static bought b;
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_from(list, source);
  b.count = 0;
  scant_fit_watch_purchases(fit, note, &b);
  CHECK(advance(fit, ALL) == 1);
  CHECK(b.count == per_pass * passes);
  uint64_t blocks = 0;
  for (size_t i = 0; i < b.count; i++) {
    int first = i % per_pass % size == 0;
    blocks += (uint64_t)first;
    CHECK(b.serial[i] == blocks);
    if (first) continue;
    CHECK(b.places[i] == b.places[i - 1]);
    CHECK(!memcmp(b.attributes[i], b.attributes[i - 1], b.places[i] * sizeof **b.attributes));
  }
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(scant_fit_learner(fit)->block == blocks && scant_fit_learner(fit)->told == b.count);
  CHECK(ledger->examples == b.count);
  uint64_t cells = 0;
  for (size_t i = 0; i < b.count; i++) cells += b.places[i];
  CHECK(ledger->attributes_bought == cells); /* every row is paid */
  CHECK(scant_fit_learner(fit)->looks.horizon == blocks);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(the_rows_of_a_block_have_one_look) {
  check_purchases("algorithm=auto k=3 block=7", 7, N, 1);
  check_purchases("algorithm=auto k=3 block=1", 1, N, 1);
  check_purchases("algorithm=aerr k=6 block=5 passes=2", 5, N, 2);
  check_purchases("algorithm=ridge k=6 block=16 split=0.25 passes=3", 16, N - (N + 2) / 4, 3);
  check_purchases("algorithm=lasso k=4 block=4000", 4000, N, 1);
  check_purchases("algorithm=coinflip k=4 block=3", 3, N, 1);
}

/* ---- a reference ------------------------------------------------------------------ */

/* Online gradient descent written by hand: one step with the mean gradient of each block, eta = 1/sqrt(m) with m the
 * number of blocks, and the average of the iterates before the steps. */
TEST(online_gradient_descent_in_blocks) {
  enum { SIZE = 6 };
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_from("algorithm=online-ridge block=6 shuffle=no radius=0.5 x-bound=2", source);
  double w[D] = {0}, sum[D] = {0}, found[D], eta = 0;
  size_t blocks = (N + SIZE - 1) / SIZE;
  eta = 1 / sqrt((double)blocks);
  for (size_t b = 0; b < blocks; b++) {
    double g[D] = {0}, norm = 0, rows = 0;
    for (size_t r = b * SIZE; r < (b + 1) * SIZE && r < N; r++, rows++) {
      double residual = -data.y[r];
      for (size_t i = 0; i < D; i++) residual += w[i] * data.x[r][i] / 2;
      for (size_t i = 0; i < D; i++) g[i] += residual * data.x[r][i] / 2;
    }
    for (size_t i = 0; i < D; i++) {
      sum[i] += w[i];
      w[i] -= eta * g[i] / rows;
      norm += w[i] * w[i];
    }
    for (size_t i = 0; i < D && sqrt(norm) > 0.5; i++) w[i] *= 0.5 / sqrt(norm);
  }
  CHECK(advance(fit, ALL) == 1);
  scant_learner_weights(scant_fit_learner(fit), found, NULL);
  for (size_t i = 0; i < D; i++) CHECK_NEAR(found[i], sum[i] / (double)blocks / 2, 1e-12);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* ---- where a fit stops ------------------------------------------------------------ */

static char *whole_text(const char *list, scant_source *source) {
  scant_settings settings = settings_from(list);
  return fitted_text(&settings, source);
}

/* Advance never cuts a block, so it does not matter how far it is asked to go. */
TEST(a_block_is_never_cut) {
  static const char *const lists[] = {"algorithm=auto k=3 block=7", "algorithm=aelr k=3 block=5 passes=1",
                                      "algorithm=svr k=4 block=4 missing=skip-example"};
  for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
    scant_source *source = table_source(&holes);
    char *wanted = whole_text(lists[l], source);
    for (uint64_t stride = 1; stride < 20; stride += 3) {
      scant_fit *fit = fit_from(lists[l], source);
      uint64_t size = scant_fit_settings(fit)->learning.block;
      for (int done = 0; !done;) {
        uint64_t before = scant_fit_ledger(fit)->examples, end = before + stride;
        done = advance(fit, stride);
        uint64_t now = scant_fit_ledger(fit)->examples;
        CHECK(done || now == (end + size - 1) / size * size);
        CHECK(!scant_learner_open_looks(scant_fit_learner(fit)));
      }
      char *got = fit_text(fit, 0);
      CHECK(!strcmp(wanted, got));
      free(got);
      scant_fit_free(fit);
    }
    free(wanted);
    scant_source_free(source);
  }
}

TEST(a_fit_goes_on_from_a_checkpoint_between_blocks) {
  static const char *const more[] = {"k=12 passes=2", "k=12 missing=skip-example split=0.25"};
  scant_source *source = table_source(&holes);
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue;
    for (size_t m = 0; m < 2; m++) {
      char list[160];
      if (scant_algorithm_at(row)->whole && !m) continue;
      snprintf(list, sizeof list, "algorithm=%s block=6 %s", scant_algorithm_at(row)->name, more[m]);
      scant_fit *fit = fit_from(list, source);
      CHECK(advance(fit, ALL) == 1);
      char *wanted = fit_text(fit, 1);
      for (uint64_t cut = 1; cut < 30; cut += 11) {
        scant_fit *first = fit_from(list, source), *second = NULL;
        scant_model *half = NULL, *loaded = NULL;
        advance(first, cut);
        CHECK(scant_fit_model(first, 1, &half, &error) == SCANT_OK);
        CHECK(scant_model_save(half, file_path("half.json"), &error) == SCANT_OK);
        CHECK(scant_model_load(&loaded, file_path("half.json"), &error) == SCANT_OK);
        if (!CHECK(scant_fit_resume(&second, loaded, NULL, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
        CHECK(advance(second, ALL) == 1);
        char *got = fit_text(second, 1);
        if (!CHECK(!strcmp(wanted, got))) printf("#   %s, at %u\n", list, (unsigned)cut);
        free(got);
        scant_model_free(half);
        scant_model_free(loaded);
        scant_fit_free(first);
        scant_fit_free(second);
      }
      free(wanted);
      scant_fit_free(fit);
    }
  }
  scant_source_free(source);
}

/* Are the weights of two fits the same to the bit? */
static int same_weights(const scant_fit *a, const scant_fit *b) {
  double w[2][D], intercept[2];
  scant_learner_weights(scant_fit_learner(a), w[0], &intercept[0]);
  scant_learner_weights(scant_fit_learner(b), w[1], &intercept[1]);
  return !memcmp(w[0], w[1], sizeof w[0]) && intercept[0] == intercept[1];
}

/* What the budget pays for of a block is learned from: as if there were no more examples. */
TEST(a_budget_that_ends_within_a_block) {
  scant_source *source = table_source(&data);
  scant_fit *spent = fit_from("algorithm=aer k=4 block=5 budget=52", source);
  CHECK(advance(spent, ALL) == 1 && scant_fit_budget_spent(spent));
  uint64_t examples = scant_fit_ledger(spent)->examples;
  char list[100];
  CHECK(examples % 5 != 0 && examples >= 13);
  CHECK(scant_fit_learner(spent)->told == examples && !scant_learner_open_looks(scant_fit_learner(spent)));
  CHECK(scant_fit_learner(spent)->block == (examples + 4) / 5);
  scant_fit_free(spent);
  spent = fit_from("algorithm=auto k=4 block=5 budget=52", source);
  CHECK(advance(spent, ALL) == 1 && scant_fit_budget_spent(spent));
  examples = scant_fit_ledger(spent)->examples;
  CHECK(examples % 5 != 0);
  snprintf(list, sizeof list, "algorithm=auto k=4 block=5 examples=%u", (unsigned)examples);
  scant_fit *fewer = fit_from(list, source);
  CHECK(advance(fewer, ALL) == 1);
  CHECK(same_weights(spent, fewer));
  CHECK(scant_fit_ledger(fewer)->attributes_bought == scant_fit_ledger(spent)->attributes_bought);
  scant_fit_free(fewer);
  scant_fit_free(spent);
  scant_source_free(source);
}

/* ---- rows that can't be had -------------------------------------------------------- */

typedef struct {
  size_t fails_at, tries;
} supply;

static scant_status get(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                        scant_error *failure) {
  supply *s = user;
  if (row == s->fails_at && s->tries) {
    s->tries--;
    snprintf(failure->text, sizeof failure->text, "the line is dead");
    return SCANT_IO;
  }
  for (size_t i = 0; i < count; i++) values[i] = data.x[row][attributes[i]];
  return SCANT_OK;
}

/* After a failed read the rows before it are learned from, and the next try goes on with the row. */
TEST(a_row_that_can_not_be_read_ends_a_block_early) {
  supply s = {.fails_at = 9, .tries = 1};
  scant_source *source = NULL;
  CHECK(scant_source_custom(&source, N, D, get, &s, data.y, &error) == SCANT_OK);
  scant_fit *fit = fit_from("algorithm=auto k=3 block=6 shuffle=no", source);
  int done;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_IO);
  CHECK(scant_fit_ledger(fit)->examples == 9 && scant_fit_learner(fit)->told == 9);
  CHECK(scant_fit_learner(fit)->block == 2 && !scant_learner_open_looks(scant_fit_learner(fit)));
  CHECK(advance(fit, ALL) == 1);
  CHECK(scant_fit_ledger(fit)->examples == N && scant_fit_learner(fit)->told == N);
  CHECK(scant_fit_learner(fit)->block == 2 + (N - 9 + 5) / 6);
  scant_fit_free(fit);
  /* and the first of a block: nothing happened */
  s = (supply){.fails_at = 6, .tries = 1};
  fit = fit_from("algorithm=auto k=3 block=6 shuffle=no", source);
  scant_fit *plain = fit_from("algorithm=auto k=3 block=6 shuffle=no", source);
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_IO);
  CHECK(advance(fit, ALL) == 1 && advance(plain, ALL) == 1);
  CHECK(same_weights(fit, plain));
  scant_fit_free(fit);
  scant_fit_free(plain);
  scant_source_free(source);
}

/* A missing value that is refused ends the fit there; what came before it in its block is learned from. */
TEST(a_row_that_is_refused_ends_the_fit) {
  scant_source *source = table_source(&holes);
  scant_fit *fit = fit_from("algorithm=auto k=6 block=8 shuffle=no missing=error", source);
  int done;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(ledger->refused_examples == 1 && ledger->examples >= 1);
  CHECK(scant_fit_learner(fit)->told == ledger->examples - 1);
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA); /* it does not buy the row again */
  CHECK(scant_fit_ledger(fit)->refused_examples == 1);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* A target that the loss does not take is found before the next row is bought. */
TEST(a_target_that_is_refused_names_its_row) {
  static table classes;
  classes = data;
  for (size_t r = 0; r < N; r++) classes.y[r] = r == 10 ? 0.5 : r % 2 ? 1 : -1;
  scant_source *source = table_source(&classes);
  scant_fit *fit = fit_from("algorithm=svr loss=hinge k=4 block=8 shuffle=no", source);
  int done;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "row 10"); /* from 0 */
  CHECK_SAYS(error.text, "hinge");
  CHECK(scant_fit_ledger(fit)->examples == 11 && scant_fit_learner(fit)->told == 10);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* Every example in the ledger was told, skipped or refused, and only one of these; a model with it can be read again.
 */
static void check_ledger(const scant_ledger *ledger, const scant_learner *learner, const scant_model *model) {
  CHECK(learner->told + ledger->skipped_examples + ledger->refused_examples == ledger->examples);
  char *text = model_text(model, file_path("refused.json"));
  scant_model *again = NULL;
  if (!CHECK(scant_model_read(&again, text, strlen(text), &error) == SCANT_OK)) printf("# %s\n", error.text);
  scant_model_free(again);
  free(text);
}

static void check_lost(const char *list, const table *t, uint64_t skipped, uint64_t refused) {
  scant_source *source = table_source(t);
  scant_fit *fit = fit_from(list, source);
  scant_model *model = NULL;
  int done;
  CHECK(scant_fit_advance(fit, ALL, &done, &error) == SCANT_DATA);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(ledger->skipped_examples == skipped && ledger->refused_examples == refused);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  check_ledger(ledger, scant_fit_learner(fit), model);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

static void check_lost_by_candidates(const char *list, const table *t, uint64_t skipped, uint64_t refused) {
  scant_source *source = table_source(t);
  scant_settings settings[2] = {settings_from(list), settings_from(list)};
  scant_tune *tune = NULL;
  scant_model *model = NULL;
  int done;
  CHECK(scant_tune_new(&tune, settings, 2, source, &error) == SCANT_OK);
  CHECK(scant_tune_advance(tune, ALL, &done, &error) == SCANT_DATA);
  const scant_ledger *ledger = scant_fit_ledger(scant_tune_fit(tune));
  CHECK(ledger->skipped_examples == skipped && ledger->refused_examples == refused);
  CHECK(scant_tune_model(tune, 0, &model, &error) == SCANT_OK);
  check_ledger(ledger, scant_fit_learner(scant_tune_fit(tune)), model);
  scant_model_free(model);
  scant_tune_free(tune);
  scant_source_free(source);
}

/* Rows that are skipped are not refused as well if the others of their block can't be learned from. */
TEST(a_row_that_is_skipped_is_not_refused) {
  const char *overflow = "algorithm=ridge k=3 block=3 shuffle=no missing=skip-example clip=none";
  const char *target = "algorithm=svr loss=hinge k=3 block=3 shuffle=no missing=skip-example";
  static table t;
  t = data;
  for (size_t i = 0; i < D; i++) {
    t.x[0][i] = t.x[2][i] = t.x[3][i] = t.x[5][i] = NAN;
    t.x[1][i] = t.y[1] = 1e60; /* the gradient overflows */
  }
  check_lost("algorithm=aerr k=3 block=3 shuffle=no missing=skip-example", &t, 2, 1);
  for (size_t i = 0; i < D; i++) {
    t.x[4][i] = t.y[4] = 1e60; /* a first example has no means, and so no gradient */
    t.x[1][i] = t.y[1] = 1;
  }
  check_lost(overflow, &t, 4, 1);
  check_lost_by_candidates(overflow, &t, 4, 1);
  for (size_t r = 0; r < N; r++) t.y[r] = r == 1 ? 0.5 : r % 2 ? 1 : -1;
  check_lost(target, &t, 1, 1);
  check_lost_by_candidates(target, &t, 1, 1);
  for (size_t i = 0; i < D; i++) t.x[1][i] = NAN;
  check_lost(target, &t, 2, 0);
  check_lost_by_candidates(target, &t, 2, 0);
}

/* ---- streams, tuning, the learner alone ---------------------------------------------- */

/* A block ends with its source. */
TEST(blocks_of_a_stream) {
  scant_source *source = table_source(&data);
  scant_settings settings = settings_from("algorithm=auto k=3 block=7");
  scant_fit *fit = NULL;
  CHECK(scant_fit_stream(&fit, &settings, source, &error) == SCANT_OK);
  CHECK(advance(fit, ALL) == 1);
  CHECK(scant_fit_feed(fit, source, &error) == SCANT_OK);
  CHECK(advance(fit, ALL) == 1);
  CHECK(scant_fit_learner(fit)->block == 2 * ((N + 6) / 7) && scant_fit_learner(fit)->told == 2 * N);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* The first candidate draws as a fit does while it leads; the others learn from its looks. */
TEST(candidates_share_the_look_of_a_block) {
  scant_source *source = table_source(&data);
  scant_settings candidates[2] = {settings_from("algorithm=lasso k=3 block=5"),
                                  settings_from("algorithm=lasso k=3 block=5 eta=3")};
  char *texts[3];
  for (size_t turn = 0; turn < 3; turn++) {
    scant_tune *tune = NULL;
    scant_model *model = NULL;
    static bought b;
    b.count = 0;
    candidates[0].runtime.threads = 1 + turn % 2;
    CHECK(scant_tune_new(&tune, candidates, 2, source, &error) == SCANT_OK);
    scant_tune_watch_purchases(tune, note, &b);
    for (int done = 0; !done;)
      if (!CHECK(scant_tune_advance(tune, turn < 2 ? ALL : 3, &done, &error) == SCANT_OK)) break;
    CHECK(b.count == N);
    for (size_t i = 0; i < N; i++)
      CHECK(i % 5 == 0 || !memcmp(b.attributes[i], b.attributes[i - 1], b.places[i] * sizeof **b.attributes));
    CHECK(scant_tune_model(tune, 1, &model, &error) == SCANT_OK);
    texts[turn] = model_text(model, file_path("tuned.json"));
    scant_model_free(model);
    CHECK(scant_tune_model(tune, 0, &model, &error) == SCANT_OK);
    scant_fit *fit = fit_with(&candidates[0], source);
    CHECK(advance(fit, ALL) == 1);
    double w[D], intercept;
    scant_learner_weights(scant_fit_learner(fit), w, &intercept);
    CHECK(!memcmp(w, scant_model_weights(model), sizeof w) && intercept == scant_model_intercept(model));
    scant_fit_free(fit);
    scant_model_free(model);
    scant_tune_free(tune);
  }
  CHECK(!strcmp(texts[0], texts[1]) && !strcmp(texts[0], texts[2]));
  for (size_t turn = 0; turn < 3; turn++) free(texts[turn]);
  candidates[1].learning.block = 4;
  scant_tune *tune = NULL;
  CHECK(scant_tune_new(&tune, candidates, 2, source, &error) == SCANT_USAGE);
  scant_source_free(source);
}

/* A learner that is kept after a block goes on to the same bits; what is wrong changes nothing. */
TEST(a_learner_with_blocks_is_kept) {
  scant_settings settings = settings_from("algorithm=auto k=3 block=4");
  scant_learner *learner = NULL;
  scant_look *look = NULL;
  double values[5 * D], y[5];
  size_t length;
  CHECK(scant_learner_new(&learner, &settings, D, 0, &error) == SCANT_OK);
  CHECK(scant_look_new(&look, learner, &error) == SCANT_OK);
  for (size_t b = 0; b < 6; b++) {
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    uint32_t n = look->count;
    for (size_t r = 0; r < 5; r++) {
      for (uint32_t i = 0; i < n; i++) values[r * n + i] = data.x[5 * b + r][look->attributes[i]];
      y[r] = data.y[5 * b + r];
    }
    char *before = saved_learner(learner, &length);
    CHECK(scant_learner_tell_block(learner, look, 5, values, y, &error) == SCANT_MISUSE);
    CHECK_SAYS(error.text, "at most 4");
    CHECK(scant_learner_tell_block(learner, look, 0, values, y, &error) == SCANT_MISUSE);
    double kept = values[2 * n];
    values[2 * n] = INFINITY;
    CHECK(scant_learner_tell_block(learner, look, 4, values, y, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "row 3 of the block");
    values[2 * n] = kept;
    CHECK(same_text(before, saved_learner(learner, &length)));
    scant_learner *again = loaded_learner(before, length);
    size_t rows = 1 + b % 4;
    CHECK(scant_learner_tell_block(learner, look, rows, values, y, &error) == SCANT_OK);
    CHECK(scant_learner_tell_block(again, look, rows, values, y, &error) == SCANT_OK);
    CHECK(scant_learner_tell_block(learner, look, rows, values, y, &error) == SCANT_MISUSE); /* told already */
    char *after = saved_learner(learner, &length);
    CHECK(same_text(after, saved_learner(again, &length)));
    scant_text_free(before);
    scant_text_free(after);
    scant_learner_free(again);
  }
  CHECK(learner->block == 6 && learner->told == 1 + 2 + 3 + 4 + 1 + 2);
  scant_look_free(look);
  scant_learner_free(learner);
}

/* ---- settings ------------------------------------------------------------------------ */

static void check_refused(const char *list, const char *words) {
  scant_settings settings = settings_from(list);
  if (!CHECK(scant_settings_resolve(&settings, &error) == SCANT_USAGE)) printf("#   %s\n", list);
  CHECK_SAYS(error.text, words);
}

TEST(where_blocks_make_no_sense) {
  check_refused("algorithm=full-ridge block=4", "block is not an option of full-ridge");
  check_refused("algorithm=full-svr block=4", "block is not an option of full-svr");
  check_refused("algorithm=gaussian observed=yes block=4", "observed takes every cell");
  check_refused("algorithm=moments observed=yes block=4", "observed takes every cell");
  check_refused("algorithm=auto k=4 passes=2 errors=yes block=4", "take one pass");
}

/* A model says what block it was made with, unless that is 1. */
TEST(models_keep_the_block) {
  scant_source *source = table_source(&data);
  char *with = whole_text("algorithm=auto k=3 block=4", source), *without = whole_text("algorithm=auto k=3", source),
       *one = whole_text("algorithm=auto k=3 block=1", source);
  CHECK(strstr(with, "\"block\": 4") && !strstr(without, "\"block\"") && !strcmp(without, one));
  scant_model *model = NULL;
  CHECK(scant_model_read(&model, with, strlen(with), &error) == SCANT_OK);
  CHECK(scant_model_settings(model)->learning.block == 4);
  scant_model_free(model);
  free(with);
  free(without);
  free(one);
  scant_source_free(source);
}

int main(void) {
  files_begin();
  table_fill(&data, 5);
  holes = data;
  table_punch(&holes, 9);
  RUN(the_rows_of_a_block_have_one_look);
  RUN(online_gradient_descent_in_blocks);
  RUN(a_block_is_never_cut);
  RUN(a_fit_goes_on_from_a_checkpoint_between_blocks);
  RUN(a_budget_that_ends_within_a_block);
  RUN(a_row_that_can_not_be_read_ends_a_block_early);
  RUN(a_row_that_is_refused_ends_the_fit);
  RUN(a_target_that_is_refused_names_its_row);
  RUN(a_row_that_is_skipped_is_not_refused);
  RUN(blocks_of_a_stream);
  RUN(candidates_share_the_look_of_a_block);
  RUN(a_learner_with_blocks_is_kept);
  RUN(where_blocks_make_no_sense);
  RUN(models_keep_the_block);
  files_end();
  return check_done();
}
