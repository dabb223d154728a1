/* The lazy updates against the paper's dense ones, line by line: the same
 * looks are told to the learner and to a plain O(d) transcription of the
 * algorithm, and w and its average must agree all the way. */
#include "problem.h"

enum { D = 7, WIDE = 80 }; /* WIDE: looks of as many attributes as are computed side by side */

typedef struct dense {
  const char *algorithm;
  size_t d;
  long double w[WIDE], sum[WIDE], zp[WIDE], zm[WIDE]; /* z+ and z- as logarithms */
  double B, lambda;
  int adapts; /* eta is that of the gradients so far, not from the number of examples */
  long double eta, sizes;
  uint64_t t, counted;
} dense;

/* g~ from the raw draws, as the paper writes it. */
static void dense_gradient(size_t d, const scant_look *look, const double *x, double y, long double *g) {
  long double phi = -y;
  for (size_t i = 0; i < d; i++) g[i] = 0;
  for (uint32_t i = 0; i < look->count; i++)
    if (look->residual_draws[i])
      phi += (long double)look->residual_draws[i] / look->residual_total * look->weight[i] /
             look->residual_probability[i] * x[look->attributes[i]];
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t a = look->attributes[i];
    g[a] = phi * (long double)d / look->gradient_total * look->gradient_draws[i] * x[a];
  }
}

/* [HK12, Alg. 1, l. 11-12] */
static void dense_aerr(dense *m, const long double *g) {
  long double norm = 0;
  for (size_t i = 0; i < m->d; i++) {
    m->w[i] -= m->eta * g[i];
    norm += m->w[i] * m->w[i];
  }
  norm = sqrtl(norm);
  for (size_t i = 0; i < m->d; i++) m->w[i] *= m->B / fmaxl(norm, m->B);
}

/* [HK12, Alg. 2, l. 3 and 12-16] */
static void dense_aelr(dense *m, const long double *g) {
  long double most = 0, sum = 0;
  for (size_t i = 0; i < m->d; i++) {
    long double moved = m->eta > 0 ? m->eta * fmaxl(fminl(g[i], 1 / m->eta), -1 / m->eta) : 0;
    m->zp[i] -= moved;
    m->zm[i] += moved;
    most = fmaxl(most, fmaxl(m->zp[i], m->zm[i]));
  }
  for (size_t i = 0; i < m->d; i++) sum += expl(m->zp[i] - most) + expl(m->zm[i] - most);
  for (size_t i = 0; i < m->d; i++) m->w[i] = (expl(m->zp[i] - most) - expl(m->zm[i] - most)) * m->B / sum;
}

/* [CSS11, AER], with the projection by bisection on its threshold */
static void dense_aer(dense *m, const long double *g) {
  long double t = m->t, norm = 0, low = 0, high = 0;
  for (size_t i = 0; i < m->d; i++) {
    m->w[i] = (1 - 1 / t) * m->w[i] - 2 / (m->lambda * t) * g[i];
    norm += fabsl(m->w[i]);
    high = fmaxl(high, fabsl(m->w[i]));
  }
  if (norm <= m->B) return;
  for (int r = 0; r < 200; r++) {
    long double tau = (low + high) / 2, rest = 0;
    for (size_t i = 0; i < m->d; i++) rest += fmaxl(fabsl(m->w[i]) - tau, 0);
    if (rest > m->B)
      low = tau;
    else
      high = tau;
  }
  for (size_t i = 0; i < m->d; i++) m->w[i] = copysignl(fmaxl(fabsl(m->w[i]) - low, 0), m->w[i]);
}

/* eta_t = 2B/sqrt(2 sum of ||g||_2^2), and sqrt(log 2d / sum of ||g||_inf^2). */
static void dense_adapt(dense *m, const long double *g) {
  int ridge = !strcmp(m->algorithm, "aerr");
  long double size = 0;
  for (size_t i = 0; i < m->d; i++) size = ridge ? size + g[i] * g[i] : fmaxl(size, g[i] * g[i]);
  m->sizes += size;
  m->eta = ridge ? 2 * m->B / sqrtl(2 * m->sizes) : sqrtl(logl(2.0L * m->d) / m->sizes);
  if (!(m->sizes > 0)) m->eta = 0;
}

static void dense_step(dense *m, const long double *g, int counts) {
  int after = !strcmp(m->algorithm, "aer");
  m->t++;
  if (m->adapts) dense_adapt(m, g);
  for (size_t i = 0; !after && counts && i < m->d; i++) m->sum[i] += m->w[i];
  if (!strcmp(m->algorithm, "aerr"))
    dense_aerr(m, g);
  else if (!strcmp(m->algorithm, "aelr"))
    dense_aelr(m, g);
  else
    dense_aer(m, g);
  for (size_t i = 0; after && counts && i < m->d; i++) m->sum[i] += m->w[i];
  m->counted += (uint64_t)counts;
}

static double unit(scant_rng *rng) {
  return 2 * scant_rng_unit(rng) - 1;
}

