/* EM for one Gaussian: the inner loop, the expectation, the steps and what they
 * lead to, against direct computations. */
#include "gaussian/block.h"

#include "direct.h"
#include "gaussian/choose.h"
#include "gaussian/regress.h"
#include "gaussian/target.h"

static scant_error error;

/* ---- the inner loop ------------------------------------------------------------ */

enum { BLOCK_MOST = 20, LANES = SCANT_LANES };

/* One block: lane l has sizes[l] <= n variables; the indefinite ones are to be NaN. */
static void check_block(size_t n, const size_t *sizes, const int *indefinite, uint64_t seed) {
  static scant_lanes matrix[BLOCK_MOST * (BLOCK_MOST + 1) / 2], r[BLOCK_MOST], row[BLOCK_MOST], likelihood;
  static double s[LANES][BLOCK_MOST * BLOCK_MOST], z[LANES][BLOCK_MOST];
  for (int lane = 0; lane < LANES; lane++) {
    size_t own = sizes[lane];
    random_covariance(own, own + 1, 0.1, &seed, s[lane]);
    if (indefinite[lane]) s[lane][own * own - 1] = -0.01;
    scant_lanes *to = matrix;
    for (size_t i = 0; i < n; to += ++i) {
      for (size_t j = 0; j <= i; j++) to[j][lane] = i < own ? s[lane][i * own + j] : i == j;
      r[i][lane] = z[lane][i] = i < own ? random_normal(&seed) : 0;
    }
  }
  scant_block_solve(n, matrix, r, row, &likelihood);
  for (int lane = 0; lane < LANES; lane++) {
    size_t own = sizes[lane];
    real inverse[BLOCK_MOST * BLOCK_MOST], log_det = invert_directly(own, s[lane], inverse), product = 0;
    const scant_lanes *from = matrix;
    if (indefinite[lane]) {
      CHECK(isnan(likelihood[lane]));
      continue;
    }
    for (size_t i = 0; i < n; from += ++i) {
      real a = 0;
      for (size_t j = 0; j < own && i < own; j++) a += inverse[i * own + j] * z[lane][j];
      product += a * z[lane][i];
      CHECK_NEAR(r[i][lane], (double)a, 1e-10);
      for (size_t j = 0; j <= i; j++) CHECK_NEAR(from[j][lane], i < own ? (double)inverse[i * own + j] : i == j, 1e-9);
    }
    CHECK_NEAR(likelihood[lane], (double)(-0.5L * (log_det + product)), 1e-10);
  }
}

TEST(eight_small_matrices_are_inverted_side_by_side) {
  static const int none[LANES], some[LANES] = {0, 0, 1, 0, 0, 0, 0, 1};
  for (size_t n = 1; n <= BLOCK_MOST; n++) {
    size_t same[LANES], fewer[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
      same[lane] = n;
      fewer[lane] = lane + 1 < LANES && n > lane ? n - lane : n;
    }
    check_block(n, same, none, 10 + n);
    check_block(n, fewer, none, 100 + n);
    check_block(n, fewer, some, 200 + n);
  }
}

/* ---- the expectation ------------------------------------------------------------- */

/* M and g of all examples, by their definition. */
static double expect_by_definition(const scant_seen *seen, const scant_normal *at, real *m, real *g) {
  size_t n = seen->variables;
  real likelihood = 0;
  memset(m, 0, n * n * sizeof *m);
  memset(g, 0, n * sizeof *g);
  for (size_t e = 0; e < seen->examples; e++) {
    said s = say_directly(seen, e, at);
    likelihood += s.likelihood;
    for (size_t i = 0; i < s.size; i++) {
      g[s.o[i]] += s.a[i];
      for (size_t j = 0; j < s.size; j++) m[s.o[i] * n + s.o[j]] += s.inverse[i * s.size + j] - s.a[i] * s.a[j];
    }
    said_free(&s);
  }
  return (double)(likelihood / (real)seen->examples);
}

/* Batches of another kind: one example each as if alike, or blocks of whatever comes. */
static void rebatch(scant_seen *seen, int alike) {
  seen->batch_count = 0;
  for (uint32_t i = 0; i < seen->examples;) {
    uint32_t left = (uint32_t)seen->examples - i, count = alike ? 1 : left < LANES ? left : LANES;
    seen->batches[seen->batch_count++] = (scant_batch){i, count, alike};
    i += count;
  }
}

