/* Tables of elements of one type that are files, with files of labels: NPY and IDX.  Looks note the pages that they
 * bring in. */
#include "data/memory/in_memory.h"

#include "scant_base.h"
#include "data/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows longer than this are looked at here and there rather than whole. */
enum { PAGE = 4096 };

/* The most that is read of a long file at once; no element is so long. */
enum { WINDOW = 1 << 16 };

typedef struct strided_file {
  scant_strided table;
  size_t start;          /* of the elements, in the file */
  unsigned char *window; /* of a long file: the part of it that was read last */
} strided_file;

/* Is so much of a row read rather than mapped?  A reader of whole rows in Fortran's order mostly goes on with the next
 * rows, which are on the same pages: then even a long file is better mapped. */
static int is_read(const strided_file *file, size_t count) {
  const scant_strided *table = &file->table;
  return file->window && (table->row_stride >= table->column_stride || count <= table->columns / 2);
}

/* Elements of files lie in increasing order. */
static size_t offset_of(const strided_file *file, size_t row, uint32_t attribute) {
  const scant_strided *table = &file->table;
  return file->start + row * (size_t)table->row_stride + attribute * (size_t)table->column_stride;
}

/* How many of the sorted attributes from the i-th on can be read at once, without bringing in a page that holds none of
 * them; *end is where the last one ends. */
static size_t run_length(const scant_source *source, size_t row, size_t i, size_t count, size_t *end) {
  const strided_file *file = source->self;
  size_t size = scant_type_size(file->table.type), n = 1;
  size_t first = offset_of(file, row, scant_order_attribute(&source->order, i));
  *end = first + size;
  for (; i + n < count; n++) {
    size_t next = offset_of(file, row, scant_order_attribute(&source->order, i + n));
    if (scant_pages_at(&source->pages, next) > scant_pages_at(&source->pages, *end - 1) + 1) break;
    if (next + size - first > WINDOW) break;
    *end = next + size;
  }
  return n;
}

/* For a file that is longer than what may stay in memory.  Copying an element out of the system's cache takes half the
 * time of mapping its page, which would be let go of before it is looked at again (0.5 against 1.0 microseconds), and
 * leaves no page that counts as memory of the process. */
static scant_status read_long(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                              double *values, scant_error *error) {
  const strided_file *file = source->self;
  const scant_order *order = &source->order;
  if (!scant_source_sort(source, count, attributes)) return scant_fail_memory(error);
  size_t n = 0, end;
  scant_strided piece = {.type = file->table.type, .swapped = file->table.swapped};
  for (size_t i = 0; i < count; i += n) {
    size_t first = offset_of(file, row, scant_order_attribute(order, i));
    n = run_length(source, row, i, count, &end);
    scant_pages_note(&source->pages, first, end - first);
    SCANT_TRY(scant_bytes_read(&source->bytes, first, end - first, file->window, source->title, error));
    for (size_t k = i; k < i + n; k++) {
      piece.data = file->window + (offset_of(file, row, scant_order_attribute(order, k)) - first);
      scant_strided_gather(&piece, 0, 1, NULL, &values[scant_order_place(order, k)]);
    }
  }
  return SCANT_OK;
}

static scant_status file_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                              double *values, scant_error *error) {
  const strided_file *file = source->self;
  if (is_read(file, count)) return read_long(source, row, count, attributes, values, error);
  scant_strided_gather(&file->table, row, count, attributes, values);
  if (!source->pages.bits) return SCANT_OK;
  size_t size = scant_type_size(file->table.type);
  for (size_t i = 0; i < count; i++) {
    size_t at = offset_of(file, row, attributes[i]);
    scant_pages_note(&source->pages, at, size);
    scant_bytes_touch(&source->bytes, source->bytes.data + at, size);
  }
  return SCANT_OK;
}

/* Counted from 0, as programs that make such tables count. */
static void file_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size) {
  if (attribute == SCANT_WHOLE_ROW)
    snprintf(text, size, "%s, row [%zu]", source->title, row);
  else
    snprintf(text, size, "%s, element [%zu, %lu]", source->title, row, (unsigned long)attribute);
}

static void file_free(void *self) {
  strided_file *file = self;
  free(file->window);
  free(file);
}

static void file_expect(const scant_source *source, size_t row, size_t count, const uint32_t *attributes) {
  const strided_file *file = source->self;
  if (!file->window) scant_strided_expect(&file->table, row, count, attributes); /* a long file is not in memory */
}

