/* CSV files that people write: catalogues, and answers with one line per example. */
#include "study.h"

/* ---- catalogues ----------------------------------------------------------------------- */

static size_t text_size(const char *text) {
  return text ? strlen(text) + 1 : 0;
}

static const char *put_text(char **end, const char *text) {
  if (!text) return NULL;
  char *start = *end;
  memcpy(start, text, strlen(text) + 1);
  *end += strlen(text) + 1;
  return start;
}

/* One allocation, texts at its end. */
scant_study_attribute *study_catalogue_copy(const scant_study_attribute *catalogue, size_t count) {
  size_t texts = 1;
  for (size_t i = 0; i < count; i++)
    texts += text_size(catalogue[i].name) + text_size(catalogue[i].unit) + text_size(catalogue[i].group);
  scant_study_attribute *copy = scant_array(count * sizeof *copy + texts, 1);
  char *end = (char *)(copy + count);
  for (size_t i = 0; copy && i < count; i++) {
    copy[i] = catalogue[i];
    copy[i].name = put_text(&end, catalogue[i].name);
    copy[i].unit = put_text(&end, catalogue[i].unit);
    copy[i].group = put_text(&end, catalogue[i].group);
  }
  return copy;
}

enum {
  COLUMN_NAME,
  COLUMN_UNIT,
  COLUMN_COST,
  COLUMN_LOW,
  COLUMN_HIGH,
  COLUMN_USUAL_LOW,
  COLUMN_USUAL_HIGH,
  COLUMN_GROUP,
  COLUMN_KNOWN,
  COLUMN_RETIRED,
  COLUMNS
};
static const char *const columns[COLUMNS] = {"name",      "unit",       "cost",  "low",   "high",
                                             "usual_low", "usual_high", "group", "known", "retired"};

typedef struct {
  scant_csv_words words;
  int column[COLUMNS]; /* what the fields of a line are */
  size_t fields;
  scant_study_attribute *rows;
  size_t count, capacity;
} catalogue_reader;

static scant_status read_columns(catalogue_reader *r, scant_error *error) {
  int last = 0, seen[COLUMNS] = {0};
  while (!last) {
    const char *text;
    SCANT_TRY(scant_csv_words_next(&r->words, &text, &last, error));
    int column = 0;
    while (column < COLUMNS && strcmp(columns[column], text) != 0) column++;
    if (!r->fields && last && strpbrk(text, ";\t"))
      return scant_csv_words_refuse(&r->words, "columns are separated by commas here, not by semicolons or tabs", NULL,
                                    error);
    if (column == COLUMNS)
      return scant_csv_words_refuse(
          &r->words,
          "a catalogue has the columns name, unit, cost, low, high, usual_low, usual_high, group, known and "
          "retired, not",
          text, error);
    if (seen[column]++) return scant_csv_words_refuse(&r->words, "this column comes twice:", text, error);
    r->column[r->fields++] = column;
  }
  return seen[COLUMN_NAME] ? SCANT_OK : scant_csv_words_refuse(&r->words, "there is no column 'name'", NULL, error);
}

/* Sets a field; NULL, or what is wrong with the text. */
static const char *take_field(scant_study_attribute *a, int column, const char *text) {
  double x = NAN;
  size_t length = strlen(text);
  int empty = !length, real = !empty && scant_parse_real(text, length, &x) && isfinite(x);
  switch (column) {
    case COLUMN_NAME:
      a->name = text;
      return NULL;
    case COLUMN_UNIT:
      a->unit = scant_field_is_empty(text, length) ? NULL : text;
      return NULL;
    case COLUMN_GROUP:
      a->group = scant_field_is_empty(text, length) ? NULL : text;
      return NULL;
    case COLUMN_COST:
      if (empty) a->cost = 0;
      if (empty || (real && scant_money_of(x, &a->cost))) return NULL;
      return "a cost is an amount with at most two decimals, not";
    case COLUMN_KNOWN:
    case COLUMN_RETIRED:
      *(column == COLUMN_KNOWN ? &a->known : &a->retired) = !strcmp(text, "yes");
      if (empty || !strcmp(text, "yes") || !strcmp(text, "no")) return NULL;
      return column == COLUMN_KNOWN ? "known is yes or no, not" : "retired is yes or no, not";
    default:
      *(column == COLUMN_LOW         ? &a->low
        : column == COLUMN_HIGH      ? &a->high
        : column == COLUMN_USUAL_LOW ? &a->usual_low
                                     : &a->usual_high) = x;
      return empty || real ? NULL : "a bound is a number, not";
  }
}

