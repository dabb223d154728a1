/* Sums that merge: what a record has of its block, and that merging is exact whatever its tree. */
#include "scant_sums.h"

#include <float.h>

#include "allocations.h"
#include "blocks.h"

typedef long double real;

static scant_error error;

/* ---- what a record holds --------------------------------------------------------------- */

static size_t column_of(const made_block *b, uint32_t attribute) {
  size_t c = 0;
  while (b->attributes[c] != attribute) c++;
  return c;
}

/* A value of a place of the record: the target is at place count. */
static double value_at(const made_block *b, const scant_record *r, size_t place, size_t row) {
  return place == r->count ? b->y[row] : block_value(b, column_of(b, r->attributes[place]), row);
}

static int is_of_pattern(const made_block *b, const scant_record *r, const scant_pattern *t, size_t row) {
  for (size_t p = 0, s = 0; p < r->count; p++) {
    int seen = s < t->seen && t->place[s] == p;
    if (seen == (isnan(value_at(b, r, p, row)) != 0)) return 0;
    s += (size_t)seen;
  }
  return 1;
}

static size_t place_in(const scant_record *r, const scant_pattern *t, size_t i) {
  return i < t->seen ? t->place[i] : r->count;
}

static void check_pattern(const made_block *b, const scant_record *r, const scant_pattern *t) {
  real mean[BLOCKS_D + 1] = {0};
  size_t n = 0;
  for (size_t row = 0; row < b->rows; row++) {
    if (!is_of_pattern(b, r, t, row)) continue;
    n++;
    for (size_t i = 0; i <= t->seen; i++) mean[i] += value_at(b, r, place_in(r, t, i), row);
  }
  CHECK(n == t->rows && n > 0);
  for (size_t i = 0; i <= t->seen; i++) {
    mean[i] /= (real)n;
    CHECK_NEAR(t->mean[i], (double)mean[i], 1e-13 * fabs((double)mean[i]) + 1e-14);
    for (size_t j = 0; j <= i; j++) {
      real sum = 0;
      for (size_t row = 0; row < b->rows; row++)
        if (is_of_pattern(b, r, t, row))
          sum +=
              (value_at(b, r, place_in(r, t, i), row) - mean[i]) * (value_at(b, r, place_in(r, t, j), row) - mean[j]);
      double unit = sqrt(t->scatter[scant_pairs_at(i, i)] * t->scatter[scant_pairs_at(j, j)]);
      CHECK_NEAR(t->scatter[scant_pairs_at(i, j)], (double)sum, 1e-10 * unit + 1e-20);
    }
  }
}

/* What is said of each attribute, whatever the patterns. */
static void check_values(const made_block *b, const scant_record *r) {
  for (size_t p = 0; p <= r->count; p++) {
    real mean = 0, spread = 0;
    double low = INFINITY, high = -INFINITY;
    uint64_t known = 0, most = 0;
    for (size_t row = 0; row < b->rows; row++) {
      double x = value_at(b, r, p, row);
      uint64_t times = 0;
      if (isnan(x)) continue;
      known++;
      mean += x;
      low = fmin(low, x);
      high = fmax(high, x);
      for (size_t other = 0; other < b->rows; other++) times += value_at(b, r, p, other) == x;
      if (times > most) most = times;
    }
    for (size_t row = 0; row < b->rows && known; row++) {
      real off = value_at(b, r, p, row) - mean / (real)known;
      if (!isnan((double)off)) spread += off * off;
    }
    scant_moments m = scant_record_moments(r, p);
    const scant_shown_values *v = &r->values[p];
    CHECK(v->known == known && m.count == known);
    CHECK(v->active == (2 * most > known ? known - most : known / 2));
    if (!known) continue;
    CHECK(v->low == low && v->high == high && v->low <= v->common && v->common <= v->high);
    CHECK_NEAR(m.mean, (double)(mean / (real)known), 1e-13 * (fabs(m.mean) + sqrt((double)spread)));
    CHECK_NEAR(m.spread, (double)spread, 1e-10 * (double)spread + 1e-20);
    if (r->attributes[p < r->count ? p : 0] == 7 && p < r->count) CHECK(m.spread == 0 && m.mean == 0.1);
  }
}

