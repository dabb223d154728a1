/* CSV as RFC 4180 has it: commas, fields in quotes that may hold commas, line
 * ends and doubled quotes, a header, LF or CRLF.
 *
 * Opening walks the file once: it checks the structure, converts the targets,
 * and keeps where each row begins.  Reading walks one row up to the last field
 * asked for, and converts only the fields asked for.
 */
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/bytes.h"
#include "data/csv_field.h"
#include "data/order.h"
#include "data/sentence.h"
#include "data/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TARGET SIZE_MAX
#define WHOLE_ROW (SIZE_MAX - 1)

typedef struct csv_source {
  scant_bytes bytes;
  const char *begin, *end; /* without byte order mark and blank lines at the end */
  size_t *rows;            /* where each begins, from bytes.data */
  size_t capacity, count;
  size_t fields; /* of every row */
  size_t target; /* its field, or NO_TARGET */
  int has_header;
  const scant_source *source; /* for its names */
  scant_order order;
} csv_source;

/* ---- structure ------------------------------------------------------------ */

static scant_status fail_structure(const csv_source *csv, scant_csv_stop stop, const char *at, scant_error *error) {
  return scant_fail(error, SCANT_DATA, "%s, line %zu: %s", csv->source->title, scant_line_count(csv->bytes.data, at),
                    scant_csv_sentence(stop));
}

/* ---- the kind of source ---------------------------------------------------- */

static size_t field_of(const csv_source *csv, uint32_t attribute) {
  return (size_t)attribute + (attribute >= csv->target);
}

/* "data.csv, line 7, column 'TSH'", or its number where there are no names. */
static void describe(const csv_source *csv, size_t row, size_t field, char *text, size_t size) {
  const scant_source *source = csv->source;
  size_t line = scant_line_count(csv->bytes.data, csv->bytes.data + csv->rows[row]);
  const char *name = NULL;
  if (field == WHOLE_ROW) {
    snprintf(text, size, "%s, line %zu", source->title, line);
    return;
  }
  if (source->names) name = field == csv->target ? source->target_name : source->names[field - (field > csv->target)];
  if (name)
    snprintf(text, size, "%s, line %zu, column '%.*s'", source->title, line, scant_text_clip(name, strlen(name)), name);
  else
    snprintf(text, size, "%s, line %zu, column %zu", source->title, line, field + 1);
}

static void csv_where(void *self, size_t row, uint32_t attribute, char *text, size_t size) {
  const csv_source *csv = self;
  describe(csv, row, attribute == SCANT_WHOLE_ROW ? WHOLE_ROW : field_of(csv, attribute), text, size);
}

static scant_status csv_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                             scant_error *error) {
  csv_source *csv = self;
  if (!scant_order_sort(&csv->order, count, attributes)) return scant_fail_memory(error);
  const char *cursor = csv->bytes.data + csv->rows[row];
  scant_csv_field field = {cursor, 0, 0};
  scant_csv_stop stop = SCANT_CSV_COMMA;
  size_t next = 0; /* fields behind the cursor */
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(&csv->order, i);
    for (size_t wanted = field_of(csv, attribute); next <= wanted; next++) {
      /* Every row was whole when the file was opened. */
      if (stop != SCANT_CSV_COMMA)
        return scant_fail(error, SCANT_IO, "'%s' was changed while it was in use", csv->source->title);
      stop = scant_csv_cut(&cursor, csv->end, &field);
    }
    double *value = &values[scant_order_place(&csv->order, i)];
    if (scant_field_is_empty(field.text, field.length)) {
      *value = NAN;
    } else if (!scant_parse_real(field.text, field.length, value)) {
      char where[SCANT_WHERE_LENGTH];
      csv_where(csv, row, attribute, where, sizeof where);
      return scant_field_refuse(where, field.text, field.length, error);
    }
  }
  return SCANT_OK;
}

static void csv_free(void *self) {
  csv_source *csv = self;
  scant_bytes_close(&csv->bytes);
  free(csv->rows);
  scant_order_free(&csv->order);
  free(csv);
}

static const scant_source_kind csv_kind = {csv_read, csv_where, csv_free, NULL};

/* ---- opening ---------------------------------------------------------------- */

/* Leaves out what is not data: a byte order mark, blank lines at the end. */
static scant_status find_ends(csv_source *csv, scant_error *error) {
  const char *data = csv->bytes.data, *end = data + csv->bytes.length;
  const char *nul = memchr(data, 0, csv->bytes.length);
  if (nul)
    return scant_fail(error, SCANT_DATA, "%s, line %zu: a NUL byte, which no CSV file holds (is it binary, or UTF-16?)",
                      csv->source->title, scant_line_count(data, nul));
  csv->begin = data;
  if (csv->bytes.length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) csv->begin += 3;
  const char *last = end;
  while (last > csv->begin && strchr(" \t\r\n", last[-1])) last--;
  if (last == csv->begin) return scant_fail(error, SCANT_DATA, "'%s' is empty", csv->source->title);
  const char *newline = memchr(last, '\n', (size_t)(end - last));
  csv->end = newline ? newline + 1 : end;
  return SCANT_OK;
}