scant_status scant_study_attribute_set(scant_study_attribute *attribute, const char *column, const char *text,
                                       scant_error *error) {
  int which = COLUMN_UNIT;
  while (which < COLUMNS && strcmp(columns[which], column) != 0) which++;
  if (which == COLUMNS)
    return scant_fail(error, SCANT_USAGE,
                      "an attribute has unit, cost, low, high, usual_low, usual_high, group, known and retired, not "
                      "'%.60s'",
                      column);
  scant_study_attribute changed = *attribute;
  const char *fault = take_field(&changed, which, text);
  if (fault) return scant_fail(error, SCANT_USAGE, "%s '%.60s'", fault, text);
  *attribute = changed;
  return SCANT_OK;
}

static scant_status read_attribute(catalogue_reader *r, scant_error *error) {
  if (!scant_grow(&r->rows, &r->capacity, r->count + 1, sizeof *r->rows)) return scant_fail_memory(error);
  scant_study_attribute *a = &r->rows[r->count];
  *a = (scant_study_attribute){.low = NAN, .high = NAN, .usual_low = NAN, .usual_high = NAN};
  int last = 0;
  size_t field = 0;
  for (; !last; field++) {
    const char *text;
    SCANT_TRY(scant_csv_words_next(&r->words, &text, &last, error));
    if (field == 0 && last && !*text) return SCANT_OK; /* an empty line */
    const char *fault = field < r->fields ? take_field(a, r->column[field], text) : NULL;
    if (fault) return scant_csv_words_refuse(&r->words, fault, text, error);
  }
  if (field != r->fields)
    return scant_csv_words_refuse(&r->words, "this line has another number of fields than the first", NULL, error);
  if (!a->name) return scant_csv_words_refuse(&r->words, "there is no name", NULL, error);
  r->count++;
  return SCANT_OK;
}

scant_status scant_study_catalogue_load(scant_study_attribute **attributes, size_t *count, const char *path,
                                        scant_error *error) {
  catalogue_reader r = {0};
  SCANT_TRY(scant_csv_words_open(&r.words, path, error));
  size_t fields, lines;
  char *texts = r.words.next = scant_array(scant_csv_words_room(&r.words, &fields, &lines), 1);
  scant_status status = texts ? read_columns(&r, error) : scant_fail_memory(error);
  while (status == SCANT_OK && !scant_csv_words_end(&r.words)) status = read_attribute(&r, error);
  scant_study_attribute *copy = NULL;
  if (status == SCANT_OK && !(copy = study_catalogue_copy(r.rows, r.count))) status = scant_fail_memory(error);
  free(texts);
  free(r.rows);
  scant_csv_words_close(&r.words);
  if (status != SCANT_OK) return status;
  *attributes = copy;
  *count = r.count;
  return SCANT_OK;
}

void scant_study_catalogue_free(scant_study_attribute *attributes) {
  free(attributes);
}

/* ---- answers ------------------------------------------------------------------------- */

typedef struct {
  scant_csv_words words;
  const char **columns; /* their names */
  size_t fields, columns_room;
  size_t example; /* the column of this name; `fields`: there is none */
  int only_names; /* the other columns do not matter */
  scant_study_row *rows;
  scant_study_answer *answers; /* the next free one */
  size_t count;
} answers_reader;

/* If a field is no number because the column of names has another name, the sentence says so. */
static scant_status refuse_number(const answers_reader *r, size_t field, const char *text, scant_error *error) {
  const char *column = r->columns[field];
  return scant_fail(error, SCANT_DATA, "%s, line %zu, column '%.*s': '%.*s' is not a number, nor 'missing'%s",
                    scant_path_show(r->words.path), r->words.line, scant_text_clip(column, strlen(column)), column,
                    scant_text_clip(text, strlen(text)), text,
                    r->example == r->fields ? " (there is no column 'example')" : "");
}

static scant_status read_header(answers_reader *r, scant_error *error) {
  size_t example = SIZE_MAX;
  for (int last = 0; !last; r->fields++) {
    if (!scant_grow(&r->columns, &r->columns_room, r->fields + 1, sizeof *r->columns)) return scant_fail_memory(error);
    SCANT_TRY(scant_csv_words_next(&r->words, &r->columns[r->fields], &last, error));
    if (strcmp(r->columns[r->fields], "example") != 0) continue;
    if (example != SIZE_MAX)
      return scant_csv_words_refuse(&r->words, "'example' is the name of two columns", NULL, error);
    example = r->fields;
  }
  r->example = example == SIZE_MAX ? r->fields : example;
  if (r->fields == 1 && strpbrk(r->columns[0], ";\t"))
    return scant_csv_words_refuse(&r->words, "columns are separated by commas here, not by semicolons or tabs", NULL,
                                  error);
  return SCANT_OK;
}

