/* What a model keeps of a fit of the row gaussian. */
#include "files.h"
#include "gaussian/normal.h"
#include "joint/joint.h"
#include "sample.h"
#include "states.h"

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

static void clip_row(const scant_model *m, const double *x, double *to) {
  for (size_t j = 0; j < m->dimension; j++) to[j] = m->low ? fmax(m->low[j], fmin(m->high[j], x[j])) : x[j];
}

/* By the joint distribution of clipped attributes.  The weights for all of them have a larger penalty than a few
 * have, so they predict nearly the same from all; fewer predict worse, but well. */
TEST(the_model_predicts_from_what_is_known) {
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
  double inside = 0, errors[2] = {0}, apart = 0, variance = scant_gaussian_covariance(g, g->count, g->count);
  for (size_t i = 0; i < g->quantile_count; i++)
    inside += fabs(g->quantiles[i]) < 1 ? 1.0 / (double)g->quantile_count : 0;
  CHECK(inside > 0.55 && inside < 0.9); /* in standard deviations, rather too large ones */
  CHECK_NEAR(g->quantiles[g->quantile_count / 2], 0, 0.15);
  scant_prediction p[200];
  scant_source *source = sample_source(&test);
  CHECK(scant_model_predict_known(m, source, 0.8, p, &error) == SCANT_OK);
  for (size_t row = 0; row < 200; row++) {
    double x[D], mean, left;
    clip_row(m, test.x + row * D, x);
    expect_directly(g, (1u << (D - 1)) - 1, x, &mean, &left);
    CHECK_NEAR(p[row].mean, mean, 1e-8);
    errors[0] += (mean - test.y[row]) * (mean - test.y[row]) / 200;
    apart += pow(scant_model_predict(m, test.x + row * D) - mean, 2) / 200;
    expect_directly(g, 0x1f3, x, &mean, &left); /* from seven */
    errors[1] += (mean - test.y[row]) * (mean - test.y[row]) / 200;
  }
  CHECK(errors[0] < errors[1] && errors[1] < 0.5 * variance && apart < 0.01 * variance);
  scant_source_free(source);
  scant_model_free(m);
  sample_free(&s);
  sample_free(&test);
}

/* What a query says when it is told these cells, in this order. */
static double ask_query(const scant_model *m, const double *x, const uint32_t *attributes, size_t count) {
  scant_query *query = NULL;
  scant_prediction p = {NAN, NAN, NAN, NAN};
  CHECK(scant_query_new(&query, m, NULL, &error) == SCANT_OK);
  for (size_t i = 0; i < count; i++)
    CHECK(scant_query_tell(query, attributes[i], x[attributes[i]], &error) == SCANT_OK);
  scant_query_predict(query, 0, &p);
  scant_query_free(query);
  return p.mean;
}