TEST(a_record_is_what_its_rows_say) {
  static const size_t rows[] = {1, 2, 7, 300, 2500};
  for (size_t k = 0; k < 5; k++)
    for (size_t count = 0; count <= BLOCKS_D; count += 3)
      for (int kind = WHOLE; kind <= FEW_HOLES; kind++) {
        made_block b = block_new(5, rows[k], count, (holes)kind, 10 * k + count);
        scant_sums *s = sums_of(&b, 1, NULL, NULL);
        const scant_record *r = s->records[0];
        uint64_t total = 0;
        CHECK(r->block == 5 && r->rows == rows[k] && r->count == count && !r->together);
        for (uint32_t i = 0; i < r->patterns; i++) {
          check_pattern(&b, r, &r->pattern[i]);
          total += r->pattern[i].rows;
        }
        CHECK(total == rows[k] && r->patterns <= 4 &&
              (rows[k] < 300 || count < 2 || kind == WHOLE || r->patterns == 4));
        check_values(&b, r);
        scant_sums_free(s);
        block_free(&b);
      }
}

/* ---- more patterns than are kept: available cases --------------------------------------- */

static void check_available(const made_block *b, const scant_record *r) {
  const scant_pattern *t = &r->pattern[0];
  size_t p = (size_t)r->count + 1;
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j < p; j++) {
      real product = 0, sum = 0, mi = scant_record_moments(r, i).mean, mj = scant_record_moments(r, j).mean, size = 0;
      uint32_t n = 0;
      for (size_t row = 0; row < b->rows; row++) {
        double x = value_at(b, r, i, row), z = value_at(b, r, j, row);
        if (isnan(x) || isnan(z)) continue;
        n++;
        product += (x - mi) * (z - mj);
        sum += x - mi;
        size += fabsl(x - mi) * (1 + fabsl(z - mj));
      }
      CHECK(r->together[scant_pairs_at(i, j)] == n);
      CHECK_NEAR(r->product[scant_pairs_at(i, j)], (double)product, 1e-12 * (double)size + 1e-20);
      CHECK_NEAR(r->sum[i * p + j], (double)sum, 1e-12 * (double)size + 1e-20);
    }
  /* spreads are those of the known values, scaled up */
  for (size_t c = 0; c <= t->seen; c++) {
    scant_moments m = scant_record_moments(r, place_in(r, t, c));
    double wanted = m.spread * (double)r->rows / (double)m.count;
    CHECK_NEAR(t->scatter[scant_pairs_at(c, c)], wanted, 1e-12 * wanted);
  }
}

/* x'Sx of many x, in units of the diagonal. */
static double lowest_form(const scant_pattern *t, uint64_t seed) {
  size_t q = (size_t)t->seen + 1;
  double lowest = INFINITY;
  for (int k = 0; k < 2000; k++) {
    double x[BLOCKS_D + 1], form = 0;
    for (size_t i = 0; i < q; i++) {
      double spread = t->scatter[scant_pairs_at(i, i)];
      x[i] = spread > 0 ? random_normal(&seed) / sqrt(spread) : 0;
    }
    for (size_t i = 0; i < q; i++)
      for (size_t j = 0; j < q; j++) form += x[i] * x[j] * t->scatter[scant_pairs_at(i, j)];
    lowest = fmin(lowest, form);
  }
  return lowest;
}

TEST(a_block_with_many_patterns_has_available_cases) {
  static const size_t rows[] = {12, 40, 1500};
  int found = 0, mended = 0;
  for (size_t k = 0; k < 3; k++)
    for (uint64_t seed = 1; seed < 8; seed++) {
      made_block b = block_new(1, rows[k], 5 + seed % 5, MANY_HOLES, seed);
      scant_sums *s = sums_of(&b, 1, NULL, NULL);
      const scant_record *r = s->records[0];
      check_values(&b, r);
      if (r->together) {
        const scant_pattern *t = &r->pattern[0];
        found++;
        CHECK(r->patterns == 1 && t->rows == rows[k]);
        check_available(&b, r);
        CHECK(lowest_form(t, seed) >= -1e-9);
        for (size_t i = 0; i <= t->seen; i++)
          for (size_t j = 0; j < i; j++) {
            size_t at = scant_pairs_at(place_in(r, t, i), place_in(r, t, j));
            double raw = r->together[at] ? r->product[at] * (double)r->rows / r->together[at] : 0;
            mended += fabs(raw - t->scatter[scant_pairs_at(i, j)]) > 1e-9 * fabs(raw);
          }
      }
      scant_sums_free(s);
      block_free(&b);
    }
  CHECK(found >= 18 && mended > 0);
}

