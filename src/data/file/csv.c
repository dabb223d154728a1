/* CSV as RFC 4180 has it: commas, fields in quotes that may hold commas, line
 * ends and doubled quotes, a header, LF or CRLF.
 *
 * Opening walks the file once: it checks the structure, converts the targets,
 * and keeps where each row begins.  Reading walks one row up to the last field
 * asked for, and converts only the fields asked for.
 *
 * Rows without quotes, mostly all, are walked by counting commas (csv_line.h);
 * rows with quotes and the header are cut field by field (csv_field.h).
 */
#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/file/bytes.h"
#include "data/file/csv_field.h"
#include "data/file/csv_line.h"
#include "data/file/ascending.h"
#include "data/sentence.h"
#include "data/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TARGET SIZE_MAX
#define WHOLE_ROW (SIZE_MAX - 1)
/* A bit beside the place where a row begins: the row has quotes.  No file is so long that the place needs this bit. */
#define HAS_QUOTES (SIZE_MAX ^ SIZE_MAX >> 1)

/* About as many as a processor fetches at once. */
enum { ANNOUNCED = 16 };

typedef struct csv_source {
  scant_bytes bytes;
  scant_csv_text text;
  const char *begin, *end; /* without byte order mark and blank lines at the end */
  size_t *rows;            /* where each begins, from bytes.data, and HAS_QUOTES */
  size_t capacity, count;
  size_t fields; /* of every row */
  size_t target; /* its field, or NO_TARGET */
  int has_header;
  int nul;          /* a NUL byte was met */
  size_t *unvalued; /* while opening: fields without a value so far, increasing */
  size_t unvalued_count;
  const scant_source *source; /* for its names */
  scant_order order;
} csv_source;

/* ---- structure ------------------------------------------------------------ */

static scant_status fail_structure(const csv_source *csv, scant_csv_stop stop, const char *at, scant_error *error) {
  return scant_fail(error, SCANT_DATA, "%s, line %zu: %s", csv->source->title, scant_line_count(csv->bytes.data, at),
                    scant_csv_sentence(stop));
}

static const char *begin_of(const csv_source *csv, size_t row) {
  return csv->bytes.data + (csv->rows[row] & ~HAS_QUOTES);
}

/* Behind its line feed, or at the end of the file. */
static const char *end_of(const csv_source *csv, size_t row) {
  return row + 1 < csv->count ? begin_of(csv, row + 1) : csv->end;
}

/* ---- the kind of source ---------------------------------------------------- */

static size_t field_of(const csv_source *csv, uint32_t attribute) {
  return (size_t)attribute + (attribute >= csv->target);
}

/* "data.csv, line 7, column 'TSH'", or its number where there are no names. */
static void describe(const csv_source *csv, size_t row, size_t field, char *text, size_t size) {
  const scant_source *source = csv->source;
  size_t line = scant_line_count(csv->bytes.data, begin_of(csv, row));
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

static scant_status convert(csv_source *csv, size_t row, uint32_t attribute, const scant_csv_field *field,
                            double *value, scant_error *error) {
  if (scant_parse_real(field->text, field->length, value)) return SCANT_OK;
  if (scant_field_is_empty(field->text, field->length)) return *value = NAN, SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  csv_where(csv, row, attribute, where, sizeof where);
  return scant_field_refuse(where, field->text, field->length, error);
}

/* Every row was whole when the file was opened. */
static scant_status fail_changed(const csv_source *csv, scant_error *error) {
  return scant_fail(error, SCANT_IO, "'%s' was changed while it was in use", csv->source->title);
}

static scant_status read_plain(csv_source *csv, size_t row, size_t count, double *values, scant_error *error) {
  scant_csv_walk walk = scant_csv_walk_begin(&csv->text, begin_of(csv, row), end_of(csv, row));
  scant_csv_field field;
  for (size_t i = 0; i < count && i < ANNOUNCED; i++)
    scant_csv_walk_announce(&walk, field_of(csv, scant_order_attribute(&csv->order, i)));
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(&csv->order, i);
    if (!scant_csv_walk_to(&walk, field_of(csv, attribute), &field)) return fail_changed(csv, error);
    SCANT_TRY(convert(csv, row, attribute, &field, &values[scant_order_place(&csv->order, i)], error));
  }
  return SCANT_OK;
}

