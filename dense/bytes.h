/* Numbers and objects as bytes, little end first on every machine. */
#ifndef SCANT_DENSE_BYTES_H
#define SCANT_DENSE_BYTES_H

#include <math.h>
#include <string.h>

#include "scant_base.h"

/* The bits of number i of an array of numbers of `width` bytes: 4 (uint32_t) or 8 (uint64_t, double). */
static inline uint64_t scant_word(const void *array, size_t width, size_t i) {
  uint64_t x = 0;
  uint32_t half;
  const char *at = (const char *)array + i * width;
  if (width == sizeof x) {
    memcpy(&x, at, sizeof x);
    return x;
  }
  memcpy(&half, at, sizeof half);
  return half;
}

static inline void scant_set_word(void *array, size_t width, size_t i, uint64_t x) {
  uint32_t half = (uint32_t)x;
  memcpy((char *)array + i * width, width == sizeof x ? (const void *)&x : (const void *)&half, width);
}

/* For those who check what was read. */
static inline int scant_all_finite(const double *x, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}

/* One function names the fields of an object for a coder, which counts their bytes, writes them, or reads them back.
 * Only reading changes the object.  Past the end numbers are 0 and the coder is bad; the caller checks the values. */

typedef enum { SCANT_CODER_COUNTS, SCANT_CODER_WRITES, SCANT_CODER_READS } scant_coder_mode;

typedef struct scant_coder {
  scant_coder_mode mode;
  double count;              /* COUNTS: bytes so far */
  unsigned char *to;         /* WRITES: where there is room */
  const unsigned char *from; /* READS */
  size_t left;
  int bad;
} scant_coder;

void scant_code_32s(scant_coder *coder, uint32_t *x, size_t count);
void scant_code_64s(scant_coder *coder, uint64_t *x, size_t count);
void scant_code_size(scant_coder *coder, size_t *x);
void scant_code_reals(scant_coder *coder, double *x, size_t count);
/* The lower triangle of a symmetric matrix, n x n, by rows; reading fills both. */
void scant_code_symmetric(scant_coder *coder, double *matrix, size_t n);

/* An array that is mostly 0, since few of all pairs of attributes were met: a number (32 bits) says which of two forms
 * follows, the shorter one: 0, all numbers; 1, a bit for each number, from the lowest bit of the first byte on, and the
 * numbers whose bit is set. */
void scant_code_sparse(scant_coder *coder, void *array, size_t width, size_t count);
/* The bytes that such an array takes at least. */
double scant_sparse_least(double count);

/* A kind of object: it begins with eight letters and a version (32 bits). */
enum { SCANT_CODED_HEAD = 12 };

typedef struct scant_coded_kind {
  char magic[9];
  uint32_t version;
  const char *not_one, *has; /* "these bytes are ...", "... version 2" */
  void (*code)(scant_coder *coder, void *object);
} scant_coded_kind;

/* Makes the bytes, with room for `tail` more at their end.  *bytes is the caller's.  SCANT_MEMORY. */
scant_status scant_encode(const scant_coded_kind *kind, const void *object, size_t tail, unsigned char **bytes,
                          size_t *size, scant_error *error);
/* Begins to read.  SCANT_DATA: there are fewer than `least` bytes, or they are of another kind or version. */
scant_status scant_decode(const scant_coded_kind *kind, const unsigned char *bytes, size_t size, size_t least,
                          scant_coder *coder, scant_error *error);

#endif
