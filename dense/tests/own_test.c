/* The error of targets from their own looks, against the plainest formulas, by every way that it is taken. */
#include "gaussian/own_error.h"

#include "allocations.h"
#include "gaussian/block.h"
#include "direct.h"

/* ---- the inner loop ------------------------------------------------------------ */

/* Deviation and variance of the last of o given the others, with their variances times the factors; and the squared
 * error that is expected of these weights where the variances are as they were. */
static void condition_directly(const scant_seen *seen, size_t e, const scant_normal *at, const double *factor,
                               real *error, real *variance, real *expected) {
  size_t known = scant_seen_size(seen, e) - 1;
  const uint32_t *o = seen->variable + seen->first[e];
  const double *z = seen->value + seen->first[e];
  real *a = calloc(known * known + 1, sizeof *a), *b = calloc(known + 1, sizeof *b);
  size_t n = at->n, y = o[known];
  for (size_t i = 0; i < known; i++) {
    b[i] = at->covariance[o[i] * n + y];
    for (size_t j = 0; j < known; j++) a[i * known + j] = at->covariance[o[i] * n + o[j]];
    a[i * known + i] *= factor[o[i]];
  }
  solve_directly(a, b, known);
  *error = (real)z[known] - at->mean[y];
  *variance = *expected = at->covariance[y * n + y];
  for (size_t i = 0; i < known; i++) {
    *expected -= 2 * b[i] * at->covariance[o[i] * n + y];
    for (size_t j = 0; j < known; j++) *expected += b[i] * at->covariance[o[i] * n + o[j]] * b[j];
    *error -= b[i] * ((real)z[i] - at->mean[o[i]]);
    *variance -= b[i] * at->covariance[o[i] * n + y];
  }
  free(a);
  free(b);
}

/* Lanes of different sizes, in a block with room for the largest and for more. */
TEST(eight_targets_are_conditioned_side_by_side) {
  enum { N = 14, LANES = SCANT_LANES };
  static scant_lanes matrix[(N + 3) * (N + 4) / 2], r[N + 3], raised[N + 3], row[N + 3];
  static scant_conditioned found;
  double s[N * N], mean[N], factor[N];
  for (uint64_t seed = 1; seed <= 5; seed++) {
    uint64_t draw = seed;
    random_covariance(N, N, 0.1, &draw, s);
    for (size_t i = 0; i < N; i++) mean[i] = random_normal(&draw), factor[i] = 1 + fabs(random_real(&draw));
    factor[N - 1] = 1;
    scant_seen seen = seen_from(N, s, LANES, seed == 1 ? 1.1 : seed == 2 ? 0 : 0.5, 1, seed);
    scant_normal at = normal_from(N, mean, s);
    size_t sizes[LANES], n = seen.most + (seed > 3 ? 3 : 0);
    for (int lane = 0; lane < LANES; lane++) {
      sizes[lane] = scant_seen_size(&seen, (size_t)lane);
      scant_block_gather(&seen, (size_t)lane, &at, factor, n, lane, matrix, r, raised);
    }
    scant_block_condition(n, sizes, matrix, r, raised, row, &found);
    for (size_t lane = 0; lane < LANES; lane++) {
      real wanted, left, expected;
      condition_directly(&seen, lane, &at, factor, &wanted, &left, &expected);
      CHECK_NEAR(found.error[lane], (double)wanted, 1e-10);
      CHECK_NEAR(found.variance[lane], (double)left, 1e-10);
      CHECK_NEAR(found.expected[lane], (double)expected, 1e-10);
    }
    scant_normal_free(&at);
    scant_seen_free(&seen);
  }
}

/* ---- all examples ----------------------------------------------------------------- */

static void check_own(const scant_seen *seen, const scant_normal *at, const double *factor) {
  static const double penalties[] = {0, 0.01, 0.7};
  scant_own own[3];
  double *raised = calloc(at->n, sizeof *raised);
  for (size_t p = 0; p < 3; p++) CHECK(scant_own_measure(seen, at, factor, penalties[p], &own[p], NULL) == SCANT_OK);
  for (size_t p = 0; p < 3; p++) {
    real error = 0, variance = 0, expected = 0, spread = 0, m = (real)seen->examples;
    for (size_t j = 0; j < at->n; j++) raised[j] = j + 1 < at->n ? (factor ? factor[j] : 1) + penalties[p] : 1;
    for (size_t e = 0; e < seen->examples; e++) {
      real deviation, left, plain;
      for (size_t j = 0; j < at->n; j++) raised[j] = isinf(raised[j]) ? 1e30 : raised[j]; /* as if it had no part */
      condition_directly(seen, e, at, raised, &deviation, &left, &plain);
      error += deviation * deviation / m;
      spread += powl(deviation, 4) / m;
      variance += left / m;
      expected += plain / m;
    }
    CHECK_NEAR(own[p].error, (double)error, 1e-9 * (double)error);
    CHECK_NEAR(own[p].variance, (double)variance, 1e-9 * (double)variance);
    CHECK_NEAR(own[p].expected, (double)expected, 1e-9 * (double)expected);
    CHECK_NEAR(own[p].spread, (double)spread, 1e-9 * (double)spread);
  }
  free(raised);
}

