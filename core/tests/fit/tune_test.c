/* Tuning: the results depend neither on the number of threads nor on how many
 * examples are asked for at a time, whatever happens on the way. */
#include <pthread.h>

#include "fail_each.h"

enum { D = 12, N = 500, CANDIDATES = 5 };

static double x[N][D], y[N];
static size_t calls, fail_at; /* of fetch; 0: never */
static pthread_t caller;

static scant_status fetch(void *user, size_t row, size_t count, const uint32_t *attributes, double *values,
                          scant_error *e) {
  (void)user;
  CHECK(pthread_equal(pthread_self(), caller));
  if (++calls == fail_at) {
    snprintf(e->text, sizeof e->text, "the line is dead");
    return SCANT_IO;
  }
  for (size_t i = 0; i < count; i++) values[i] = x[row][attributes[i]];
  return SCANT_OK;
}

static void fill_data(void) {
  uint64_t seed = 1;
  for (size_t row = 0; row < N; row++) {
    for (size_t i = 0; i < D; i++) x[row][i] = random_real(&seed);
    y[row] = x[row][0] - x[row][1] / 2 + random_real(&seed) / 4;
  }
}

/* ---- one run ---------------------------------------------------------------------- */

static scant_settings candidates[CANDIDATES];
static size_t candidate_count;

