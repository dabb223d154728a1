/* Random numbers, weighted drawing and subsets: known answers, exact counts,
 * and 5 sigma where counting is out of reach. */
#include "core/rng.h"
#include "sample/subset.h"
#include "sample/sumtree.h"
#include "support.h"

/* ---- the generator ------------------------------------------------------------- */

/* xoshiro256** as Blackman and Vigna publish it, written out once more. */
static uint64_t published_next(uint64_t s[4]) {
  uint64_t five = s[1] * 5, result = ((five << 7) | (five >> 57)) * 9, t = s[1] << 17;
  s[2] = s[2] ^ s[0];
  s[3] = s[3] ^ s[1];
  s[1] = s[1] ^ s[2];
  s[0] = s[0] ^ s[3];
  s[2] = s[2] ^ t;
  s[3] = (s[3] << 45) | (s[3] >> 19);
  return result;
}

TEST(it_is_xoshiro256_starstar) {
  static const uint64_t known[] = {11520u,
                                   0u,
                                   1509978240u,
                                   1215971899390074240u,
                                   1216172134540287360u,
                                   607988272756665600u,
                                   16172922978634559625u,
                                   8476171486693032832u,
                                   10595114339597558777u,
                                   2904607092377533576u};
  scant_rng rng = {.state = {1, 2, 3, 4}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) CHECK(scant_rng_next(&rng) == known[i]);
  uint64_t seed = 1, state[4];
  for (int i = 0; i < 4; i++) state[i] = rng.state[i] = random_bits(&seed);
  int wrong = 0;
  for (int i = 0; i < 10000; i++) wrong += scant_rng_next(&rng) != published_next(state);
  CHECK(wrong == 0);
  CHECK(memcmp(rng.state, state, sizeof state) == 0);
}

/* splitmix64(seed) xor splitmix64(not stream): a stored seed must mean the same
 * bits in every version. */
TEST(seeds_and_streams_differ) {
  enum { SEEDS = 30, STREAMS = 30 };
  static uint64_t first[SEEDS * STREAMS];
  int wrong = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    for (uint64_t stream = 0; stream < STREAMS; stream++) {
      scant_rng rng, again;
      scant_rng_seed(&rng, seed, stream);
      scant_rng_seed(&again, seed, stream);
      uint64_t x = seed, start = random_bits(&x) ^ stream * UINT64_C(0xd1342543de82ef95);
      for (int i = 0; i < 4; i++) wrong += rng.state[i] != random_bits(&start);
      uint64_t number = scant_rng_next(&rng);
      wrong += rng.script != NULL || number != scant_rng_next(&again);
      for (size_t i = 0; i < seed * STREAMS + stream; i++) wrong += first[i] == number;
      first[seed * STREAMS + stream] = number;
    }
  }
  CHECK(wrong == 0);
}

/* ---- chosen outputs --------------------------------------------------------------- */

/* The inverse of an odd number modulo 2^64, by Newton. */
static uint64_t inverse(uint64_t odd) {
  uint64_t x = odd;
  for (int i = 0; i < 6; i++) x *= 2 - odd * x;
  return x;
}

/* A generator whose next output is this. */
static scant_rng rng_with_next(uint64_t output) {
  uint64_t turned = output * inverse(9);
  return (scant_rng){.state = {1, ((turned >> 7) | (turned << 57)) * inverse(5), 2, 3}};
}

/* What scant_rng_below makes of the next output v * 2^32; -1: it draws again. */
static int64_t below_of(uint32_t bound, uint64_t v) {
  scant_rng rng = rng_with_next(v << 32), once = rng;
  uint32_t r = scant_rng_below(&rng, bound);
  scant_rng_next(&once);
  return memcmp(rng.state, once.state, sizeof rng.state) == 0 ? (int64_t)r : -1;
}

/* The outputs that lead to r are the interval from ceil(r 2^32 / b).  All of
 * them have q = floor(2^32 / b) or q + 1 members, so below() is exactly uniform
 * if it rejects one, the first, of those with q + 1 and none of the others. */
static int interval_is_even(uint64_t b, uint64_t r) {
  uint64_t first = ((r << 32) + b - 1) / b, next = (((r + 1) << 32) + b - 1) / b, q = (UINT64_C(1) << 32) / b;
  int extra = next - first == q + 1;
  if (!extra && next - first != q) return 0;
  if (below_of((uint32_t)b, first) != (extra ? -1 : (int64_t)r)) return 0;
  return (next - first < 2 || below_of((uint32_t)b, first + 1) == (int64_t)r) &&
         (next - first < 3 || below_of((uint32_t)b, next - 1) == (int64_t)r);
}

TEST(below_is_exactly_uniform) {
  uint64_t seed = 2;
  int uneven = 0;
  for (uint64_t b = 1; b <= 300; b++)
    for (uint64_t r = 0; r < b; r++) uneven += !interval_is_even(b, r);
  CHECK(uneven == 0);
  static const uint64_t large[] = {65535,      65536,      65537,      1000003,   0x7fffffff,
                                   0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    uneven += !interval_is_even(large[i], 0) + !interval_is_even(large[i], large[i] - 1);
    for (int j = 0; j < 2000; j++) uneven += !interval_is_even(large[i], random_below(&seed, large[i]));
  }
  CHECK(uneven == 0);
}

