/* The risk as a parabola in the scale: its means and their errors against sums over all examples, and the scale
 * against a search through all of them. */
#include "estimate/risk.h"

#include <math.h>

#include "support.h"

enum { N = 200 };

static scant_parabola_terms terms[N];
static double weight[N];

/* Examples whose weights in the means are t^power. */
static scant_parabola gather(int count, double power, double product, double square, uint64_t seed) {
  scant_parabola p = {0};
  double total = 0;
  for (int t = 0; t < count; t++) {
    terms[t] = (scant_parabola_terms){1 + 0.2 * random_real(&seed), product + 0.5 * random_real(&seed),
                                      square + 0.7 * random_real(&seed)};
    terms[t].square += 0.4 * (terms[t].product - product); /* they go together, as they do in a learner */
    weight[t] = pow(t + 1, power);
    total += weight[t];
    scant_parabola_add(&p, weight[t] / total, &terms[t]);
  }
  return p;
}

TEST(means_are_weighted_and_errors_are_of_those_means) {
  for (double power = 0; power <= 2; power += 2) {
    scant_parabola p = gather(N, power, 0.5, 0.6, 3);
    double total = 0, v = 0, b = 0, q = 0, error;
    for (int t = 0; t < N; t++) {
      total += weight[t];
      v += weight[t] * terms[t].target;
      b += weight[t] * terms[t].product;
      q += weight[t] * terms[t].square;
    }
    CHECK_NEAR(p.mean.target, v / total, 1e-13);
    CHECK_NEAR(p.mean.product, b / total, 1e-13);
    CHECK_NEAR(p.mean.square, q / total, 1e-13);
    for (double s = 0; s <= 3; s += 0.5) {
      double risk = v / total - 2 * s * b / total + s * s * q / total, squares = 0;
      CHECK_NEAR(scant_parabola_risk(&p, s, &error), risk, 1e-12);
      for (int t = 0; t < N; t++) {
        double one = terms[t].target - 2 * s * terms[t].product + s * s * terms[t].square;
        squares += weight[t] * weight[t] * (one - risk) * (one - risk);
      }
      /* deviations are from the means before the example, so the error is a little larger */
      double ratio = error / (sqrt(squares) / total);
      CHECK(ratio > 0.999 && ratio < 1.06);
    }
  }
}

TEST(nothing_is_known_at_first) {
  scant_parabola p = {0};
  double error = 0;
  CHECK(isnan(scant_parabola_risk(&p, 1, &error)) && isnan(error) && scant_parabola_scale(&p, 8) == 1);
  scant_parabola_add(&p, 1, &(scant_parabola_terms){1, -2, 9});
  CHECK(scant_parabola_risk(&p, 1, &error) == 14 && isnan(error) && scant_parabola_scale(&p, 8) == 1);
}

TEST(a_square_that_can_not_be_counts_as_the_least_that_can) {
  scant_parabola p = {.count = 100, .mean = {2, 1, -3}};
  CHECK_NEAR(scant_parabola_risk(&p, 1, NULL), 2 - 2 + 0.5, 1e-15); /* Q >= B^2/V */
  CHECK(scant_parabola_risk(&p, 2, NULL) == 0);
}

/* The gain of scale s over r, less standard errors, by its definition. */
static double sure_gain(const scant_parabola *p, double square, double s, double r) {
  double b = 2 * (s - r), q = r * r - s * s; /* the gain is b B + q Q */
  double variance = b * b * p->cov[3] + 2 * b * q * p->cov[4] + q * q * p->cov[5];
  return b * p->mean.product + q * square - (1 + (r > 0 ? 16 / p->count : 0)) * sqrt(fmax(0, variance));
}

/* The best of a grid. */
static double search(const scant_parabola *p, double square, double r, double most) {
  double best = r, gain = 0;
  for (double s = 0; s <= most; s += 0.001)
    if (sure_gain(p, square, s, r) > gain) gain = sure_gain(p, square, best = s, r);
  return best;
}

TEST(the_scale_is_the_one_that_gains_most_surely) {
  uint64_t seed = 8;
  int stretched = 0, shrunk = 0, kept = 0, rescued = 0;
  for (int turn = 0; turn < 400; turn++) {
    double product = 0.4 * random_real(&seed), square = 0.3 + 0.3 * random_real(&seed), most = turn % 3 ? 64 : 1;
    scant_parabola p = gather(20 + turn / 4, 2, product, square, (uint64_t)turn + 1);
    double v = p.mean.target, b = p.mean.product, q = fmax(p.mean.square, b * b / v);
    double found = scant_parabola_scale(&p, most), best = search(&p, q, 1, most);
    if (!(sure_gain(&p, q, best, 0) > 0)) { /* it may be worse than predicting 0 */
      best = search(&p, q, 0, best);
      rescued++;
    }
    CHECK(found >= 0 && found <= most);
    CHECK_NEAR(found, best, 2e-3);
    CHECK(scant_parabola_risk(&p, found, NULL) <= v * (1 + 1e-12));
    stretched += best > 1;
    shrunk += best < 1;
    kept += best == 1;
  }
  printf("# stretched %d, shrunk %d (rescued %d), kept %d\n", stretched, shrunk, rescued, kept);
  CHECK(stretched > 20 && shrunk - rescued > 5 && rescued > 20 && kept > 20);
}

/* Other units of the target change the risk and its error, and not the scale. */
TEST(units_do_not_matter) {
  for (int turn = 0; turn < 20; turn++) {
    scant_parabola p = gather(60, 2, 0.05 * turn - 0.2, 0.4, (uint64_t)turn), large = p;
    double unit = 0x1p40, error, large_error;
    large.mean = (scant_parabola_terms){p.mean.target * unit, p.mean.product * unit, p.mean.square * unit};
    for (int i = 0; i < 6; i++) large.cov[i] *= unit * unit;
    double s = scant_parabola_scale(&p, 64);
    CHECK(scant_parabola_scale(&large, 64) == s);
    CHECK(scant_parabola_risk(&large, s, &large_error) == scant_parabola_risk(&p, s, &error) * unit);
    CHECK(large_error == error * unit);
  }
}

int main(void) {
  RUN(means_are_weighted_and_errors_are_of_those_means);
  RUN(nothing_is_known_at_first);
  RUN(a_square_that_can_not_be_counts_as_the_least_that_can);
  RUN(the_scale_is_the_one_that_gains_most_surely);
  RUN(units_do_not_matter);
  return check_done();
}
