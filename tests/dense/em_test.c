/* The steps of EM: what one is, that none falls, and where they end. */
#include "direct.h"
#include "dense/gaussian/target.h"

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
    random_covariance(N, N, 0.2, &draw, s);
    scant_seen seen = seen_from(N, s, 50, 0.5, seed % 2 ? 1 : 10, seed);
    random_covariance(N, N, 0.5, &draw, s);
    scant_normal normal = normal_from(N, NULL, s);
    scant_em_options o = {.steps = 1, .threads = 1, .rank = 2};
    double before = likelihood_directly(&seen, &normal);
    step_by_definition(&seen, &normal, mean, covariance);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, &trace, &error) == SCANT_OK);
    CHECK_NEAR(likelihood, before, 1e-10);
    CHECK(trace == likelihood);
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

/* (m S^ + nu T + noise I)/(m + nu + noise). */
TEST(a_step_is_shrunk_by_the_prior_as_it_says) {
  enum { N = 7, M = 40 };
  uint64_t draw = 3;
  double s[N * N], mean[N], moments[N * N], target[N * N], scratch[2 * N * N + N], held[N * N], likelihood;
  random_covariance(N, N, 0.2, &draw, s);
  random_covariance(N, 2, 0.7, &draw, held);
  scant_seen seen = seen_from(N, s, M, 0.5, 1, 4);
  for (int kind = 0; kind < 4; kind++) {
    scant_em_options o = {.steps = 1, .threads = 1, .rank = 2, .factors = kind ? 25 : 0, .noise = kind == 1 ? 0 : 9};
    if (kind == 3) o.held = held;
    scant_normal normal = normal_from(N, NULL, s);
    step_by_definition(&seen, &normal, mean, moments);
    CHECK(scant_target_fill(N, moments, 2, target, scratch, &error) == SCANT_OK);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, NULL, &error) == SCANT_OK);
    double noise = kind == 3 ? 0 : o.noise, all = M + o.factors + noise;
    for (size_t i = 0; i < N; i++)
      for (size_t j = 0; j < N; j++) {
        double t = kind == 3 ? held[i * N + j] : target[i * N + j];
        CHECK_NEAR(normal.covariance[i * N + j], (M * moments[i * N + j] + o.factors * t + (i == j ? noise : 0)) / all,
                   1e-10);
      }
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
}

TEST(with_nothing_missing_one_step_gives_the_sample_moments) {
  enum { N = 6, M = 30 };
  uint64_t seed = 12;
  double s[N * N], mean[N] = {0}, sample[N * N] = {0}, likelihood;
  random_covariance(N, N, 0.2, &seed, s);
  scant_seen seen = seen_from(N, s, M, 1.1, 1, seed);
  for (size_t e = 0; e < M; e++)
    for (size_t i = 0; i < N; i++) mean[i] += seen.value[e * N + i] / M;
  for (size_t e = 0; e < M; e++)
    for (size_t i = 0; i < N * N; i++)
      sample[i] += (seen.value[e * N + i / N] - mean[i / N]) * (seen.value[e * N + i % N] - mean[i % N]) / M;
  for (unsigned steps = 1; steps < 8; steps += 2) {
    scant_normal normal = normal_from(N, NULL, s);
    scant_em_options o = {.steps = steps, .threads = 1, .rank = 1, .accelerated = steps > 5};
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, NULL, &error) == SCANT_OK);
    for (size_t i = 0; i < N; i++) CHECK_NEAR(normal.mean[i], mean[i], 1e-9);
    for (size_t i = 0; i < N * N; i++) CHECK_NEAR(normal.covariance[i], sample[i], 1e-9);
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
}

/* ---- many steps --------------------------------------------------------------------- */

enum { STEPS_MOST = 400 };

TEST(no_step_lowers_the_objective) {
  enum { N = 8 };
  for (uint64_t seed = 1; seed <= 5; seed++)
    for (int prior = 0; prior < 2; prior++) {
      uint64_t draw = seed;
      static double trace[STEPS_MOST];
      double s[N * N], held[N * N], likelihood = NAN;
      random_covariance(N, N, 0.3, &draw, s);
      random_covariance(N, 2, 0.5, &draw, held);
      scant_seen seen = seen_from(N, s, 60, 0.5, 1, seed);
      scant_normal normal = {0};
      scant_em_options o = {.steps = STEPS_MOST, .threads = 1, .rank = 2, .factors = prior ? 15 : 0};
      if (prior) o.held = held;
      for (size_t i = 0; i < STEPS_MOST; i++) trace[i] = NAN;
      CHECK(scant_normal_new(&normal, N));
      CHECK(scant_em_start(&seen, &o, &normal, &error) == SCANT_OK);
      CHECK(scant_em_run(&seen, &o, &normal, &likelihood, trace, &error) == SCANT_OK);
      for (size_t i = 1; i < STEPS_MOST; i++) CHECK_AT_MOST(trace[i - 1], trace[i] + 1e-12);
      CHECK(trace[STEPS_MOST - 1] > trace[0] + 0.01);
      scant_normal_free(&normal);
      scant_seen_free(&seen);
    }
}