/* An attribute that is missing everywhere was not seen. */
TEST(what_is_missing_everywhere_was_not_seen) {
  for (int kind = WHOLE; kind <= MANY_HOLES; kind++) {
    made_block b = block_new(1, 60, 6, (holes)kind, 3);
    for (size_t r = 0; r < b.rows; r++) b.values[2 * b.rows + r] = NAN;
    scant_sums *s = sums_of(&b, 1, NULL, NULL);
    const scant_record *r = s->records[0];
    size_t gone = 0;
    while (r->attributes[gone] != b.attributes[2]) gone++;
    CHECK(!r->values[gone].known && (r->together != NULL) == (kind == MANY_HOLES));
    for (uint32_t i = 0; i < r->patterns; i++)
      for (size_t c = 0; c < r->pattern[i].seen; c++) CHECK(r->pattern[i].place[c] != gone);
    if (r->together) check_available(&b, r);
    check_values(&b, r);
    scant_sums_free(s);
    block_free(&b);
  }
}

/* ---- limits ---------------------------------------------------------------------------- */

TEST(values_are_clipped_by_limits) {
  for (int kind = WHOLE; kind <= MANY_HOLES; kind++) {
    made_block b = block_new(1, 80, 7, (holes)kind, 5), clipped = block_new(1, 80, 7, (holes)kind, 5);
    double low[BLOCKS_D], high[BLOCKS_D];
    for (size_t j = 0; j < BLOCKS_D; j++) {
      low[j] = 100 * (double)j - pow(2, (double)j - 3);
      high[j] = 100 * (double)j + pow(2, (double)j - 4);
    }
    for (size_t c = 0; c < 7; c++)
      for (size_t r = 0; r < 80; r++) {
        double *x = &clipped.values[c * 80 + r];
        if (!isnan(*x)) *x = fmin(fmax(*x, low[b.attributes[c]]), high[b.attributes[c]]);
      }
    double least[BLOCKS_D], most[BLOCKS_D];
    for (size_t j = 0; j < BLOCKS_D; j++) least[j] = -DBL_MAX, most[j] = DBL_MAX;
    scant_sums *s = sums_of(&b, 1, low, high), *t = sums_of(&clipped, 1, least, most);
    CHECK(scant_record_equal(s->records[0], t->records[0]));
    scant_sums_free(s);
    scant_sums_free(t);
    block_free(&b);
    block_free(&clipped);
  }
}

/* One value would count as two. */
TEST(blocks_with_other_limits_are_refused) {
  made_block blocks[3];
  double low[BLOCKS_D], high[BLOCKS_D], lower[BLOCKS_D];
  for (size_t j = 0; j < BLOCKS_D; j++) lower[j] = low[j] = -1000, high[j] = 1000;
  lower[BLOCKS_D - 1] = nextafter(low[BLOCKS_D - 1], -2000); /* the last bit of one limit */
  blocks_new(blocks, 3, 5);
  scant_sums *s = sums_of(blocks, 2, low, high), *kept = sums_of(blocks, 2, low, high), *empty = sums_new();
  scant_sums *other = sums_of(blocks + 2, 1, lower, high), *loaded = NULL;
  scant_asker *asker = NULL;
  unsigned char *bytes = NULL;
  size_t size;
  CHECK(sums_add(s, &blocks[2], lower, high, &error) == SCANT_DATA && same_bytes(s, kept));
  CHECK_SAYS(error.text, "values of these blocks are clipped by other limits");
  CHECK(scant_sums_merge(s, other, &error) == SCANT_DATA && same_bytes(s, kept));
  CHECK_SAYS(error.text, "values of these blocks are clipped by other limits");
  CHECK(scant_asker_here(&asker, (const scant_sums *const[]){empty, s, other}, 3, 1, &error) == SCANT_DATA && !asker);
  CHECK_SAYS(error.text, "part 2 does not go with those before it: values of these blocks are clipped by other limits");
  /* those that were loaded, and those that began empty, know theirs */
  CHECK(scant_sums_save(s, &bytes, &size, &error) == SCANT_OK);
  CHECK(scant_sums_load(&loaded, bytes, size, &error) == SCANT_OK);
  CHECK(scant_sums_merge(loaded, other, &error) == SCANT_DATA && same_bytes(loaded, kept));
  CHECK(scant_sums_merge(empty, s, &error) == SCANT_OK && scant_sums_merge(empty, other, &error) == SCANT_DATA);
  CHECK(sums_add(empty, &blocks[2], low, high, &error) == SCANT_OK && empty->count == 3);
  scant_bytes_free(bytes);
  scant_sums *all[] = {s, kept, empty, other, loaded};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) scant_sums_free(all[i]);
  blocks_free(blocks, 3);
}

