/* The stopped U-statistic: every outcome enumerated.  Gradient and free risk
 * are unbiased for stale and mixed laws, with and without a certainty set, for
 * w of every kind; at K = d they are exact. */
#include "estimate/stopped_gradient.h"
#include "problem.h"

#define TIGHT 1e-12

static const double W[][6] = {
    {0, 0, 0, 0, 0, 0}, {0.5, -0.25, 0.4, 0.125, 0.75, -0.3}, {0, 0, 0.9, 0, 0, 0}, {1e-9, 0.3, -1e-7, 0.2, 0, 0.4}};
static const double X[][6] = {{0.5, -0.3, 0.2, 0.7, -0.1, 0.05}, {1, 0, -1, 0, 0.5, 2}};
/* What is left of |w| and of exploration when a look is drawn: not today's. */
static const double EXPLORE[][6] = {{1, 1, 1, 1, 1, 1}, {1, 0.1, 1, 0.3, 1, 0.02}};
static const double FOLLOW[][6] = {{0, 0, 0, 0, 0, 0}, {0.1, 6, 6, 0.1, 0.3, 0}};

typedef struct outcome {
  double total, gradient[6], risk, square;
  uint32_t most, certain, fewest_draws, most_draws;
} outcome;

/* Expectations over every outcome of ask, for one example. */
static outcome enumerate(scant_learner *l, scant_look *look, const double *w, const double *x, double y) {
  outcome o = {.fewest_draws = UINT32_MAX};
  scant_sum gradient[6] = {{0}}, risk = {0}, total = {0}; /* of up to a million outcomes */
  enumeration e;
  scant_error error;
  enumerate_start(&e, l);
  do {
    double seen[6], frozen[6], g[6], t[6], a[6];
    enumerate_begin_run(&e);
    if (!CHECK(scant_learner_ask(l, look, &error) == SCANT_OK)) break;
    uint32_t certain = 0;
    for (uint32_t i = 0; i < look->count; i++) {
      seen[i] = x[look->attributes[i]];
      frozen[i] = w[look->attributes[i]];
      certain += !look->gradient_draws[i];
    }
    scant_ustatistic u = scant_ustatistic_of(look, seen, frozen, t, a);
    scant_ustatistic_gradient(&u, look, seen, t, a, y, g);
    double q = e.probability;
    for (uint32_t i = 0; i < look->count; i++) {
      scant_sum_add(&gradient[look->attributes[i]], q * g[i]);
      o.square += q * g[i] * g[i];
    }
    scant_sum_add(&risk, q * scant_ustatistic_risk(&u, y));
    scant_sum_add(&total, q);
    if (q > 0) {
      if (look->count > o.most) o.most = look->count;
      if (certain > o.certain) o.certain = certain;
      if (look->gradient_total < o.fewest_draws) o.fewest_draws = look->gradient_total;
      if (look->gradient_total > o.most_draws) o.most_draws = look->gradient_total;
    }
    scant_learner_cancel(l, look, &error);
  } while (enumerate_next(&e));
  enumerate_stop(l);
  o.total = scant_sum_value(total);
  o.risk = scant_sum_value(risk);
  for (int i = 0; i < 6; i++) o.gradient[i] = scant_sum_value(gradient[i]);
  return o;
}

static scant_learner *open_auto(size_t d, unsigned k, scant_look **look) {
  char text[32];
  scant_learner *l = NULL;
  scant_error error;
  snprintf(text, sizeof text, "k=%u clip=none", k);
  scant_settings s = problem_settings("auto", text);
  CHECK(scant_learner_new(&l, &s, d, 0, &error) == SCANT_OK && scant_look_new(look, l, &error) == SCANT_OK);
  return l;
}

/* Every outcome together: the gradient and the risk that all attributes would give. */
static outcome check_unbiased(scant_learner *l, scant_look *look, const double *w, const double *x, double y) {
  outcome o = enumerate(l, look, w, x, y);
  double residual = dot(w, x, l->dimension) - y;
  CHECK_NEAR(o.total, 1, TIGHT);
  CHECK_NEAR(o.risk, residual * residual, TIGHT);
  for (size_t i = 0; i < l->dimension; i++) CHECK_NEAR(o.gradient[i], residual * x[i], TIGHT);
  return o;
}

