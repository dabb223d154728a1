/* Which columns of a CSV file are attributes, and whether they hold numbers. */
#include "scant_base.h"
#include "data/file/csv_source.h"
#include "data/sentence.h"

#include <stdio.h>
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

size_t scant_csv_find(const scant_csv *csv, const char *name) {
  for (int blanks = 0; blanks < 2 && csv->source->names; blanks++)
    for (size_t i = 0; i < csv->fields; i++)
      if (is_named(scant_csv_name(csv, i), name, blanks)) return i;
  return scant_csv_numbered(csv, name);
}

/* Marks the fields that an option lists.  Those that are unknown are refused if the option was given for this file;
 * they may also come from the options of another one. */
static scant_status mark(const scant_csv *csv, const char *option, const char *list, int given, unsigned char *marks,
                         scant_error *error) {
  const char *cursor = list;
  size_t length;
  char *word = scant_array(list ? strlen(list) + 1 : 1, 1);
  scant_status status = SCANT_OK;
  if (!word) return scant_fail_memory(error);
  while (!status && scant_list_next(&cursor, word, &length, &status)) {
    size_t field = scant_csv_find(csv, word);
    if (field != SCANT_CSV_NO_TARGET)
      marks[field] = 1;
    else if (given)
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
  const char *name = scant_csv_name(csv, field);
  if (!name) return scant_fail(error, status, "column %zu of '%s' %s", field + 1, csv->source->title, what);
  return scant_fail(error, status, "column '%.*s' of '%s' %s", scant_text_clip(name, strlen(name)), name,
                    csv->source->title, what);
}

static scant_status check_marks(const scant_csv *csv, const unsigned char *ignored, const unsigned char *chosen,
                                scant_error *error) {
  for (size_t i = 0; i < csv->fields; i++) {
    if (!ignored[i]) continue;
    if (chosen[i])
      return refuse_field(csv, SCANT_USAGE, "is in option ignore and in option only: it can't be both", i, error);
    if (i == csv->target)
      return refuse_field(csv, SCANT_DATA,
                          "is the target, so option ignore can't leave it out (option target names another)", i, error);
  }
  return SCANT_OK;
}

static scant_status hide(const scant_csv *csv, const scant_settings *settings, unsigned char *ignored,
                         unsigned char *chosen, scant_error *error) {
  const scant_reading *r = &settings->reading;
  scant_source *source = csv->source;
  int ignore_given = scant_settings_is_given(settings, scant_option_find("ignore"));
  int only_given = scant_settings_is_given(settings, scant_option_find("only"));
  if (r->ignore) SCANT_TRY(mark(csv, "ignore", r->ignore, ignore_given, ignored, error));
  if (r->only) SCANT_TRY(mark(csv, "only", r->only, only_given, chosen, error));
  SCANT_TRY(check_marks(csv, ignored, chosen, error));
  source->hidden = scant_array(source->columns, sizeof *source->hidden);
  if (!source->hidden) return scant_fail_memory(error);
  for (size_t c = 0; c < source->columns; c++) {
    size_t field = scant_csv_field_of(csv, (uint32_t)c);
    source->hidden[c] = ignored[field] || (r->only && !chosen[field]);
  }
  return SCANT_OK;
}

scant_status scant_csv_hide(scant_csv *csv, const scant_settings *settings, scant_error *error) {
  if (!settings->reading.ignore && !settings->reading.only) return SCANT_OK;
  unsigned char *ignored = scant_array(csv->fields, 1), *chosen = scant_array(csv->fields, 1);
  scant_status status = ignored && chosen ? hide(csv, settings, ignored, chosen, error) : scant_fail_memory(error);
  free(ignored);
  free(chosen);
  return status;
}

/* ---- text in the first rows ---------------------------------------------------- */

enum { TYPED_ROWS = 100 };

/* What a cell can hold, beside nothing. */
enum { NUMBER, EMPTY_WORD, WORD, KINDS };

/* What the first rows told of a column. */
typedef struct {
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
  if (kind == WORD && scant_csv_is_empty(csv, field)) return;
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
      if (f != csv->target) note_cell(csv, &facts[f], &field);
    }
  }
}

