/* Sums as bytes.  All numbers are little-endian; reals are IEEE 754 doubles.
 *
 *   "scantsum", version (32 bits), 1 if values were clipped (32), a hash of the limits by which they were (64),
 * attributes (64), blocks (64) of each block, ascending: number (64), rows (64), attributes (32), patterns (32), 1 if
 * it has available cases (32) what each pattern saw (32 each); attributes (32 each) of each attribute and the target:
 * known values, active (64), low, high, common (reals) without clipping, of each attribute: count (64), mean, spread, 4
 * values aside, low, high of the core of each pattern: rows (64), places (32 each), means, lower triangle of the
 * scatter available cases: counts (32 each), products, sums SHA-256 of all before (32 bytes)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "sums/little.h"
#include "sums/sums.h"

static const char magic[] = "scantsum";

enum { MAGIC = 8, VERSION = 1, HEAD = 40, RECORD_HEAD = 28, DIGEST = 32 };

/* ---- sizes ----------------------------------------------------------------------------- */

static double encoded_size(const scant_record_shape *s) {
  double n = s->count, p = n + 1, bytes = RECORD_HEAD + 4.0 * s->patterns + 4 * n + 40 * p;
  if (!s->limited) bytes += 72 * n;
  for (uint32_t i = 0; i < s->patterns; i++) {
    double q = (double)s->seen[i] + 1;
    bytes += 8 + 4 * (q - 1) + 8 * (q + q * (q + 1) / 2);
  }
  if (s->available) bytes += 12 * (p * (p + 1) / 2) + 8 * p * p;
  return bytes;
}

static unsigned digit(char c) {
  return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void digest(const unsigned char *bytes, size_t size, unsigned char out[DIGEST]) {
  scant_sha256 sum;
  char text[SCANT_SHA256_TEXT];
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, bytes, size);
  scant_sha256_end(&sum, text);
  for (size_t i = 0; i < DIGEST; i++) out[i] = (unsigned char)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
}

/* ---- writing --------------------------------------------------------------------------- */

static void put_record(unsigned char **to, const scant_record *r) {
  size_t p = (size_t)r->count + 1;
  scant_put_64(to, r->block);
  scant_put_64(to, r->rows);
  scant_put_32(to, r->count);
  scant_put_32(to, r->patterns);
  scant_put_32(to, r->together != NULL);
  for (uint32_t i = 0; i < r->patterns; i++) scant_put_32(to, r->pattern[i].seen);
  scant_put_32s(to, r->attributes, r->count);
  for (size_t c = 0; c < p; c++) {
    const scant_shown_values *v = &r->values[c];
    scant_put_64(to, v->known);
    scant_put_64(to, v->active);
    scant_put_reals(to, (const double[]){v->low, v->high, v->common}, 3);
  }
  for (size_t c = 0; r->limits && c < r->count; c++) {
    const scant_limits *l = &r->limits[c];
    scant_put_64(to, l->count);
    scant_put_reals(to, (const double[]){l->mean, l->spread}, 2);
    scant_put_reals(to, l->aside, SCANT_LIMITS_ASIDE);
    scant_put_reals(to, (const double[]){l->low, l->high}, 2);
  }
  for (uint32_t i = 0; i < r->patterns; i++) {
    const scant_pattern *t = &r->pattern[i];
    scant_put_64(to, t->rows);
    scant_put_32s(to, t->place, t->seen);
    scant_put_reals(to, t->mean, (size_t)t->seen + 1);
    scant_put_reals(to, t->scatter, scant_pairs_triangle((size_t)t->seen + 1));
  }
  if (!r->together) return;
  scant_put_32s(to, r->together, scant_pairs_triangle(p));
  scant_put_reals(to, r->product, scant_pairs_triangle(p));
  scant_put_reals(to, r->sum, p * p);
}

scant_status scant_sums_save(const scant_sums *sums, unsigned char **bytes, size_t *size, scant_error *error) {
  double wanted = HEAD + DIGEST;
  for (size_t i = 0; i < sums->count; i++) {
    scant_record_shape shape = scant_record_shape_of(sums->records[i]);
    wanted += encoded_size(&shape);
  }
  unsigned char *made = wanted < (double)(SIZE_MAX / 4) ? scant_array((size_t)wanted, 1) : NULL, *to = made;
  if (!made) return scant_fail_memory(error);
  memcpy(to, magic, MAGIC);
  to += MAGIC;
  scant_put_32(&to, VERSION);
  scant_put_32(&to, (uint32_t)scant_sums_limited(sums));
  scant_put_64(&to, sums->limits);
  scant_put_64(&to, sums->dimension);
  scant_put_64(&to, sums->count);
  for (size_t i = 0; i < sums->count; i++) put_record(&to, sums->records[i]);
  digest(made, (size_t)(to - made), to);
  *bytes = made;
  *size = (size_t)wanted;
  return SCANT_OK;
}

