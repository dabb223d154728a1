/* IDX, the format of MNIST: 0 0 TYPE DIMENSIONS, the sizes of the dimensions, the elements; all big-endian.  The first
 * dimension counts the examples, the others together are an example's attributes. */
#include "scant_base.h"
#include "data/sentence.h"
#include "data/memory/in_memory.h"

#include <string.h>

static int find_type(unsigned char code, scant_type *type) {
  static const struct {
    unsigned char code;
    scant_type type;
  } types[] = {{0x08, SCANT_UINT8}, {0x09, SCANT_INT8},    {0x0b, SCANT_INT16},
               {0x0c, SCANT_INT32}, {0x0d, SCANT_FLOAT32}, {0x0e, SCANT_FLOAT64}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (types[i].code == code) return *type = types[i].type, 1;
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

/* Where the elements begin, and their type. */
static scant_status read_head(const unsigned char *data, size_t length, const char *path, scant_type *type,
                              size_t *start, scant_error *error) {
  const char *shown = scant_path_show(path);
  if (length < 4 || data[0] || data[1]) return scant_fail(error, SCANT_DATA, "'%s' is not an IDX file", shown);
  if (!find_type(data[2], type))
    return scant_fail(error, SCANT_DATA, "'%s' is not an IDX file: there is no element type 0x%02x", shown, data[2]);
  *start = 4 + 4 * (size_t)data[3];
  return SCANT_OK;
}

/* How many bytes the sizes in the header make; 0 if that is too much for this machine. */
static int find_length(const unsigned char *data, scant_type type, size_t *columns, size_t *length) {
  int fits = 1;
  *columns = 1;
  for (size_t i = 1; i < data[3] && fits; i++) fits = multiply(columns, read_size(data + 4 + 4 * i));
  *length = scant_type_size(type);
  return fits && multiply(length, *columns) && multiply(length, read_size(data + 4));
}

/* The header says how long the file is: no more is inflated. */
static scant_status watch_idx(const char *data, size_t length, size_t fresh, size_t *mark, const char *path,
                              scant_error *error) {
  (void)fresh, (void)mark;
  const unsigned char *head = (const unsigned char *)data;
  scant_type type;
  size_t start, columns, wanted;
  if (length < 4) return SCANT_OK;
  SCANT_TRY(read_head(head, length, path, &type, &start, error));
  if (!data[3])
    return scant_fail(error, SCANT_DATA, "'%s' has 0 dimensions, and examples need 2 or more", scant_path_show(path));
  if (length < start) return SCANT_OK;
  if (!find_length(head, type, &columns, &wanted) || length - start <= wanted) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "'%s' is longer than its header says", scant_path_show(path));
}

static const scant_bytes_kind idx_file = {.watch = watch_idx};

static scant_status parse_idx(scant_strided *table, const scant_bytes *bytes, int labels, const char *path,
                              scant_error *error) {
  const char *shown = scant_path_show(path);
  const unsigned char *data = (const unsigned char *)bytes->data;
  scant_type type;
  size_t start, columns, length;
  SCANT_TRY(read_head(data, bytes->length, path, &type, &start, error));
  size_t dimensions = data[3];
  if (bytes->length < start) return scant_fail(error, SCANT_DATA, "'%s' ends in the middle of its header", shown);
  if (labels && dimensions != 1)
    return scant_fail(error, SCANT_DATA, "'%s' has %zu dimensions, and labels have 1", shown, dimensions);
  if (!labels && dimensions < 2)
    return scant_fail(error, SCANT_DATA, "'%s' has %zu dimension%s, and examples need 2 or more%s", shown, dimensions,
                      dimensions == 1 ? "" : "s", dimensions == 1 ? " (are these labels?)" : "");
  size_t rows = read_size(data + 4), size = scant_type_size(type);
  int fits = find_length(data, type, &columns, &length);
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

scant_status scant_idx_open(scant_source *source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error) {
  return scant_strided_file_open(source, path, parse_idx, &idx_file, settings, classes, need, error);
}
