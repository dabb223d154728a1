/* The lemmas of the paper as properties of the code. */
#include "losses.h"
#include "problem.h"

static double unit(scant_rng *rng) {
  return 2 * scant_rng_unit(rng) - 1;
}

/* [HK12, lemma A.2]: |E[clip X] - E X| <= 2 var X / C if |E X| <= C/2. */
TEST(clip_lemma) {
  scant_rng rng;
  scant_rng_seed(&rng, 1, 0);
  int tried = 0;
  for (int r = 0; r < 20000; r++) {
    double p[5], v[5], total = 0, mean = 0, square = 0, clipped = 0, c = 0.1 + scant_rng_unit(&rng);
    for (int i = 0; i < 5; i++) {
      p[i] = pow(scant_rng_unit(&rng), 4);
      v[i] = unit(&rng) * (i ? 1 : 20);
      total += p[i];
    }
    for (int i = 0; i < 5; i++) {
      mean += p[i] / total * v[i];
      square += p[i] / total * v[i] * v[i];
      clipped += p[i] / total * scant_clip(v[i], c);
    }
    if (fabs(mean) > c / 2) continue;
    tried++;
    CHECK_AT_MOST(fabs(clipped - mean), 2 * (square - mean * mean) / c + 1e-12);
  }
  CHECK(tried > 1000);
  CHECK(isnan(scant_clip(NAN, 1))); /* not turned into a bound */
}

/* [HK12, lemma 3.5]: the regret of EG+- itself, with p_t . g' = w_t . g / B. */
TEST(multiplicative_weights_regret) {
  enum { d = 6, m = 400 };
  scant_rng rng;
  scant_rng_seed(&rng, 2, 0);
  for (int r = 0; r < 50; r++) {
    scant_iterate w;
    double scratch[2 * d], eta = 0.02 + scant_rng_unit(&rng), left = 0, second = 0, sum[d] = {0}, best = 0;
    CHECK(scant_iterate_new(&w, &scant_update_eg, d, 1));
    for (int t = 0; t < m; t++) {
      uint32_t attribute[d];
      double g[d], total = scant_sumtree_total(&w.mass);
      for (uint32_t i = 0; i < d; i++) {
        attribute[i] = i;
        g[i] = scant_clip((unit(&rng) + 0.3 * i * unit(&rng)) / eta, 1 / eta);
        left += scant_iterate_weight(&w, i) * g[i];
        second += scant_sumtree_leaf(&w.mass, i) / total * g[i] * g[i]; /* p+_i + p-_i */
        sum[i] += g[i];
      }
      scant_update_eg.step(&w, d, attribute, g, eta, (uint64_t)t + 1, scratch);
    }
    for (int i = 0; i < d; i++) best = fmin(best, -fabs(sum[i]));
    CHECK_AT_MOST(left, best + log(2 * d) / eta + eta * second + 1e-9);
    scant_iterate_free(&w);
  }
}

/* [HK12, lemma 3.2]: the regret of projected gradient steps. */
TEST(projected_gradient_regret) {
  enum { d = 5, m = 300 };
  scant_rng rng;
  scant_rng_seed(&rng, 3, 0);
  for (int r = 0; r < 50; r++) {
    scant_iterate w;
    double scratch[2 * d], eta = 0.01 + scant_rng_unit(&rng), B = 0.5 + scant_rng_unit(&rng), left = 0, squares = 0,
                           sum[d] = {0};
    CHECK(scant_iterate_new(&w, &scant_update_gradient, d, B));
    for (int t = 0; t < m; t++) {
      uint32_t attribute[d];
      double g[d];
      for (uint32_t i = 0; i < d; i++) {
        attribute[i] = i;
        g[i] = unit(&rng) + 0.2;
        left += scant_iterate_weight(&w, i) * g[i];
        squares += g[i] * g[i];
        sum[i] += g[i];
      }
      scant_update_gradient.step(&w, d, attribute, g, eta, (uint64_t)t + 1, scratch);
    }
    double best = -B * sqrt(dot(sum, sum, d)); /* min over the ball */
    CHECK_AT_MOST(left - best, 2 * B * B / eta + eta / 2 * squares + 1e-9);
    scant_iterate_free(&w);
  }
}

/* [HK12, claim 4.2]: the smooth losses are convex, within epsilon of
 * the sharp ones, and their derivative is the one we use. */
