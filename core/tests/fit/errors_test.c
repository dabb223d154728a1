/* Standard errors come from the same purchases: they are those of learners that were really told all of them but a
 * group's, and nothing else changes. */
#include "changed.h"
#include "fail_each.h"
#include "fits.h"
#include "model/errors.h"
#include "model/model.h"

enum { D = 7, N = 131 };

static double x[N][D], y[N];

static void fill_data(void) {
  uint64_t seed = 5;
  for (size_t row = 0; row < N; row++) {
    for (size_t i = 0; i < D; i++) x[row][i] = i == 6 ? 2 : random_real(&seed); /* the last one never varies */
    y[row] = 2 * x[row][0] - x[row][1] + random_real(&seed) / 4;
    if (row % 11 == 3) x[row][2] = NAN;
  }
}

static scant_source *data_source(size_t rows) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, x, rows, D, sizeof x[0], sizeof x[0][0], y, NULL) == SCANT_OK);
  return source;
}

/* ---- intervals --------------------------------------------------------------------------- */

/* Tables of Student's t, two-sided. */
TEST(quantiles_are_those_of_student) {
  CHECK_NEAR(scant_student_quantile(0.9, 19), 1.729132811521367, 1e-12);
  CHECK_NEAR(scant_student_quantile(0.95, 19), 2.093024054408263, 1e-12);
  CHECK_NEAR(scant_student_quantile(0.99, 19), 2.860934606464979, 1e-12);
  CHECK_NEAR(scant_student_quantile(0.9, 1), tan(acos(-1) * 0.45), 1e-11);
  CHECK_NEAR(scant_student_quantile(0.9, 2), 0.9 * sqrt(2 / (1 - 0.81)), 1e-12);
  CHECK_NEAR(scant_student_quantile(0.9, 10), 1.8124611228107335, 1e-12);
  CHECK(isnan(scant_student_quantile(0, 19)) && isnan(scant_student_quantile(1, 19)) &&
        isnan(scant_student_quantile(NAN, 19)));
}

/* ---- purchases told again ----------------------------------------------------------------- */

/* Every purchase of a fit, as a watcher met it. */
typedef struct {
  size_t count;
  size_t row[3 * N];
  scant_look *look[3 * N];
  double values[3 * N][D], y[3 * N];
} record;

static scant_status take_down(void *user, size_t row, const scant_look *look, const double *values, double target,
                              scant_error *e) {
  record *r = user;
  (void)e;
  r->row[r->count] = row;
  r->look[r->count] = look_copy(look);
  memcpy(r->values[r->count], values, look->count * sizeof *values);
  r->y[r->count++] = target;
  return SCANT_OK;
}

static void record_free(record *r) {
  for (size_t i = 0; i < r->count; i++) scant_look_free(r->look[i]);
  r->count = 0;
}

/* The group of an example is its place in the first pass. */
static size_t group_of(const record *r, size_t purchase) {
  size_t first = 0;
  while (r->row[first] != r->row[purchase]) first++;
  return first % SCANT_ERROR_GROUPS;
}

static record met;

static void learn_without(size_t group, const scant_settings *settings, uint64_t horizon, double *w, double *intercept,
                          double *risk) {
  scant_learner *l = NULL;
  CHECK(scant_learner_new(&l, settings, D, horizon, NULL) == SCANT_OK);
  scant_look *look = look_for(l);
  for (size_t i = 0; i < met.count; i++) {
    if (group_of(&met, i) == group) continue;
    CHECK(scant_learner_share(l, met.look[i], look, NULL) == SCANT_OK);
    CHECK(scant_learner_tell(l, look, look->count, NULL, met.values[i], met.y[i], NULL) == SCANT_OK);
  }
  scant_learner_facts facts;
  scant_learner_get_facts(l, &facts);
  *risk = facts.risk;
  scant_learner_weights(l, w, intercept);
  scant_look_free(look);
  scant_learner_free(l);
}

/* sqrt((G - 1)/G sum of squares about the mean). */
static double spread_of(const double *first, size_t stride) {
  double mean = 0, sum = 0, groups = SCANT_ERROR_GROUPS;
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) mean += first[g * stride] / groups;
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) sum += (first[g * stride] - mean) * (first[g * stride] - mean);
  return sqrt((groups - 1) / groups * sum);
}

