/* The paths that real fits take: looks of 8 to 64 attributes, computed in vectors,
 * against the formulas as they are written, term by term and in long doubles.
 * clones.c makes the same program once for every width that is compiled. */
#include "base/lanes.h"
#include "estimate/stopped_gradient.h"
#include "problem.h"
#include "richardson_naive.h"

enum { MOST = 64, WIDE = 150 };

static double unit(scant_rng *rng) {
  return 2 * scant_rng_unit(rng) - 1;
}

/* |a - b| in units of what was added up to make them. */
static void check_close(double a, long double b, long double size, double *worst) {
  double off = (double)(fabsl(a - b) / fmaxl(size, 1));
  *worst = off <= *worst ? *worst : isnan(off) ? INFINITY : off;
}

/* A learner whose weights are `dense` at random and whose law is lopsided, so that
 * some attributes are bought for certain; or not. */
static scant_learner *open_wide(const char *algorithm, const char *more, unsigned k, int lopsided, scant_rng *rng,
                                scant_look **look) {
  char text[64];
  scant_learner *l = NULL;
  scant_error error;
  double explore[WIDE], follow[WIDE];
  snprintf(text, sizeof text, "k=%u%s", k, more);
  scant_settings s = problem_settings(algorithm, text);
  CHECK(scant_learner_new(&l, &s, WIDE, 0, &error) == SCANT_OK && scant_look_new(look, l, &error) == SCANT_OK);
  for (size_t i = 0; i < WIDE; i++) {
    l->w.at[i].shape = i % 3 ? unit(rng) / l->w.scale : 0;
    explore[i] = 0.2 + scant_rng_unit(rng);
    follow[i] = lopsided && i % 25 == 4 ? 20 : scant_rng_unit(rng);
  }
  if (l->own_intercept) l->w.at[WIDE].shape = 0.3 / l->w.scale;
  problem_set_law(l, explore, follow);
  return l;
}

/* ---- the stopped U-statistic --------------------------------------------------- */

/* The formulas of ALGORITHMS: draws are listed one by one, and pairs of different
 * draws are gone through. */
typedef struct naive {
  long double gradient[MOST], risk, size;
} naive;

static naive naive_ustatistic(const scant_look *look, const double *w, const double *x, double y) {
  naive out = {.size = 0};
  static uint32_t drawn[4 * MOST];
  uint32_t n = 0;
  long double p = 0, pairs = 0, own = 0, mean = 0;
  for (uint32_t i = 0; i < look->count; i++) {
    for (uint32_t r = 0; r < look->gradient_draws[i]; r++) drawn[n++] = i;
    if (!look->gradient_draws[i]) p += (long double)w[i] * x[i];
  }
#define U(k) ((long double)w[drawn[k]] * x[drawn[k]] / look->gradient_probability[drawn[k]])
  for (uint32_t a = 0; a < n; a++) {
    uint32_t i = drawn[a];
    long double others = 0;
    for (uint32_t b = 0; b < n; b++)
      if (drawn[b] != i) others += U(b);
    mean += U(a) / n;
    own += U(a) * w[i] * x[i] / n;
    pairs += n > 1 ? U(a) * others / n / (n - 1) : 0;
    out.gradient[i] += x[i] / (n * (long double)look->gradient_probability[i]) *
                       ((n > 1 ? others / (n - 1) : 0) + (long double)w[i] * x[i] + p - y);
    out.size += fabsl(U(a));
  }
#undef U
  for (uint32_t i = 0; i < look->count; i++)
    if (!look->gradient_draws[i]) out.gradient[i] = x[i] * (p + mean - y);
  out.risk = pairs + own + p * p + 2 * p * mean - 2 * y * (mean + p) + (long double)y * y;
  return out;
}