static outcome check_law(size_t d, unsigned k, const double *explore, const double *follow, const double *w,
                         const double *x, double y) {
  scant_look *look = NULL;
  scant_learner *l = open_auto(d, k, &look);
  problem_set_law(l, explore, follow);
  outcome o = check_unbiased(l, look, w, x, y);
  CHECK(o.most <= k);
  CHECK(o.certain <= (k == d ? k : k / 2) && (k == d || o.fewest_draws >= 2));
  /* one attribute again and again: the cap is twice the attributes that are drawn */
  CHECK(o.most_draws == (k == d ? 0 : 2 * (k - o.certain)));
  CHECK(l->looks.law.explore[0] == explore[0]); /* H is put back */
  scant_look_free(look);
  scant_learner_free(l);
  return o;
}

/* Small enough to be gone through with any cap. */
TEST(draws_are_at_most_twice_the_attributes) {
  check_law(3, 2, EXPLORE[1], FOLLOW[1], W[1], X[0], 0.4);
}

TEST(gradient_and_risk_are_unbiased) {
  for (size_t d = 2; d <= 5; d++)
    for (unsigned k = 2; k <= (d < 5 ? d : 2); k++) /* d = 5, K = 3 has a million outcomes */
      for (size_t law = 0; law < 4; law++)
        for (size_t i = 0; i < 8; i++)
          check_law(d, k, EXPLORE[law / 2], FOLLOW[law % 2], W[i / 2], X[i % 2], i % 3 ? 0.4 : -1);
}

/* Attributes that were never bought are alike in the law, and drawn as one. */
TEST(a_law_that_knows_only_some_is_as_good) {
  for (size_t known = 0; known < 4; known++)
    for (unsigned k = 2; k <= 3; k++) {
      scant_look *look = NULL;
      scant_learner *l = open_auto(4, k, &look);
      l->looks.law.listed_count = 0;
      for (uint32_t i = 0; i < known; i++) scant_law_list(&l->looks.law, (3 * i + 2) % 4); /* 2, 1, 0 */
      l->looks.law.known = known;
      for (size_t place = 0; place < known; place++) {
        l->looks.law.explore[place] = EXPLORE[1][place];
        l->looks.law.follow[place] = FOLLOW[1][place];
      }
      l->looks.law.other = 0.7;
      scant_law_rebuild(&l->looks.law);
      check_unbiased(l, look, W[1], X[0], 0.4);
      scant_look_free(look);
      scant_learner_free(l);
    }
}

TEST(what_is_likely_is_bought_for_certain) {
  outcome o = check_law(5, 4, EXPLORE[1], FOLLOW[1], W[1], X[0], 0.4);
  CHECK(o.certain == 2);
  o = check_law(5, 3, EXPLORE[1], FOLLOW[1], W[1], X[0], 0.4); /* not below K = 4 */
  CHECK(o.certain == 0);
}

TEST(at_k_equal_d_both_are_exact) {
  for (size_t d = 2; d <= 6; d++) {
    for (size_t i = 0; i < 4; i++) {
      double y = 0.4, residual = dot(W[i], X[0], d) - y, square = 0;
      outcome o = check_law(d, (unsigned)d, EXPLORE[1], FOLLOW[1], W[i], X[0], y);
      for (size_t j = 0; j < d; j++) square += residual * residual * X[0][j] * X[0][j];
      CHECK_NEAR(o.square, square, TIGHT); /* no variance */
    }
  }
}

/* Four draws of three attributes at K = 2, where a third distinct one is skipped
 * and drawing goes on: the mean of the kept draws, by hand. */
static double skipping_bias(void) {
  const double q[3] = {0.6, 0.3, 0.1}, w[3] = {0.5, -0.25, 0.4}, x[3] = {0.5, -0.3, 0.2};
  double mean = 0;
  for (int outcome_number = 0; outcome_number < 81; outcome_number++) {
    int other = -1, first = outcome_number % 3, kept = 0;
    double probability = 1, sum = 0;
    for (int r = 0, rest = outcome_number; r < 4; r++, rest /= 3) {
      int i = rest % 3;
      probability *= q[i];
      if (i != first && other < 0) other = i;
      if (i != first && i != other) continue;
      sum += w[i] * x[i] / q[i];
      kept++;
    }
    mean += probability * sum / kept;
  }
  return mean - dot(w, x, 3);
}

TEST(going_on_after_a_draw_that_does_not_fit_would_be_biased) {
  CHECK(fabs(skipping_bias()) > 1e-3);
}

/* ---- the second moment against AERR's --------------------------------------- */

/* Averaged over a distribution of (x, y), for w zero, dense, sparse and
 * optimal, with laws from the moments, E||g||^2 is below that of AERR. */