static void check_expectation(const scant_seen *seen, const scant_normal *at) {
  size_t n = seen->variables;
  real *m = malloc(n * n * sizeof *m), *g = malloc(n * sizeof *g);
  double likelihood = expect_by_definition(seen, at, m, g), largest = 1;
  scant_expectation *x = NULL;
  CHECK(scant_expectation_new(&x, seen, 1));
  for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs((double)m[i]));
  for (int again = 0; again < 2; again++) { /* nothing is left from the first time */
    CHECK_NEAR(scant_expect(x, seen, at), likelihood, 1e-10 * (1 + fabs(likelihood)));
    for (size_t i = 0; i < n; i++) {
      CHECK_NEAR(scant_expectation_g(x)[i], (double)g[i], 1e-10 * largest);
      for (size_t j = 0; j <= i; j++)
        CHECK_NEAR(scant_expectation_m(x)[i * n + j], (double)m[i * n + j], 1e-10 * largest);
    }
  }
  scant_expectation_free(x);
  free(m);
  free(g);
}

static int count_alike(const scant_seen *seen) {
  int count = 0;
  for (size_t b = 0; b < seen->batch_count; b++) count += seen->batches[b].alike != 0;
  return count;
}

TEST(the_expectation_is_that_of_every_example) {
  enum { N = 12 };
  static const size_t repeats[] = {1, 5, 6, 100}, examples[] = {1, 9, 60, 300};
  for (size_t r = 0; r < 4; r++)
    for (size_t k = 0; k < 4; k++) {
      uint64_t seed = 1 + r + 10 * k;
      double s[N * N], mean[N];
      random_covariance(N, N, 0.2, &seed, s);
      for (size_t i = 0; i < N; i++) mean[i] = random_normal(&seed);
      scant_seen seen = seen_from(N, s, examples[k], 0.5, repeats[r], seed);
      scant_normal at = normal_from(N, mean, s);
      if (repeats[r] < 6 && examples[k] < 100) CHECK(count_alike(&seen) == 0);
      if (repeats[r] == 100 && examples[k] > 5) CHECK(count_alike(&seen) > 0);
      check_expectation(&seen, &at);
      for (int alike = 0; alike < 2; alike++) {
        rebatch(&seen, alike);
        check_expectation(&seen, &at);
      }
      scant_normal_free(&at);
      scant_seen_free(&seen);
    }
}

/* More than 96 of an example: never in a block. */
TEST(large_examples_are_worked_on_one_by_one) {
  enum { N = 110 };
  static double s[N * N];
  uint64_t seed = 5;
  random_covariance(N, 30, 1, &seed, s);
  scant_looks looks = {.dimension = N - 1};
  scant_frame frame = plain_frame(N - 1);
  scant_seen seen = {0};
  add_examples(&looks, N, s, 3, 1, 1, &seed);
  add_examples(&looks, N, s, 4, 0.95, 1, &seed);
  add_examples(&looks, N, s, 2, 0.1, 1, &seed);
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0));
  scant_normal at = normal_from(N, NULL, s);
  CHECK(seen.most == N && count_alike(&seen) >= 4);
  for (size_t b = 0; b < seen.batch_count; b++)
    CHECK(seen.batches[b].alike == (scant_seen_size(&seen, seen.order[seen.batches[b].start]) > 96));
  check_expectation(&seen, &at);
  scant_normal_free(&at);
  scant_seen_free(&seen);
  scant_frame_free(&frame);
  scant_looks_free(&looks);
}

TEST(an_impossible_covariance_is_not_a_number) {
  enum { N = 5 };
  double s[N * N];
  uint64_t seed = 6;
  random_covariance(N, N, 0.2, &seed, s);
  for (size_t repeats = 1; repeats < 20; repeats += 18) {
    scant_seen seen = seen_from(N, s, 40, 0.7, repeats, 9);
    scant_normal at = normal_from(N, NULL, s);
    scant_expectation *x = NULL;
    at.covariance[1] = at.covariance[N] = 3 * sqrt(s[0] * s[N + 1]); /* a correlation of 3 */
    CHECK(scant_expectation_new(&x, &seen, 1));
    CHECK(isnan(scant_expect(x, &seen, &at)));
    scant_em_options o = {.steps = 3, .threads = 1, .rank = 1};
    double likelihood;
    CHECK(scant_em_run(&seen, &o, &at, &likelihood, NULL, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "singular");
    scant_expectation_free(x);
    scant_normal_free(&at);
    scant_seen_free(&seen);
  }
}

TEST(threads_do_not_change_a_bit) {
  enum { N = 20 };
  double s[N * N];
  uint64_t seed = 8;
  random_covariance(N, 5, 0.3, &seed, s);
  scant_seen seen = seen_from(N, s, 500, 0.4, 3, 8);
  double first[N * N] = {0}, likelihood[2];
  for (unsigned threads = 1; threads <= 8; threads *= 2) {
    scant_em_options o = {.steps = 6, .threads = threads, .rank = 3, .factors = 30, .noise = 5, .accelerated = 1};
    scant_normal normal = {0};
    CHECK(scant_normal_new(&normal, N));
    CHECK(scant_em_start(&seen, &o, &normal, &error) == SCANT_OK);
    CHECK(scant_em_run(&seen, &o, &normal, &likelihood[threads > 1], NULL, &error) == SCANT_OK);
    if (threads == 1) memcpy(first, normal.covariance, sizeof first);
    CHECK(!memcmp(first, normal.covariance, sizeof first));
    CHECK(threads == 1 || bits_of(likelihood[1]) == bits_of(likelihood[0]));
    scant_normal_free(&normal);
  }
  scant_seen_free(&seen);
}

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
      double centre[PARAMETERS] = {0}, tried[2][PARAMETERS], value[2];
      for (int i = 0; i <= PARAMETERS; i++)
        for (int j = 0; j < PARAMETERS && i != low; j++) centre[j] += at[i][j] / PARAMETERS;
      double factor = 1;
      for (int t = 0; t < 2; t++) {
        for (int j = 0; j < PARAMETERS; j++) tried[t][j] = centre[j] + factor * (centre[j] - at[low][j]);
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
    scant_looks looks = {.dimension = N - 1};
    scant_frame frame = plain_frame(N - 1);
    for (size_t i = 0; i < N; i++) frame.centre[i] = i % 2 ? -1 : 1;
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
    scant_looks_free(&looks);
  }
}

