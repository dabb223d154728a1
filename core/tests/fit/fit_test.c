/* Fitting: which rows in which order, the budget, checkpoints, warnings. */
#include "fit/fit.h"
#include "fits.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data;
static scant_error error;

static int same_fit(const scant_fit *a, const scant_fit *b) {
  int same = 1;
  for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
    char *one = fit_text(a, checkpoint), *two = fit_text(b, checkpoint);
    same = same && strcmp(one, two) == 0;
    free(one);
    free(two);
  }
  return same;
}

/* ---- looks ahead --------------------------------------------------------------------- */

/* However far ahead looks are drawn, and whatever happens to the law meanwhile, a
 * fit is as asking and telling one by one; also where most attributes are not listed
 * in the law. */
TEST(a_fit_is_as_asking_and_telling) {
  enum { WIDE = 1500, ROWS = 150 };
  static double x[ROWS * WIDE], targets[ROWS], values[WIDE];
  uint64_t seed = 6;
  for (size_t i = 0; i < ROWS * WIDE; i++) x[i] = random_real(&seed) / 40;
  for (size_t row = 0; row < ROWS; row++) targets[row] = 30 * x[row * WIDE + 3] > 0 ? 1 : -1;
  static const char *const lists[] = {"algorithm=aerr",  "algorithm=aelr",    "algorithm=auto", "algorithm=ridge",
                                      "algorithm=lasso", "algorithm=svr",     "algorithm=aer",  "algorithm=ddaerr",
                                      "algorithm=aesvr", "algorithm=coinflip"};
  for (size_t i = 0; i < 3 * sizeof lists / sizeof *lists; i++) {
    char list[80];
    snprintf(list, sizeof list, "%s k=%d shuffle=no smoothing=2", lists[i / 3],
             i % 3 == 0   ? 18
             : i % 3 == 1 ? 40
                          : 300);
    if (!strstr(list, "svr")) *strstr(list, " smoothing") = 0;
    scant_source *source = NULL;
    CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, ROWS, WIDE, WIDE * sizeof *x, sizeof *x, targets, &error) ==
          SCANT_OK);
    scant_fit *fit = fit_from(list, source);
    scant_learner *learner = learner_from(list, WIDE, ROWS);
    scant_look *look = look_for(learner);
    for (size_t row = 0; row < ROWS; row++) {
      CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
      for (uint32_t r = 0; r < look->count; r++) values[r] = x[row * WIDE + look->attributes[r]];
      CHECK(scant_learner_tell(learner, look, look->count, NULL, values, targets[row], &error) == SCANT_OK);
      if (row == ROWS / 3) advance(fit, ROWS / 3); /* in two parts */
    }
    CHECK(advance(fit, ALL) == 1);
    char *one = learner_text(learner), *two = learner_text(fit->learner);
    if (!CHECK(strcmp(one, two) == 0)) printf("#   %s\n", list);
    free(one);
    free(two);
    scant_look_free(look);
    scant_learner_free(learner);
    scant_fit_free(fit);
    scant_source_free(source);
  }
}

/* ---- the order of the examples ----------------------------------------------------- */

typedef struct run {
  recorder record;
  uint64_t held_out[N];
  size_t held_out_count;
} run;

