/* Dense algorithms as learners: what every other algorithm promises (misuse changes nothing,
 * looks may come late, states move to the bit, fits resume, memory may run out, values may be
 * missing), of each algorithm that needs an engine.  What they compute is tested with
 * their engines.  Link with allocations.c (see there). */
#include "engine.h"
#include "fail_each.h"
#include "fits.h"
#include "learners.h"

enum { D = TABLE_DIMENSION, N = TABLE_ROWS, ALL = 1 << 30 };

static table data, holes;

/* Calls `test` for every dense algorithm; with all attributes that are there, too. */
static void each_dense(void (*test)(const char *list), const char *more) {
  int met = 0;
  for (size_t row = 0; scant_algorithm_at(row); row++) {
    const scant_algorithm *a = scant_algorithm_at(row);
    if (!a->dense) continue;
    char list[160];
    met++;
    snprintf(list, sizeof list, "algorithm=%s%s%s", a->name, a->whole ? " radius=1" : " k=8", more);
    test(list);
    if (a->whole) { /* chosen anew whenever the regressor is read */
      snprintf(list, sizeof list, "algorithm=%s radius=auto%s", a->name, more);
      test(list);
      snprintf(list, sizeof list, "algorithm=%s radius=1 standardise=yes clip=1%s", a->name, more);
      test(list);
      continue;
    }
    snprintf(list, sizeof list, "algorithm=%s observed=yes%s", a->name, more);
    test(list);
    if (scant_algorithm_takes(a, "like-units")) {
      snprintf(list, sizeof list, "algorithm=%s k=8 like-units=yes%s", a->name, more);
      test(list);
    }
    for (int observed = 0; observed < 2 && scant_algorithm_takes(a, "clip"); observed++) {
      snprintf(list, sizeof list, "algorithm=%s clip=1 %s%s", a->name, observed ? "observed=yes" : "k=8", more);
      test(list);
    }
    if (!scant_algorithm_takes(a, "norm")) continue;
    snprintf(list, sizeof list, "algorithm=%s k=8 norm=1%s", a->name, more);
    test(list);
  }
  CHECK(met == 5);
}

static scant_learner *learner_of(const char *list) {
  return engine_learner(engine_settings("", list), D);
}

