/* Tables in memory: elements of every type, tables at even distances (also those in mapped files), tables whose columns
 * lie apart, and what all sources of the caller's own have in common. */
#ifndef SCANT_DATA_MEMORY_IN_MEMORY_H
#define SCANT_DATA_MEMORY_IN_MEMORY_H

#include "data/source.h"

#include <string.h>

/* ---- elements ------------------------------------------------------------- */

/* Every type of elements: each(its name without SCANT_, its type in C, its bits). */
#define SCANT_ELEMENT_TYPES(each)                                                                             \
  each(FLOAT64, double, 64) each(FLOAT32, float, 32) each(UINT8, uint8_t, 8) each(INT8, int8_t, 8)            \
      each(UINT16, uint16_t, 16) each(INT16, int16_t, 16) each(UINT32, uint32_t, 32) each(INT32, int32_t, 32) \
          each(UINT64, uint64_t, 64) each(INT64, int64_t, 64)

/* The element of this type at any address, in this machine's byte order.  Tables of one type choose it outside their
 * loop instead. */
static inline double scant_element_read(scant_type type, const unsigned char *at) {
#define READ(name, element_type, bits)    \
  case SCANT_##name: {                    \
    element_type element;                 \
    memcpy(&element, at, sizeof element); \
    return (double)element;               \
  }
  switch (type) { SCANT_ELEMENT_TYPES(READ) }
#undef READ
  return 0;
}

/* Bytes of an element; 0 if there is no such type. */
size_t scant_type_size(scant_type type);

/* Is the most significant byte of a number the first one on this machine? */
int scant_machine_is_big_endian(void);

/* ---- tables of one type ---------------------------------------------------- */

/* Element (row, column) is at data + row * row_stride + column * column_stride, in bytes and at any alignment. */
typedef struct scant_strided {
  scant_type type;
  int swapped; /* in the other byte order than this machine's */
  const unsigned char *data;
  size_t rows, columns;
  ptrdiff_t row_stride, column_stride;
} scant_strided;

/* Fills values[i] with the element in column attributes[i] of `row`, or in column i if attributes is NULL.  Touches
 * nothing else. */
void scant_strided_gather(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes,
                          double *values);

/* Fetches elements that will be read soon into the cache. */
void scant_strided_expect(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes);

/* Reads the header of a file of examples, or of labels (columns is then 1); the whole table is inside the bytes when it
 * returns SCANT_OK. */
typedef scant_status (*scant_strided_parse)(scant_strided *table, const scant_bytes *bytes, int labels,
                                            const char *path, scant_error *error);

/* Opens a file of examples, and that of its labels if settings->labels says so, with one parser
 * (file/strided_file.c). */
scant_status scant_strided_file_open(scant_source *source, const char *path, scant_strided_parse parse,
                                     const scant_bytes_kind *kind, const scant_settings *settings,
                                     const scant_classes *classes, scant_target_need need, scant_error *error);

/* ---- tables whose columns lie apart ----------------------------------------- */

/* In one stretch of rows or in several: columns of the caller, and the record batches of Arrow. */

/* A column within one stretch.  Value `row` is at data + (start + row) * stride, in bytes, or bit start + row of data;
 * it is missing where bit valid_start + row of `valid` (NULL: none) is 0.  Bits are counted from the least significant
 * one. */
typedef struct scant_part {
  enum { SCANT_PART_NUMBERS, SCANT_PART_HALVES, SCANT_PART_BITS } form;
  scant_type type; /* of numbers; halves are binary16 */
  const unsigned char *data;
  size_t start;
  ptrdiff_t stride;
  const unsigned char *valid;
  size_t valid_start;
} scant_part;

/* Rows from `first` to the next stretch's; nothing of a row has a value where bit valid_start + (row - first) of
 * `valid` (NULL: none) is 0. */
typedef struct scant_stretch {
  size_t first;
  const unsigned char *valid;
  size_t valid_start;
} scant_stretch;

typedef struct scant_columns {
  size_t rows, dimension;
  size_t count; /* stretches, at least one, sorted by their first rows; the first begins at 0 */
  scant_stretch *stretches;
  scant_part *parts; /* those of the first stretch, then of the second, and so on */
  void *owner;       /* of the memory that the parts point into; NULL: the caller */
  void (*release)(void *owner);
} scant_columns;

/* Frees what is in `columns`. */
void scant_columns_release(const scant_columns *columns);

/* A source over columns that were checked.  Takes what is in `columns`, on failure too. */
scant_status scant_columns_wrap(scant_source **source, const scant_columns *columns, const double *targets,
                                scant_error *error);

/* ---- sources of the caller's own ---------------------------------------------- */

/* SCANT_DATA if a table has no rows, no attributes or too many, or a target that can't be learned from. */
scant_status scant_memory_check(size_t rows, size_t dimension, const double *targets, scant_error *error);

/* A source of a size that was checked, with a copy of the targets, so that they stay as they were checked.  Takes
 * `self`, and frees it on failure; NULL: memory was short for it. */
scant_status scant_memory_source(scant_source **source, const scant_source_kind *kind, void *self, size_t rows,
                                 size_t dimension, const double *targets, scant_error *error);

#endif