static void run_all(run *r, const char *list) {
  *r = (run){.record = {.table = &data}};
  scant_source *source = recorder_source(&r->record);
  scant_fit *fit = fit_from(list, source);
  const uint64_t *rows = scant_fit_held_out(fit, &r->held_out_count);
  memcpy(r->held_out, rows, r->held_out_count * sizeof *rows);
  CHECK(advance(fit, 0) == 0 && r->record.calls == 0);
  CHECK(advance(fit, ALL) == 1);
  CHECK(scant_fit_horizon(fit) == r->record.calls && scant_fit_ledger(fit)->examples == r->record.calls);
  CHECK(!scant_fit_budget_spent(fit));
  CHECK(advance(fit, ALL) == 1 && scant_fit_ledger(fit)->examples == r->record.calls);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* Every training row once a pass, no held-out row ever, and together all rows
 * of which M were to be taken. */
static void check_rows(const run *r, size_t passes, size_t held_out, size_t train) {
  int wrong = 0, seen[N] = {0};
  CHECK(r->held_out_count == held_out && r->record.calls == train * passes);
  for (size_t i = 0; i < held_out; i++) {
    size_t row = (size_t)r->held_out[i];
    wrong += row >= N || seen[row]++ != 0;
    for (size_t j = 0; j < D; j++) wrong += r->record.cells[row][j] != 0;
  }
  for (size_t pass = 0; pass < passes; pass++) {
    int visited[N] = {0};
    for (size_t i = 0; i < train; i++) {
      size_t row = r->record.visits[pass * train + i];
      wrong += visited[row]++ != 0 || seen[row] == 1;
      if (pass == 0) seen[row] = 2;
    }
    for (size_t row = 0; row < N; row++) wrong += visited[row] != (seen[row] == 2);
  }
  size_t together = 0;
  for (size_t row = 0; row < N; row++) together += seen[row] != 0;
  CHECK(wrong == 0 && together == held_out + train);
}

TEST(rows_are_shuffled_then_split_then_cut) {
  static run whole, cut, other;
  run_all(&whole, "k=6 passes=3 split=0.25");
  check_rows(&whole, 3, 10, 30);
  run_all(&cut, "k=6 passes=3 split=0.25 examples=11");
  check_rows(&cut, 3, 10, 11);
  CHECK(memcmp(whole.held_out, cut.held_out, sizeof cut.held_out) == 0);
  CHECK(memcmp(whole.record.visits, cut.record.visits, 11 * sizeof *cut.record.visits) == 0);
  CHECK(memcmp(whole.record.visits, whole.record.visits + 30, 30 * sizeof(size_t)) != 0); /* each pass its own order */
  CHECK(memcmp(whole.record.visits + 30, whole.record.visits + 60, 30 * sizeof(size_t)) != 0);
  run_all(&other, "k=6 passes=3 split=0.25 seed=2");
  check_rows(&other, 3, 10, 30);
  CHECK(memcmp(whole.held_out, other.held_out, sizeof other.held_out) != 0);
  run_all(&other, "k=6 passes=3 split=0.25 algorithm=aelr radius=2"); /* the order is the seed's alone */
  CHECK(memcmp(whole.record.visits, other.record.visits, sizeof other.record.visits) == 0);
}

TEST(without_shuffling_rows_keep_their_order) {
  static run r;
  run_all(&r, "k=4 passes=2 shuffle=no split=0.1 examples=20");
  check_rows(&r, 2, 4, 20);
  for (size_t i = 0; i < 40; i++) CHECK(r.record.visits[i] == i % 20);
  for (size_t i = 0; i < 4; i++) CHECK(r.held_out[i] == 36 + i);
  run_all(&r, "k=4 examples=1000");
  check_rows(&r, 1, 0, N);
  run_all(&r, "k=4 split=0.025");
  check_rows(&r, 1, 1, N - 1);
  run_all(&r, "k=4 split=0.97");
  check_rows(&r, 1, 39, 1);
}

TEST(a_fit_that_can_not_begin_is_refused) {
  static const struct {
    const char *list;
    scant_status status;
    const char *words;
  } cases[] = {{"", SCANT_USAGE, "k is missing"},
               {"k=13", SCANT_DATA, "12 attributes"},
               {"k=4 split=0.99", SCANT_DATA, "no examples to learn from"},
               {"k=4 split=0.01", SCANT_DATA, "holds out none"},
               {"k=4 passes=4", SCANT_USAGE, "passes"},
               {"k=4 penalty=1", SCANT_USAGE, "penalty"},
               {"algorithm=aesvr k=2", SCANT_USAGE, "k must be at least"}};
  scant_source *source = table_source(&data), *nameless = NULL;
  char mark;
  scant_fit *const untouched = (scant_fit *)(void *)&mark;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    scant_settings settings = settings_from(cases[i].list);
    scant_fit *fit = untouched;
    CHECK(scant_fit_new(&fit, &settings, source, &error) == cases[i].status && fit == untouched);
    CHECK_SAYS(error.text, cases[i].words);
  }
  scant_settings settings = settings_from("k=4");
  scant_fit *fit = untouched;
  CHECK(scant_source_wrap(&nameless, SCANT_FLOAT64, data.x, N, D, sizeof *data.x, 8, NULL, &error) == SCANT_OK);
  CHECK(scant_fit_new(&fit, &settings, nameless, &error) == SCANT_DATA && fit == untouched);
  CHECK_SAYS(error.text, "target");
  scant_source_free(nameless);
  scant_source_free(source);
  scant_fit_free(NULL);
}

/* ---- the budget ---------------------------------------------------------------------- */

