#include "data/memory/strided.h"

#include "scant_base.h"
#include "data/memory/element.h"
#include "data/memory/in_memory.h"

#include <stdlib.h>
#include <string.h>

size_t scant_type_size(scant_type type) {
#define SIZE(name, element_type, bits) \
  case SCANT_##name:                   \
    return sizeof(element_type);
  switch (type) { SCANT_ELEMENT_TYPES(SIZE) }
#undef SIZE
  return 0;
}

int scant_machine_is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static inline uint8_t swap_8(uint8_t x) {
  return x;
}

static inline uint16_t swap_16(uint16_t x) {
  return (uint16_t)(x << 8 | x >> 8);
}

static inline uint32_t swap_32(uint32_t x) {
  return (uint32_t)swap_16((uint16_t)(x & 0xffff)) << 16 | swap_16((uint16_t)(x >> 16));
}

static inline uint64_t swap_64(uint64_t x) {
  return (uint64_t)swap_32((uint32_t)(x & UINT32_MAX)) << 32 | swap_32((uint32_t)(x >> 32));
}

/* The type is chosen outside the loop; elements go through a word of their
 * size because they may lie at any address and in either byte order. */
#define GATHER_WITH(element_type, word_type, swap)                                                         \
  for (size_t i = 0; i < count; i++) {                                                                     \
    word_type word;                                                                                        \
    element_type element;                                                                                  \
    memcpy(&word, base + (ptrdiff_t)(attributes ? attributes[i] : i) * table->column_stride, sizeof word); \
    word = swap(word);                                                                                     \
    memcpy(&element, &word, sizeof element);                                                               \
    values[i] = (double)element;                                                                           \
  }

#define GATHER(name, element_type, bits)                     \
  case SCANT_##name:                                         \
    if (table->swapped) {                                    \
      GATHER_WITH(element_type, uint##bits##_t, swap_##bits) \
    } else {                                                 \
      GATHER_WITH(element_type, uint##bits##_t, )            \
    }                                                        \
    break;

void scant_strided_gather(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes,
                          double *values) {
  const unsigned char *base = table->data + (ptrdiff_t)row * table->row_stride;
  switch (table->type) { SCANT_ELEMENT_TYPES(GATHER) }
}

/* ---- the source --------------------------------------------------------- */

static scant_status strided_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                                 scant_error *error) {
  (void)error;
  scant_strided_gather(self, row, count, attributes, values);
  return SCANT_OK;
}

void scant_strided_expect(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes) {
  const unsigned char *base = table->data + (ptrdiff_t)row * table->row_stride;
  for (size_t i = 0; i < count; i++) __builtin_prefetch(base + (ptrdiff_t)attributes[i] * table->column_stride);
}

static void strided_expect(void *self, size_t row, size_t count, const uint32_t *attributes) {
  scant_strided_expect(self, row, count, attributes);
}

static const scant_source_kind strided_kind = {strided_read, NULL, free, strided_expect, NULL};

scant_status scant_strided_wrap(scant_source **source, const scant_strided *table, const double *targets,
                                scant_error *error) {
  scant_strided *self = scant_array(1, sizeof *self);
  if (!self) return scant_fail_memory(error);
  *self = *table;
  return scant_memory_source(source, &strided_kind, self, table->rows, table->columns, targets, error);
}
