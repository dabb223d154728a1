/* Every outcome enumerated: the gradients are unbiased and have the second
 * moments of the (corrected) lemmas. */
#include "losses.h"
#include "problem.h"

static const double W[][6] = {
    {0.5, -0.25, 0, 0.125, 0.75, -0.3}, {0, 0, 0, 0, 0, 0}, {0.6, 0, 0, 0, 0, 0}, {1e-9, 0.3, -1e-7, 0.2, 0, 0.4}};
static const double X[][6] = {{0.5, -0.3, 0.2, 0.7, -0.1, 0.05}, {1, 0, -1, 0, 0.5, 0}};
#define EACH_CASE(d)                  \
  for (size_t d = 2; d <= 6; d++)     \
    for (size_t iw = 0; iw < 4; iw++) \
      for (size_t ix = 0; ix < 2; ix++)

#define TIGHT 1e-12

/* The residual is linear: AERR, AELR and AER with every unprinted choice. */
static void check_squared(const char *algorithm, const char *settings, size_t d, const double *w, const double *x,
                          double y) {
  problem p;
  problem_open(&p, algorithm, settings, d, w, x, y);
  moments m = problem_enumerate(&p, NULL);
  double s = dot(p.w, p.x, d);
  if (!CHECK_AT_MOST(problem_bias(&p, &m, s - y), TIGHT)) printf("# %s %s d=%zu\n", algorithm, settings, d);
  CHECK_NEAR(m.phi, s - y, TIGHT);
  CHECK_NEAR(m.risk, (s - y) * (s - y), TIGHT); /* the free risk, from the same looks */
  CHECK(m.most_distinct <= p.learner->settings.learning.k);

  /* E[x~_i^2] = (d+k-1)/k x_i^2 (eq. varx corrected), d/k without replacement */
  double k = p.learner->looks.k_gradient, factor = ((double)d + k - 1) / k;
  if (!p.learner->settings.learning.replacement) factor = (double)d / k;
  double w2 = dot(p.w, p.w, d), w1 = 0, second = 0;
  for (size_t i = 0; i < d; i++) w1 += fabs(p.w[i]);
  /* E of one residual draw squared: ||w||_2^2 sum_{w_j != 0} x_j^2, or
   * ||w||_1 sum |w_j| x_j^2 */
  for (size_t i = 0; i < d; i++) {
    if (p.learner->update->norm == SCANT_NORM_1)
      second += w1 * fabs(p.w[i]) * p.x[i] * p.x[i];
    else if (p.w[i] != 0)
      second += w2 * p.x[i] * p.x[i];
  }
  double looks = p.learner->looks.k_residual, phi2 = (second - s * s) / looks + (s - y) * (s - y);
  CHECK_NEAR(m.phi2, phi2, TIGHT);
  for (size_t i = 0; i < d; i++) {
    CHECK_NEAR(m.x2[i], factor * p.x[i] * p.x[i], TIGHT);
    CHECK_NEAR(m.g2[i], phi2 * factor * p.x[i] * p.x[i], TIGHT); /* phi~ and x~ are independent */
  }
  problem_close(&p);
}

TEST(aerr_is_unbiased) {
  EACH_CASE(d) {
    check_squared("aerr", "k=2", d, W[iw], X[ix], 0.4);
    if (d >= 3) check_squared("aerr", "k=3", d, W[iw], X[ix], -1);
  }
}

TEST(aelr_is_unbiased_before_clipping) {
  EACH_CASE(d) {
    check_squared("aelr", "k=2 radius=2", d, W[iw], X[ix], 0.4);
    if (d >= 3) check_squared("aelr", "k=3", d, W[iw], X[ix], -1);
  }
}

TEST(aer_is_unbiased) {
  EACH_CASE(d) check_squared("aer", "k=2", d, W[iw], X[ix], 0.4);
  check_squared("aer", "k=4", 4, W[0], X[0], 0.4);
  check_squared("aer", "k=4", 5, W[0], X[1], 0.4);
}

TEST(unprinted_choices_are_unbiased) {
  EACH_CASE(d) {
    if (d < 3) continue;
    check_squared("aerr", "k=3 residual-looks=2", d, W[iw], X[ix], 0.4);
    check_squared("aelr", "k=3 residual-looks=2", d, W[iw], X[ix], 0.4);
    check_squared("aerr", "k=3 replacement=no", d, W[iw], X[ix], 0.4);
    check_squared("aelr", "k=3 replacement=no x-bound=4", d, W[iw], X[ix], 0.4);
  }
}

/* Any law that is positive where it must be: gradient and residual are drawn by
 * moments of the data. */
