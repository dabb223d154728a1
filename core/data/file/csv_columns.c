/* The options of CSV files that name columns: ignore, only and one-hot. */
#include "scant_base.h"
#include "data/file/csv.h"
#include "data/sentence.h"

#include <stdlib.h>
#include <string.h>

/* ---- ignore and only --------------------------------------------------------- */

/* Is this the name of a field, with blanks around it or not? */
static int is_named(const char *name, const char *text, int blanks) {
  size_t length = strlen(text);
  if (blanks) name += strspn(name, " \t");
  if (strncmp(name, text, length) != 0) return 0;
  return !name[length + (blanks ? strspn(name + length, " \t") : 0)];
}

size_t scant_csv_numbered(const scant_csv *csv, const char *text) {
  uint64_t number;
  if (scant_parse_count(text, strlen(text), &number) && number >= 1 && number <= csv->fields) return (size_t)number - 1;
  return SCANT_CSV_NO_TARGET;
}

/* The field that a text names, with or without the blanks around its name, or counts from 1; SCANT_CSV_NO_TARGET: there
 * is none. */
static size_t find_field(const scant_csv *csv, const char *name) {
  for (int blanks = 0; blanks < 2 && csv->source->names; blanks++)
    for (size_t i = 0; i < csv->fields; i++)
      if (is_named(scant_csv_name(csv, i), name, blanks)) return i;
  return scant_csv_numbered(csv, name);
}

enum { IGNORED = 1, CHOSEN = 2 };

/* Marks the fields that an option lists.  Those that are unknown are refused if the option was given for this file;
 * they may also come from the options of another one. */
static scant_status mark(const scant_csv *csv, const scant_settings *settings, const char *option, const char *list,
                         unsigned char bit, unsigned char *marks, scant_error *error) {
  const char *cursor = list;
  size_t length;
  if (!list) return SCANT_OK;
  char *word = scant_array(strlen(list) + 1, 1);
  scant_status status = SCANT_OK;
  if (!word) return scant_fail_memory(error);
  while (!status && scant_list_next(&cursor, word, &length, &status)) {
    size_t field = find_field(csv, word);
    if (field != SCANT_CSV_NO_TARGET)
      marks[field] |= bit;
    else if (scant_settings_is_given(settings, scant_option_find(option)))
      status = scant_fail(error, SCANT_DATA, "'%s' has no column '%.*s' (option %s)", csv->source->title,
                          scant_text_clip(word, length), word, option);
  }
  free(word);
  if (status == SCANT_USAGE)
    return scant_fail(error, SCANT_USAGE, "%s is a list of columns that commas separate, and not '%.*s'", option,
                      scant_text_clip(list, strlen(list)), list);
  return status;
}

static scant_status refuse_field(const scant_csv *csv, scant_status status, const char *what, size_t field,
                                 scant_error *error) {
  char column[SCANT_WHERE_LENGTH];
  scant_name_show(column, sizeof column, "column", scant_csv_name(csv, field), field + 1);
  return scant_fail(error, status, "%s of '%s' %s", column, csv->source->title, what);
}

static scant_status hide_fields(const scant_csv *csv, const unsigned char *marks, int only, scant_error *error) {
  scant_source *source = csv->source;
  source->hidden = scant_array(source->columns, sizeof *source->hidden);
  if (!source->hidden) return scant_fail_memory(error);
  for (size_t i = 0; i < csv->fields; i++) {
    if (marks[i] == (IGNORED | CHOSEN))
      return refuse_field(csv, SCANT_USAGE, "is in option ignore and in option only: it can't be both", i, error);
    if (i != csv->target)
      source->hidden[scant_csv_column_of(csv, i)] = marks[i] == IGNORED || (only && !marks[i]);
    else if (marks[i] == IGNORED)
      return refuse_field(csv, SCANT_DATA,
                          "is the target, so option ignore can't leave it out (option target names another)", i, error);
  }
  return SCANT_OK;
}

scant_status scant_csv_hide(scant_csv *csv, const scant_settings *settings, scant_error *error) {
  const scant_reading *r = &settings->reading;
  if (!r->ignore && !r->only) return SCANT_OK;
  unsigned char *marks = scant_array(csv->fields, 1);
  scant_status status = marks ? SCANT_OK : scant_fail_memory(error);
  if (!status) status = mark(csv, settings, "ignore", r->ignore, IGNORED, marks, error);
  if (!status) status = mark(csv, settings, "only", r->only, CHOSEN, marks, error);
  if (!status) status = hide_fields(csv, marks, r->only != NULL, error);
  free(marks);
  return status;
}

/* ---- one-hot ------------------------------------------------------------------- */

/* A column of more words is a column of names or numbers, which tell nothing about other examples. */
enum { CATEGORIES_MOST = 1000 };

static scant_status refuse(const scant_csv *csv, scant_status status, const char *column, const char *what,
                           scant_error *error) {
  return scant_fail(error, status, "column '%.*s' of '%s' %s (option one-hot)", scant_text_clip(column, strlen(column)),
                    column, csv->source->title, what);
}

/* The column that a request NAME or NAME=a,b,c names, and its list (NULL: none).  The name ends at the first '=' that
 * makes it one of a column.  It is cut off in the text. */
static size_t find_column(const scant_csv *csv, char *request, const char **list) {
  size_t field = find_field(csv, request);
  char *equals = NULL;
  while (field == SCANT_CSV_NO_TARGET && (equals = strchr(equals ? equals + 1 : request, '='))) {
    *equals = 0;
    field = find_field(csv, request);
    if (field == SCANT_CSV_NO_TARGET) *equals = '=';
  }
  *list = equals ? equals + 1 : NULL;
  return field;
}