static void check_against_learners(const char *list) {
  static double out[SCANT_ERROR_GROUPS][D + 2];
  scant_settings s = settings_from(list);
  settings_add(&s, "errors=yes threads=3");
  scant_source *source = data_source(N);
  scant_fit *fit = fit_with(&s, source);
  scant_model *model = NULL;
  scant_fit_watch_purchases(fit, take_down, &met);
  CHECK(advance(fit, 50) == 0 && advance(fit, 1 << 20) == 1);
  CHECK(scant_fit_model(fit, 0, &model, NULL) == SCANT_OK && !scant_model_errors(model));
  if (!CHECK(scant_fit_errors(fit, model, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++)
    learn_without(g, scant_fit_settings(fit), scant_fit_horizon(fit), out[g], &out[g][D], &out[g][D + 1]);
  const double *errors = scant_model_errors(model);
  for (size_t i = 0; errors && i + 1 < D; i++) {
    CHECK(errors[i] > 0);
    CHECK_NEAR(errors[i], spread_of(&out[0][i], D + 2), 1e-12 * errors[i]);
  }
  CHECK(errors && isnan(errors[D - 1])); /* of what never varied nothing is known */
  CHECK_NEAR(scant_model_intercept_error(model), spread_of(&out[0][D], D + 2), 1e-12);
  scant_learner_facts facts;
  scant_fit_get_facts(fit, &facts);
  CHECK_NEAR(scant_model_risk_error(model), fmax(spread_of(&out[0][D + 1], D + 2), facts.risk_error), 1e-10);
  CHECK(scant_model_risk(model) == facts.risk);
  record_free(&met);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

TEST(errors_are_those_of_learners_that_miss_a_group) {
  check_against_learners("algorithm=auto k=3");
  check_against_learners("algorithm=ridge k=3 seed=2");
  check_against_learners("algorithm=lasso k=4 eta=2 missing=skip-example");
  check_against_learners("algorithm=svr k=3");
  check_against_learners("algorithm=auto k=4 passes=2");
  check_against_learners("algorithm=auto k=3 budget=240");
}

/* ---- nothing else changes ------------------------------------------------------------------ */

/* A model's text without its errors, which are one member of it and in its checksum. */
static char *text_of(const scant_model *model, int without) {
  static char *text; /* so that gcc does not take it for a local that dies here */
  scant_model shown = *model;
  size_t length;
  if (without) shown.errors = NULL;
  CHECK(scant_model_write(&shown, &text, &length, NULL) == SCANT_OK);
  return text;
}

static scant_model *fitted(const char *list, const char *more, int errors) {
  scant_settings s = settings_from(list);
  settings_add(&s, more);
  scant_source *source = data_source(N);
  scant_fit *fit = fit_with(&s, source);
  scant_model *model = NULL;
  CHECK(advance(fit, 1 << 20) == 1);
  CHECK(scant_fit_model(fit, 0, &model, NULL) == SCANT_OK);
  if (errors) CHECK(scant_fit_errors(fit, model, NULL) == SCANT_OK);
  scant_fit_free(fit);
  scant_source_free(source);
  return model;
}

/* Estimates of the risk are kept above a bound.  Where those of all groups are there they hardly vary, but the looks
 * know that they are unsure. */
TEST(a_risk_at_its_bound_is_not_sure) {
  scant_jackknife j;
  scant_model *model = fitted("algorithm=auto k=3", "", 0);
  double w[D] = {0};
  CHECK(scant_jackknife_new(&j, D));
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) scant_jackknife_add(&j, w, 0, 1e-9 * (double)g);
  CHECK(scant_jackknife_finish(&j, 0, 0.5, model, &error) == SCANT_OK && scant_model_risk_error(model) == 0.5);
  CHECK(scant_jackknife_finish(&j, 0, NAN, model, &error) == SCANT_OK && scant_model_risk_error(model) < 1e-6);
  scant_jackknife_free(&j);
  scant_model_free(model);
}

TEST(weights_and_ledger_stay) {
  static const char *const lists[] = {"algorithm=auto k=3", "algorithm=ridge k=3", "algorithm=lasso k=3 passes=1",
                                      "algorithm=svr k=3"};
  for (size_t i = 0; i < 4; i++) {
    scant_model *plain = fitted(lists[i], "", 0), *with = fitted(lists[i], "errors=yes", 1);
    scant_model *threaded = fitted(lists[i], "errors=yes threads=7", 1);
    char *one = text_of(plain, 0), *two = text_of(with, 1), *three = text_of(with, 0), *four = text_of(threaded, 0);
    CHECK(!strcmp(one, two));
    CHECK(strcmp(one, three) != 0 && strstr(three, "\"errors\""));
    CHECK(!strcmp(three, four));
    free(one), free(two), free(three), free(four);
    scant_model_free(plain), scant_model_free(with), scant_model_free(threaded);
  }
}

TEST(a_file_keeps_errors) {
  scant_model *model = fitted("algorithm=auto k=3", "errors=yes", 1), *again = NULL;
  char *text = text_of(model, 0);
  CHECK(scant_model_read(&again, text, strlen(text), &error) == SCANT_OK);
  const double *a = scant_model_errors(model), *b = scant_model_errors(again);
  for (size_t i = 0; i < D; i++) CHECK(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])));
  CHECK(scant_model_risk(model) == scant_model_risk(again) &&
        scant_model_risk_error(model) == scant_model_risk_error(again) &&
        scant_model_intercept_error(model) == scant_model_intercept_error(again));
  uint64_t pairs[2], rare[2];
  scant_model_pairs(model, &pairs[0], &rare[0]);
  scant_model_pairs(again, &pairs[1], &rare[1]);
  CHECK(pairs[0] == 15 && pairs[0] == pairs[1] && rare[0] == rare[1]);
  CHECK_NEAR(scant_model_error_quantile(again, 0.9), 1.729132811521367, 1e-12);
  free(text);
  scant_model_free(model);
  scant_model_free(again);
}