/* Its limits are those of the looks; a cell beyond them predicts what the limit does, whoever is asked. */
TEST(limits_hold_in_every_prediction) {
  static const char *const lists[] = {"k=6", "k=6 clip=1.5", "k=6 clip=none"};
  sample s = sample_new(N, D, 24);
  double deviation[D] = {0}; /* without the wild ones, around 0 */
  for (size_t i = 0; i < N * D; i++) deviation[i % D] += s.x[i] * s.x[i] / N;
  for (size_t j = 0; j < D; j++) deviation[j] = sqrt(deviation[j]);
  for (size_t row = 0; row < N; row += 40)
    for (size_t j = 0; j < D; j++) s.x[row * D + j] += (row / 40 + j) % 5 ? 0 : 80; /* wild cells */
  for (size_t r = 0; r < 3; r++) {
    scant_fit *fit = NULL;
    scant_model *m = fitted(lists[r], &s, &fit);
    const scant_frame *frame = &gaussian_of(scant_fit_learner(fit))->fit.frame;
    CHECK((m->low != NULL) == (r < 2) && (m->high != NULL) == (r < 2) && (frame->low != NULL) == (r < 2));
    CHECK(scant_model_low(m) == m->low && scant_model_high(m) == m->high);
    for (size_t j = 0; j < D && m->low; j++) {
      CHECK(m->low[j] == frame->low[j] && m->high[j] == frame->high[j] && m->low[j] < m->high[j]);
      CHECK(m->high[j] - m->low[j] < 1.5 * (r ? 3 : 6) * deviation[j]);
    }
    for (size_t j = 0; j < D; j++) {
      static const uint32_t few[] = {2, 0, 9, 5, 13};
      double inside[2 * D] = {0}, wild[2 * D] = {0}; /* two rows: the second has holes */
      for (size_t i = 0; i < D; i++) inside[i] = wild[i] = s.x[D + i];
      if (m->low) clip_row(m, wild, inside);
      wild[j] = j % 2 ? 1e7 : -1e7;
      if (m->low) inside[j] = j % 2 ? m->high[j] : m->low[j];
      for (size_t i = 0; i < D; i++) {
        inside[D + i] = i == (j + 3) % D ? NAN : inside[i];
        wild[D + i] = i == (j + 3) % D ? NAN : wild[i];
      }
      sample rows[2] = {{2, D, inside, s.y}, {2, D, wild, s.y}};
      scant_prediction p[2][2];
      double plain[2][2], asked[2];
      for (int w = 0; w < 2; w++) {
        scant_source *source = sample_source(&rows[w]);
        CHECK(scant_model_predict_known(m, source, 0.8, p[w], &error) == SCANT_OK);
        CHECK(scant_model_predict_rows(m, source, plain[w], &error) == SCANT_OK);
        CHECK(scant_model_predict(m, rows[w].x) == plain[w][0]);
        asked[w] = ask_query(m, rows[w].x, few, 5);
        scant_source_free(source);
      }
      for (int row = 0; row < 2; row++) {
        CHECK((p[0][row].mean == p[1][row].mean) == (r < 2) && (plain[0][row] == plain[1][row]) == (r < 2));
        if (r < 2) CHECK(p[0][row].low == p[1][row].low && p[0][row].high == p[1][row].high);
      }
      int told = j == 2 || j == 0 || j == 9 || j == 5 || j == 13;
      CHECK((asked[0] == asked[1]) == (r < 2 || !told));
    }
    scant_fit_free(fit);
    scant_model_free(m);
  }
  sample_free(&s);
}

/* What is put where a value is missing is the mean of clipped values, so that a row of holes is predicted as the mean
 * target; one wild value of training moved it far. */
TEST(means_are_of_clipped_values) {
  for (int clip = 0; clip < 2; clip++) {
    sample s = sample_new(N, D, 26);
    for (size_t row = 0; row < N; row += 40)
      for (size_t j = 0; j < D; j++) s.x[row * D + j] += (row / 40 + j) % 5 ? 0 : 1e4;
    scant_model *m = fitted(clip ? "k=6" : "k=6 clip=none", &s, NULL);
    const scant_gaussian *g = m->gaussian;
    if (!CHECK(g && g->count == D)) return;
    double x[D];
    for (size_t j = 0; j < D; j++) {
      CHECK(g->attributes[j] == j && m->means[j] == g->mean[j]);
      if (clip) CHECK(m->low[j] < m->means[j] && m->means[j] < m->high[j]);
      x[j] = NAN;
    }
    CHECK_NEAR(scant_model_predict(m, x), g->mean[D], 1e-9 * (1 + fabs(g->mean[D])));
    for (size_t j = 0; j < D; j++) {
      double hole[D], filled[D];
      for (size_t i = 0; i < D; i++) hole[i] = filled[i] = s.x[D + i];
      hole[j] = NAN;
      filled[j] = g->mean[j];
      CHECK(scant_model_predict(m, hole) == scant_model_predict(m, filled));
    }
    scant_model_free(m);
    sample_free(&s);
  }
}

