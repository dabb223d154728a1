/* Looks into a table that is a file: they note the pages that they bring in. */
#ifndef SCANT_DATA_FILE_STRIDED_FILE_H
#define SCANT_DATA_FILE_STRIDED_FILE_H

#include "data/file/ascending.h"
#include "data/memory/strided.h"

typedef struct scant_strided_file {
  scant_bytes bytes;
  scant_pages pages; /* without bits if the file is not mapped but read whole */
  size_t start;      /* of the elements, in the file */
  scant_order order;
  unsigned char *window; /* of a long file: what was read of it last */
} scant_strided_file;

/* Takes the bytes, on failure too; 0 if out of memory. */
int scant_strided_file_open(scant_strided_file *file, const scant_strided *table, scant_bytes *bytes);
void scant_strided_file_close(scant_strided_file *file);

/* Fills values[i] with the element in column attributes[i] of `row`. */
scant_status scant_strided_file_read(scant_strided_file *file, const scant_strided *table, const char *path, size_t row,
                                     size_t count, const uint32_t *attributes, double *values, scant_error *error);

#endif