/* Finished, and as text with its regressor; the caller frees it. */
static char *finished_text(scant_learner *learner) {
  double w[D + 1];
  if (!CHECK(scant_learner_finish(learner, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_learner_weights(learner, w, &w[D]);
  char *state = learner_text(learner), *text = malloc(strlen(state) + 32 * (D + 1));
  size_t length = (size_t)sprintf(text, "%s", state);
  for (size_t i = 0; i <= D; i++) {
    CHECK(isfinite(w[i]));
    length += (size_t)sprintf(text + length, " %016llx", (unsigned long long)bits_of(w[i]));
  }
  free(state);
  return text;
}

static int same_when_finished(scant_learner *a, scant_learner *b) {
  char *one = finished_text(a), *two = finished_text(b);
  int same = strcmp(one, two) == 0;
  free(one);
  free(two);
  return same;
}

/* ---- misuse ------------------------------------------------------------------------- */

/* The call fails and leaves the state as it was. */
static void refuses(scant_learner *learner, const scant_look *look, const double *values, double y, scant_status status,
                    const char *words) {
  char *before = learner_text(learner);
  error.text[0] = 0;
  CHECK(tell(learner, look, values, y) == status);
  CHECK_SAYS(error.text, words);
  char *after = learner_text(learner);
  CHECK(strcmp(before, after) == 0);
  free(before);
  free(after);
}

static void misuse(const char *list) {
  scant_learner *learner = learner_of(list);
  scant_look *look = look_for(learner), *never = look_for(learner);
  double large[D], infinite[D];
  learn_rows(learner, look, &data, 0, N / 2);
  for (size_t i = 0; i < D; i++) large[i] = i % 2 ? -1e300 : 1e300, infinite[i] = INFINITY;
  CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
  refuses(learner, look, large, 1, SCANT_DATA, "overflow");
  refuses(learner, look, infinite, 1, SCANT_DATA, "not finite");
  refuses(learner, look, table_values(&data, 0, look), NAN, SCANT_DATA, "target");
  refuses(learner, look, table_values(&data, 0, look), 1e300, SCANT_DATA, "overflow");
  refuses(learner, never, large, 1, SCANT_MISUSE, "another learner");
  CHECK(tell(learner, look, table_values(&data, 0, look), 1) == SCANT_OK);
  refuses(learner, look, table_values(&data, 0, look), 1, SCANT_MISUSE, "not open");
  scant_look_free(never);
  scant_look_free(look);
  scant_learner_free(learner);
}

TEST(misuse_changes_nothing) {
  each_dense(misuse, "");
}

/* ---- looks that come late ----------------------------------------------------------- */

static void told_late(const char *list) {
  scant_learner *one = learner_of(list), *two = learner_of(list);
  tell_late(one, two, &data);
  CHECK(same_when_finished(one, two));
  scant_learner_free(one);
  scant_learner_free(two);
}

TEST(looks_may_be_told_late_and_out_of_order) {
  each_dense(told_late, " max-open=5");
}

/* ---- keeping -------------------------------------------------------------------------- */

static void save_and_go_on(const char *list) {
  scant_settings s = engine_settings("", list);
  scant_learner *one = engine_learner(s, D);
  scant_look *look = look_for(one), *late = look_for(one);
  for (size_t cut = 0; cut + 7 <= N; cut += 7) {
    learn_rows(one, look, &data, cut, cut + 3);
    CHECK(scant_learner_ask(one, late, &error) == SCANT_OK); /* open while it is saved */
    scant_learner *two = NULL;
    if (!CHECK(engine_reload(one, &s, &two, &error) == SCANT_OK)) printf("#   %s: %s\n", list, error.text);
    CHECK(same_state(one, two));
    for (int i = 0; i < 2; i++) {
      scant_learner *learner = i ? two : one;
      learn_rows(learner, look, &data, cut + 3, cut + 6);
      CHECK(tell(learner, late, table_values(&data, cut, late), data.y[cut]) == SCANT_OK);
      CHECK(tell(learner, late, table_values(&data, cut, late), data.y[cut]) == SCANT_MISUSE);
    }
    CHECK(same_state(one, two));
    if (!CHECK(same_when_finished(one, two))) printf("#   %s, at %zu\n", list, cut);
    scant_learner_free(two);
  }
  scant_look_free(look);
  scant_look_free(late);
  scant_learner_free(one);
}

TEST(a_saved_learner_goes_on_with_the_same_bits) {
  each_dense(save_and_go_on, " max-open=2");
}

/* ---- fits ------------------------------------------------------------------------------ */

static const table *fitted;

static scant_fit *fit_of(const char *list, scant_source *source) {
  scant_settings s = engine_settings("", list);
  return fit_with(&s, source);
}

static void stop_and_go_on(const char *list) {
  static const uint64_t cuts[] = {0, 1, 17, 29, 30};
  int done;
  scant_settings given = engine_settings("", list);
  scant_source *source = table_source(fitted);
  scant_fit *whole = fit_of(list, source);
  CHECK(scant_fit_advance(whole, ALL, &done, &error) == SCANT_OK && done);
  char *wanted = fit_text(whole, 1);
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    scant_fit *first = fit_of(list, source), *second = NULL;
    scant_model *half = NULL;
    CHECK(scant_fit_advance(first, cuts[i], &done, &error) == SCANT_OK);
    free(fit_text(first, 1)); /* through a file */
    CHECK(scant_model_load(&half, file_path("fit.json"), &error) == SCANT_OK);
    if (!CHECK(scant_fit_resume(&second, half, &given, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
    scant_model_free(half);
    CHECK(scant_fit_advance(second, ALL, &done, &error) == SCANT_OK && done);
    char *got = fit_text(second, 1);
    if (!CHECK(strcmp(wanted, got) == 0)) printf("#   %s, at %u\n", list, (unsigned)cuts[i]);
    CHECK(memcmp(scant_fit_ledger(whole), scant_fit_ledger(second), sizeof(scant_ledger)) == 0);
    free(got);
    scant_fit_free(first);
    scant_fit_free(second);
  }
  free(wanted);
  scant_fit_free(whole);
  scant_source_free(source);
}

TEST(a_resumed_fit_equals_an_uninterrupted_one) {
  fitted = &data;
  each_dense(stop_and_go_on, " split=0.25");
  fitted = &holes;
  each_dense(stop_and_go_on, " split=0.25 missing=skip-cell");
}

/* ---- missing values ---------------------------------------------------------------------- */

/* A look with a missing value leaves what cancelling it leaves. */
static void skip_examples(const char *list) {
  if (strstr(list, "observed")) return; /* there nothing is missing: it is not bought */
  scant_learner *one = learner_of(list), *two = learner_of(list);
  skip_or_cancel(one, two, &holes);
  scant_learner_facts facts;
  scant_learner_get_facts(one, &facts);
  CHECK(facts.told > 0);
  CHECK(same_when_finished(one, two));
  scant_learner_free(one);
  scant_learner_free(two);
}

TEST(skip_example_is_as_cancelling) {
  each_dense(skip_examples, " missing=skip-example");
}

/* A missing value tells nothing: means are of the values that were there, and an
 * attribute that never had one has no weight. */
static void skip_cells(const char *list) {
  scant_learner *learner = learner_of(list);
  scant_look *look = look_for(learner);
  double sum[D] = {0}, count[D] = {0}, means[D], w[D];
  for (size_t row = 0; row < N; row++) {
    double values[D];
    CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
    memcpy(values, table_values(&holes, row, look), look->count * sizeof *values);
    for (uint32_t i = 0; i < look->count; i++) {
      uint32_t a = look->attributes[i];
      if (a == 4) values[i] = NAN;
      if (isnan(values[i])) continue;
      sum[a] += values[i];
      count[a]++;
    }
    CHECK(tell(learner, look, values, holes.y[row]) == SCANT_OK);
  }
  free(finished_text(learner));
  scant_learner_means(learner, means);
  scant_learner_weights(learner, w, NULL);
  int clips = learner->settings.learning.clip > 0; /* then means are of clipped values: see moments_test.c */
  for (size_t i = 0; i < D && !clips; i++) CHECK_NEAR(means[i], count[i] > 0 ? sum[i] / count[i] : 0, 1e-12);
  CHECK(w[4] == 0 && count[4] == 0);
  scant_look_free(look);
  scant_learner_free(learner);
}

TEST(skip_cell_tells_nothing) {
  each_dense(skip_cells, " missing=skip-cell");
}

/* ---- any data ---------------------------------------------------------------------------- */

/* Any finite data: every tell works or is refused, and what comes out is finite. */
static void torture(const char *list) {
  static const double sizes[] = {0, 1e-300, 1e-10, 1, 1e10, 1e99, 1e150, 1e300};
  uint64_t seed = 1;
  for (int turn = 0; turn < 20; turn++) {
    scant_learner *learner = learner_of(list);
    scant_look *look = look_for(learner);
    double w[D], intercept, values[D];
    for (int i = 0; i < 30; i++) {
      double size = sizes[random_below(&seed, 8)], y = random_real(&seed) * sizes[random_below(&seed, 8)];
      for (size_t j = 0; j < D; j++) values[j] = i % 2 ? random_real(&seed) * size : copysign(size, random_real(&seed));
      CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
      scant_status status = tell(learner, look, values, y);
      if (!CHECK(status == SCANT_OK || status == SCANT_DATA)) printf("# %s %s\n", list, error.text);
      if (status != SCANT_OK) CHECK(scant_learner_cancel(learner, look, &error) == SCANT_OK);
    }
    scant_status status = scant_learner_finish(learner, &error);
    if (!CHECK(status == SCANT_OK || status == SCANT_DATA)) printf("# %s %s\n", list, error.text);
    scant_learner_weights(learner, w, &intercept);
    for (size_t i = 0; i < D; i++)
      if (!CHECK(isfinite(w[i]))) printf("#   with %s, turn %d\n", list, turn);
    CHECK(isfinite(intercept));
    scant_look_free(look);
    scant_learner_free(learner);
  }
}

TEST(finite_data_spoil_no_learner) {
  each_dense(torture, "");
}

/* Values in units that are 4 times as small, and an x-bound of 4: weights of a fourth. */
static void scaled(const char *list) {
  char name[32];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(list + strlen("algorithm="), " "), list + strlen("algorithm="));
  if (!scant_algorithm_takes(scant_algorithm_find(name), "x-bound")) return;
  double w[2][D], intercept[2];
  for (int i = 0; i < 2; i++) {
    scant_settings s = engine_settings("", list);
    if (i) settings_add(&s, "x-bound=4");
    scant_learner *learner = engine_learner(s, D);
    scant_look *look = look_for(learner);
    for (size_t row = 0; row < N; row++) {
      double values[D];
      CHECK(scant_learner_ask(learner, look, &error) == SCANT_OK);
      for (uint32_t j = 0; j < look->count; j++) values[j] = (i ? 4 : 1) * data.x[row][look->attributes[j]];
      CHECK(tell(learner, look, values, data.y[row]) == SCANT_OK);
    }
    free(finished_text(learner));
    scant_learner_weights(learner, w[i], &intercept[i]);
    scant_look_free(look);
    scant_learner_free(learner);
  }
  for (size_t j = 0; j < D; j++) CHECK_NEAR(4 * w[1][j], w[0][j], 1e-12);
  CHECK_NEAR(intercept[1], intercept[0], 1e-12);
}

TEST(values_are_counted_in_units_of_x_bound) {
  each_dense(scaled, "");
}

/* ---- memory ------------------------------------------------------------------------------ */

/* LAPACKE says on standard output that memory is short, where the answers of this test
 * are. */
void LAPACKE_xerbla(const char *name, int info);
void LAPACKE_xerbla(const char *name, int info) {
  (void)name;
  (void)info;
}

static scant_settings tried;

static scant_status run_learner(void) {
  scant_learner *learner = NULL;
  scant_look *look = NULL;
  scant_status status = scant_learner_new(&learner, &tried, D, N, &error);
  if (status == SCANT_OK) status = scant_look_new(&look, learner, &error);
  for (size_t row = 0; status == SCANT_OK && row < 12; row++) {
    status = scant_learner_ask(learner, look, &error);
    if (status == SCANT_OK) status = tell(learner, look, table_values(&data, row, look), data.y[row]);
  }
  if (status == SCANT_OK) status = scant_learner_finish(learner, &error);
  stop_failing();
  if (status == SCANT_OK) note_text(finished_text(learner));
  scant_look_free(look);
  scant_learner_free(learner);
  return status;
}

static void survive(const char *list) {
  tried = engine_settings("", list);
  fail_each(list, run_learner);
}

TEST(learners_survive) {
  each_dense(survive, " threads=1");
}

int main(void) {
  table_fill(&data, 5);
  table_fill(&holes, 5);
  table_punch(&holes, 9);
  files_begin();
  RUN(misuse_changes_nothing);
  RUN(looks_may_be_told_late_and_out_of_order);
  RUN(a_saved_learner_goes_on_with_the_same_bits);
  RUN(a_resumed_fit_equals_an_uninterrupted_one);
  RUN(skip_example_is_as_cancelling);
  RUN(skip_cell_tells_nothing);
  RUN(finite_data_spoil_no_learner);
  RUN(values_are_counted_in_units_of_x_bound);
  RUN(learners_survive);
  files_end();
  return check_done();
}
