/* Opening a CSV file: its structure, its names, its targets. */
#include "scant_base.h"
#include "data/file/csv.h"
#include "data/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static scant_status fail_structure(const scant_csv *csv, scant_csv_stop stop, const char *at, scant_error *error) {
  return scant_fail(error, SCANT_DATA, "%s, line %zu: %s", csv->source->title, scant_line_count(csv->text.data, at),
                    scant_csv_sentence(stop));
}

static scant_status check_nul(const scant_csv *csv, const char *begin, const char *end, scant_error *error) {
  const char *nul = memchr(begin, 0, (size_t)(end - begin));
  if (!nul) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s, line %zu: a NUL byte, which no CSV file holds (is it binary, or UTF-16?)",
                    csv->source->title, scant_line_count(csv->text.data, nul));
}

/* Leaves out a byte order mark and blank lines at the end: they are not data. */
static scant_status find_ends(scant_csv *csv, const char **begin, scant_error *error) {
  const scant_bytes *bytes = &csv->source->bytes;
  const char *end = bytes->data + bytes->length, *last = end;
  *begin = scant_bytes_text(bytes);
  while (last > *begin && strchr(" \t\r\n", last[-1])) last--;
  if (last == *begin) return scant_fail(error, SCANT_DATA, "'%s' is empty", csv->source->title);
  const char *newline = memchr(last, '\n', (size_t)(end - last));
  csv->end = newline ? newline + 1 : end;
  return check_nul(csv, csv->end, end, error);
}

static scant_status add_name(scant_source *source, size_t *capacity, const scant_csv_field *field, scant_error *error) {
  if (!scant_text_is_utf8(field->text, field->length)) /* it could not be written into a model file */
    return scant_fail(error, SCANT_DATA, "%s, line 1: the name of column %zu is not UTF-8 text", source->title,
                      source->columns + 1);
  if (!scant_grow(&source->names, capacity, source->columns + 1, sizeof *source->names))
    return scant_fail_memory(error);
  char *name = source->names[source->columns] = scant_csv_copy(field);
  if (!name) return scant_fail_memory(error);
  source->columns++;
  return SCANT_OK;
}

static scant_status check_names(const scant_source *source, scant_error *error) {
  scant_named *sorted = scant_names_sort(source->names, source->columns);
  if (!sorted) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  size_t twice = scant_names_find_twice(sorted, source->columns);
  const scant_named *again = &sorted[twice];
  if (twice)
    status = scant_fail(error, SCANT_DATA, "'%s' calls both column %zu and column %zu '%.*s'", source->title,
                        again[-1].place + 1, again->place + 1, scant_text_clip(again->name, strlen(again->name)),
                        again->name);
  free(sorted);
  return status;
}

/* Counts the fields of the first line and takes them as names, if they are. */
static scant_status read_header(scant_csv *csv, int header, const char **cursor, scant_error *error) {
  scant_source *source = csv->source;
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
    if (header != SCANT_HEADER_NO) SCANT_TRY(add_name(source, &capacity, &field, error));
  }
  if (header == SCANT_HEADER_NO) {
    source->columns = csv->fields;
    return SCANT_OK;
  }
  if (header == SCANT_HEADER_AUTO && all_numbers)
    return scant_fail(error, SCANT_DATA,
                      "the first line of '%s' holds only numbers: give option header no if it is an example, or option "
                      "header yes if these are names",
                      source->title);
  SCANT_TRY(check_nul(csv, *cursor, c, error));
  *cursor = c;
  return check_names(source, error);
}

static size_t find_target(const scant_csv *csv, const char *target) {
  for (size_t i = 0; csv->source->names && i < csv->fields; i++)
    if (strcmp(csv->source->names[i], target) == 0) return i;
  return scant_csv_numbered(csv, target);
}

/* Decides which column is the target, and takes it out of the attributes.  A target that a model brings along may be
 * absent; one that was asked for may not. */
