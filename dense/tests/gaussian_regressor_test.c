/* The regressor of the row gaussian, odd data, and what it refuses. */
#include "gaussian/normal.h"
#include "sample.h"
#include "states.h"

/* ---- the regressor -------------------------------------------------------------------- */

static double predict(const sample *s, size_t row, const double *w, double intercept) {
  for (size_t j = 0; j < s->dimension; j++) intercept += w[j] * s->x[row * s->dimension + j];
  return intercept;
}

TEST(units_and_offsets_do_not_matter) {
  sample s = sample_new(N, D, 5), other = sample_new(N, D, 5);
  static const double units[] = {1e3, 1e-4, -2, 1, 1e6}, offsets[] = {7, 0, -3, 1e3, 0};
  double w[2][D], c[2];
  for (size_t row = 0; row < N; row++) {
    for (size_t j = 0; j < D; j++) other.x[row * D + j] = other.x[row * D + j] * units[j % 5] + offsets[j % 5];
    other.y[row] = 1e4 * other.y[row] - 7;
  }
  for (int t = 0; t < 2; t++) {
    scant_learner *l = learned("k=4", t ? &other : &s, 160);
    scant_learner_weights(l, w[t], &c[t]);
    scant_learner_free(l);
  }
  for (size_t row = 0; row < N; row++)
    CHECK_NEAR((predict(&other, row, w[1], c[1]) + 7) / 1e4, predict(&s, row, w[0], c[0]), 1e-6);
  sample_free(&s);
  sample_free(&other);
}

/* The weights are the penalised regressor of the fit, scaled, in the attributes' own units; at the mean of the
 * fit they predict the mean of the target. */
TEST(the_weights_are_those_of_the_fit) {
  static const char *const lists[] = {"k=4", "k=4 clip=none", "observed=yes"};
  sample s = sample_new(N, D, 26);
  for (size_t i = 0; i < N * D; i += 97) s.x[i] *= 20; /* wild values */
  for (size_t r = 0; r < 3; r++) {
    scant_learner *l = learned(lists[r], &s, N);
    const scant_gaussian_fit *f = &gaussian_of(l)->fit;
    double w[D], intercept;
    long double a[D * D], b[D];
    if (!CHECK(f->frame.variables == D + 1 && f->read && (f->frame.low != NULL) == (r != 1))) return;
    CHECK(f->choice.penalty > 0 && f->choice.scale == 1); /* it is far better than the mean */
    for (size_t i = 0; i < D; i++) {
      b[i] = f->normal.covariance[D * (D + 1) + i];
      for (size_t j = 0; j < D; j++) a[i * D + j] = f->normal.covariance[i * (D + 1) + j];
      a[i * D + i] *= (long double)f->frame.factor[i] + f->choice.penalty;
    }
    solve_directly(a, b, D);
    scant_learner_weights(l, w, &intercept);
    double unit = f->frame.unit[D], at_mean = intercept;
    for (size_t j = 0; j < D; j++) {
      CHECK_NEAR(w[j], (double)b[j] * unit / f->frame.unit[j], 1e-9);
      at_mean += w[j] * (f->frame.center[j] + f->frame.unit[j] * f->normal.mean[j]);
    }
    CHECK_NEAR(at_mean, f->frame.center[D] + unit * f->normal.mean[D], 1e-9);
    scant_learner_free(l);
  }
  sample_free(&s);
}

/* One of twenty is the sum of three others and of what is nearly the target. */
static sample identity_new(size_t rows, size_t dimension, uint64_t seed) {
  sample s = sample_new(rows, dimension, seed);
  for (size_t row = 0; row < rows; row++) {
    double *x = s.x + row * dimension, rest = random_normal(&seed);
    for (size_t j = 0; j < dimension; j++) x[j] = random_normal(&seed) + (j > 3 ? x[(j - 1) % 3 + 1] : 0);
    x[0] = x[1] + x[2] + x[3] + rest;
    s.y[row] = rest + 0.05 * random_normal(&seed);
  }
  return s;
}