/* Limits of all rows at once, as a learner makes them. */
static void limits_of_rows(const made_block *blocks, size_t count, double clip, double *low, double *high) {
  scant_limits met[BLOCKS_D] = {{0}};
  double joined;
  for (size_t i = 0; i < count; i++)
    for (size_t c = 0; c < blocks[i].count; c++)
      for (size_t r = 0; r < blocks[i].rows; r++) {
        double x = block_value(&blocks[i], c, r);
        if (!isnan(x)) scant_limits_add(&met[blocks[i].attributes[c]], x, &joined);
      }
  for (size_t j = 0; j < BLOCKS_D; j++)
    if (!scant_limits_of(&met[j], clip, &low[j], &high[j])) low[j] = -DBL_MAX, high[j] = DBL_MAX;
}

TEST(limits_are_those_of_all_rows) {
  enum { BLOCKS = 30 };
  made_block blocks[BLOCKS];
  for (int wild = 0; wild < 3; wild++)
    for (uint64_t seed = 1; seed < 6; seed++) {
      double low[BLOCKS_D], high[BLOCKS_D], low_all[BLOCKS_D], high_all[BLOCKS_D], low_tame[BLOCKS_D],
          high_tame[BLOCKS_D];
      blocks_new(blocks, BLOCKS, seed);
      limits_of_rows(blocks, BLOCKS, 3, low_tame, high_tame);
      for (size_t i = 0; wild && i < BLOCKS;
           i++) /* one in all, of the attribute that comes first in the last made_block */
        if (blocks[i].count && blocks[i].attributes[0] != 7 && blocks[i].attributes[0] != 4) {
          blocks[i].values[0] = wild == 1 ? 1e9 : -1e300;
          break;
        }
      scant_sums *s = sums_of(blocks, BLOCKS, NULL, NULL);
      CHECK(scant_sums_limits(s, 3, low, high, &error) == SCANT_OK);
      limits_of_rows(blocks, BLOCKS, 3, low_all, high_all);
      for (size_t j = 0; j < BLOCKS_D; j++) {
        double width = high_all[j] - low_all[j];
        if (low_all[j] == -DBL_MAX) {
          CHECK(low[j] == -DBL_MAX && high[j] == DBL_MAX);
          continue;
        }
        CHECK_NEAR(low[j], low_all[j], 1e-9 * width);
        CHECK_NEAR(high[j], high_all[j], 1e-9 * width);
        CHECK_AT_MOST(width, 2 * (high_tame[j] - low_tame[j]));
      }
      CHECK(low[7] == -DBL_MAX && high[7] == DBL_MAX);
      CHECK(scant_sums_limits(s, 0, low, high, &error) == SCANT_USAGE);
      scant_sums_free(s);
      blocks_free(blocks, BLOCKS);
    }
}

