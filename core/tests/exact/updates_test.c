/* The lazy updates: averages of the iterates that the options say, and extremes.  Those of the papers are compared step
 * by step in paper/tests. */
#include "problem.h"

enum { D = 7 };

static double unit(scant_rng *rng) {
  return 2 * scant_rng_unit(rng) - 1;
}

/* ---- averages ------------------------------------------------------------------- */

/* The weight of iterate t of m in the average, as the options and the papers say: all
 * of them; the last half; t^2; of the data-dependent algorithms those after the tenth
 * in which they learn moments. */
static long double counts(const char *algorithm, int average, int t, int m) {
  if (!strncmp(algorithm, "dda", 3) && t <= m / 10) return 0;
  switch (average) {
    case SCANT_AVERAGE_ALL:
      return 1;
    case SCANT_AVERAGE_HALF:
      return t > m / 2;
    default:
      return (long double)t * t;
  }
}

static void check_average(const char *algorithm, const char *settings) {
  enum { m = 200 };
  scant_settings s = problem_settings(algorithm, settings);
  scant_learner *l;
  scant_look *look;
  scant_error error;
  scant_rng rng;
  long double sum[D] = {0}, total = 0;
  double worst = 0, size = 0;
  scant_rng_seed(&rng, 8, 0);
  CHECK(scant_learner_new(&l, &s, D, m, &error) == SCANT_OK && scant_look_new(&look, l, &error) == SCANT_OK);
  for (int t = 1; t <= m; t++) {
    double values[D], y = unit(&rng);
    long double weight = counts(algorithm, s.learning.average, t, m);
    for (size_t i = 0; i < D; i++) size = fmax(size, fabs(scant_iterate_weight(&l->w, i)));
    int after = l->update->average_updated;
    for (size_t i = 0; i < D && !after; i++) sum[i] += weight * scant_iterate_weight(&l->w, i);
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) values[i] = 1 + look->attributes[i] + unit(&rng) + y;
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, y, &error) == SCANT_OK);
    for (size_t i = 0; i < D && after; i++) sum[i] += weight * scant_iterate_weight(&l->w, i);
    total += weight;
  }
  for (size_t i = 0; i < D; i++) {
    double mean = (double)(sum[i] / total), off = fabs(scant_learner_result(l, i) - mean);
    worst = off <= worst ? worst : isnan(off) ? INFINITY : off;
  }
  if (!CHECK(size > 0) || !CHECK_AT_MOST(worst, 1e-12 * size)) printf("# %s %s\n", algorithm, settings);
  scant_look_free(look);
  scant_learner_free(l);
}

TEST(averages_are_of_the_iterates_that_they_say) {
  static const char *const names[] = {"aerr", "aelr", "aer", "ddaerr", "ddaelr", "auto", "ridge", "lasso", "svr"};
  static const char *const averages[] = {"all", "half", "late"};
  for (size_t row = 0; row < sizeof names / sizeof *names; row++)
    for (int i = 0; i < 3; i++) {
      char text[64];
      snprintf(text, sizeof text, "k=4 average=%s", averages[i]);
      check_average(names[row], text);
    }
}

/* ---- extremes ------------------------------------------------------------------- */

/* theta passes 710, where cosh overflows, and comes back. */
TEST(huge_thetas_do_not_overflow) {
  scant_iterate w;
  const uint32_t attribute[2] = {1, 4};
  const double up[2] = {-1e9, 0.5e-3}, down[2] = {1e9, 0};
  double scratch[4];
  CHECK(scant_iterate_new(&w, &scant_update_eg, D, 3));
  for (int t = 0; t < 3000; t++) scant_update_eg.step(&w, 2, attribute, up, 1, 1, scratch);
  CHECK_NEAR(w.theta[1], 3000, 1e-9);
  CHECK(w.exponent > 0);
  CHECK_NEAR(scant_iterate_weight(&w, 1), 3, 1e-12);
  CHECK_NEAR(scant_iterate_weight(&w, 4), 0, 1e-300);
  for (int t = 0; t < 3000; t++) scant_update_eg.step(&w, 2, attribute, down, 1, 1, scratch);
  CHECK(w.exponent < 500); /* it came down again */
  double mass = D - 2 + cosh(w.theta[1]) + cosh(w.theta[4]);
  CHECK_NEAR(scant_iterate_weight(&w, 4), 3 * sinh(w.theta[4]) / mass, 1e-12);
  CHECK_NEAR(scant_iterate_weight(&w, 1), 3 * sinh(w.theta[1]) / mass, 1e-12);
  scant_iterate_free(&w);
}

/* 10^7 iterates with a slowly moving scale: the lazy average loses next to nothing. */
TEST(lazy_averages_stay_exact) {
  scant_iterate w;
  CHECK(scant_iterate_new(&w, &scant_update_gradient, 2, 1));
  w.at[0].shape = 1.0 / 3;
  w.at[1].shape = 1e-3;
  long double sum0 = 0, sum1 = 0;
  const int n = 10000000;
  for (int t = 1; t <= n; t++) {
    w.scale = 1.0 + 1e-9 * t;
    scant_iterate_count(&w, 1);
    sum0 += (long double)w.scale * w.at[0].shape;
    sum1 += (long double)w.scale * w.at[1].shape;
    /* coordinate 1 turns now and then, which cancels nearly everything */
    if (t % 3 == 0) scant_iterate_reshape(&w, 1, -w.at[1].shape * 0.999999, scant_sum_value(w.clock));
  }
  CHECK_NEAR(scant_iterate_mean(&w, 0), (double)(sum0 / n), 1e-16);
  CHECK_NEAR(scant_iterate_mean(&w, 1), (double)(sum1 / n), 1e-15);
  scant_iterate_free(&w);
}

int main(void) {
  RUN(averages_are_of_the_iterates_that_they_say);
  RUN(huge_thetas_do_not_overflow);
  RUN(lazy_averages_stay_exact);
  return check_done();
}