static scant_status choose_target(scant_csv *csv, const scant_settings *settings, scant_target_need need,
                                  scant_error *error) {
  scant_source *source = csv->source;
  const char *target = settings->reading.target;
  int asked = scant_settings_is_given(settings, scant_option_find("target"));
  csv->target = SCANT_CSV_NO_TARGET;
  if (!target && need == SCANT_TARGET_OPTIONAL) return SCANT_OK;
  csv->target = target ? find_target(csv, target) : csv->fields - 1;
  if (target && csv->target == SCANT_CSV_NO_TARGET) {
    if (need == SCANT_TARGET_OPTIONAL && !asked) return SCANT_OK;
    return scant_fail(error, SCANT_DATA, "'%s' has no column '%.*s' to be the target", source->title,
                      scant_text_clip(target, strlen(target)), target);
  }
  if (csv->fields == 1)
    return scant_fail(
        error, SCANT_DATA,
        "'%s' has only one column, so that no attribute is left beside the target (columns are separated by commas)",
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

/* ---- words that count as empty -------------------------------------------------- */

/* Cuts words that commas separate, as fields of CSV are (NULL: none).  SCANT_USAGE: a word is empty. */
static scant_status read_empty(scant_csv *csv, const char *list, scant_error *error) {
  if (!list) return SCANT_OK;
  size_t most = 1, length = 0;
  for (const char *c = list; *c; c++) most += *c == ',';
  char *at = csv->empty_text = scant_array(strlen(list) + most + 1, 1);
  csv->empty = scant_array(most, sizeof *csv->empty);
  if (!at || !csv->empty) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  const char *cursor = list;
  while (scant_list_next(&cursor, at, &length, &status)) {
    if (!length) status = SCANT_USAGE;
    double number = NAN;
    if (scant_parse_real(at, length, &number) && !isnan(number)) csv->empty_numbers = 1;
    csv->empty[csv->empty_count++] = (scant_csv_empty){at, length, number};
    at += length + 1;
  }
  if (!status) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "na is a list of words, as NA,?, and not '%.*s'",
                    scant_text_clip(list, strlen(list)), list);
}

/* ---- targets --------------------------------------------------------------------- */

enum { LABEL_MOST = 63 }; /* as long as a class can be */

/* Takes down the words of the target in the rows from `cursor` on, at most three of them; 0: not all can be classes. */
static int collect_labels(const scant_csv *csv, const char *cursor, char labels[2][LABEL_MOST + 1], size_t *count) {
  while (cursor < csv->end) {
    scant_csv_stop stop = SCANT_CSV_COMMA;
    for (size_t f = 0; stop == SCANT_CSV_COMMA; f++) {
      scant_csv_field field;
      stop = scant_csv_cut(&cursor, csv->end, &field);
      if (stop > SCANT_CSV_LINE_END) return 0;
      if (f != csv->target || scant_csv_is_empty(csv, field.text, field.length)) continue;
      const char *text = field.text;
      size_t length = field.length, i = 0;
      scant_text_trim(&text, &length);
      if (field.doubled || length > LABEL_MOST || memchr(text, ',', length)) return 0;
      while (i < *count && (strncmp(labels[i], text, length) != 0 || labels[i][length])) i++;
      if (i < *count) continue;
      if (*count == 2) return 0;
      memcpy(labels[i], text, length);
      ++*count;
    }
  }
  return 1;
}

/* SCANT_DATA about the last row, whose target `text` is no number.  If the whole column holds two words, the sentence
 * says that they can be classes. */
static scant_status refuse_target(const scant_csv *csv, const char *text, size_t length, scant_error *error) {
  char where[SCANT_WHERE_LENGTH];
  char labels[2][LABEL_MOST + 1] = {"", ""};
  size_t count = 0;
  double value;
  scant_csv_where(csv, csv->source->file_rows - 1, csv->target, where, sizeof where);
  if (scant_field_is_empty(text, length))
    return scant_fail(error, SCANT_DATA,
                      "%s: the field is empty, and nothing is learned without a target: leave such rows out", where);
  if (scant_csv_is_empty(csv, text, length) || scant_parse_real(text, length, &value) ||
      !collect_labels(csv, scant_csv_row_begin(csv, 0), labels, &count) || count != 2)
    return scant_field_refuse(where, text, length, error);
  int turned = strcmp(labels[0], labels[1]) > 0;
  return scant_fail(
      error, SCANT_DATA,
      "%s: '%.*s' is not a number; the target holds two words: give option classes %s,%s to learn them as -1 and +1",
      where, scant_text_clip(text, length), text, labels[turned], labels[!turned]);
}

/* Takes the target of the last row. */
static scant_status take_target(scant_csv *csv, const scant_classes *classes, const scant_csv_field *field,
                                scant_error *error) {
  scant_csv_field target = *field;
  char text[2 * sizeof classes->negative];
  /* A longer label is neither a class nor a number, with or without its quotes. */
  if (field->doubled && field->length < sizeof text) {
    target.length = scant_csv_unquote(field, text);
    target.text = text;
  }
  size_t row = csv->source->file_rows - 1;
  scant_status status = scant_classes_add(csv->source, classes, row, target.text, target.length, error);
  return status == SCANT_DATA ? refuse_target(csv, target.text, target.length, error) : status;
}

/* ---- columns without a value ----------------------------------------------------- */

/* Is the field not empty?  Text that is no number is reported when it is bought. */
static int is_value(const scant_csv *csv, const scant_csv_field *field) {
  double value;
  if (scant_csv_is_empty(csv, field->text, field->length)) return 0;
  return !scant_parse_real(field->text, field->length, &value) || !isnan(value);
}

/* Looks into the last row for values in the columns that have had none. */
static void note_values(scant_csv *csv, const char *end) {
  size_t left = 0;
  scant_csv_cells cells = scant_csv_cells_begin(csv, csv->source->file_rows - 1, end);
  for (size_t i = 0; i < csv->unvalued_count; i++) {
    size_t wanted = csv->unvalued[i];
    if (is_value(csv, scant_csv_cells_to(&cells, wanted)))
      csv->source->valued[scant_csv_column_of(csv, wanted)] = 1;
    else
      csv->unvalued[left++] = wanted;
  }
  csv->unvalued_count = left;
}

/* ---- rows ------------------------------------------------------------------------ */

/* The target of a row without quotes that ends at `end`. */
static void cut_target(const scant_csv *csv, const char *row, const char *end, scant_csv_field *target) {
  scant_csv_walk walk = scant_csv_walk_begin(&csv->text, row, end);
  if (csv->target + 1 == csv->fields) { /* the usual case: the target is nearer to the end */
    walk.cursor = end;
    walk.field = csv->target;
    while (walk.cursor > row && walk.cursor[-1] != ',') walk.cursor--;
  }
  (void)scant_csv_walk_to(&walk, csv->target, target);
}

/* Checks the row at the cursor and cuts its target; the cursor is behind it then. */
static scant_status check_row(scant_csv *csv, const char **cursor, scant_csv_field *target, scant_error *error) {
  const char *row = *cursor;
  size_t fields = 0;
  scant_csv_line line;
  scant_csv_survey(&csv->text, row, csv->end, &line);
  if (!line.quotes) {
    fields = line.commas + 1;
    *cursor = line.end < csv->end ? line.end + 1 : line.end;
    if (fields == csv->fields && csv->target != SCANT_CSV_NO_TARGET) cut_target(csv, row, line.end, target);
  } else {
    csv->source->starts[csv->source->file_rows - 1] |= SCANT_CSV_HAS_QUOTES;
    for (scant_csv_stop stop = SCANT_CSV_COMMA; stop == SCANT_CSV_COMMA; fields++) {
      const char *at = *cursor;
      scant_csv_field field;
      stop = scant_csv_cut(cursor, csv->end, &field);
      if (stop > SCANT_CSV_LINE_END)
        return fail_structure(csv, stop, stop == SCANT_CSV_OPEN_QUOTE ? at : *cursor, error);
      if (fields == csv->target) *target = field;
    }
  }
  if (fields == csv->fields) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s, line %zu: the row has %zu field%s, but the %s has %zu", csv->source->title,
                    scant_line_count(csv->text.data, row), fields, fields == 1 ? "" : "s",
                    csv->source->names ? "header" : "first row", csv->fields);
}