TEST(the_u_statistic_is_its_formula) {
  scant_rng rng;
  scant_error error;
  double worst_gradient = 0, worst_risk = 0;
  uint32_t certain = 0, counts[MOST + 1] = {0};
  scant_rng_seed(&rng, 11, 0);
  for (unsigned k = 8; k <= MOST; k++)
    for (int turn = 0; turn < 6; turn++) {
      scant_look *look = NULL;
      scant_learner *l = open_wide("auto", "", k, turn % 2, &rng, &look);
      CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count <= k);
      double x[MOST], w[MOST], t[MOST], a[MOST], g[MOST], y = unit(&rng);
      for (uint32_t i = 0; i < look->count; i++) {
        x[i] = unit(&rng);
        w[i] = turn < 3 ? look->weight[i] : unit(&rng); /* of the look, or of another learner */
        certain += !look->gradient_draws[i];
      }
      counts[look->count]++;
      naive n = naive_ustatistic(look, w, x, y);
      scant_ustatistic u = scant_ustatistic_of(look, x, turn < 3 ? NULL : w, t, a);
      scant_ustatistic_gradient(&u, look, x, t, a, y, g);
      for (uint32_t i = 0; i < look->count; i++)
        check_close(g[i], n.gradient[i], n.size / look->gradient_probability[i], &worst_gradient);
      check_close(scant_ustatistic_risk(&u, y), n.risk, n.size * n.size / look->gradient_total, &worst_risk);
      scant_look_free(look);
      scant_learner_free(l);
    }
  CHECK_AT_MOST(worst_gradient, 1e-15);
  CHECK_AT_MOST(worst_risk, 1e-15);
  CHECK(certain > 100 && counts[8] && counts[MOST]);
}

/* ---- Richardson ------------------------------------------------------------------ */

/* Every draw in turn is the gradient's, its item's other draws count as 0. */
static long double naive_richardson(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                                    long double *g) {
  static uint32_t drawn[4 * MOST];
  static int half[4 * MOST], others_half[4 * MOST];
  static long double u[4 * MOST], others[4 * MOST];
  uint32_t n = 0;
  long double known = look->intercept;
  for (uint32_t i = 0; i < look->count; i++) {
    long double t = (long double)look->weight[i] * x[i];
    for (uint32_t r = 0; r < look->gradient_draws[i]; r++, n++) {
      drawn[n] = i;
      half[n] = r < look->residual_draws[i];
      u[n] = t / look->gradient_probability[i];
    }
    if (!look->gradient_draws[i]) known += t;
    g[i] = 0;
  }
  for (uint32_t a = 0; a < n; a++) {
    uint32_t i = drawn[a], m = 0;
    for (uint32_t b = 0; b < n; b++) {
      if (b == a) continue;
      others[m] = drawn[b] == i ? 0 : u[b];
      others_half[m++] = half[b];
    }
    g[i] += x[i] / (n * (long double)look->gradient_probability[i]) *
            naive_f(form, known + (long double)look->weight[i] * x[i], others, others_half, m, y);
  }
  long double certain = naive_f(form, known, u, half, n, y);
  for (uint32_t i = 0; i < look->count; i++)
    if (!look->gradient_draws[i]) g[i] = x[i] * certain;
  return certain;
}

TEST(richardson_is_its_formula) {
  static const char *const losses[] = {" loss=squared",
                                       " loss=insensitive tube=0.2 smoothing=0.5",
                                       " loss=absolute smoothing=0.5",
                                       " loss=hinge smoothing=0.5",
                                       " loss=huber tube=0.3",
                                       " loss=logistic"};
  scant_rng rng;
  scant_error error;
  double worst = 0, worst_bias = 0;
  scant_rng_seed(&rng, 12, 0);
  for (unsigned k = 8; k <= MOST; k++)
    for (size_t loss = 0; loss < 6; loss++) {
      scant_look *look = NULL;
      scant_learner *l = open_wide("svr", losses[loss], k, (k + loss) % 2, &rng, &look);
      CHECK(scant_learner_ask(l, look, &error) == SCANT_OK && look->count <= k);
      double x[MOST], g[MOST + 1], y = k % 2 ? 1 : -1;
      long double n[MOST];
      for (uint32_t i = 0; i < look->count; i++) x[i] = unit(&rng);
      check_close(scant_richardson_gradient(look, x, y, &l->loss, g), naive_richardson(look, x, y, &l->loss, n), 1,
                  &worst_bias);
      for (uint32_t i = 0; i < look->count; i++)
        check_close(g[i], n[i], 1 / look->gradient_probability[i] / look->gradient_total, &worst);
      scant_look_free(look);
      scant_learner_free(l);
    }
  CHECK_AT_MOST(worst, 1e-12);
  CHECK_AT_MOST(worst_bias, 1e-12);
}

/* ---- moments, units ---------------------------------------------------------- */

/* What a learner knows of its purchases, made in one pass, against two passes over
 * all of them. */