/* A few wild values on one side are more than limits leave out of their means, and their squares would overflow. */
TEST(blocks_with_several_wild_values_are_taken) {
  static const double values[] = {1, 2, 3, 1e300, 4, 1e300, -1e300, 1e300, -1e300, -1e300, 5}, y[11] = {1, 2, 3};
  double low[BLOCKS_D], high[BLOCKS_D];
  scant_sums *s = sums_new(), *again = NULL;
  unsigned char *bytes = NULL;
  size_t size = 0;
  for (uint64_t block = 0; block < 3; block++)
    CHECK(scant_sums_add(s, block, 11, 1, (const uint32_t[]){2}, values, y, NULL, NULL, &error) == SCANT_OK);
  CHECK(scant_sums_limits(s, 3, low, high, &error) == SCANT_OK && low[2] <= -1e140 && high[2] >= 1e140);
  CHECK(scant_sums_save(s, &bytes, &size, &error) == SCANT_OK);
  CHECK(scant_sums_load(&again, bytes, size, &error) == SCANT_OK);
  scant_bytes_free(bytes);
  scant_sums_free(again);
  scant_sums_free(s);
}

/* It counts as 1e140. */
TEST(limits_of_what_overflows_hold_it) {
  static const double values[] = {0, 0, 0, 0, 0, 0, 1e250}, y[7] = {0};
  double low[BLOCKS_D], high[BLOCKS_D];
  scant_sums *s = sums_new();
  CHECK(scant_sums_add(s, 0, 7, 1, (const uint32_t[]){2}, values, y, NULL, NULL, &error) == SCANT_OK);
  CHECK(scant_sums_limits(s, 3, low, high, &error) == SCANT_OK && low[2] < 0 && high[2] >= 1e140 && high[2] < 1e141);
  scant_sums_free(s);
}

/* ---- merging --------------------------------------------------------------------------- */

/* Merges all of them by a random tree; some blocks are in several. */
static scant_sums *merge_at_random(const made_block *blocks, size_t count, uint64_t *seed) {
  scant_sums *piles[64];
  size_t left = 1 + random_below(seed, 12);
  for (size_t i = 0; i < left; i++) piles[i] = sums_new();
  for (size_t i = 0; i < count; i++) {
    size_t first = random_below(seed, left), second = random_below(seed, left);
    CHECK(sums_add(piles[first], &blocks[i], NULL, NULL, &error) == SCANT_OK);
    if (second != first) CHECK(sums_add(piles[second], &blocks[i], NULL, NULL, &error) == SCANT_OK);
  }
  while (left > 1) {
    size_t to = random_below(seed, left), from = random_below(seed, left);
    if (to == from) continue;
    if (!CHECK(scant_sums_merge(piles[to], piles[from], &error) == SCANT_OK)) printf("#   %s\n", error.text);
    scant_sums_free(piles[from]);
    piles[from] = piles[--left];
  }
  return piles[0];
}

TEST(any_tree_of_merges_gives_the_same_bytes) {
  enum { BLOCKS = 25 };
  made_block blocks[BLOCKS];
  uint64_t seed = 17;
  blocks_new(blocks, BLOCKS, 2);
  scant_sums *wanted = sums_of(blocks, BLOCKS, NULL, NULL);
  for (int k = 0; k < 60; k++) {
    scant_sums *s = merge_at_random(blocks, BLOCKS, &seed);
    CHECK(same_bytes(s, wanted));
    scant_sums_free(s);
  }
  scant_sums_free(wanted);
  blocks_free(blocks, BLOCKS);
}