TEST(the_budget_ends_the_fit) {
  for (uint64_t budget = 1; budget <= 60; budget++) {
    char list[64];
    recorder record = {.table = &data};
    scant_source *source = recorder_source(&record);
    snprintf(list, sizeof list, "k=5 replacement=no shuffle=no budget=%u", (unsigned)budget);
    scant_fit *fit = fit_from(list, source);
    CHECK(advance(fit, ALL) == 1 && scant_fit_budget_spent(fit));
    const scant_ledger *ledger = scant_fit_ledger(fit);
    uint64_t read = 0;
    for (size_t i = 0; i < N * D; i++) read += record.cells[i / D][i % D];
    CHECK(read == ledger->attributes_bought && read <= budget && read + 5 > budget);
    CHECK(ledger->max_bought_per_example <= 5 && ledger->examples == record.calls);
    CHECK(scant_fit_horizon(fit) == (budget + 4) / 5);
    CHECK(advance(fit, ALL) == 1 && scant_fit_ledger(fit)->attributes_bought == read);
    scant_fit_free(fit);
    scant_source_free(source);
  }
}

/* ---- checkpoints ----------------------------------------------------------------------- */

static scant_model *kept[200];
static size_t kept_count;

static int borrows_texts(const scant_fit *fit, const scant_model *checkpoint) {
  return scant_fit_settings(fit)->learning.algorithm == scant_model_settings(checkpoint)->learning.algorithm;
}

/* A checkpoint through a file, and the fit that goes on from it. */
static scant_fit *resumed(const scant_fit *fit, scant_source *source) {
  scant_model *model = NULL, *loaded = NULL;
  scant_fit *again = NULL;
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_OK);
  CHECK(scant_model_save(model, file_path("checkpoint.json"), &error) == SCANT_OK);
  CHECK(scant_model_load(&loaded, file_path("checkpoint.json"), &error) == SCANT_OK);
  CHECK(scant_model_is_checkpoint(loaded));
  if (!CHECK(scant_fit_resume(&again, loaded, NULL, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_model_free(model);
  /* The caller may free a checkpoint once it was resumed from.  Where the fit
   * still uses its texts, freeing it now would only end this program. */
  if (borrows_texts(again, loaded))
    kept[kept_count++] = loaded;
  else
    scant_model_free(loaded);
  return again;
}

static void stop_and_go_on(const char *list) {
  static const uint64_t cuts[] = {0, 1, 29, 30, 31, 59, 60};
  scant_source *source = table_source(&data);
  scant_fit *whole = fit_from(list, source);
  CHECK(advance(whole, ALL) == 1);
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    scant_fit *first = fit_from(list, source);
    advance(first, cuts[i]);
    scant_fit *second = resumed(first, source);
    if (!CHECK(same_fit(first, second))) printf("#   %s, at %u\n", list, (unsigned)cuts[i]);
    scant_fit *third = resumed(second, source);
    while (!advance(third, 7)) continue;
    if (!CHECK(same_fit(whole, third))) printf("#   %s, at %u\n", list, (unsigned)cuts[i]);
    CHECK(memcmp(scant_fit_ledger(whole), scant_fit_ledger(third), sizeof(scant_ledger)) == 0);
    CHECK(scant_fit_budget_spent(whole) == scant_fit_budget_spent(third));
    scant_fit_free(first);
    scant_fit_free(second);
    scant_fit_free(third);
  }
  scant_fit_free(whole);
  scant_source_free(source);
}

TEST(a_resumed_fit_equals_an_uninterrupted_one) {
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    if (scant_algorithm_at(row)->dense) continue; /* they need engines: see engine_test.c */
    char list[128];
    snprintf(list, sizeof list, "algorithm=%s k=12 passes=2 split=0.25", scant_algorithm_at(row)->name);
    stop_and_go_on(list);
  }
  stop_and_go_on("k=12 passes=2 split=0.25 center=yes average=half residual-looks=3 seed=18446744073709551615");
  stop_and_go_on("algorithm=coinflip k=12 passes=2 loss=hinge norm=1 radius=0.1 x-bound=3 examples=30 center=yes");
  stop_and_go_on("algorithm=aelr k=12 passes=3 examples=20");
  stop_and_go_on("algorithm=aelr k=5 budget=120 shuffle=no eta=0.1");
}

TEST(a_fit_does_not_need_its_checkpoint) {
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_from("k=4", source), *again = NULL;
  scant_model *model = NULL;
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_OK);
  CHECK(scant_fit_resume(&again, model, NULL, source, &error) == SCANT_OK);
  CHECK(!borrows_texts(again, model));
  scant_fit_free(again);
  scant_fit_free(fit);
  scant_model_free(model);
  scant_source_free(source);
}