TEST(the_error_is_that_of_every_example) {
  enum { N = 12 };
  static const size_t repeats[] = {1, 5, 6, 100}, examples[] = {1, 9, 60, 203};
  for (size_t r = 0; r < 4; r++)
    for (size_t k = 0; k < 4; k++) {
      uint64_t seed = 1 + r + 10 * k;
      double s[N * N], mean[N], factor[N];
      random_covariance(N, N, 0.2, &seed, s);
      for (size_t i = 0; i < N; i++) {
        mean[i] = random_normal(&seed);
        factor[i] = i == 3 ? INFINITY : i % 2 ? 1 : 1 + fabs(random_real(&seed));
      }
      scant_seen seen = seen_from(N, s, examples[k], 0.5, repeats[r], seed);
      scant_normal at = normal_from(N, mean, s);
      if (repeats[r] < 6 && examples[k] < 100) CHECK(count_alike(&seen) == 0);
      if (repeats[r] == 100 && examples[k] > 5) CHECK(count_alike(&seen) > 0);
      check_own(&seen, &at, NULL);
      check_own(&seen, &at, factor);
      scant_normal_free(&at);
      scant_seen_free(&seen);
    }
}

/* More than 96 of an example: never in a block. */
TEST(large_examples_are_worked_on_one_by_one) {
  enum { N = 110 };
  static double s[N * N], factor[N];
  uint64_t seed = 5;
  random_covariance(N, 30, 1, &seed, s);
  for (size_t i = 0; i < N; i++) factor[i] = i % 10 == 3 ? INFINITY : 1.2;
  scant_answers looks = {.dimension = N - 1};
  scant_frame frame = plain_frame(N - 1);
  scant_seen seen = {0};
  add_examples(&looks, N, s, 3, 1, 1, &seed);
  add_examples(&looks, N, s, 4, 0.95, 1, &seed);
  add_examples(&looks, N, s, 9, 0.1, 1, &seed);
  CHECK(scant_seen_new(&seen, &looks, &frame, 0, 0));
  scant_normal at = normal_from(N, NULL, s);
  CHECK(seen.most == N && count_alike(&seen) >= 4 && count_alike(&seen) < seen.batch_count);
  check_own(&seen, &at, NULL);
  check_own(&seen, &at, factor);
  scant_normal_free(&at);
  scant_seen_free(&seen);
  scant_frame_free(&frame);
  scant_answers_free(&looks);
}

/* Examples of which nothing was seen but the target, and cells that were missing. */
TEST(what_is_missing_has_no_part) {
  enum { N = 5, M = 24 };
  double s[N * N];
  uint64_t seed = 7;
  random_covariance(N, N, 0.2, &seed, s);
  for (int kind = 0; kind < 3; kind++) {
    scant_answers looks = {.dimension = N - 1}, fewer = {.dimension = N - 1};
    scant_frame frame = plain_frame(N - 1);
    scant_seen seen[2] = {{0}};
    for (size_t e = 0; e < M; e++) {
      uint32_t attributes[N - 1] = {3, 1, 0, 2}, left[N - 1];
      double values[N - 1], kept[N - 1], y = random_normal(&seed);
      size_t count = 0;
      for (size_t i = 0; i < N - 1; i++) {
        values[i] = kind == 0 || (kind == 1 && random_below(&seed, 2)) ? NAN : random_normal(&seed);
        if (isnan(values[i])) continue;
        left[count] = attributes[i];
        kept[count++] = values[i];
      }
      CHECK(scant_answers_add(&looks, NULL, N - 1, attributes, values, y) &&
            scant_answers_add(&fewer, NULL, count, left, kept, y));
    }
    CHECK(scant_seen_new(&seen[0], &looks, &frame, 0, 0) && scant_seen_new(&seen[1], &fewer, &frame, 0, 0));
    scant_normal at = normal_from(N, NULL, s);
    scant_own own[2];
    for (int i = 0; i < 2; i++) CHECK(scant_own_measure(&seen[i], &at, NULL, 0.01, &own[i], NULL) == SCANT_OK);
    CHECK(!memcmp(&own[0], &own[1], sizeof *own));
    check_own(&seen[0], &at, NULL);
    if (kind == 0) CHECK_NEAR(own->variance, s[N * N - 1], 1e-12);
    scant_normal_free(&at);
    for (int i = 0; i < 2; i++) scant_seen_free(&seen[i]);
    scant_frame_free(&frame);
    scant_answers_free(&looks);
    scant_answers_free(&fewer);
  }
}

TEST(it_says_when_it_cannot) {
  enum { N = 5 };
  double s[N * N];
  uint64_t seed = 6;
  random_covariance(N, N, 0.2, &seed, s);
  for (size_t repeats = 1; repeats < 20; repeats += 18) {
    scant_seen seen = seen_from(N, s, 40, 0.7, repeats, 9);
    scant_normal at = normal_from(N, NULL, s);
    scant_own own, wanted;
    CHECK(scant_own_measure(&seen, &at, NULL, 0.01, &wanted, NULL) == SCANT_OK);
    unsigned long n = 1;
    for (;; n++) {
      allocations_fail(n, 0);
      scant_status status = scant_own_measure(&seen, &at, NULL, 0.01, &own, NULL);
      unsigned long failed = allocations_failed();
      allocations_reset();
      if (!failed) break;
      CHECK(status == SCANT_MEMORY);
    }
    CHECK(n == 8 && !memcmp(&own, &wanted, sizeof own));
    at.covariance[1] = at.covariance[N] = 3 * sqrt(s[0] * s[N + 1]); /* a correlation of 3 */
    scant_error error;
    CHECK(scant_own_measure(&seen, &at, NULL, 0.01, &own, &error) == SCANT_DATA);
    CHECK_SAYS(error.text, "can't be predicted");
    scant_normal_free(&at);
    scant_seen_free(&seen);
  }
}

int main(void) {
  RUN(eight_targets_are_conditioned_side_by_side);
  RUN(the_error_is_that_of_every_example);
  RUN(large_examples_are_worked_on_one_by_one);
  RUN(what_is_missing_has_no_part);
  RUN(it_says_when_it_cannot);
  return check_done();
}