/* Numbers that no fit can have written, each in place of what stands behind a key. */
TEST(a_damaged_file_is_refused) {
  static const char *const wrong[][3] = {{"\"groups\": ", "1", "1 groups"},
                                         {"\"rare_pairs\": ", "99", "more rare pairs than pairs"},
                                         {"\"risk_error\": ", "-1", "below 0"},
                                         {"\"pairs\": ", "-3", "'pairs'"}};
  scant_model *model = fitted("algorithm=auto k=3", "errors=yes", 1);
  char *text = text_of(model, 0), from[128], to[128];
  for (size_t i = 0; i < 4; i++) {
    const char *at = strstr(strstr(text, "\"errors\""), wrong[i][0]);
    snprintf(from, sizeof from, "%.*s", (int)strcspn(at, ",\n"), at);
    snprintf(to, sizeof to, "%s%s", wrong[i][0], wrong[i][1]);
    scant_model *again = NULL;
    CHECK(scant_model_load(&again, file_changed("changed.json", text, from, to), &error) == SCANT_DATA && !again);
    CHECK_SAYS(error.text, wrong[i][2]);
  }
  free(text);
  scant_model_free(model);
}

/* ---- tuning ---------------------------------------------------------------------------------- */

TEST(the_winner_of_a_tuning_has_errors) {
  scant_source *source = data_source(N);
  scant_settings s[2] = {settings_from("algorithm=lasso k=3 errors=yes threads=2"),
                         settings_from("algorithm=lasso k=3 errors=yes eta=0.05")};
  scant_tune *tune = NULL;
  scant_model *first = NULL, *second = NULL, *alone = fitted("algorithm=lasso k=3", "errors=yes", 1);
  int done = 0;
  CHECK(scant_tune_new(&tune, s, 2, source, NULL) == SCANT_OK);
  CHECK(scant_tune_advance(tune, UINT64_MAX, &done, NULL) == SCANT_OK && done);
  CHECK(scant_tune_model(tune, 0, &first, NULL) == SCANT_OK && scant_tune_model(tune, 1, &second, NULL) == SCANT_OK);
  CHECK(scant_tune_errors(tune, 0, first, NULL) == SCANT_OK && scant_tune_errors(tune, 1, second, NULL) == SCANT_OK);
  const double *a = scant_model_errors(first), *b = scant_model_errors(second), *c = scant_model_errors(alone);
  CHECK(scant_tune_leader(tune) == 0); /* so the looks are those of a fit */
  for (size_t i = 0; i + 1 < D; i++) CHECK(a[i] == c[i] && b[i] > 0 && b[i] != a[i]);
  scant_model_free(first), scant_model_free(second), scant_model_free(alone);
  scant_tune_free(tune);
  scant_source_free(source);
}

/* ---- refusals ---------------------------------------------------------------------------------- */

