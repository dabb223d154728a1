/* CSV as RFC 4180 has it: commas, fields in quotes that may hold commas, line ends and doubled quotes, a header, LF or
 * CRLF.
 *
 * Opening walks the file once: it checks the structure, converts the targets, and keeps where each row begins.  Reading
 * walks one row up to the last field asked for, and converts only the fields asked for.
 *
 * Rows without quotes, mostly all, are walked by counting commas; rows with quotes and the header are cut field by
 * field (csv_text.h).
 */
#include "scant_base.h"
#include "data/file/csv.h"
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
  size_t line = scant_line_count(csv->text.data, scant_csv_row_begin(csv, row));
  int length = snprintf(text, size, "%s, line %zu", csv->source->title, line);
  if (field == SCANT_CSV_WHOLE_ROW || length < 0 || (size_t)length >= size) return;
  char column[SCANT_WHERE_LENGTH];
  scant_name_show(column, sizeof column, "column", scant_csv_name(csv, field), field + 1);
  snprintf(text + length, size - (size_t)length, ", %s", column);
}

scant_csv_cells scant_csv_cells_begin(const scant_csv *csv, size_t row, const char *end) {
  const char *begin = scant_csv_row_begin(csv, row);
  return (scant_csv_cells){.walk = scant_csv_walk_begin(&csv->text, begin, end),
                           .quotes = (csv->source->starts[row] & SCANT_CSV_HAS_QUOTES) != 0,
                           .field = {begin, 0, 0}};
}

const scant_csv_field *scant_csv_cells_to(scant_csv_cells *cells, size_t wanted) {
  scant_csv_walk *walk = &cells->walk;
  if (!cells->quotes) return scant_csv_walk_to(walk, wanted, &cells->field) ? &cells->field : NULL;
  for (; walk->field <= wanted; walk->field++) {
    if (cells->stop != SCANT_CSV_COMMA) return NULL;
    cells->stop = scant_csv_cut(&walk->cursor, walk->end, &cells->field);
  }
  return cells->stop <= SCANT_CSV_LINE_END ? &cells->field : NULL;
}

const char *scant_csv_word(scant_csv *csv, const scant_csv_field *field, size_t *length) {
  const char *text = field->text;
  *length = field->length;
  if (field->doubled) {
    if (!scant_grow(&csv->room, &csv->room_capacity, field->length + 1, 1)) return NULL;
    *length = scant_csv_unquote(field, csv->room);
    text = csv->room;
  }
  scant_text_trim(&text, length);
  return text;
}

static int is_empty_number(const scant_csv *csv, double number) {
  for (size_t i = 0; csv->empty_numbers && i < csv->empty_count; i++)
    if (csv->empty[i].number == number) return 1;
  return 0;
}

int scant_csv_is_empty(const scant_csv *csv, const char *text, size_t length) {
  double number;
  scant_text_trim(&text, &length);
  if (!length) return 1;
  for (size_t i = 0; i < csv->empty_count; i++)
    if (csv->empty[i].length == length && !memcmp(csv->empty[i].text, text, length)) return 1;
  return csv->empty_numbers && scant_parse_real(text, length, &number) && is_empty_number(csv, number);
}

/* ---- the kind of source ---------------------------------------------------- */

static void csv_where(const scant_source *source, size_t row, uint32_t attribute, char *text, size_t size) {
  const scant_csv *csv = source->self;
  scant_csv_where(csv, row, attribute == SCANT_WHOLE_ROW ? SCANT_CSV_WHOLE_ROW : scant_csv_field_of(csv, attribute),
                  text, size);
}

/* The place of the word of a cell among the categories of its column; NaN if the cell is empty. */
static scant_status code_of(scant_csv *csv, scant_coding *coding, size_t row, const scant_csv_field *field,
                            double *value, scant_error *error) {
  size_t length;
  if (scant_csv_is_empty(csv, field->text, field->length)) return *value = NAN, SCANT_OK;
  const char *word = scant_csv_word(csv, field, &length);
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
    if (is_empty_number(csv, *value)) *value = NAN;
    return SCANT_OK;
  }
  if (scant_csv_is_empty(csv, field->text, field->length)) return *value = NAN, SCANT_OK;
  char where[SCANT_WHERE_LENGTH];
  csv_where(csv->source, row, attribute, where, sizeof where);
  return scant_field_refuse(where, field->text, field->length, error);
}

static scant_status csv_read(scant_source *source, size_t row, size_t count, const uint32_t *attributes, double *values,
                             scant_error *error) {
  scant_csv *csv = source->self;
  const scant_order *order = &source->order;
  if (!scant_source_sort(source, count, attributes)) return scant_fail_memory(error);
  const char *begin = scant_csv_row_begin(csv, row), *end = scant_csv_row_end(csv, row);
  scant_bytes_touch(&source->bytes, begin, (size_t)(end - begin));
  scant_csv_cells cells = scant_csv_cells_begin(csv, row, end);
  for (size_t i = 0; !cells.quotes && i < count && i < ANNOUNCED; i++)
    scant_csv_walk_announce(&cells.walk, scant_csv_field_of(csv, scant_order_attribute(order, i)));
  for (size_t i = 0; i < count; i++) {
    uint32_t attribute = scant_order_attribute(order, i);
    const scant_csv_field *field = scant_csv_cells_to(&cells, scant_csv_field_of(csv, attribute));
    if (!field) return scant_source_fail_changed(source, error);
    SCANT_TRY(convert(csv, row, attribute, field, &values[scant_order_place(order, i)], error));
  }
  return SCANT_OK;
}

