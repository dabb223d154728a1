/* The test of the tests: estimators that are wrong on purpose, each by a slip
 * that is easy to make, must be caught by the enumeration that the right ones
 * pass. */
#include "problem.h"

static const double W[4] = {0.5, -0.25, 0.3, 0.125}, X[4] = {0.5, -0.3, 0.2, 0.7};

/* the right one, as a control */
static double right(const scant_learner *l, const scant_look *look, const double *x, double y) {
  (void)l;
  return scant_estimate_residual(look, x, y);
}

/* the residual from the looks that also make x~: dependent, hence biased */
static double shared_looks(const scant_learner *l, const scant_look *look, const double *x, double y) {
  (void)l;
  double s = 0, spread[PROBLEM_MOST];
  scant_estimate_spread(look, x, spread);
  for (uint32_t i = 0; i < look->count; i++) s += look->weight[i] * spread[i];
  return s - y;
}

/* the square of the norm forgotten: x_j/w_j - y */
static double forgotten_norm(const scant_learner *l, const scant_look *look, const double *x, double y) {
  (void)l;
  for (uint32_t i = 0; i < look->count; i++)
    if (look->residual_draws[i]) return x[i] / look->weight[i] - y;
  return -y;
}

/* the 1-norm's sign forgotten */
static double forgotten_sign(const scant_learner *l, const scant_look *look, const double *x, double y) {
  (void)l;
  for (uint32_t i = 0; i < look->count; i++)
    if (look->residual_draws[i]) return fabs(scant_residual_factor(look, i)) * x[i] - y;
  return -y;
}

/* clipping before the expectation is taken */
static double clipped(const scant_learner *l, const scant_look *look, const double *x, double y) {
  return scant_clip(right(l, look, x, y), 0.5);
}

/* not a number at all */
static double not_a_number(const scant_learner *l, const scant_look *look, const double *x, double y) {
  return right(l, look, x, y) * NAN;
}

static int is_caught(const char *algorithm, estimator wrong) {
  problem p;
  problem_open(&p, algorithm, "k=3", 4, W, X, 0.4);
  moments m = problem_enumerate(&p, wrong);
  double bias = problem_bias(&p, &m, dot(p.w, p.x, 4) - p.y);
  problem_close(&p);
  return !(bias <= 1e-12);
}

TEST(the_right_estimator_passes) {
  CHECK(!is_caught("aerr", right));
  CHECK(!is_caught("aelr", right));
}

TEST(wrong_estimators_are_caught) {
  CHECK(is_caught("aerr", shared_looks));
  CHECK(is_caught("aelr", shared_looks));
  CHECK(is_caught("aerr", forgotten_norm));
  CHECK(is_caught("aelr", forgotten_sign));
  CHECK(is_caught("aerr", clipped));
  CHECK(is_caught("aerr", not_a_number));
}

/* A wrong law is caught too: residual looks drawn by |w| but weighed as if by
 * w^2. */
TEST(a_wrong_law_is_caught) {
  problem p;
  problem_open(&p, "aerr", "k=3", 4, W, X, 0.4);
  scant_iterate_refresh_law(&p.learner->w, 0);
  double factor = 0, w2 = dot(p.w, p.w, 4), sum = 0, expected = dot(p.w, p.x, 4);
  for (size_t j = 0; j < 4; j++) factor += fabs(p.w[j]);
  for (size_t j = 0; j < 4; j++) sum += fabs(p.w[j]) / factor * w2 / p.w[j] * p.x[j];
  CHECK(!(fabs(sum - expected) <= 1e-12));
  /* whereas the estimate that uses the probability really used stays right */
  moments m = problem_enumerate(&p, NULL);
  CHECK_AT_MOST(problem_bias(&p, &m, expected - p.y), 1e-12);
  problem_close(&p);
}

int main(void) {
  RUN(the_right_estimator_passes);
  RUN(wrong_estimators_are_caught);
  RUN(a_wrong_law_is_caught);
  return check_done();
}
