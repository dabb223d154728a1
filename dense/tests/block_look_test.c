/* The looks of blocks: every one that could have been drawn, against the mixture in closed form; and that they follow
 * from seed, block and law alone. */
#include "../../core/tests/exact/enumerate.h"
#include "sums/sums.h"
#include "allocations.h"
#include "support.h"

enum { MOST = 8 };

/* ---- the closed form ---------------------------------------------------------------- */

static double pair_of(double k, double d) {
  return d > 1 ? k * (k - 1) / (d * (d - 1)) : 0;
}

/* `first` of the followed, then any of the rest until there are k. */
static double has_both(double d, double k, double followed, double first, int one, int other, int same) {
  double rest = d - first, then = k - first, single = rest > 0 ? then / rest : 0;
  double taken = followed > 0 ? first / followed : 0;
  if (same) return one ? taken + (1 - taken) * single : single;
  if (!one && !other) return pair_of(then, rest);
  if (!one || !other) return taken * single + (1 - taken) * pair_of(then, rest);
  double both = pair_of(first, followed), neither = pair_of(followed - first, followed);
  return both + (1 - both - neither) * single + neither * pair_of(then, rest);
}

static double chance(size_t d, uint32_t k, const double *follow, size_t i, size_t j) {
  double followed = 0, share = 0.2 * k, least = floor(share), sum = 0;
  if (!follow) return has_both((double)d, k, 0, 0, 0, 0, i == j);
  for (size_t a = 0; a < d; a++) followed += follow[a] > 0;
  for (int more = 0; more < 2; more++) {
    double probability = more ? share - least : 1 - (share - least), first = fmin(k - least - more, followed);
    sum += probability * has_both((double)d, k, followed, first, follow[i] > 0, follow[j] > 0, i == j);
  }
  return sum;
}

/* ---- enumerated ----------------------------------------------------------------------- */

typedef struct {
  double has[MOST][MOST], total;
  uint64_t runs;
} outcomes;

static outcomes enumerate(size_t d, uint32_t k, const double *follow, const double *explore) {
  outcomes o = {0};
  scant_sumtree room = {0};
  enumeration e = {.script = {enumerate_choose}};
  scant_rng rng = {.script = &e.script};
  CHECK(scant_sumtree_new(&room, d));
  do {
    uint32_t look[MOST];
    enumerate_begin_run(&e);
    size_t count = scant_block_draw(&rng, &room, k, follow, explore, look);
    CHECK(count == k || !(e.probability > 0) || explore);
    for (size_t i = 0; i < count; i++)
      for (size_t j = 0; j < count; j++) {
        o.has[look[i]][look[j]] += e.probability;
        CHECK((look[i] == look[j]) == (i == j));
      }
  } while (enumerate_next(&e));
  o.total = e.total;
  o.runs = e.runs;
  scant_sumtree_free(&room);
  return o;
}

static void agrees(size_t d, uint32_t k, const double *follow) {
  outcomes o = enumerate(d, k, follow, NULL);
  CHECK_NEAR(o.total, 1, 1e-12);
  CHECK(o.runs > 1 || k == d);
  for (size_t i = 0; i < d; i++)
    for (size_t j = 0; j < d; j++) CHECK_NEAR(o.has[i][j], chance(d, k, follow, i, j), 1e-12);
}

TEST(chances_are_those_of_the_mixture) {
  static const double some[7] = {0, 1, 0, 1, 1, 0, 1}, one[7] = {0, 0, 1}, none[7] = {0},
                      all[7] = {1, 1, 1, 1, 1, 1, 1};
  for (uint32_t k = 1; k <= 5; k++) {
    agrees(6, k, NULL);
    agrees(6, k, some);
    agrees(6, k, one); /* fewer than there is room for: the rest explores */
    agrees(6, k, none);
    agrees(6, k, all);
  }
  agrees(7, 4, some);
  agrees(4, 4, some);
}

TEST(weights_to_explore_count) {
  static const double explore[4] = {1, 1, 0.25, 0}, follow[4] = {0, 1, 0, 0};
  outcomes o = enumerate(4, 2, NULL, explore);
  CHECK_NEAR(o.total, 1, 1e-12);
  double first = 0.25 / 2.25, after = 2 * (1 / 2.25) * (0.25 / 1.25);
  CHECK_NEAR(o.has[2][2], first + after, 1e-12);
  CHECK(o.has[3][3] == 0);
  o = enumerate(4, 4, follow, explore);
  CHECK_NEAR(o.has[0][0], 1, 1e-12);
  CHECK(o.has[3][3] == 0); /* what has no weight is not drawn: there are fewer */
}

/* ---- of a block --------------------------------------------------------------------------- */

static scant_error error;

