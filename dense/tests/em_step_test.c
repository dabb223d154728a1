/* A step of EM, and a round of three: what they are. */
#include "direct.h"

static scant_error error;

/* ---- one step ----------------------------------------------------------------------- */

/* The textbook: the mean of the conditional means; the mean of their squares about
 * it and of the conditional covariances. */
static void step_by_definition(const scant_seen *seen, const scant_normal *at, double *mean, double *covariance) {
  size_t n = seen->variables, m = seen->examples;
  real *z = calloc(m * n, sizeof *z), *rest = calloc(n * n, sizeof *rest), *mu = calloc(n, sizeof *mu);
  for (size_t e = 0; e < m; e++) {
    said s = say_directly(seen, e, at);
    for (size_t i = 0; i < n; i++) {
      z[e * n + i] = at->mean[i];
      for (size_t k = 0; k < s.size; k++) z[e * n + i] += at->covariance[i * n + s.o[k]] * s.a[k];
      mu[i] += z[e * n + i] / (real)m;
      for (size_t j = 0; j < n; j++) {
        real c = at->covariance[i * n + j];
        for (size_t k = 0; k < s.size; k++)
          for (size_t q = 0; q < s.size; q++)
            c -= at->covariance[i * n + s.o[k]] * s.inverse[k * s.size + q] * at->covariance[s.o[q] * n + j];
        rest[i * n + j] += c / (real)m;
      }
    }
    said_free(&s);
  }
  for (size_t i = 0; i < n; i++) {
    mean[i] = (double)mu[i];
    for (size_t j = 0; j < n; j++) {
      for (size_t e = 0; e < m; e++) rest[i * n + j] += (z[e * n + i] - mu[i]) * (z[e * n + j] - mu[j]) / (real)m;
      covariance[i * n + j] = (double)rest[i * n + j];
    }
  }
  free(z);
  free(rest);
  free(mu);
}

TEST(a_step_takes_the_expected_moments) {
  enum { N = 9 };
  for (uint64_t seed = 1; seed <= 4; seed++) {
    uint64_t draw = seed;
    double s[N * N], mean[N], covariance[N * N], likelihood, trace;
    unsigned taken;
    random_covariance(N, N, 0.2, &draw, s);
    scant_seen seen = seen_from(N, s, 50, 0.5, seed % 2 ? 1 : 10, seed);
    random_covariance(N, N, 0.5, &draw, s);
    scant_normal normal = normal_from(N, NULL, s);
    scant_em_options o = {.steps = 1, .threads = 1};
    double before = likelihood_directly(&seen, &normal);
    step_by_definition(&seen, &normal, mean, covariance);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, &trace, &taken, &error) == SCANT_OK);
    CHECK_NEAR(likelihood, before, 1e-10);
    CHECK(trace == likelihood && taken == 1);
    for (size_t i = 0; i < N; i++) {
      CHECK_NEAR(normal.mean[i], mean[i], 1e-10);
      for (size_t j = 0; j < N; j++) {
        CHECK_NEAR(normal.covariance[i * N + j], covariance[i * N + j], 1e-10);
        CHECK(normal.covariance[i * N + j] == normal.covariance[j * N + i]);
      }
    }
    scant_normal_free(&normal);
    scant_seen_free(&seen);
  }
}

