/* The full-information references: closed forms, brute force, and certificates
 * on data of every shape. */
#include "full/solve.h"
#include "check.h"
#include "base/rng.h"

#include <stdlib.h>

enum { MOST = 60 * 60 };

static double x[MOST], y[200], w[64], beta[200], lambda;
static scant_error error;
static scant_rng rng;

static double normal(void) {
  double u = 1 - scant_rng_unit(&rng), v = scant_rng_unit(&rng);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* Random data whose last columns are made awkward: a copy, a combination, a
 * constant, zeros; a copied row too. */
static scant_dense awkward(size_t n, size_t d, uint64_t seed) {
  scant_rng_seed(&rng, seed, 0);
  for (size_t i = 0; i < n; i++) {
    double *row = x + i * d;
    for (size_t j = 0; j < d; j++) row[j] = normal() * (j % 3 == 2 ? 10 : 1);
    y[i] = row[0] - 0.5 * row[1 % d] + 0.3 * normal() + 0.5;
    if (d >= 6) {
      row[d - 1] = 0;
      row[d - 2] = 1;
      row[d - 3] = -row[0];
      row[d - 4] = row[0] + 2 * row[1];
    }
  }
  if (n > 3) memcpy(x + (n - 1) * d, x, d * sizeof *x);
  return (scant_dense){n, d, x, y};
}

static const size_t shapes[][2] = {{1, 1}, {1, 7}, {5, 1}, {7, 7}, {12, 40}, {40, 12}, {55, 60}, {60, 55}, {3, 60}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static double norm2(const double *v, size_t d) {
  double sum = 0;
  for (size_t j = 0; j < d; j++) sum += v[j] * v[j];
  return sqrt(sum);
}

static double norm1(const double *v, size_t d) {
  double sum = 0;
  for (size_t j = 0; j < d; j++) sum += fabs(v[j]);
  return sum;
}

/* Solves and checks the certificate; returns lambda, or NaN. */
static double ridge_at(const scant_dense *p, const scant_ridge *ridge, double radius) {
  scant_kkt kkt;
  if (!CHECK(scant_ridge_solve(ridge, radius, w, &lambda, &error) == SCANT_OK)) return NAN;
  CHECK(scant_ridge_certificate(p, radius, w, lambda, &kkt, &error) == SCANT_OK);
  CHECK_AT_MOST(kkt.kkt, 1e-10);
  CHECK_AT_MOST(kkt.constraint, 1e-14);
  return lambda;
}

static double lasso_at(const scant_dense *p, const scant_lasso *lasso, double radius) {
  scant_kkt kkt;
  if (!CHECK(scant_lasso_solve(lasso, radius, w, &lambda, &error) == SCANT_OK)) {
    printf("# %s\n", error.text);
    return NAN;
  }
  CHECK(scant_lasso_certificate(p, radius, w, lambda, &kkt, &error) == SCANT_OK);
  CHECK_AT_MOST(kkt.kkt, 1e-11);
  CHECK_AT_MOST(kkt.constraint, 1e-14);
  return lambda;
}

static double svr_at(const scant_dense *p, double tube, double radius) {
  scant_gap gap;
  if (!CHECK(scant_svr_solve(p, tube, radius, w, beta, &lambda, &error) == SCANT_OK)) {
    printf("# %s (n %zu d %zu tube %g radius %g)\n", error.text, p->n, p->d, tube, radius);
    return NAN;
  }
  CHECK(scant_svr_certificate(p, tube, radius, w, beta, &gap, &error) == SCANT_OK);
  /* the dual value holds radius * ||X'beta||, so rounding grows with the radius */
  CHECK_AT_MOST(gap.gap, radius < 1e3 ? 1e-8 : 1e-6);
  CHECK_AT_MOST(-1e-12, gap.gap);
  CHECK_AT_MOST(gap.constraint, 1e-14);
  return gap.primal;
}

/* X = 2 I (n = d = 4): the Gram matrix is I, c = y/2. */
TEST(orthogonal_designs_have_closed_forms) {
  memset(x, 0, sizeof x);
  for (size_t j = 0; j < 4; j++) x[j * 4 + j] = 2;
  double targets[] = {6, -4, 2, 0};
  memcpy(y, targets, sizeof targets);
  scant_dense p = {4, 4, x, y};
  scant_ridge *ridge;
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
  double length = sqrt(14);
  CHECK_NEAR(ridge_at(&p, ridge, length / 4), 3, 1e-12); /* w = c/(1 + lambda) */
  CHECK_NEAR(w[0], 0.75, 1e-13);
  CHECK(ridge_at(&p, ridge, INFINITY) == 0);
  CHECK_NEAR(w[1], -2, 1e-13);
  scant_ridge_free(ridge);
  scant_lasso *lasso;
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  CHECK_NEAR(lasso_at(&p, lasso, 3), 1, 1e-13); /* soft threshold: 2, -1, 0, 0 */
  CHECK_NEAR(w[0], 2, 1e-13);
  CHECK_NEAR(w[1], -1, 1e-13);
  CHECK(w[2] == 0 && w[3] == 0);
  CHECK(lasso_at(&p, lasso, 100) == 0);
  CHECK_NEAR(w[2], 1, 1e-12);
  CHECK_NEAR(lasso_at(&p, lasso, 6), 0, 1e-12);
  scant_lasso_free(lasso);
}

TEST(ties_are_shared_or_taken_by_one) {
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < 4; j++) x[i * 4 + j] = i == j ? 2 : 0;
    y[i] = i % 2 ? -3 : 3;
  }
  scant_dense p = {4, 4, x, y};
  scant_lasso *lasso;
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  CHECK_NEAR(lasso_at(&p, lasso, 2), 1, 1e-13);
  for (size_t j = 0; j < 4; j++) CHECK_NEAR(fabs(w[j]), 0.5, 1e-13);
  scant_lasso_free(lasso);
  /* all columns the same: any split is optimal, the norm is met */
  for (size_t i = 0; i < 5; i++) {
    y[i] = (double)i;
    for (size_t j = 0; j < 6; j++) x[i * 6 + j] = (double)i * (j % 2 ? -1 : 1);
  }
  p = (scant_dense){5, 6, x, y};
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  CHECK_NEAR(lasso_at(&p, lasso, 0.5), 3, 1e-12);
  CHECK_NEAR(norm1(w, 6), 0.5, 1e-14);
  CHECK(lasso_at(&p, lasso, 5) == 0);
  CHECK_NEAR(norm1(w, 6), 1, 1e-12);
  scant_lasso_free(lasso);
  scant_ridge *ridge;
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
  CHECK(ridge_at(&p, ridge, 5) == 0);
  for (size_t j = 0; j < 6; j++) CHECK_NEAR(w[j], j % 2 ? -1. / 6 : 1. / 6, 1e-13); /* smallest norm */
  scant_ridge_free(ridge);
}