/* The share of the targets' variance that is explained in the rows from `first` on. */
static double share_of(const scant_learner *l, const sample *s, size_t first) {
  double w[64], intercept, errors = 0, variance = 0;
  scant_learner_weights(l, w, &intercept);
  for (size_t row = first; row < s->rows; row++) {
    errors += pow(predict(s, row, w, intercept) - s->y[row], 2);
    variance += s->y[row] * s->y[row];
  }
  return 1 - errors / variance;
}

/* Only a light prior leaves that much of the relation: of the same looks, one of 20 examples makes much less. */
TEST(an_identity_among_four_is_learned) {
  enum { ROWS = 2000, WIDE = 20, TESTED = 300, SEEDS = 4 };
  double mine = 0, heavy = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    char list[32];
    snprintf(list, sizeof list, "k=6 seed=%d", (int)seed);
    sample s = identity_new(ROWS + TESTED, WIDE, 27 + seed);
    scant_learner *l = learned(list, &s, ROWS);
    scant_gaussian_fit *f = &gaussian_of(l)->fit;
    printf("# weight %g, penalty %g: %g\n", f->choice.noise, f->choice.penalty, share_of(l, &s, ROWS));
    CHECK(f->choice.noise < 10 && f->choice.scale == 1);
    mine += share_of(l, &s, ROWS) / SEEDS;
    scant_seen seen = {0};
    scant_em_options o = {.steps = 300, .threads = 1, .noise = 20};
    double likelihood, scratch[(WIDE + 1) * (WIDE + 1)];
    scant_normal_reset(&f->normal);
    CHECK(scant_seen_new(&seen, &gaussian_of(l)->looks, &f->frame, 0, 0));
    CHECK(scant_em_run(&seen, &o, &f->normal, &likelihood, NULL, NULL, &error) == SCANT_OK);
    CHECK(scant_regress(&f->normal, f->frame.factor, NULL, f->choice.penalty, f->w, scratch));
    heavy += share_of(l, &s, ROWS) / SEEDS;
    scant_seen_free(&seen);
    scant_learner_free(l);
    sample_free(&s);
  }
  printf("# R2 %g, with a heavy prior %g\n", mine, heavy);
  CHECK(mine > 0.88 && heavy < 0.82);
}

static double error_of(const char *list, const sample *s, const sample *test) {
  double w[64], intercept, sum = 0;
  scant_learner *l = learned(list, s, s->rows);
  scant_learner_weights(l, w, &intercept);
  for (size_t row = 0; row < test->rows; row++) {
    double deviation = predict(test, row, w, intercept) - test->y[row];
    sum += deviation * deviation / (double)test->rows;
  }
  scant_learner_free(l);
  return sum;
}

TEST(where_few_causes_are_behind_much_it_beats_auto) {
  sample s = sample_new(500, 40, 6), test = sample_new(500, 40, 7);
  double variance = 0;
  for (size_t row = 0; row < 500; row++) variance += test.y[row] * test.y[row] / 500;
  double mine = 0, others = 0;
  for (int seed = 1; seed <= 6; seed++) { /* looks are random, and auto's results differ much */
    char list[2][40];
    snprintf(list[0], sizeof list[0], "k=4 seed=%d", seed);
    snprintf(list[1], sizeof list[1], "k=4 algorithm=auto seed=%d", seed);
    mine += error_of(list[0], &s, &test) / 6;
    others += error_of(list[1], &s, &test) / 6;
  }
  printf("# %g, auto %g, variance %g\n", mine, others, variance);
  CHECK(mine < 0.75 * others && mine < 0.15 * variance);
  sample_free(&s);
  sample_free(&test);
}

/* A law has a fit of its own, which is never read: before the first finish the regressor is the mean, and asks
 * after one change neither the regressor nor what is known. */
