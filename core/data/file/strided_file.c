#include "data/file/strided_file.h"

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
  scant_bytes bytes;
  scant_pages pages; /* without bits if the file is not mapped but read whole */
  size_t start;      /* of the elements, in the file */
  const char *title; /* of the source */
  scant_order order;
  unsigned char *window; /* of a long file: what was read of it last */
} strided_file;

/* Is so much of a row read rather than mapped?  A reader of whole rows in Fortran's order mostly goes on with
 * the next rows, which are on the same pages: then even a long file is better mapped. */
static int is_read(const strided_file *file, size_t count) {
  const scant_strided *table = &file->table;
  return file->bytes.is_long && (table->row_stride >= table->column_stride || count <= table->columns / 2);
}

/* Elements of files lie in increasing order. */
static size_t offset_of(const strided_file *file, size_t row, uint32_t attribute) {
  const scant_strided *table = &file->table;
  return file->start + row * (size_t)table->row_stride + attribute * (size_t)table->column_stride;
}

/* How many of the sorted attributes from the i-th on can be read at once, without
 * bringing in a page that holds none of them; *end is where the last one ends. */
static size_t run_length(const strided_file *file, size_t row, size_t i, size_t count, size_t size, size_t *end) {
  size_t first = offset_of(file, row, scant_order_attribute(&file->order, i)), n = 1;
  *end = first + size;
  for (; i + n < count; n++) {
    size_t next = offset_of(file, row, scant_order_attribute(&file->order, i + n));
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
static scant_status read_long(strided_file *file, size_t row, size_t count, const uint32_t *attributes, double *values,
                              scant_error *error) {
  const scant_strided *table = &file->table;
  if (!scant_order_sort(&file->order, count, attributes)) return scant_fail_memory(error);
  size_t size = scant_type_size(table->type), n = 0, end;
  scant_strided piece = {.type = table->type, .swapped = table->swapped};
  for (size_t i = 0; i < count; i += n) {
    size_t first = offset_of(file, row, scant_order_attribute(&file->order, i));
    n = run_length(file, row, i, count, size, &end);
    scant_pages_note(&file->pages, first, end - first);
    SCANT_TRY(scant_bytes_read(&file->bytes, first, end - first, file->window, file->title, error));
    for (size_t k = i; k < i + n; k++) {
      piece.data = file->window + (offset_of(file, row, scant_order_attribute(&file->order, k)) - first);
      scant_strided_gather(&piece, 0, 1, NULL, &values[scant_order_place(&file->order, k)]);
    }
  }
  return SCANT_OK;
}

static scant_status file_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                              scant_error *error) {
  strided_file *file = self;
  if (is_read(file, count)) return read_long(file, row, count, attributes, values, error);
  scant_strided_gather(&file->table, row, count, attributes, values);
  if (!file->pages.bits) return SCANT_OK;
  size_t size = scant_type_size(file->table.type);
  for (size_t i = 0; i < count; i++) {
    size_t at = offset_of(file, row, attributes[i]);
    scant_pages_note(&file->pages, at, size);
    scant_bytes_touch(&file->bytes, file->bytes.data + at, size);
  }
  return SCANT_OK;
}

/* Counted from 0, as programs that make such tables count. */
static void file_where(void *self, size_t row, uint32_t attribute, char *text, size_t size) {
  const strided_file *file = self;
  if (attribute == SCANT_WHOLE_ROW)
    snprintf(text, size, "%s, row [%zu]", file->title, row);
  else
    snprintf(text, size, "%s, element [%zu, %lu]", file->title, row, (unsigned long)attribute);
}

static void file_free(void *self) {
  strided_file *file = self;
  scant_bytes_close(&file->bytes);
  scant_pages_close(&file->pages);
  scant_order_free(&file->order);
  free(file->window);
  free(file);
}

static void file_expect(void *self, size_t row, size_t count, const uint32_t *attributes) {
  const strided_file *file = self;
  if (!file->window) scant_strided_expect(&file->table, row, count, attributes); /* a long file is not in memory */
}

static const scant_source_kind file_kind = {file_read, file_where, file_free, file_expect, NULL};

/* ---- opening ------------------------------------------------------------ */

static int note_pages(strided_file *file) {
  if (!file->bytes.mapped) return 1;
  if (!scant_pages_open(&file->pages, file->bytes.length)) return 0;
  scant_pages_note(&file->pages, 0, file->start); /* the header */
  if (file->bytes.is_long) file->window = malloc(WINDOW);
  return !file->bytes.is_long || file->window;
}

/* A source over a table that is in the bytes, which it takes, on failure too. */
static scant_status wrap(scant_source **source, const scant_strided *table, scant_bytes *bytes, const char *path,
                         scant_error *error) {
  strided_file *file = scant_array(1, sizeof *file);
  if (!file) {
    scant_bytes_close(bytes);
    return scant_fail_memory(error);
  }
  *file = (strided_file){.table = *table, .bytes = *bytes, .start = (size_t)((const char *)table->data - bytes->data)};
  if (!note_pages(file)) {
    file_free(file);
    return scant_fail_memory(error);
  }
  scant_source *made = scant_source_make(&file_kind, file, path);
  if (!made) return scant_fail_memory(error);
  file->title = made->title;
  made->rows = table->rows;
  made->columns = made->dimension = table->columns;
  made->stored = file->bytes.stored;
  if (file->pages.bits) made->pages = &file->pages;
  *source = made;
  return SCANT_OK;
}

/* Makes targets of labels, which stand in column 0. */
static scant_status take_labels(scant_source *source, const scant_strided *labels, const scant_classes *classes,
                                const char *path, scant_error *error) {
  /* One row of labels: the same gather reads them all. */
  scant_strided turned = *labels;
  turned.column_stride = labels->row_stride;
  double *targets = scant_array(labels->rows, sizeof *targets);
  signed char *sign = classes->wanted ? scant_array(labels->rows, sizeof *sign) : NULL;
  scant_status status = SCANT_OK;
  if (!targets || (classes->wanted && !sign)) {
    status = scant_fail_memory(error);
  } else {
    scant_strided_gather(&turned, 0, labels->rows, NULL, targets);
    for (size_t i = 0; i < labels->rows && !status; i++) {
      if (sign)
        sign[i] = (signed char)scant_classes_sign_number(classes, targets[i]);
      else if (!isfinite(targets[i]))
        status = scant_fail(error, SCANT_DATA, "%s, element [%zu]: %s is no target to learn from",
                            scant_path_show(path), i, isnan(targets[i]) ? "NaN" : "infinity");
    }
  }
  if (!status && sign) {
    status = scant_classes_keep(source, sign, classes, path, error);
  } else if (!status) {
    source->targets = targets;
    targets = NULL;
  }
  free(targets);
  free(sign);
  return status;
}

/* How much longer than expected a file of labels may be before inflating it stops.  Up to here the message
 * says how many labels it has. */
enum { LABELS_SPARE = 1 << 20 };

static scant_status open_labels(scant_source *source, const char *path, const char *labels_path,
                                scant_strided_parse parse, const scant_bytes_kind *kind, const scant_classes *classes,
                                scant_error *error) {
  scant_bytes bytes = {0};
  scant_bytes_kind labels_kind = *kind;
  if (!kind->in_place) labels_kind.most = LABELS_SPARE + source->rows * sizeof(double);
  SCANT_TRY(scant_bytes_open(&bytes, labels_path, &labels_kind, error));
  scant_strided labels = {0};
  scant_status status = parse(&labels, &bytes, 1, labels_path, error);
  if (!status && labels.rows != source->rows)
    status = scant_fail(error, SCANT_DATA, "'%s' has %zu labels, but '%s' has %zu examples",
                        scant_path_show(labels_path), labels.rows, scant_path_show(path), source->rows);
  if (!status) status = take_labels(source, &labels, classes, labels_path, error);
  scant_bytes_close(&bytes);
  return status;
}

scant_status scant_strided_file_open(scant_source **source, const char *path, scant_strided_parse parse,
                                     const scant_bytes_kind *kind, const scant_settings *settings,
                                     const scant_classes *classes, scant_target_need need, scant_error *error) {
  const char *shown = scant_path_show(path);
  if (!settings->reading.labels && need == SCANT_TARGET_REQUIRED)
    return scant_fail(error, SCANT_USAGE, "'%s' holds no targets: it needs option labels", shown);
  scant_bytes bytes = {0};
  SCANT_TRY(scant_bytes_open(&bytes, path, kind, error));
  scant_strided table = {0};
  scant_status status = parse(&table, &bytes, 0, path, error);
  if (!status && !table.rows) status = scant_fail(error, SCANT_DATA, "'%s' has no examples", shown);
  if (!status && !table.columns) status = scant_fail(error, SCANT_DATA, "'%s' has no attributes", shown);
  if (status) {
    scant_bytes_close(&bytes);
    return status;
  }
  if (table.row_stride > PAGE) scant_bytes_scatter(&bytes);
  scant_source *made = NULL;
  SCANT_TRY(wrap(&made, &table, &bytes, path, error));
  made->thorough = !kind->in_place;
  if (settings->reading.labels) status = open_labels(made, path, settings->reading.labels, parse, kind, classes, error);
  if (status)
    scant_source_free(made);
  else
    *source = made;
  return status;
}