static scant_status read_quoted(csv_source *csv, size_t row, size_t count, double *values, scant_error *error) {
  const char *cursor = begin_of(csv, row);
  scant_csv_field field = {cursor, 0, 0};
  scant_csv_stop stop = SCANT_CSV_COMMA;
  size_t next = 0; /* fields behind the cursor */
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(&csv->order, i);
    for (size_t wanted = field_of(csv, attribute); next <= wanted; next++) {
      if (stop != SCANT_CSV_COMMA) return fail_changed(csv, error);
      stop = scant_csv_cut(&cursor, csv->end, &field);
    }
    SCANT_TRY(convert(csv, row, attribute, &field, &values[scant_order_place(&csv->order, i)], error));
  }
  return SCANT_OK;
}

static scant_status csv_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                             scant_error *error) {
  csv_source *csv = self;
  if (!scant_order_sort(&csv->order, count, attributes)) return scant_fail_memory(error);
  const char *begin = begin_of(csv, row);
  scant_bytes_touch(&csv->bytes, begin, (size_t)(end_of(csv, row) - begin));
  if (csv->rows[row] & HAS_QUOTES) return read_quoted(csv, row, count, values, error);
  return read_plain(csv, row, count, values, error);
}

static void csv_free(void *self) {
  csv_source *csv = self;
  scant_bytes_close(&csv->bytes);
  free(csv->rows);
  free(csv->unvalued);
  scant_csv_text_close(&csv->text);
  scant_order_free(&csv->order);
  free(csv);
}

static const scant_source_kind csv_kind = {csv_read, csv_where, csv_free, NULL};

/* ---- opening ---------------------------------------------------------------- */

/* A NUL byte is reported before any other fault. */
static scant_status refuse_nul(const csv_source *csv, scant_error *error) {
  const char *data = csv->bytes.data, *nul = memchr(data, 0, csv->bytes.length);
  if (!nul) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s, line %zu: a NUL byte, which no CSV file holds (is it binary, or UTF-16?)",
                    csv->source->title, scant_line_count(data, nul));
}

static void note_nul(csv_source *csv, const char *begin, const char *end) {
  if (memchr(begin, 0, (size_t)(end - begin))) csv->nul = 1;
}

/* Leaves out a byte order mark and blank lines at the end: they are not data. */
static scant_status find_ends(csv_source *csv, scant_error *error) {
  const char *data = csv->bytes.data, *end = data + csv->bytes.length;
  csv->begin = data;
  if (csv->bytes.length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) csv->begin += 3;
  const char *last = end;
  while (last > csv->begin && strchr(" \t\r\n", last[-1])) last--;
  if (last == csv->begin) return scant_fail(error, SCANT_DATA, "'%s' is empty", csv->source->title);
  const char *newline = memchr(last, '\n', (size_t)(end - last));
  csv->end = newline ? newline + 1 : end;
  note_nul(csv, csv->end, end);
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
                      "the first line of '%s' holds only numbers: give option header no if it is an "
                      "example, or option header yes if these are names",
                      source->title);
  note_nul(csv, *cursor, c);
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
  /* A longer label is neither a class nor a number, with or without its quotes. */
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

/* Is the field not empty?  Text that is no number is reported when it is bought. */
static int is_value(const scant_csv_field *field) {
  double value;
  if (scant_field_is_empty(field->text, field->length)) return 0;
  return !scant_parse_real(field->text, field->length, &value) || !isnan(value);
}

/* At first no field but the target has had a value. */
static int begin_values(csv_source *csv, scant_source *source) {
  source->valued = scant_array(source->columns, sizeof *source->valued);
  csv->unvalued = scant_array(csv->fields, sizeof *csv->unvalued);
  if (!source->valued || !csv->unvalued) return 0;
  for (size_t i = 0; i < csv->fields; i++)
    if (i != csv->target) csv->unvalued[csv->unvalued_count++] = i;
  return 1;
}

/* Looks into the last row for values in the columns that have had none. */
static void note_values(csv_source *csv, scant_source *source, const char *end) {
  size_t row = csv->count - 1, left = 0, next = 0;
  const char *cursor = begin_of(csv, row);
  scant_csv_walk walk = scant_csv_walk_begin(&csv->text, cursor, end);
  scant_csv_field field = {cursor, 0, 0};
  for (size_t i = 0; i < csv->unvalued_count; i++) {
    size_t wanted = csv->unvalued[i];
    if (csv->rows[row] & HAS_QUOTES)
      for (; next <= wanted; next++) (void)scant_csv_cut(&cursor, end, &field);
    else
      (void)scant_csv_walk_to(&walk, wanted, &field);
    if (is_value(&field))
      source->valued[wanted - (wanted > csv->target)] = 1;
    else
      csv->unvalued[left++] = wanted;
  }
  csv->unvalued_count = left;
}