/* How a solver is asked: the regressor goes to w, and lambda is returned. */
typedef double (*solve_at)(const scant_dense *p, const void *solver, double radius);

static double ridge_of(const scant_dense *p, const void *solver, double radius) {
  return ridge_at(p, solver, radius);
}

static double lasso_of(const scant_dense *p, const void *solver, double radius) {
  return lasso_at(p, solver, radius);
}

/* Lambda falls as the radius grows, the norm is the radius, and from the norm of the free regressor on lambda is 0.
 * Returns the norm of that one, and the smallest lambda above 0. */
static double check_radii(const scant_dense *p, const void *solver, solve_at at,
                          double (*norm)(const double *v, size_t d), double tolerance, double *least) {
  static const double parts[] = {1e-9, 1e-3, 0.1, 0.5, 0.9, 1 - 1e-9};
  CHECK(at(p, solver, INFINITY) == 0);
  double free_norm = norm(w, p->d);
  *least = INFINITY;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    double now = at(p, solver, parts[i] * free_norm);
    CHECK(now > 0 && now < *least);
    CHECK_NEAR(norm(w, p->d) / (parts[i] * free_norm), 1, tolerance);
    *least = now;
  }
  CHECK(at(p, solver, 1e9 * free_norm) == 0);
  return free_norm;
}

TEST(ridge_is_certified_on_every_shape) {
  for (size_t s = 0; s < SHAPES; s++)
    for (uint64_t seed = 0; seed < 5; seed++) {
      scant_dense p = awkward(shapes[s][0], shapes[s][1], seed);
      scant_ridge *ridge;
      CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
      double least, free_norm = check_radii(&p, ridge, ridge_of, norm2, 1e-14, &least);
      CHECK_NEAR(norm2(w, p.d) / free_norm, 1, 1e-13);
      CHECK_NEAR(ridge_at(&p, ridge, free_norm), 0, 1e-12 * least + 1e-12);
      scant_ridge_free(ridge);
    }
}

