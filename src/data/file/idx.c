/* IDX, the format of MNIST: 0 0 TYPE DIMENSIONS, the sizes of the dimensions,
 * the elements; all big-endian.  The first dimension counts the examples, the
 * others together are an example's attributes. */
#include "core/error.h"
#include "data/sentence.h"
#include "data/memory/strided.h"

#include <string.h>

static int find_type(unsigned char code, scant_type *type) {
  switch (code) {
    case 0x08:
      return *type = SCANT_UINT8, 1;
    case 0x09:
      return *type = SCANT_INT8, 1;
    case 0x0b:
      return *type = SCANT_INT16, 1;
    case 0x0c:
      return *type = SCANT_INT32, 1;
    case 0x0d:
      return *type = SCANT_FLOAT32, 1;
    case 0x0e:
      return *type = SCANT_FLOAT64, 1;
  }
  return 0;
}

static uint32_t read_size(const unsigned char *at) {
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Multiplies unless the product is too large for this machine. */
static int multiply(size_t *product, size_t factor) {
  if (factor && *product > (size_t)PTRDIFF_MAX / factor) return 0;
  *product *= factor;
  return 1;
}

static scant_status parse_idx(scant_strided *table, const scant_bytes *bytes, int labels, const char *path,
                              scant_error *error) {
  const char *shown = scant_path_show(path);
  const unsigned char *data = (const unsigned char *)bytes->data;
  if (bytes->length < 4 || data[0] || data[1]) return scant_fail(error, SCANT_DATA, "'%s' is not an IDX file", shown);
  scant_type type;
  if (!find_type(data[2], &type))
    return scant_fail(error, SCANT_DATA, "'%s' is not an IDX file: there is no element type 0x%02x", shown, data[2]);
  size_t dimensions = data[3], start = 4 + 4 * dimensions;
  if (bytes->length < start) return scant_fail(error, SCANT_DATA, "'%s' ends in the middle of its header", shown);
  if (labels && dimensions != 1)
    return scant_fail(error, SCANT_DATA, "'%s' has %zu dimensions, and labels have 1", shown, dimensions);
  if (!labels && dimensions < 2)
    return scant_fail(error, SCANT_DATA, "'%s' has %zu dimension%s, and examples need 2 or more%s", shown, dimensions,
                      dimensions == 1 ? "" : "s", dimensions == 1 ? " (are these labels?)" : "");
  size_t rows = read_size(data + 4), columns = 1, size = scant_type_size(type);
  int fits = 1;
  for (size_t i = 1; i < dimensions && fits; i++) fits = multiply(&columns, read_size(data + 4 + 4 * i));
  size_t length = size;
  fits = fits && multiply(&length, columns) && multiply(&length, rows);
  if (!fits || bytes->length - start < length)
    return scant_fail(error, SCANT_DATA, "'%s' is shorter than its header says: it is cut short, or not an IDX file",
                      shown);
  if (bytes->length - start > length)
    return scant_fail(error, SCANT_DATA, "'%s' is longer than its header says: it holds %zu bytes too many", shown,
                      bytes->length - start - length);
  *table = (scant_strided){.type = type,
                           .swapped = !scant_machine_is_big_endian(),
                           .data = data + start,
                           .rows = rows,
                           .columns = columns,
                           .row_stride = (ptrdiff_t)(columns * size),
                           .column_stride = (ptrdiff_t)size};
  return SCANT_OK;
}

scant_status scant_idx_open(scant_source **source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error) {
  return scant_strided_open(source, path, parse_idx, SCANT_GZIP_INFLATE, settings, classes, need, error);
}
