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
#include "scant_base.h"
#include "data/file/csv_source.h"
#include "data/sentence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* About as many as a processor fetches at once. */
enum { ANNOUNCED = 16 };

const char *scant_csv_name(const scant_csv *csv, size_t field) {
  const scant_source *source = csv->source;
  if (!source->names) return NULL;
  return field == csv->target ? source->target_name : source->names[scant_csv_column_of(csv, field)];
}

void scant_csv_where(const scant_csv *csv, size_t row, size_t field, char *text, size_t size) {
  const scant_source *source = csv->source;
  size_t line = scant_line_count(csv->bytes.data, scant_csv_row_begin(csv, row));
  const char *name = field == SCANT_CSV_WHOLE_ROW ? NULL : scant_csv_name(csv, field);
  if (field == SCANT_CSV_WHOLE_ROW)
    snprintf(text, size, "%s, line %zu", source->title, line);
  else if (name)
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
  if (!cells->quotes) return scant_csv_walk_to(&cells->walk, wanted, &cells->field) ? &cells->field : NULL;
  for (; cells->next <= wanted; cells->next++) {
    if (cells->stop != SCANT_CSV_COMMA) return NULL;
    cells->stop = scant_csv_cut(&cells->cursor, cells->end, &cells->field);
  }
  return cells->stop <= SCANT_CSV_LINE_END ? &cells->field : NULL;
}

const char *scant_csv_word(const scant_csv_field *field, char **room, size_t *capacity, size_t *length) {
  const char *text = field->text;
  *length = field->length;
  if (field->doubled) {
    if (!scant_grow(room, capacity, field->length + 1, 1)) return NULL;
    *length = scant_csv_unquote(field, *room);
    text = *room;
  }
  scant_text_trim(&text, length);
  return text;
}

/* ---- empty cells ------------------------------------------------------------- */

scant_status scant_empty_words_open(scant_empty_words *words, const char *list, scant_error *error) {
  scant_empty_words *w = words;
  *w = (scant_empty_words){0};
  if (!list) return SCANT_OK;
  size_t most = 1, length = 0;
  for (const char *c = list; *c; c++) most += *c == ',';
  w->text = scant_array(strlen(list) + most + 1, 1);
  w->words = scant_array(most, sizeof *w->words);
  if (!w->text || !w->words) return scant_fail_memory(error);
  scant_status status = SCANT_OK;
  const char *cursor = list;
  char *at = w->text;
  while (scant_list_next(&cursor, at, &length, &status)) {
    if (!length) status = SCANT_USAGE;
    double number = NAN;
    if (scant_parse_real(at, length, &number) && !isnan(number)) w->numbers = 1;
    w->words[w->count++] = (struct scant_empty_word){at, length, number};
    at += length + 1;
  }
  if (!status) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "na is a list of words, as NA,?, and not '%.*s'",
                    scant_text_clip(list, strlen(list)), list);
}

void scant_empty_words_close(scant_empty_words *words) {
  free(words->text);
  free(words->words);
  *words = (scant_empty_words){0};
}

int scant_empty_words_has_number(const scant_empty_words *words, double number) {
  for (size_t i = 0; words->numbers && i < words->count; i++)
    if (words->words[i].number == number) return 1;
  return 0;
}

int scant_empty_words_has(const scant_empty_words *words, const char *text, size_t length) {
  scant_text_trim(&text, &length);
  if (!length) return 1;
  for (size_t i = 0; i < words->count; i++)
    if (words->words[i].length == length && !memcmp(words->words[i].text, text, length)) return 1;
  double number;
  return words->numbers && scant_parse_real(text, length, &number) && scant_empty_words_has_number(words, number);
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

static scant_status read_cells(scant_csv *csv, size_t row, size_t count, double *values, scant_error *error) {
  scant_csv_cells cells = scant_csv_cells_begin(csv, row, scant_csv_row_end(csv, row));
  for (size_t i = 0; !cells.quotes && i < count && i < ANNOUNCED; i++)
    scant_csv_walk_announce(&cells.walk, scant_csv_field_of(csv, scant_order_attribute(&csv->order, i)));
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(&csv->order, i);
    const scant_csv_field *field = scant_csv_cells_to(&cells, scant_csv_field_of(csv, attribute));
    if (!field) return fail_changed(csv, error);
    SCANT_TRY(convert(csv, row, attribute, field, &values[scant_order_place(&csv->order, i)], error));
  }
  return SCANT_OK;
}

static scant_status csv_read(void *self, size_t row, size_t count, const uint32_t *attributes, double *values,
                             scant_error *error) {
  scant_csv *csv = self;
  if (!scant_order_sort(&csv->order, count, attributes)) return scant_fail_memory(error);
  const char *begin = scant_csv_row_begin(csv, row);
  scant_bytes_touch(&csv->bytes, begin, (size_t)(scant_csv_row_end(csv, row) - begin));
  return read_cells(csv, row, count, values, error);
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
