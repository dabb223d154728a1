/* Large arrays in a checkpoint: their bytes, little end first, in base 64, as one text.  A matrix of a thousand
 * attributes as numbers in decimal would be twice as long and take a node each when read. */
#ifndef SCANT_DENSE_PACKED_H
#define SCANT_DENSE_PACKED_H

#include "scant_json.h"

/* `count` numbers of `size` bytes, 4 (uint32_t) or 8 (double). */
void scant_packed_write(scant_json_writer *out, const char *key, const void *numbers, size_t size, size_t count);

/* SCANT_DATA if the member is not exactly that long.  The caller checks the values. */
scant_status scant_packed_read(const scant_json *json, size_t node, const char *key, void *numbers, size_t size,
                               size_t count, scant_error *error);

#endif
