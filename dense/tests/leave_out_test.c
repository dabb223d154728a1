/* Errors of gaussian and moments: against regressions that really leave groups out. */
#include "allocations.h"
#include "gaussian/normal.h"
#include "moments/moments.h"
#include "fitted.h"
#include "states.h"

/* ---- all cells seen: least squares --------------------------------------------------------- */

enum { FEW = 3, ROWS = 83 };

/* Least squares with the prior on the covariance, where examples of a group count `times`; w[FEW] and the intercept. So
 * many rows are a block, and groups are of blocks. */
static void regress_directly(const sample *s, const scant_frame *frame, size_t rows, size_t group, double times,
                             double *out) {
  enum { ALL = FEW + 1 };
  long double mean[ALL] = {0}, moment[ALL][ALL] = {{0}}, m = 0, a[FEW * FEW], b[FEW];
  for (int turn = 0; turn < 2; turn++)
    for (size_t e = 0; e < s->rows; e++) {
      long double z[ALL], count = e / rows % SCANT_ERROR_GROUPS == group ? times : 1;
      for (size_t i = 0; i < ALL; i++) {
        z[i] = i < FEW ? s->x[e * FEW + i] : s->y[e];
        z[i] = (z[i] - frame->center[i]) / frame->unit[i];
      }
      if (!turn) m += count;
      for (size_t i = 0; i < ALL; i++) {
        if (!turn) mean[i] += count * z[i];
        for (size_t j = 0; turn && j < ALL; j++) moment[i][j] += count * (z[i] - mean[i] / m) * (z[j] - mean[j] / m);
      }
    }
  for (size_t i = 0; i < ALL; i++) moment[i][i] += (long double)SCANT_PLAIN_NOISE;
  for (size_t i = 0; i < FEW; i++) {
    b[i] = moment[i][FEW];
    for (size_t j = 0; j < FEW; j++) a[i * FEW + j] = moment[i][j];
  }
  solve_directly(a, b, FEW);
  out[FEW] = frame->center[FEW] + (double)(frame->unit[FEW] * mean[FEW] / m);
  for (size_t i = 0; i < FEW; i++) {
    out[i] = (double)(b[i] * frame->unit[FEW] / frame->unit[i]);
    out[FEW] -= out[i] * (frame->center[i] + (double)(frame->unit[i] * mean[i] / m));
  }
}

/* From half of the difference of each group. */
static double error_directly(double without[][FEW + 1], double twice[][FEW + 1], size_t place) {
  double g = SCANT_ERROR_GROUPS, mean = 0, sum = 0;
  for (size_t i = 0; i < SCANT_ERROR_GROUPS; i++) mean += (without[i][place] - twice[i][place]) / 2 / g;
  for (size_t i = 0; i < SCANT_ERROR_GROUPS; i++) sum += pow((without[i][place] - twice[i][place]) / 2 - mean, 2);
  return sqrt((g - 1) * (g + 1) * (g + 1) / (g * g * g) * sum);
}

/* Of a mean this is its standard error, as every textbook has it. */
TEST(of_a_mean_it_is_the_textbooks) {
  enum { EACH = 3 };
  double x[SCANT_ERROR_GROUPS][EACH], group[SCANT_ERROR_GROUPS] = {0}, all = 0, spread = 0, g = SCANT_ERROR_GROUPS;
  double without[SCANT_ERROR_GROUPS][FEW + 1] = {{0}}, twice[SCANT_ERROR_GROUPS][FEW + 1] = {{0}};
  uint64_t seed = 2;
  for (size_t i = 0; i < SCANT_ERROR_GROUPS; i++)
    for (size_t j = 0; j < EACH; j++) {
      x[i][j] = random_normal(&seed);
      group[i] += x[i][j];
      all += x[i][j];
    }
  for (size_t i = 0; i < SCANT_ERROR_GROUPS; i++) {
    without[i][0] = (all - group[i]) / (EACH * (g - 1));
    twice[i][0] = (all + group[i]) / (EACH * (g + 1));
    spread += pow(group[i] / EACH - all / EACH / g, 2);
  }
  CHECK_NEAR(error_directly(without, twice, 0), sqrt(spread / (g * (g - 1))), 1e-12);
}

