#include "data/file/strided_file.h"

#include "base/error.h"

#include <stdlib.h>

/* The most that is read of a long file at once; no element is so long. */
enum { WINDOW = 1 << 16 };

/* Is so much of a row read rather than mapped?  A reader of whole rows in Fortran's order mostly goes on with
 * the next rows, which are on the same pages: then even a long file is better mapped. */
static int is_read(const scant_strided_file *file, const scant_strided *table, size_t count) {
  return file->bytes.is_long && (table->row_stride >= table->column_stride || count <= table->columns / 2);
}

int scant_strided_file_open(scant_strided_file *file, const scant_strided *table, scant_bytes *bytes) {
  *file = (scant_strided_file){.bytes = *bytes, .start = (size_t)((const char *)table->data - bytes->data)};
  *bytes = (scant_bytes){0};
  if (!file->bytes.mapped) return 1;
  if (!scant_pages_open(&file->pages, file->bytes.length)) return 0;
  scant_pages_note(&file->pages, 0, file->start); /* the header */
  if (file->bytes.is_long) file->window = malloc(WINDOW);
  return !file->bytes.is_long || file->window;
}

void scant_strided_file_close(scant_strided_file *file) {
  scant_bytes_close(&file->bytes);
  scant_pages_close(&file->pages);
  scant_order_free(&file->order);
  free(file->window);
  file->window = NULL;
}

/* Elements of files lie in increasing order. */
static size_t offset_of(const scant_strided_file *file, const scant_strided *table, size_t row, uint32_t attribute) {
  return file->start + row * (size_t)table->row_stride + attribute * (size_t)table->column_stride;
}

/* How many of the sorted attributes from the i-th on can be read at once, without
 * bringing in a page that holds none of them; *end is where the last one ends. */
static size_t run_length(const scant_strided_file *file, const scant_strided *table, size_t row, size_t i, size_t count,
                         size_t size, size_t *end) {
  size_t first = offset_of(file, table, row, scant_order_attribute(&file->order, i)), n = 1;
  *end = first + size;
  for (; i + n < count; n++) {
    size_t next = offset_of(file, table, row, scant_order_attribute(&file->order, i + n));
    if (scant_pages_at(&file->pages, next) > scant_pages_at(&file->pages, *end - 1) + 1) break;
    if (next + size - first > WINDOW) break;
    *end = next + size;
  }
  return n;
}

/* For a file that is longer than what may stay in memory.  Copying an element out
 * of the system's cache takes half the time of mapping its page, which would be
 * let go of before it is looked at again (0.5 against 1.0 microseconds), and
 * leaves no page that counts as memory of the process. */
static scant_status read_long(scant_strided_file *file, const scant_strided *table, const char *path, size_t row,
                              size_t count, const uint32_t *attributes, double *values, scant_error *error) {
  if (!scant_order_sort(&file->order, count, attributes)) return scant_fail_memory(error);
  size_t size = scant_type_size(table->type), n = 0, end;
  scant_strided piece = {.type = table->type, .swapped = table->swapped};
  for (size_t i = 0; i < count; i += n) {
    size_t first = offset_of(file, table, row, scant_order_attribute(&file->order, i));
    n = run_length(file, table, row, i, count, size, &end);
    scant_pages_note(&file->pages, first, end - first);
    SCANT_TRY(scant_bytes_read(&file->bytes, first, end - first, file->window, path, error));
    for (size_t k = i; k < i + n; k++) {
      piece.data = file->window + (offset_of(file, table, row, scant_order_attribute(&file->order, k)) - first);
      scant_strided_gather(&piece, 0, 1, NULL, &values[scant_order_place(&file->order, k)]);
    }
  }
  return SCANT_OK;
}

scant_status scant_strided_file_read(scant_strided_file *file, const scant_strided *table, const char *path, size_t row,
                                     size_t count, const uint32_t *attributes, double *values, scant_error *error) {
  if (is_read(file, table, count)) return read_long(file, table, path, row, count, attributes, values, error);
  scant_strided_gather(table, row, count, attributes, values);
  if (!file->pages.bits) return SCANT_OK;
  size_t size = scant_type_size(table->type);
  for (size_t i = 0; i < count; i++) {
    size_t at = offset_of(file, table, row, attributes[i]);
    scant_pages_note(&file->pages, at, size);
    scant_bytes_touch(&file->bytes, file->bytes.data + at, size);
  }
  return SCANT_OK;
}
