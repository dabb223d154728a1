/* The risk that a study shows: judged by regressors that have not seen the examples that judge them, in every state
 * that a study can be in. */
#include "allocations.h"
#include "scant_base.h"
#include "learn/learner.h"
#include "model/errors.h"
#include "study_calls.h"
#include "study_dense.h"

enum { D = 8, MOST = 64 };

static void finish(scant_study *study, const char *path) {
  scant_study_close(study);
  study_remove(path);
}

/* A risk is known with its error, or not known at all. */
static void check_known_or_not(double risk, double risk_error, const char *what) {
  int sound = isnan(risk) ? isnan(risk_error) : isfinite(risk) && risk >= 0 && isfinite(risk_error) && risk_error >= 0;
  if (!CHECK(sound)) printf("#   %s: risk %g, error %g\n", what, risk, risk_error);
}

/* All that a study says of its risk; what the status says. */
static double check_risks(scant_study *study, const char *what) {
  scant_study_status status;
  scant_study_risk points[5];
  size_t count = 0;
  GOOD(scant_study_get_status(study, &status, &said));
  check_known_or_not(status.risk, status.risk_error, what);
  GOOD(scant_study_get_risks(study, 5, points, &count, &said));
  for (size_t i = 0; i < count; i++) check_known_or_not(points[i].risk, points[i].risk_error, what);
  if (count) CHECK(points[count - 1].examples == status.learned + status.imported);
  return status.risk;
}

/* ---- against a computation by hand ------------------------------------------------------ */

static double x[MOST][D], y[MOST];

static void make_examples(int count) {
  test_state = 11;
  for (int i = 0; i < count; i++) {
    y[i] = 3 + test_value() / 2;
    for (int j = 0; j < D; j++) y[i] += (0.5 - 0.2 * j) * (x[i][j] = test_value());
  }
}

static void tell_one(scant_study *study, int i) {
  char name[20];
  const scant_study_order *o;
  scant_study_answer answers[D + 1];
  snprintf(name, sizeof name, "e%d", i);
  GOOD(scant_study_ask(study, name, &o, &said));
  size_t count = o->count;
  for (size_t k = 0; k < count; k++)
    answers[k] = (scant_study_answer){study->catalogue[o->lines[k].attribute].name, x[i][o->lines[k].attribute], 0};
  answers[count] = (scant_study_answer){"y", y[i], 0};
  GOOD(scant_study_tell(study, name, answers, count + 1, &said));
}

/* The losses of examples by learners that were told all but every 20th of them.  Everything is bought. */
static double risk_by_hand(const char *settings, int count) {
  double loss = 0, w[D], b;
  for (int g = 0; g < SCANT_ERROR_GROUPS && g < count; g++) {
    scant_settings s = settings_of(settings);
    scant_learner *l;
    scant_look *look;
    GOOD(scant_learner_new(&l, &s, D, 0, &said));
    GOOD(scant_look_new(&look, l, &said));
    for (int i = 0; i < count; i++) {
      if (i % SCANT_ERROR_GROUPS == g) continue;
      double values[D];
      GOOD(scant_learner_ask(l, look, &said));
      for (uint32_t k = 0; k < look->count; k++) values[k] = x[i][look->attributes[k]];
      GOOD(scant_learner_tell(l, look, look->count, NULL, values, y[i], &said));
    }
    scant_learner_weights(l, w, &b);
    for (int i = g; i < count; i += SCANT_ERROR_GROUPS) {
      double r = y[i] - b;
      for (int j = 0; j < D; j++) r -= w[j] * x[i][j];
      loss += r * r / count;
    }
    scant_look_free(look);
    scant_learner_free(l);
  }
  return loss;
}

/* Where everything was seen nothing is filled in, so the risk is that of a cross-validation. */
TEST(the_risk_is_of_examples_that_were_left_out) {
  static const char *const settings[] = {"algorithm=auto k=8 seed=3", "algorithm=ridge k=8 seed=3",
                                         "algorithm=lasso k=8 seed=3", "algorithm=svr k=8 seed=3"};
  make_examples(MOST);
  for (int a = 0; a < 4; a++) {
    const char *path = study_path("hand");
    scant_study *study = make_dense_hurried(path, settings[a], D, PLAIN);
    for (int i = 0; i < MOST; i++) {
      tell_one(study, i);
      if (i != 18 && i != 20 && i + 1 != MOST) continue;
      double risk = check_risks(study, settings[a]), wanted = risk_by_hand(settings[a], i + 1);
      CHECK_NEAR(risk, wanted, 1e-8 * wanted);
    }
    finish(study, path);
  }
}

