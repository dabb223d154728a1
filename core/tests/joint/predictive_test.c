/* Intervals, two-valued targets, and coverage on data of which the law is known. */
#include "gaussians.h"
#include "joint/joint.h"

static scant_error error;

TEST(quantiles_of_the_normal_agree_with_tables) {
  static const struct {
    double p, z;
  } known[] = {{0.5, 0},
               {0.75, 0.67448975019608171},
               {0.9, 1.2815515655446004},
               {0.95, 1.6448536269514722},
               {0.975, 1.9599639845400545},
               {0.99, 2.3263478740408408},
               {0.999, 3.0902323061678132},
               {1e-10, -6.3613409024040557},
               {1e-20, -9.2623400897984100},
               {1e-300, -37.047096299361199}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    double z = known[i].z, p = known[i].p;
    CHECK_NEAR(scant_normal_quantile(p), z, 1e-13 * (1 + fabs(z)));
    if (p > 0.1) CHECK_NEAR(scant_normal_quantile(1 - p), -z, 1e-13 * (1 + fabs(z)));
  }
  for (int i = 1; i < 2000; i++) { /* back through the distribution */
    double p = i / 2000.0, z = scant_normal_quantile(p);
    CHECK_NEAR(erfc(-z / sqrt(2)) / 2, p, 1e-15);
  }
}

TEST(quantiles_are_interpolated) {
  scant_gaussian *g = NULL;
  CHECK(scant_gaussian_new(&g, 0, 4, &error) == SCANT_OK);
  memcpy(g->quantiles, (double[]){-2, -0.5, 1, 3}, 4 * sizeof(double)); /* at 1/8, 3/8, 5/8, 7/8 */
  CHECK_NEAR(scant_gaussian_quantile(g, 0.125), -2, 1e-15);
  CHECK_NEAR(scant_gaussian_quantile(g, 0.375), -0.5, 1e-15);
  CHECK_NEAR(scant_gaussian_quantile(g, 0.25), -1.25, 1e-15);
  CHECK_NEAR(scant_gaussian_quantile(g, 0.5625), 0.625, 1e-15);
  CHECK_NEAR(scant_gaussian_quantile(g, 0.875), 3, 1e-15);
  double end = scant_normal_quantile(0.125);
  CHECK_NEAR(scant_gaussian_quantile(g, 0.01), -2 * scant_normal_quantile(0.01) / end, 1e-14);
  CHECK_NEAR(scant_gaussian_quantile(g, 0.999), -3 * scant_normal_quantile(0.999) / end, 1e-14);
  double last = -INFINITY;
  for (double p = 1e-6; p < 1; p += 1e-3) {
    double q = scant_gaussian_quantile(g, p);
    CHECK(q >= last);
    last = q;
  }
  memcpy(g->quantiles, (double[]){1, 1, 2, 2}, 4 * sizeof(double)); /* all on one side: the ends stay */
  CHECK(scant_gaussian_quantile(g, 0.01) == 1 && scant_gaussian_quantile(g, 0.5) == 1.5);
  g->quantile_count = 1;
  CHECK(scant_gaussian_quantile(g, 0.01) == 1 && scant_gaussian_quantile(g, 0.99) == 1);
  g->quantile_count = 0;
  CHECK_NEAR(scant_gaussian_quantile(g, 0.975), 1.9599639845400545, 1e-13);
  scant_gaussian_free(g);
}

TEST(intervals_are_mean_and_quantiles) {
  scant_model *m = gaussian_model(4, 3, "k=3");
  scant_gaussian *g = m->gaussian;
  scant_prediction p;
  double s = scant_gaussian_covariance(g, g->count, g->count);
  g->excess = 0.5;
  scant_gaussian_predict(g, 2, s / 4, 0.95, &p);
  CHECK(p.mean == 2);
  CHECK_NEAR(p.variance, s / 4 + 0.5 * s * 3 / 4, 1e-15 * s);
  CHECK_NEAR(p.low, 2 - 1.9599639845400545 * sqrt(p.variance), 1e-12);
  CHECK_NEAR(p.high, 2 + 1.9599639845400545 * sqrt(p.variance), 1e-12);
  static const double levels[] = {0, 1, -1, 2, NAN};
  for (size_t i = 0; i < 5; i++) {
    scant_gaussian_predict(g, 2, s / 4, levels[i], &p);
    CHECK(p.mean == 2 && isnan(p.low) && isnan(p.high));
  }
  scant_query *q = NULL;
  m->settings.reading.log_target = 1;
  CHECK(scant_query_new(&q, m, NULL, &error) == SCANT_OK);
  scant_prediction of_y;
  scant_query_predict(q, 0.8, &of_y);
  scant_gaussian_predict(g, g->mean[g->count], s, 0.8, &p);
  CHECK(of_y.mean == expm1(p.mean) && of_y.low == expm1(p.low) && of_y.high == expm1(p.high));
  CHECK(of_y.variance == p.variance);
  scant_query_free(q);
  scant_model_free(m);
}