/* The target of a row without quotes that ends at `end`. */
static void cut_target(const csv_source *csv, const char *row, const char *end, scant_csv_field *target) {
  scant_csv_walk walk = scant_csv_walk_begin(&csv->text, row, end);
  if (csv->target + 1 == csv->fields) { /* the usual case: the target is nearer to the end */
    walk.cursor = end;
    walk.field = csv->target;
    while (walk.cursor > row && walk.cursor[-1] != ',') walk.cursor--;
  }
  (void)scant_csv_walk_to(&walk, csv->target, target);
}

/* Checks the row at the cursor and cuts its target; the cursor is behind it then. */
static scant_status check_row(csv_source *csv, const char **cursor, scant_csv_field *target, scant_error *error) {
  const char *row = *cursor;
  size_t fields = 0;
  scant_csv_line line;
  scant_csv_survey(&csv->text, row, csv->end, &line);
  if (!line.quotes) {
    csv->nul |= line.nul;
    fields = line.commas + 1;
    *cursor = line.end < csv->end ? line.end + 1 : line.end;
    if (fields == csv->fields && csv->target != NO_TARGET) cut_target(csv, row, line.end, target);
  } else {
    csv->rows[csv->count - 1] |= HAS_QUOTES;
    for (scant_csv_stop stop = SCANT_CSV_COMMA; stop == SCANT_CSV_COMMA; fields++) {
      const char *at = *cursor;
      scant_csv_field field;
      stop = scant_csv_cut(cursor, csv->end, &field);
      if (stop > SCANT_CSV_LINE_END)
        return fail_structure(csv, stop, stop == SCANT_CSV_OPEN_QUOTE ? at : *cursor, error);
      if (fields == csv->target) *target = field;
    }
    note_nul(csv, row, *cursor);
  }
  if (fields == csv->fields) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s, line %zu: the row has %zu field%s, but the %s has %zu", csv->source->title,
                    scant_line_count(csv->bytes.data, row), fields, fields == 1 ? "" : "s",
                    csv->has_header ? "header" : "first row", csv->fields);
}

static scant_status read_structure(csv_source *csv, scant_source *source, const char *cursor, scant_labels *labels,
                                   scant_error *error) {
  if (!begin_values(csv, source) || !scant_csv_text_open(&csv->text, csv->bytes.data, csv->bytes.length))
    return scant_fail_memory(error);
  while (cursor < csv->end) {
    const char *row = cursor;
    if (!scant_grow(&csv->rows, &csv->capacity, csv->count + 1, sizeof *csv->rows)) return scant_fail_memory(error);
    csv->rows[csv->count++] = (size_t)(row - csv->bytes.data);
    scant_csv_field target = {row, 0, 0};
    SCANT_TRY(check_row(csv, &cursor, &target, error));
    if (csv->unvalued_count) note_values(csv, source, cursor);
    if (csv->target != NO_TARGET) SCANT_TRY(take_target(csv, labels, &target, error));
    scant_bytes_touch(&csv->bytes, row, (size_t)(cursor - row));
  }
  free(csv->unvalued);
  csv->unvalued = NULL;
  if (!csv->count) return scant_fail(error, SCANT_DATA, "'%s' has a header and no rows", csv->source->title);
  return SCANT_OK;
}

static scant_status read_rows(csv_source *csv, scant_source *source, const char *path, const char *cursor,
                              const scant_classes *classes, scant_error *error) {
  scant_labels labels = {.classes = classes};
  scant_status status = read_structure(csv, source, cursor, &labels, error);
  source->rows = csv->count;
  if (!status && csv->target != NO_TARGET) status = scant_labels_finish(&labels, source, path, error);
  scant_labels_free(&labels);
  return status;
}

static scant_status read_file(csv_source *csv, scant_source *source, const char *path, const scant_settings *settings,
                              const scant_classes *classes, scant_target_need need, scant_error *error) {
  SCANT_TRY(scant_bytes_open(&csv->bytes, path, &scant_bytes_table, error));
  scant_status status = find_ends(csv, error);
  const char *cursor = csv->begin;
  if (!status) status = read_header(csv, source, settings->reading.header, &cursor, error);
  if (!status) status = choose_target(csv, source, settings->reading.target, target_asked(settings), need, error);
  if (!status) status = read_rows(csv, source, path, cursor, classes, error);
  if (status || csv->nul) SCANT_TRY(refuse_nul(csv, error));
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
  made->stored = csv->bytes.stored;
  made->thorough = 1;
  *source = made;
  return SCANT_OK;
}