TEST(errors_need_examples_and_purchases) {
  scant_source *few = data_source(39), *enough = data_source(N);
  scant_settings s = settings_from("algorithm=auto k=3 errors=yes");
  scant_fit *fit = NULL;
  scant_model *model = NULL, *other = NULL;
  CHECK(scant_fit_new(&fit, &s, few, &error) == SCANT_DATA && !fit);
  CHECK_SAYS(error.text, "errors need at least 40 examples to learn from, and there are 39");
  s.run.budget = 100; /* cuts it short: the model is there, without errors */
  fit = fit_with(&s, enough);
  CHECK(advance(fit, 1 << 20) == 1 && scant_fit_model(fit, 0, &model, NULL) == SCANT_OK);
  CHECK(scant_fit_errors(fit, model, &error) == SCANT_DATA && !scant_model_errors(model));
  CHECK_SAYS(error.text, "at least 40");
  scant_fit_free(fit);
  s.run.budget = 0;
  s.run.errors = 0;
  fit = fit_with(&s, enough);
  CHECK(advance(fit, 90) == 0 && scant_fit_model(fit, 0, &other, NULL) == SCANT_OK);
  CHECK(scant_fit_errors(fit, other, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "need the option errors from the beginning");
  CHECK(scant_fit_errors(fit, model, &error) == SCANT_MISUSE);
  CHECK_SAYS(error.text, "not of the fit as it stands");
  scant_model_free(model), scant_model_free(other);
  scant_fit_free(fit);
  scant_source_free(few), scant_source_free(enough);
}

static void check_refused(const char *list, scant_status status, const char *words) {
  scant_settings s = settings_from(list);
  error.text[0] = 0;
  CHECK(scant_settings_resolve(&s, &error) == status);
  CHECK_SAYS(error.text, words);
}

TEST(other_algorithms_have_none) {
  check_refused("algorithm=aerr k=3 errors=yes", SCANT_USAGE, "aerr has no errors; auto, ridge, lasso");
  check_refused("algorithm=full-ridge errors=yes", SCANT_USAGE, "full-ridge has no errors");
  check_refused("algorithm=auto k=3 errors-of=all", SCANT_USAGE, "errors-of is not an option of auto");
}

TEST(a_checkpoint_holds_no_purchases) {
  scant_source *source = data_source(N);
  scant_settings s = settings_from("algorithm=auto k=3");
  scant_fit *fit = fit_with(&s, source), *again = NULL;
  scant_model *checkpoint = NULL;
  CHECK(advance(fit, 60) == 0 && scant_fit_model(fit, 1, &checkpoint, NULL) == SCANT_OK);
  s.run.errors = 1;
  CHECK(scant_fit_resume(&again, checkpoint, &s, source, &error) == SCANT_USAGE && !again);
  CHECK_SAYS(error.text, "a checkpoint holds none");
  scant_model_free(checkpoint);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* A learner that goes on was told more than is kept from then on. */
TEST(a_stream_that_goes_on_has_no_purchases) {
  scant_source *source = data_source(N);
  scant_settings s = settings_from("algorithm=auto k=3 errors=yes");
  scant_fit *fit = NULL, *again = NULL;
  scant_model *model = NULL;
  scant_learner *learner = NULL;
  char *text = NULL;
  size_t length;
  CHECK(scant_fit_stream(&fit, &s, source, &error) == SCANT_OK && advance(fit, 1 << 20) == 1);
  CHECK(scant_fit_model(fit, 0, &model, NULL) == SCANT_OK && scant_fit_errors(fit, model, &error) == SCANT_OK);
  CHECK(scant_learner_save(scant_fit_learner(fit), &text, &length, NULL) == SCANT_OK);
  CHECK(scant_learner_load(&learner, text, length, &s, NULL) == SCANT_OK);
  CHECK(scant_fit_continue(&again, model, learner, source, &error) == SCANT_OK && advance(again, 1 << 20) == 1);
  scant_model_free(model);
  CHECK(scant_fit_model(again, 0, &model, NULL) == SCANT_OK);
  CHECK(scant_fit_errors(again, model, &error) == SCANT_MISUSE && !scant_model_errors(model));
  CHECK_SAYS(error.text, "need the option errors from the beginning of the fit");
  free(text);
  scant_model_free(model);
  scant_fit_free(fit);
  scant_fit_free(again);
  scant_source_free(source);
}

TEST(purchases_take_memory) {
  scant_source *source = data_source(N);
  scant_settings s = settings_from("algorithm=auto k=3 errors=yes memory=1e-6");
  scant_fit *fit = NULL;
  CHECK(scant_fit_new(&fit, &s, source, &error) == SCANT_DATA && !fit);
  CHECK_SAYS(error.text, "GiB of purchases, and option memory allows");
  scant_source_free(source);
}

/* ---- stopping ------------------------------------------------------------------------------------ */

static size_t asked;

static int stop_at_third(void *user, const scant_thought *thought) {
  (void)user;
  CHECK(thought->group && thought->groups == SCANT_ERROR_GROUPS);
  return ++asked == 3;
}

TEST(a_watcher_can_stop_it) {
  scant_source *source = data_source(N);
  scant_settings s = settings_from("algorithm=auto k=3 errors=yes threads=2");
  s.runtime.watch = stop_at_third;
  scant_fit *fit = fit_with(&s, source);
  scant_model *model = NULL;
  CHECK(advance(fit, 1 << 20) == 1 && scant_fit_model(fit, 0, &model, NULL) == SCANT_OK);
  CHECK(scant_fit_errors(fit, model, &error) == SCANT_STOPPED && !scant_model_errors(model) && asked == 3);
  CHECK(scant_fit_errors(fit, model, &error) == SCANT_OK && scant_model_errors(model));
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
}

/* ---- pairs ------------------------------------------------------------------------------------------ */

TEST(rare_pairs_are_counted) {
  scant_model *model = fitted("algorithm=auto k=3", "errors=yes budget=200", 1);
  scant_pair_counts counts;
  static const uint32_t seen[] = {0, 4, 2};
  static const double values[] = {1, 2, NAN};
  uint64_t pairs, rare;
  CHECK(scant_pair_counts_new(&counts, D));
  for (int i = 0; i < 9; i++) scant_pair_counts_add(&counts, 3, seen, values);
  scant_pair_counts_finish(&counts, model);
  scant_model_pairs(model, &pairs, &rare);
  CHECK(pairs == 15 && rare == 15);
  CHECK(scant_model_say(model, SCANT_MODEL_RARE_PAIRS, &error) == 1);
  CHECK_SAYS(error.text, "15 of 15 pairs of attributes were seen together less than 10 times");
  scant_pair_counts_add(&counts, 3, seen, values);
  scant_pair_counts_finish(&counts, model);
  scant_model_pairs(model, &pairs, &rare);
  CHECK(pairs == 15 && rare == 14);
  scant_pair_counts_free(&counts);
  scant_model_free(model);
}

/* ---- out of memory ------------------------------------------------------------------------------------ */

static scant_status run_errors(void) {
  scant_source *source = NULL;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  scant_settings s = settings_from("algorithm=auto k=4 errors=yes passes=2 examples=45 threads=1");
  scant_status status = scant_source_wrap(&source, SCANT_FLOAT64, x, N, D, sizeof x[0], sizeof x[0][0], y, &error);
  if (status == SCANT_OK) status = scant_fit_new(&fit, &s, source, &error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, UINT64_MAX, &done, &error);
  if (status == SCANT_OK) status = scant_fit_model(fit, 0, &model, &error);
  if (status == SCANT_OK) status = scant_fit_errors(fit, model, &error);
  stop_failing();
  if (status == SCANT_OK) note(scant_model_errors(model), (D - 1) * sizeof(double));
  scant_model_free(model);
  scant_fit_free(fit);
  scant_source_free(source);
  return status;
}

TEST(memory_runs_out) {
  fail_each("errors", run_errors);
}

int main(void) {
  files_begin();
  files_held();
  fill_data();
  RUN(quantiles_are_those_of_student);
  RUN(errors_are_those_of_learners_that_miss_a_group);
  RUN(a_risk_at_its_bound_is_not_sure);
  RUN(weights_and_ledger_stay);
  RUN(a_file_keeps_errors);
  RUN(a_damaged_file_is_refused);
  RUN(the_winner_of_a_tuning_has_errors);
  RUN(errors_need_examples_and_purchases);
  RUN(other_algorithms_have_none);
  RUN(a_checkpoint_holds_no_purchases);
  RUN(a_stream_that_goes_on_has_no_purchases);
  RUN(purchases_take_memory);
  RUN(a_watcher_can_stop_it);
  RUN(rare_pairs_are_counted);
  RUN(memory_runs_out);
  files_end();
  return check_done();
}
