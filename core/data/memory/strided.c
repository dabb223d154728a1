#include "data/memory/strided.h"

#include "base/error.h"
#include "base/memory.h"
#include "data/sentence.h"
#include "data/file/strided_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Rows longer than this are looked at here and there rather than whole. */
enum { PAGE = 4096 };

size_t scant_type_size(scant_type type) {
  switch (type) {
    case SCANT_UINT8:
    case SCANT_INT8:
      return 1;
    case SCANT_UINT16:
    case SCANT_INT16:
      return 2;
    case SCANT_FLOAT32:
    case SCANT_UINT32:
    case SCANT_INT32:
      return 4;
    case SCANT_FLOAT64:
    case SCANT_UINT64:
    case SCANT_INT64:
      return 8;
  }
  return 0;
}

int scant_machine_is_big_endian(void) {
  const uint16_t one = 1;
  unsigned char first;
  memcpy(&first, &one, 1);
  return first == 0;
}

static inline uint16_t swap_16(uint16_t x) {
  return (uint16_t)(x << 8 | x >> 8);
}

static inline uint32_t swap_32(uint32_t x) {
  return (uint32_t)swap_16((uint16_t)(x & 0xffff)) << 16 | swap_16((uint16_t)(x >> 16));
}

static inline uint64_t swap_64(uint64_t x) {
  return (uint64_t)swap_32((uint32_t)(x & UINT32_MAX)) << 32 | swap_32((uint32_t)(x >> 32));
}

/* The type is chosen outside the loop; elements go through a word of their
 * size because they may lie at any address and in either byte order. */
#define GATHER_WITH(element_type, word_type, swap)                                                         \
  for (size_t i = 0; i < count; i++) {                                                                     \
    word_type word;                                                                                        \
    element_type element;                                                                                  \
    memcpy(&word, base + (ptrdiff_t)(attributes ? attributes[i] : i) * table->column_stride, sizeof word); \
    word = swap(word);                                                                                     \
    memcpy(&element, &word, sizeof element);                                                               \
    values[i] = (double)element;                                                                           \
  }

#define GATHER(element_type, word_type, swap)  \
  if (table->swapped) {                        \
    GATHER_WITH(element_type, word_type, swap) \
  } else {                                     \
    GATHER_WITH(element_type, word_type, )     \
  }                                            \
  break;

void scant_strided_gather(const scant_strided *table, size_t row, size_t count, const uint32_t *attributes,
                          double *values) {
  const unsigned char *base = table->data + (ptrdiff_t)row * table->row_stride;
  switch (table->type) {
    case SCANT_FLOAT64:
      GATHER(double, uint64_t, swap_64)
    case SCANT_FLOAT32:
      GATHER(float, uint32_t, swap_32)
    case SCANT_UINT8:
      GATHER(uint8_t, uint8_t, )
    case SCANT_INT8:
      GATHER(int8_t, uint8_t, )
    case SCANT_UINT16:
      GATHER(uint16_t, uint16_t, swap_16)
    case SCANT_INT16:
      GATHER(int16_t, uint16_t, swap_16)
    case SCANT_UINT32:
      GATHER(uint32_t, uint32_t, swap_32)
    case SCANT_INT32:
      GATHER(int32_t, uint32_t, swap_32)
    case SCANT_UINT64:
      GATHER(uint64_t, uint64_t, swap_64)
    case SCANT_INT64:
      GATHER(int64_t, uint64_t, swap_64)
  }
}

/* ---- the source --------------------------------------------------------- */

typedef struct strided_source {
  scant_strided table;
  scant_strided_file file; /* zeroed for memory */
  const char *title;       /* of the source; NULL: memory */
} strided_source;

static scant_status memory_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                                scant_error *error) {
  const strided_source *strided = self;
  (void)error;
  scant_strided_gather(&strided->table, row, count, attributes, values);
  return SCANT_OK;
}

static scant_status file_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                              scant_error *error) {
  strided_source *strided = self;
  return scant_strided_file_read(&strided->file, &strided->table, strided->title, row, count, attributes, values,
                                 error);
}

