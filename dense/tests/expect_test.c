/* The expectation step against the plainest formulas, by every way that it is taken. */
#include "direct.h"
#include "gaussian/block.h"

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
    seen->batches[seen->batch_count++] = (scant_batch){i, count, alike, NULL};
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
    scant_em_sums sums;
    scant_expect(x, seen, at, &sums);
    CHECK_NEAR(sums.likelihood, likelihood, 1e-10 * (1 + fabs(likelihood)));
    for (size_t i = 0; i < n; i++) {
      CHECK_NEAR(sums.g[i], (double)g[i], 1e-10 * largest);
      for (size_t j = 0; j <= i; j++) CHECK_NEAR(sums.m[i * n + j], (double)m[i * n + j], 1e-10 * largest);
    }
  }
  scant_expectation_free(x);
  free(m);
  free(g);
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

/* Blocks of rows of which the same was seen, or nearly: some have holes.  They are reduced whatever their number is,
 * less than the variables or more than one QR takes, and each with its own matrix or, beyond 96 variables, alone. */
static void check_blocks(size_t n, double share, size_t rows, size_t blocks, size_t examples) {
  double *s = malloc(n * n * sizeof *s), *mean = malloc(n * sizeof *mean);
  uint64_t seed = n + rows;
  scant_answers plain = {.dimension = n - 1}, looks = {.dimension = n - 1};
  scant_frame frame = plain_frame(n - 1);
  scant_seen seen = {0};
  size_t reduced = 0;
  random_covariance(n, n / 2, 0.5, &seed, s);
  for (size_t i = 0; i < n; i++) mean[i] = random_normal(&seed);
  add_examples(&plain, n, s, examples, share, rows, &seed);
  for (size_t e = 0; e < examples; e++) {
    double *values = plain.value + plain.first[e];
    if (e % rows % 7 == 3 && plain.size[e]) values[e % plain.size[e]] = NAN;
    CHECK(scant_answers_add(&looks, &(uint32_t){(uint32_t)(e / rows)}, plain.size[e], plain.attribute + plain.first[e],
                            values, plain.y[e]));
  }
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0) && seen.blocks == blocks);
  for (size_t b = 0; b < seen.batch_count; b++) {
    reduced += seen.batches[b].sums != NULL;
    CHECK(!seen.batches[b].sums == !seen.batches[b].alike);
  }
  CHECK(reduced >= (rows < 8 ? 0 : share < 1 ? blocks : 1));
  scant_normal at = normal_from(n, mean, s);
  check_expectation(&seen, &at);
  scant_normal_free(&at);
  scant_seen_free(&seen);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
  scant_answers_free(&plain);
  free(s);
  free(mean);
}

TEST(blocks_are_reduced_to_what_they_give) {
  check_blocks(12, 0.5, 1, 40, 40);
  check_blocks(12, 0.5, 8, 21, 168);
  check_blocks(12, 0.5, 30, 10, 300);
  check_blocks(12, 1.1, 30, 10, 300); /* all is seen */
  check_blocks(12, 0.3, 330, 2, 660);
  check_blocks(98, 1.1, 101, 1, 101);
  check_blocks(98, 1.1, 10, 2, 20);
}

/* More than 96 of an example: never in a block. */
TEST(large_examples_are_worked_on_one_by_one) {
  enum { N = 110 };
  static double s[N * N];
  uint64_t seed = 5;
  random_covariance(N, 30, 1, &seed, s);
  scant_answers looks = {.dimension = N - 1};
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
  scant_answers_free(&looks);
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
    scant_em_sums sums;
    scant_expect(x, &seen, &at, &sums);
    CHECK(isnan(sums.likelihood));
    scant_expectation_free(x);
    scant_normal_free(&at);
    scant_seen_free(&seen);
  }
}

TEST(threads_do_not_change_a_bit) {
  enum { N = 20 };
  double s[N * N], first[N * N], likelihood[2];
  uint64_t seed = 8;
  random_covariance(N, 5, 0.3, &seed, s);
  scant_seen seen = seen_from(N, s, 500, 0.4, 3, 8);
  scant_normal at = normal_from(N, NULL, s);
  for (unsigned threads = 1; threads <= 8; threads *= 2) {
    scant_expectation *x = NULL;
    CHECK(scant_expectation_new(&x, &seen, threads));
    scant_em_sums sums;
    scant_expect(x, &seen, &at, &sums);
    likelihood[threads > 1] = sums.likelihood;
    if (threads == 1) memcpy(first, sums.m, sizeof first);
    CHECK(!memcmp(first, sums.m, sizeof first));
    CHECK(threads == 1 || bits_of(likelihood[1]) == bits_of(likelihood[0]));
    scant_expectation_free(x);
  }
  scant_normal_free(&at);
  scant_seen_free(&seen);
}

int main(void) {
  RUN(eight_small_matrices_are_inverted_side_by_side);
  RUN(the_expectation_is_that_of_every_example);
  RUN(blocks_are_reduced_to_what_they_give);
  RUN(large_examples_are_worked_on_one_by_one);
  RUN(an_impossible_covariance_is_not_a_number);
  RUN(threads_do_not_change_a_bit);
  return check_done();
}