/* What the trace of a held target is: by its definition. */
TEST(the_objective_is_the_likelihood_and_the_prior) {
  enum { N = 6, M = 25 };
  uint64_t draw = 21;
  double s[N * N], held[N * N], likelihood, trace;
  real inverse[N * N], prior = 0;
  random_covariance(N, N, 0.3, &draw, s);
  random_covariance(N, 2, 0.5, &draw, held);
  scant_seen seen = seen_from(N, s, M, 0.5, 1, 2);
  scant_normal normal = normal_from(N, NULL, s);
  scant_em_options o = {.steps = 1, .threads = 1, .rank = 2, .factors = 15, .held = held};
  prior = invert_directly(N, s, inverse);
  for (size_t i = 0; i < N * N; i++) prior += inverse[i] * held[i];
  double wanted = likelihood_directly(&seen, &normal) - 0.5 * 15 * (double)prior / M;
  CHECK(scant_em_run(&seen, &o, &normal, &likelihood, &trace, &error) == SCANT_OK);
  CHECK_NEAR(trace, wanted, 1e-10);
  scant_normal_free(&normal);
  scant_seen_free(&seen);
}

/* Three variables: means, and a factor with the logarithms of its diagonal. */
enum { PARAMETERS = 9 };

static void unpack(const double *p, scant_normal *normal) {
  double l[3][3] = {{exp(p[3]), 0, 0}, {p[4], exp(p[5]), 0}, {p[6], p[7], exp(p[8])}};
  for (int i = 0; i < 3; i++) {
    normal->mean[i] = p[i];
    for (int j = 0; j < 3; j++) {
      normal->covariance[3 * i + j] = 0;
      for (int k = 0; k < 3; k++) normal->covariance[3 * i + j] += l[i][k] * l[j][k];
    }
  }
}

/* The simplex of Nelder and Mead, started anew from its best. */
static double climb(const scant_seen *seen, scant_normal *normal) {
  double best[PARAMETERS] = {0}, top = -INFINITY;
  for (int start = 0; start < 25; start++) {
    double at[PARAMETERS + 1][PARAMETERS], f[PARAMETERS + 1];
    double size = start < 3 ? 0.5 : start < 12 ? 0.05 : 0.002;
    for (int i = 0; i <= PARAMETERS; i++) {
      memcpy(at[i], best, sizeof best);
      if (i) at[i][i - 1] += start % 2 ? -size : size;
      unpack(at[i], normal);
      f[i] = likelihood_directly(seen, normal);
    }
    for (int step = 0; step < 600; step++) {
      int low = 0, high = 0, second = -1;
      for (int i = 1; i <= PARAMETERS; i++) {
        if (f[i] > f[high]) high = i;
        if (f[i] < f[low]) low = i;
      }
      for (int i = 0; i <= PARAMETERS; i++)
        if (i != low && (second < 0 || f[i] < f[second])) second = i;
      if (f[high] - f[low] < 1e-13) break;
      double center[PARAMETERS] = {0}, tried[2][PARAMETERS], value[2];
      for (int i = 0; i <= PARAMETERS; i++)
        for (int j = 0; j < PARAMETERS && i != low; j++) center[j] += at[i][j] / PARAMETERS;
      double factor = 1;
      for (int t = 0; t < 2; t++) {
        for (int j = 0; j < PARAMETERS; j++) tried[t][j] = center[j] + factor * (center[j] - at[low][j]);
        unpack(tried[t], normal);
        value[t] = likelihood_directly(seen, normal);
        factor = value[0] > f[high] ? 1 + 2.0 / PARAMETERS : value[0] > f[low] ? 0.72 : -0.72;
        if (!t && value[0] <= f[high] && value[0] > f[second]) {
          value[1] = -INFINITY;
          break;
        }
      }
      int t = value[1] > value[0];
      if (value[t] > f[low]) {
        f[low] = value[t];
        memcpy(at[low], tried[t], sizeof best);
        continue;
      }
      for (int i = 0; i <= PARAMETERS; i++) {
        if (i == high) continue;
        for (int j = 0; j < PARAMETERS; j++) at[i][j] = at[high][j] + 0.9 * (at[i][j] - at[high][j]);
        unpack(at[i], normal);
        f[i] = likelihood_directly(seen, normal);
      }
    }
    for (int i = 0; i <= PARAMETERS; i++)
      if (f[i] > top) {
        top = f[i];
        memcpy(best, at[i], sizeof best);
      }
  }
  unpack(best, normal);
  return top;
}