TEST(data_dependent_looks_are_unbiased) {
  static const double moments_of[6] = {0.5, 0.1, 1, 0.02, 0.3, 0.7};
  for (size_t d = 3; d <= 5; d++) {
    for (size_t i = 0; i < 8; i++) {
      problem p;
      problem_open(&p, i % 2 ? "ddaerr" : "ddaelr", "k=3", d, W[i / 2], X[i % 2], 0.4);
      memcpy(scant_sumtree_leaves(&p.learner->looks.data.explore), moments_of, d * sizeof *moments_of);
      scant_sumtree_rebuild(&p.learner->looks.data.explore);
      p.learner->looks.data.rescaled++; /* as if all shapes had changed: the law is made anew */
      p.learner->looks.kind->follow(&p.learner->looks, &(scant_look){0}, 900);
      scant_learner_take_eta(p.learner);
      /* residual looks by |w| sqrt(E x^2) */
      for (size_t j = 0; j < d; j++)
        CHECK_NEAR(scant_sumtree_leaf(&p.learner->looks.data.follow, j),
                   fabs(p.learner->w.at[j].shape) * (i % 2 ? moments_of[j] : sqrt(moments_of[j])), TIGHT);
      moments m = problem_enumerate(&p, NULL);
      CHECK_AT_MOST(problem_bias(&p, &m, dot(p.w, p.x, d) - p.y), TIGHT);
      CHECK_NEAR(m.phi, dot(p.w, p.x, d) - p.y, TIGHT);
      CHECK_NEAR(m.risk, (dot(p.w, p.x, d) - p.y) * (dot(p.w, p.x, d) - p.y), TIGHT);
      CHECK(m.most_distinct <= 3);
      double H = 0;
      for (size_t j = 0; j < d; j++) H += moments_of[j];
      double k = 2, rest = 900, ridge = 1 / sqrt(rest * (H * H / k + 1));
      double lasso = 0.5 * sqrt(log(2 * (double)d) / (5 * rest * (H / k + 1)));
      CHECK_NEAR(p.learner->eta, i % 2 ? ridge : lasso, TIGHT);
      problem_close(&p);
    }
  }
}

/* With centring the estimate is of the gradient at x - mean, y - mean. */
TEST(centring_is_unbiased) {
  for (size_t d = 3; d <= 6; d++) {
    problem p;
    problem_open(&p, "aerr", "k=3 center=yes", d, W[0], X[0], 0.4);
    double raw[6], centred[6];
    for (size_t i = 0; i < d; i++) {
      p.learner->moments[i] = (scant_moments){.count = i == 1 ? 0 : 3, .mean = 0.1 * (double)i - 0.2};
      raw[i] = p.x[i];
      /* an attribute without a mean yet takes no part */
      centred[i] = i == 1 ? 0 : raw[i] - p.learner->moments[i].mean;
    }
    moments m = problem_enumerate(&p, NULL);
    memcpy(p.x, centred, sizeof centred);
    CHECK_AT_MOST(problem_bias(&p, &m, dot(p.w, centred, d) - p.y), TIGHT);
    problem_close(&p);
  }
}

static const char *const losses[] = {"squared", "insensitive tube=0.2", "absolute", "hinge"};

TEST(coinflip_is_unbiased) {
  EACH_CASE(d) {
    for (int loss = 0; loss < 4; loss++) {
      for (int norm = 1; norm <= 2; norm++) {
        char settings[96];
        snprintf(settings, sizeof settings, "k=2 norm=%d loss=%s", norm, losses[loss]);
        problem p;
        problem_open(&p, "coinflip", settings, d, W[iw], X[ix], 1);
        moments m = problem_enumerate(&p, NULL);
        double derivative = scant_loss_derivative(&p.learner->loss, dot(p.w, p.x, d), 1);
        CHECK_AT_MOST(problem_bias(&p, &m, derivative), TIGHT);
        CHECK_NEAR(m.distinct, 2, TIGHT);
        for (size_t i = 0; i < d; i++)
          CHECK_NEAR(m.g2[i], derivative * derivative * p.x[i] * p.x[i] * (double)d / 2, TIGHT);
        problem_close(&p);
      }
    }
  }
}

/* Full information: one outcome, the gradient itself. */
TEST(whole_looks_are_exact) {
  EACH_CASE(d) {
    static const char *const rows[] = {"online-ridge", "online-lasso"};
    for (int r = 0; r < 2; r++) {
      problem p;
      problem_open(&p, rows[r], "", d, W[iw], X[ix], 0.4);
      moments m = problem_enumerate(&p, NULL);
      double derivative = dot(p.w, p.x, d) - 0.4;
      CHECK_AT_MOST(problem_bias(&p, &m, derivative), TIGHT);
      CHECK(m.most_distinct == d && m.distinct == (double)d);
      for (size_t i = 0; i < d; i++) CHECK_NEAR(m.g2[i], derivative * derivative * p.x[i] * p.x[i], TIGHT);
      problem_close(&p);
    }
  }
}