/* The log of a Gaussian density, up to a constant, by elimination. */
static double log_density(const long double *covariance, const long double *difference, size_t count) {
  long double a[GAUSSIAN_MOST * GAUSSIAN_MOST], b[GAUSSIAN_MOST], sum = 0;
  memcpy(a, covariance, count * count * sizeof *a);
  memcpy(b, difference, count * sizeof *b);
  solve_directly(a, b, count);
  for (size_t i = 0; i < count; i++) sum += b[i] * difference[i];
  return (double)(-sum / 2);
}

/* P(y = b | x_o) from the two densities and the prior, as Bayes says. */
static double probability_directly(const scant_gaussian *g, unsigned known, const double *x) {
  size_t places[GAUSSIAN_MOST], count = 0, y = g->count;
  long double c[GAUSSIAN_MOST * GAUSSIAN_MOST], difference[GAUSSIAN_MOST], s = scant_gaussian_covariance(g, y, y);
  double density[2], prior = (g->mean[y] - g->values[0]) / (g->values[1] - g->values[0]);
  for (size_t i = 0; i < y; i++)
    if (known >> i & 1) places[count++] = i;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++)
      c[i * count + j] =
          scant_gaussian_covariance(g, places[i], places[j]) -
          scant_gaussian_covariance(g, places[i], y) * (long double)scant_gaussian_covariance(g, places[j], y) / s;
  for (int value = 0; value < 2; value++) {
    for (size_t i = 0; i < count; i++)
      difference[i] = x[g->attributes[places[i]]] - g->mean[places[i]] -
                      scant_gaussian_covariance(g, places[i], y) * ((long double)g->values[value] - g->mean[y]) / s;
    density[value] = log_density(c, difference, count);
  }
  prior = fmin(fmax(prior, 1e-3), 1 - 1e-3);
  return 1 / (1 + (1 - prior) / prior * exp(density[0] - density[1]));
}

/* The other value is inside if it is likelier than the values that came were, but for
 * one in ten; with less known than of those, if its probability is above one in ten. */
TEST(two_values_are_inside_by_the_table) {
  scant_gaussian *g = NULL;
  CHECK(scant_gaussian_new(&g, 0, 2, &error) == SCANT_OK);
  g->mean[0] = 0.75;
  g->covariance[0] = 0.1875;
  g->two_valued = 1;
  g->values[1] = 1; /* 0 or 1, with probability 1/4 and 3/4 */
  for (int kind = 0; kind < 3; kind++) {
    static const double quantiles[3][2] = {{0.05, 0.9}, {0.3, 0.9}, {0.3, 0.9}}; /* the lower at 1/4 */
    memcpy(g->quantiles, quantiles[kind], sizeof quantiles[kind]);
    g->quantile_variance = kind == 2 ? 0.1 : 0.2;
    scant_prediction p;
    scant_gaussian_predict(g, 0.75, 0.1875, 0.75, &p);
    CHECK_NEAR(p.mean, 0.75, 1e-12);
    CHECK(p.high == 1 && p.low == (kind == 0 ? 0 : 1));
    scant_gaussian_predict(g, 0.75, 0.1875, 0.9, &p);
    CHECK(p.high == 1 && (kind != 2 || p.low == 0));
  }
  scant_gaussian_free(g);
}

