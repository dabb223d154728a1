/* The alias table: its columns hold exactly what `probability` says, and draws one
 * by one and in batches follow it. */
#include "sample/alias.h"
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

/* Units of 2^-32 columns that each outcome has in the table. */
static void count_units(const scant_alias *alias, uint64_t *units) {
  for (size_t c = 0; c < alias->count; c++) {
    units[c] += alias->column[c].limit;
    units[alias->column[c].other] += (UINT64_C(1) << 32) - alias->column[c].limit;
  }
}

TEST(columns_hold_the_probabilities) {
  scant_alias alias;
  uint64_t seed = 1;
  int wrong = 0;
  CHECK(scant_alias_new(&alias, MOST));
  for (int round = 0; round < 400; round++) {
    size_t n = 1 + random_below(&seed, round % 4 ? 40 : MOST);
    double weight[MOST], sum = 0;
    uint64_t units[MOST] = {0};
    for (size_t i = 0; i < n; i++) sum += weight[i] = random_weight(&seed, round % 5);
    if (!(sum > 0)) sum = weight[n / 2] = 1;
    for (size_t i = 0; i < n; i++) alias.column[i].probability = weight[i];
    scant_alias_build(&alias, n);
    count_units(&alias, units);
    double all = ldexp((double)n, 32);
    for (size_t i = 0; i < n; i++) {
      wrong += alias.column[i].other >= n || (weight[i] == 0) != (units[i] == 0);
      wrong += fabs(alias.column[i].probability * all - (double)units[i]) > 1e-3;
      /* the weight, up to a unit; the largest takes what is left */
      wrong += fabs((double)units[i] / all - weight[i] / sum) > (double)(n + 2) / all;
    }
  }
  CHECK(wrong == 0);
  scant_alias_free(&alias);
}

/* Counts are within 5 sigma of their mean, and in sum as a chi-square is. */
static void check_counts(const scant_alias *alias, const uint64_t *counts, double draws) {
  double square = 0, cells = 0;
  for (size_t i = 0; i < alias->count; i++) {
    double p = alias->column[i].probability, expected = draws * p;
    if (p == 0) CHECK(counts[i] == 0);
    if (expected < 10) continue;
    square += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
    cells++;
  }
  CHECK(cells > 10);
  CHECK_NEAR(square, cells, 5 * sqrt(2 * cells) + 5);
}

TEST(draws_follow_the_table) {
  enum { N = 37, DRAWS = 300000, BATCH = 150 };
  scant_alias alias;
  scant_rng rng;
  uint64_t seed = 2, one[N] = {0}, many[N] = {0};
  scant_rng_seed(&rng, 3, 0);
  CHECK(scant_alias_new(&alias, N));
  for (size_t i = 0; i < N; i++) alias.column[i].probability = i % 5 ? fabs(random_real(&seed)) : 0;
  scant_alias_build(&alias, N);
  for (int i = 0; i < DRAWS; i++) one[scant_alias_draw(&alias, &rng)]++;
  check_counts(&alias, one, DRAWS);
  for (int i = 0; i < DRAWS / BATCH; i++) {
    uint32_t draws[BATCH];
    scant_alias_fill(&alias, &rng, BATCH, draws);
    for (int r = 0; r < BATCH; r++) many[draws[r]]++;
  }
  check_counts(&alias, many, DRAWS);
  scant_alias_free(&alias);
}

int main(void) {
  RUN(columns_hold_the_probabilities);
  RUN(draws_follow_the_table);
  return check_done();
}