TEST(below_64_is_exactly_uniform) {
  static const uint64_t bounds[] = {UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, (UINT64_C(1) << 63) - 1,
                                    UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX};
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
    uint64_t b = bounds[i], kept = UINT64_MAX / b * b;                        /* 0 .. kept-1, or that many others */
    uint64_t excess = UINT64_MAX - kept + 1 == b ? 0 : UINT64_MAX - kept + 1; /* 2^64 mod b */
    scant_rng rng = rng_with_next(excess);
    CHECK(scant_rng_below64(&rng, b) == excess % b);
    rng = rng_with_next(UINT64_MAX);
    CHECK(scant_rng_below64(&rng, b) == UINT64_MAX % b);
    if (!excess) continue;
    scant_rng second = rng = rng_with_next(excess - 1);
    scant_rng_next(&second);
    CHECK(scant_rng_below64(&rng, b) < b);
    CHECK(memcmp(rng.state, second.state, sizeof rng.state) != 0); /* it drew again */
  }
  scant_rng a, b;
  scant_rng_seed(&a, 1, 1);
  b = a;
  for (int i = 0; i < 1000; i++) CHECK(scant_rng_below64(&a, 1000) == scant_rng_below(&b, 1000));
}

TEST(a_bound_of_one_leaves_no_choice) {
  scant_rng rng;
  scant_rng_seed(&rng, 1, 0);
  for (int i = 0; i < 1000; i++) CHECK(scant_rng_below(&rng, 1) == 0 && scant_rng_below64(&rng, 1) == 0);
}

/* |count - n p| <= 5 sigma, and exactly 0 where p = 0. */
static int within_5_sigma(uint64_t count, double n, double p) {
  if (!(p > 0)) return count == 0;
  return fabs((double)count - n * p) <= 5 * sqrt(n * p * (1 - p));
}

TEST(pick_follows_its_weights) {
  static const double weights[] = {0, 0.1, 0, 0.25, 0.6, 0.05, 0};
  enum { OUTCOMES = sizeof weights / sizeof *weights, DRAWS = 200000 };
  uint64_t counts[OUTCOMES] = {0};
  scant_rng rng;
  scant_rng_seed(&rng, 3, 0);
  for (int i = 0; i < DRAWS; i++) counts[scant_rng_pick(&rng, OUTCOMES, weights)]++;
  for (size_t i = 0; i < OUTCOMES; i++) CHECK(within_5_sigma(counts[i], DRAWS, weights[i]));
  static const double tenths[] = {.1, .1, .1, .1, .1, .1, .1, .1, .1, .1, 0};
  rng = rng_with_next(UINT64_MAX); /* u just below 1; the ten tenths add up to less */
  CHECK(scant_rng_pick(&rng, 11, tenths) == 9);
  rng = rng_with_next(0);
  CHECK(scant_rng_pick(&rng, OUTCOMES, weights) == 1);
}

/* ---- batches -------------------------------------------------------------------------- */

TEST(a_batch_is_uniform) {
  enum { BOUND = 23, BATCH = 55, BATCHES = 8000 };
  static uint64_t pairs[BOUND * BOUND];
  uint64_t counts[BOUND] = {0};
  scant_rng rng;
  uint32_t draws[BATCH];
  int wrong = 0;
  scant_rng_seed(&rng, 8, 0);
  for (int b = 0; b < BATCHES; b++) {
    scant_rng_fill(&rng, BOUND, BATCH, draws);
    for (int i = 0; i < BATCH; i++) {
      counts[draws[i]]++;
      if (i) pairs[draws[i - 1] * BOUND + draws[i]]++;
    }
  }
  for (int i = 0; i < BOUND; i++) wrong += !within_5_sigma(counts[i], BATCH * BATCHES, 1.0 / BOUND);
  for (int i = 0; i < BOUND * BOUND; i++)
    wrong += !within_5_sigma(pairs[i], (BATCH - 1) * BATCHES, 1.0 / BOUND / BOUND);
  CHECK(wrong == 0);
}

/* Bounds past those of batches, and a bound that makes nearly every second word
 * uneven: below it, and no hang. */
TEST(a_batch_of_any_bound_ends) {
  static const uint32_t bounds[] = {
      1, 2, 3, SCANT_RNG_EVEN, SCANT_RNG_EVEN + 1, UINT32_C(1) << 31, UINT32_C(2863311531)};
  scant_rng rng;
  uint32_t draws[300];
  int wrong = 0;
  scant_rng_seed(&rng, 9, 0);
  for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
    for (size_t count = 0; count <= 300; count += 25) {
      scant_rng_fill(&rng, bounds[b], count, draws);
      for (size_t i = 0; i < count; i++) wrong += draws[i] >= bounds[b];
    }
  enum { MANY = 300000 }; /* with a bound that 2^32 leaves much over */
  static uint32_t many[MANY];
  scant_rng_fill(&rng, 1000000, MANY, many);
  for (size_t i = 0; i < MANY; i++) wrong += many[i] >= 1000000;
  CHECK(wrong == 0);
}

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
  RUN(it_is_xoshiro256_starstar);
  RUN(seeds_and_streams_differ);
  RUN(below_is_exactly_uniform);
  RUN(below_64_is_exactly_uniform);
  RUN(a_bound_of_one_leaves_no_choice);
  RUN(pick_follows_its_weights);
  RUN(a_batch_is_uniform);
  RUN(a_batch_of_any_bound_ends);
  RUN(the_root_is_the_sum_after_any_updates);
  RUN(draws_of_1_to_40_leaves_are_exact);
  RUN(draws_follow_the_law);
  RUN(a_leaf_without_weight_is_never_drawn);
  RUN(all_subsets_are_equally_likely);
  return check_done();
}
