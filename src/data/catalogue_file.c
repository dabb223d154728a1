/* The catalogue of a study in a CSV file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "data/bytes.h"
#include "data/csv_field.h"
#include "learn/prices.h"
#include "scant_study.h"

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
scant_study_attribute *scant_study_catalogue_copy(const scant_study_attribute *catalogue, size_t count) {
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

enum { COLUMN_NAME, COLUMN_UNIT, COLUMN_COST, COLUMN_LOW, COLUMN_HIGH, COLUMN_GROUP, COLUMN_KNOWN, COLUMNS };
static const char *const columns[COLUMNS] = {"name", "unit", "cost", "low", "high", "group", "known"};

typedef struct {
  const char *path, *cursor, *end;
  size_t line;
  int column[64]; /* what the fields of a line are */
  size_t fields;
  char *texts, *next; /* room for all texts */
  scant_study_attribute *rows;
  size_t count, capacity;
} reader;

static scant_status refuse(const reader *r, const char *what, const char *field, scant_error *error) {
  return scant_fail(error, SCANT_DATA, "%.200s, line %zu: %s%s%.60s%s", r->path, r->line, what, field ? " '" : "",
                    field ? field : "", field ? "'" : "");
}

/* The next field as a text of its own. */
static scant_status next_field(reader *r, const char **text, int *last, scant_error *error) {
  scant_csv_field field;
  scant_csv_stop stop = scant_csv_cut(&r->cursor, r->end, &field);
  if (stop > SCANT_CSV_LINE_END) return refuse(r, scant_csv_sentence(stop), NULL, error);
  size_t length = scant_csv_unquote(&field, r->next);
  *text = r->next;
  r->next[length] = 0;
  r->next += length + 1;
  *last = stop == SCANT_CSV_LINE_END;
  return SCANT_OK;
}

static scant_status read_header(reader *r, scant_error *error) {
  int last = 0, seen[COLUMNS] = {0};
  while (!last) {
    const char *text;
    SCANT_TRY(next_field(r, &text, &last, error));
    int column = 0;
    while (column < COLUMNS && strcmp(columns[column], text) != 0) column++;
    if (column == COLUMNS)
      return refuse(r, "a catalogue has the columns name, unit, cost, low, high, group and known, not", text, error);
    if (seen[column]++ || r->fields == 64) return refuse(r, "this column comes twice:", text, error);
    r->column[r->fields++] = column;
  }
  return seen[COLUMN_NAME] ? SCANT_OK : refuse(r, "there is no column 'name'", NULL, error);
}

static scant_status set_field(const reader *r, scant_study_attribute *a, int column, const char *text,
                              scant_error *error) {
  double x = NAN;
  size_t length = strlen(text);
  int empty = !length, real = !empty && scant_parse_real(text, length, &x) && isfinite(x);
  switch (column) {
    case COLUMN_NAME:
      a->name = text;
      return SCANT_OK;
    case COLUMN_UNIT:
      a->unit = empty ? NULL : text;
      return SCANT_OK;
    case COLUMN_GROUP:
      a->group = empty ? NULL : text;
      return SCANT_OK;
    case COLUMN_COST:
      if (empty || (real && scant_money_of(x, &a->cost))) return SCANT_OK;
      return refuse(r, "a cost is an amount with at most two decimals, not", text, error);
    case COLUMN_KNOWN:
      a->known = !strcmp(text, "yes");
      if (empty || a->known || !strcmp(text, "no")) return SCANT_OK;
      return refuse(r, "known is yes or no, not", text, error);
    default:
      *(column == COLUMN_LOW ? &a->low : &a->high) = x;
      return empty || real ? SCANT_OK : refuse(r, "a bound is a number, not", text, error);
  }
}

static scant_status read_row(reader *r, scant_error *error) {
  if (!scant_grow(&r->rows, &r->capacity, r->count + 1, sizeof *r->rows)) return scant_fail_memory(error);
  scant_study_attribute *a = &r->rows[r->count];
  *a = (scant_study_attribute){.low = NAN, .high = NAN};
  int last = 0;
  size_t field = 0;
  for (; !last; field++) {
    const char *text;
    SCANT_TRY(next_field(r, &text, &last, error));
    if (field == 0 && last && !*text) return SCANT_OK; /* an empty line */
    if (field < r->fields) SCANT_TRY(set_field(r, a, r->column[field], text, error));
  }
  if (field != r->fields) return refuse(r, "this line has another number of fields than the first", NULL, error);
  if (!a->name) return refuse(r, "there is no name", NULL, error);
  r->count++;
  return SCANT_OK;
}

scant_status scant_study_catalogue_load(scant_study_attribute **attributes, size_t *count, const char *path,
                                        scant_error *error) {
  scant_bytes bytes;
  SCANT_TRY(scant_bytes_open(&bytes, path, SCANT_GZIP_INFLATE, error));
  const char *data = bytes.data;
  size_t length = bytes.length;
  reader r = {.path = path, .cursor = data, .end = data + length, .line = 1};
  if (length >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) r.cursor += 3;
  r.texts = r.next = scant_array(2 * length + 2, 1); /* a field is at least its end */
  scant_status status = r.texts ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK && memchr(data, 0, length))
    status = refuse(&r, "there is a NUL byte in the file", NULL, error);
  if (status == SCANT_OK) status = read_header(&r, error);
  for (r.line = 2; status == SCANT_OK && r.cursor < r.end; r.line++) status = read_row(&r, error);
  scant_study_attribute *copy = NULL;
  if (status == SCANT_OK && !(copy = scant_study_catalogue_copy(r.rows, r.count))) status = scant_fail_memory(error);
  free(r.texts);
  free(r.rows);
  scant_bytes_close(&bytes);
  if (status != SCANT_OK) return status;
  *attributes = copy;
  *count = r.count;
  return SCANT_OK;
}

void scant_study_catalogue_free(scant_study_attribute *attributes) {
  free(attributes);
}
