/* Tables of elements of one type at even distances: NPY, IDX and memory. */
#ifndef SCANT_DATA_MEMORY_STRIDED_H
#define SCANT_DATA_MEMORY_STRIDED_H

#include "data/file/bytes.h"
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

/* A source over a table; `path` is NULL for memory.
 * Takes `bytes` (NULL: the caller keeps the memory), on failure too. */
scant_status scant_strided_wrap(scant_source **source, const scant_strided *table, scant_bytes *bytes, const char *path,
                                scant_error *error);

/* Reads the header of a file of examples, or of labels (columns is then 1);
 * the whole table is inside the bytes when it returns SCANT_OK. */
typedef scant_status (*scant_strided_parse)(scant_strided *table, const scant_bytes *bytes, int labels,
                                            const char *path, scant_error *error);

/* Opens a file of examples, and that of its labels if settings->labels says
 * so, with one parser. */
scant_status scant_strided_open(scant_source **source, const char *path, scant_strided_parse parse,
                                const scant_bytes_kind *kind, const scant_settings *settings,
                                const scant_classes *classes, scant_target_need need, scant_error *error);

#endif
