#include "sums/sums.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "blas.h"
#include "bytes.h"

scant_status scant_sums_new(scant_sums **sums, size_t dimension, scant_error *error) {
  if (!dimension) return scant_fail(error, SCANT_USAGE, "sums need at least one attribute");
  scant_sums *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  s->dimension = dimension;
  *sums = s;
  return SCANT_OK;
}

void scant_sums_free(scant_sums *sums) {
  if (!sums) return;
  for (size_t i = 0; i < sums->count; i++) scant_record_free(sums->records[i]);
  free(sums->records);
  free(sums);
}

void scant_bytes_free(unsigned char *bytes) {
  free(bytes);
}

/* ---- adding a block -------------------------------------------------------------------- */

/* The first record whose block is not below this one. */
static size_t find(const scant_sums *s, uint64_t block) {
  size_t low = 0, high = s->count;
  if (high && s->records[high - 1]->block < block) return high; /* the common case */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (s->records[middle]->block < block)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Of their bits, the same on every machine, and never 0. */
static uint64_t hash_limits(size_t dimension, const double *low, const double *high) {
  uint64_t hash = SCANT_HASH_START;
  for (size_t j = 0; j < dimension; j++) {
    unsigned char bytes[16];
    double limits[] = {low[j], high[j]};
    scant_code_reals(&(scant_coder){.mode = SCANT_CODER_WRITES, .to = bytes}, limits, 2);
    hash = scant_hash(hash, bytes, sizeof bytes);
  }
  return hash ? hash : 1;
}

scant_status scant_sums_check_limits(const scant_sums *sums, uint64_t limits, scant_error *error) {
  if (!sums->count || limits == sums->limits) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    !sums->limits ? "values of these blocks are clipped, and of those in the sums they are not"
                    : !limits     ? "values of blocks in the sums are clipped, and of these they are not"
                              : "values of these blocks are clipped by other limits than those of blocks in the sums");
}

scant_status scant_sums_add(scant_sums *sums, uint64_t block, size_t rows, size_t count, const uint32_t *attributes,
                            const double *values, const double *y, const double *low, const double *high,
                            scant_error *error) {
  scant_sums *s = sums;
  scant_block_values given = {s->dimension, rows, count, attributes, values, y, low, high};
  scant_record *record = NULL;
  if (!low != !high) return scant_fail(error, SCANT_MISUSE, "one limit is given without the other");
  if (rows > UINT32_MAX || count > s->dimension)
    return scant_fail(error, SCANT_MISUSE, "a block of %zu rows and %zu attributes is too large", rows, count);
  if (!rows) return SCANT_OK;
  uint64_t limits = low ? hash_limits(s->dimension, low, high) : 0;
  SCANT_TRY(scant_sums_check_limits(s, limits, error));
  size_t at = find(s, block);
  if (at < s->count && s->records[at]->block == block)
    return scant_fail(error, SCANT_DATA, "block %llu is in the sums already", (unsigned long long)block);
  SCANT_TRY(scant_blas_begin(1, error));
  scant_status status = scant_record_make(&record, block, &given, error);
  scant_blas_end(1);
  if (status != SCANT_OK) return status;
  if (!scant_grow(&s->records, &s->room, s->count + 1, sizeof(scant_record *))) {
    scant_record_free(record);
    return scant_fail_memory(error);
  }
  memmove(s->records + at + 1, s->records + at, (s->count - at) * sizeof(scant_record *));
  s->records[at] = record;
  s->count++;
  s->limits = limits;
  return SCANT_OK;
}

/* ---- merging --------------------------------------------------------------------------- */