static scant_status add_name(scant_source *source, size_t *capacity, const scant_csv_field *field, scant_error *error) {
  if (!scant_grow(&source->names, capacity, source->columns + 1, sizeof *source->names))
    return scant_fail_memory(error);
  char *name = scant_copy_text(field->text, field->length);
  if (!name) return scant_fail_memory(error);
  name[scant_csv_unquote(field, name)] = 0;
  if (!scant_text_is_utf8(field->text, field->length)) { /* it could not be written into a model file */
    free(name);
    return scant_fail(error, SCANT_DATA, "%s, line 1: the name of column %zu is not UTF-8 text", source->title,
                      source->columns + 1);
  }
  source->names[source->columns++] = name;
  return SCANT_OK;
}

static scant_status check_names(const scant_source *source, scant_error *error) {
  scant_named *sorted = scant_names_sort(source->names, source->columns);
  if (!sorted) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  for (size_t i = 1; i < source->columns && !status; i++)
    if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
      status = scant_fail(error, SCANT_DATA, "'%s' calls both column %zu and column %zu '%.*s'", source->title,
                          sorted[i - 1].place + 1, sorted[i].place + 1,
                          scant_text_clip(sorted[i].name, strlen(sorted[i].name)), sorted[i].name);
  free(sorted);
  return status;
}

/* Counts the fields of the first line and takes them as names, if they are. */
static scant_status read_header(csv_source *csv, scant_source *source, int header, const char **cursor,
                                scant_error *error) {
  csv->has_header = header != SCANT_HEADER_NO;
  const char *c = *cursor;
  size_t capacity = 0;
  int all_numbers = 1;
  scant_csv_stop stop = SCANT_CSV_COMMA;
  while (stop == SCANT_CSV_COMMA) {
    const char *at = c;
    scant_csv_field field;
    double value;
    stop = scant_csv_cut(&c, csv->end, &field);
    if (stop > SCANT_CSV_LINE_END) return fail_structure(csv, stop, stop == SCANT_CSV_OPEN_QUOTE ? at : c, error);
    csv->fields++;
    if (!scant_parse_real(field.text, field.length, &value)) all_numbers = 0;
    scant_status status = csv->has_header ? add_name(source, &capacity, &field, error) : SCANT_OK;
    if (status) return status;
  }
  if (!csv->has_header) {
    source->columns = csv->fields;
    return SCANT_OK;
  }
  if (header == SCANT_HEADER_AUTO && all_numbers)
    return scant_fail(error, SCANT_DATA,
                      "the first line of '%s' holds only numbers: give --header no if it is an "
                      "example, or --header yes if these are names",
                      source->title);
  *cursor = c;
  return check_names(source, error);
}

static size_t find_target(const csv_source *csv, const char *target) {
  for (size_t i = 0; csv->has_header && i < csv->fields; i++)
    if (strcmp(csv->source->names[i], target) == 0) return i;
  uint64_t number;
  if (scant_parse_count(target, strlen(target), &number) && number >= 1 && number <= csv->fields)
    return (size_t)number - 1;
  return NO_TARGET;
}

/* A target that a model brings along may be absent; one that was asked for may
 * not. */
static int target_asked(const scant_settings *settings) {
  return scant_settings_is_given(settings, scant_option_find("target"));
}

/* Decides which column is the target, and takes it out of the attributes. */
static scant_status choose_target(csv_source *csv, scant_source *source, const char *target, int asked,
                                  scant_target_need need, scant_error *error) {
  csv->target = NO_TARGET;
  if (!target && need == SCANT_TARGET_OPTIONAL) return SCANT_OK;
  csv->target = target ? find_target(csv, target) : csv->fields - 1;
  if (target && csv->target == NO_TARGET) {
    if (need == SCANT_TARGET_OPTIONAL && !asked) return SCANT_OK;
    return scant_fail(error, SCANT_DATA, "'%s' has no column '%.*s' to be the target", source->title,
                      scant_text_clip(target, strlen(target)), target);
  }
  if (csv->fields == 1)
    return scant_fail(error, SCANT_DATA,
                      "'%s' has only one column, so that no attribute is left beside the target "
                      "(columns are separated by commas)",
                      source->title);
  source->columns--;
  if (!source->names) { /* then its number is its name */
    char number[24];
    int length = snprintf(number, sizeof number, "%zu", csv->target + 1);
    source->target_name = scant_copy_text(number, (size_t)length);
    if (!source->target_name) return scant_fail_memory(error);
  } else {
    source->target_name = source->names[csv->target];
    memmove(source->names + csv->target, source->names + csv->target + 1,
            (source->columns - csv->target) * sizeof *source->names);
  }
  return SCANT_OK;
}

