/* The digest of a source. */
#include "scant_base.h"
#include "data/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST_CELLS = 1000 };

/* Byte by byte, so that every machine gets the same digest. */
static uint64_t hash_number(uint64_t state, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i & 0xff);
  return scant_hash(state, bytes, sizeof bytes);
}

static uint64_t hash_real(uint64_t state, double real) {
  uint64_t bits;
  memcpy(&bits, &real, sizeof bits);
  return hash_number(state, bits);
}

static uint64_t hash_text(uint64_t state, const char *text) {
  size_t length = text ? strlen(text) : 0;
  state = hash_number(state, text ? length + 1 : 0);
  return length ? scant_hash(state, text, length) : state;
}

/* All NaNs are alike. */
static uint64_t hash_value(uint64_t state, double value) {
  return isnan(value) ? hash_number(state, UINT64_MAX) : hash_real(state, value);
}

static scant_status hash_cell(scant_source *source, size_t row, uint32_t attribute, uint64_t *state,
                              scant_error *error) {
  double value = 0;
  scant_error failure;
  scant_status status = scant_source_read(source, row, 1, &attribute, &value, &failure);
  if (status && status != SCANT_DATA) return scant_fail(error, status, "%s", failure.text);
  *state = hash_value(*state, status ? NAN : value);
  return SCANT_OK;
}

static scant_status hash_some_cells(scant_source *source, uint64_t *state, scant_error *error) {
  uint64_t rows = source->rows, d = source->dimension;
  uint64_t total = rows > UINT64_MAX / d ? UINT64_MAX : rows * d;
  uint64_t cells = total < DIGEST_CELLS ? total : DIGEST_CELLS;
  for (uint64_t i = 0; i < cells; i++) {
    /* One cell of the i-th part.  Not always its first: where the parts are whole rows, these would all be in one
     * column. */
    uint64_t first = total / cells * i + total % cells * i / cells;
    uint64_t next = total / cells * (i + 1) + total % cells * (i + 1) / cells;
    uint64_t cell = first + hash_number(SCANT_HASH_START, i) % (next - first);
    SCANT_TRY(hash_cell(source, (size_t)(cell / d), (uint32_t)(cell % d), state, error));
  }
  return SCANT_OK;
}

static scant_status hash_all_cells(scant_source *source, uint64_t *state, scant_error *error) {
  double *x = scant_array(source->dimension, sizeof *x);
  scant_status status = x ? SCANT_OK : scant_fail_memory(error);
  for (size_t row = 0; !status && row < source->rows; row++) {
    int whole = scant_source_row(source, row, x, NULL) == SCANT_OK;
    for (size_t i = 0; !status && i < source->dimension; i++) {
      if (whole)
        *state = hash_value(*state, x[i]);
      else /* some cell can't be learned from */
        status = hash_cell(source, row, (uint32_t)i, state, error);
    }
  }
  free(x);
  return status;
}

/* In stretches, so that the pages of a long file can be let go of. */
static uint64_t hash_bytes(uint64_t state, scant_bytes *bytes) {
  const size_t stretch = (size_t)1 << 22;
  for (size_t at = 0; at < bytes->length; at += stretch) {
    size_t length = bytes->length - at < stretch ? bytes->length - at : stretch;
    state = scant_hash(state, bytes->data + at, length);
    scant_bytes_touch(bytes, bytes->data + at, length);
  }
  return state;
}

scant_status scant_source_digest(scant_source *source, uint64_t *digest, scant_error *error) {
  uint64_t state = SCANT_HASH_START;
  if (source->digested) {
    *digest = source->digest;
    return SCANT_OK;
  }
  state = hash_number(state, source->rows);
  state = hash_number(state, source->dimension);
  for (size_t i = 0; source->names && i < source->dimension; i++)
    state = hash_text(state, scant_source_name(source, i));
  state = hash_text(state, source->target_name);
  for (size_t i = 0; source->targets && i < source->rows; i++) state = hash_real(state, source->targets[i]);
  scant_status status = SCANT_OK;
  source->muted = 1;
  if (source->digest_of == SCANT_DIGEST_BYTES)
    state = hash_bytes(state, &source->bytes);
  else if (source->digest_of == SCANT_DIGEST_CELLS)
    status = hash_all_cells(source, &state, error);
  else if (source->digest_of == SCANT_DIGEST_SAMPLE && source->dimension)
    status = hash_some_cells(source, &state, error);
  source->muted = 0;
  if (status) return status;
  /* memory may change */
  source->digested = source->digest_of == SCANT_DIGEST_BYTES || source->digest_of == SCANT_DIGEST_CELLS;
  *digest = source->digest = state;
  return SCANT_OK;
}