TEST(a_block_counts_once_and_must_be_the_same) {
  made_block blocks[4];
  blocks_new(blocks, 4, 5);
  scant_sums *s = sums_of(blocks, 3, NULL, NULL), *same = sums_of(blocks + 1, 1, NULL, NULL),
             *kept = sums_of(blocks, 3, NULL, NULL);
  CHECK(scant_sums_merge(s, same, &error) == SCANT_OK && same_bytes(s, kept));
  CHECK(scant_sums_merge(s, s, &error) == SCANT_OK && same_bytes(s, kept));
  CHECK(sums_add(s, &blocks[1], NULL, NULL, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "block 6 is in the sums already");
  blocks[1].y[0] = nextafter(blocks[1].y[0], 100); /* the last bit of one number */
  scant_sums *other = sums_of(blocks + 1, 3, NULL, NULL);
  CHECK(scant_sums_merge(s, other, &error) == SCANT_DATA && same_bytes(s, kept));
  CHECK_SAYS(error.text, "block 6 is in both sums, and not the same");
  scant_sums_free(other);
  scant_sums_free(s);
  scant_sums_free(same);
  scant_sums_free(kept);
  blocks_free(blocks, 4);
}

/* ---- what they hold, and what they refuse ------------------------------------------------ */

TEST(facts_and_purchases_are_those_of_the_blocks) {
  enum { BLOCKS = 20 };
  made_block blocks[BLOCKS];
  blocks_new(blocks, BLOCKS, 9);
  scant_sums *s = sums_of(blocks, BLOCKS, NULL, NULL);
  uint64_t wanted[BLOCKS_D] = {0}, found[BLOCKS_D], cells = 0, missing = 0, examples = 0;
  for (size_t i = 0; i < BLOCKS; i++) {
    examples += blocks[i].rows;
    for (size_t c = 0; c < blocks[i].count; c++) {
      wanted[blocks[i].attributes[c]] += blocks[i].rows;
      cells += blocks[i].rows;
      for (size_t r = 0; r < blocks[i].rows; r++) missing += isnan(block_value(&blocks[i], c, r)) != 0;
    }
  }
  scant_sums_facts f;
  scant_sums_get_facts(s, &f);
  scant_sums_purchases(s, found);
  CHECK(f.blocks == BLOCKS && f.examples == examples && f.cells == cells && f.missing == missing && missing > 0);
  CHECK(f.dimension == BLOCKS_D && !f.limited && f.memory > 8 * f.blocks);
  CHECK(!memcmp(wanted, found, sizeof wanted));
  scant_sums_free(s);
  blocks_free(blocks, BLOCKS);
  s = sums_new();
  scant_sums_get_facts(s, &f);
  CHECK(!f.blocks && !f.examples && !f.limited && f.dimension == BLOCKS_D);
  scant_sums_free(s);
}

static void check_refused(scant_sums *s, const made_block *b, const double *low, const double *high,
                          scant_status status, const char *sentence) {
  scant_sums *kept = sums_new();
  CHECK(scant_sums_merge(kept, s, NULL) == SCANT_OK);
  CHECK(sums_add(s, b, low, high, &error) == status);
  CHECK_SAYS(error.text, sentence);
  CHECK(same_bytes(s, kept));
  scant_sums_free(kept);
}

TEST(what_is_wrong_is_refused_with_a_sentence) {
  double zeros[BLOCKS_D] = {0}, ones[BLOCKS_D], nans[BLOCKS_D];
  for (size_t j = 0; j < BLOCKS_D; j++) ones[j] = 1, nans[j] = NAN;
  made_block b = block_new(1, 5, 4, WHOLE, 1), more = block_new(2, 5, 4, WHOLE, 2), none = block_new(3, 0, 4, WHOLE, 1);
  scant_sums *s = sums_of(&b, 1, NULL, NULL), *other = NULL;
  char words[80];
  CHECK(sums_add(s, &none, NULL, NULL, &error) == SCANT_OK && s->count == 1);
  check_refused(s, &more, zeros, ones, SCANT_DATA, "clipped");
  check_refused(s, &more, zeros, NULL, SCANT_MISUSE, "one limit is given without the other");
  more.y[3] = NAN;
  check_refused(s, &more, NULL, NULL, SCANT_DATA, "the target of row 4 is not finite");
  more.y[3] = INFINITY;
  check_refused(s, &more, NULL, NULL, SCANT_DATA, "the target of row 4 is not finite");
  more.y[3] = -1e200;
  check_refused(s, &more, NULL, NULL, SCANT_DATA, "the target of row 4 overflows: -1e+200");
  more.y[3] = 0;
  more.values[2 * 5 + 1] = -INFINITY;
  snprintf(words, sizeof words, "attribute %u of row 2 is infinite", (unsigned)more.attributes[2]);
  check_refused(s, &more, NULL, NULL, SCANT_DATA, words);
  more.values[2 * 5 + 1] = 0;
  uint32_t kept = more.attributes[0];
  more.attributes[0] = BLOCKS_D;
  check_refused(s, &more, NULL, NULL, SCANT_MISUSE, "there is no attribute 9: there are 9");
  more.attributes[0] = more.attributes[3];
  check_refused(s, &more, NULL, NULL, SCANT_MISUSE, "twice");
  more.attributes[0] = kept;
  scant_sums *empty = sums_new();
  check_refused(empty, &more, ones, zeros, SCANT_MISUSE, "are no limits: 1 and 0");
  check_refused(empty, &more, nans, ones, SCANT_MISUSE, "are no limits");
  CHECK(sums_add(empty, &more, zeros, ones, &error) == SCANT_OK);
  CHECK(scant_sums_merge(s, empty, &error) == SCANT_DATA && s->count == 1);
  double low[BLOCKS_D], high[BLOCKS_D];
  CHECK(scant_sums_limits(empty, 3, low, high, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "limits can't be made of values that are clipped");
  CHECK(scant_sums_new(&other, 3, &error) == SCANT_OK && scant_sums_merge(s, other, &error) == SCANT_DATA);
  CHECK_SAYS(error.text, "these sums are of 9 attributes, and those of 3");
  scant_sums_free(other);
  CHECK(scant_sums_new(&other, 0, &error) == SCANT_USAGE);
  scant_sums_free(empty);
  scant_sums_free(s);
  scant_sums_free(NULL);
  block_free(&b);
  block_free(&more);
  block_free(&none);
}

/* ---- out of memory ---------------------------------------------------------------------- */

/* The n-th allocation of a step fails, for every n: the step says so, and nothing has changed. */
TEST(without_memory_nothing_changes) {
  made_block blocks[6];
  uint64_t seen = 0;
  for (size_t i = 0; i < 6; i++) blocks[i] = block_new(i, 50, 7, (holes)(i % 3), i + 1);
  for (int step = 0; step < 5; step++) {
    for (unsigned long n = 1;; n++) {
      scant_sums *s = sums_of(blocks, 3, NULL, NULL), *kept = sums_of(blocks, 3, NULL, NULL),
                 *more = sums_of(blocks + 3, 3, NULL, NULL), *loaded = NULL;
      unsigned char *bytes = NULL, *again = NULL;
      size_t size, again_size;
      double low[BLOCKS_D], high[BLOCKS_D];
      CHECK(scant_sums_save(s, &bytes, &size, NULL) == SCANT_OK);
      error.text[0] = 0;
      allocations_fail(n, n % 2);
      scant_status status = step == 0   ? sums_add(s, &blocks[4], NULL, NULL, &error)
                            : step == 1 ? scant_sums_merge(s, more, &error)
                            : step == 2 ? scant_sums_save(s, &again, &again_size, &error)
                            : step == 3 ? scant_sums_load(&loaded, bytes, size, &error)
                                        : scant_sums_limits(s, 3, low, high, &error);
      unsigned long failed = allocations_failed();
      allocations_reset();
      CHECK(status == (failed ? SCANT_MEMORY : SCANT_OK));
      if (failed) {
        CHECK(same_bytes(s, kept) && !loaded && !again);
        CHECK_SAYS(error.text, "out of memory");
        seen++;
      }
      scant_sums_free(s);
      scant_sums_free(kept);
      scant_sums_free(more);
      scant_sums_free(loaded);
      scant_bytes_free(bytes);
      scant_bytes_free(again);
      if (!failed) break;
    }
  }
  CHECK(seen > 25);
  blocks_free(blocks, 6);
}

int main(void) {
  RUN(a_record_is_what_its_rows_say);
  RUN(a_block_with_many_patterns_has_available_cases);
  RUN(what_is_missing_everywhere_was_not_seen);
  RUN(values_are_clipped_by_limits);
  RUN(blocks_with_other_limits_are_refused);
  RUN(limits_are_those_of_all_rows);
  RUN(blocks_with_several_wild_values_are_taken);
  RUN(limits_of_what_overflows_hold_it);
  RUN(any_tree_of_merges_gives_the_same_bytes);
  RUN(a_block_counts_once_and_must_be_the_same);
  RUN(facts_and_purchases_are_those_of_the_blocks);
  RUN(what_is_wrong_is_refused_with_a_sentence);
  RUN(without_memory_nothing_changes);
  return check_done();
}
