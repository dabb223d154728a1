/* The catalogue: what can be measured, by name. */
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
#include "study/study.h"

enum { NAME_MOST = 200 };

/* ---- checking -------------------------------------------------------------- */

/* Names are printed, typed in a shell and kept: control characters would hide. */
static int is_good_name(const char *name) {
  size_t length = name ? strlen(name) : 0;
  if (!length || length > NAME_MOST || !scant_text_is_utf8(name, length) || name[0] == ' ' || name[length - 1] == ' ')
    return 0;
  for (const char *c = name; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) return 0;
  return 1;
}

scant_status study_check_example(const char *example, scant_error *error) {
  if (is_good_name(example)) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    "an example's name has 1 to %d characters, none of them control characters and no blanks around it",
                    NAME_MOST);
}

static scant_status check_attribute(const scant_study_attribute *a, size_t place, const char *target,
                                    scant_error *error) {
  if (!is_good_name(a->name) || strchr(a->name, '='))
    return scant_fail(error, SCANT_DATA, "attribute %zu needs a name of 1 to %d characters without '='", place + 1,
                      NAME_MOST);
  if (!strcmp(a->name, target))
    return scant_fail(error, SCANT_DATA, "attribute '%s' has the name of the target (give the target another)", a->name);
  if ((a->unit && !is_good_name(a->unit)) || (a->group && !is_good_name(a->group)))
    return scant_fail(error, SCANT_DATA, "attribute '%s': unit or group is not 1 to %d plain characters", a->name,
                      NAME_MOST);
  if (a->cost > SCANT_MONEY_MOST) return scant_fail(error, SCANT_DATA, "attribute '%s' costs too much", a->name);
  if (isinf(a->low) || isinf(a->high) || a->low > a->high)
    return scant_fail(error, SCANT_DATA, "attribute '%s': its range from %g to %g holds nothing", a->name, a->low,
                      a->high);
  if (a->known && (a->cost || a->group))
    return scant_fail(error, SCANT_DATA, "attribute '%s' is always known, so it has no cost and no group", a->name);
  return SCANT_OK;
}

/* ---- in memory ------------------------------------------------------------- */

/* qsort has no place for what is compared, so names come with their places. */
typedef struct {
  const char *name;
  uint32_t place;
} named;

static int compare_named(const void *a, const void *b) {
  return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static scant_status sort_names(scant_study *s, scant_error *error) {
  named *names = scant_array(s->dimension, sizeof *names);
  s->sorted = scant_array(s->dimension, sizeof *s->sorted);
  scant_status status = names && s->sorted ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < s->dimension; i++) names[i] = (named){s->catalogue[i].name, (uint32_t)i};
  if (status == SCANT_OK) qsort(names, s->dimension, sizeof *names, compare_named);
  for (size_t i = 0; status == SCANT_OK && i < s->dimension; i++) {
    s->sorted[i] = names[i].place;
    if (i && !strcmp(names[i].name, names[i - 1].name))
      status = scant_fail(error, SCANT_DATA, "the attribute '%s' is twice in the catalogue", names[i].name);
  }
  free(names);
  return status;
}

int64_t study_find_name(const scant_study *study, const char *name) {
  if (!strcmp(name, study->target)) return -1;
  size_t low = 0, high = study->dimension;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = strcmp(study->catalogue[study->sorted[middle]].name, name);
    if (!order) return study->sorted[middle];
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return -2;
}

const char *study_name_of(const scant_study *study, int64_t attribute) {
  return attribute < 0 ? study->target : study->catalogue[attribute].name;
}

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
static scant_study_attribute *copy_catalogue(const scant_study_attribute *catalogue, size_t count) {
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

/* The number of a group: that of its first member among the attributes that have one. */
static uint32_t panel_of(const scant_study *s, size_t place, uint32_t *groups) {
  const char *group = s->catalogue[place].group;
  if (!group) return 0;
  for (size_t i = 0; i < place; i++)
    if (s->catalogue[i].group && !strcmp(s->catalogue[i].group, group)) return s->panel[i];
  return ++*groups;
}

/* Where nothing costs anything and nothing is bought together, there are none. */
static scant_status make_prices(scant_study *s, scant_error *error) {
  uint64_t *costs = scant_array(s->dimension, sizeof *costs);
  s->panel = scant_array(s->dimension, sizeof *s->panel);
  uint32_t groups = 0;
  int paid = 0;
  scant_status status = costs && s->panel ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < s->dimension; i++) {
    costs[i] = s->catalogue[i].cost;
    s->panel[i] = panel_of(s, i, &groups);
    paid = paid || costs[i];
    if (s->catalogue[i].known || s->panel[i]) paid = 1;
  }
  if (status == SCANT_OK && paid) status = scant_prices_new(&s->prices, s->dimension, costs, s->panel, error);
  free(costs);
  return status;
}

scant_status study_take_catalogue(scant_study *study, const scant_study_attribute *catalogue, size_t count,
                                  const char *target, scant_error *error) {
  scant_study *s = study;
  if (!is_good_name(target) || strchr(target, '='))
    return scant_fail(error, SCANT_DATA, "the target needs a name of 1 to %d characters without '='", NAME_MOST);
  if (count < 2) return scant_fail(error, SCANT_DATA, "a catalogue has at least two attributes, not %zu", count);
  if (count > UINT32_MAX / 2) return scant_fail(error, SCANT_DATA, "a catalogue of %zu attributes is too large", count);
  for (size_t i = 0; i < count; i++) SCANT_TRY(check_attribute(&catalogue[i], i, target, error));
  s->dimension = count;
  s->catalogue = copy_catalogue(catalogue, count);
  s->target = scant_copy_text(target, strlen(target));
  if (!s->catalogue || !s->target) return scant_fail_memory(error);
  SCANT_TRY(sort_names(s, error));
  return make_prices(s, error);
}

/* ---- from a file ------------------------------------------------------------ */

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
  if (status == SCANT_OK && memchr(data, 0, length)) status = refuse(&r, "there is a NUL byte in the file", NULL, error);
  if (status == SCANT_OK) status = read_header(&r, error);
  for (r.line = 2; status == SCANT_OK && r.cursor < r.end; r.line++) status = read_row(&r, error);
  scant_study_attribute *copy = NULL;
  if (status == SCANT_OK && !(copy = copy_catalogue(r.rows, r.count))) status = scant_fail_memory(error);
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