TEST(lasso_is_certified_on_every_shape) {
  for (size_t s = 0; s < SHAPES; s++)
    for (uint64_t seed = 0; seed < 5; seed++) {
      scant_dense p = awkward(shapes[s][0], shapes[s][1], seed);
      scant_lasso *lasso;
      CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
      double least, free_norm = check_radii(&p, lasso, lasso_of, norm1, 1e-12, &least);
      CHECK_NEAR(lasso_at(&p, lasso, free_norm), 0, 1e-9);
      scant_lasso_free(lasso);
    }
}

/* Integer data with many equal columns, rows and correlations. */
TEST(lasso_is_certified_on_degenerate_data) {
  for (uint64_t seed = 0; seed < 200; seed++) {
    scant_rng_seed(&rng, seed, 1);
    scant_dense p = {2 + scant_rng_below(&rng, 12), 1 + scant_rng_below(&rng, 20), x, y};
    for (size_t i = 0; i < p.n * p.d; i++) x[i] = (double)scant_rng_below(&rng, 3) - 1;
    for (size_t i = 0; i < p.n; i++) y[i] = (double)scant_rng_below(&rng, 5) - 2;
    scant_lasso *lasso;
    CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
    for (double radius = 0.01; radius < 100; radius *= 2) lasso_at(&p, lasso, radius);
    scant_lasso_free(lasso);
  }
}