TEST(smooth_losses_are_close_and_convex) {
  for (double e = 0.05; e < 3; e *= 1.7) {
    for (double t = 0; t < 1; t += 0.3) {
      scant_loss_form forms[] = {{SCANT_LOSS_INSENSITIVE, t, e}, {SCANT_LOSS_ABSOLUTE, 0, e}, {SCANT_LOSS_HINGE, 0, e}};
      for (double s = -4; s <= 4; s += 0.01) {
        double y = 0.3, sharp[] = {fmax(0, fabs(s - y) - t), fabs(s - y), fmax(0, 1 + s)}, target[] = {y, y, -1};
        for (int f = 0; f < 3; f++) {
          double value = loss_value(&forms[f], s, target[f]);
          double slope = scant_loss_derivative(&forms[f], s, target[f]);
          CHECK_AT_MOST(fabs(value - sharp[f]), e);
          CHECK_AT_MOST(slope, scant_loss_derivative(&forms[f], s + 0.01, target[f]) + 1e-15);
          double h = 1e-5, up = loss_value(&forms[f], s + h, target[f]);
          CHECK_NEAR((up - loss_value(&forms[f], s - h, target[f])) / (2 * h), slope, 1e-8 / e / e + 1e-9);
        }
      }
    }
  }
}

/* [HK12, claim 4.3]: the series is erf's; the products lose nothing on the way. */
TEST(genest_series_is_erf) {
  scant_series erf_series = scant_series_erf();
  for (double s = -2.5; s <= 2.5; s += 0.25) {
    double sum = 0, total = 0;
    for (uint32_t n = 1; n <= 151; n += 2) {
      double factors[151], p = scant_genest_probability(&erf_series, n);
      for (uint32_t r = 0; r < n; r++) factors[r] = s;
      sum += p * scant_genest_product(&erf_series, n, factors);
      total += p;
    }
    CHECK_NEAR(sum, erf(s), 1e-12);
    CHECK_NEAR(total, 1, 1e-15);
  }
  /* factors whose plain product would overflow */
  double large[301];
  for (int r = 0; r < 301; r++) large[r] = r % 2 ? 1e200 : 1e-200;
  CHECK(isfinite(scant_genest_product(&erf_series, 301, large)));
}

/* Orders follow their law (5 sigma), even ones never come; a call is expected
 * to take no more than 3.1 draws, whatever N (the lemma's 3 is for its own law,
 * which spends half of its calls on coefficients that are zero). */
TEST(genest_orders_and_looks) {
  scant_series erf_series = scant_series_erf();
  scant_rng rng;
  scant_rng_seed(&rng, 4, 0);
  enum { n = 400000 };
  int count[64] = {0};
  for (int r = 0; r < n; r++) {
    uint32_t order = scant_genest_order(&erf_series, &rng);
    if (order < 64) count[order]++;
  }
  for (uint32_t order = 0; order < 12; order++) {
    double p = scant_genest_probability(&erf_series, order);
    CHECK_AT_MOST(fabs(count[order] - n * p), 5 * sqrt(n * p * (1 - p)));
    if (order % 2 == 0) CHECK(count[order] == 0);
  }
  double most = 0;
  for (uint32_t N = 1; N < 100000; N += 1 + N / 50) {
    double sum = 0; /* by its definition, term by term */
    for (uint32_t order = 1; order < 200; order += 2)
      sum += 3 * ldexp(1, -(int)order - 1) * order * (order <= 2 * log2(N) ? 1 : N);
    CHECK_NEAR(scant_genest_expected_draws(&erf_series, N), sum, 1e-12 * sum);
    most = fmax(most, sum);
  }
  CHECK_AT_MOST(most, 3.1);
  printf("# GenEst with erf: at most %.3f expected draws a call\n", most);
}

/* One draw, scaled by 1/e, has a second moment of at most 10 B^2/e^2.  N is the least
 * number of draws whose mean has a variance of at most 1: N e^2 >= 10 B^2. */
TEST(genest_groups_are_the_smallest_that_do) {
  for (int b = 1; b <= 40; b++)
    for (int e = 1; e <= 40; e++) {
      uint64_t least = 1;
      while (least * (uint64_t)(e * e) < (uint64_t)(10 * b * b)) least++;
      uint32_t n = scant_genest_group(b, e); /* ratios are rounded: one more where it divides */
      CHECK(n == least || (10 * b * b % (e * e) == 0 && n == least + 1));
      scant_settings s = problem_settings("aesvr", "k=8 loss=absolute");
      scant_learner *l = NULL;
      scant_error error;
      s.learning.radius = b;
      s.learning.smoothing = e;
      CHECK(scant_learner_new(&l, &s, 8, 10, &error) == SCANT_OK && l->looks.group == n);
      scant_learner_free(l);
    }
}