/* "eta=1|eta=2": what the candidates have beside what they share. */
static void prepare(const char *common, const char *own) {
  char copy[256], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", own);
  candidate_count = 0;
  for (char *word = strtok_r(copy, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
    scant_settings *s = &candidates[candidate_count++];
    *s = settings_from(common);
    settings_add(s, word);
  }
}

static void note_tune(scant_tune *tune) {
  static double w[D];
  size_t leader = scant_tune_leader(tune);
  note(&leader, sizeof leader);
  note(scant_fit_ledger(scant_tune_fit(tune)), sizeof(scant_ledger));
  for (size_t i = 0; i < candidate_count; i++) {
    scant_candidate c;
    scant_model *model = NULL;
    scant_tune_candidate(tune, i, &c);
    note(&c.risk, sizeof c.risk);
    note(&c.difference_error, sizeof c.difference_error);
    note(&c.failed, sizeof c.failed);
    CHECK(scant_tune_model(tune, i, &model, NULL) == SCANT_OK);
    memcpy(w, scant_model_weights(model), sizeof w);
    note(w, sizeof w);
    scant_model_free(model);
  }
}

static size_t leaders_met, stride;
static int failed_met;

/* All of it, `stride` examples at a time; after a failed read it goes on. */
static scant_status run_tune(void) {
  scant_source *source = NULL;
  scant_tune *tune = NULL;
  int done = 0;
  size_t leader = 0;
  leaders_met = calls = 0;
  caller = pthread_self();
  scant_status status = scant_source_custom(&source, N, D, fetch, NULL, y, &error);
  if (status == SCANT_OK) status = scant_tune_new(&tune, candidates, candidate_count, source, &error);
  while (status == SCANT_OK && !done) {
    status = scant_tune_advance(tune, stride, &done, &error);
    if (status == SCANT_IO) {
      CHECK_SAYS(error.text, "the line is dead");
      status = SCANT_OK;
    }
    leaders_met += leader != scant_tune_leader(tune);
    leader = scant_tune_leader(tune);
  }
  stop_failing();
  if (status == SCANT_OK) note_tune(tune);
  failed_met = 0;
  for (size_t i = 0; status == SCANT_OK && i < candidate_count; i++) {
    scant_candidate c;
    scant_tune_candidate(tune, i, &c);
    failed_met += c.failed;
    CHECK(!c.failed || i != scant_tune_leader(tune));
  }
  if (status != SCANT_OK && tune) { /* what was bought can't be bought again */
    char before[SCANT_ERROR_LENGTH];
    memcpy(before, error.text, sizeof before);
    if (status == SCANT_DATA) CHECK(scant_tune_advance(tune, 1, &done, &error) == status);
    CHECK(strcmp(before, error.text) == 0);
  }
  scant_tune_free(tune);
  scant_source_free(source);
  return status;
}

/* Any threads and any strides give the same outcome, or the same sentence. */
static void compare_all(scant_status expected) {
  static const size_t strides[] = {1, 7, 64, 100, 1000000};
  uint64_t wanted = 0;
  char sentence[SCANT_ERROR_LENGTH] = "";
  for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
    for (uint64_t threads = 1; threads <= 4; threads++) {
      for (size_t i = 0; i < candidate_count; i++) candidates[i].runtime.threads = threads;
      stride = strides[s];
      error.text[0] = 0;
      if (!CHECK(run_once(run_tune, 0, 0) == expected)) printf("#   %s\n", error.text);
      if (s == 0 && threads == 1) {
        wanted = outcome;
        memcpy(sentence, error.text, sizeof sentence);
      }
      if (!CHECK(outcome == wanted)) printf("#   stride %zu, %d threads\n", strides[s], (int)threads);
      if (expected != SCANT_OK) CHECK(strcmp(sentence, error.text) == 0);
    }
}

/* ---- the tests ----------------------------------------------------------------------- */

TEST(nothing_depends_on_threads_or_strides) {
  fill_data();
  prepare("algorithm=ridge k=5 seed=1", "eta=2|eta=0.003|eta=0.02|eta=0.1|eta=0.3");
  compare_all(SCANT_OK);
  CHECK(leaders_met > 0); /* with the last of the strides all are found at once */
  stride = 1;
  run_tune();
  printf("# the leader changed %zu times\n", leaders_met);
  CHECK(leaders_met > 1);
  prepare("algorithm=lasso k=12 passes=3 seed=2", "eta=0.1|eta=1|eta=2");
  compare_all(SCANT_OK);
  prepare("algorithm=auto k=3 max-open=1", "average=all|average=last");
  compare_all(SCANT_OK);
}

/* The first leads until another is better beyond doubt: by two standard errors of their
 * paired difference, at some time before it leads. */
TEST(only_who_is_surely_better_leads) {
  static const char *const own[] = {"eta=0.1|eta=0.11|eta=0.09|eta=0.105|eta=0.095", "eta=0.003|eta=0.02|eta=0.1"};
  int unsure = 0;
  fill_data();
  for (int t = 0; t < 8; t++) {
    scant_source *source = NULL;
    scant_tune *tune = NULL;
    char list[64];
    int done = 0, sure[CANDIDATES] = {1};
    snprintf(list, sizeof list, "algorithm=ridge k=4 clip=none seed=%d", t + 1);
    prepare(list, own[t % 2]);
    CHECK(scant_source_custom(&source, N, D, fetch, NULL, y, &error) == SCANT_OK);
    CHECK(scant_tune_new(&tune, candidates, candidate_count, source, &error) == SCANT_OK);
    caller = pthread_self();
    while (!done) {
      CHECK(scant_tune_advance(tune, 1, &done, &error) == SCANT_OK);
      scant_learner_facts facts;
      scant_candidate first, c;
      scant_fit_get_facts(scant_tune_fit(tune), &facts);
      scant_tune_candidate(tune, 0, &first);
      for (size_t i = 1; i < candidate_count; i++) {
        scant_tune_candidate(tune, i, &c);
        /* one whose risk is above the target's variance has nothing to defend */
        if (facts.told < 64) continue; /* too few to say */
        if (c.difference + 2 * c.difference_error < 0 || first.risk > facts.target_variance) sure[i] = 1;
      }
      CHECK(sure[scant_tune_leader(tune)]);
    }
    for (size_t i = 0; i < candidate_count; i++) unsure += !sure[i];
    scant_tune_free(tune);
    scant_source_free(source);
  }
  CHECK(unsure > 0); /* or this would say nothing */
}

TEST(the_budget_may_end_anywhere) {
  fill_data();
  for (int budget = 3; budget < 1500; budget += 149) {
    char list[64];
    snprintf(list, sizeof list, "algorithm=ridge k=4 budget=%d", budget);
    prepare(list, "eta=0.001|eta=0.1");
    compare_all(SCANT_OK);
  }
}

TEST(examples_may_be_skipped) {
  fill_data();
  uint64_t seed = 9;
  for (size_t i = 0; i < N; i++) x[i][random_below(&seed, D)] = NAN;
  prepare("algorithm=ridge k=4 missing=skip-example", "eta=0.001|eta=0.1|eta=0.03");
  compare_all(SCANT_OK);
}

/* The example is too much for every w that is not almost 0. */
TEST(a_leader_may_overflow) {
  fill_data();
  for (size_t i = 0; i < D; i++) x[300][i] = 1e60;
  prepare("algorithm=ridge k=4 clip=none seed=5 shuffle=no intercept=no", "eta=1e-90|eta=0.1|eta=0.03");
  compare_all(SCANT_OK);
  CHECK(failed_met == 2);
  stride = 1;
  run_tune();
  CHECK(leaders_met > 1); /* there and back */
}

TEST(what_the_first_can_not_learn_from_is_named) {
  fill_data();
  for (size_t i = 0; i < D; i++) x[333][i] = 1e101;
  prepare("algorithm=ridge k=4 shuffle=no", "eta=0.001|eta=0.1|eta=0.03");
  compare_all(SCANT_DATA);
  CHECK_SAYS(error.text, "row 333");
}

TEST(a_failed_read_changes_nothing) {
  fill_data();
  prepare("algorithm=ridge k=4", "eta=0.001|eta=0.1|eta=0.03");
  stride = 1000;
  fail_at = 0;
  CHECK(run_once(run_tune, 0, 0) == SCANT_OK);
  uint64_t wanted = outcome;
  for (fail_at = 1; fail_at < N; fail_at += 41)
    for (uint64_t threads = 1; threads < 3; threads++) {
      candidates[0].runtime.threads = threads;
      CHECK(run_once(run_tune, 0, 0) == SCANT_OK);
      CHECK(outcome == wanted);
    }
  fail_at = 0;
}

TEST(tuning_survives_without_memory) {
  fill_data();
  prepare("algorithm=ridge k=4 threads=1 examples=100", "eta=0.001|eta=0.1|eta=0.03");
  stride = 1000;
  fail_each("tune", run_tune);
}

int main(void) {
  files_begin();
  files_held();
  RUN(nothing_depends_on_threads_or_strides);
  RUN(only_who_is_surely_better_leads);
  RUN(the_budget_may_end_anywhere);
  RUN(examples_may_be_skipped);
  RUN(a_leader_may_overflow);
  RUN(what_the_first_can_not_learn_from_is_named);
  RUN(a_failed_read_changes_nothing);
  RUN(tuning_survives_without_memory);
  files_end();
  return check_done();
}