/* ---- GenEst ------------------------------------------------------------ */

static double polynomial(const scant_series *series, double u) {
  double sum = 0;
  for (size_t n = series->count; n-- > 0;) sum = sum * u + series->a[n];
  return sum;
}

/* The loss's f' with erf replaced by a polynomial h. */
static double polynomial_derivative(const scant_learner *l, double s, double y) {
  scant_loss_parts parts;
  scant_loss_split(&l->loss, y, &parts);
  double sum = 0;
  for (unsigned c = 0; c < parts.calls; c++) sum += polynomial(&l->looks.series, parts.slope * s - parts.shift[c]);
  return parts.constant + parts.weight * sum;
}

/* E[phi~^2] from the formula sum_n a_n^2/p_n (s^2 + V/N_n)^n of each call. */
static double genest_phi2(const problem *p) {
  const scant_learner *l = p->learner;
  scant_loss_parts parts;
  scant_loss_split(&l->loss, p->y, &parts);
  double s = dot(p->w, p->x, p->d), second = 0, w2 = dot(p->w, p->w, p->d), w1 = 0;
  for (size_t i = 0; i < p->d; i++) w1 += fabs(p->w[i]);
  for (size_t i = 0; i < p->d; i++) {
    if (p->w[i] == 0) continue;
    second += (l->update->norm == SCANT_NORM_1 ? w1 * fabs(p->w[i]) : w2) * p->x[i] * p->x[i];
  }
  double mean[2], square[2], v = (second - s * s) * parts.slope * parts.slope;
  for (unsigned c = 0; c < parts.calls; c++) {
    double u = parts.slope * s - parts.shift[c];
    mean[c] = polynomial(&l->looks.series, u);
    square[c] = genest_second_moment(&l->looks.series, l->looks.group, u, v);
  }
  double sum = parts.calls == 2 ? square[0] + square[1] + 2 * mean[0] * mean[1] : square[0];
  double first = parts.calls == 2 ? mean[0] + mean[1] : mean[0];
  return parts.constant * parts.constant + 2 * parts.constant * parts.weight * first +
         parts.weight * parts.weight * sum;
}

static void check_genest(const char *settings, size_t d, scant_series series, uint32_t group, double y) {
  problem p;
  problem_open(&p, "aesvr", settings, d, W[0], X[0], y);
  p.learner->looks.series = series;
  p.learner->looks.group = group;
  p.learner->looks.k_gradient = 1;
  moments m = problem_enumerate(&p, NULL);
  double derivative = polynomial_derivative(p.learner, dot(p.w, p.x, d), y);
  if (!CHECK_AT_MOST(problem_bias(&p, &m, derivative), TIGHT)) printf("# genest %s\n", settings);
  double phi2 = genest_phi2(&p);
  CHECK_NEAR(m.phi2, phi2, 1e-12 * fmax(1, phi2));
  double calls = scant_loss_calls(p.learner->loss.loss);
  CHECK_NEAR(m.draws, 1 + calls * scant_genest_expected_draws(&series, group), 1e-12 * m.draws);
  problem_close(&p);
}

TEST(genest_is_unbiased_for_polynomials) {
  scant_series line = {.count = 2, .a = {0.3, -1.5}};
  scant_series odd = {.count = 4, .a = {0, 1, 0, -0.25}};
  scant_series square = {.count = 3, .a = {0.5, 0, 2}};
  for (int norm = 1; norm <= 2; norm++) {
    char settings[64];
    snprintf(settings, sizeof settings, "k=2 loss=squared norm=%d", norm);
    check_genest(settings, 2, odd, 2, 0.4); /* 2 log2 2 = 2 < 3: groups of 2 draws */
    check_genest(settings, 3, odd, 100, 0.4);
    check_genest(settings, 4, square, 100, -0.7);
    check_genest(settings, 6, line, 100, 1);
  }
}