TEST(it_ends_where_a_search_for_the_largest_likelihood_does) {
  enum { N = 3 };
  for (uint64_t seed = 1; seed <= 2; seed++) {
    uint64_t draw = seed;
    double s[N * N], likelihood[2];
    random_covariance(N, 2, 0.6, &draw, s);
    scant_seen seen = seen_from(N, s, 40, 0.5, 1, seed);
    scant_normal found = normal_from(N, NULL, s);
    double top = climb(&seen, &found);
    for (int accelerated = 0; accelerated < 2; accelerated++) {
      scant_normal normal = {0};
      scant_em_options o = {.steps = 20000, .threads = 1, .rank = 1, .accelerated = accelerated};
      CHECK(scant_normal_new(&normal, N));
      CHECK(scant_em_start(&seen, &o, &normal, &error) == SCANT_OK);
      CHECK(scant_em_run(&seen, &o, &normal, &likelihood[accelerated], NULL, &error) == SCANT_OK);
      CHECK_NEAR(likelihood[accelerated], top, 1e-8);
      for (size_t i = 0; i < N; i++) CHECK_NEAR(normal.mean[i], found.mean[i], 1e-4);
      for (size_t i = 0; i < N * N; i++) CHECK_NEAR(normal.covariance[i], found.covariance[i], 1e-4);
      scant_normal_free(&normal);
    }
    scant_normal_free(&found);
    scant_seen_free(&seen);
  }
}

TEST(acceleration_takes_fewer_steps) {
  enum { N = 20, STEPS = 60 };
  double s[N * N], trace[2][STEPS], likelihood;
  uint64_t draw = 31;
  random_covariance(N, 3, 0.2, &draw, s);
  scant_seen seen = seen_from(N, s, 400, 0.25, 1, 31);
  for (int accelerated = 0; accelerated < 2; accelerated++) {
    scant_normal normal = {0};
    scant_em_options o = {.steps = STEPS, .threads = 1, .rank = 3, .accelerated = accelerated};
    CHECK(scant_normal_new(&normal, N));
    CHECK(scant_em_start(&seen, &o, &normal, &error) == SCANT_OK);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, trace[accelerated], &error) == SCANT_OK);
    scant_normal_free(&normal);
  }
  CHECK(trace[1][STEPS / 2] > trace[0][STEPS - 1]);
  CHECK(trace[1][STEPS - 1] > trace[1][STEPS / 2]);
  scant_seen_free(&seen);
}

/* Going too far is noticed: the step after a fall is a plain one. */
TEST(a_fall_is_followed_by_a_rise) {
  enum { N = 5 };
  static double trace[STEPS_MOST];
  int falls = 0;
  for (uint64_t seed = 1; seed <= 3; seed++) {
    double s[N * N], likelihood;
    uint64_t draw = seed;
    random_covariance(N, 2, 0.3, &draw, s);
    scant_seen seen = seen_from(N, s, 60, 0.6, 1, seed);
    scant_normal normal = {0};
    scant_em_options o = {.steps = STEPS_MOST, .threads = 1, .rank = 3, .accelerated = 1};
    CHECK(scant_normal_new(&normal, N));
    CHECK(scant_em_start(&seen, &o, &normal, &error) == SCANT_OK);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood, trace, &error) == SCANT_OK);
    for (size_t i = 1; i + 1 < STEPS_MOST; i++) {
      if (!(trace[i] < trace[i - 1])) continue;
      falls++;
      CHECK_AT_MOST(trace[i], trace[i + 1] + 1e-12);
    }
    scant_normal_free(&normal);
    scant_seen_free(&seen);
  }
  CHECK(falls > 0);
}