/* ---- the target ---------------------------------------------------------------------- */

TEST(the_target_is_made_of_the_largest_factors) {
  enum { N = 9 };
  for (uint64_t seed = 1; seed <= 3; seed++)
    for (unsigned rank = 1; rank <= N + 1; rank++) {
      uint64_t draw = seed;
      double s[N * N], r[N * N], values[N], vectors[N * N], target[N * N], scratch[2 * N * N + N];
      random_covariance(N, N, 0.1, &draw, s);
      for (size_t i = 0; i < N * N; i++) r[i] = s[i] / sqrt(s[i / N * (N + 1)] * s[i % N * (N + 1)]);
      eigen_directly(N, r, values, vectors);
      CHECK(scant_target_fill(N, s, rank, target, scratch, &error) == SCANT_OK);
      for (size_t i = 0; i < N; i++) {
        CHECK(target[i * N + i] == s[i * N + i]);
        for (size_t j = 0; j < i; j++) {
          double wanted = 0;
          for (size_t k = 0; k < N; k++) {
            size_t larger = 0;
            for (size_t q = 0; q < N; q++) larger += values[q] > values[k];
            if (larger < rank) wanted += values[k] * vectors[k * N + i] * vectors[k * N + j];
          }
          CHECK_NEAR(target[i * N + j], wanted * sqrt(s[i * N + i] * s[j * N + j]), 1e-10);
          CHECK(target[i * N + j] == target[j * N + i]);
        }
      }
      eigen_directly(N, target, values, vectors);
      for (size_t k = 0; k < N; k++) CHECK(values[k] > -1e-12);
    }
}

TEST(a_covariance_of_few_factors_is_its_own_target) {
  enum { N = 8, RANK = 3 };
  uint64_t draw = 7;
  double s[N * N], target[N * N], scratch[2 * N * N + N];
  random_covariance(N, RANK, 0, &draw, s);
  CHECK(scant_target_fill(N, s, RANK, target, scratch, &error) == SCANT_OK);
  for (size_t i = 0; i < N * N; i++) CHECK_NEAR(target[i], s[i], 1e-10);
  double one = 4, mine;
  CHECK(scant_target_fill(1, &one, 10, &mine, scratch, &error) == SCANT_OK && mine == 4);
}

/* What does not vary, or by rounding less than that, is no error and touches nothing. */
TEST(what_does_not_vary_has_a_target_too) {
  enum { N = 6 };
  static const double least[] = {0, -1e-17, 1e-66, 1e-300};
  uint64_t draw = 8;
  double s[N * N], without[(N - 1) * (N - 1)], target[N * N], wanted[N * N], scratch[2 * N * N + N];
  random_covariance(N, N, 0.1, &draw, s);
  for (size_t i = 0; i < N - 1; i++) memcpy(without + i * (N - 1), s + i * N, (N - 1) * sizeof *s);
  CHECK(scant_target_fill(N - 1, without, 2, wanted, scratch, &error) == SCANT_OK);
  for (size_t k = 0; k < 4; k++) {
    for (size_t i = 0; i < N; i++) s[i * N + N - 1] = s[(N - 1) * N + i] = 1e-17;
    s[N * N - 1] = least[k];
    CHECK(scant_target_fill(N, s, 2, target, scratch, &error) == SCANT_OK);
    CHECK(target[N * N - 1] == least[k]);
    for (size_t i = 0; i < N - 1; i++) {
      CHECK_NEAR(target[i * N + N - 1], 0, 1e-15);
      for (size_t j = 0; j < N - 1; j++) CHECK_NEAR(target[i * N + j], wanted[i * (N - 1) + j], 1e-10);
    }
  }
  memset(s, 0, sizeof s);
  CHECK(scant_target_fill(N, s, 2, target, scratch, &error) == SCANT_OK);
  for (size_t i = 0; i < N * N; i++) CHECK(target[i] == 0);
}

