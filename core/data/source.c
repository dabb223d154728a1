#include "data/source.h"

#include "scant_base.h"
#include "base/lanes.h"
#include "data/sentence.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ------------------------------------------------------------- */

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static int ends_with(const char *text, size_t length, const char *end) {
  size_t n = strlen(end);
  if (n > length) return 0;
  for (size_t i = 0; i < n; i++)
    if (lower(text[length - n + i]) != end[i]) return 0;
  return 1;
}

/* "train-images-idx3-ubyte" and "train-images.idx3-ubyte". */
static int is_idx_name(const char *name, size_t length) {
  for (size_t end = 4; end <= length; end++) {
    if (ends_with(name, end, "-idx")) return 1;
    if (ends_with(name, end, ".idx") && (end == length || (name[end] >= '0' && name[end] <= '9'))) return 1;
  }
  return 0;
}

static scant_format format_by_name(const char *path) {
  static const struct {
    const char *end;
    scant_format format;
  } ends[] = {{".csv", SCANT_FORMAT_CSV},         {".libsvm", SCANT_FORMAT_LIBSVM}, {".svm", SCANT_FORMAT_LIBSVM},
              {".svmlight", SCANT_FORMAT_LIBSVM}, {".txt", SCANT_FORMAT_LIBSVM},    {".npy", SCANT_FORMAT_NPY}};
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  size_t length = strlen(name);
  if (ends_with(name, length, ".gz")) length -= 3;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (ends_with(name, length, ends[i].end)) return ends[i].format;
  return is_idx_name(name, length) ? SCANT_FORMAT_IDX : SCANT_FORMAT_AUTO;
}

static const struct {
  const char *name;
  scant_opener *open;
  int has_labels; /* a file of its own holds the targets */
} formats[] = {[SCANT_FORMAT_AUTO] = {"auto", NULL, 0},
               [SCANT_FORMAT_CSV] = {"CSV", scant_csv_open, 0},
               [SCANT_FORMAT_LIBSVM] = {"LIBSVM", scant_libsvm_open, 0},
               [SCANT_FORMAT_NPY] = {"NPY", scant_npy_open, 1},
               [SCANT_FORMAT_IDX] = {"IDX", scant_idx_open, 1}};

/* An option that the format does not use is refused if it was given.  The target is not: it may come from a model that
 * is applied. */
static scant_status check_options(const scant_settings *settings, int format, const char *shown, scant_error *error) {
  static const struct {
    const char *option;
    scant_format format;
  } needs[] = {{"target", SCANT_FORMAT_CSV},       {"header", SCANT_FORMAT_CSV}, {"ignore", SCANT_FORMAT_CSV},
               {"only", SCANT_FORMAT_CSV},         {"na", SCANT_FORMAT_CSV},     {"one-hot", SCANT_FORMAT_CSV},
               {"index-base", SCANT_FORMAT_LIBSVM}};
  for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
    if (needs[i].format != (scant_format)format &&
        scant_settings_is_given(settings, scant_option_find(needs[i].option)))
      return scant_fail(error, SCANT_USAGE, "option %s is for %s files: '%s' is read as %s", needs[i].option,
                        formats[needs[i].format].name, shown, formats[format].name);
  return SCANT_OK;
}

scant_status scant_source_open(scant_source **source, const char *path, const scant_settings *settings,
                               scant_target_need need, scant_error *error) {
  const char *shown = scant_path_show(path);
  scant_classes classes;
  SCANT_TRY(scant_classes_parse(&classes, settings->reading.classes, error));
  int format = settings->reading.format == SCANT_FORMAT_AUTO ? (int)format_by_name(path) : settings->reading.format;
  if (format <= SCANT_FORMAT_AUTO && ends_with(path, strlen(path), ".parquet"))
    return scant_fail(error, SCANT_USAGE,
                      "'%s' is Parquet, which is read in Python: scant.distributed.parquet (docs/clusters.md); here "
                      "are read csv, libsvm, npy and idx",
                      shown);
  if (format <= SCANT_FORMAT_AUTO || (size_t)format >= sizeof formats / sizeof *formats)
    return scant_fail(error, SCANT_USAGE,
                      "the name of '%s' does not tell its format: give option format csv, libsvm, npy or idx", shown);
  SCANT_TRY(check_options(settings, format, shown, error));
  if (settings->reading.log_target && classes.wanted)
    return scant_fail(error, SCANT_USAGE, "log-target is for numbers: it does not go with classes");
  if (settings->reading.labels && !formats[format].has_labels)
    return scant_fail(error, SCANT_USAGE,
                      "option labels is for NPY and IDX files: '%s' is read as %s, which holds its own targets", shown,
                      formats[format].name);
  scant_source *opened = scant_array(1, sizeof *opened);
  if (!opened) return scant_fail_memory(error);
  opened->title = scant_copy_text(shown, strlen(shown));
  scant_status status = opened->title ? SCANT_OK : scant_fail_memory(error);
  if (!status) status = formats[format].open(opened, path, settings, &classes, need, error);
  if (!status && opened->columns > UINT32_MAX)
    status = scant_fail(error, SCANT_DATA, "'%s' has %zu attributes, more than %lu", shown, opened->columns,
                        (unsigned long)UINT32_MAX);
  if (!status && settings->reading.log_target) status = scant_source_log_target(opened, error);
  if (status) {
    scant_source_free(opened);
    return status;
  }
  *source = opened;
  return SCANT_OK;
}