/* The shapes of the other losses around h: two calls, hinge's constant. */
TEST(genest_is_unbiased_in_every_loss) {
  scant_series line = {.count = 2, .a = {0.3, -1.5}}, square = {.count = 3, .a = {0.5, 0, 2}};
  for (int loss = 1; loss < 4; loss++) {
    char settings[96];
    problem p;
    /* large enough K for the erf series; the series is then replaced */
    snprintf(settings, sizeof settings, "k=8 smoothing=2 loss=%s", losses[loss]);
    double w[PROBLEM_MOST] = {0.5, -0.3, 0.2}, x[PROBLEM_MOST] = {0.4, 0.8, -0.5};
    for (int which = 0; which < 2; which++) {
      problem_open(&p, "aesvr", settings, 8, w, x, 1);
      p.learner->looks.series = which ? square : line;
      p.learner->looks.group = 100;
      p.learner->looks.k_gradient = 1;
      moments m = problem_enumerate(&p, NULL);
      CHECK_AT_MOST(problem_bias(&p, &m, polynomial_derivative(p.learner, dot(p.w, p.x, 8), 1)), TIGHT);
      double phi2 = genest_phi2(&p);
      CHECK_NEAR(m.phi2, phi2, 1e-12 * fmax(1, phi2));
      problem_close(&p);
    }
  }
}

/* With squared loss GenEst is AERR's residual: same mean, same second moment. */
TEST(genest_with_squared_loss_agrees_with_aerr) {
  EACH_CASE(d) {
    if (d < 3) continue;
    problem a, b;
    problem_open(&a, "aerr", "k=3", d, W[iw], X[ix], 0.4);
    problem_open(&b, "aesvr", "k=3 loss=squared", d, W[iw], X[ix], 0.4);
    CHECK(a.learner->looks.k_gradient == b.learner->looks.k_gradient);
    moments ma = problem_enumerate(&a, NULL), mb = problem_enumerate(&b, NULL);
    for (size_t i = 0; i < d; i++) {
      CHECK_NEAR(ma.g[i], mb.g[i], TIGHT);
      CHECK_NEAR(ma.g2[i], mb.g2[i], TIGHT);
    }
    problem_close(&a);
    problem_close(&b);
  }
}

/* A look told after w has moved estimates the gradient at the w that asked. */
TEST(stale_looks_keep_the_w_that_asked) {
  problem p;
  problem_open(&p, "aerr", "k=2 max-open=2", 4, W[0], X[0], 0.4);
  scant_error error;
  double expected = dot(p.w, p.x, 4) - p.y, sum = 0;
  enumeration e;
  enumerate_start(&e, p.learner);
  do {
    double x[PROBLEM_MOST];
    problem_set_weights(&p, W[0]);
    enumerate_begin_run(&e);
    CHECK(scant_learner_ask(p.learner, p.look, &error) == SCANT_OK);
    problem_set_weights(&p, W[3]); /* w moves on */
    for (uint32_t i = 0; i < p.look->count; i++) x[i] = p.x[p.look->attributes[i]];
    sum += e.probability * scant_estimate_residual(p.look, x, p.y);
    scant_learner_cancel(p.learner, p.look, &error);
  } while (enumerate_next(&e));
  enumerate_stop(p.learner);
  CHECK_NEAR(sum, expected, TIGHT);
  problem_close(&p);
}

/* So does the target: it is less the mean of asking, whatever was told since. */
TEST(stale_looks_keep_the_mean_of_asking) {
  problem p;
  problem_open(&p, "aerr", "k=2 max-open=2 center=yes", 4, W[0], X[0], 0.4);
  scant_error error;
  double values[4] = {0.1, 0.2, 0.3, 0.4}, unit;
  scant_look *stale;
  CHECK(scant_look_new(&stale, p.learner, &error) == SCANT_OK);
  for (int t = 0; t < 4; t++) {
    CHECK(scant_learner_ask(p.learner, t == 2 ? stale : p.look, &error) == SCANT_OK);
    if (t != 2)
      CHECK(scant_learner_tell(p.learner, p.look, p.look->count, NULL, values, 3 + 5 * t, &error) == SCANT_OK);
  }
  CHECK_NEAR(scant_learner_target(p.learner, stale, 1, &unit), 1 - (3 + 8) / 2.0, TIGHT);
  scant_look_free(stale);
  problem_close(&p);
}

int main(void) {
  RUN(aerr_is_unbiased);
  RUN(aelr_is_unbiased_before_clipping);
  RUN(aer_is_unbiased);
  RUN(unprinted_choices_are_unbiased);
  RUN(data_dependent_looks_are_unbiased);
  RUN(centring_is_unbiased);
  RUN(coinflip_is_unbiased);
  RUN(whole_looks_are_exact);
  RUN(genest_is_unbiased_for_polynomials);
  RUN(genest_is_unbiased_in_every_loss);
  RUN(genest_with_squared_loss_agrees_with_aerr);
  RUN(stale_looks_keep_the_w_that_asked);
  RUN(stale_looks_keep_the_mean_of_asking);
  return check_done();
}