static void check_all_cells(const char *list, size_t rows) {
  sample s = sample_new(rows * ROWS, FEW, 31);
  double full[FEW + 1], without[SCANT_ERROR_GROUPS][FEW + 1], twice[SCANT_ERROR_GROUPS][FEW + 1];
  fitted f = fit_of(&s, naming(list, "all"), 1);
  const scant_frame *frame = &gaussian_of(f.fit->learner)->fit.frame;
  regress_directly(&s, frame, rows, 0, 1, full);
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) {
    regress_directly(&s, frame, rows, g, 0, without[g]);
    regress_directly(&s, frame, rows, g, 2, twice[g]);
  }
  for (size_t i = 0; i < FEW; i++) {
    double wanted = error_directly(without, twice, i);
    CHECK_NEAR(scant_model_weights(f.model)[i], full[i], 1e-9);
    CHECK_NEAR(scant_model_errors(f.model)[i], wanted, 1e-8 * wanted);
    CHECK(scant_model_is_unpenalised(f.model, i));
  }
  CHECK_NEAR(scant_model_intercept(f.model), full[FEW], 1e-9);
  CHECK_NEAR(scant_model_intercept_error(f.model), error_directly(without, twice, FEW), 1e-9);
  CHECK(scant_model_penalty(f.model) == 0);
  fitted_free(&f);
  sample_free(&s);
}

TEST(with_all_cells_errors_are_those_of_least_squares) {
  check_all_cells("k=3 shuffle=no clip=none", 1);
  check_all_cells("k=3 shuffle=no clip=none block=3", 3);
}

/* ---- few cells seen: EMs that have converged -------------------------------------------------- */

/* The error of each weight by EMs of very many steps. */
static void errors_at_length(const scant_learner *l, double *errors) {
  const scant_gaussian_fit *f = &gaussian_of(l)->fit;
  scant_jackknife halved;
  scant_em_options o = {.steps = 300, .threads = 1, .noise = f->choice.noise};
  double w[3][D + 1], standardised[D + 1], scratch[(D + 1) * (D + 1)], likelihood;
  CHECK(scant_jackknife_new(&halved, D));
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) {
    for (size_t t = 0; t < 2; t++) {
      scant_seen seen = {0};
      scant_normal normal;
      CHECK(scant_normal_new(&normal, D + 1));
      scant_normal_copy(&normal, &f->normal);
      CHECK(scant_seen_times(&seen, &gaussian_of(l)->looks, &f->frame, SCANT_ERROR_GROUPS, g, 2 * t));
      CHECK(scant_em_run(&seen, &o, &normal, &likelihood, NULL, NULL, &error) == SCANT_OK);
      CHECK(scant_regress(&normal, f->frame.factor, f->frame.plain, f->choice.penalty, standardised, scratch));
      scant_gaussian_unstandardise(f, &normal, standardised, w[t], &w[t][D]);
      scant_seen_free(&seen);
      scant_normal_free(&normal);
    }
    for (size_t j = 0; j <= D; j++) w[2][j] = (SCANT_ERROR_GROUPS + 1.0) / SCANT_ERROR_GROUPS / 2 * (w[0][j] - w[1][j]);
    scant_jackknife_add(&halved, w[2], w[2][D], NAN);
  }
  double g = SCANT_ERROR_GROUPS;
  for (size_t j = 0; j < D; j++) errors[j] = sqrt((g - 1) / g * halved.numbers[j].spread);
  scant_jackknife_free(&halved);
}

