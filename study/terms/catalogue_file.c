/* The catalogue of a study in a CSV file. */
#include "study.h"

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
} reader;

static scant_status refuse(const reader *r, const char *what, const char *word, scant_error *error) {
  return scant_csv_words_refuse(&r->words, what, word, error);
}

static scant_status read_header(reader *r, scant_error *error) {
  int last = 0, seen[COLUMNS] = {0};
  while (!last) {
    const char *text;
    SCANT_TRY(scant_csv_words_next(&r->words, &text, &last, error));
    int column = 0;
    while (column < COLUMNS && strcmp(columns[column], text) != 0) column++;
    if (!r->fields && last && strpbrk(text, ";\t"))
      return refuse(r, "columns are separated by commas here, not by semicolons or tabs", NULL, error);
    if (column == COLUMNS)
      return refuse(r,
                    "a catalogue has the columns name, unit, cost, low, high, usual_low, usual_high, group, known and "
                    "retired, not",
                    text, error);
    if (seen[column]++) return refuse(r, "this column comes twice:", text, error);
    r->column[r->fields++] = column;
  }
  return seen[COLUMN_NAME] ? SCANT_OK : refuse(r, "there is no column 'name'", NULL, error);
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

static scant_status set_field(const reader *r, scant_study_attribute *a, int column, const char *text,
                              scant_error *error) {
  const char *fault = take_field(a, column, text);
  return fault ? refuse(r, fault, text, error) : SCANT_OK;
}

static scant_status read_row(reader *r, scant_error *error) {
  if (!scant_grow(&r->rows, &r->capacity, r->count + 1, sizeof *r->rows)) return scant_fail_memory(error);
  scant_study_attribute *a = &r->rows[r->count];
  *a = (scant_study_attribute){.low = NAN, .high = NAN, .usual_low = NAN, .usual_high = NAN};
  int last = 0;
  size_t field = 0;
  for (; !last; field++) {
    const char *text;
    SCANT_TRY(scant_csv_words_next(&r->words, &text, &last, error));
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
  reader r = {0};
  SCANT_TRY(scant_csv_words_open(&r.words, path, error));
  size_t fields, lines;
  char *texts = r.words.next = scant_array(scant_csv_words_room(&r.words, &fields, &lines), 1);
  scant_status status = texts ? read_header(&r, error) : scant_fail_memory(error);
  while (status == SCANT_OK && !scant_csv_words_end(&r.words)) status = read_row(&r, error);
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
