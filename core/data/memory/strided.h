/* Tables of elements of one type at even distances, in memory or in a file. */
#ifndef SCANT_DATA_MEMORY_STRIDED_H
#define SCANT_DATA_MEMORY_STRIDED_H

#include "data/source.h"

/* Element (row, column) is at data + row * row_stride + column *
 * column_stride, in bytes and at any alignment. */
typedef struct scant_strided {
  scant_type type;
  int swapped; /* in the other byte order than this machine's */
  const unsigned char *data;
  size_t rows, columns;
  ptrdiff_t row_stride, column_stride;
} scant_strided;

/* Bytes of an element; 0 if there is no such type. */
size_t scant_type_size(scant_type type);

/* Is the most significant byte of a number the first one on this machine? */
int scant_machine_is_big_endian(void);

/* Fills values[i] with the element in column attributes[i] of `row`, or in
 * column i if attributes is NULL.  Touches nothing else. */
void scant_strided_gather(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes,
                          double *values);

/* Fetches elements that will be read soon into the cache. */
void scant_strided_expect(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes);

/* A source over a table that was checked, with a copy of the targets. */
scant_status scant_strided_wrap(scant_source **source, const scant_strided *table, const double *targets,
                                scant_error *error);

#endif