static void check_converged(scant_settings settings, double tolerance) {
  sample s = sample_new(N, D, 8);
  double errors[D], most = 0;
  fitted f = fit_of(&s, settings, 1);
  errors_at_length(f.fit->learner, errors);
  for (size_t j = 0; j < D; j++) most = fmax(most, fabs(scant_model_errors(f.model)[j] / errors[j] - 1));
  printf("# errors are within %g of those of many steps\n", most);
  CHECK_AT_MOST(most, tolerance);
  fitted_free(&f);
  sample_free(&s);
}

TEST(their_ems_have_converged) {
  check_converged(naming("k=5", "all"), 0.05);
  check_converged(gaussian("k=4 errors=yes"), 0.05);
}

/* ---- nothing else changes ---------------------------------------------------------------------- */

static char *text_of(const scant_model *model, int without) {
  scant_model shown = *model;
  char *text = NULL;
  size_t length;
  if (without) shown.errors = NULL;
  CHECK(scant_model_write(&shown, &text, &length, NULL) == SCANT_OK);
  return text;
}

TEST(weights_ledger_and_threads) {
  static const char *const algorithms[] = {"algorithm=gaussian k=4", "algorithm=moments k=4 clip=3"};
  sample s = sample_new(N, D, 9);
  for (size_t i = 0; i < 2; i++) {
    scant_settings plain = engine_settings(algorithms[i], "threads=1"), with = plain, threaded;
    with.run.errors = 1;
    threaded = with;
    threaded.runtime.threads = 3;
    fitted a = fit_of(&s, plain, 0), b = fit_of(&s, with, 1), c = fit_of(&s, threaded, 1);
    char *one = text_of(a.model, 0), *two = text_of(b.model, 1), *three = text_of(b.model, 0),
         *four = text_of(c.model, 0);
    CHECK(!strcmp(one, two) && strcmp(one, three) != 0 && !strcmp(three, four));
    free(one), free(two), free(three), free(four);
    fitted_free(&a), fitted_free(&b), fitted_free(&c);
  }
  sample_free(&s);
}

/* ---- moments ------------------------------------------------------------------------------------- */

typedef struct {
  scant_fit *fit;
  size_t count;
  scant_look *look[N];
  double values[N][D], y[N];
  size_t law[N];
} record;

static scant_status take_down(void *user, size_t row, const scant_look *look, const double *values, double y,
                              scant_error *e) {
  record *r = user;
  (void)row, (void)e;
  r->law[r->count] = moments_of(scant_fit_learner(r->fit))->span_count;
  r->look[r->count] = look_copy(look);
  memcpy(r->values[r->count], values, look->count * sizeof *values);
  r->y[r->count++] = y;
  return SCANT_OK;
}

static void learn_without(const record *r, size_t group, scant_settings settings, uint64_t horizon, double *w,
                          double *intercept, double *risk) {
  scant_learner *l = NULL;
  scant_learner_facts facts;
  CHECK(scant_learner_new(&l, &settings, D, horizon, NULL) == SCANT_OK);
  scant_look *look = look_for(l);
  for (size_t i = 0, rows = settings.learning.block; i < r->count; i += rows) {
    double values[N];
    size_t count = r->count - i < rows ? r->count - i : rows, k = r->look[i]->count;
    while (moments_of(l)->span_count < r->law[i]) CHECK(scant_moments_add_span(moments_of(l)));
    if (i / rows % SCANT_ERROR_GROUPS == group) continue;
    for (size_t row = 0; row < count; row++) memcpy(values + row * k, r->values[i + row], k * sizeof *values);
    CHECK(scant_learner_adopt(l, r->look[i], look, NULL) == SCANT_OK);
    CHECK(scant_learner_tell_block(l, look, count, values, r->y + i, NULL) == SCANT_OK);
  }
  CHECK(scant_learner_finish(l, NULL) == SCANT_OK);
  scant_learner_get_facts(l, &facts);
  *risk = facts.risk;
  scant_learner_weights(l, w, intercept);
  scant_look_free(look);
  scant_learner_free(l);
}