static scant_status read_rows(scant_csv *csv, const char *cursor, const scant_classes *classes, scant_error *error) {
  scant_source *source = csv->source;
  source->valued = scant_array(source->columns, sizeof *source->valued);
  csv->unvalued = scant_array(csv->fields, sizeof *csv->unvalued);
  if (!source->valued || !csv->unvalued) return scant_fail_memory(error);
  for (size_t i = 0; i < csv->fields; i++)
    if (i != csv->target) csv->unvalued[csv->unvalued_count++] = i;
  while (cursor < csv->end) {
    const char *row = cursor;
    if (!scant_source_add_row(source, row)) return scant_fail_memory(error);
    scant_csv_field target = {row, 0, 0};
    SCANT_TRY(check_row(csv, &cursor, &target, error));
    SCANT_TRY(check_nul(csv, row, cursor, error));
    if (csv->unvalued_count) note_values(csv, cursor);
    if (csv->target != SCANT_CSV_NO_TARGET) SCANT_TRY(take_target(csv, classes, &target, error));
    scant_bytes_touch(&source->bytes, row, (size_t)(cursor - row));
  }
  free(csv->unvalued);
  csv->unvalued = NULL;
  source->rows = source->file_rows;
  if (!source->rows) return scant_fail(error, SCANT_DATA, "'%s' has a header and no rows", source->title);
  return SCANT_OK;
}