TEST(a_law_is_not_read) {
  sample s = sample_new(N, D, 8);
  scant_learner_facts facts, after;
  double w[D], then[D], intercept, intercept_then, mean = 0;
  scant_learner *l = open_learner("k=6", D);
  scant_look *look = look_for(l);
  uint64_t renew_at = gaussian_of(l)->renew_at;
  teach(l, &s, 0, renew_at + 5);
  CHECK(gaussian_of(l)->renew_at > renew_at && gaussian_of(l)->law_fit.w);
  for (size_t row = 0; row < renew_at + 5; row++) mean += s.y[row] / (double)(renew_at + 5);
  scant_learner_weights(l, w, &intercept);
  scant_learner_get_facts(l, &facts);
  CHECK_NEAR(intercept, mean, 1e-12);
  for (size_t j = 0; j < D; j++) CHECK(w[j] == 0);
  CHECK(isnan(facts.risk) && isnan(facts.risk_error) && isnan(facts.likelihood) && isnan(facts.penalty));
  teach(l, &s, renew_at + 5, gaussian_of(l)->renew_at); /* the next ask renews the law */
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_weights(l, w, &intercept);
  scant_learner_get_facts(l, &facts);
  renew_at = gaussian_of(l)->renew_at;
  CHECK(renew_at == l->told && isfinite(facts.risk) && scant_learner_ask(l, look, &error) == SCANT_OK);
  CHECK(gaussian_of(l)->renew_at > renew_at);
  scant_learner_weights(l, then, &intercept_then);
  scant_learner_get_facts(l, &after);
  CHECK(!memcmp(w, then, sizeof w) && intercept == intercept_then && facts.risk == after.risk);
  CHECK(tell_row(l, look, &s, renew_at) == SCANT_OK);
  scant_learner_weights(l, then, &intercept_then);
  scant_learner_get_facts(l, &after);
  CHECK(!memcmp(w, then, sizeof w) && intercept == intercept_then && isnan(after.risk) && isnan(after.likelihood));
  scant_look_free(look);
  scant_learner_free(l);
  sample_free(&s);
}

/* What it says of itself. */
TEST(facts_are_those_of_the_last_finish) {
  sample s = sample_new(N, D, 8);
  scant_learner_facts facts;
  scant_learner *l = open_learner("k=6", D);
  scant_learner_get_facts(l, &facts);
  CHECK(isnan(facts.risk) && isnan(facts.likelihood) && isnan(facts.penalty));
  teach(l, &s, 0, N);
  CHECK(scant_learner_finish(l, &error) == SCANT_OK);
  scant_learner_get_facts(l, &facts);
  CHECK(facts.told == N && isfinite(facts.likelihood) && facts.likelihood < 0 && facts.penalty > 0);
  CHECK(isfinite(facts.risk) && isfinite(facts.risk_error));
  scant_learner_free(l);
  sample_free(&s);
}

TEST(from_too_few_examples_the_mean_comes_out) {
  sample s = sample_new(20, D, 10);
  for (size_t n = 0; n < 10; n++) {
    scant_learner *l = learned("k=5", &s, n);
    double w[D], intercept, mean = 0;
    scant_learner_weights(l, w, &intercept);
    for (size_t i = 0; i < n; i++) mean += s.y[i] / (double)n;
    for (size_t i = 0; i < D; i++) CHECK(w[i] == 0);
    CHECK_NEAR(intercept, mean, 1e-12);
    scant_learner_free(l);
  }
  for (size_t n = 10; n < 20; n++) {
    scant_learner *l = learned("k=5", &s, n);
    double w[D], intercept;
    scant_learner_weights(l, w, &intercept);
    for (size_t i = 0; i < D; i++) CHECK(isfinite(w[i]) && isfinite(intercept));
    scant_learner_free(l);
  }
  sample_free(&s);
}