/* A look has k attributes as long as so many have a weight, to explore or to follow. */
TEST(looks_are_full_where_little_is_to_explore) {
  static const double follow[MOST] = {1, 0, 1, 1, 2, 0, 1, 0}, explore[MOST] = {0, 1, 0, 0, 0, 0, 0, 0},
                      nothing[MOST] = {0};
  uint32_t look[MOST];
  size_t count = 0;
  for (uint64_t block = 0; block < 50; block++)
    for (uint64_t k = 1; k <= MOST; k++) {
      CHECK(scant_block_look(MOST, k, 3, block, follow, explore, look, &count, &error) == SCANT_OK);
      CHECK(count == (k < 6 ? k : 6));
      for (size_t i = 0; i < count; i++) CHECK(follow[look[i]] + explore[look[i]] > 0 && (!i || look[i - 1] < look[i]));
      CHECK(scant_block_look(MOST, k, 3, block, follow, nothing, look, &count, &error) == SCANT_OK);
      CHECK(count == (k < 5 ? k : 5));
    }
}

TEST(a_look_follows_from_seed_block_and_law_alone) {
  double follow[40] = {0};
  uint32_t look[40], again[40], other[40];
  size_t count, different = 0;
  for (size_t j = 0; j < 40; j += 3) follow[j] = 1;
  for (uint64_t block = 0; block < 50; block++) {
    CHECK(scant_block_look(40, 9, 5, block, follow, NULL, look, &count, &error) == SCANT_OK && count == 9);
    for (size_t i = 1; i < count; i++) CHECK(look[i - 1] < look[i]);
    CHECK(scant_block_look(40, 9, 5, block + 1, follow, NULL, other, &count, &error) == SCANT_OK);
    different += memcmp(look, other, sizeof *look * 9) != 0;
    CHECK(scant_block_look(40, 9, 6, block, follow, NULL, other, &count, &error) == SCANT_OK);
    different += memcmp(look, other, sizeof *look * 9) != 0;
    CHECK(scant_block_look(40, 9, 5, block, follow, NULL, again, &count, &error) == SCANT_OK && count == 9);
    CHECK(!memcmp(look, again, sizeof *look * 9));
  }
  CHECK(different == 100);
  CHECK(scant_block_look(7, 9, 5, UINT64_MAX, NULL, NULL, look, &count, &error) == SCANT_OK && count == 7);
  for (uint32_t i = 0; i < 7; i++) CHECK(look[i] == i);
}

/* Blocks one after the other, and of one seed after the other, are as if drawn by themselves. */
TEST(looks_of_blocks_are_independent) {
  enum { D = 7, K = 3, BLOCKS = 20000 };
  static const double follow[D] = {0, 1, 0, 1, 1, 0, 1};
  double has[D][D] = {{0}}, next[D][D] = {{0}};
  for (int by_seed = 0; by_seed < 2; by_seed++) {
    uint32_t look[D], last[D];
    size_t count;
    memset(has, 0, sizeof has);
    memset(next, 0, sizeof next);
    for (uint64_t b = 0; b < BLOCKS; b++) {
      CHECK(scant_block_look(D, K, by_seed ? b : 3, by_seed ? 3 : b, follow, NULL, look, &count, &error) == SCANT_OK);
      for (size_t i = 0; i < K; i++)
        for (size_t j = 0; j < K; j++) {
          has[look[i]][look[j]]++;
          if (b) next[look[i]][last[j]]++;
        }
      memcpy(last, look, sizeof last);
    }
    for (size_t i = 0; i < D; i++)
      for (size_t j = 0; j < D; j++) {
        double p = chance(D, K, follow, i, j), q = chance(D, K, follow, i, i) * chance(D, K, follow, j, j);
        CHECK_NEAR(has[i][j] / BLOCKS, p, 5 * sqrt(p * (1 - p) / BLOCKS));
        CHECK_NEAR(next[i][j] / (BLOCKS - 1), q, 5 * sqrt(2 * q / BLOCKS));
      }
  }
}

TEST(refusals) {
  double weights[3] = {1, -1, 1};
  uint32_t look[3] = {9, 9, 9};
  size_t count = 77;
  CHECK(scant_block_look(3, 0, 1, 0, NULL, NULL, look, &count, &error) == SCANT_USAGE);
  CHECK(scant_block_look(0, 2, 1, 0, NULL, NULL, look, &count, &error) == SCANT_DATA);
  CHECK(scant_block_look(3, 2, 1, 0, weights, NULL, look, &count, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "attribute 1 has the weight -1 to follow");
  weights[1] = NAN;
  CHECK(scant_block_look(3, 2, 1, 0, NULL, weights, look, &count, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "to explore");
  weights[0] = weights[1] = 1e308;
  CHECK(scant_block_look(3, 2, 1, 0, NULL, weights, look, &count, &error) == SCANT_DATA);
  allocations_fail(1, 0);
  CHECK(scant_block_look(3, 2, 1, 0, NULL, NULL, look, &count, &error) == SCANT_MEMORY);
  allocations_reset();
  CHECK(count == 77 && look[0] == 9);
}

int main(void) {
  RUN(chances_are_those_of_the_mixture);
  RUN(weights_to_explore_count);
  RUN(looks_are_full_where_little_is_to_explore);
  RUN(a_look_follows_from_seed_block_and_law_alone);
  RUN(looks_of_blocks_are_independent);
  RUN(refusals);
  return check_done();
}
