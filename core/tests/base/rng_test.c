/* Random numbers: known answers, exact counts, and 5 sigma where counting is out of reach. */
#include "chosen.h"

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

int main(void) {
  RUN(it_is_xoshiro256_starstar);
  RUN(seeds_and_streams_differ);
  RUN(below_is_exactly_uniform);
  RUN(below_64_is_exactly_uniform);
  RUN(a_bound_of_one_leaves_no_choice);
  RUN(pick_follows_its_weights);
  RUN(a_batch_is_uniform);
  RUN(a_batch_of_any_bound_ends);
  return check_done();
}