/* Counted from 0, as programs that make such tables count. */
static void file_where(void *self, size_t row, uint32_t attribute, char *text, size_t size) {
  const strided_source *strided = self;
  if (attribute == SCANT_WHOLE_ROW)
    snprintf(text, size, "%s, row [%zu]", strided->title, row);
  else
    snprintf(text, size, "%s, element [%zu, %lu]", strided->title, row, (unsigned long)attribute);
}

static void strided_free(void *self) {
  strided_source *strided = self;
  scant_strided_file_close(&strided->file);
  free(strided);
}

static void strided_expect(void *self, size_t row, size_t count, const uint32_t *attributes) {
  const strided_source *strided = self;
  const scant_strided *table = &strided->table;
  const unsigned char *base = table->data + (ptrdiff_t)row * table->row_stride;
  if (strided->file.window) return; /* a long file is not in memory */
  for (size_t i = 0; i < count; i++) __builtin_prefetch(base + (ptrdiff_t)attributes[i] * table->column_stride);
}

static const scant_source_kind memory_kind = {memory_read, NULL, strided_free, strided_expect, NULL};
static const scant_source_kind file_kind = {file_read, file_where, strided_free, strided_expect, NULL};

scant_status scant_strided_wrap(scant_source **source, const scant_strided *table, scant_bytes *bytes, const char *path,
                                scant_error *error) {
  strided_source *strided = scant_array(1, sizeof *strided);
  if (!strided) {
    if (bytes) scant_bytes_close(bytes);
    return scant_fail_memory(error);
  }
  strided->table = *table;
  if (bytes && !scant_strided_file_open(&strided->file, table, bytes)) {
    strided_free(strided);
    return scant_fail_memory(error);
  }
  const scant_strided_file *file = &strided->file;
  scant_source *made = scant_source_make(bytes ? &file_kind : &memory_kind, strided, path);
  if (!made) return scant_fail_memory(error);
  strided->title = made->title;
  made->rows = table->rows;
  made->columns = made->dimension = table->columns;
  made->stored = file->bytes.stored;
  if (file->pages.bits) made->pages = &file->pages;
  *source = made;
  return SCANT_OK;
}

/* ---- files of examples and of labels ------------------------------------ */

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
  scant_status status = scant_bytes_open(&bytes, labels_path, &labels_kind, error);
  if (status) return status;
  scant_strided labels = {0};
  status = parse(&labels, &bytes, 1, labels_path, error);
  if (!status && labels.rows != source->rows)
    status = scant_fail(error, SCANT_DATA, "'%s' has %zu labels, but '%s' has %zu examples",
                        scant_path_show(labels_path), labels.rows, scant_path_show(path), source->rows);
  if (!status) status = take_labels(source, &labels, classes, labels_path, error);
  scant_bytes_close(&bytes);
  return status;
}

scant_status scant_strided_open(scant_source **source, const char *path, scant_strided_parse parse,
                                const scant_bytes_kind *kind, const scant_settings *settings,
                                const scant_classes *classes, scant_target_need need, scant_error *error) {
  const char *shown = scant_path_show(path);
  if (!settings->reading.labels && need == SCANT_TARGET_REQUIRED)
    return scant_fail(error, SCANT_USAGE, "'%s' holds no targets: it needs option labels", shown);
  scant_bytes bytes = {0};
  scant_status status = scant_bytes_open(&bytes, path, kind, error);
  if (status) return status;
  scant_strided table = {0};
  status = parse(&table, &bytes, 0, path, error);
  if (!status && !table.rows) status = scant_fail(error, SCANT_DATA, "'%s' has no examples", shown);
  if (!status && !table.columns) status = scant_fail(error, SCANT_DATA, "'%s' has no attributes", shown);
  if (status) {
    scant_bytes_close(&bytes);
    return status;
  }
  if (table.row_stride > PAGE) scant_bytes_scatter(&bytes);
  scant_source *made = NULL;
  status = scant_strided_wrap(&made, &table, &bytes, path, error);
  if (!made) return status;
  made->thorough = !kind->in_place;
  if (settings->reading.labels) status = open_labels(made, path, settings->reading.labels, parse, kind, classes, error);
  if (status)
    scant_source_free(made);
  else
    *source = made;
  return status;
}
