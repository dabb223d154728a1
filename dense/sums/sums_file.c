/* Sums as bytes.  All numbers are little-endian; reals are IEEE 754 doubles.
 *
 *   "scantsum", version (32 bits), 1 if values were clipped (32), a hash of the limits by which they were (64),
 *   attributes (64), blocks (64)
 *   of each block, ascending: number (64), rows (64), attributes (32), patterns (32), 1 if it has available cases (32)
 *     what each pattern saw (32 each); attributes (32 each)
 *     of each attribute and the target: known values, active (64), low, high, common (reals)
 *     without clipping, of each attribute: count (64), mean, spread, 4 values aside, low, high of the core
 *     of each pattern: rows (64), places (32 each), means, lower triangle of the scatter
 *     available cases: counts (32 each), products, sums
 *   SHA-256 of all before (32 bytes)
 */
#include <math.h>
#include <string.h>

#include "scant_base.h"
#include "bytes.h"
#include "sums/sums.h"

enum { HEAD = 40, RECORD_HEAD = 28, DIGEST = 32 };

/* The bytes of a record after its head. */
static double body_size(const scant_record_shape *s) {
  double n = s->count, p = n + 1, bytes = 4 * n + 40 * p;
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

/* ---- the fields ------------------------------------------------------------------------ */

static void code_head(scant_coder *c, uint32_t *limited, scant_sums *s, uint64_t *blocks) {
  scant_code_32s(c, limited, 1);
  scant_code_64s(c, &s->limits, 1);
  scant_code_size(c, &s->dimension);
  scant_code_64s(c, blocks, 1);
}

/* The head of a record: what its shape follows from. */
static void code_shape(scant_coder *c, uint64_t *block, uint64_t *rows, scant_record_shape *s) {
  scant_code_64s(c, block, 1);
  scant_code_64s(c, rows, 1);
  scant_code_32s(c, &s->count, 1);
  scant_code_32s(c, &s->patterns, 1);
  scant_code_32s(c, &s->available, 1);
  for (uint32_t i = 0; i < s->patterns && i < SCANT_PATTERNS_MOST; i++) scant_code_32s(c, &s->seen[i], 1);
}

static void code_record(scant_coder *c, scant_record *r) {
  size_t p = (size_t)r->count + 1;
  scant_code_32s(c, r->attributes, r->count);
  for (size_t i = 0; i < p; i++) {
    scant_shown_values *v = &r->values[i];
    double *const reals[] = {&v->low, &v->high, &v->common};
    scant_code_64s(c, &v->known, 1);
    scant_code_64s(c, &v->active, 1);
    for (size_t k = 0; k < 3; k++) scant_code_reals(c, reals[k], 1);
  }
  for (size_t i = 0; r->limits && i < r->count; i++) {
    scant_limits *l = &r->limits[i];
    scant_code_64s(c, &l->count, 1);
    scant_code_reals(c, &l->mean, 1);
    scant_code_reals(c, &l->spread, 1);
    scant_code_reals(c, l->aside, SCANT_LIMITS_ASIDE);
    scant_code_reals(c, &l->low, 1);
    scant_code_reals(c, &l->high, 1);
  }
  for (uint32_t i = 0; i < r->patterns; i++) {
    scant_pattern *t = &r->pattern[i];
    scant_code_64s(c, &t->rows, 1);
    scant_code_32s(c, t->place, t->seen);
    scant_code_reals(c, t->mean, (size_t)t->seen + 1);
    scant_code_reals(c, t->scatter, scant_pairs_triangle((size_t)t->seen + 1));
  }
  if (!r->together) return;
  scant_code_32s(c, r->together, scant_pairs_triangle(p));
  scant_code_reals(c, r->product, scant_pairs_triangle(p));
  scant_code_reals(c, r->sum, p * p);
}

static void code(scant_coder *c, void *sums) {
  scant_sums *s = sums;
  uint32_t limited = (uint32_t)scant_sums_limited(s);
  uint64_t blocks = s->count;
  code_head(c, &limited, s, &blocks);
  for (size_t i = 0; i < s->count; i++) {
    scant_record *r = s->records[i];
    scant_record_shape shape = scant_record_shape_of(r);
    code_shape(c, &r->block, &r->rows, &shape);
    code_record(c, r);
  }
}

static const scant_coded_kind coded = {"scantsum", 1, "not sums", "these sums have", code};

scant_status scant_sums_save(const scant_sums *sums, unsigned char **bytes, size_t *size, scant_error *error) {
  SCANT_TRY(scant_encode(&coded, sums, DIGEST, bytes, size, error));
  digest(*bytes, *size - DIGEST, *bytes + *size - DIGEST);
  return SCANT_OK;
}

/* ---- reading --------------------------------------------------------------------------- */

/* Ascending numbers below `end`. */
static int all_ascend(const uint32_t *x, size_t count, size_t end) {
  for (size_t i = 0; i < count; i++)
    if (x[i] >= end || (i && x[i] <= x[i - 1])) return 0;
  return 1;
}

static int good_values(const scant_record *r) {
  for (size_t c = 0; c <= r->count; c++) {
    const scant_shown_values *v = &r->values[c];
    if (!isfinite(v->low) || !isfinite(v->high) || !isfinite(v->common)) return 0;
    if (v->known > r->rows || v->active > v->known / 2 || !(v->low <= v->high)) return 0;
    if (!v->known && (v->low != 0 || v->high != 0 || v->common != 0)) return 0;
    if (v->known && !(v->low <= v->common && v->common <= v->high)) return 0;
  }
  return r->values[r->count].known == r->rows;
}

static int good_limits(const scant_record *r) {
  for (size_t c = 0; r->limits && c < r->count; c++) {
    const scant_limits *l = &r->limits[c];
    uint64_t aside = l->count < SCANT_LIMITS_ASIDE ? l->count : SCANT_LIMITS_ASIDE;
    if (l->count != r->values[c].known || !isfinite(l->mean) || !isfinite(l->spread) || !isfinite(l->low) ||
        !isfinite(l->high) || !scant_all_finite(l->aside, SCANT_LIMITS_ASIDE) || !(l->spread >= 0) ||
        !(l->low <= l->high))
      return 0;
    for (size_t i = 1; i < aside; i++)
      if (l->aside[i] < l->aside[i - 1]) return 0;
  }
  return 1;
}

static int good_patterns(const scant_record *r) {
  uint64_t rows = 0;
  for (uint32_t i = 0; i < r->patterns; i++) {
    const scant_pattern *t = &r->pattern[i];
    size_t q = (size_t)t->seen + 1;
    if (!t->rows || t->rows > r->rows - rows || !all_ascend(t->place, t->seen, r->count) ||
        !scant_all_finite(t->mean, q) || !scant_all_finite(t->scatter, scant_pairs_triangle(q)))
      return 0;
    rows += t->rows;
    for (size_t c = 0; c < q; c++)
      if (t->scatter[scant_pairs_at(c, c)] < 0) return 0;
  }
  return rows == r->rows;
}

static int good_available(const scant_record *r) {
  size_t p = (size_t)r->count + 1;
  if (!r->together) return 1;
  if (!scant_all_finite(r->product, scant_pairs_triangle(p)) || !scant_all_finite(r->sum, p * p)) return 0;
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
  for (size_t c = 0; c < r->count; c++)
    if (scant_record_moments(r, c).count != r->values[c].known) return 0;
  return 1;
}

/* NULL and *status SCANT_OK: it is damaged. */
static scant_record *read_record(scant_coder *from, size_t dimension, int limited, scant_status *status) {
  scant_record_shape shape = {.limited = limited};
  uint64_t block = 0, rows = 0;
  code_shape(from, &block, &rows, &shape);
  if (from->bad || !rows || rows > UINT32_MAX || shape.count > dimension || !shape.patterns ||
      shape.patterns > SCANT_PATTERNS_MOST || shape.available > 1 || (shape.available && shape.patterns > 1))
    return NULL;
  for (uint32_t i = 0; i < shape.patterns; i++)
    if (shape.seen[i] > shape.count) return NULL;
  if (body_size(&shape) > (double)from->left) return NULL;
  scant_record *r = scant_record_new(&shape);
  if (!r) {
    *status = SCANT_MEMORY;
    return NULL;
  }
  r->block = block;
  r->rows = rows;
  code_record(from, r);
  if (!from->bad && all_ascend(r->attributes, r->count, dimension) && good_values(r) && good_limits(r) &&
      good_patterns(r) && good_available(r) && is_consistent(r))
    return r;
  scant_record_free(r);
  return NULL;
}

static scant_status read_records(scant_sums *s, scant_coder *from, uint64_t blocks, int limited, scant_error *error) {
  scant_status status = SCANT_OK;
  if (blocks > from->left / RECORD_HEAD)
    return scant_fail(error, SCANT_DATA, "the sums are damaged: there are too few bytes for %llu blocks",
                      (unsigned long long)blocks);
  s->records = scant_array((size_t)blocks, sizeof(scant_record *));
  if (!s->records) return scant_fail_memory(error);
  s->room = (size_t)blocks;
  for (; s->count < blocks; s->count++) {
    scant_record *r = read_record(from, s->dimension, limited, &status);
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
  scant_coder from;
  SCANT_TRY(scant_decode(&coded, bytes, size, HEAD + DIGEST, &from, error));
  digest(bytes, size - DIGEST, found);
  if (memcmp(found, bytes + size - DIGEST, DIGEST) != 0)
    return scant_fail(error, SCANT_DATA, "the sums are damaged: their SHA-256 is not what their end says");
  from.left -= DIGEST;
  scant_sums head = {0}, *s = NULL;
  uint32_t limited = 0;
  uint64_t blocks = 0;
  code_head(&from, &limited, &head, &blocks);
  if (limited > (blocks > 0) || limited != (head.limits != 0) || !head.dimension || head.dimension > SIZE_MAX / 64)
    return scant_fail(error, SCANT_DATA, "the sums are damaged: their head says what can't be");
  SCANT_TRY(scant_sums_new(&s, head.dimension, error));
  s->limits = head.limits;
  scant_status status = read_records(s, &from, blocks, (int)limited, error);
  if (status == SCANT_OK)
    *sums = s;
  else
    scant_sums_free(s);
  return status;
}
