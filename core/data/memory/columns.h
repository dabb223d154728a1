/* Tables whose columns lie apart, in one stretch of rows or in several: columns that the caller has, and the
 * record batches of Arrow. */
#ifndef SCANT_DATA_MEMORY_COLUMNS_H
#define SCANT_DATA_MEMORY_COLUMNS_H

#include "data/source.h"

/* A column within one stretch.  Value `row` is at data + (start + row) * stride,
 * in bytes, or bit start + row of data; it is missing where bit valid_start + row
 * of `valid` (NULL: none) is 0.  Bits are counted from the least significant one. */
typedef struct scant_part {
  enum { SCANT_PART_NUMBERS, SCANT_PART_HALVES, SCANT_PART_BITS } form;
  scant_type type; /* of numbers; halves are binary16 */
  const unsigned char *data;
  size_t start;
  ptrdiff_t stride;
  const unsigned char *valid;
  size_t valid_start;
} scant_part;

/* Rows from `first` to the next stretch's; nothing of a row has a value where bit
 * valid_start + (row - first) of `valid` (NULL: none) is 0. */
typedef struct scant_stretch {
  size_t first;
  const unsigned char *valid;
  size_t valid_start;
} scant_stretch;

typedef struct scant_columns {
  size_t rows, dimension;
  size_t count; /* stretches, at least one, sorted by their first rows; the first begins at 0 */
  scant_stretch *stretches;
  scant_part *parts;            /* those of the first stretch, then of the second, and so on */
  void (*release)(void *owner); /* whoever owns the memory behind it; NULL: the caller does */
  void *owner;
} scant_columns;

/* Frees what is in `columns`. */
void scant_columns_release(const scant_columns *columns);

/* A source over columns that were checked.  Takes what is in `columns`, on
 * failure too. */
scant_status scant_columns_wrap(scant_source **source, const scant_columns *columns, const double *targets,
                                scant_error *error);

#endif