/* The second moment grows about like exp(4 (r/e)^2) in the residual r, which no
 * exp(O(log^2)) bounds: [HK12, lemma 4.1] is wrong there. */
TEST(genest_second_moment_grows_as_stated) {
  scant_series erf_series = scant_series_erf();
  for (double ratio = 1; ratio <= 8; ratio *= 2) {
    double moment = log(genest_second_moment(&erf_series, scant_genest_group(1, 1 / ratio), ratio, 0));
    printf("# r/e = %g: log10 E[phi^2] = %.1f\n", ratio, moment / log(10));
    CHECK_AT_MOST(moment, 4 * ratio * ratio);
    if (ratio >= 4) CHECK_AT_MOST(0.8 * 4 * ratio * ratio, moment);
  }
}

/* Projections: the result is in the ball, nothing in the ball is nearer, and a
 * point of the ball stays. */
TEST(projection_onto_the_1norm_ball) {
  enum { MOST = 35 };
  scant_rng rng;
  scant_rng_seed(&rng, 5, 0);
  for (int r = 0; r < 2000; r++) {
    double v[MOST], w[MOST], u[MOST], norm = 0, other = 0, distance = 0, nearer = 0;
    double B = 0.1 + 2 * scant_rng_unit(&rng);
    int d = 1 + r % MOST; /* some are no multiple of what is added side by side */
    for (int i = 0; i < d; i++) {
      w[i] = v[i] = r % 3 ? unit(&rng) : floor(4 * unit(&rng)) / 4; /* with ties and zeros */
      u[i] = unit(&rng);
      other += fabs(u[i]);
    }
    scant_project_1norm(w, (size_t)d, B);
    for (int i = 0; i < d; i++) {
      norm += fabs(w[i]);
      u[i] *= B / other; /* some point of the ball */
      distance += (w[i] - v[i]) * (w[i] - v[i]);
      nearer += (w[i] - v[i]) * (w[i] - u[i]); /* <= 0 at the projection */
    }
    CHECK_AT_MOST(norm, B * (1 + 1e-12));
    CHECK_AT_MOST(nearer, 1e-12);
    double inside = 0;
    for (int i = 0; i < d; i++) inside += fabs(v[i]);
    if (inside <= B) CHECK(distance == 0);
  }
}

/* [HK12, lemmas 3.3 and 3.8]: E||g~||^2 <= 8 B^2 d/k (2-norm), and for every
 * coordinate in the 1-norm, over random w, x, y within the bounds. */
TEST(variance_lemmas) {
  scant_rng rng;
  scant_rng_seed(&rng, 6, 0);
  for (int r = 0; r < 200; r++) {
    size_t d = 2 + scant_rng_below(&rng, 4);
    double w[PROBLEM_MOST], x[PROBLEM_MOST], x2 = 0, w2 = 0, B = 1.5, y = B * unit(&rng);
    for (size_t i = 0; i < d; i++) {
      w[i] = unit(&rng);
      x[i] = unit(&rng);
      x2 += x[i] * x[i];
      w2 += w[i] * w[i];
    }
    double flat[PROBLEM_MOST];
    for (size_t i = 0; i < d; i++) {
      flat[i] = x[i] / sqrt(x2);
      w[i] *= B * scant_rng_unit(&rng) / sqrt(w2);
    }
    problem p;
    problem_open(&p, "aerr", "k=2 radius=1.5", d, w, flat, y);
    moments m = problem_enumerate(&p, NULL);
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += m.g2[i];
    CHECK_AT_MOST(sum, 8 * B * B * (double)d);
    problem_close(&p);
    problem_open(&p, "aelr", "k=2 radius=1.5", d, w, x, y);
    m = problem_enumerate(&p, NULL);
    for (size_t i = 0; i < d; i++) CHECK_AT_MOST(m.g2[i], 8 * B * B * (double)d);
    problem_close(&p);
  }
}

int main(void) {
  RUN(clip_lemma);
  RUN(multiplicative_weights_regret);
  RUN(projected_gradient_regret);
  RUN(smooth_losses_are_close_and_convex);
  RUN(genest_series_is_erf);
  RUN(genest_orders_and_looks);
  RUN(genest_groups_are_the_smallest_that_do);
  RUN(genest_second_moment_grows_as_stated);
  RUN(projection_onto_the_1norm_ball);
  RUN(variance_lemmas);
  return check_done();
}
