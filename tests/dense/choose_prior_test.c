/* What the covariance is shrunk towards, and how much is chosen. */
#include "direct.h"
#include "dense/gaussian/choose_prior.h"
#include "dense/gaussian/regress.h"
#include "dense/gaussian/target.h"

static scant_error error;

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
static void cross_fit(const scant_answers *looks, const scant_frame *frame, const double *factor, scant_em_options o,
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
  scant_answers looks = {.dimension = N - 1};
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
  scant_answers_free(&looks);
}

int main(void) {
  RUN(the_target_is_made_of_the_largest_factors);
  RUN(a_covariance_of_few_factors_is_its_own_target);
  RUN(what_does_not_vary_has_a_target_too);
  RUN(the_choice_is_the_best_of_those_tried);
  return check_done();
}
