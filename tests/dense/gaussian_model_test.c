/* What a model keeps of a fit of the row gaussian. */
#include "files.h"
#include "dense/gaussian/regress.h"
#include "joint/predictive.h"
#include "sample.h"

/* ---- what the model keeps ----------------------------------------------------------------- */

static scant_source *sample_source(const sample *s) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, s->x, s->rows, s->dimension,
                          (ptrdiff_t)(s->dimension * sizeof(double)), sizeof(double), s->y, NULL) == SCANT_OK);
  return source;
}

static scant_model *fitted_with(scant_settings settings, const sample *s, scant_fit **kept) {
  scant_source *source = sample_source(s);
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  if (!CHECK(scant_fit_new(&fit, &settings, source, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  CHECK(scant_fit_advance(fit, 1 << 30, &done, &error) == SCANT_OK && done);
  CHECK(scant_fit_model(fit, 0, &model, &error) == SCANT_OK);
  if (kept)
    *kept = fit;
  else
    scant_fit_free(fit);
  scant_source_free(source);
  return model;
}

static scant_model *fitted(const char *list, const sample *s, scant_fit **kept) {
  return fitted_with(gaussian(list), s, kept);
}

/* Intervals of 0.8 hold what they say; over several fits, since one is made of few
 * random looks. */
TEST(intervals_hold_their_share) {
  enum { FITS = 8, ROWS = 200 };
  sample s = sample_new(N, D, 17), test = sample_new(ROWS, D, 18);
  scant_source *source = sample_source(&test);
  double covered = 0;
  for (int seed = 1; seed <= FITS; seed++) {
    char list[32];
    scant_prediction p[ROWS];
    snprintf(list, sizeof list, "k=6 seed=%d", seed);
    scant_model *m = fitted(list, &s, NULL);
    CHECK(scant_model_predict_known(m, source, 0.8, p, &error) == SCANT_OK);
    for (size_t row = 0; row < ROWS; row++)
      covered += (test.y[row] >= p[row].low && test.y[row] <= p[row].high) / (double)(FITS * ROWS);
    scant_model_free(m);
  }
  CHECK_NEAR(covered, 0.8, 0.1);
  scant_source_free(source);
  sample_free(&s);
  sample_free(&test);
}

/* All attributes together, by the joint distribution, predict what the weights do;
 * fewer do not, but well. */
TEST(the_model_predicts_from_all_what_its_weights_do) {
  sample s = sample_new(N, D, 17), test = sample_new(200, D, 18);
  for (size_t row = 0; row < N; row++) s.x[row * D + 3] = row == 9; /* a single value: not known */
  for (size_t row = 0; row < N; row++) s.x[row * D + 5] = 1e4 * s.x[row * D + 5] + 77;
  for (size_t row = 0; row < 200; row++) test.x[row * D + 3] = 0, test.x[row * D + 5] = 1e4 * test.x[row * D + 5] + 77;
  scant_model *m = fitted("k=6", &s, NULL);
  const scant_gaussian *g = m->gaussian;
  if (!CHECK(g != NULL)) return;
  CHECK(scant_gaussian_check(g, D, &error) == SCANT_OK && scant_model_is_gaussian(m));
  CHECK(g->count == D - 1 && g->quantile_count > 0 && !g->two_valued && g->excess >= 0);
  for (size_t i = 0; i < g->count; i++) CHECK(g->attributes[i] == i + (i >= 3));
  for (size_t i = 1; i < g->quantile_count; i++) CHECK(g->quantiles[i] >= g->quantiles[i - 1]);
  double inside = 0, errors[2] = {0};
  for (size_t i = 0; i < g->quantile_count; i++)
    inside += fabs(g->quantiles[i]) < 1 ? 1.0 / (double)g->quantile_count : 0;
  CHECK(inside > 0.55 && inside < 0.9); /* in standard deviations, rather too large ones */
  CHECK_NEAR(g->quantiles[g->quantile_count / 2], 0, 0.15);
  scant_prediction p[200];
  scant_source *source = sample_source(&test);
  CHECK(scant_model_predict_known(m, source, 0.8, p, &error) == SCANT_OK);
  for (size_t row = 0; row < 200; row++) {
    double wanted = scant_model_predict(m, test.x + row * D), mean, variance;
    CHECK_NEAR(p[row].mean, wanted, 1e-8);
    expect_directly(g, (1u << (D - 1)) - 1, test.x + row * D, &mean, &variance);
    CHECK_NEAR(mean, wanted, 1e-8);
    errors[0] += (mean - test.y[row]) * (mean - test.y[row]) / 200;
    expect_directly(g, 0x1f3, test.x + row * D, &mean, &variance); /* from seven */
    errors[1] += (mean - test.y[row]) * (mean - test.y[row]) / 200;
  }
  CHECK(errors[0] < errors[1] && errors[1] < 0.5 * scant_gaussian_covariance(g, g->count, g->count));
  scant_source_free(source);
  scant_model_free(m);
  sample_free(&s);
  sample_free(&test);
}

/* The penalty for a few attributes and the factor are part of the variances, and of
 * nothing else; the penalty for all is no part of it. */
TEST(the_model_keeps_the_distribution_of_the_fit) {
  sample s = sample_new(N, D, 19);
  scant_learner *l = learned("k=6", &s, 60);
  scant_gaussian_fit *f = &scant_gaussian_of(l)->fit;
  scant_model *m = NULL;
  f->choice.penalty = 0.3;
  f->choice.few_excess = 0.4;
  CHECK(scant_model_new(&m, D, &error) == SCANT_OK);
  CHECK(scant_gaussian_row_keep(l, m, &error) == SCANT_OK);
  const scant_gaussian *g = m->gaussian;
  if (!CHECK(g && g->count == D && f->normal.n == D + 1)) return;
  for (size_t i = 0; i <= D; i++) {
    CHECK_NEAR(g->mean[i], f->frame.center[i] + f->frame.unit[i] * f->normal.mean[i], 1e-12);
    for (size_t j = 0; j <= D; j++) {
      double c = f->normal.covariance[i * (D + 1) + j] * f->frame.unit[i] * f->frame.unit[j];
      if (i == j && i < D) c *= f->frame.factor[i] + 0.01;
      CHECK_NEAR(scant_gaussian_covariance(g, i, j), c, 1e-10);
    }
  }
  CHECK(g->excess == 0.4);
  scant_model_free(m);
  scant_learner_free(l);
  sample_free(&s);
}

/* The shape of the errors: by the direct formula, for every example.  Attribute 2 was
 * active once: its scale is not known, so that it has no part in it. */
TEST(quantiles_are_those_of_the_residuals) {
  enum { FEW = 7, ROWS = 200, UNKNOWN = 2 };
  sample s = sample_new(ROWS, FEW, 20);
  for (size_t row = 0; row < ROWS; row++) s.x[row * FEW + UNKNOWN] = 0;
  scant_learner *l = open_learner("k=3", FEW);
  scant_look *look = look_for(l);
  int active = 0;
  for (size_t row = 0; row < ROWS; row++) {
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      if (look->attributes[i] != UNKNOWN) continue;
      s.x[row * FEW + UNKNOWN] = !active && row > 20;
      active = active || row > 20;
    }
    CHECK(tell_row(l, look, &s, row) == SCANT_OK);
  }
  CHECK(active && scant_learner_finish(l, &error) == SCANT_OK);
  const scant_answers *looks = &scant_gaussian_of(l)->looks;
  scant_model *m = NULL;
  CHECK(scant_model_new(&m, FEW, &error) == SCANT_OK && scant_gaussian_row_keep(l, m, &error) == SCANT_OK);
  const scant_gaussian *g = m->gaussian;
  if (!CHECK(g && g->count == FEW - 1 && g->quantile_count > 0)) return;
  CHECK(scant_gaussian_of(l)->fit.frame.variables == FEW + 1);
  double r[ROWS], squares = 0, left = 0;
  for (size_t e = 0; e < ROWS; e++) {
    double x[FEW] = {0}, mean, variance;
    unsigned known = 0;
    for (size_t i = looks->first[e]; i < looks->first[e + 1]; i++) {
      uint32_t j = looks->attribute[i];
      x[j] = looks->value[i];
      if (j != UNKNOWN) known |= 1u << (j - (j > UNKNOWN));
    }
    expect_directly(g, known, x, &mean, &variance);
    r[e] = (looks->y[e] - mean) / sqrt(variance);
    squares += r[e] * r[e] / ROWS;
    left += variance / ROWS;
  }
  CHECK_NEAR(g->quantile_variance, left, 1e-9);
  CHECK(squares < 1); /* of examples that were learned from: widened to what others have */
  for (size_t e = 0; e < ROWS; e++) r[e] /= sqrt(squares);
  for (size_t i = 0; i < g->quantile_count; i++) {
    double below = 0;
    for (size_t e = 0; e < ROWS; e++) below += r[e] <= g->quantiles[i] + 1e-9;
    CHECK_NEAR(below / ROWS, ((double)i + 0.5) / (double)g->quantile_count, 1.01 / ROWS);
  }
  scant_look_free(look);
  scant_model_free(m);
  scant_learner_free(l);
  sample_free(&s);
}

TEST(targets_of_two_values_are_known_as_such) {
  for (int kind = 0; kind < 4; kind++) {
    sample s = sample_new(100, D, 21);
    for (size_t row = 0; row < 100; row++) {
      double y = s.y[row] > 0 ? 5 : -2;
      s.y[row] = kind == 0 ? y : kind == 1 ? 3 : kind == 2 && row == 50 ? 1 : y;
    }
    if (kind == 3) s.rows = 5; /* too few to learn anything but the target, or that it has two values */
    scant_model *m = fitted("k=6", &s, NULL);
    CHECK((m->gaussian == NULL) == (kind == 1)); /* a constant target teaches nothing */
    if (m->gaussian) {
      CHECK(m->gaussian->two_valued == (kind == 0));
      if (m->gaussian->two_valued) CHECK(m->gaussian->values[0] == -2 && m->gaussian->values[1] == 5);
      double mean = 0, variance = 0, given = 0;
      for (size_t row = 0; row < s.rows; row++) mean += s.y[row] / (double)s.rows;
      for (size_t row = 0; row < s.rows; row++) variance += pow(s.y[row] - mean, 2) / (double)s.rows;
      if (kind == 3) {
        CHECK(m->gaussian->count == 0 && m->gaussian->quantile_count == 0);
        CHECK_NEAR(m->gaussian->mean[0], mean, 1e-12);
        CHECK_NEAR(m->gaussian->covariance[0], variance, 1e-12);
      }
      for (size_t i = 0; i < m->gaussian->quantile_count && kind == 0; i++) { /* what came was given a probability */
        CHECK(m->gaussian->quantiles[i] >= 0 && m->gaussian->quantiles[i] <= 1);
        given += m->gaussian->quantiles[i] / (double)m->gaussian->quantile_count;
      }
      if (kind == 0) CHECK(m->gaussian->quantile_count > 0 && given > 0.6);
    }
    scant_model_free(m);
    sample_free(&s);
  }
}

/* Two values are two numbers until there are twenty, and five of each; or classes. */
TEST(two_values_must_be_many_or_declared) {
  static const struct {
    size_t rows, of_one;
    int declared, two_valued;
  } cases[] = {{2, 1, 0, 0},  {19, 9, 0, 0}, {20, 10, 0, 1}, {20, 5, 0, 1},
               {60, 4, 0, 0}, {60, 5, 0, 1}, {2, 1, 1, 1},   {60, 1, 1, 1}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    sample s = sample_new(cases[c].rows, D, 21);
    for (size_t row = 0; row < s.rows; row++) s.y[row] = row < cases[c].of_one ? 10 : 20;
    scant_settings settings = gaussian("k=6");
    if (cases[c].declared) settings.reading.classes = "a,b";
    scant_model *m = fitted_with(settings, &s, NULL);
    CHECK(m->gaussian && m->gaussian->two_valued == cases[c].two_valued);
    scant_prediction p;
    scant_gaussian_predict(m->gaussian, 35, m->gaussian->quantile_variance, 0.9, &p);
    CHECK((p.mean <= 20) == cases[c].two_valued);
    scant_model_free(m);
    sample_free(&s);
  }
}

TEST(the_meter_counts_what_is_there) {
  sample s = sample_new(100, D, 22);
  uint64_t seed = 3, present = 0, most = 0, own[D] = {0};
  for (size_t row = 0; row < 100; row++) {
    uint64_t here = 0;
    for (size_t j = 0; j < D; j++) {
      if (random_below(&seed, 3) == 0)
        s.x[row * D + j] = NAN;
      else
        here++, own[j]++;
    }
    present += here;
    if (here > most) most = here;
  }
  scant_fit *fit = NULL;
  scant_model *model = fitted("observed=yes", &s, &fit);
  const scant_ledger *ledger = scant_fit_ledger(fit);
  CHECK(ledger->attributes_bought == present && ledger->looks_drawn == present);
  CHECK(ledger->max_bought_per_example == most && ledger->missing_cells == 0);
  for (size_t j = 0; j < D; j++) CHECK(scant_model_purchases(model)[j] == own[j]);
  CHECK(scant_model_settings(model)->runtime.engines == NULL && model->gaussian != NULL);
  scant_model_free(model);
  scant_fit_free(fit);
  sample_free(&s);
}

int main(void) {
  files_begin();
  RUN(intervals_hold_their_share);
  RUN(the_model_predicts_from_all_what_its_weights_do);
  RUN(the_model_keeps_the_distribution_of_the_fit);
  RUN(quantiles_are_those_of_the_residuals);
  RUN(targets_of_two_values_are_known_as_such);
  RUN(two_values_must_be_many_or_declared);
  RUN(the_meter_counts_what_is_there);
  files_end();
  return check_done();
}