TEST(two_valued_targets_agree_with_bayes) {
  uint64_t seed = 9;
  for (uint64_t model = 1; model <= 6; model++) {
    scant_model *m = gaussian_model(6, model, "k=3");
    scant_gaussian *g = m->gaussian;
    scant_query *q = NULL;
    double s = scant_gaussian_covariance(g, g->count, g->count), x[6];
    g->two_valued = 1;
    /* means inside, near an end, and outside of the two values */
    g->values[0] = g->mean[g->count] - (model < 5 ? 0.1 * (double)model : -1) * sqrt(s);
    g->values[1] = g->values[0] + 1.5 * sqrt(s);
    CHECK(scant_query_new(&q, m, NULL, &error) == SCANT_OK);
    for (unsigned known = 0; known < 1u << g->count; known++) {
      scant_prediction p;
      scant_query_reset(q);
      for (size_t i = 0; i < g->count; i++) {
        x[g->attributes[i]] = g->mean[i] + sqrt(scant_gaussian_covariance(g, i, i)) * random_normal(&seed) / 2;
        if (known >> i & 1) CHECK(scant_query_tell(q, g->attributes[i], x[g->attributes[i]], &error) == SCANT_OK);
      }
      double a = g->values[0], b = g->values[1], wanted = probability_directly(g, known, x);
      scant_query_predict(q, 0.7, &p);
      CHECK_NEAR(p.mean, a + (b - a) * wanted, 1e-9 * (b - a));
      CHECK_NEAR(p.variance, (b - a) * (b - a) * wanted * (1 - wanted), 1e-9 * s);
      CHECK(p.low == (wanted >= 0.7 ? b : a) && p.high == (wanted <= 0.3 ? a : b));
      scant_query_predict(q, 0.2, &p);
      CHECK(p.low == p.high && p.low == (wanted >= 0.5 ? b : a));
      scant_query_predict(q, 0, &p);
      CHECK(isnan(p.low) && isnan(p.high));
    }
    g->excess = 1; /* less sure, on the same side of where the evidence is even */
    scant_prediction sure, unsure;
    scant_gaussian_predict(g, g->values[1] + 3 * sqrt(s), s / 4, 0, &unsure);
    g->excess = 0;
    scant_gaussian_predict(g, g->values[1] + 3 * sqrt(s), s / 4, 0, &sure);
    CHECK(unsure.mean < sure.mean && unsure.mean > g->values[0]);
    scant_gaussian_predict(g, INFINITY, 0, 0.9, &sure);
    CHECK(sure.mean == g->values[1] && sure.low == g->values[1]);
    scant_query_free(q);
    scant_model_free(m);
  }
}

/* Examples drawn from the model itself: 10,000 of them, 5 sigma. */
TEST(intervals_hold_as_many_targets_as_they_say) {
  enum { N = 10000, KNOWN = 3 };
  uint64_t seed = 11;
  scant_model *m = gaussian_model(6, 12, "k=3");
  scant_gaussian *g = m->gaussian;
  size_t n = g->count + 1;
  double factor[GAUSSIAN_MOST][GAUSSIAN_MOST] = {{0}}, levels[] = {0.5, 0.9, 0.99};
  for (size_t i = 0; i < n; i++) {
    double left = scant_gaussian_covariance(g, i, i);
    for (size_t j = 0; j < i; j++) {
      double c = scant_gaussian_covariance(g, i, j);
      for (size_t k = 0; k < j; k++) c -= factor[i][k] * factor[j][k];
      factor[i][j] = c / factor[j][j];
      left -= factor[i][j] * factor[i][j];
    }
    factor[i][i] = sqrt(left);
  }
  scant_query *q = NULL;
  CHECK(scant_query_new(&q, m, NULL, &error) == SCANT_OK);
  int inside[3] = {0};
  double squared = 0, variance = 0;
  for (int row = 0; row < N; row++) {
    double z[GAUSSIAN_MOST], hidden[GAUSSIAN_MOST];
    uint32_t attribute;
    scant_prediction p;
    for (size_t i = 0; i < n; i++) {
      hidden[i] = random_normal(&seed);
      z[i] = g->mean[i];
      for (size_t j = 0; j <= i; j++) z[i] += factor[i][j] * hidden[j];
    }
    scant_query_reset(q);
    for (int k = 0; k < KNOWN && scant_query_next(q, &attribute); k++)
      CHECK(scant_query_tell(q, attribute, z[attribute ? attribute - 1 : 0], &error) == SCANT_OK);
    for (int l = 0; l < 3; l++) {
      scant_query_predict(q, levels[l], &p);
      inside[l] += p.low <= z[n - 1] && z[n - 1] <= p.high;
    }
    squared += (p.mean - z[n - 1]) * (p.mean - z[n - 1]) / N;
    variance = p.variance;
  }
  for (int l = 0; l < 3; l++) CHECK_NEAR(inside[l] / (double)N, levels[l], 5 * sqrt(levels[l] * (1 - levels[l]) / N));
  CHECK_NEAR(squared, variance, 5 * variance * sqrt(2.0 / N));
  scant_query_free(q);
  scant_model_free(m);
}

int main(void) {
  RUN(quantiles_of_the_normal_agree_with_tables);
  RUN(quantiles_are_interpolated);
  RUN(intervals_are_mean_and_quantiles);
  RUN(two_values_are_inside_by_the_table);
  RUN(two_valued_targets_agree_with_bayes);
  RUN(intervals_hold_as_many_targets_as_they_say);
  return check_done();
}