/* Cells that were not bought are never read: as long as they are garbage, the file is the same. */
TEST(cells_that_were_not_bought_do_not_matter) {
  static const double garbage[] = {NAN, INFINITY, -INFINITY, 1e308, -77, 0};
  static const char *const lists[] = {"k=4 shuffle=no", "k=4 clip=none shuffle=no"};
  for (size_t r = 0; r < 2; r++) {
    sample s = sample_new(120, D, 25), poisoned = sample_new(120, D, 25);
    scant_learner *l = open_learner(lists[r], D);
    scant_look *look = look_for(l);
    for (size_t row = 0; row < 120; row++) {
      for (size_t j = 0; j < D; j++) poisoned.x[row * D + j] = garbage[(row + j) % 6];
      CHECK(learn_row(l, look, &s, row) == SCANT_OK);
      for (uint32_t i = 0; i < look->count; i++)
        poisoned.x[row * D + look->attributes[i]] = s.x[row * D + look->attributes[i]];
    }
    scant_look_free(look);
    scant_learner_free(l);
    char *texts[2];
    size_t lengths[2];
    for (int i = 0; i < 2; i++) {
      scant_model *m = fitted(lists[r], i ? &poisoned : &s, NULL);
      CHECK(scant_model_write(m, &texts[i], &lengths[i], &error) == SCANT_OK);
      scant_model_free(m);
    }
    CHECK(lengths[0] == lengths[1] && !memcmp(texts[0], texts[1], lengths[0]));
    for (int i = 0; i < 2; i++) scant_text_free(texts[i]);
    sample_free(&s);
    sample_free(&poisoned);
  }
}

/* The penalty for a few attributes and the factor are part of the variances, and of
 * nothing else; the penalty for all is no part of it. */
TEST(the_model_keeps_the_distribution_of_the_fit) {
  sample s = sample_new(N, D, 19);
  scant_learner *l = learned("k=6", &s, 60);
  scant_gaussian_fit *f = &gaussian_of(l)->fit;
  scant_gaussian *g = NULL;
  f->choice.penalty = 0.3;
  f->choice.few_excess = 0.4;
  CHECK(gaussian_kept(l, &g, &error) == SCANT_OK);
  if (!CHECK(g && g->count == D && f->normal.n == D + 1)) return;
  for (size_t i = 0; i <= D; i++) {
    CHECK_NEAR(g->mean[i], f->frame.center[i] + f->frame.unit[i] * f->normal.mean[i], 1e-12);
    for (size_t j = 0; j <= D; j++) {
      double c = f->normal.covariance[i * (D + 1) + j] * f->frame.unit[i] * f->frame.unit[j];
      if (i == j && i < D) c *= f->frame.factor[i] + 0.001;
      CHECK_NEAR(scant_gaussian_covariance(g, i, j), c, 1e-10);
    }
  }
  CHECK(g->excess == 0.4);
  scant_gaussian_free(g);
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
  const scant_answers *looks = &gaussian_of(l)->looks;
  scant_gaussian *g = NULL;
  CHECK(gaussian_kept(l, &g, &error) == SCANT_OK);
  if (!CHECK(g && g->count == FEW - 1 && g->quantile_count > 0)) return;
  CHECK(gaussian_of(l)->fit.frame.variables == FEW + 1);
  double r[ROWS], squares = 0, left = 0;
  for (size_t e = 0; e < ROWS; e++) {
    double x[FEW] = {0}, mean, variance;
    unsigned known = 0;
    for (size_t i = looks->first[e]; i < looks->first[e + 1]; i++) {
      uint32_t j = looks->attribute[i];
      x[j] = scant_frame_clip(&gaussian_of(l)->fit.frame, j, looks->value[i]);
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
  scant_gaussian_free(g);
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
  RUN(the_model_predicts_from_what_is_known);
  RUN(limits_hold_in_every_prediction);
  RUN(means_are_of_clipped_values);
  RUN(cells_that_were_not_bought_do_not_matter);
  RUN(the_model_keeps_the_distribution_of_the_fit);
  RUN(quantiles_are_those_of_the_residuals);
  RUN(targets_of_two_values_are_known_as_such);
  RUN(two_values_must_be_many_or_declared);
  RUN(the_meter_counts_what_is_there);
  files_end();
  return check_done();
}