static scant_status read_cell(answers_reader *r, scant_study_row *row, size_t field, const char *text,
                              scant_error *error) {
  if (field == r->example) {
    row->example = text;
    return SCANT_OK;
  }
  size_t length = strlen(text);
  if (r->only_names || scant_field_is_empty(text, length)) return SCANT_OK;
  scant_study_answer answer = {.name = r->columns[field], .value = NAN};
  if (!strncmp(text, "missing", 7) && (!text[7] || text[7] == ':')) {
    answer.missing = 1;
    answer.note = text[7] ? text + 8 + strspn(text + 8, " ") : NULL;
  } else {
    answer.confirmed = length > 1 && text[length - 1] == '!';
    if (!scant_parse_real(text, length - (size_t)answer.confirmed, &answer.value))
      return refuse_number(r, field, text, error);
  }
  *r->answers++ = answer;
  row->count++;
  return SCANT_OK;
}

static scant_status read_row(answers_reader *r, scant_error *error) {
  scant_study_row *row = &r->rows[r->count];
  size_t field = 0;
  *row = (scant_study_row){.answers = r->answers};
  for (int last = 0; !last; field++) {
    const char *text;
    SCANT_TRY(scant_csv_words_next(&r->words, &text, &last, error));
    row->line = r->words.line; /* where its first field begins */
    if (field == 0 && last && !*text && (r->fields > 1 || r->example == 0)) return SCANT_OK; /* an empty line */
    if (field < r->fields) SCANT_TRY(read_cell(r, row, field, text, error));
  }
  if (field != r->fields)
    return scant_csv_words_refuse(&r->words, "this line has another number of fields than the first", NULL, error);
  r->count++;
  return SCANT_OK;
}

/* The row behind the last says what columns there are. */
static void keep_header(answers_reader *r) {
  scant_study_row *row = &r->rows[r->count];
  *row = (scant_study_row){.line = 1, .answers = r->answers};
  for (size_t i = 0; i < r->fields; i++) {
    if (i == r->example) {
      row->example = r->columns[i];
      continue;
    }
    *r->answers++ = (scant_study_answer){.name = r->columns[i], .value = NAN};
    row->count++;
  }
}

static scant_status read_lines(answers_reader *r, scant_error *error) {
  const char *path = scant_path_show(r->words.path);
  if (scant_csv_words_end(&r->words)) return scant_fail(error, SCANT_DATA, "%s: the file is empty", path);
  SCANT_TRY(read_header(r, error));
  while (!scant_csv_words_end(&r->words)) SCANT_TRY(read_row(r, error));
  if (!r->count) return scant_fail(error, SCANT_DATA, "%s: there is no line behind the names of the columns", path);
  keep_header(r);
  return SCANT_OK;
}

/* Rows, answers and texts are one allocation, which is large enough for any file of this size. */
static int make_room(answers_reader *r) {
  size_t fields, lines, texts = scant_csv_words_room(&r->words, &fields, &lines);
  r->rows = scant_array(lines * sizeof *r->rows + fields * sizeof *r->answers + texts, 1);
  if (!r->rows) return 0;
  r->answers = (scant_study_answer *)(r->rows + lines);
  r->words.next = (char *)(r->answers + fields);
  return 1;
}

static scant_status load(scant_study_row **rows, size_t *count, const char *path, int only_names, scant_error *error) {
  answers_reader r = {.only_names = only_names};
  SCANT_TRY(scant_csv_words_open(&r.words, path, error));
  scant_status status = make_room(&r) ? read_lines(&r, error) : scant_fail_memory(error);
  free(r.columns);
  scant_csv_words_close(&r.words);
  if (status != SCANT_OK) {
    free(r.rows);
    return status;
  }
  *rows = r.rows;
  *count = r.count;
  return SCANT_OK;
}

scant_status scant_study_rows_load(scant_study_row **rows, size_t *count, const char *path, scant_error *error) {
  return load(rows, count, path, 0, error);
}

scant_status scant_study_names_load(scant_study_row **rows, size_t *count, const char *path, scant_error *error) {
  return load(rows, count, path, 1, error);
}

void scant_study_rows_free(scant_study_row *rows) {
  free(rows);
}
