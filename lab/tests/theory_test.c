/* [HK12, theorems 3.1 and 3.4] on the family where they say something, and the claim
 * that at K = d nothing is lost but a constant.
 *
 *     theory_test ridge | lasso
 *
 * Isotropic data say nothing: there w = 0 is within the bound.  Here x = r_i e_i
 * with i uniform in T, |T| = 16, r_i a fixed sign, y = 1, B = 1.
 *
 * The risk 1/2 E (1 - w.x)^2 is known exactly, so is the best w in the ball:
 * r_i/4 on T for the 2-norm, r_i/16 for the 1-norm. */
#include <stdlib.h>

#include "check.h"
#include "base/rng.h"
#include "scant.h"

#define FAMILY_T 16

typedef struct family {
  size_t d;
  uint32_t place[FAMILY_T]; /* T */
  double sign[FAMILY_T];
} family;

static void family_make(family *f, size_t d, uint64_t seed) {
  scant_rng rng;
  scant_rng_seed(&rng, seed, 99);
  *f = (family){.d = d};
  for (uint32_t n = 0; n < FAMILY_T; n++) {
    int fresh;
    do {
      f->place[n] = scant_rng_below(&rng, (uint32_t)d);
      fresh = 1;
      for (uint32_t j = 0; j < n; j++) fresh = fresh && f->place[j] != f->place[n];
    } while (!fresh);
    f->sign[n] = scant_rng_below(&rng, 2) ? 1 : -1;
  }
}

static double family_risk(const family *f, const double *w) {
  double sum = 0;
  for (int n = 0; n < FAMILY_T; n++) {
    double residual = 1 - w[f->place[n]] * f->sign[n];
    sum += residual * residual / 2;
  }
  return sum / FAMILY_T;
}

static double family_best_risk(scant_norm norm) {
  double w = norm == SCANT_NORM_2 ? 1.0 / 4 : 1.0 / FAMILY_T;
  return (1 - w) * (1 - w) / 2;
}

/* One run of `algorithm` on m examples; the excess risk of its result. */
static double family_run(const char *algorithm, const char *options, size_t d, uint64_t k, uint64_t m, scant_norm norm,
                         uint64_t seed) {
  scant_settings s;
  scant_learner *learner;
  scant_look *look;
  scant_error error;
  family f;
  scant_rng rng;
  char text[32], name[32];
  scant_settings_init(&s);
  s.learning.algorithm = algorithm;
  snprintf(text, sizeof text, "%llu", (unsigned long long)k);
  CHECK(scant_settings_set(&s, "k", text, &error) == SCANT_OK);
  while (*options) { /* "name=value name=value" */
    size_t length = strcspn(options, "="), rest = strcspn(options, " ");
    snprintf(name, sizeof name, "%.*s", (int)length, options);
    snprintf(text, sizeof text, "%.*s", (int)(rest - length - 1), options + length + 1);
    CHECK(scant_settings_set(&s, name, text, &error) == SCANT_OK);
    options += rest + strspn(options + rest, " ");
  }
  s.learning.seed = seed;
  family_make(&f, d, seed);
  scant_rng_seed(&rng, seed, 7);
  double *values = calloc(d, sizeof *values), *w = calloc(d, sizeof *w);
  if (!CHECK(scant_learner_new(&learner, &s, d, m, &error) == SCANT_OK)) printf("# %s\n", error.text);
  CHECK(scant_look_new(&look, learner, &error) == SCANT_OK);
  for (uint64_t t = 0; t < m; t++) {
    uint32_t n = scant_rng_below(&rng, FAMILY_T);
    scant_learner_ask(learner, look, NULL);
    for (uint32_t i = 0; i < look->count; i++) values[i] = look->attributes[i] == f.place[n] ? f.sign[n] : 0;
    if (scant_learner_tell(learner, look, look->count, NULL, values, 1, &error) != SCANT_OK) {
      CHECK(!"told");
      break;
    }
  }
  scant_learner_weights(learner, w, NULL);
  double excess = family_risk(&f, w) - family_best_risk(norm);
  scant_look_free(look);
  scant_learner_free(learner);
  free(values);
  free(w);
  return excess;
}

typedef struct family_mean {
  double mean, error; /* over the seeds, with its standard error */
} family_mean;