void scant_source_free(scant_source *source) {
  if (!source) return;
  scant_names_free(source->names, source->columns);
  free(source->valued);
  free(source->target_name);
  free(source->targets);
  free(source->kept);
  free(source->starts);
  free(source->hidden);
  scant_codings_free(&source->codings);
  scant_view_free(&source->view);
  free(source->all);
  free(source->mapped);
  free(source->cells);
  free(source->title);
  free(source->order.pairs);
  scant_prices_free(source->prices);
  if (source->self) source->kind->free(source->self);
  scant_pages_close(&source->pages);
  scant_bytes_close(&source->bytes);
  free(source);
}

/* ---- accessors ----------------------------------------------------------- */

size_t scant_source_rows(const scant_source *source) {
  return source->rows;
}

size_t scant_source_dimension(const scant_source *source) {
  return source->dimension;
}

int scant_source_has_target(const scant_source *source) {
  return source->targets != NULL;
}

double scant_source_target(const scant_source *source, size_t row) {
  return source->targets && row < source->rows ? source->targets[row] : NAN;
}

const char *scant_source_name(const scant_source *source, size_t attribute) {
  const scant_view *view = &source->view;
  if (!source->names || attribute >= source->dimension) return NULL;
  if (view->labels && view->labels[attribute]) return view->labels[attribute];
  return source->names[view->column ? view->column[attribute] : attribute];
}

const char *scant_source_title(const scant_source *source) {
  return source->title ? source->title : "the table";
}

const char *scant_source_target_name(const scant_source *source) {
  return source->target_name;
}

uint64_t scant_source_bytes_read(const scant_source *source) {
  return source->pages.bits ? scant_pages_bytes(&source->pages) : source->bytes.stored;
}

/* ---- reading ------------------------------------------------------------- */

void scant_source_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size) {
  const uint32_t *columns = source->view.column;
  uint32_t column = columns && attribute != SCANT_WHOLE_ROW ? columns[attribute] : attribute; /* absent: the row */
  if (source->kept) row = source->kept[row];
  char name[SCANT_WHERE_LENGTH];
  if (source->kind->where) {
    source->kind->where(source, row, column, text, size);
  } else if (column == SCANT_WHOLE_ROW) {
    snprintf(text, size, "row %zu", row);
  } else {
    scant_name_show(name, sizeof name, "attribute", source->names ? source->names[column] : NULL, column);
    snprintf(text, size, "row %zu, %s", row, name);
  }
}

int scant_source_add_row(scant_source *source, const char *begin) {
  size_t row = source->file_rows;
  if (!scant_grow(&source->starts, &source->starts_capacity, row + 1, sizeof *source->starts)) return 0;
  source->starts[row] = (size_t)(begin - source->bytes.data);
  source->file_rows++;
  return 1;
}

scant_status scant_source_fail_changed(const scant_source *source, scant_error *error) {
  return scant_fail(error, SCANT_IO, "'%s' was changed while it was in use", source->title);
}

/* Reads through a view in which several attributes may be of one column, and some of none. */
static scant_status fetch_coded(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                double *values, scant_error *error) {
  const scant_view *view = &source->view;
  if (!scant_grow(&source->mapped, &source->mapped_capacity, count, sizeof *source->mapped) ||
      !scant_grow(&source->cells, &source->cells_capacity, count, sizeof *source->cells))
    return scant_fail_memory(error);
  size_t read = 0, at = 0;
  for (size_t i = 0; i < count; i++) {
    uint32_t column = view->column[attributes[i]];
    if (column == SCANT_ABSENT || (read && source->mapped[read - 1] == column)) continue;
    source->mapped[read++] = column;
  }
  if (read) SCANT_TRY(source->kind->read(source, row, read, source->mapped, source->cells, error));
  for (size_t i = 0; i < count; i++) {
    uint32_t column = view->column[attributes[i]], code = view->code[attributes[i]];
    if (column == SCANT_ABSENT) {
      values[i] = NAN;
      continue;
    }
    if (source->mapped[at] != column) at++;
    double cell = source->cells[at];
    values[i] = code && !isnan(cell) ? cell == code : cell;
  }
  return SCANT_OK;
}