/* Notes the target of the last row. */
static scant_status take_target(const csv_source *csv, scant_labels *labels, const scant_csv_field *field,
                                scant_error *error) {
  scant_csv_field label = *field;
  char text[2 * sizeof labels->classes->negative];
  /* What is longer is none of the classes, and no number, with or without its
   * quotes. */
  if (field->doubled && field->length < sizeof text) {
    label.length = scant_csv_unquote(field, text);
    label.text = text;
  }
  scant_status status = scant_labels_add(labels, csv->count - 1, label.text, label.length);
  if (status == SCANT_MEMORY) return scant_fail_memory(error);
  if (!status) return SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  describe(csv, csv->count - 1, csv->target, where, sizeof where);
  return scant_field_refuse(where, label.text, label.length, error);
}

/* Notes that a column has a value, if this field is one. */
static void note_value(const csv_source *csv, scant_source *source, size_t at, const scant_csv_field *field) {
  double value;
  if (at == csv->target || at >= csv->fields) return;
  unsigned char *valued = &source->valued[at - (at > csv->target)];
  if (*valued || scant_field_is_empty(field->text, field->length)) return;
  *valued = !scant_parse_real(field->text, field->length, &value) || !isnan(value);
}

static scant_status read_structure(csv_source *csv, scant_source *source, const char *cursor, scant_labels *labels,
                                   scant_error *error) {
  source->valued = scant_array(source->columns, sizeof *source->valued);
  if (!source->valued) return scant_fail_memory(error);
  while (cursor < csv->end) {
    const char *row = cursor;
    if (!scant_grow(&csv->rows, &csv->capacity, csv->count + 1, sizeof *csv->rows)) return scant_fail_memory(error);
    csv->rows[csv->count++] = (size_t)(row - csv->bytes.data);
    size_t fields = 0;
    scant_csv_field target = {row, 0, 0};
    for (scant_csv_stop stop = SCANT_CSV_COMMA; stop == SCANT_CSV_COMMA; fields++) {
      const char *at = cursor;
      scant_csv_field field;
      stop = scant_csv_cut(&cursor, csv->end, &field);
      if (stop > SCANT_CSV_LINE_END)
        return fail_structure(csv, stop, stop == SCANT_CSV_OPEN_QUOTE ? at : cursor, error);
      if (fields == csv->target) target = field;
      note_value(csv, source, fields, &field);
    }
    if (fields != csv->fields)
      return scant_fail(error, SCANT_DATA, "%s, line %zu: the row has %zu field%s, but the %s has %zu",
                        csv->source->title, scant_line_count(csv->bytes.data, row), fields, fields == 1 ? "" : "s",
                        csv->has_header ? "header" : "first row", csv->fields);
    scant_status status = csv->target == NO_TARGET ? SCANT_OK : take_target(csv, labels, &target, error);
    if (status) return status;
  }
  if (!csv->count) return scant_fail(error, SCANT_DATA, "'%s' has a header and no rows", csv->source->title);
  return SCANT_OK;
}

static scant_status read_file(csv_source *csv, scant_source *source, const char *path, const scant_settings *settings,
                              const scant_classes *classes, scant_target_need need, scant_error *error) {
  scant_status status = scant_bytes_open(&csv->bytes, path, SCANT_GZIP_INFLATE, error);
  if (status) return status;
  status = find_ends(csv, error);
  const char *cursor = csv->begin;
  if (!status) status = read_header(csv, source, settings->header, &cursor, error);
  if (!status) status = choose_target(csv, source, settings->target, target_asked(settings), need, error);
  if (status) return status;
  scant_labels labels = {.classes = classes};
  status = read_structure(csv, source, cursor, &labels, error);
  source->rows = csv->count;
  if (!status && csv->target != NO_TARGET) status = scant_labels_finish(&labels, source, path, error);
  scant_labels_free(&labels);
  return status;
}

scant_status scant_csv_open(scant_source **source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error) {
  csv_source *csv = scant_array(1, sizeof *csv);
  if (!csv) return scant_fail_memory(error);
  scant_source *made = scant_source_make(&csv_kind, csv, path);
  if (!made) return scant_fail_memory(error);
  csv->source = made;
  scant_status status = read_file(csv, made, path, settings, classes, need, error);
  if (status) {
    scant_source_free(made);
    return status;
  }
  made->dimension = made->columns;
  made->thorough = 1;
  *source = made;
  return SCANT_OK;
}