/* Resuming is refused and leaves *fit alone. */
static void not_resumed(const scant_model *model, const scant_settings *given, scant_source *source,
                        scant_status status, const char *words, int line) {
  char mark;
  scant_fit *const untouched = (scant_fit *)(void *)&mark;
  scant_fit *fit = untouched;
  error.text[0] = 0;
  scant_status got = scant_fit_resume(&fit, model, given, source, &error);
  if (!check_that(got == status && fit == untouched, words, __FILE__, line))
    printf("#   status %d: %s\n", got, error.text);
  check_says(error.text, words, __FILE__, line);
}

TEST(other_settings_and_other_data_are_refused) {
  static const char *const conflicts[] = {"seed=2",     "k=6",        "algorithm=aelr", "radius=2",
                                          "eta=0.1",    "center=yes", "passes=2",       "examples=5",
                                          "shuffle=no", "budget=7",   "split=0.5",      "penalty=1"};
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_from("k=4 seed=7", source), *again = NULL;
  scant_model *model = NULL, *finished = NULL;
  advance(fit, 10);
  CHECK(scant_fit_model(fit, 1, &model, &error) == SCANT_OK && scant_fit_model(fit, 0, &finished, &error) == SCANT_OK);
  not_resumed(finished, NULL, source, SCANT_DATA, "not a checkpoint", __LINE__);
  for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++) {
    scant_settings given = settings_from(conflicts[i]);
    char name[32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(conflicts[i], "="), conflicts[i]);
    not_resumed(model, &given, source, SCANT_USAGE, name, __LINE__);
  }
  scant_settings same = settings_from("k=4 seed=7 radius=1 eta=auto algorithm=aerr header=no index-base=0");
  CHECK(scant_fit_resume(&again, model, &same, source, &error) == SCANT_OK);
  scant_fit_free(again);
  table other = data;
  scant_source *changed = table_source(&other);
  other.x[17][5] += 0.5;
  not_resumed(model, NULL, changed, SCANT_DATA, "not the data", __LINE__);
  scant_source_free(changed);
  other = data;
  other.y[N - 1] = -other.y[N - 1];
  changed = table_source(&other);
  not_resumed(model, NULL, changed, SCANT_DATA, "not the data", __LINE__);
  scant_source_free(changed);
  for (size_t i = 0; i < 2; i++) {
    CHECK(scant_source_wrap(&changed, SCANT_FLOAT64, data.x, N - i, D - 1 + i, sizeof *data.x, 8, data.y, NULL) ==
          SCANT_OK);
    not_resumed(model, NULL, changed, SCANT_DATA, "not the data", __LINE__);
    scant_source_free(changed);
  }
  scant_model_free(model);
  scant_model_free(finished);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* ---- failures in the middle --------------------------------------------------------------- */

/* A value that could not be had: the look stays the one that was drawn, so that
 * the same fit comes out after another try. */