/* Runs both and compares after every step.  Without a horizon eta adapts. */
static void compare_in(size_t d, int horizon, const char *algorithm, const char *settings, int steps, double size,
                       double tolerance) {
  scant_settings s = problem_settings(algorithm, settings);
  scant_learner *l;
  scant_look *look;
  scant_error error;
  scant_rng rng;
  scant_rng_seed(&rng, 7, 0);
  CHECK(scant_learner_new(&l, &s, d, horizon ? (uint64_t)steps : 0, &error) == SCANT_OK);
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  dense m = {.algorithm = algorithm, .d = d, .B = s.learning.radius, .eta = l->eta, .lambda = l->w.penalty};
  m.adapts = !horizon;
  double worst = 0;
  for (int t = 1; t <= steps; t++) {
    double x[WIDE], values[WIDE], w[WIDE], y = unit(&rng) * size;
    long double g[WIDE];
    for (size_t i = 0; i < d; i++) x[i] = unit(&rng) * size;
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
    dense_gradient(d, look, x, y, g);
    if (!CHECK(scant_learner_tell(l, look, look->count, NULL, values, y, &error) == SCANT_OK)) break;
    dense_step(&m, g,
               s.learning.average == SCANT_AVERAGE_ALL || (s.learning.average == SCANT_AVERAGE_HALF && t > steps / 2));
    scant_learner_weights(l, w, NULL);
    for (size_t i = 0; i < d; i++) {
      double now = fabs(scant_iterate_weight(&l->w, i) - (double)m.w[i]) / s.learning.radius;
      double mean = m.counted ? fabs(w[i] - (double)(m.sum[i] / m.counted)) / s.learning.radius : 0;
      worst = fmax(worst, isnan(now) || isnan(mean) ? INFINITY : fmax(now, mean));
    }
  }
  if (!CHECK_AT_MOST(worst, tolerance)) printf("# %s %s\n", algorithm, settings);
  scant_look_free(look);
  scant_learner_free(l);
}

static void compare(const char *algorithm, const char *settings, int steps, double size, double tolerance) {
  compare_in(D, 1, algorithm, settings, steps, size, tolerance);
}

TEST(aerr_moves_as_printed) {
  compare("aerr", "k=3", 2000, 0.4, 1e-12);
  compare("aerr", "k=4 eta=0.5 radius=0.7 residual-looks=2", 2000, 1, 1e-11);
  compare("aerr", "k=3 average=half", 501, 0.4, 1e-12);
}

TEST(aelr_moves_as_printed) {
  compare("aelr", "k=3", 2000, 0.9, 1e-12);
  compare("aelr", "k=4 eta=0.3 radius=2", 2000, 1, 1e-11);
  compare("aelr", "k=4 eta=0.3 average=half", 501, 1, 1e-11);
  compare("aelr", "k=4 eta=50", 3000, 1, 1e-11); /* theta runs away */
}

TEST(aer_moves_as_printed) {
  compare("aer", "k=4 penalty=0.5", 500, 1, 1e-11);
  compare("aer", "k=4 radius=0.3 penalty=0.01", 500, 1, 1e-11);
}

/* Looks of 8 attributes and more, as real fits have them. */
TEST(many_attributes_move_as_few) {
  static const char *const looks[] = {"k=9", "k=24", "k=64"};
  for (int i = 0; i < 3; i++) {
    compare_in(WIDE, 1, "aerr", looks[i], 300, 0.4, 1e-12);
    compare_in(WIDE, 1, "aelr", looks[i], 300, 0.9, 1e-12);
    compare_in(WIDE, 1, "aer", i ? looks[i] : "k=8", 300, 1, 1e-11);
  }
}

TEST(without_a_horizon_eta_adapts_as_stated) {
  compare_in(D, 0, "aerr", "k=3 average=all", 500, 0.4, 1e-12);
  compare_in(D, 0, "aelr", "k=3 average=all", 500, 0.9, 1e-12);
  compare_in(WIDE, 0, "aerr", "k=24 average=all", 300, 0.4, 1e-12);
  compare_in(WIDE, 0, "aelr", "k=24 average=all", 300, 0.9, 1e-12);
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

/* The scale of AERR shrinks by every projection; it is folded back before it
 * leaves the range of a double. */
TEST(huge_steps_do_not_break_the_scale) {
  compare("aerr", "k=3 eta=1e12", 300, 1, 1e-6);
  compare("aerr", "k=3 eta=1e-3 radius=1e-90", 300, 1, 1e-6);
}

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
  RUN(aerr_moves_as_printed);
  RUN(aelr_moves_as_printed);
  RUN(aer_moves_as_printed);
  RUN(many_attributes_move_as_few);
  RUN(without_a_horizon_eta_adapts_as_stated);
  RUN(averages_are_of_the_iterates_that_they_say);
  RUN(huge_steps_do_not_break_the_scale);
  RUN(huge_thetas_do_not_overflow);
  RUN(lazy_averages_stay_exact);
  return check_done();
}