TEST(second_moment_is_below_aerrs) {
  enum { D = 4, EXAMPLES = 12 };
  double x[EXAMPLES][6], y[EXAMPLES], deviation[6] = {0};
  static const double scale[D] = {1, 0.8, 0.5, 0.2}, optimal[6] = {0.5, -0.4, 0.3, 0.2};
  scant_rng rng;
  scant_rng_seed(&rng, 3, 0);
  for (int n = 0; n < EXAMPLES; n++) {
    for (int i = 0; i < D; i++) {
      x[n][i] = scale[i] * (2 * scant_rng_unit(&rng) - 1);
      deviation[i] += x[n][i] * x[n][i] / EXAMPLES;
    }
    y[n] = dot(optimal, x[n], D) + 0.1 * (2 * scant_rng_unit(&rng) - 1);
  }
  static const double weights[][6] = {{0}, {0.3, 0.3, -0.3, 0.3}, {0, 0.7, 0, 0}, {0.5, -0.4, 0.3, 0.2}};
  double explore[6], follow[6];
  for (int i = 0; i < D; i++) explore[i] = sqrt(deviation[i]);
  for (int k = 3; k <= 4; k++) {
    for (int v = 0; v < 4; v++) {
      double ours = 0, theirs = 0;
      for (int i = 0; i < D; i++) follow[i] = fabs(weights[v][i]) * explore[i];
      for (int n = 0; n < EXAMPLES; n++) {
        char text[32];
        snprintf(text, sizeof text, "k=%d", k);
        ours += check_law(D, (unsigned)k, explore, follow, weights[v], x[n], y[n]).square;
        problem p;
        problem_open(&p, "aerr", text, D, weights[v], x[n], y[n]);
        moments m = problem_enumerate(&p, NULL);
        for (int i = 0; i < D; i++) theirs += m.g2[i];
        problem_close(&p);
      }
      printf("# K %d, w %d: sum of E|g|^2 %.4f, AERR's %.4f\n", k, v, ours, theirs);
      CHECK(ours < theirs);
    }
  }
}

/* ---- auto, step by step ------------------------------------------------------ */

/* The recipe once more, dense and in the order of its definition. */
typedef struct recipe {
  double n[6], mu[6], S2[6], mx2[6], S[6], V[6], gm2[6], v[6], sum[6];
  double t, ybar, Sy, total;
  double terms[3]; /* sums of what the examples say of y^2, y (w.x) and (w.x)^2, w the average */
} recipe;

/* What a look says of v.z, and of (v.z)^2, draw by draw. */
static double recipe_form(const scant_look *look, const double *v, const double *z, double *line) {
  double n = look->gradient_total, p = 0, mean = 0, pairs = 0;
  for (uint32_t k = 0; k < look->count; k++) {
    double t = v[k] * z[k], draws = look->gradient_draws[k], q = look->gradient_probability[k];
    if (!look->gradient_draws[k]) p += t;
    if (!look->gradient_draws[k]) continue;
    mean += draws * t / q / n;
    pairs += draws * t / q * t / n; /* its own term */
    for (uint32_t j = 0; j < look->count; j++)
      if (j != k && look->gradient_draws[j])
        pairs += draws * look->gradient_draws[j] * t / q * v[j] * z[j] / look->gradient_probability[j] / (n * (n - 1));
  }
  *line = p + mean;
  return p * p + 2 * p * mean + pairs;
}

/* q(average) = sum of weights times [q(v) - (1 - share) q(v - average before)] / total. */
static void recipe_judge(recipe *r, const scant_look *look, const double *z, double yz) {
  double v[6], away[6], line, unused, weight = r->t * r->t, share = weight / (r->total + weight);
  double unit2 = r->Sy / r->t;
  for (uint32_t k = 0; k < look->count; k++) {
    uint32_t i = look->attributes[k];
    v[k] = r->v[i];
    away[k] = v[k] - (r->total > 0 ? r->sum[i] / r->total : v[k]);
  }
  double square = recipe_form(look, v, z, &line) - (1 - share) * recipe_form(look, away, z, &unused);
  r->terms[0] += weight * yz * yz * unit2;
  r->terms[1] += weight * yz * line * unit2;
  r->terms[2] += weight * square * unit2;
}