/* ---- reading --------------------------------------------------------------------------- */

/* Numbers that are all finite. */
static int get_finite(scant_bytes_left *from, double *x, size_t count) {
  scant_get_reals(from, x, count);
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* Ascending numbers below `end`. */
static int get_ascending(scant_bytes_left *from, uint32_t *x, size_t count, size_t end) {
  scant_get_32s(from, x, count);
  for (size_t i = 0; i < count; i++)
    if (x[i] >= end || (i && x[i] <= x[i - 1])) return 0;
  return 1;
}

static int get_values(scant_bytes_left *from, scant_record *r) {
  for (size_t c = 0; c <= r->count; c++) {
    scant_shown_values *v = &r->values[c];
    double x[3];
    v->known = scant_get_64(from);
    v->active = scant_get_64(from);
    if (!get_finite(from, x, 3)) return 0;
    v->low = x[0];
    v->high = x[1];
    v->common = x[2];
    if (v->known > r->rows || v->active > v->known / 2 || !(v->low <= v->high)) return 0;
    if (!v->known && (v->low != 0 || v->high != 0 || v->common != 0)) return 0;
    if (v->known && !(v->low <= v->common && v->common <= v->high)) return 0;
  }
  return r->values[r->count].known == r->rows;
}

static int get_limits(scant_bytes_left *from, scant_record *r) {
  for (size_t c = 0; r->limits && c < r->count; c++) {
    scant_limits *l = &r->limits[c];
    double x[4 + SCANT_LIMITS_ASIDE];
    l->count = scant_get_64(from);
    if (l->count != r->values[c].known || !get_finite(from, x, 4 + SCANT_LIMITS_ASIDE)) return 0;
    l->mean = x[0];
    l->spread = x[1];
    memcpy(l->aside, x + 2, sizeof l->aside);
    l->low = x[2 + SCANT_LIMITS_ASIDE];
    l->high = x[3 + SCANT_LIMITS_ASIDE];
    if (!(l->spread >= 0) || !(l->low <= l->high)) return 0;
    uint64_t aside = l->count < SCANT_LIMITS_ASIDE ? l->count : SCANT_LIMITS_ASIDE;
    for (size_t i = 1; i < aside; i++)
      if (l->aside[i] < l->aside[i - 1]) return 0;
  }
  return 1;
}

static int get_patterns(scant_bytes_left *from, scant_record *r) {
  uint64_t rows = 0;
  for (uint32_t i = 0; i < r->patterns; i++) {
    scant_pattern *t = &r->pattern[i];
    size_t q = (size_t)t->seen + 1;
    t->rows = scant_get_64(from);
    if (!t->rows || t->rows > r->rows - rows) return 0;
    rows += t->rows;
    if (!get_ascending(from, t->place, t->seen, r->count) || !get_finite(from, t->mean, q) ||
        !get_finite(from, t->scatter, scant_pairs_triangle(q)))
      return 0;
    for (size_t c = 0; c < q; c++)
      if (t->scatter[scant_pairs_at(c, c)] < 0) return 0;
  }
  return rows == r->rows;
}

static int get_available(scant_bytes_left *from, scant_record *r) {
  size_t p = (size_t)r->count + 1, triangle = scant_pairs_triangle(p);
  if (!r->together) return 1;
  scant_get_32s(from, r->together, triangle);
  if (!get_finite(from, r->product, triangle) || !get_finite(from, r->sum, p * p)) return 0;
  for (size_t i = 0; i < p; i++)
    for (size_t j = 0; j <= i; j++) {
      uint64_t both = r->together[scant_pairs_at(i, j)], one = r->together[scant_pairs_at(i, i)],
               other = r->together[scant_pairs_at(j, j)];
      if (both > one || both > other || (i == j && both != r->values[i].known)) return 0;
    }
  return 1;
}

/* Are the values that are known those that the patterns saw? */
static int is_consistent(const scant_record *r) {
  for (size_t c = 0; c < r->count; c++) {
    uint64_t known = scant_record_moments(r, c).count;
    if (known != r->values[c].known) return 0;
  }
  return 1;
}

/* NULL and *status SCANT_OK: it is damaged. */
static scant_record *get_record(scant_bytes_left *from, size_t dimension, int limited, scant_status *status) {
  scant_record_shape shape = {.limited = limited};
  uint64_t block = scant_get_64(from), rows = scant_get_64(from);
  shape.count = scant_get_32(from);
  shape.patterns = scant_get_32(from);
  uint32_t available = scant_get_32(from);
  shape.available = available != 0;
  if (from->short_of || !rows || rows > UINT32_MAX || shape.count > dimension || !shape.patterns ||
      shape.patterns > SCANT_PATTERNS_MOST || available > 1 || (available && shape.patterns > 1))
    return NULL;
  for (uint32_t i = 0; i < shape.patterns; i++)
    if ((shape.seen[i] = scant_get_32(from)) > shape.count) return NULL;
  if (encoded_size(&shape) - RECORD_HEAD - 4.0 * shape.patterns > (double)from->left) return NULL;
  scant_record *r = scant_record_new(&shape);
  if (!r) {
    *status = SCANT_MEMORY;
    return NULL;
  }
  r->block = block;
  r->rows = rows;
  if (get_ascending(from, r->attributes, r->count, dimension) && get_values(from, r) && get_limits(from, r) &&
      get_patterns(from, r) && get_available(from, r) && is_consistent(r) && !from->short_of)
    return r;
  scant_record_free(r);
  return NULL;
}

static scant_status get_records(scant_sums *s, scant_bytes_left *from, uint64_t blocks, int limited,
                                scant_error *error) {
  scant_status status = SCANT_OK;
  if (blocks > from->left / RECORD_HEAD)
    return scant_fail(error, SCANT_DATA, "the sums are damaged: there are too few bytes for %llu blocks",
                      (unsigned long long)blocks);
  s->records = scant_array((size_t)blocks, sizeof(scant_record *));
  if (!s->records) return scant_fail_memory(error);
  s->room = (size_t)blocks;
  for (; s->count < blocks; s->count++) {
    scant_record *r = get_record(from, s->dimension, limited, &status);
    if (status != SCANT_OK) return scant_fail_memory(error);
    if (!r || (s->count && s->records[s->count - 1]->block >= r->block)) {
      scant_record_free(r);
      return scant_fail(error, SCANT_DATA, "the sums are damaged: record %zu is not one of a block", s->count);
    }
    s->records[s->count] = r;
  }
  if (from->left) return scant_fail(error, SCANT_DATA, "the sums are damaged: %zu bytes too many", from->left);
  return SCANT_OK;
}

scant_status scant_sums_load(scant_sums **sums, const unsigned char *bytes, size_t size, scant_error *error) {
  unsigned char found[DIGEST];
  if (size < HEAD + DIGEST || memcmp(bytes, magic, MAGIC) != 0)
    return scant_fail(error, SCANT_DATA, "these %zu bytes are not sums", size);
  scant_bytes_left from = {bytes + MAGIC, size - MAGIC - DIGEST, 0};
  uint32_t version = scant_get_32(&from);
  if (version != VERSION)
    return scant_fail(error, SCANT_DATA, "these sums have version %lu, and this library reads version %d",
                      (unsigned long)version, VERSION);
  digest(bytes, size - DIGEST, found);
  if (memcmp(found, bytes + size - DIGEST, DIGEST) != 0)
    return scant_fail(error, SCANT_DATA, "the sums are damaged: their SHA-256 is not what their end says");
  uint32_t limited = scant_get_32(&from);
  uint64_t limits = scant_get_64(&from), dimension = scant_get_64(&from), blocks = scant_get_64(&from);
  if (limited > (blocks > 0) || limited != (limits != 0) || !dimension || dimension > SIZE_MAX / 64)
    return scant_fail(error, SCANT_DATA, "the sums are damaged: their head says what can't be");
  scant_sums *s = NULL;
  SCANT_TRY(scant_sums_new(&s, (size_t)dimension, error));
  s->limits = limits;
  scant_status status = get_records(s, &from, blocks, (int)limited, error);
  if (status == SCANT_OK)
    *sums = s;
  else
    scant_sums_free(s);
  return status;
}
