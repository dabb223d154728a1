/* Worlds: the error of weights is exact, and the examples have the moments that it supposes. */
#include "gaussians.h"
#include "plan/plan.h"

enum { D = 6, ROWS = 200000 };

static scant_world *some_world(uint64_t seed, double strength) {
  scant_model *m = gaussian_model(D, seed, "algorithm=gaussian k=3");
  scant_gaussian *g = m->gaussian;
  scant_world *w = NULL;
  int explains = 0;
  CHECK(scant_world_new(&w, D, g, g->covariance + g->count * (g->count + 1) / 2, strength, 2.5, 3, &explains, NULL) ==
        SCANT_OK);
  CHECK(explains && w->dimension == D);
  scant_model_free(m);
  return w;
}

static double factor_at(const scant_world *w, size_t i, size_t j) {
  return j <= i ? w->factor[i * (i + 1) / 2 + j] : 0;
}

static double covariance_of(const scant_world *w, size_t i, size_t j) {
  double sum = 0;
  for (size_t k = 0; k < D; k++) sum += factor_at(w, i, k) * factor_at(w, j, k);
  return sum;
}

static double cross_of(const scant_world *w, size_t i) {
  double sum = 0;
  for (size_t k = 0; k < D; k++) sum += factor_at(w, i, k) * w->along[k];
  return sum;
}

/* ---- the world is the Gaussian ----------------------------------------------------------- */

TEST(covariances_are_those_of_the_gaussian) {
  for (uint64_t seed = 1; seed < 20; seed++) {
    scant_model *m = gaussian_model(D, seed, "algorithm=gaussian k=3");
    const scant_gaussian *g = m->gaussian;
    scant_world *w = some_world(seed, 0.6);
    double by = cross_of(w, 0) / scant_gaussian_covariance(g, 0, g->count);
    for (size_t i = 0; i < g->count; i++) {
      double unit = sqrt(scant_gaussian_covariance(g, i, i));
      CHECK_NEAR(w->mean[g->attributes[i]], g->mean[i], 0);
      CHECK_NEAR(cross_of(w, g->attributes[i]) / unit, by * scant_gaussian_covariance(g, i, g->count) / unit, 1e-9);
      for (size_t j = 0; j <= i; j++)
        CHECK_NEAR(
            covariance_of(w, g->attributes[i], g->attributes[j]) / unit / sqrt(scant_gaussian_covariance(g, j, j)),
            scant_gaussian_covariance(g, i, j) / unit / sqrt(scant_gaussian_covariance(g, j, j)), 1e-12);
    }
    for (size_t j = 0; j < D; j++) CHECK_NEAR(covariance_of(w, 1, j), j == 1, 0); /* it knows nothing of attribute 1 */
    CHECK_NEAR(cross_of(w, 1), 0, 0);
    scant_world_free(w);
    scant_model_free(m);
  }
}

/* The best weights solve S w = c; they leave 1 - strength of the variance. */
TEST(the_strength_is_what_the_best_weights_explain) {
  static const double strengths[] = {0.05, 0.5, 0.98};
  for (size_t s = 0; s < 3; s++)
    for (uint64_t seed = 1; seed < 10; seed++) {
      scant_world *w = some_world(seed, strengths[s]);
      long double a[D * D], b[D];
      double best[D], intercept = w->target_mean, scratch[D];
      for (size_t i = 0; i < D; i++) {
        b[i] = cross_of(w, i);
        for (size_t j = 0; j < D; j++) a[i * D + j] = covariance_of(w, i, j);
      }
      solve_directly(a, b, D);
      for (size_t i = 0; i < D; i++) {
        best[i] = (double)b[i];
        intercept -= best[i] * w->mean[i];
      }
      CHECK_NEAR(scant_world_error(w, best, intercept, scratch), 3 * (1 - strengths[s]), 1e-7);
      scant_world_free(w);
    }
}

TEST(a_gaussian_without_a_relation_explains_nothing) {
  scant_model *m = gaussian_model(D, 3, "algorithm=gaussian k=3");
  double none[D] = {0};
  scant_world *w = NULL;
  int explains = 1;
  CHECK(scant_world_new(&w, D, m->gaussian, none, 0.5, 1, 2, &explains, NULL) == SCANT_OK && !explains);
  CHECK_NEAR(w->left * w->left, 2, 1e-15);
  CHECK_NEAR(scant_world_strength(m->gaussian, none), 0, 0);
  scant_world_free(w);
  scant_model_free(m);
}

/* ---- errors --------------------------------------------------------------------------------- */

static void some_weights(const scant_world *w, uint64_t seed, double *weights, double *intercept) {
  for (size_t i = 0; i < D; i++) weights[i] = random_real(&seed) / sqrt(covariance_of(w, i, i));
  *intercept = 3 * random_real(&seed);
}

/* The error depends on means and covariances alone, which are the same if every normal is +1 or -1.  So the mean over
 * all 2^(D + 1) signs is the error. */
TEST(the_error_is_that_of_every_outcome) {
  for (uint64_t seed = 1; seed < 30; seed++) {
    scant_world *w = some_world(seed, 0.4);
    double weights[D], intercept, scratch[D], sum = 0;
    some_weights(w, seed, weights, &intercept);
    for (unsigned signs = 0; signs < 2u << D; signs++) {
      double y = w->target_mean, guess = intercept;
      for (size_t k = 0; k <= D; k++) y += (signs >> k & 1 ? 1 : -1) * (k < D ? w->along[k] : w->left);
      for (size_t i = 0; i < D; i++) {
        double x = w->mean[i];
        for (size_t k = 0; k <= i; k++) x += (signs >> k & 1 ? 1 : -1) * factor_at(w, i, k);
        guess += weights[i] * x;
      }
      sum += (y - guess) * (y - guess);
    }
    double exact = sum / (2 << D);
    CHECK_NEAR(scant_world_error(w, weights, intercept, scratch) / exact, 1, 1e-12);
    scant_world_free(w);
  }
}

