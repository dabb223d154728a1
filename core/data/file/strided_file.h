/* Tables of elements of one type that are files, with files of labels: NPY and IDX.  Looks note the pages that they
 * bring in. */
#ifndef SCANT_DATA_FILE_STRIDED_FILE_H
#define SCANT_DATA_FILE_STRIDED_FILE_H

#include "data/memory/in_memory.h"

/* Reads the header of a file of examples, or of labels (columns is then 1); the whole table is inside the bytes when it
 * returns SCANT_OK. */
typedef scant_status (*scant_strided_parse)(scant_strided *table, const scant_bytes *bytes, int labels,
                                            const char *path, scant_error *error);

/* Opens a file of examples, and that of its labels if settings->labels says so, with one parser. */
scant_status scant_strided_file_open(scant_source *source, const char *path, scant_strided_parse parse,
                                     const scant_bytes_kind *kind, const scant_settings *settings,
                                     const scant_classes *classes, scant_target_need need, scant_error *error);

#endif