static const scant_source_kind file_kind = {file_read, file_where, file_free, file_expect, NULL};

/* ---- opening ------------------------------------------------------------ */

/* Gives the source a table that is in its bytes. */
static scant_status take_table(scant_source *source, const scant_strided *table, scant_error *error) {
  strided_file *file = source->self = scant_array(1, sizeof *file);
  if (!file) return scant_fail_memory(error);
  source->kind = &file_kind;
  source->rows = table->rows;
  source->columns = source->dimension = table->columns;
  file->table = *table;
  file->start = (size_t)((const char *)table->data - source->bytes.data);
  if (!source->bytes.mapped) return SCANT_OK;
  if (!scant_pages_open(&source->pages, source->bytes.length, 0)) return scant_fail_memory(error);
  scant_pages_note(&source->pages, 0, file->start); /* the header */
  if (!scant_bytes_is_long(&source->bytes)) return SCANT_OK;
  file->window = malloc(WINDOW);
  return file->window ? SCANT_OK : scant_fail_memory(error);
}

/* Makes targets of labels, which stand in column 0. */
static scant_status take_labels(scant_source *source, const scant_strided *labels, const scant_classes *classes,
                                const char *path, scant_error *error) {
  /* One row of labels: the same gather reads them all. */
  scant_strided turned = *labels;
  turned.column_stride = labels->row_stride;
  double *targets = source->targets = scant_array(labels->rows, sizeof *targets);
  if (!targets) return scant_fail_memory(error);
  scant_strided_gather(&turned, 0, labels->rows, NULL, targets);
  for (size_t i = 0; i < labels->rows; i++) {
    if (classes->wanted)
      targets[i] = scant_classes_sign_number(classes, targets[i]);
    else if (!isfinite(targets[i]))
      return scant_fail(error, SCANT_DATA, "%s, element [%zu]: %s is no target to learn from", scant_path_show(path), i,
                        isnan(targets[i]) ? "NaN" : "infinity");
  }
  return scant_classes_keep(source, classes, path, error);
}

/* How much longer than expected a file of labels may be before inflating it stops.  Up to here the message says how
 * many labels it has. */
enum { LABELS_SPARE = 1 << 20 };

static scant_status open_labels(scant_source *source, const char *labels_path, scant_strided_parse parse,
                                const scant_bytes_kind *kind, const scant_classes *classes, scant_error *error) {
  scant_bytes bytes = {0};
  scant_bytes_kind labels_kind = *kind;
  if (!kind->in_place) labels_kind.most = LABELS_SPARE + source->rows * sizeof(double);
  SCANT_TRY(scant_bytes_open(&bytes, labels_path, &labels_kind, error));
  scant_strided labels = {0};
  scant_status status = parse(&labels, &bytes, 1, labels_path, error);
  if (!status && labels.rows != source->rows)
    status = scant_fail(error, SCANT_DATA, "'%s' has %zu labels, but '%s' has %zu examples",
                        scant_path_show(labels_path), labels.rows, source->title, source->rows);
  if (!status) status = take_labels(source, &labels, classes, labels_path, error);
  scant_bytes_close(&bytes);
  return status;
}

scant_status scant_strided_file_open(scant_source *source, const char *path, scant_strided_parse parse,
                                     const scant_bytes_kind *kind, const scant_settings *settings,
                                     const scant_classes *classes, scant_target_need need, scant_error *error) {
  const char *labels = settings->reading.labels;
  scant_strided table = {0};
  if (!labels && need == SCANT_TARGET_REQUIRED)
    return scant_fail(error, SCANT_USAGE, "'%s' holds no targets: it needs option labels", source->title);
  SCANT_TRY(scant_bytes_open(&source->bytes, path, kind, error));
  SCANT_TRY(parse(&table, &source->bytes, 0, path, error));
  if (!table.rows) return scant_fail(error, SCANT_DATA, "'%s' has no examples", source->title);
  if (!table.columns) return scant_fail(error, SCANT_DATA, "'%s' has no attributes", source->title);
  if (table.row_stride > PAGE) scant_bytes_scatter(&source->bytes);
  SCANT_TRY(take_table(source, &table, error));
  if (!kind->in_place) source->digest_of = SCANT_DIGEST_CELLS;
  return labels ? open_labels(source, labels, parse, kind, classes, error) : SCANT_OK;
}