static void check_moments(const char *list) {
  static record r;
  static double w[SCANT_ERROR_GROUPS][D + 1], intercept[SCANT_ERROR_GROUPS]; /* the risk is last */
  sample s = sample_new(N, D, 10);
  scant_settings settings = engine_settings("algorithm=moments k=4 errors=yes threads=2", list);
  fitted f = {.source = source_of(&s)};
  int done = 0;
  CHECK(scant_fit_new(&f.fit, &settings, f.source, &error) == SCANT_OK);
  r.fit = f.fit;
  r.count = 0;
  scant_fit_watch_purchases(f.fit, take_down, &r);
  CHECK(scant_fit_advance(f.fit, UINT64_MAX, &done, &error) == SCANT_OK && done && r.law[N - 1] > 2);
  CHECK(scant_fit_model(f.fit, 0, &f.model, &error) == SCANT_OK);
  CHECK(scant_fit_errors(f.fit, f.model, &error) == SCANT_OK);
  settings.learning.penalty = scant_model_penalty(f.model);
  scant_learner_facts facts;
  scant_fit_get_facts(f.fit, &facts);
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++)
    learn_without(&r, g, settings, scant_fit_horizon(f.fit), w[g], &intercept[g], &w[g][D]);
  for (size_t j = 0; j <= D; j++) { /* the risk depends on the laws of the looks */
    double mean = 0, sum = 0, groups = SCANT_ERROR_GROUPS;
    for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) mean += w[g][j] / groups;
    for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) sum += (w[g][j] - mean) * (w[g][j] - mean);
    double wanted = sqrt((groups - 1) / groups * sum);
    if (j == D) wanted = fmax(wanted, facts.risk_error);
    CHECK_NEAR(j < D ? scant_model_errors(f.model)[j] : scant_model_risk_error(f.model), wanted, 1e-9 * wanted);
  }
  for (size_t i = 0; i < r.count; i++) scant_look_free(r.look[i]);
  fitted_free(&f);
  sample_free(&s);
}

TEST(errors_of_moments_are_those_of_learners_that_miss_a_group) {
  check_moments("");
  check_moments("block=7");
}

/* ---- checkpoints, stopping, memory ---------------------------------------------------------------------- */

/* `again_given`: errors-of is given once more to go on. */
static void check_goes_on(int again_given) {
  sample s = sample_new(N, D, 16);
  fitted whole = fit_of(&s, naming("k=4", "1,2"), 1), half = {.source = source_of(&s)};
  scant_settings settings = naming("k=4", "1,2");
  scant_model *checkpoint = NULL;
  scant_fit *again = NULL;
  int done = 0;
  CHECK(scant_fit_new(&half.fit, &settings, half.source, &error) == SCANT_OK);
  CHECK(scant_fit_advance(half.fit, 150, &done, &error) == SCANT_OK && !done);
  CHECK(scant_fit_model(half.fit, 1, &checkpoint, &error) == SCANT_OK);
  if (!again_given) settings = gaussian("k=4");
  CHECK(scant_fit_resume(&again, checkpoint, &settings, half.source, &error) == SCANT_OK);
  CHECK(scant_fit_settings(again)->run.errors);
  CHECK(scant_fit_advance(again, UINT64_MAX, &done, &error) == SCANT_OK && done);
  CHECK(scant_fit_model(again, 0, &half.model, &error) == SCANT_OK);
  CHECK(scant_fit_errors(again, half.model, &error) == SCANT_OK);
  char *one = text_of(whole.model, 0), *two = text_of(half.model, 0);
  CHECK(!strcmp(one, two));
  free(one), free(two);
  scant_model_free(checkpoint);
  scant_fit_free(again);
  fitted_free(&whole), fitted_free(&half);
  sample_free(&s);
}

TEST(a_checkpoint_goes_on_to_the_same_errors) {
  check_goes_on(1);
  check_goes_on(0);
}