/* Five standard errors of a mean. */
static double five(double sum, double squares, double n) {
  double mean = sum / n;
  return 5 * sqrt((squares / n - mean * mean) / n);
}

TEST(the_error_is_that_of_many_examples) {
  scant_world *w = some_world(7, 0.7);
  scant_source *source = NULL;
  void *scratch = NULL;
  double weights[D], intercept, sum = 0, squares = 0, x[D], room[D];
  some_weights(w, 7, weights, &intercept);
  CHECK(scant_world_draw(&source, &scratch, w, ROWS, 5, NULL, NULL) == SCANT_OK);
  for (size_t row = 0; row < ROWS; row++) {
    double off = scant_source_target(source, row) - intercept;
    CHECK(scant_source_row(source, row, x, NULL) == SCANT_OK);
    for (size_t i = 0; i < D; i++) off -= weights[i] * x[i];
    sum += off * off;
    squares += off * off * off * off;
  }
  CHECK_NEAR(sum / ROWS, scant_world_error(w, weights, intercept, room), five(sum, squares, ROWS));
  scant_source_free(source);
  scant_world_end(scratch);
  scant_world_free(w);
}

/* ---- examples -------------------------------------------------------------------------------- */

/* Of value i of an example, the target last, standardised. */
static double value_of(const scant_world *w, const double *x, double y, size_t i) {
  return i < D ? (x[i] - w->mean[i]) / sqrt(covariance_of(w, i, i)) : (y - w->target_mean) / sqrt(w->variance);
}

static double moment_of(const scant_world *w, size_t i, size_t j) {
  if (i == D && j == D) return 1;
  double c = i == D ? cross_of(w, j) / sqrt(w->variance) : covariance_of(w, i, j) / sqrt(covariance_of(w, i, i));
  return c / sqrt(covariance_of(w, j, j));
}

TEST(examples_have_the_means_and_covariances) {
  scant_world *w = some_world(11, 0.5);
  scant_source *source = NULL;
  void *scratch = NULL;
  double x[D], one[D + 1] = {0}, ones[D + 1] = {0}, two[D + 1][D + 1] = {{0}}, twos[D + 1][D + 1] = {{0}};
  CHECK(scant_world_draw(&source, &scratch, w, ROWS, 1, NULL, NULL) == SCANT_OK);
  for (size_t row = 0; row < ROWS; row++) {
    double y = scant_source_target(source, row);
    CHECK(scant_source_row(source, row, x, NULL) == SCANT_OK);
    for (size_t i = 0; i <= D; i++) {
      double a = value_of(w, x, y, i);
      one[i] += a;
      ones[i] += a * a;
      for (size_t j = 0; j <= i; j++) {
        double product = a * value_of(w, x, y, j);
        two[i][j] += product;
        twos[i][j] += product * product;
      }
    }
  }
  for (size_t i = 0; i <= D; i++) {
    CHECK_NEAR(one[i] / ROWS, 0, five(one[i], ones[i], ROWS));
    for (size_t j = 0; j <= i; j++) CHECK_NEAR(two[i][j] / ROWS, moment_of(w, i, j), five(two[i][j], twos[i][j], ROWS));
  }
  scant_source_free(source);
  scant_world_end(scratch);
  scant_world_free(w);
}

/* However many there are, and in whatever order they are read. */
TEST(the_same_seed_draws_the_same_examples) {
  scant_world *w = some_world(2, 0.5);
  scant_source *few = NULL, *many = NULL, *others = NULL;
  void *scratch[3] = {0};
  double a[D], b[D], c[D];
  CHECK(scant_world_draw(&few, &scratch[0], w, 10, 3, NULL, NULL) == SCANT_OK);
  CHECK(scant_world_draw(&many, &scratch[1], w, 50, 3, NULL, NULL) == SCANT_OK);
  CHECK(scant_world_draw(&others, &scratch[2], w, 10, 4, NULL, NULL) == SCANT_OK);
  for (size_t row = 10; row-- > 0;) {
    CHECK(scant_source_row(few, row, a, NULL) == SCANT_OK && scant_source_row(many, row, b, NULL) == SCANT_OK);
    CHECK(scant_source_row(others, row, c, NULL) == SCANT_OK);
    CHECK(!memcmp(a, b, sizeof a) && memcmp(a, c, sizeof a) != 0);
    CHECK(scant_source_target(few, row) == scant_source_target(many, row));
  }
  for (size_t i = 0; i < 3; i++) scant_source_free(i == 0 ? few : i == 1 ? many : others);
  for (size_t i = 0; i < 3; i++) scant_world_end(scratch[i]);
  scant_world_free(w);
}

int main(void) {
  RUN(covariances_are_those_of_the_gaussian);
  RUN(the_strength_is_what_the_best_weights_explain);
  RUN(a_gaussian_without_a_relation_explains_nothing);
  RUN(the_error_is_that_of_every_outcome);
  RUN(the_error_is_that_of_many_examples);
  RUN(examples_have_the_means_and_covariances);
  RUN(the_same_seed_draws_the_same_examples);
  return check_done();
}