/* Copies the records of `other` that the sums lack; fails with what was copied in `copies`. */
static scant_status copy_missing(const scant_sums *s, const scant_sums *other, scant_record **copies, size_t *copied,
                                 scant_error *error) {
  for (size_t i = 0; i < other->count; i++) {
    const scant_record *theirs = other->records[i];
    size_t at = find(s, theirs->block);
    const scant_record *mine = at < s->count && s->records[at]->block == theirs->block ? s->records[at] : NULL;
    if (!mine) {
      if (!(copies[*copied] = scant_record_copy(theirs))) return scant_fail_memory(error);
      ++*copied;
      continue;
    }
    if (!scant_record_equal(mine, theirs))
      return scant_fail(error, SCANT_DATA, "block %llu is in both sums, and not the same",
                        (unsigned long long)mine->block);
  }
  return SCANT_OK;
}

scant_status scant_sums_merge(scant_sums *sums, const scant_sums *other, scant_error *error) {
  scant_sums *s = sums;
  if (s->dimension != other->dimension)
    return scant_fail(error, SCANT_DATA, "these sums are of %zu attributes, and those of %zu", s->dimension,
                      other->dimension);
  if (other == s || !other->count) return SCANT_OK;
  SCANT_TRY(scant_sums_check_limits(s, other->limits, error));
  size_t copied = 0;
  scant_record **copies = scant_array(other->count, sizeof(scant_record *));
  scant_status status = copies ? copy_missing(s, other, copies, &copied, error) : scant_fail_memory(error);
  if (status == SCANT_OK && !scant_grow(&s->records, &s->room, s->count + copied, sizeof(scant_record *)))
    status = scant_fail_memory(error);
  if (status == SCANT_OK) { /* from the last on, so that none is overwritten */
    size_t mine = s->count, theirs = copied, to = mine + theirs;
    s->count = to;
    while (theirs)
      s->records[--to] =
          mine && s->records[mine - 1]->block > copies[theirs - 1]->block ? s->records[--mine] : copies[--theirs];
    s->limits = other->limits;
  }
  for (size_t i = 0; status != SCANT_OK && i < copied; i++) scant_record_free(copies[i]);
  free(copies);
  return status;
}

/* ---- what they hold -------------------------------------------------------------------- */

void scant_sums_get_facts(const scant_sums *sums, scant_sums_facts *facts) {
  scant_sums_facts f = {.blocks = sums->count, .dimension = sums->dimension, .limited = scant_sums_limited(sums)};
  for (size_t i = 0; i < sums->count; i++) {
    const scant_record *r = sums->records[i];
    f.examples += r->rows;
    f.cells += r->rows * r->count;
    f.memory += sizeof *r + r->bytes;
    for (size_t c = 0; c < r->count; c++) f.missing += r->rows - r->values[c].known;
  }
  *facts = f;
}

void scant_sums_purchases(const scant_sums *sums, uint64_t *purchases) {
  memset(purchases, 0, sums->dimension * sizeof *purchases);
  for (size_t i = 0; i < sums->count; i++) {
    const scant_record *r = sums->records[i];
    for (size_t c = 0; c < r->count; c++) purchases[r->attributes[c]] += r->rows;
  }
}

scant_status scant_sums_limits(const scant_sums *sums, double clip, double *low, double *high, scant_error *error) {
  if (scant_sums_limited(sums)) return scant_fail(error, SCANT_DATA, "limits can't be made of values that are clipped");
  if (!(clip > 0) || !isfinite(clip)) return scant_fail(error, SCANT_USAGE, "clip %g is not above 0", clip);
  scant_limits *met = scant_array(sums->dimension, sizeof *met);
  if (!met) return scant_fail_memory(error);
  for (size_t i = 0; i < sums->count; i++) {
    const scant_record *r = sums->records[i];
    for (size_t c = 0; c < r->count; c++) scant_limits_merge(&met[r->attributes[c]], &r->limits[c]);
  }
  for (size_t j = 0; j < sums->dimension; j++)
    if (!scant_limits_of(&met[j], clip, &low[j], &high[j]) || !isfinite(high[j] - low[j])) {
      /* Its scale is not known: to clip by what was met would make it a constant for ever.  Or its first activity is
       * so large that the square overflows. */
      low[j] = -DBL_MAX;
      high[j] = DBL_MAX;
    }
  free(met);
  return SCANT_OK;
}