static scant_status read_list(const scant_csv *csv, scant_coding *coding, const char *name, const char *list,
                              scant_error *error) {
  const char *cursor = list;
  size_t length;
  char *word = scant_array(strlen(list) + 1, 1);
  scant_status status = SCANT_OK;
  if (!word) return scant_fail_memory(error);
  int cut = 1;
  while (!status && (cut = scant_list_next(&cursor, word, &length, &status))) {
    if (!length || !scant_text_is_utf8(word, length))
      status = refuse(csv, SCANT_USAGE, name, "has a category that is empty or no UTF-8 text", error);
    else if (scant_coding_find(coding, word, length))
      status = refuse(csv, SCANT_USAGE, name, "has a category twice", error);
    else if (!scant_coding_add(coding, word, length))
      status = scant_fail_memory(error);
  }
  if (status == SCANT_USAGE && !cut) status = refuse(csv, SCANT_USAGE, name, "has a list with a wrong quote", error);
  free(word);
  return status;
}

/* Reads one request and adds its coding. */
static scant_status read_request(scant_csv *csv, char *request, scant_error *error) {
  scant_source *source = csv->source;
  const char *list;
  size_t field = find_column(csv, request, &list);
  if (field == SCANT_CSV_NO_TARGET) /* elsewhere commas separate columns */
    return scant_fail(error, SCANT_DATA, "'%s' has no column '%.*s' (option one-hot)%s", source->title,
                      scant_text_clip(request, strlen(request)), request,
                      strchr(request, ',') ? ": ';' separates several columns, as 'NAME=a,b;NAME'" : "");
  if (field == csv->target) return refuse(csv, SCANT_DATA, request, "is the target", error);
  uint32_t column = (uint32_t)scant_csv_column_of(csv, field);
  if (source->hidden && source->hidden[column])
    return refuse(csv, SCANT_DATA, request, "is left out by option ignore or option only", error);
  for (size_t i = 0; i < source->codings.count; i++)
    if (source->codings.list[i].column == column) return refuse(csv, SCANT_USAGE, request, "is named twice", error);
  scant_coding *coding = scant_codings_add(&source->codings, column);
  if (!coding) return scant_fail_memory(error);
  coding->scanned = !list;
  return list ? read_list(csv, coding, source->names[column], list, error) : SCANT_OK;
}

static scant_status add_found(scant_csv *csv, scant_coding *coding, const scant_csv_field *cell, scant_error *error) {
  const char *name = csv->source->names[coding->column];
  size_t length;
  if (scant_csv_is_empty(csv, cell->text, cell->length)) return SCANT_OK;
  const char *word = scant_csv_word(csv, cell, &length);
  if (!word || !scant_coding_add(coding, word, length)) return scant_fail_memory(error);
  if (coding->count > CATEGORIES_MOST)
    return refuse(csv, SCANT_DATA, name, "holds over 1000 different words: list those that matter, as NAME=a,b,c",
                  error);
  return SCANT_OK;
}

/* Finds the categories that were not listed by reading their columns: the one scan outside the ledger.  Rows that
 * classes leave out are not read. */
static scant_status scan(scant_csv *csv, scant_coding *c, scant_error *error) {
  scant_source *source = csv->source;
  size_t field = scant_csv_field_of(csv, c->column);
  for (size_t i = 0; i < source->rows; i++) {
    size_t row = source->kept ? source->kept[i] : i;
    const char *begin = scant_csv_row_begin(csv, row), *end = scant_csv_row_end(csv, row);
    scant_csv_cells cells = scant_csv_cells_begin(csv, row, end);
    SCANT_TRY(add_found(csv, c, scant_csv_cells_to(&cells, field), error));
    scant_bytes_touch(&source->bytes, begin, (size_t)(end - begin));
  }
  if (!c->count) return refuse(csv, SCANT_DATA, source->names[c->column], "is empty in every row", error);
  for (size_t i = 0; i < c->count; i++)
    if (!scant_text_is_utf8(c->categories[i].word, strlen(c->categories[i].word)))
      return refuse(csv, SCANT_DATA, source->names[c->column], "holds a word that is no UTF-8 text", error);
  return SCANT_OK;
}

static scant_status read_requests(scant_csv *csv, char *requests, scant_error *error) {
  scant_codings *codings = &csv->source->codings;
  for (char *request = requests, *next; request; request = next) {
    char *end = strchr(request, ';');
    next = end ? end + 1 : NULL;
    if (end) *end = 0;
    SCANT_TRY(read_request(csv, request, error));
  }
  for (size_t i = 0; i < codings->count; i++)
    if (codings->list[i].scanned) SCANT_TRY(scan(csv, &codings->list[i], error));
  int ready = scant_codings_ready(codings, csv->source->file_rows, csv->source->columns);
  return ready ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_csv_code(scant_csv *csv, const scant_settings *settings, scant_error *error) {
  const char *asked = settings->reading.one_hot;
  if (!asked) return SCANT_OK;
  if (!csv->source->names)
    return scant_fail(error, SCANT_DATA, "one-hot needs the names of columns, and '%s' has none", csv->source->title);
  char *requests = scant_copy_text(asked, strlen(asked));
  scant_status status = requests ? read_requests(csv, requests, error) : scant_fail_memory(error);
  free(requests);
  return status;
}