static void csv_free(void *self) {
  scant_csv *csv = self;
  free(csv->unvalued);
  scant_csv_text_close(&csv->text);
  free(csv->empty);
  free(csv->empty_text);
  free(csv->room);
  free(csv);
}

/* ---- text in the first rows ---------------------------------------------------- */

enum { TYPED_ROWS = 100 };

/* What a cell can hold, beside nothing. */
enum { NUMBER, EMPTY_WORD, WORD, KINDS };

/* What the first rows told of a column. */
typedef struct {
  int used;                    /* it is an attribute, and no words are its categories */
  unsigned counts[KINDS];      /* cells of each kind */
  scant_csv_field word, empty; /* the first WORD and EMPTY_WORD */
} column_facts;

/* Most cells are digits alone, which need no parsing here. */
static int is_number(const char *text, size_t length) {
  double value;
  size_t i = 0;
  while (i < length && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.')) i++;
  return (i == length && length) || scant_parse_real(text, length, &value);
}

static void note_cell(const scant_csv *csv, column_facts *facts, const scant_csv_field *field) {
  scant_csv_field word = *field;
  int kind = is_number(word.text, word.length) ? NUMBER : WORD;
  if (kind == WORD && scant_csv_is_empty(csv, word.text, word.length)) return;
  scant_text_trim(&word.text, &word.length);
  if (kind == WORD && scant_field_means_missing(word.text, word.length)) kind = EMPTY_WORD;
  if (kind != NUMBER && !facts->counts[kind]) *(kind == WORD ? &facts->word : &facts->empty) = word;
  facts->counts[kind]++;
}

/* A column of numbers with a stray word is no column of text: the word is refused if it is bought. */
static int is_text(const column_facts *facts) {
  return facts->counts[WORD] > facts->counts[NUMBER];
}

static void look_at_rows(const scant_csv *csv, column_facts *facts) {
  const scant_source *source = csv->source;
  for (size_t i = 0; i < source->rows && i < TYPED_ROWS; i++) {
    const char *cursor = scant_csv_row_begin(csv, source->kept ? source->kept[i] : i);
    for (size_t f = 0; f < csv->fields; f++) {
      scant_csv_field field;
      (void)scant_csv_cut(&cursor, csv->end, &field);
      if (facts[f].used) note_cell(csv, &facts[f], &field);
    }
  }
}

static void list_text(const scant_csv *csv, const column_facts *facts, size_t count, char *text, size_t size) {
  scant_listing list = scant_list_begin(text, size, count);
  for (size_t f = 0; f < csv->fields; f++) {
    char number[24];
    const char *name = scant_csv_name(csv, f);
    if (!is_text(&facts[f])) continue;
    if (!name) snprintf(number, sizeof number, "%zu", f + 1);
    scant_list_add(&list, name ? name : number, strlen(name ? name : number));
  }
}

/* Names all columns of text.  If other columns hold NA or the like, that is said too. */
static scant_status refuse_text(const scant_csv *csv, const column_facts *facts, size_t count, scant_error *error) {
  int many = count > 1;
  const char *advice =
      many ? "leave them out with option ignore, or make 0/1 attributes of their words with option one-hot"
           : "leave it out with option ignore, or make 0/1 attributes of its words with option one-hot";
  scant_csv_field word = {"", 0, 0}, empty = {"", 0, 0};
  char list[SCANT_ERROR_LENGTH], more[160] = "";
  for (size_t f = csv->fields; f-- > 0;) {
    if (is_text(&facts[f]))
      word = facts[f].word;
    else if (facts[f].counts[EMPTY_WORD])
      empty = facts[f].empty;
  }
  if (empty.length)
    snprintf(more, sizeof more, "; option na makes '%.*s' an empty cell", (int)empty.length, empty.text);
  int rest = snprintf(NULL, 0, "%s: columns  hold text, such as '%.*s': %s%s", csv->source->title,
                      scant_text_clip(word.text, word.length), word.text, advice, more);
  /* the list has the room that the others leave */
  list_text(csv, facts, count, list, rest < SCANT_ERROR_LENGTH - 100 ? (size_t)(SCANT_ERROR_LENGTH - rest) : 100);
  return scant_fail(error, SCANT_DATA, "%s: column%s %s hold%s text, such as '%.*s': %s%s", csv->source->title,
                    many ? "s" : "", list, many ? "" : "s", scant_text_clip(word.text, word.length), word.text, advice,
                    more);
}

static scant_status csv_check_types(const scant_source *source, scant_error *error) {
  const scant_csv *csv = source->self;
  const scant_view *view = &source->view;
  size_t count = 0;
  column_facts *facts = scant_array(csv->fields, sizeof *facts);
  if (!facts) return scant_fail_memory(error);
  for (size_t i = 0; i < source->dimension; i++) {
    uint32_t column = view->column ? view->column[i] : (uint32_t)i;
    if (column != SCANT_ABSENT && !(view->code && view->code[i])) facts[scant_csv_field_of(csv, column)].used = 1;
  }
  look_at_rows(csv, facts);
  for (size_t f = 0; f < csv->fields; f++) count += is_text(&facts[f]) != 0;
  scant_status status = count ? refuse_text(csv, facts, count, error) : SCANT_OK;
  free(facts);
  return status;
}

const scant_source_kind scant_csv_kind = {csv_read, csv_where, csv_free, NULL, csv_check_types};