static void check_moments(const char *more, int raw) {
  enum { ROWS = 60, K = 24 };
  static double bought[WIDE][ROWS], means[WIDE];
  size_t n[WIDE] = {0};
  scant_rng rng;
  scant_error error;
  scant_look *look = NULL;
  scant_rng_seed(&rng, 13, 0);
  scant_learner *l = open_wide("auto", more, K, 1, &rng, &look);
  for (int t = 0; t < ROWS; t++) {
    double values[MOST];
    CHECK(scant_learner_ask(l, look, &error) == SCANT_OK);
    for (uint32_t i = 0; i < look->count; i++) {
      values[i] = 100 + unit(&rng);
      bought[look->attributes[i]][n[look->attributes[i]]++] = values[i];
    }
    CHECK(scant_learner_tell(l, look, look->count, NULL, values, unit(&rng), &error) == SCANT_OK);
  }
  double worst_mean = 0, worst_spread = 0, worst_largest = 0;
  scant_learner_means(l, means);
  for (size_t i = 0; i < WIDE; i++) {
    long double mean = 0, spread = 0, largest = 0, before = 0;
    for (size_t r = 0; r < n[i]; r++) mean += (long double)bought[i][r] / n[i];
    for (size_t r = 0; r < n[i]; r++) {
      long double from = raw ? 0 : mean, last = raw ? 0 : before / (long double)(r ? r : 1);
      long double off = bought[i][r] - last;
      spread += (bought[i][r] - from) * (bought[i][r] - from);
      if (r || raw) largest = fmaxl(largest, off * off);
      before += bought[i][r];
    }
    check_close(means[i], mean, fabsl(mean), &worst_mean);
    check_close(l->moments[i].spread, spread, raw ? spread : 100, &worst_spread);
    check_close(l->moments[i].largest, largest, raw ? largest : 100, &worst_largest);
    CHECK(l->moments[i].count == n[i]);
  }
  CHECK_AT_MOST(worst_mean, 1e-15);
  CHECK_AT_MOST(worst_spread, 1e-14);
  CHECK_AT_MOST(worst_largest, 1e-14);
  scant_look_free(look);
  scant_learner_free(l);
}

TEST(moments_are_those_of_two_passes) {
  check_moments(" clip=none", 0);
  check_moments(" clip=none intercept=no", 1);
}

/* ---- auto, step by step, told late ------------------------------------------------------ */

/* The recipe of auto once more, dense and in the order of its definition.  A look is
 * told when others were told after it was asked for: only its draws and their
 * probabilities are those of asking. */
typedef struct recipe {
  size_t d;
  long double n[WIDE], mu[WIDE], S2[WIDE], mx2[WIDE], S[WIDE], V[WIDE], gm2[WIDE], v[WIDE], sum[WIDE];
  long double t, ybar, Sy, total;
} recipe;

/* What was known before the answer. */
typedef struct before {
  long double mu[MOST], v[MOST], ybar;
  int known[MOST];
} before;

static void recipe_note(const recipe *r, const scant_look *look, before *f) {
  f->ybar = r->ybar;
  for (uint32_t k = 0; k < look->count; k++) {
    uint32_t i = look->attributes[k];
    f->mu[k] = r->mu[i];
    f->v[k] = r->v[i];
    f->known[k] = r->n[i] > 0;
  }
}

static void recipe_gradient(const scant_look *look, const long double *v, const long double *z, long double yz,
                            long double *g) {
  long double N = look->gradient_total, P = 0, p = 0;
  for (uint32_t k = 0; k < look->count; k++) {
    if (look->gradient_draws[k])
      P += look->gradient_draws[k] * v[k] * z[k] / look->gradient_probability[k];
    else
      p += v[k] * z[k];
  }
  for (uint32_t k = 0; k < look->count; k++) {
    long double n = look->gradient_draws[k], q = look->gradient_probability[k], c = n * v[k] * z[k] / q;
    g[k] =
        n > 0 ? n * z[k] / (N * q) * ((P - c) / (N - 1) + v[k] * z[k] + p - yz) : z[k] * (p + (N > 0 ? P / N : 0) - yz);
  }
}