static scant_status read_file(scant_csv *csv, const char *path, const scant_settings *settings,
                              const scant_classes *classes, scant_target_need need, scant_error *error) {
  const char *cursor;
  SCANT_TRY(find_ends(csv, &cursor, error));
  SCANT_TRY(read_header(csv, settings->reading.header, &cursor, error));
  SCANT_TRY(choose_target(csv, settings, need, error));
  csv->source->dimension = csv->source->columns;
  SCANT_TRY(scant_csv_hide(csv, settings, error));
  SCANT_TRY(read_empty(csv, settings->reading.na, error));
  SCANT_TRY(read_rows(csv, cursor, classes, error));
  if (csv->target != SCANT_CSV_NO_TARGET) SCANT_TRY(scant_classes_keep(csv->source, classes, path, error));
  SCANT_TRY(scant_csv_code(csv, settings, error));
  return scant_source_choose(csv->source, error);
}

scant_status scant_csv_open(scant_source *source, const char *path, const scant_settings *settings,
                            const scant_classes *classes, scant_target_need need, scant_error *error) {
  SCANT_TRY(scant_bytes_open(&source->bytes, path, &scant_bytes_table, error));
  scant_csv *csv = source->self = scant_array(1, sizeof *csv);
  if (!csv) return scant_fail_memory(error);
  source->kind = &scant_csv_kind;
  source->worded = 1;
  source->digest_of = SCANT_DIGEST_CELLS;
  csv->source = source;
  if (!scant_csv_text_open(&csv->text, source->bytes.data, source->bytes.length)) return scant_fail_memory(error);
  scant_status status = read_file(csv, path, settings, classes, need, error);
  /* a NUL byte is reported before any other fault */
  if (status) SCANT_TRY(check_nul(csv, csv->text.data, csv->text.data + source->bytes.length, error));
  return status;
}