scant_status scant_source_fetch(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                double *values, scant_error *error) {
  if (row >= source->rows)
    return scant_fail(error, SCANT_MISUSE, "there is no row %zu: the source has %zu", row, source->rows);
  uint32_t most = 0; /* the loop has no early exit, so that it can be vectorised */
  for (size_t i = 0; i < count; i++) most = attributes[i] > most ? attributes[i] : most;
  if (count && most >= source->dimension)
    return scant_fail(error, SCANT_MISUSE, "there is no attribute %lu: the source has %zu", (unsigned long)most,
                      source->dimension);
  const uint32_t *columns = attributes;
  if (source->view.code)
    return fetch_coded(source, source->kept ? source->kept[row] : row, count, attributes, values, error);
  if (source->view.column) {
    if (!scant_grow(&source->mapped, &source->mapped_capacity, count, sizeof *source->mapped))
      return scant_fail_memory(error);
    for (size_t i = 0; i < count; i++) source->mapped[i] = source->view.column[attributes[i]];
    columns = source->mapped;
  }
  if (source->kept) row = source->kept[row];
  return source->kind->read(source, row, count, columns, values, error);
}

scant_status scant_source_check(const scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                                const double *values, scant_error *error) {
  if (scant_lanes_within(count, values, DBL_MAX)) return SCANT_OK;
  size_t i = 0;
  while (i < count && !isinf(values[i])) i++;
  if (i == count) return SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  scant_source_where(source, row, attributes[i], where, sizeof where);
  return scant_fail(error, SCANT_DATA, "%s: %s can't be learned from", where,
                    values[i] > 0 ? "infinity" : "minus infinity");
}

scant_status scant_source_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes,
                               double *values, scant_error *error) {
  SCANT_TRY(scant_source_fetch(source, row, count, attributes, values, error));
  return scant_source_check(source, row, count, attributes, values, error);
}

scant_status scant_source_row(scant_source *source, size_t row, double *x, scant_error *error) {
  size_t ready = source->all_capacity;
  if (!scant_grow(&source->all, &source->all_capacity, source->dimension, sizeof *source->all))
    return scant_fail_memory(error);
  for (size_t i = ready; i < source->all_capacity; i++) source->all[i] = (uint32_t)i;
  return scant_source_read(source, row, source->dimension, source->all, x, error);
}

/* ---- columns ------------------------------------------------------------- */

scant_status scant_source_check_columns(const scant_source *source, scant_error *error) {
  const uint32_t *column = source->view.column;
  if (source->kind->check_types) SCANT_TRY(source->kind->check_types(source, error));
  for (size_t i = 0; source->valued && i < source->dimension; i++) {
    if (column && column[i] == SCANT_ABSENT) continue;
    if (source->valued[column ? column[i] : i]) continue;
    char where[SCANT_WHERE_LENGTH];
    scant_source_where(source, 0, (uint32_t)i, where, sizeof where);
    return scant_fail(error, SCANT_DATA, "%s: there is no value here, nor in any other row of the column", where);
  }
  return SCANT_OK;
}

/* ---- requests in order --------------------------------------------------------- */

/* Below this many, insertion beats the calls that qsort makes. */
enum { FEW = 32 };

static int compare_pairs(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static void insert_pairs(uint64_t *pairs, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint64_t pair = pairs[i];
    size_t j = i;
    for (; j && pairs[j - 1] > pair; j--) pairs[j] = pairs[j - 1];
    pairs[j] = pair;
  }
}

int scant_source_sort(scant_source *source, size_t count, const uint32_t *attributes) {
  scant_order *order = &source->order;
  if (count > UINT32_MAX || !scant_grow(&order->pairs, &order->capacity, count, sizeof *order->pairs)) return 0;
  int increasing = 1;
  for (size_t i = 0; i < count; i++) {
    order->pairs[i] = (uint64_t)attributes[i] << 32 | i;
    if (i && order->pairs[i] < order->pairs[i - 1]) increasing = 0;
  }
  if (increasing) return 1;
  if (count <= FEW)
    insert_pairs(order->pairs, count);
  else
    qsort(order->pairs, count, sizeof *order->pairs, compare_pairs);
  return 1;
}