/* (m S^ + noise I)/(m + noise). */
TEST(a_step_is_shrunk_by_the_prior_as_it_says) {
  enum { N = 7, M = 40 };
  static const double weights[] = {0, 0.05, 9, 300};
  uint64_t draw = 3;
  double s[N * N], mean[N], moments[N * N];
  random_covariance(N, N, 0.2, &draw, s);
  scant_seen seen = seen_from(N, s, M, 0.5, 1, 4);
  for (int kind = 0; kind < 4; kind++) {
    double noise = weights[kind];
    scant_normal normal = normal_from(N, NULL, s);
    step_by_definition(&seen, &normal, mean, moments);
    run_em(&seen, (scant_em_options){.steps = 1, .noise = noise}, &normal);
    for (size_t i = 0; i < N; i++) {
      CHECK_NEAR(normal.mean[i], mean[i], 1e-10);
      for (size_t j = 0; j < N; j++)
        CHECK_NEAR(normal.covariance[i * N + j], (M * moments[i * N + j] + (i == j ? noise : 0)) / (M + noise), 1e-10);
    }
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
}

/* Where products are cut into panels, a step is what it was. */
TEST(a_step_of_many_variables_is_the_same_in_panels) {
  enum { MANY = 167, M = 30 };
  static double s[MANY * MANY], mean[MANY], moments[MANY * MANY];
  uint64_t draw = 6;
  random_covariance(MANY, 20, 1, &draw, s);
  scant_seen seen = seen_from(MANY, s, M, 0.04, 1, 7);
  scant_normal at = normal_from(MANY, NULL, s), first = {0};
  step_by_definition(&seen, &at, mean, moments);
  for (unsigned threads = 1; threads <= 4; threads++) {
    scant_normal normal = normal_from(MANY, NULL, s);
    run_em(&seen, (scant_em_options){.steps = 1, .threads = threads}, &normal);
    for (size_t i = 0; i < MANY; i++) {
      CHECK_NEAR(normal.mean[i], mean[i], 1e-10);
      for (size_t j = 0; j < MANY; j++) CHECK_NEAR(normal.covariance[i * MANY + j], moments[i * MANY + j], 1e-10);
    }
    if (threads > 1) check_same_bits(&first, &normal);
    if (threads > 1)
      scant_normal_free(&normal);
    else
      first = normal;
  }
  scant_normal_free(&first);
  scant_normal_free(&at);
  scant_seen_free(&seen);
}

TEST(with_nothing_missing_one_step_gives_the_sample_moments) {
  enum { N = 6, M = 30 };
  uint64_t seed = 12;
  double s[N * N], mean[N] = {0}, sample[N * N] = {0};
  random_covariance(N, N, 0.2, &seed, s);
  scant_seen seen = seen_from(N, s, M, 1.1, 1, seed);
  for (size_t e = 0; e < M; e++)
    for (size_t i = 0; i < N; i++) mean[i] += seen.value[e * N + i] / M;
  for (size_t e = 0; e < M; e++)
    for (size_t i = 0; i < N * N; i++)
      sample[i] += (seen.value[e * N + i / N] - mean[i / N]) * (seen.value[e * N + i % N] - mean[i % N]) / M;
  for (unsigned steps = 1; steps < 8; steps++) {
    scant_normal normal = normal_from(N, NULL, s);
    run_em(&seen, (scant_em_options){.steps = steps}, &normal);
    for (size_t i = 0; i < N; i++) CHECK_NEAR(normal.mean[i], mean[i], 1e-9);
    for (size_t i = 0; i < N * N; i++) CHECK_NEAR(normal.covariance[i], sample[i], 1e-9);
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
}

/* ---- a round of three ------------------------------------------------------------------ */

static double sum_of_squares(size_t count, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

/* A round out of plain steps, as em.h says it: the point is S - 2 a r + a^2 v.  Returns how it went: 'w' the
 * whole way, 's' a shorter one, 't' where the two steps led, 'f' fell and was taken back. */
static char round_by_definition(const scant_seen *seen, double noise, scant_normal *now) {
  size_t n = now->n;
  scant_em_options plain = {.steps = 1, .noise = noise};
  scant_normal one = normal_from(n, now->mean, now->covariance), two, point;
  run_em(seen, plain, &one);
  two = normal_from(n, one.mean, one.covariance);
  run_em(seen, plain, &two);
  point = normal_from(n, two.mean, two.covariance);
  double r = sum_of_squares(n * n, one.covariance, now->covariance), v = 0;
  for (size_t i = 0; i < n * n; i++) v += pow(two.covariance[i] - 2 * one.covariance[i] + now->covariance[i], 2);
  double a = -fmin(fmax(sqrt(r / fmax(v, 1e-300)), 1), 64);
  char how = 'w';
  for (;; a = (a - 1) / 2, how = 's') {
    if (a >= -1.01) {
      how = 't';
      scant_normal_copy(&point, &two);
      break;
    }
    for (size_t i = 0; i < n * n; i++)
      point.covariance[i] = now->covariance[i] - 2 * a * (one.covariance[i] - now->covariance[i]) +
                            a * a * (two.covariance[i] - 2 * one.covariance[i] + now->covariance[i]);
    for (size_t i = 0; i < n; i++)
      point.mean[i] =
          now->mean[i] - 2 * a * (one.mean[i] - now->mean[i]) + a * a * (two.mean[i] - 2 * one.mean[i] + now->mean[i]);
    if (isfinite(objective_directly(seen, &point, noise))) break;
  }
  double least = objective_directly(seen, &one, noise);
  if (objective_directly(seen, &point, noise) < least - 1e-9 * fabs(least)) {
    how = 'f';
    scant_normal_copy(now, &two);
  } else {
    run_em(seen, plain, &point);
    scant_normal_copy(now, &point);
  }
  scant_normal_free(&one);
  scant_normal_free(&two);
  scant_normal_free(&point);
  return how;
}

TEST(a_round_is_what_it_says) {
  enum { N = 6, ROUNDS = 25 };
  int met[128] = {0};
  for (uint64_t seed = 1; seed <= 8; seed++) {
    uint64_t draw = seed;
    double s[N * N], noise = seed % 2 ? 0 : 0.5;
    random_covariance(N, 2, seed % 4 < 2 ? 0.01 : 0.3, &draw, s);
    scant_seen seen = seen_from(N, s, seed % 2 ? 200 : 30, 0.5, 1, seed);
    scant_normal normal = unit_normal(N);
    for (int round = 0; round < ROUNDS; round++) {
      scant_normal wanted = normal_from(N, normal.mean, normal.covariance);
      met[(int)round_by_definition(&seen, noise, &wanted)]++;
      run_em(&seen, (scant_em_options){.steps = 3, .noise = noise}, &normal);
      for (size_t i = 0; i < N; i++) CHECK_NEAR(normal.mean[i], wanted.mean[i], 1e-7);
      for (size_t i = 0; i < N * N; i++) CHECK_NEAR(normal.covariance[i], wanted.covariance[i], 1e-7);
      scant_normal_free(&wanted);
    }
    scant_normal_free(&normal);
    scant_seen_free(&seen);
  }
  printf("# whole %d, shorter %d, two steps %d, taken back %d\n", met['w'], met['s'], met['t'], met['f']);
  CHECK(met['w'] > 20 && met['s'] > 0 && met['f'] > 0);
}

int main(void) {
  RUN(a_step_takes_the_expected_moments);
  RUN(a_step_is_shrunk_by_the_prior_as_it_says);
  RUN(a_step_of_many_variables_is_the_same_in_panels);
  RUN(with_nothing_missing_one_step_gives_the_sample_moments);
  RUN(a_round_is_what_it_says);
  return check_done();
}