/* ---- the choice ------------------------------------------------------------------------ */

/* The risks of both halves' regressors by the other half. */
static void cross_fit(const scant_looks *looks, const scant_frame *frame, const double *factor, scant_em_options o,
                      double weight, double penalty, double *risk) {
  size_t n = frame->variables;
  scant_normal half[2] = {{0}};
  double *w = calloc(n, sizeof *w), *scratch = calloc(n * n, sizeof *scratch), likelihood;
  o.factors = weight;
  o.threads = 1;
  for (size_t h = 0; h < 2; h++) {
    scant_seen seen = {0};
    CHECK(scant_normal_new(&half[h], n) && scant_seen_new(&seen, looks, frame, 2, h));
    CHECK(scant_em_start(&seen, &o, &half[h], &error) == SCANT_OK);
    CHECK(scant_em_run(&seen, &o, &half[h], &likelihood, NULL, &error) == SCANT_OK);
    scant_seen_free(&seen);
  }
  for (size_t h = 0; h < 2; h++) {
    const double *s = half[1 - h].covariance;
    CHECK(scant_regress(&half[h], factor, penalty, w, scratch));
    w[n - 1] = -1; /* (w, -1) S (w, -1)' is the risk */
    risk[h] = 0;
    for (size_t i = 0; i < n * n; i++) risk[h] += w[i / n] * w[i % n] * s[i] / s[n * n - 1];
  }
  for (size_t h = 0; h < 2; h++) scant_normal_free(&half[h]);
  free(w);
  free(scratch);
}

/* All but ties. */
TEST(the_choice_is_the_best_of_those_tried) {
  enum { N = 12 };
  double s[N * N], factor[N], risk[2];
  uint64_t draw = 61;
  random_covariance(N, 3, 0.3, &draw, s);
  for (size_t i = 0; i < N; i++) factor[i] = i == 4 ? INFINITY : 1;
  scant_looks looks = {.dimension = N - 1};
  scant_frame frame = plain_frame(N - 1);
  add_examples(&looks, N, s, 301, 0.4, 1, &draw);
  scant_choice choice[2] = {{0}};
  scant_em_options o = {.steps = 20, .rank = 3, .noise = 5, .accelerated = 1};
  for (unsigned t = 0; t < 2; t++) {
    o.threads = t + 1;
    CHECK(scant_choose(&looks, &frame, factor, &o, &choice[t], &error) == SCANT_OK);
  }
  CHECK(!memcmp(&choice[0], &choice[1], sizeof *choice));
  cross_fit(&looks, &frame, factor, o, choice->factors, choice->penalty, risk);
  CHECK_NEAR(choice->risk, (risk[0] + risk[1]) / 2, 1e-12);
  CHECK_NEAR(choice->error, fabs(risk[0] - risk[1]) / 2, 1e-12);
  CHECK(choice->risk > 0 && choice->risk < 1 && choice->factors > 0 && choice->penalty > 0);
  for (double penalty = 0.01; penalty < 2; penalty *= 10) {
    cross_fit(&looks, &frame, factor, o, choice->factors, penalty, risk);
    CHECK_AT_MOST(choice->risk, 1.02 * (risk[0] + risk[1]) / 2);
  }
  for (double weight = 100; weight < 2000; weight *= 10) {
    cross_fit(&looks, &frame, factor, o, weight, choice->penalty, risk);
    CHECK_AT_MOST(choice->risk, 1.02 * (risk[0] + risk[1]) / 2);
  }
  scant_frame_free(&frame);
  scant_looks_free(&looks);
}

int main(void) {
  RUN(eight_small_matrices_are_inverted_side_by_side);
  RUN(the_expectation_is_that_of_every_example);
  RUN(large_examples_are_worked_on_one_by_one);
  RUN(an_impossible_covariance_is_not_a_number);
  RUN(threads_do_not_change_a_bit);
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
  RUN(the_target_is_made_of_the_largest_factors);
  RUN(a_covariance_of_few_factors_is_its_own_target);
  RUN(what_does_not_vary_has_a_target_too);
  RUN(the_choice_is_the_best_of_those_tried);
  return check_done();
}
