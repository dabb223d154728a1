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
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "data/file/csv_source.h"
#include "data/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* About as many as a processor fetches at once. */
enum { ANNOUNCED = 16 };

void scant_csv_where(const scant_csv *csv, size_t row, size_t field, char *text, size_t size) {
  const scant_source *source = csv->source;
  size_t line = scant_line_count(csv->bytes.data, scant_csv_row_begin(csv, row));
  const char *name = NULL;
  if (field == SCANT_CSV_WHOLE_ROW) {
    snprintf(text, size, "%s, line %zu", source->title, line);
    return;
  }
  if (source->names) name = field == csv->target ? source->target_name : source->names[field - (field > csv->target)];
  if (name)
    snprintf(text, size, "%s, line %zu, column '%.*s'", source->title, line, scant_text_clip(name, strlen(name)), name);
  else
    snprintf(text, size, "%s, line %zu, column %zu", source->title, line, field + 1);
}

scant_csv_cells scant_csv_cells_begin(const scant_csv *csv, size_t row, const char *end) {
  const char *begin = scant_csv_row_begin(csv, row);
  return (scant_csv_cells){.walk = scant_csv_walk_begin(&csv->text, begin, end),
                           .cursor = begin,
                           .end = end,
                           .quotes = (csv->rows[row] & SCANT_CSV_HAS_QUOTES) != 0,
                           .field = {begin, 0, 0}};
}

const scant_csv_field *scant_csv_cells_to(scant_csv_cells *cells, size_t wanted) {
  if (cells->quotes)
    for (; cells->next <= wanted; cells->next++) (void)scant_csv_cut(&cells->cursor, cells->end, &cells->field);
  else
    (void)scant_csv_walk_to(&cells->walk, wanted, &cells->field);
  return &cells->field;
}

const char *scant_csv_word(const scant_csv_field *field, char **room, size_t *capacity, size_t *length) {
  const char *text = field->text;
  *length = field->length;
  if (field->doubled) {
    if (!scant_grow(room, capacity, field->length + 1, 1)) return NULL;
    *length = scant_csv_unquote(field, *room);
    text = *room;
  }
  while (*length && (*text == ' ' || *text == '\t')) text++, --*length;
  while (*length && (text[*length - 1] == ' ' || text[*length - 1] == '\t')) --*length;
  return text;
}

/* ---- the kind of source ---------------------------------------------------- */

static void csv_where(void *self, size_t row, uint32_t attribute, char *text, size_t size) {
  const scant_csv *csv = self;
  scant_csv_where(csv, row, attribute == SCANT_WHOLE_ROW ? SCANT_CSV_WHOLE_ROW : scant_csv_field_of(csv, attribute),
                  text, size);
}

/* The place of the word of a cell among the categories of its column; NaN if the cell is empty. */
static scant_status code_of(scant_csv *csv, scant_coding *coding, size_t row, const scant_csv_field *field,
                            double *value, scant_error *error) {
  size_t length;
  if (scant_csv_is_empty(csv, field)) return *value = NAN, SCANT_OK;
  const char *word = scant_csv_word(field, &csv->room, &csv->room_capacity, &length);
  if (!word) return scant_fail_memory(error);
  uint32_t code = scant_coding_find(coding, word, length);
  if (!code && !csv->source->muted) scant_coding_note(coding, row, word, length);
  *value = code;
  return SCANT_OK;
}

static scant_status convert(scant_csv *csv, size_t row, uint32_t attribute, const scant_csv_field *field, double *value,
                            scant_error *error) {
  const scant_codings *codings = &csv->source->codings;
  if (codings->of_column && codings->of_column[attribute])
    return code_of(csv, &codings->list[codings->of_column[attribute] - 1], row, field, value, error);
  if (scant_parse_real(field->text, field->length, value)) {
    if (scant_empty_words_has_number(&csv->empty, *value)) *value = NAN;
    return SCANT_OK;
  }
  if (scant_csv_is_empty(csv, field)) return *value = NAN, SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  csv_where(csv, row, attribute, where, sizeof where);
  return scant_field_refuse(where, field->text, field->length, error);
}

/* Every row was whole when the file was opened. */
static scant_status fail_changed(const scant_csv *csv, scant_error *error) {
  return scant_fail(error, SCANT_IO, "'%s' was changed while it was in use", csv->source->title);
}

static scant_status read_plain(scant_csv *csv, size_t row, size_t count, double *values, scant_error *error) {
  scant_csv_walk walk = scant_csv_walk_begin(&csv->text, scant_csv_row_begin(csv, row), scant_csv_row_end(csv, row));
  scant_csv_field field;
  for (size_t i = 0; i < count && i < ANNOUNCED; i++)
    scant_csv_walk_announce(&walk, scant_csv_field_of(csv, scant_order_attribute(&csv->order, i)));
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(&csv->order, i);
    if (!scant_csv_walk_to(&walk, scant_csv_field_of(csv, attribute), &field)) return fail_changed(csv, error);
    SCANT_TRY(convert(csv, row, attribute, &field, &values[scant_order_place(&csv->order, i)], error));
  }
  return SCANT_OK;
}

static scant_status read_quoted(scant_csv *csv, size_t row, size_t count, double *values, scant_error *error) {
  const char *cursor = scant_csv_row_begin(csv, row);
  scant_csv_field field = {cursor, 0, 0};
  scant_csv_stop stop = SCANT_CSV_COMMA;
  size_t next = 0; /* fields behind the cursor */
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(&csv->order, i);
    for (size_t wanted = scant_csv_field_of(csv, attribute); next <= wanted; next++) {
      if (stop != SCANT_CSV_COMMA) return fail_changed(csv, error);
      stop = scant_csv_cut(&cursor, csv->end, &field);
    }
    SCANT_TRY(convert(csv, row, attribute, &field, &values[scant_order_place(&csv->order, i)], error));
  }
  return SCANT_OK;
}

static scant_status csv_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                             scant_error *error) {
  scant_csv *csv = self;
  if (!scant_order_sort(&csv->order, count, attributes)) return scant_fail_memory(error);
  const char *begin = scant_csv_row_begin(csv, row);
  scant_bytes_touch(&csv->bytes, begin, (size_t)(scant_csv_row_end(csv, row) - begin));
  if (csv->rows[row] & SCANT_CSV_HAS_QUOTES) return read_quoted(csv, row, count, values, error);
  return read_plain(csv, row, count, values, error);
}

static void csv_free(void *self) {
  scant_csv *csv = self;
  scant_bytes_close(&csv->bytes);
  free(csv->rows);
  free(csv->unvalued);
  scant_csv_text_close(&csv->text);
  scant_order_free(&csv->order);
  scant_empty_words_close(&csv->empty);
  free(csv->room);
  free(csv);
}

const scant_source_kind scant_csv_kind = {csv_read, csv_where, csv_free, NULL, scant_csv_check_types};