static void recipe_step(recipe *r, const scant_look *look, const double *values, double y, size_t d) {
  double z[6] = {0}, g[6] = {0}, v[6];
  for (uint32_t k = 0; k < look->count; k++) {
    uint32_t i = look->attributes[k];
    double dl = values[k] - r->mu[i];
    r->n[i] += 1;
    r->mu[i] += dl / r->n[i];
    r->S2[i] += dl * (values[k] - r->mu[i]);
    if (r->n[i] > 1) r->mx2[i] = fmax(r->mx2[i], dl * dl);
    double sigma2 = r->n[i] > 1 ? (r->S2[i] + r->mx2[i]) / r->n[i] : 0;
    z[k] = sigma2 > 0 ? dl / sqrt(sigma2) : 0;
    v[k] = r->v[i];
  }
  double dy = y - r->ybar;
  r->t += 1;
  r->ybar += dy / r->t;
  r->Sy += dy * (y - r->ybar);
  double yz = r->Sy > 0 ? dy / sqrt(r->Sy / r->t) : 0;
  double N = look->gradient_total, P = 0, p = 0;
  for (uint32_t k = 0; k < look->count; k++) {
    if (look->gradient_draws[k])
      P += look->gradient_draws[k] * v[k] * z[k] / look->gradient_probability[k];
    else
      p += v[k] * z[k];
  }
  for (uint32_t k = 0; k < look->count; k++) {
    double n = look->gradient_draws[k], q = look->gradient_probability[k], c = n * v[k] * z[k] / q;
    g[k] = n ? n * z[k] / (N * q) * ((P - c) / (N - 1) + v[k] * z[k] + p - yz) : z[k] * (p + (N ? P / N : 0) - yz);
  }
  recipe_judge(r, look, z, yz);
  double b = 0.4 / (double)d, c = sqrt(log(2 * (double)d) / 2);
  for (size_t i = 0; i < d; i++) r->sum[i] += r->t * r->t * r->v[i];
  r->total += r->t * r->t;
  for (uint32_t k = 0; k < look->count; k++) {
    uint32_t i = look->attributes[k];
    r->S[i] -= g[k];
    r->V[i] += g[k] * g[k];
    r->gm2[i] = fmax(r->gm2[i], g[k] * g[k]);
    double size = r->V[i] + r->gm2[i];
    r->v[i] = size > 0 ? b * sinh(fmax(-20, fmin(20, c * r->S[i] / sqrt(size)))) : 0;
  }
}

TEST(auto_moves_as_the_recipe_says) {
  for (unsigned k = 2; k <= 6; k++) {
    scant_look *look = NULL;
    scant_learner *l = open_auto(6, k, &look);
    scant_error error;
    scant_rng rng;
    recipe r = {0};
    double w[6], intercept, worst = 0;
    scant_rng_seed(&rng, 5, k);
    for (int t = 0; t < 400; t++) {
      double x[6], values[6], y = 3;
      for (int i = 0; i < 6; i++) x[i] = i == 5 ? 7 : 10 + (double)(1 << i) * (scant_rng_unit(&rng) - 0.5);
      for (int i = 0; i < 3; i++) y += (i - 1.5) * (x[i] - 10) / (double)(1 << i);
      CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
      for (uint32_t i = 0; i < look->count; i++) values[i] = x[look->attributes[i]];
      recipe_step(&r, look, values, y, 6);
      CHECK(scant_learner_tell(l, look, look->count, NULL, values, y, &error) == SCANT_OK);
    }
    scant_learner_facts facts;
    scant_learner_weights(l, w, &intercept);
    scant_learner_get_facts(l, &facts);
    for (int term = 0; term < 3; term++) r.terms[term] /= r.total;
    CHECK_NEAR(facts.risk, fmax(0, r.terms[0] - 2 * facts.scale * r.terms[1] + facts.scale * facts.scale * r.terms[2]),
               1e-9);
    CHECK(facts.scale == scant_parabola_scale(&l->parabola, 64));
    double expected = r.ybar;
    for (int i = 0; i < 6; i++) {
      double sigma2 = (r.S2[i] + r.mx2[i]) / r.n[i];
      double wi = sigma2 > 0 ? facts.scale * sqrt(r.Sy / r.t) * r.sum[i] / r.total / sqrt(sigma2) : 0;
      expected -= wi * r.mu[i];
      worst = fmax(worst, fabs(w[i] - wi) / (1 + fabs(wi)));
    }
    CHECK_AT_MOST(worst, 1e-10);
    CHECK_NEAR(intercept, expected, 1e-9);
    CHECK(w[0] < -1 && w[5] == 0); /* it learned something; what never varies has no weight */
    scant_look_free(look);
    scant_learner_free(l);
  }
}

int main(void) {
  RUN(draws_are_at_most_twice_the_attributes);
  RUN(gradient_and_risk_are_unbiased);
  RUN(a_law_that_knows_only_some_is_as_good);
  RUN(what_is_likely_is_bought_for_certain);
  RUN(at_k_equal_d_both_are_exact);
  RUN(going_on_after_a_draw_that_does_not_fit_would_be_biased);
  RUN(second_moment_is_below_aerrs);
  RUN(auto_moves_as_the_recipe_says);
  return check_done();
}