#define FAMILY_SEEDS 50

static family_mean family_runs(const char *algorithm, const char *options, size_t d, uint64_t k, uint64_t m,
                               scant_norm norm) {
  double sum = 0, squares = 0;
  for (uint64_t seed = 1; seed <= FAMILY_SEEDS; seed++) {
    double excess = family_run(algorithm, options, d, k, m, norm, seed);
    sum += excess;
    squares += excess * excess;
  }
  double mean = sum / FAMILY_SEEDS;
  return (family_mean){mean, sqrt(fmax(0, squares / FAMILY_SEEDS - mean * mean) / (FAMILY_SEEDS - 1))};
}

/* What the zero vector leaves: a bound above half of it says nothing. */
static double family_zero_excess(scant_norm norm) {
  return 0.5 - family_best_risk(norm);
}

/* ---- what both theorems are tested for --------------------------------- */

typedef struct family_point {
  size_t d;
  uint64_t k, m;
} family_point;

/* The mean excess risk is below the theorem's bound (for B = 1, with the paper's
 * k = K - 1) at points where the bound says something. */
static void family_check_bound(const char *algorithm, scant_norm norm, double (*bound)(double, double, double),
                               const family_point *points, size_t count) {
  double zero = family_zero_excess(norm);
  for (size_t i = 0; i < count; i++) {
    const family_point *p = &points[i];
    double b = bound((double)p->d, (double)p->k - 1, (double)p->m);
    CHECK_AT_MOST(b, zero / 2);
    family_mean r = family_runs(algorithm, "", p->d, p->k, p->m, norm);
    printf("# d %zu K %llu m %llu: excess risk %.5f +- %.5f, bound %.5f, w = 0 %.5f\n", p->d, (unsigned long long)p->k,
           (unsigned long long)p->m, r.mean, r.error, b, zero);
    CHECK_AT_MOST(r.mean + 5 * r.error, b);
  }
}

/* At K = d no more than a constant is lost against full-information online
 * learning with its own best step size. */
static void family_check_constant(const char *algorithm, const char *full_information, scant_norm norm) {
  enum { D = 32 };
  for (uint64_t m = 4000; m <= 64000; m *= 4) {
    family_mean limited = family_runs(algorithm, "", D, D, m, norm);
    family_mean full = family_runs(full_information, "", D, D, m, norm);
    printf("# m %llu: %s at K = d %.5f, %s %.5f: %.2f times\n", (unsigned long long)m, algorithm, limited.mean,
           full_information, full.mean, limited.mean / full.mean);
    CHECK_AT_MOST(limited.mean, 8 * full.mean);
  }
}

/* ---- theorem 3.1 -------------------------------------------------------- */

static double ridge_bound(double d, double k, double m) {
  return 4 * sqrt(2 * d / (k * m)); /* B = 1 */
}

TEST(aerr_is_within_its_bound) {
  const family_point points[] = {{32, 9, 16000}, {64, 9, 24000}, {64, 33, 8000}, {64, 33, 64000}, {256, 33, 24000}};
  family_check_bound("aerr", SCANT_NORM_2, ridge_bound, points, sizeof points / sizeof *points);
}

TEST(at_k_equal_d_aerr_loses_a_constant) {
  family_check_constant("aerr", "online-ridge", SCANT_NORM_2);
}

/* ---- theorem 3.4 -------------------------------------------------------- */

static double lasso_bound(double d, double k, double m) {
  return 4 * sqrt(10 * d * log(2 * d) / (k * m)); /* B = 1 */
}

TEST(aelr_is_within_its_bound) {
  const family_point points[] = {{16, 16, 700000}, {32, 32, 800000}};
  family_check_bound("aelr", SCANT_NORM_1, lasso_bound, points, sizeof points / sizeof *points);
}

TEST(at_k_equal_d_aelr_loses_a_constant) {
  family_check_constant("aelr", "online-lasso", SCANT_NORM_1);
}

int main(int count, char **words) {
  if (count > 1 && !strcmp(words[1], "ridge")) {
    RUN(aerr_is_within_its_bound);
    RUN(at_k_equal_d_aerr_loses_a_constant);
  } else {
    RUN(aelr_is_within_its_bound);
    RUN(at_k_equal_d_aelr_loses_a_constant);
  }
  return check_done();
}
