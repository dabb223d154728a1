/* Weighted drawing and subsets: exact counts, and 5 sigma where counting is out of reach. */
#include "chosen.h"
#include "sample/sumtree.h"

/* ---- the tree of sums ------------------------------------------------------------ */

/* The sum below a node of level h, in the order of the lanes. */
static double sum_below(const scant_sumtree *tree, unsigned h, size_t node) {
  double v[8];
  if (!h) return tree->level[0][node];
  for (size_t i = 0; i < 8; i++) {
    size_t first = node * SCANT_SUMTREE_FAN + i, nodes = tree->leaves;
    for (unsigned up = 1; up < h; up++) nodes = (nodes + SCANT_SUMTREE_FAN - 1) / SCANT_SUMTREE_FAN;
    v[i] = (first < nodes ? sum_below(tree, h - 1, first) : 0) +
           (first + 8 < nodes ? sum_below(tree, h - 1, first + 8) : 0);
  }
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

static double random_weight(uint64_t *seed) {
  switch (random_below(seed, 6)) {
    case 0:
      return 0;
    case 1:
      return ldexp(1 + random_real(seed), -1000); /* tiny */
    case 2:
      return ldexp(1 + random_real(seed), 900); /* huge */
    case 3:
      return 5e-324;
    default:
      return 1 + random_real(seed);
  }
}

TEST(the_root_is_the_sum_after_any_updates) {
  enum { LEAVES = 5237, UPDATES = 100000 };
  scant_sumtree tree;
  uint64_t seed = 4;
  int wrong = 0;
  CHECK(scant_sumtree_new(&tree, LEAVES));
  CHECK(scant_sumtree_total(&tree) == 0);
  for (int i = 1; i <= UPDATES; i++) {
    size_t leaf = random_below(&seed, LEAVES);
    double weight = random_weight(&seed);
    scant_sumtree_set(&tree, leaf, weight);
    wrong += scant_sumtree_leaf(&tree, leaf) != weight;
    if (i % 500) continue;
    uint32_t several[100];
    for (size_t r = 0; r < 100; r++) {
      several[r] = (uint32_t)random_below(&seed, LEAVES);
      scant_sumtree_leaves(&tree)[several[r]] = random_weight(&seed);
    }
    scant_sumtree_settle(&tree, i / 500 % 2 ? 100 : 0, several); /* of none: nothing above changed */
    if (i / 500 % 2 == 0) scant_sumtree_settle(&tree, 3, several), scant_sumtree_settle(&tree, 97, several + 3);
    wrong += bits_of(scant_sumtree_total(&tree)) != bits_of(sum_below(&tree, tree.height, 0));
  }
  CHECK(wrong == 0);
  long double sum = 0;
  for (size_t i = 0; i < LEAVES; i++) sum += scant_sumtree_leaf(&tree, i);
  CHECK_NEAR(scant_sumtree_total(&tree) / (double)sum, 1, 1e-14);
  double before = scant_sumtree_total(&tree);
  scant_sumtree_rebuild(&tree);
  CHECK(bits_of(scant_sumtree_total(&tree)) == bits_of(before));
  /* Nothing huge is left behind: back to 0 exactly. */
  for (size_t i = 0; i < LEAVES; i++) scant_sumtree_set(&tree, i, 0);
  CHECK(scant_sumtree_total(&tree) == 0);
  scant_sumtree_free(&tree);
}

/* A draw with u = numerator / 2^53. */
static uint32_t draw_at(const scant_sumtree *tree, uint64_t numerator) {
  scant_rng rng = rng_with_next(numerator << 11);
  return scant_sumtree_draw(tree, &rng);
}

/* Whole weights that add up to 1024: with u at the start and at the middle of each
 * 1024th, leaf i must come twice weight_i times. */
TEST(draws_of_1_to_40_leaves_are_exact) {
  enum { TOTAL = 1024 };
  uint64_t seed = 5;
  int wrong = 0;
  for (size_t leaves = 1; leaves <= 40; leaves++) {
    scant_sumtree tree;
    CHECK(scant_sumtree_new(&tree, leaves));
    for (int round = 0; round < 20; round++) {
      int weight[40] = {0}, drawn[40] = {0}, left = TOTAL;
      for (size_t i = 0; i + 1 < leaves; i++) {
        if (random_below(&seed, 3)) weight[i] = (int)random_below(&seed, (size_t)left / 2 + 1);
        left -= weight[i];
      }
      weight[leaves - 1] = left;
      for (size_t i = 0; i < leaves; i++) scant_sumtree_set(&tree, i, weight[i]);
      wrong += scant_sumtree_total(&tree) != TOTAL;
      for (uint64_t j = 0; j < 2 * TOTAL; j++) drawn[draw_at(&tree, j << 42)]++;
      for (size_t i = 0; i < leaves; i++) wrong += drawn[i] != 2 * weight[i];
    }
    for (size_t only = 0; only < leaves; only++) { /* one leaf has it all */
      for (size_t i = 0; i < leaves; i++) scant_sumtree_leaves(&tree)[i] = i == only ? 0.3 : 0;
      scant_sumtree_rebuild(&tree);
      wrong += draw_at(&tree, 0) != only || draw_at(&tree, (UINT64_C(1) << 53) - 1) != only;
    }
    scant_sumtree_free(&tree);
  }
  CHECK(wrong == 0);
}

TEST(draws_follow_the_law) {
  enum { LEAVES = 333, DRAWS = 400000 };
  static uint64_t counts[LEAVES];
  scant_sumtree tree;
  scant_rng rng;
  uint64_t seed = 6;
  scant_rng_seed(&rng, 6, 0);
  CHECK(scant_sumtree_new(&tree, LEAVES));
  for (size_t i = 0; i < LEAVES; i++)
    scant_sumtree_set(&tree, i, random_below(&seed, 3) ? pow(10, 3 * random_real(&seed)) : 0);
  for (int i = 0; i < DRAWS; i++) counts[scant_sumtree_draw(&tree, &rng)]++;
  int wrong = 0, zeros = 0;
  for (size_t i = 0; i < LEAVES; i++) {
    double p = scant_sumtree_leaf(&tree, i) / scant_sumtree_total(&tree);
    zeros += p == 0;
    if (DRAWS * p >= 25 || p == 0) wrong += !within_5_sigma(counts[i], DRAWS, p);
  }
  CHECK(wrong == 0);
  CHECK(zeros > 50);
  scant_sumtree_free(&tree);
}

/* Rounding everywhere: weights that vanish beside others, subnormal sums, and u
 * at and next to every border between two leaves. */
TEST(a_leaf_without_weight_is_never_drawn) {
  uint64_t seed = 7, wrong = 0;
  const uint64_t end = UINT64_C(1) << 53;
  for (int round = 0; round < 3000; round++) {
    size_t leaves = 1 + random_below(&seed, round % 10 ? 40 : 500);
    int kind = (int)random_below(&seed, 4);
    scant_sumtree tree;
    if (!CHECK(scant_sumtree_new(&tree, leaves))) return;
    for (size_t i = 0; i < leaves; i++) {
      double weight = random_weight(&seed);
      if (kind == 1) weight = weight > 0 ? 5e-324 : 0; /* many of the smallest */
      if (kind == 2) weight = weight > 0.5 ? 0.1 : 0;  /* sums round */
      if (kind == 3) weight = weight > 0.5 ? ldexp(0.1, -1020) : 0;
      scant_sumtree_leaves(&tree)[i] = weight;
    }
    scant_sumtree_rebuild(&tree);
    double total = scant_sumtree_total(&tree), border = 0;
    for (size_t i = 0; i <= leaves && total > 0; i++) {
      double place = border / total * (double)end;
      uint64_t near = place < (double)end ? (uint64_t)place : end - 1;
      for (uint64_t u = near > 2 ? near - 3 : 0; u <= near + 3 && u < end; u++) {
        uint32_t leaf = draw_at(&tree, u);
        wrong += leaf >= leaves || !(scant_sumtree_leaf(&tree, leaf) > 0);
      }
      if (i < leaves) border += scant_sumtree_leaf(&tree, i);
    }
    scant_sumtree_free(&tree);
  }
  CHECK(wrong == 0);
}

/* ---- every outcome, by script ------------------------------------------------------ */

/* Walks through all sequences of choices like an odometer. */
typedef struct odometer {
  scant_script script;
  size_t digit[16], size[16], used, at;
} odometer;

static size_t choose_next(scant_script *script, size_t count, const double *weights) {
  odometer *o = (odometer *)(void *)script;
  CHECK(weights == NULL);
  if (o->at == o->used) {
    o->digit[o->used] = 0;
    o->size[o->used++] = count;
  }
  CHECK(o->size[o->at] == count);
  return o->digit[o->at++];
}

static int go_on(odometer *o) {
  while (o->used && ++o->digit[o->used - 1] == o->size[o->used - 1]) o->used--;
  o->at = 0;
  return o->used > 0;
}

static int is_in_mask(const void *set, uint32_t element) {
  return (int)(*(const uint32_t *)set >> element & 1);
}

TEST(all_subsets_are_equally_likely) {
  for (uint32_t d = 1; d <= 7; d++) {
    for (uint32_t k = 1; k <= d; k++) {
      static unsigned counts[1 << 7];
      odometer o = {.script = {choose_next}};
      scant_rng rng = {.script = &o.script};
      unsigned paths = 0, subsets = 0, uneven = 0, of_k = 0;
      memset(counts, 0, sizeof counts);
      do {
        uint32_t mask = 0;
        for (uint32_t r = 0; r < k; r++) mask |= 1u << scant_subset_draw(&rng, d, k, r, is_in_mask, &mask);
        counts[mask]++;
        paths++;
      } while (go_on(&o));
      for (uint32_t mask = 0; mask < 1u << d; mask++) {
        uint32_t bits = 0;
        for (uint32_t i = 0; i < d; i++) bits += mask >> i & 1;
        of_k += bits == k;
        subsets += counts[mask] > 0;
        uneven += counts[mask] && bits != k;
      }
      for (uint32_t mask = 0; mask < 1u << d; mask++) uneven += counts[mask] && counts[mask] * of_k != paths;
      CHECK(subsets == of_k && uneven == 0);
    }
  }
}

int main(void) {
  RUN(the_root_is_the_sum_after_any_updates);
  RUN(draws_of_1_to_40_leaves_are_exact);
  RUN(draws_follow_the_law);
  RUN(a_leaf_without_weight_is_never_drawn);
  RUN(all_subsets_are_equally_likely);
  return check_done();
}
