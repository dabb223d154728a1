#include "sums/sparse_bytes.h"

enum { ALL, BITS };

/* The bits of a number: a negative zero is not 0. */
static uint64_t word(const void *array, size_t width, size_t i) {
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

static size_t count_set(const void *array, size_t width, size_t count) {
  size_t set = 0;
  for (size_t i = 0; i < count; i++) set += word(array, width, i) != 0;
  return set;
}

static size_t size_as(int form, size_t set, size_t width, size_t count) {
  return 4 + (form == BITS ? (count + 7) / 8 + set * width : count * width);
}

static int form_of(size_t set, size_t width, size_t count) {
  return size_as(BITS, set, width, count) < size_as(ALL, set, width, count) ? BITS : ALL;
}

size_t scant_sparse_size(const void *array, size_t width, size_t count) {
  size_t set = count_set(array, width, count);
  return size_as(form_of(set, width, count), set, width, count);
}

double scant_sparse_least(double count) {
  return 4 + count / 8;
}

static void put_word(unsigned char **to, uint64_t x, size_t width) {
  if (width == 8)
    scant_put_64(to, x);
  else
    scant_put_32(to, (uint32_t)x);
}

void scant_put_sparse(unsigned char **to, const void *array, size_t width, size_t count) {
  int form = form_of(count_set(array, width, count), width, count);
  scant_put_32(to, (uint32_t)form);
  if (form == ALL) {
    for (size_t i = 0; i < count; i++) put_word(to, word(array, width, i), width);
    return;
  }
  unsigned char *bits = *to;
  memset(bits, 0, (count + 7) / 8);
  *to += (count + 7) / 8;
  for (size_t i = 0; i < count; i++) {
    uint64_t x = word(array, width, i);
    if (!x) continue;
    bits[i / 8] |= (unsigned char)(1 << i % 8);
    put_word(to, x, width);
  }
}

static void get_word(scant_bytes_left *from, void *array, size_t width, size_t i) {
  uint64_t x = scant_get(from, width);
  uint32_t half = (uint32_t)x;
  memcpy((char *)array + i * width, width == 8 ? (const void *)&x : (const void *)&half, width);
}

int scant_get_sparse(scant_bytes_left *from, void *array, size_t width, size_t count) {
  uint32_t form = scant_get_32(from);
  size_t mask = (count + 7) / 8;
  if (from->short_of || form > BITS || (form == ALL && from->left / width < count) ||
      (form == BITS && from->left < mask))
    return 0;
  const unsigned char *bits = from->at;
  if (form == BITS) {
    if (count % 8 && bits[mask - 1] >> count % 8) return 0; /* a bit for nothing */
    from->at += mask;
    from->left -= mask;
  }
  for (size_t i = 0; i < count; i++)
    if (form == ALL || bits[i / 8] >> i % 8 & 1) get_word(from, array, width, i);
  return !from->short_of && form_of(count_set(array, width, count), width, count) == (int)form;
}