/* ---- after amendments ------------------------------------------------------------------ */

static int examples;

static void go_on(scant_study *study, int count) {
  learn_many(study, examples, count);
  examples += count;
}

/* The learners without a group are told what the study's is told, and no more: left-out places are no missing values.
 */
static void check_amended(const char *settings, catalogue_kind kind) {
  const char *path = study_path("amended");
  scant_settings k5 = settings_of("k=5");
  scant_model *model = NULL;
  examples = 0;
  test_state = 5;
  printf("# %s\n", settings);
  scant_study *study = make_dense_hurried(path, settings, D, kind);
  go_on(study, 30);
  CHECK(isfinite(check_risks(study, settings)));
  if (kind == PRICED) GOOD(amend_one(study, "a1", "cost", "9.5"));
  if (kind == PRICED) GOOD(amend_one(study, "a4", "group", "pair"));
  CHECK(isfinite(check_risks(study, "another price")));
  GOOD(amend_one(study, "a6", "retired", "yes"));
  go_on(study, 6);
  CHECK(isfinite(check_risks(study, "one is retired")));
  GOOD(amend_one(study, "b1", "unit", "g"));
  GOOD(scant_study_amend(study, NULL, 0, &k5, "r", 0, NULL, &said));
  go_on(study, 10);
  CHECK(isfinite(check_risks(study, "a new one and another K")));
  GOOD(scant_study_model_errors(study, NULL, &model, &said));
  scant_model_free(model);
  finish(study, path);
}

TEST(amended_studies_have_risks_and_errors) {
  static const char *const settings[] = {"algorithm=auto k=4 seed=2 missing=error",
                                         "algorithm=auto k=4 seed=2 missing=skip-example",
                                         "algorithm=auto k=4 seed=2",
                                         "algorithm=ridge k=4 seed=2 missing=error",
                                         "algorithm=svr k=4 seed=2 missing=error",
                                         "algorithm=gaussian k=4 seed=2",
                                         "algorithm=gaussian k=3 seed=2 spend=22"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) check_amended(settings[i], PRICED);
  check_amended("algorithm=auto k=3 seed=2 missing=error", PLAIN);
}

/* ---- wild studies ------------------------------------------------------------------------ */

typedef enum {
  USUAL,
  CONSTANT_COLUMNS,
  CONSTANT_TARGET,
  ALL_CONSTANT,
  ALL_MISSING,
  OUTLIERS,
  HUGE_UNITS,
  TINY_UNITS,
  EXACT,
  WILDS
} wild;

static const char *const wild_names[WILDS] = {"usual",        "constant columns", "constant target",
                                              "all constant", "all missing",      "outliers",
                                              "huge units",   "tiny units",       "exact"};

static double wild_value(wild kind, int i, int j) {
  double v = test_value();
  if (kind == CONSTANT_COLUMNS) return j % 3 ? 4 : v;
  if (kind == ALL_CONSTANT) return 4;
  if (kind == OUTLIERS) return i % 9 == 4 ? fabs(1e6 * v) : v;
  if (kind == HUGE_UNITS) return 1e12 * v + 1e14;
  if (kind == TINY_UNITS) return 1e-12 * v;
  return v;
}

static double wild_target(wild kind, int i, double sum) {
  double v = test_value();
  if (kind == CONSTANT_TARGET || kind == ALL_CONSTANT) return 7;
  if (kind == OUTLIERS) return i % 11 == 3 ? 1e6 * v : v;
  if (kind == HUGE_UNITS) return 1e12 * v;
  if (kind == TINY_UNITS) return 1e-12 * v;
  return kind == EXACT ? sum : v;
}

