/* Numbers as bytes, little end first on every machine. */
#ifndef SCANT_DENSE_SUMS_LITTLE_H
#define SCANT_DENSE_SUMS_LITTLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Each puts a number at *to, where there is room, and moves on. */
static inline void scant_put_32(unsigned char **to, uint32_t x) {
  for (int i = 0; i < 4; i++) (*to)[i] = (unsigned char)(x >> 8 * i & 0xff);
  *to += 4;
}

static inline void scant_put_64(unsigned char **to, uint64_t x) {
  for (int i = 0; i < 8; i++) (*to)[i] = (unsigned char)(x >> 8 * i & 0xff);
  *to += 8;
}

static inline void scant_put_real(unsigned char **to, double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  scant_put_64(to, bits);
}

static inline void scant_put_reals(unsigned char **to, const double *x, size_t count) {
  for (size_t i = 0; i < count; i++) scant_put_real(to, x[i]);
}

static inline void scant_put_32s(unsigned char **to, const uint32_t *x, size_t count) {
  for (size_t i = 0; i < count; i++) scant_put_32(to, x[i]);
}

/* What is still to be read.  Past the end numbers are 0, and `short_of` is set. */
typedef struct scant_bytes_left {
  const unsigned char *at;
  size_t left;
  int short_of;
} scant_bytes_left;

static inline uint64_t scant_get(scant_bytes_left *from, size_t size) {
  uint64_t x = 0;
  if (from->left < size) {
    from->short_of = 1;
    return 0;
  }
  for (size_t i = 0; i < size; i++) x |= (uint64_t)from->at[i] << 8 * i;
  from->at += size;
  from->left -= size;
  return x;
}

static inline uint32_t scant_get_32(scant_bytes_left *from) {
  return (uint32_t)scant_get(from, 4);
}

static inline uint64_t scant_get_64(scant_bytes_left *from) {
  return scant_get(from, 8);
}

static inline double scant_get_real(scant_bytes_left *from) {
  uint64_t bits = scant_get_64(from);
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline void scant_get_reals(scant_bytes_left *from, double *x, size_t count) {
  for (size_t i = 0; i < count; i++) x[i] = scant_get_real(from);
}

static inline void scant_get_32s(scant_bytes_left *from, uint32_t *x, size_t count) {
  for (size_t i = 0; i < count; i++) x[i] = scant_get_32(from);
}

#endif
