/* Limits of an attribute: what one wild value does to them, what becomes of an attribute that is rarely
 * active, and that units do not matter. */
#include "estimate/running.h"

#include "gaussians.h"
#include "support.h"

enum { N = 100, LONG = 30000, KINDS = 6, TAIL = 4 };

typedef struct {
  double low, high;
} pair;

static pair limits_of(const double *x, size_t n, double clip) {
  scant_limits l = {0};
  double joined;
  pair p;
  for (size_t t = 0; t < n; t++) scant_limits_add(&l, x[t], &joined);
  scant_limits_of(&l, clip, &p.low, &p.high);
  return p;
}

/* A value of an attribute that varies: its kind says how. */
static double value_of(int kind, uint64_t *seed) {
  switch (kind) {
    case 0:
      return random_normal(seed);
    case 1:
      return random_real(seed);
    case 2:
      return random_real(seed) < 0; /* two values, evenly */
    case 3:
      return random_real(seed) < -.6; /* two values, one in five */
    case TAIL:
      return -log((random_real(seed) + 1) / 2 + 1e-300);
    default:
      return floor(3 * random_real(seed));
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The definition, from all values at once. */
static pair limits_by_definition(const double *x, size_t n, double clip) {
  long double v[LONG], mean = 0, spread = 0, sd;
  double sorted[LONG];
  memcpy(sorted, x, n * sizeof *x);
  qsort(sorted, n, sizeof *sorted, compare);
  for (size_t i = 0; i < n; i++) v[i] = sorted[i];
  for (size_t i = 2; i + 2 < n; i++) mean += v[i] / (n - 4);
  for (size_t i = 2; i + 2 < n; i++) spread += (v[i] - mean) * (v[i] - mean);
  sd = n > 5 && v[2] < v[n - 3] ? sqrtl(spread / (n - 5)) : 0;
  for (int side = 0; side < 2 && sd > 0; side++) {
    long double *outer = side ? &v[n - 1] : &v[0], *inner = side ? &v[n - 2] : &v[1];
    long double sign = side ? 1 : -1, most = 3 * sd, core = sign * (v[side ? n - 3 : 2] - mean);
    long double near = sign * (*inner - mean), far = sign * (*outer - mean);
    int wild = near > 1.5L * fmaxl(core, most), wilder = far > 1.5L * fmaxl(wild ? core : near, most);
    if (near > most) *inner = mean + sign * (wild ? most : fmaxl(core, most));
    if (far > most) *outer = mean + sign * (wilder ? most : fmaxl(wild ? core : near, most));
  }
  mean = spread = 0;
  for (size_t i = 0; i < n; i++) mean += v[i] / n;
  for (size_t i = 0; i < n; i++) spread += (v[i] - mean) * (v[i] - mean);
  sd = sqrtl(spread / n);
  return (pair){(double)(mean - clip * sd), (double)(mean + clip * sd)};
}

TEST(limits_are_what_their_definition_says) {
  uint64_t seed = 1;
  for (int trial = 0; trial < 200; trial++) {
    double x[60], clip = 1 + trial % 5;
    size_t n = 2 + (size_t)trial % 50;
    for (size_t t = 0; t < n; t++) x[t] = value_of(trial % KINDS, &seed) * (trial % 7 ? 1 : 1e4) + trial;
    x[0] += 1e-3; /* so that they vary */
    pair p = limits_of(x, n, clip), q = limits_by_definition(x, n, clip);
    CHECK_NEAR(p.low, q.low, 1e-10 * (q.high - q.low + fabs(q.low)));
    CHECK_NEAR(p.high, q.high, 1e-10 * (q.high - q.low + fabs(q.high)));
  }
}

/* A million standard deviations away, first, in the middle or last, up or down: no limit moves by a tenth of
 * its distance from the mean.  Where values have a long tail (exponential ones), a gap in the tail itself can
 * look like a wild value, and few trials move farther. */
TEST(one_wild_value_moves_limits_little) {
  uint64_t seed = 2;
  double furthest[KINDS] = {0};
  int tails = 0, far_tails = 0;
  for (int trial = 0; trial < 3000; trial++) {
    int kind = trial % KINDS;
    double x[N + 1], wild = (trial / KINDS % 2 ? 1e6 : -1e6) * (trial % 5 ? 1 : 1e40);
    for (size_t t = 0; t < N; t++) x[t] = value_of(kind, &seed);
    pair clean = limits_of(x, N, 3);
    double half = (clean.high - clean.low) / 2;
    size_t at[] = {0, 1, 2, N / 2, N - 1, N};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
      double with[N + 1];
      memcpy(with, x, at[i] * sizeof *x);
      memcpy(with + at[i] + 1, x + at[i], (N - at[i]) * sizeof *x);
      with[at[i]] = wild;
      pair p = limits_of(with, N + 1, 3);
      double moved = fmax(fabs(p.low - clean.low), fabs(p.high - clean.high)) / half;
      furthest[kind] = fmax(furthest[kind], moved);
      if (kind != TAIL) CHECK_AT_MOST(moved, .1);
      tails += kind == TAIL;
      far_tails += kind == TAIL && !(moved < .1);
    }
  }
  for (int kind = 0; kind < KINDS; kind++) {
    printf("# kind %d: at most %.4f\n", kind, furthest[kind]);
    CHECK(furthest[kind] > .001); /* the test sees something */
  }
  CHECK_AT_MOST(far_tails, .05 * tails);
}

/* Both ways at once. */
TEST(two_wild_values_on_different_sides_move_limits_little) {
  uint64_t seed = 3;
  double x[N + 2];
  for (size_t t = 0; t < N; t++) x[t + 2] = random_normal(&seed);
  x[0] = 1e6;
  x[1] = -1e6;
  pair clean = limits_of(x + 2, N, 3), p = limits_of(x, N + 2, 3);
  CHECK_AT_MOST(fabs(p.low - clean.low), .3);
  CHECK_AT_MOST(fabs(p.high - clean.high), .3);
}

/* One row in a hundred is not 0: it is 1, or has a heavy tail, or is on either side. */
static double rare(int kind, uint64_t *seed) {
  double active = random_real(seed), u = (random_real(seed) + 1) / 2 + 1e-9;
  if (active > -.98) return 0;
  return kind == 0 ? 1 : kind == 1 ? 1 / sqrt(u) : kind == 2 ? exp(2 * random_normal(seed)) : u < .5 ? 1 : -1;
}

TEST(an_attribute_that_is_rarely_active_keeps_its_unit) {
  for (int kind = 0; kind < 4; kind++) {
    uint64_t seed = 5 + (uint64_t)kind;
    scant_clipped c = {0};
    double sum = 0, squares = 0, active = 0, share = 0;
    for (size_t t = 1; t <= LONG; t++) {
      double x = rare(kind, &seed), low, high;
      sum += x;
      squares += x * x;
      active += x != 0;
      scant_clipped_add(&c, x, 3, 0);
      scant_moments m = scant_clipped_moments(&c, 0);
      low = c.low;
      high = c.high;
      if (active < 1) continue;
      /* What is common stays, and what is rare stays something else. */
      if (!CHECK(scant_limits_clip(0, low, high) == 0)) return;
      if (x != 0 && !CHECK(scant_limits_clip(x, low, high) * x > 0)) return;
      if (!CHECK(m.spread > 0 && m.count == t)) return;
      double n = (double)t, sd = sqrt(squares / n - sum / n * (sum / n)), found = (high - low) / 6;
      /* Of the variance of few active values, one may be most. */
      double least = (kind == 2 ? .1 : .5) * sqrt((active > 2 ? active - 2 : 1) / n);
      share = found / sd;
      if (!CHECK_AT_MOST(least, found) || !CHECK_AT_MOST(found, sd * 1.01)) return;
    }
    printf("# kind %d: limits %g times 3 standard deviations\n", kind, share);
  }
}

/* A value that is never met again is not forgotten: the first activity of an attribute counts as it is. */
TEST(the_first_activity_counts) {
  double x[N] = {0};
  x[40] = 1;
  pair p = limits_of(x, N, 3);
  CHECK_NEAR(p.high, .01 + 3 * sqrt(.01 * .99), 1e-12);
  CHECK_NEAR(p.low, .01 - 3 * sqrt(.01 * .99), 1e-12);
}

TEST(limits_of_nothing_and_of_a_constant) {
  scant_limits l = {0};
  double low = 7, high = 7, joined;
  CHECK(!scant_limits_of(&l, 3, &low, &high) && low == 0 && high == 0);
  for (int t = 0; t < 50; t++) {
    scant_limits_add(&l, .1, &joined);
    CHECK(!scant_limits_of(&l, 3, &low, &high) && low == .1 && high == .1);
  }
  CHECK(l.spread == 0 && l.mean == .1 && l.count == 50);
  scant_limits_add(&l, .2, &joined);
  CHECK(scant_limits_of(&l, 3, &low, &high) && low < .1 && high > .1);
}

TEST(clipping_keeps_what_is_inside_and_nan) {
  CHECK(scant_limits_clip(2, 1, 3) == 2 && scant_limits_clip(0, 1, 3) == 1 && scant_limits_clip(9, 1, 3) == 3);
  CHECK(isnan(scant_limits_clip(NAN, 1, 3)) && scant_limits_clip(INFINITY, 1, 3) == 3);
}

/* Exactly for powers of two, and to rounding for other units and other zeros. */
TEST(units_do_not_matter) {
  for (int kind = 0; kind < KINDS; kind++) {
    uint64_t seed = 11;
    scant_clipped a = {0}, b = {0}, c = {0}, d = {0};
    for (int t = 0; t < 500; t++) {
      double x = value_of(kind, &seed) * (t == 3 || t == 77 ? 1e6 : 1), low[4], high[4];
      scant_clipped_add(&a, x, 3, 0);
      scant_clipped_add(&b, x * 0x1p-30, 3, 0);
      scant_clipped_add(&c, x * -1e5 + 3e3, 3, 0);
      scant_clipped_add(&d, x * 0x1p9, 3, 1);
      scant_moments m[4];
      m[0] = scant_clipped_moments(&a, 0);
      low[0] = a.low;
      high[0] = a.high;
      m[1] = scant_clipped_moments(&b, 0);
      low[1] = b.low;
      high[1] = b.high;
      m[2] = scant_clipped_moments(&c, 0);
      low[2] = c.low;
      high[2] = c.high;
      m[3] = scant_clipped_moments(&d, 1);
      low[3] = d.low;
      high[3] = d.high;
      CHECK(low[1] == low[0] * 0x1p-30 && high[1] == high[0] * 0x1p-30);
      CHECK(m[1].mean == m[0].mean * 0x1p-30 && m[1].spread == m[0].spread * 0x1p-60);
      CHECK(m[1].largest == m[0].largest * 0x1p-60 && m[1].count == m[0].count);
      CHECK(low[3] == low[0] * 0x1p9 && m[3].mean == m[0].mean * 0x1p9);
      double size = 1e5 * (high[0] - low[0]) + 3e3;
      CHECK_NEAR(low[2], high[0] * -1e5 + 3e3, 1e-9 * size);
      CHECK_NEAR(m[2].mean, m[0].mean * -1e5 + 3e3, 1e-9 * size);
      CHECK_NEAR(m[2].spread, m[0].spread * 1e10, 1e-9 * size * size * (t + 1));
    }
  }
}

/* With limits that nothing reaches, the moments are those of all values. */
TEST(moments_without_clipping_are_plain) {
  uint64_t seed = 13;
  for (int zero = 0; zero < 2; zero++) {
    scant_clipped c = {0};
    scant_moments plain = {0};
    for (int t = 0; t < 300; t++) {
      double x = random_real(&seed) + 1;
      scant_clipped_add(&c, x, 50, zero);
      if (zero)
        scant_moments_add_raw(&plain, x);
      else
        scant_moments_add(&plain, x);
      scant_moments m = scant_clipped_moments(&c, zero);
      CHECK(m.count == plain.count);
      CHECK_NEAR(m.mean, plain.mean, 1e-12);
      CHECK_NEAR(m.spread, plain.spread, 1e-10);
      if (zero) CHECK_NEAR(m.largest, plain.largest, 1e-12);
      if (!zero && t) CHECK(m.largest > 0);
      if (!zero && !t) CHECK(m.largest == 0 && m.spread == 0);
    }
  }
}

/* A wild value does not stay in the mean and the spread of the clipped values, even if it came first. */
TEST(clipped_moments_forget_a_wild_value) {
  uint64_t seed = 17;
  for (int at = 0; at < 120; at += at < 5 ? 1 : 37) {
    scant_clipped c = {0};
    scant_moments clean = {0};
    for (int t = 0; t < 200; t++) {
      double x = random_normal(&seed);
      if (t != at) scant_moments_add(&clean, x);
      scant_clipped_add(&c, t == at ? 1e9 : x, 3, 0);
    }
    scant_moments m = scant_clipped_moments(&c, 0);
    CHECK_NEAR(m.mean, clean.mean, .05);
    CHECK_NEAR(sqrt(m.spread / 200), sqrt(clean.spread / 199), .07);
    CHECK_AT_MOST(m.largest, 16);
  }
}

/* Records of pieces, merged by a random tree, give the limits of all values: also with a few per piece, and one wild
 * one. */
TEST(records_that_merge_are_those_of_all_values) {
  static double x[LONG];
  for (int kind = 0; kind < KINDS; kind++)
    for (uint64_t seed = 1; seed <= 40; seed++) {
      size_t n = seed < 10 ? seed : 10 * seed, pieces = 1 + (size_t)seed % 12;
      scant_limits records[12] = {{0}}, all = {0};
      double joined;
      uint64_t draw = seed;
      for (size_t t = 0; t < n; t++) x[t] = value_of(kind, &draw);
      if (seed % 3 == 0) x[random_below(&draw, n)] = 1e100;
      for (size_t t = 0; t < n; t++) {
        scant_limits_add(&records[random_below(&draw, pieces)], x[t], &joined);
        scant_limits_add(&all, x[t], &joined);
      }
      while (pieces > 1) {
        size_t to = random_below(&draw, pieces), from = random_below(&draw, pieces);
        if (to == from) continue;
        scant_limits_merge(&records[to], &records[from]);
        records[from] = records[--pieces];
      }
      const scant_limits *l = &records[0];
      CHECK(l->count == n && !memcmp(l->aside, all.aside, (n < 4 ? n : 4) * sizeof *l->aside));
      if (n > 4) CHECK(l->low == all.low && l->high == all.high);
      CHECK_NEAR(l->mean, all.mean, 1e-12);
      CHECK_NEAR(l->spread, all.spread, 1e-11 * (double)n);
      pair p = {0}, q = {0};
      CHECK(scant_limits_of(l, 3, &p.low, &p.high) == scant_limits_of(&all, 3, &q.low, &q.high));
      if (fabs(q.high) > 1e50) continue; /* the core has never varied, and the wild value counts */
      CHECK_NEAR(p.low, q.low, 1e-9);
      CHECK_NEAR(p.high, q.high, 1e-9);
    }
}

int main(void) {
  RUN(limits_are_what_their_definition_says);
  RUN(one_wild_value_moves_limits_little);
  RUN(two_wild_values_on_different_sides_move_limits_little);
  RUN(an_attribute_that_is_rarely_active_keeps_its_unit);
  RUN(the_first_activity_counts);
  RUN(limits_of_nothing_and_of_a_constant);
  RUN(clipping_keeps_what_is_inside_and_nan);
  RUN(units_do_not_matter);
  RUN(moments_without_clipping_are_plain);
  RUN(clipped_moments_forget_a_wild_value);
  RUN(records_that_merge_are_those_of_all_values);
  return check_done();
}
