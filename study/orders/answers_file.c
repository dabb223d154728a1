/* Answers of a study in a CSV file, one line per example. */
#include "study.h"

typedef struct {
  scant_csv_words words;
  const char **columns; /* their names */
  size_t fields, columns_room;
  size_t example; /* the column of this name; `fields`: there is none */
  int only_names; /* the other columns do not matter */
  scant_study_row *rows;
  scant_study_answer *answers; /* the next free one */
  size_t count;
} reader;

static scant_status refuse(const reader *r, const char *what, scant_error *error) {
  return scant_csv_words_refuse(&r->words, what, NULL, error);
}

/* If a field is no number because the column of names has another name, the sentence says so. */
static scant_status refuse_number(const reader *r, size_t field, const char *text, scant_error *error) {
  const char *column = r->columns[field];
  return scant_fail(error, SCANT_DATA, "%s, line %zu, column '%.*s': '%.*s' is not a number, nor 'missing'%s",
                    scant_path_show(r->words.path), r->words.line, scant_text_clip(column, strlen(column)), column,
                    scant_text_clip(text, strlen(text)), text,
                    r->example == r->fields ? " (there is no column 'example')" : "");
}

static scant_status read_header(reader *r, scant_error *error) {
  size_t example = SIZE_MAX;
  for (int last = 0; !last; r->fields++) {
    if (!scant_grow(&r->columns, &r->columns_room, r->fields + 1, sizeof *r->columns)) return scant_fail_memory(error);
    SCANT_TRY(scant_csv_words_next(&r->words, &r->columns[r->fields], &last, error));
    if (strcmp(r->columns[r->fields], "example") != 0) continue;
    if (example != SIZE_MAX) return refuse(r, "'example' is the name of two columns", error);
    example = r->fields;
  }
  r->example = example == SIZE_MAX ? r->fields : example;
  if (r->fields == 1 && strpbrk(r->columns[0], ";\t"))
    return refuse(r, "columns are separated by commas here, not by semicolons or tabs", error);
  return SCANT_OK;
}

static scant_status read_cell(reader *r, scant_study_row *row, size_t field, const char *text, scant_error *error) {
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

static scant_status read_row(reader *r, scant_error *error) {
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
  if (field != r->fields) return refuse(r, "this line has another number of fields than the first", error);
  r->count++;
  return SCANT_OK;
}

/* The row behind the last says what columns there are. */
static void keep_header(reader *r) {
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

static scant_status read_lines(reader *r, scant_error *error) {
  const char *path = scant_path_show(r->words.path);
  if (scant_csv_words_end(&r->words)) return scant_fail(error, SCANT_DATA, "%s: the file is empty", path);
  SCANT_TRY(read_header(r, error));
  while (!scant_csv_words_end(&r->words)) SCANT_TRY(read_row(r, error));
  if (!r->count) return scant_fail(error, SCANT_DATA, "%s: there is no line behind the names of the columns", path);
  keep_header(r);
  return SCANT_OK;
}

/* Rows, answers and texts are one allocation, which is large enough for any file of this size. */
static int make_room(reader *r) {
  size_t fields, lines, texts = scant_csv_words_room(&r->words, &fields, &lines);
  r->rows = scant_array(lines * sizeof *r->rows + fields * sizeof *r->answers + texts, 1);
  if (!r->rows) return 0;
  r->answers = (scant_study_answer *)(r->rows + lines);
  r->words.next = (char *)(r->answers + fields);
  return 1;
}

static scant_status load(scant_study_row **rows, size_t *count, const char *path, int only_names, scant_error *error) {
  reader r = {.only_names = only_names};
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