/* Forgets columns that are no attributes, or that are coded. */
static int keep_attributes(const scant_csv *csv, column_facts *facts) {
  const scant_source *source = csv->source;
  const scant_view *view = &source->view;
  unsigned char *used = scant_array(csv->fields, 1);
  if (!used) return 0;
  for (size_t i = 0; i < source->dimension; i++) {
    uint32_t column = view->column ? view->column[i] : (uint32_t)i;
    if (column != SCANT_ABSENT && !(view->code && view->code[i])) used[scant_csv_field_of(csv, column)] = 1;
  }
  for (size_t f = 0; f < csv->fields; f++)
    if (!used[f]) facts[f] = (column_facts){{0}, {"", 0, 0}, {"", 0, 0}};
  free(used);
  return 1;
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

scant_status scant_csv_check_types(void *self, scant_error *error) {
  const scant_csv *csv = self;
  size_t count = 0;
  column_facts *facts = scant_array(csv->fields, sizeof *facts);
  if (!facts) return scant_fail_memory(error);
  look_at_rows(csv, facts);
  scant_status status = keep_attributes(csv, facts) ? SCANT_OK : scant_fail_memory(error);
  for (size_t f = 0; f < csv->fields; f++) count += is_text(&facts[f]) != 0;
  if (!status && count) status = refuse_text(csv, facts, count, error);
  free(facts);
  return status;
}

/* ---- a target of two words ------------------------------------------------------ */

enum { LABEL_MOST = 63 }; /* as long as a class can be */

/* A word of the target that --classes can name. */
typedef struct {
  char text[LABEL_MOST + 1];
} label;

/* Takes down the words of the target in the rows from `cursor` on, at most three of them; 0: not all can be classes. */
static int collect_labels(const scant_csv *csv, const char *cursor, label *labels, size_t *count) {
  while (cursor < csv->end) {
    scant_csv_stop stop = SCANT_CSV_COMMA;
    for (size_t f = 0; stop == SCANT_CSV_COMMA; f++) {
      scant_csv_field field;
      stop = scant_csv_cut(&cursor, csv->end, &field);
      if (stop > SCANT_CSV_LINE_END) return 0;
      if (f != csv->target || scant_csv_is_empty(csv, &field)) continue;
      const char *text = field.text;
      size_t length = field.length, i = 0;
      scant_text_trim(&text, &length);
      if (field.doubled || length > LABEL_MOST || memchr(text, ',', length)) return 0;
      while (i < *count && (strncmp(labels[i].text, text, length) != 0 || labels[i].text[length])) i++;
      if (i < *count) continue;
      if (*count == 2) return 0;
      memcpy(labels[i].text, text, length);
      ++*count;
    }
  }
  return 1;
}

scant_status scant_csv_refuse_target(scant_csv *csv, const char *text, size_t length, scant_error *error) {
  char where[SCANT_WHERE_LENGTH];
  label labels[2] = {{""}, {""}};
  size_t count = 0;
  double value;
  scant_csv_where(csv, csv->count - 1, csv->target, where, sizeof where);
  if (scant_field_is_empty(text, length))
    return scant_fail(error, SCANT_DATA,
                      "%s: the field is empty, and nothing is learned without a target: leave such "
                      "rows out",
                      where);
  if (scant_empty_words_has(&csv->empty, text, length) || scant_parse_real(text, length, &value) ||
      !collect_labels(csv, scant_csv_row_begin(csv, 0), labels, &count) || count != 2)
    return scant_field_refuse(where, text, length, error);
  int turned = strcmp(labels[0].text, labels[1].text) > 0;
  return scant_fail(error, SCANT_DATA,
                    "%s: '%.*s' is not a number; the target holds two words: give option classes %s,%s to learn them "
                    "as -1 and +1",
                    where, scant_text_clip(text, length), text, labels[turned].text, labels[!turned].text);
}
