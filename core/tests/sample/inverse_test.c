/* Drawing by the inverse: the words that fall into an outcome are exactly what
 * `probability` says, guides lead there, and what differs by rounding draws alike. */
#include "sample/inverse.h"
#include "support.h"

enum { MOST = 700 };

static double random_weight(uint64_t *seed, int kind) {
  switch (kind) {
    case 0:
      return 1; /* all alike */
    case 1:
      return random_below(seed, 3) ? pow(10, 4 * random_real(seed)) : 0;
    case 2:
      return ldexp(1 + random_real(seed), (int)random_below(seed, 400) - 200);
    default:
      return random_below(seed, 20) ? 1e-300 : 1e300; /* next to nothing beside a few */
  }
}

static void set_weights(scant_inverse *inverse, size_t n, const double *weight) {
  memcpy(inverse->probability, weight, n * sizeof *weight);
  scant_inverse_build(inverse, n);
}

/* Where words fall, at and next to every border of outcomes and of stretches. */
static int wrong_guides(const scant_inverse *v) {
  int wrong = 0;
  for (uint64_t g = 0; g < UINT64_C(1) << (63 - v->shift); g++) {
    uint64_t first = g << v->shift;
    uint32_t i = v->guide[g];
    wrong += i >= v->count || first >= v->end[i] || (i && first < v->end[i - 1]);
  }
  return wrong;
}

TEST(words_fall_by_the_probabilities) {
  scant_inverse v;
  uint64_t seed = 1;
  int wrong = 0;
  CHECK(scant_inverse_new(&v, MOST));
  for (int round = 0; round < 400; round++) {
    size_t n = 1 + random_below(&seed, round % 4 ? 40 : MOST);
    double weight[MOST], sum = 0;
    for (size_t i = 0; i < n; i++) sum += weight[i] = random_weight(&seed, round % 5);
    if (!(sum > 0)) sum = weight[n / 2] = 1;
    set_weights(&v, n, weight);
    wrong += v.end[n - 1] != UINT64_C(1) << 63 || wrong_guides(&v);
    for (size_t i = 0; i < n; i++) {
      uint64_t units = v.end[i] - (i ? v.end[i - 1] : 0);
      wrong += (weight[i] > 0) != (units > 0) || v.probability[i] != ldexp((double)units, -63);
      wrong += fabs(v.probability[i] - weight[i] / sum) > 1e-9 + 1e-12 * (double)n;
    }
  }
  CHECK(wrong == 0);
  scant_inverse_free(&v);
}

/* Counts are in sum as a chi-square is, and nothing without weight is drawn. */
TEST(draws_follow_the_law) {
  enum { N = 37, DRAWS = 300000, BATCH = 150 };
  scant_inverse v;
  scant_rng rng;
  uint64_t seed = 2, counts[N] = {0};
  double weight[N], square = 0, cells = 0;
  scant_rng_seed(&rng, 3, 0);
  CHECK(scant_inverse_new(&v, N));
  for (size_t i = 0; i < N; i++) weight[i] = i % 5 ? fabs(random_real(&seed)) : 0;
  set_weights(&v, N, weight);
  for (int i = 0; i < DRAWS / BATCH; i++) {
    uint32_t draws[BATCH];
    scant_inverse_fill(&v, &rng, BATCH, draws);
    for (int r = 0; r < BATCH; r++) counts[draws[r]]++;
  }
  for (size_t i = 0; i < N; i++) {
    double expected = DRAWS * v.probability[i];
    if (weight[i] == 0) CHECK(counts[i] == 0);
    if (expected < 10) continue;
    square += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    cells++;
  }
  CHECK(cells > 20);
  CHECK_NEAR(square, cells, 5 * sqrt(2 * cells) + 5);
  scant_inverse_free(&v);
}

TEST(rounding_changes_no_draws) {
  enum { N = 100, DRAWS = 20000 };
  scant_inverse a, b;
  scant_rng one, two;
  uint64_t seed = 4;
  double weight[N], other[N];
  uint32_t first[DRAWS], second[DRAWS];
  for (size_t i = 0; i < N; i++) {
    weight[i] = i % 2 ? 1 : fabs(random_real(&seed));
    other[i] = weight[i] * 1e-7 * (1 + 1e-15 * random_real(&seed));
  }
  CHECK(scant_inverse_new(&a, N) && scant_inverse_new(&b, N));
  set_weights(&a, N, weight);
  set_weights(&b, N, other);
  scant_rng_seed(&one, 5, 0);
  two = one;
  scant_inverse_fill(&a, &one, DRAWS, first);
  scant_inverse_fill(&b, &two, DRAWS, second);
  CHECK(memcmp(first, second, sizeof first) == 0);
  scant_inverse_free(&a);
  scant_inverse_free(&b);
}

int main(void) {
  RUN(words_fall_by_the_probabilities);
  RUN(draws_follow_the_law);
  RUN(rounding_changes_no_draws);
  return check_done();
}