static void check_wild(const char *algorithm, const char *options, wild kind) {
  static const int stops[] = {0, 1, 2, 3, 21};
  const char *path = study_path("wild");
  char text[200], what[300];
  const scant_study_order *o;
  snprintf(text, sizeof text, "algorithm=%s k=4 seed=2 missing=skip-cell %s", algorithm, options);
  test_state = 3;
  scant_study *study = make_dense_hurried(path, text, D, PLAIN);
  for (int i = 0, s = 0; s < (int)(sizeof stops / sizeof *stops); i++) {
    scant_study_answer answers[D + 1];
    double sum = 0;
    char name[20];
    if (i == stops[s]) {
      snprintf(what, sizeof what, "%s, %s, %d examples", algorithm, wild_names[kind], stops[s++]);
      check_risks(study, what);
    }
    snprintf(name, sizeof name, "e%d", i);
    GOOD(scant_study_ask(study, name, &o, &said));
    size_t count = o->count;
    for (size_t k = 0; k < count; k++) {
      double v = wild_value(kind, i, (int)o->lines[k].attribute);
      sum += v;
      answers[k] = (scant_study_answer){study->catalogue[o->lines[k].attribute].name, v, kind == ALL_MISSING};
    }
    answers[count] = (scant_study_answer){"y", wild_target(kind, i, sum), 0};
    GOOD(scant_study_tell(study, name, answers, count + 1, &said));
  }
  finish(study, path);
}

TEST(wild_studies_say_a_risk_or_that_it_is_not_known) {
  static const char *const algorithms[][2] = {{"auto", ""}, {"gaussian", ""}, {"lasso", ""},
                                              {"svr", ""},  {"moments", ""},  {"aerr", "budget=400"}};
  for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
    for (wild kind = 0; kind < WILDS; kind++) check_wild(algorithms[a][0], algorithms[a][1], kind);
}

/* ---- without memory ------------------------------------------------------------------------ */

static double poor_risk; /* that the last call said */

static scant_status status_it(scant_study *study) {
  scant_study_status status;
  study->judged_at = 0; /* as if it was not known yet */
  scant_status made = scant_study_get_status(study, &status, &said);
  poor_risk = made == SCANT_OK ? status.risk : NAN;
  return made;
}

static scant_status risks_it(scant_study *study) {
  scant_study_risk points[3];
  size_t count;
  scant_status made = scant_study_get_risks(study, 3, points, &count, &said);
  poor_risk = made == SCANT_OK && count ? points[count - 1].risk : NAN;
  return made;
}

/* The 1st, 2nd, ... allocation fails, once or ever after: the call says so and changes nothing, and the same again
 * works; or there was a way without it. */
static void check_poor(const char *settings, scant_status (*call)(scant_study *)) {
  const char *path = study_path("poor");
  examples = 0;
  test_state = 5;
  scant_study *study = make_dense_hurried(path, settings, D, PRICED);
  go_on(study, 22);
  GOOD(amend_one(study, "a6", "retired", "yes"));
  go_on(study, 4);
  GOOD(call(study));
  double wanted = poor_risk;
  char *before = dump(study);
  int refused = 0;
  CHECK(isfinite(wanted));
  for (int ever = 0; ever < 2; ever++)
    for (unsigned long n = 1;; n += 1 + n / 8) {
      said.text[0] = 0;
      allocations_fail(n, ever);
      scant_status status = call(study);
      unsigned long failures = allocations_failed();
      allocations_reset();
      if (status != SCANT_OK) {
        refused++;
        if (!CHECK(failures && status == SCANT_MEMORY && said.text[0]))
          printf("#   %s, allocation %lu%s: %d, %s\n", settings, n, ever ? " on" : "", status, said.text);
        if (n % 3 == 1) GOOD(call(study));
      }
      if (!failures || check_failures > 5) break;
    }
  GOOD(call(study));
  CHECK(poor_risk == wanted && refused > 20);
  check_unchanged(study, before, settings, __LINE__);
  check_verified(study);
  finish(study, path);
}

TEST(without_memory) {
  check_poor("algorithm=auto k=4 seed=2 missing=error", status_it);
  check_poor("algorithm=gaussian k=4 seed=2", status_it);
  check_poor("algorithm=auto k=4 seed=2", risks_it);
  check_poor("algorithm=gaussian k=4 seed=2", risks_it);
}

int main(void) {
  study_begin_tests();
  RUN(the_risk_is_of_examples_that_were_left_out);
  RUN(amended_studies_have_risks_and_errors);
  RUN(wild_studies_say_a_risk_or_that_it_is_not_known);
  RUN(without_memory);
  return study_end_tests();
}