TEST(a_failed_example_changes_nothing) {
  recorder good = {.table = &data}, bad = {.table = &data, .fail_at = 8};
  scant_source *source = recorder_source(&good), *broken = recorder_source(&bad);
  scant_fit *whole = fit_from("k=4 passes=2", source), *fit = fit_from("k=4 passes=2", broken);
  CHECK(advance(whole, ALL) == 1 && advance(fit, 7) == 0);
  char *before = fit_text(fit, 1);
  int done = -1;
  CHECK(scant_fit_advance(fit, 1, &done, &error) == SCANT_IO);
  CHECK_SAYS(error.text, "the line is dead");
  char *after = fit_text(fit, 1);
  CHECK(strcmp(before, after) == 0);
  CHECK(advance(fit, ALL) == 1);
  CHECK(same_fit(whole, fit));
  free(before);
  free(after);
  scant_fit_free(whole);
  scant_fit_free(fit);
  scant_source_free(source);
  scant_source_free(broken);
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void check_warning(const char *list, const table *t, const char *words) {
  scant_source *source = table_source(t);
  scant_fit *fit = fit_from(list, source);
  scant_error sentence;
  CHECK(!scant_fit_say(fit, NULL, SCANT_FIT_THEOREM, &sentence));
  advance(fit, ALL);
  const char *warning = scant_fit_say(fit, NULL, SCANT_FIT_THEOREM, &sentence) ? sentence.text : NULL;
  CHECK((warning != NULL) == (words != NULL));
  if (warning && words) CHECK_SAYS(warning, words);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(the_first_value_out_of_bounds_is_told) {
  static table t;
  const char *all = "k=12 algorithm=aelr replacement=no shuffle=no"; /* 11 of 12 for the gradient */
  char list[128];
  check_warning(all, &data, NULL);
  snprintf(list, sizeof list, "%s radius=0.5", all);
  check_warning(list, &data, "radius 0.5");
  t = data;
  for (size_t i = 0; i < TABLE_DIMENSION; i++) t.x[3][i] = -2.5;
  for (size_t i = 0; i < TABLE_DIMENSION; i++) t.x[9][i] = 7;
  check_warning(all, &t, "-2.5 is beyond x-bound 1");
  check_warning(all, &t, "row 3, attribute ");
  snprintf(list, sizeof list, "%s x-bound=2.5", all);
  check_warning(list, &t, "7 is beyond x-bound 2.5");
  snprintf(list, sizeof list, "%s x-bound=7", all);
  check_warning(list, &t, NULL);
  check_warning("k=12 algorithm=coinflip", &t, NULL); /* no theorem, no bounds */
  t = data;
  for (size_t i = 0; i < TABLE_DIMENSION; i++) t.x[3][i] = 0.9; /* each within 1, their norm not */
  check_warning("k=12 replacement=no shuffle=no x-bound=2", &t, "norm of what was bought");
  t.y[6] = 4;
  check_warning("k=2 shuffle=no x-bound=9", &t, "row 6: the target 4 is beyond radius 1");
  check_warning("k=2 shuffle=no x-bound=9 radius=4", &t, NULL);
}

/* Checks that a fit says this note of its model, or with words NULL that it does not. */
static void check_note(const char *list, scant_fit_note note, const char *words) {
  scant_source *source = table_source(&data);
  scant_fit *fit = fit_from(list, source);
  scant_model *model = NULL;
  scant_error sentence = {""};
  advance(fit, ALL);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  CHECK(scant_fit_say(fit, model, note, &sentence) == (words != NULL));
  if (words) CHECK_SAYS(sentence.text, words);
  CHECK(!scant_fit_say(fit, model, SCANT_FIT_NOTES, &sentence));
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(notes_tell_of_the_ball_and_of_models_that_learned_nothing) {
  check_note("algorithm=online-lasso radius=0.001 eta=100 average=last", SCANT_FIT_FULL_BALL,
             "fill the ball of radius 0.001");
  check_note("algorithm=online-ridge radius=0.001 eta=1 average=last", SCANT_FIT_FULL_BALL,
             "fill the ball of radius 0.001");
  check_note("k=12 algorithm=coinflip norm=1 radius=0.001 eta=100 average=last", SCANT_FIT_FULL_BALL,
             "fill the ball of radius 0.001");
  check_note("k=4 algorithm=aerr radius=1000", SCANT_FIT_FULL_BALL, NULL);
  check_note("k=4 algorithm=auto", SCANT_FIT_FULL_BALL, NULL); /* it has no ball */
  check_note("k=4 algorithm=auto budget=1", SCANT_FIT_UNPAID, "does not pay for one example");
  check_note("k=4 algorithm=auto budget=1", SCANT_FIT_NO_WEIGHTS, NULL); /* one sentence is enough */
  check_note("k=4 algorithm=auto examples=1", SCANT_FIT_NO_WEIGHTS, "every weight is 0");
}

/* Names come from files; a terminal must not obey what is in them. */
TEST(a_warning_is_one_line) {
  scant_settings settings = file_settings();
  const char *path = file_text("names.csv", "\"a\nb\x1b[31m\",c,y\n5,5,1\n5,5,1\n");
  scant_source *source = file_open(path, &settings, SCANT_TARGET_REQUIRED);
  scant_fit *fit = fit_from("k=2 algorithm=aelr", source);
  advance(fit, ALL);
  scant_error sentence;
  const char *warning = scant_fit_say(fit, NULL, SCANT_FIT_THEOREM, &sentence) ? sentence.text : NULL;
  CHECK(warning && strstr(warning, "beyond x-bound"));
  for (const char *c = warning; c && *c; c++) CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
  scant_fit_free(fit);
  scant_source_free(source);
}

int main(void) {
  files_begin();
  table_fill(&data, 3);
  RUN(a_fit_is_as_asking_and_telling);
  RUN(rows_are_shuffled_then_split_then_cut);
  RUN(without_shuffling_rows_keep_their_order);
  RUN(a_fit_that_can_not_begin_is_refused);
  RUN(the_budget_ends_the_fit);
  RUN(a_resumed_fit_equals_an_uninterrupted_one);
  RUN(a_fit_does_not_need_its_checkpoint);
  RUN(other_settings_and_other_data_are_refused);
  RUN(a_failed_example_changes_nothing);
  RUN(the_first_value_out_of_bounds_is_told);
  RUN(notes_tell_of_the_ball_and_of_models_that_learned_nothing);
  RUN(a_warning_is_one_line);
  while (kept_count) scant_model_free(kept[--kept_count]);
  files_end();
  return check_done();
}