/* Columns of every odd kind, and targets. */
TEST(odd_columns_are_no_error) {
  static const char *const lists[] = {"k=5", "k=14", "observed=yes", "k=2"};
  for (size_t r = 0; r < 4; r++)
    for (int kind = 0; kind < 3; kind++) {
      sample s = sample_new(N, D, 11);
      for (size_t row = 0; row < N; row++) {
        double *x = s.x + row * D;
        x[2] = 3e5 + 0.1;                       /* constant */
        x[4] = NAN;                             /* never known */
        x[6] = row == 5 ? 1 : NAN;              /* once */
        x[7] = row == 30 ? 1e9 : 0;             /* a single value */
        x[9] = x[8];                            /* twice the same */
        x[10] = 1e-7 * x[0] - 5;                /* and scaled */
        if (kind == 1) s.y[row] = 7;            /* a target that does not vary */
        if (kind == 2) s.y[row] = x[8] * 3 - 1; /* and one that is an attribute */
      }
      scant_learner *l = learned(lists[r], &s, 150);
      double w[D], intercept;
      scant_learner_weights(l, w, &intercept);
      for (size_t j = 0; j < D; j++) CHECK(isfinite(w[j]));
      CHECK(w[2] == 0 && w[4] == 0 && w[6] == 0 && w[7] == 0 && isfinite(intercept));
      if (kind == 1) CHECK_NEAR(intercept, 7, 1e-6);
      for (size_t j = 0; j < D; j++)
        if (kind == 1) CHECK_NEAR(w[j] * (j == 10 ? 1e-7 : 1), 0, 1e-9);
      double errors = 0, variance = 0;
      for (size_t row = 150; row < N && kind == 2 && r < 3; row++) {
        double x = s.x[row * D + 8], mean = intercept;
        for (size_t j = 0; j < D; j++)
          if (w[j] != 0) mean += w[j] * s.x[row * D + j];
        errors += (mean - s.y[row]) * (mean - s.y[row]);
        variance += 9 * x * x;
      }
      CHECK_AT_MOST(errors, 0.2 * variance);
      scant_learner_free(l);
      sample_free(&s);
    }
}

TEST(one_and_two_attributes_are_enough) {
  for (size_t d = 1; d <= 2; d++) {
    sample s = sample_new(200, d, 13);
    for (size_t row = 0; row < 200; row++) s.y[row] = 2 * s.x[row * d] + 1;
    static const char *const lists[] = {"observed=yes", "k=2"}; /* K is at least 2 */
    for (size_t r = 0; r < d; r++) {
      scant_learner *l = learned(lists[r], &s, 200);
      double w[2], intercept;
      scant_learner_weights(l, w, &intercept);
      CHECK_NEAR(w[0], 2, 0.5);
      CHECK_NEAR(intercept, 1, 0.3);
      scant_learner_free(l);
    }
    sample_free(&s);
  }
}

/* With every value known, and many of them, it is nearly least squares. */
TEST(with_every_value_it_is_nearly_least_squares) {
  sample s = sample_new(3000, 5, 14);
  long double a[36] = {0}, b[6] = {0};
  for (size_t row = 0; row < s.rows; row++) {
    double x[6] = {1};
    memcpy(x + 1, s.x + row * 5, 5 * sizeof *x);
    for (size_t i = 0; i < 6; i++) {
      b[i] += x[i] * s.y[row];
      for (size_t j = 0; j < 6; j++) a[i * 6 + j] += x[i] * x[j];
    }
  }
  solve_directly(a, b, 6);
  double w[5], intercept;
  scant_learner *l = learned("observed=yes", &s, s.rows);
  scant_learner_weights(l, w, &intercept);
  for (size_t j = 0; j < 5; j++) CHECK_NEAR(w[j], (double)b[j + 1], 0.1);
  CHECK_NEAR(intercept, (double)b[0], 0.05);
  scant_learner_free(l);
  sample_free(&s);
}

/* ---- refusals ---------------------------------------------------------------------------- */

TEST(what_cannot_be_is_refused) {
  check_engine_refusals(gaussian, D);
  refused(gaussian("k=15"), D, SCANT_DATA, "15");
  refused(gaussian("k=5"), 31000, SCANT_DATA, "GiB");
  refused(gaussian("k=5 memory=0.000001"), D, SCANT_DATA, "gaussian needs");
  refused(gaussian("k=5 penalty=0.1"), D, SCANT_USAGE, "penalty");
}

int main(void) {
  RUN(units_and_offsets_do_not_matter);
  RUN(the_weights_are_those_of_the_fit);
  RUN(an_identity_among_four_is_learned);
  RUN(where_few_causes_are_behind_much_it_beats_auto);
  RUN(a_law_is_not_read);
  RUN(facts_are_those_of_the_last_finish);
  RUN(from_too_few_examples_the_mean_comes_out);
  RUN(odd_columns_are_no_error);
  RUN(one_and_two_attributes_are_enough);
  RUN(with_every_value_it_is_nearly_least_squares);
  RUN(what_cannot_be_is_refused);
  return check_done();
}
