#include "bytes.h"

#include <string.h>

/* ---- numbers --------------------------------------------------------------------------- */

static void put(scant_coder *c, uint64_t x, size_t width) {
  unsigned char *to = c->to;
  for (size_t i = 0; i < width; i++) to[i] = (unsigned char)(x >> 8 * i & 0xff);
  c->to = to + width;
}

static uint64_t get(scant_coder *c, size_t width) {
  uint64_t x = 0;
  if (c->left < width) {
    c->bad = 1;
    return 0;
  }
  for (size_t i = 0; i < width; i++) x |= (uint64_t)c->from[i] << 8 * i;
  c->from += width;
  c->left -= width;
  return x;
}

static void code_words(scant_coder *c, void *array, size_t width, size_t count) {
  if (c->mode == SCANT_CODER_COUNTS) {
    c->count += (double)width * (double)count;
    return;
  }
  for (size_t i = 0; i < count; i++)
    if (c->mode == SCANT_CODER_WRITES)
      put(c, scant_word(array, width, i), width);
    else
      scant_set_word(array, width, i, get(c, width));
}

void scant_code_32s(scant_coder *coder, uint32_t *x, size_t count) {
  code_words(coder, x, sizeof *x, count);
}

void scant_code_64s(scant_coder *coder, uint64_t *x, size_t count) {
  code_words(coder, x, sizeof *x, count);
}

void scant_code_size(scant_coder *coder, size_t *x) {
  uint64_t wide = *x;
  scant_code_64s(coder, &wide, 1);
  if (coder->mode != SCANT_CODER_READS) return;
  if (wide > SIZE_MAX / 64) coder->bad = 1; /* where size_t has 32 bits */
  *x = coder->bad ? 0 : (size_t)wide;
}

void scant_code_reals(scant_coder *coder, double *x, size_t count) {
  code_words(coder, x, sizeof *x, count);
}

void scant_code_symmetric(scant_coder *coder, double *matrix, size_t n) {
  if (coder->mode == SCANT_CODER_COUNTS) coder->count += 8 * ((double)n * ((double)n + 1) / 2);
  for (size_t i = 0; coder->mode != SCANT_CODER_COUNTS && i < n; i++) {
    scant_code_reals(coder, matrix + i * n, i + 1);
    for (size_t j = 0; coder->mode == SCANT_CODER_READS && j < i; j++) matrix[j * n + i] = matrix[i * n + j];
  }
}

/* ---- arrays that are mostly 0 ---------------------------------------------------------- */

enum { ALL, BITS };

/* A negative zero is not 0. */
static size_t count_set(const void *array, size_t width, size_t count) {
  size_t set = 0;
  for (size_t i = 0; i < count; i++) set += scant_word(array, width, i) != 0;
  return set;
}

/* The shorter form of an array, and its bytes. */
static uint32_t form_of(const void *array, size_t width, size_t count, size_t *size) {
  size_t all = count * width, bits = (count + 7) / 8 + count_set(array, width, count) * width;
  *size = 4 + (bits < all ? bits : all);
  return bits < all ? BITS : ALL;
}

double scant_sparse_least(double count) {
  return 4 + count / 8;
}

static void write_bits(scant_coder *c, const void *array, size_t width, size_t count) {
  unsigned char *bits = c->to;
  memset(bits, 0, (count + 7) / 8);
  c->to += (count + 7) / 8;
  for (size_t i = 0; i < count; i++) {
    uint64_t x = scant_word(array, width, i);
    if (!x) continue;
    bits[i / 8] |= (unsigned char)(1 << i % 8);
    put(c, x, width);
  }
}

static void read_bits(scant_coder *c, void *array, size_t width, size_t count) {
  size_t mask = (count + 7) / 8;
  const unsigned char *bits = c->from;
  if (c->left < mask || (count % 8 && bits[mask - 1] >> count % 8)) { /* a bit for nothing */
    c->bad = 1;
    return;
  }
  c->from += mask;
  c->left -= mask;
  for (size_t i = 0; i < count; i++)
    if (bits[i / 8] >> i % 8 & 1) scant_set_word(array, width, i, get(c, width));
}

void scant_code_sparse(scant_coder *c, void *array, size_t width, size_t count) {
  size_t size;
  uint32_t form = c->mode == SCANT_CODER_READS ? 0 : form_of(array, width, count, &size);
  if (c->mode == SCANT_CODER_COUNTS) {
    c->count += (double)size;
    return;
  }
  scant_code_32s(c, &form, 1);
  if (form == ALL)
    code_words(c, array, width, count);
  else if (c->mode == SCANT_CODER_WRITES)
    write_bits(c, array, width, count);
  else
    read_bits(c, array, width, count);
  if (c->mode == SCANT_CODER_READS && form_of(array, width, count, &size) != form) c->bad = 1;
}

/* ---- objects --------------------------------------------------------------------------- */

scant_status scant_encode(const scant_coded_kind *kind, const void *object, size_t tail, unsigned char **bytes,
                          size_t *size, scant_error *error) {
  scant_coder counted = {.mode = SCANT_CODER_COUNTS, .count = SCANT_CODED_HEAD + (double)tail};
  kind->code(&counted, (void *)object);
  unsigned char *made = counted.count < (double)(SIZE_MAX / 4) ? scant_array((size_t)counted.count, 1) : NULL;
  if (!made) return scant_fail_memory(error);
  scant_coder c = {.mode = SCANT_CODER_WRITES, .to = made + SCANT_CODED_HEAD - 4};
  memcpy(made, kind->magic, SCANT_CODED_HEAD - 4);
  put(&c, kind->version, 4);
  kind->code(&c, (void *)object);
  *bytes = made;
  *size = (size_t)counted.count;
  return SCANT_OK;
}

scant_status scant_decode(const scant_coded_kind *kind, const unsigned char *bytes, size_t size, size_t least,
                          scant_coder *coder, scant_error *error) {
  size_t magic = SCANT_CODED_HEAD - 4;
  if (size < least || memcmp(bytes, kind->magic, magic) != 0)
    return scant_fail(error, SCANT_DATA, "these %zu bytes are %s", size, kind->not_one);
  *coder = (scant_coder){.mode = SCANT_CODER_READS, .from = bytes + magic, .left = size - magic};
  uint32_t version = (uint32_t)get(coder, 4);
  if (version == kind->version) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s version %lu, and this library reads version %lu", kind->has,
                    (unsigned long)version, (unsigned long)kind->version);
}