/* The number of steps taken: the places of the trace that were written. */
static unsigned steps_taken(const scant_seen *seen, scant_em_options o, double *trace) {
  scant_normal normal = {0};
  double likelihood;
  unsigned taken = 0;
  for (size_t i = 0; i < STEPS_MOST; i++) trace[i] = NAN;
  CHECK(scant_normal_new(&normal, seen->variables));
  CHECK(scant_em_start(seen, &o, &normal, &error) == SCANT_OK);
  CHECK(scant_em_run(seen, &o, &normal, &likelihood, trace, &error) == SCANT_OK);
  while (taken < STEPS_MOST && isfinite(trace[taken])) taken++;
  CHECK(taken > 0 && likelihood == trace[taken - 1]);
  scant_normal_free(&normal);
  return taken;
}

TEST(it_stops_when_a_step_gains_too_little) {
  enum { N = 10, M = 80 };
  double s[N * N];
  static double trace[STEPS_MOST];
  uint64_t draw = 41;
  random_covariance(N, 3, 0.3, &draw, s);
  scant_seen seen = seen_from(N, s, M, 0.5, 1, 41);
  double each = (double)seen.first[M] / M; /* values seen of an example */
  scant_em_options o = {.steps = STEPS_MOST, .threads = 1, .rank = 2, .factors = 10, .noise = 2};
  CHECK(steps_taken(&seen, o, trace) == STEPS_MOST); /* tolerance 0: never */
  o.accelerated = 1;
  CHECK(steps_taken(&seen, o, trace) == STEPS_MOST);
  o.accelerated = 0;
  unsigned last = STEPS_MOST;
  for (double tolerance = 1e-6; tolerance < 1e-2; tolerance *= 10) {
    o.tolerance = tolerance;
    unsigned taken = steps_taken(&seen, o, trace);
    CHECK(taken <= last && taken > 10);
    CHECK(trace[taken - 1] - trace[taken - 2] < tolerance * each);
    for (unsigned i = 11; i + 1 < taken; i++) CHECK(trace[i] - trace[i - 1] >= tolerance * each);
    last = taken;
  }
  CHECK(last < 60);
  o.steps = 3;
  CHECK(steps_taken(&seen, o, trace) == 3);
  scant_seen_free(&seen);
}

/* Also from almost no looks, with more variables than examples. */
TEST(the_first_guess_is_a_covariance) {
  enum { N = 15 };
  static const size_t examples[] = {1, 2, 10, 3000};
  double s[N * N], values[N], vectors[N * N];
  uint64_t draw = 51;
  random_covariance(N, 3, 0.3, &draw, s);
  for (size_t i = 0; i < N; i++) /* to correlations */
    for (size_t j = 0; j < N; j++)
      if (i != j) s[i * N + j] /= sqrt(s[i * N + i] * s[j * N + j]);
  for (size_t i = 0; i < N; i++) s[i * N + i] = 1;
  for (size_t k = 0; k < 4; k++) {
    scant_answers looks = {.dimension = N - 1};
    scant_frame frame = plain_frame(N - 1);
    for (size_t i = 0; i < N; i++) frame.center[i] = i % 2 ? -1 : 1;
    scant_seen seen = {0};
    add_examples(&looks, N, s, examples[k], 0.5, 1, &draw);
    CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0));
    scant_normal normal = {0};
    scant_em_options o = {.rank = 3};
    CHECK(scant_normal_new(&normal, N));
    normal.mean[2] = normal.covariance[7] = 5; /* what was there before does not matter */
    CHECK(scant_em_start(&seen, &o, &normal, &error) == SCANT_OK);
    eigen_directly(N, normal.covariance, values, vectors);
    for (size_t i = 0; i < N; i++) {
      CHECK(values[i] > 1e-3 && normal.mean[i] == 0);
      for (size_t j = 0; j < N; j++) {
        CHECK(normal.covariance[i * N + j] == normal.covariance[j * N + i]);
        if (k == 3) CHECK_NEAR(normal.covariance[i * N + j], s[i * N + j], 0.15);
      }
    }
    scant_normal_free(&normal);
    scant_seen_free(&seen);
    scant_frame_free(&frame);
    scant_answers_free(&looks);
  }
}

int main(void) {
  RUN(a_step_takes_the_expected_moments);
  RUN(a_step_is_shrunk_by_the_prior_as_it_says);
  RUN(with_nothing_missing_one_step_gives_the_sample_moments);
  RUN(no_step_lowers_the_objective);
  RUN(the_objective_is_the_likelihood_and_the_prior);
  RUN(it_ends_where_a_search_for_the_largest_likelihood_does);
  RUN(acceleration_takes_fewer_steps);
  RUN(a_fall_is_followed_by_a_rise);
  RUN(it_stops_when_a_step_gains_too_little);
  RUN(the_first_guess_is_a_covariance);
  return check_done();
}