TEST(path_is_monotone_and_equals_single_solutions) {
  enum { COUNT = 12, D = 40 };
  scant_dense p = awkward(60, D, 11);
  double radius[COUNT], all[COUNT * D], lambdas[COUNT], before = INFINITY, value = INFINITY;
  for (size_t i = 0; i < COUNT; i++) radius[i] = 0.02 * pow(1.8, (double)i);
  scant_lasso *lasso;
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  CHECK(scant_lasso_path(lasso, COUNT, radius, all, lambdas, &error) == SCANT_OK);
  for (size_t i = 0; i < COUNT; i++) {
    scant_kkt kkt;
    CHECK(scant_lasso_certificate(&p, radius[i], all + i * D, lambdas[i], &kkt, &error) == SCANT_OK);
    CHECK_AT_MOST(kkt.kkt, 1e-11);
    CHECK_AT_MOST(kkt.constraint, 1e-14);
    CHECK_AT_MOST(lambdas[i], before);
    CHECK_AT_MOST(kkt.value, value * (1 + 1e-14));
    before = lambdas[i];
    value = kkt.value;
    CHECK_NEAR(lasso_at(&p, lasso, radius[i]), before, 1e-10);
    CHECK(scant_lasso_certificate(&p, radius[i], w, lambda, &kkt, &error) == SCANT_OK);
    CHECK_NEAR(kkt.value, value, 1e-12 * value);
  }
  double falling[] = {2, 1};
  CHECK(scant_lasso_path(lasso, 2, falling, all, lambdas, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "must not fall");
  scant_lasso_free(lasso);
}

enum kind { RIDGE, LASSO, SVR };

static double value_of(enum kind kind, const scant_dense *p, double tube, const double *v) {
  double sum = 0;
  for (size_t i = 0; i < p->n; i++) {
    double r = -p->y[i];
    for (size_t j = 0; j < p->d; j++) r += p->x[i * p->d + j] * v[j];
    sum += kind == SVR ? fmax(0, fabs(r) - tube) : r * r / 2;
  }
  return sum / (double)p->n;
}

/* The least objective on a grid of the ball, d = 1 or 2, refined twice around
 * the best point: an upper bound of the optimum, and close to it. */
static double brute(enum kind kind, const scant_dense *p, double tube, double radius) {
  double centre[2] = {0, 0}, width = radius, least = INFINITY, at[2] = {0, 0};
  for (int round = 0; round < 3; round++) {
    for (int i = -200; i <= 200; i++)
      for (int j = -200; j <= 200; j++) {
        double v[2] = {centre[0] + width * i / 200, p->d == 2 ? centre[1] + width * j / 200 : 0};
        double norm = kind == LASSO ? norm1(v, 2) : norm2(v, 2);
        if (norm > radius) v[0] *= radius / norm, v[1] *= radius / norm;
        double value = value_of(kind, p, tube, v);
        if (value < least) {
          least = value;
          memcpy(at, v, sizeof at);
        }
      }
    memcpy(centre, at, sizeof at);
    width /= 20;
  }
  return least;
}

TEST(small_problems_agree_with_brute_force) {
  for (uint64_t seed = 0; seed < 4; seed++)
    for (size_t d = 1; d <= 2; d++)
      for (double radius = 0.2; radius < 5; radius *= 3) {
        scant_dense p = awkward(15, d, 100 + seed);
        scant_ridge *ridge;
        scant_lasso *lasso;
        CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
        CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
        ridge_at(&p, ridge, radius);
        double least = brute(RIDGE, &p, 0, radius), value = value_of(RIDGE, &p, 0, w);
        CHECK_AT_MOST(value, least + 1e-13);
        CHECK_NEAR(value, least, 1e-5);
        lasso_at(&p, lasso, radius);
        least = brute(LASSO, &p, 0, radius);
        value = value_of(LASSO, &p, 0, w);
        CHECK_AT_MOST(value, least + 1e-13);
        CHECK_NEAR(value, least, 1e-5);
        for (double tube = 0; tube < 0.5; tube += 0.2) {
          least = brute(SVR, &p, tube, radius);
          value = svr_at(&p, tube, radius);
          CHECK_NEAR(value, value_of(SVR, &p, tube, w), 1e-12);
          CHECK_AT_MOST(value, least + 1e-9);
          CHECK_NEAR(value, least, 2e-4);
        }
        scant_ridge_free(ridge);
        scant_lasso_free(lasso);
      }
}

/* x = 1: the best w for the absolute loss is the median, cut at the radius. */
TEST(absolute_loss_finds_the_median) {
  double targets[] = {7, 1, 2, 3, 100};
  memcpy(y, targets, sizeof targets);
  for (size_t i = 0; i < 5; i++) x[i] = 1;
  scant_dense p = {5, 1, x, y};
  svr_at(&p, 0, 50);
  CHECK_NEAR(w[0], 3, 1e-6);
  svr_at(&p, 0, 1.5);
  CHECK_NEAR(w[0], 1.5, 1e-6);
  CHECK_NEAR(lambda * w[0], 0.6, 1e-5); /* 4 above, 1 below: the gradient is -3/5 */
}

TEST(svr_is_certified_on_every_shape) {
  for (size_t s = 0; s < SHAPES; s++)
    for (uint64_t seed = 0; seed < 3; seed++)
      for (double tube = 0; tube < 1; tube += 0.3) {
        scant_dense p = awkward(shapes[s][0], shapes[s][1], seed);
        double before = INFINITY;
        for (double radius = 1e-6; radius < 1e5; radius *= 20) {
          double value = svr_at(&p, tube, radius);
          CHECK_AT_MOST(value, before * (1 + 1e-8) + 1e-9);
          before = value;
        }
      }
}

TEST(trivial_problems_have_zero_weights) {
  scant_dense p = awkward(20, 8, 5);
  memset(x, 0, sizeof x);
  scant_ridge *ridge;
  scant_lasso *lasso;
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  CHECK(ridge_at(&p, ridge, 1) == 0 && norm1(w, 8) == 0);
  CHECK(lasso_at(&p, lasso, 1) == 0 && norm1(w, 8) == 0);
  svr_at(&p, 0.1, 1);
  CHECK(norm1(w, 8) == 0);
  scant_ridge_free(ridge);
  scant_lasso_free(lasso);
  p = awkward(20, 8, 5);
  svr_at(&p, 1e6, 1); /* every target is in the tube */
  CHECK(norm1(w, 8) == 0);
  memset(y, 0, sizeof y);
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  CHECK(lasso_at(&p, lasso, 1) == 0 && norm1(w, 8) == 0);
  scant_lasso_free(lasso);
}

TEST(certificates_see_what_is_wrong) {
  scant_dense p = awkward(40, 12, 3);
  scant_ridge *ridge;
  scant_kkt kkt;
  scant_gap gap;
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
  ridge_at(&p, ridge, 0.3);
  w[1] += 1e-6;
  CHECK(scant_ridge_certificate(&p, 0.3, w, lambda, &kkt, &error) == SCANT_OK && kkt.kkt > 1e-8);
  w[1] -= 1e-6;
  CHECK(scant_ridge_certificate(&p, 0.4, w, lambda, &kkt, &error) == SCANT_OK && kkt.kkt > 1e-4);
  CHECK(scant_ridge_certificate(&p, 0.2, w, lambda, &kkt, &error) == SCANT_OK && kkt.constraint > 0.4);
  CHECK(scant_lasso_certificate(&p, 1, w, lambda, &kkt, &error) == SCANT_OK && kkt.kkt > 1e-4);
  /* x = e_i and y = 1: w = (1/2, 0) would be right with lambda = 1/4, were it not for the weight
   * of 0, whose gradient is -1/2 */
  static const double identity[4] = {1, 0, 0, 1}, ones[2] = {1, 1}, half[2] = {0.5, 0};
  scant_dense square = {2, 2, identity, ones};
  CHECK(scant_lasso_certificate(&square, 0.5, half, 0.25, &kkt, &error) == SCANT_OK);
  CHECK_NEAR(kkt.kkt, 0.5, 1e-15); /* 1/4 beyond lambda, of the largest |X'y|/n = 1/2 */
  w[0] = NAN;
  CHECK(scant_ridge_certificate(&p, 0.3, w, lambda, &kkt, &error) == SCANT_OK && !(kkt.kkt < 1));
  svr_at(&p, 0.1, 0.3);
  memset(beta, 0, sizeof beta);
  CHECK(scant_svr_certificate(&p, 0.1, 0.3, w, beta, &gap, &error) == SCANT_OK && gap.gap == 1);
  for (size_t i = 0; i < p.n; i++) beta[i] = 1e9; /* not feasible: clipped, so still a bound */
  CHECK(scant_svr_certificate(&p, 0.1, 0.3, w, beta, &gap, &error) == SCANT_OK && gap.dual <= gap.primal);
  scant_ridge_free(ridge);
}

TEST(bad_input_is_refused_with_a_sentence) {
  scant_dense p = awkward(10, 3, 1), none = {0, 3, x, y}, flat = {10, 0, x, y};
  scant_ridge *ridge;
  scant_lasso *lasso;
  CHECK(scant_ridge_new(&ridge, &none, &error) == SCANT_DATA && !ridge);
  CHECK_SAYS(error.text, "no examples");
  CHECK(scant_lasso_new(&lasso, &flat, &error) == SCANT_DATA && !lasso);
  CHECK_SAYS(error.text, "no attributes");
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_OK);
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_OK);
  static const double radii[] = {0, -1, NAN};
  for (size_t i = 0; i < 3; i++) {
    w[0] = 7;
    CHECK(scant_ridge_solve(ridge, radii[i], w, &lambda, &error) == SCANT_USAGE);
    CHECK_SAYS(error.text, "radius");
    CHECK(scant_lasso_solve(lasso, radii[i], w, &lambda, &error) == SCANT_USAGE);
    CHECK(scant_svr_solve(&p, 0.1, radii[i], w, beta, &lambda, NULL) == SCANT_USAGE);
    CHECK(w[0] == 7);
  }
  CHECK(scant_svr_solve(&p, -1, 1, w, beta, &lambda, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, "tube");
  scant_ridge_free(ridge);
  scant_lasso_free(lasso);
  x[7] = NAN;
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "attribute 2 of example 3");
  CHECK(scant_svr_solve(&p, 0.1, 1, w, beta, &lambda, &error) == SCANT_DATA);
  x[7] = 1e200;
  CHECK(scant_ridge_new(&ridge, &p, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "too large");
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_DATA);
  x[7] = 0;
  y[4] = INFINITY;
  CHECK(scant_lasso_new(&lasso, &p, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "target of example 5");
  scant_ridge_free(NULL);
  scant_lasso_free(NULL);
}

int main(void) {
  RUN(orthogonal_designs_have_closed_forms);
  RUN(ties_are_shared_or_taken_by_one);
  RUN(ridge_is_certified_on_every_shape);
  RUN(lasso_is_certified_on_every_shape);
  RUN(lasso_is_certified_on_degenerate_data);
  RUN(path_is_monotone_and_equals_single_solutions);
  RUN(small_problems_agree_with_brute_force);
  RUN(absolute_loss_finds_the_median);
  RUN(svr_is_certified_on_every_shape);
  RUN(trivial_problems_have_zero_weights);
  RUN(certificates_see_what_is_wrong);
  RUN(bad_input_is_refused_with_a_sentence);
  return check_done();
}