/* A stream that goes on from its model and its learner's text. */
TEST(a_stream_goes_on_to_the_same_errors) {
  sample s = sample_new(N, D, 16);
  char *texts[2] = {NULL, NULL};
  for (int broken = 0; broken < 2; broken++) {
    scant_settings settings = naming("k=4", "1,2");
    scant_source *one = source_of(&s), *two = source_of(&s);
    scant_fit *fit = NULL;
    scant_model *model = NULL;
    scant_learner *learner = NULL;
    char *text = NULL;
    size_t length;
    int done = 0;
    CHECK(scant_fit_stream(&fit, &settings, one, &error) == SCANT_OK);
    CHECK(scant_fit_advance(fit, UINT64_MAX, &done, &error) == SCANT_OK && done);
    CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
    if (broken) {
      settings = gaussian("k=4");
      CHECK(scant_learner_save(scant_fit_learner(fit), &text, &length, &error) == SCANT_OK);
      CHECK(scant_learner_load(&learner, text, length, &settings, &error) == SCANT_OK);
      scant_fit_free(fit);
      fit = NULL;
      CHECK(scant_fit_continue(&fit, model, learner, two, &error) == SCANT_OK);
      free(text);
    } else {
      CHECK(scant_fit_feed(fit, two, &error) == SCANT_OK);
    }
    scant_model_free(model);
    CHECK(scant_fit_advance(fit, UINT64_MAX, &done, &error) == SCANT_OK && done && scant_fit_settings(fit)->run.errors);
    CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
    CHECK(scant_fit_errors(fit, model, &error) == SCANT_OK);
    texts[broken] = text_of(model, 0);
    scant_model_free(model);
    scant_fit_free(fit);
    scant_source_free(one), scant_source_free(two);
  }
  CHECK(!strcmp(texts[0], texts[1]));
  free(texts[0]), free(texts[1]);
  sample_free(&s);
}

static int group_met;

static int stop_in_groups(void *user, const scant_thought *thought) {
  (void)user;
  group_met += thought->group > 0;
  return thought->group == 4;
}

TEST(a_watcher_stops_it_and_the_model_stays) {
  sample s = sample_new(N, D, 17);
  scant_settings settings = gaussian("k=4 errors=yes threads=2");
  settings.runtime.watch = stop_in_groups;
  fitted f = fit_of(&s, settings, 0);
  char *one = text_of(f.model, 0);
  CHECK(scant_fit_errors(f.fit, f.model, &error) == SCANT_STOPPED && group_met > 0);
  char *two = text_of(f.model, 0);
  CHECK(!strcmp(one, two));
  free(one), free(two);
  fitted_free(&f);
  sample_free(&s);
}

TEST(without_memory_the_model_stays) {
  sample s = sample_new(60, 4, 18);
  fitted f = fit_of(&s, naming("k=2", "all"), 1);
  double wanted = scant_model_errors(f.model)[1];
  unsigned long n = 1;
  for (int more = 1; more && n < 5000; n += n < 120 ? 1 : 17) { /* the groups are alike */
    allocations_fail(n, 0);
    scant_status status = scant_fit_errors(f.fit, f.model, &error);
    more = allocations_failed() > 0;
    allocations_reset();
    CHECK(status == (more ? SCANT_MEMORY : SCANT_OK) && scant_model_errors(f.model)[1] == wanted);
  }
  CHECK(n > 400 && n < 5000);
  fitted_free(&f);
  sample_free(&s);
}

int main(void) {
  RUN(of_a_mean_it_is_the_textbooks);
  RUN(with_all_cells_errors_are_those_of_least_squares);
  RUN(their_ems_have_converged);
  RUN(weights_ledger_and_threads);
  RUN(errors_of_moments_are_those_of_learners_that_miss_a_group);
  RUN(a_checkpoint_goes_on_to_the_same_errors);
  RUN(a_stream_goes_on_to_the_same_errors);
  RUN(a_watcher_stops_it_and_the_model_stays);
  RUN(without_memory_the_model_stays);
  return check_done();
}