static void recipe_tell(recipe *r, const scant_look *look, const double *values, double y) {
  long double z[MOST], g[MOST];
  before known, *f = &known;
  recipe_note(r, look, f);
  for (uint32_t k = 0; k < look->count; k++) {
    uint32_t i = look->attributes[k];
    long double dl = values[k] - r->mu[i];
    r->n[i] += 1;
    r->mu[i] += dl / r->n[i];
    r->S2[i] += dl * (values[k] - r->mu[i]);
    if (r->n[i] > 1) r->mx2[i] = fmaxl(r->mx2[i], dl * dl);
    long double sigma2 = r->n[i] > 1 ? (r->S2[i] + r->mx2[i]) / r->n[i] : 0;
    z[k] = sigma2 > 0 && f->known[k] ? (values[k] - f->mu[k]) / sqrtl(sigma2) : 0;
  }
  long double dy = y - r->ybar;
  r->t += 1;
  r->ybar += dy / r->t;
  r->Sy += dy * (y - r->ybar);
  recipe_gradient(look, f->v, z, r->Sy > 0 ? (y - f->ybar) / sqrtl(r->Sy / r->t) : 0, g);
  long double b = 0.4L / r->d, c = sqrtl(logl(2.0L * r->d) / 2);
  for (size_t i = 0; i < r->d; i++) r->sum[i] += r->t * r->t * r->v[i];
  r->total += r->t * r->t;
  for (uint32_t k = 0; k < look->count; k++) {
    uint32_t i = look->attributes[k];
    r->S[i] -= g[k];
    r->V[i] += g[k] * g[k];
    r->gm2[i] = fmaxl(r->gm2[i], g[k] * g[k]);
    long double size = r->V[i] + r->gm2[i];
    r->v[i] = size > 0 ? b * sinhl(fmaxl(-20, fminl(20, c * r->S[i] / sqrtl(size)))) : 0;
  }
}

/* Rounds of `open` looks, told the last one first; the largest error of a weight. */
static double compare_auto(unsigned k, unsigned open) {
  static recipe r;
  scant_learner *l = NULL;
  scant_look *look[4] = {NULL};
  char text[48];
  scant_error error;
  scant_rng rng;
  r = (recipe){.d = WIDE};
  snprintf(text, sizeof text, "k=%u max-open=%u clip=none", k, open);
  scant_settings s = problem_settings("auto", text);
  CHECK(scant_learner_new(&l, &s, WIDE, 0, &error) == SCANT_OK);
  for (unsigned o = 0; o < open; o++) CHECK(scant_look_new(&look[o], l, &error) == SCANT_OK);
  scant_rng_seed(&rng, 15, k);
  for (int t = 0; t < 120; t++) {
    for (unsigned o = 0; o < open; o++) CHECK(scant_learner_ask(l, look[o], &error) == SCANT_OK);
    for (unsigned o = open; o-- > 0;) {
      double values[MOST], y = 3 * t % 7 + unit(&rng);
      for (uint32_t i = 0; i < look[o]->count; i++) {
        values[i] = 5 + unit(&rng);
        y += look[o]->attributes[i] % 7 == 0 ? values[i] - 5 : 0;
      }
      recipe_tell(&r, look[o], values, y);
      CHECK(scant_learner_tell(l, look[o], look[o]->count, NULL, values, y, &error) == SCANT_OK);
    }
  }
  double w[WIDE], intercept, worst = 0;
  long double expected = r.ybar;
  scant_learner_facts facts;
  scant_learner_get_facts(l, &facts);
  scant_learner_weights(l, w, &intercept);
  for (size_t i = 0; i < WIDE; i++) {
    long double sigma2 = r.n[i] > 1 ? (r.S2[i] + r.mx2[i]) / r.n[i] : 0;
    long double wi = sigma2 > 0 ? facts.scale * sqrtl(r.Sy / r.t) * r.sum[i] / r.total / sqrtl(sigma2) : 0;
    expected -= wi * r.mu[i];
    check_close(w[i], wi, 1, &worst);
  }
  check_close(intercept, expected, 10, &worst);
  for (unsigned o = 0; o < open; o++) scant_look_free(look[o]);
  scant_learner_free(l);
  return worst;
}

TEST(auto_moves_as_the_recipe_says_also_when_told_late) {
  for (unsigned k = 8; k <= MOST; k += 7)
    for (unsigned open = 1; open <= 4; open += 3) CHECK_AT_MOST(compare_auto(k, open), 1e-12);
}

int main(void) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(SCANT_TESTED_WIDTH)
  static const char *const names[] = {"plain", "x86-64-v3", "x86-64-v4"};
  int widest = __builtin_cpu_supports("x86-64-v4") ? 4 : __builtin_cpu_supports("x86-64-v3") ? 3 : 2;
  if (widest != SCANT_TESTED_WIDTH) {
    printf("1..0 # SKIP this machine has no %s\n", names[SCANT_TESTED_WIDTH - 2]);
    return 0;
  }
  printf("# width: %s\n", names[widest - 2]);
#endif
  RUN(the_u_statistic_is_its_formula);
  RUN(richardson_is_its_formula);
  RUN(moments_are_those_of_two_passes);
  RUN(auto_moves_as_the_recipe_says_also_when_told_late);
  return check_done();
}
