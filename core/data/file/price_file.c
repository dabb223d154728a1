/* A file of costs: CSV with the columns attribute and cost, and group if there are groups.  Every attribute of the data
 * has one line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/file/bytes.h"
#include "data/file/csv_text.h"
#include "data/sentence.h"
#include "data/source.h"
#include "price/prices.h"

typedef struct {
  const char *path;
  scant_bytes bytes;
  const char *cursor, *end;
  int grouped; /* there is a column group */
  const scant_source *source;
  scant_named *sorted; /* the attributes' names, if they have any */
  uint64_t *costs;
  uint64_t sum;
  unsigned char *known;
  char **groups; /* of each attribute; NULL: none */
} price_file;

static scant_status fail_line(const price_file *f, const char *at, scant_error *error, const char *what,
                              const scant_csv_field *field) {
  char where[SCANT_WHERE_LENGTH];
  snprintf(where, sizeof where, "%s, line %zu", scant_path_show(f->path), scant_line_count(f->bytes.data, at));
  if (!field) return scant_fail(error, SCANT_DATA, "%s: %s", where, what);
  return scant_fail(error, SCANT_DATA, "%s: '%.*s' %s", where, scant_text_clip(field->text, field->length), field->text,
                    what);
}

/* Cuts the fields of one line. */
static scant_status cut_line(price_file *f, scant_csv_field *fields, size_t wanted, scant_error *error) {
  const char *line = f->cursor;
  for (size_t i = 0;; i++) {
    scant_csv_field field;
    scant_csv_stop stop = scant_csv_cut(&f->cursor, f->end, &field);
    if (stop > SCANT_CSV_LINE_END) return fail_line(f, f->cursor, error, scant_csv_sentence(stop), NULL);
    if (i < wanted) fields[i] = field;
    if (stop == SCANT_CSV_COMMA) continue;
    if (i + 1 == wanted) return SCANT_OK;
    return fail_line(f, line, error,
                     wanted == 3 ? "there must be three fields: attribute, cost, group"
                                 : "there must be two fields: attribute, cost",
                     NULL);
  }
}

static int is_word(const scant_csv_field *field, const char *word) {
  return field->length == strlen(word) && !memcmp(field->text, word, field->length);
}

static scant_status read_header(price_file *f, scant_error *error) {
  scant_csv_field fields[3];
  const char *line_end = memchr(f->cursor, '\n', (size_t)(f->end - f->cursor));
  size_t commas = 0;
  for (const char *c = f->cursor; c < (line_end ? line_end : f->end); c++) commas += *c == ',';
  f->grouped = commas >= 2;
  SCANT_TRY(cut_line(f, fields, f->grouped ? 3 : 2, error));
  if (is_word(&fields[0], "attribute") && is_word(&fields[1], "cost") && (!f->grouped || is_word(&fields[2], "group")))
    return SCANT_OK;
  return fail_line(f, f->bytes.data, error, "the first line must be attribute,cost or attribute,cost,group", NULL);
}

/* The attribute that a text names, or counts from 1 where there are no names; `dimension` if none. */
static size_t find_attribute(const price_file *f, const char *name) {
  size_t d = scant_source_dimension(f->source);
  uint64_t number;
  if (f->source->names) {
    const scant_named *found = scant_names_find(f->sorted, d, name);
    return found ? found->place : d;
  }
  return scant_parse_count(name, strlen(name), &number) && number >= 1 && number <= d ? (size_t)number - 1 : d;
}

/* The first attribute that is a category of the column of this name; `dimension` if there is none. */
static size_t find_categories(const price_file *f, const char *name) {
  const scant_source *s = f->source;
  size_t d = scant_source_dimension(s), i = 0;
  if (!s->codings.count) return d;
  while (i < d && !(s->view.code[i] && !strcmp(s->names[s->view.column[i]], name))) i++;
  return i;
}

/* Gives an attribute its cost and its group (NULL: none). */
static scant_status price_attribute(price_file *f, size_t i, uint64_t cost, const char *group, scant_error *error) {
  f->costs[i] = cost;
  f->known[i] = 1;
  if (!group) return SCANT_OK;
  f->groups[i] = scant_copy_text(group, strlen(group));
  return f->groups[i] ? SCANT_OK : scant_fail_memory(error);
}

/* Categories of a column are bought as one, so that the column has one cost.  Its first category bears it.  No name of
 * a group begins as that of their own group does. */
static scant_status price_categories(price_file *f, size_t first, uint64_t cost, const char *group,
                                     scant_error *error) {
  const scant_view *v = &f->source->view;
  char own[32];
  snprintf(own, sizeof own, "\r\n%lu", (unsigned long)v->column[first]);
  for (size_t i = first; i < v->dimension; i++)
    if (v->code[i] && v->column[i] == v->column[first])
      SCANT_TRY(price_attribute(f, i, i == first ? cost : 0, group ? group : own, error));
  return SCANT_OK;
}

static scant_status read_cost(price_file *f, const char *line, const scant_csv_field *field, uint64_t *hundredths,
                              scant_error *error) {
  double cost;
  if (!scant_parse_real(field->text, field->length, &cost) || !isfinite(cost))
    return fail_line(f, line, error, "is not a cost", field);
  if (cost < 0) return fail_line(f, line, error, "is negative: a cost is 0 or more", field);
  if (cost > (double)SCANT_MONEY_MOST / 100) return fail_line(f, line, error, "is too large", field);
  if (!scant_money_of(cost, hundredths))
    return fail_line(f, line, error, "is not a cost with at most two decimals", field);
  if ((f->sum += *hundredths) > SCANT_MONEY_MOST)
    return fail_line(f, line, error, "the costs so far are more than can be counted", NULL);
  return SCANT_OK;
}

static scant_status price_line(price_file *f, const char *line, const scant_csv_field *fields, const char *name,
                               const char *group, scant_error *error) {
  size_t d = scant_source_dimension(f->source), i = find_attribute(f, name), category = find_categories(f, name);
  uint64_t cost = 0;
  if (i == d && category == d) return fail_line(f, line, error, "is no attribute of the data", &fields[0]);
  if (i < d && f->source->view.code && f->source->view.code[i])
    return fail_line(f, line, error, "is a category: its column has one cost", &fields[0]);
  if (f->known[i < d ? i : category]) return fail_line(f, line, error, "has a cost already", &fields[0]);
  SCANT_TRY(read_cost(f, line, &fields[1], &cost, error));
  return i < d ? price_attribute(f, i, cost, group, error) : price_categories(f, category, cost, group, error);
}

static scant_status read_line(price_file *f, scant_error *error) {
  const char *line = f->cursor;
  scant_csv_field fields[3] = {{0}};
  SCANT_TRY(cut_line(f, fields, f->grouped ? 3 : 2, error));
  char *name = scant_csv_copy(&fields[0]), *group = scant_csv_copy(&fields[2]);
  scant_status status =
      name && group ? price_line(f, line, fields, name, *group ? group : NULL, error) : scant_fail_memory(error);
  free(name);
  free(group);
  return status;
}

static scant_status check_all_known(const price_file *f, scant_error *error) {
  for (size_t i = 0; i < scant_source_dimension(f->source); i++) {
    if (f->known[i]) continue;
    char attribute[SCANT_WHERE_LENGTH];
    scant_name_show(attribute, sizeof attribute, "attribute", scant_source_name(f->source, i), i + 1);
    return scant_fail(error, SCANT_DATA, "%s: there is no cost of %s", scant_path_show(f->path), attribute);
  }
  return SCANT_OK;
}

/* Numbers the groups from 1 in the order of their first attributes. */
static scant_status number_groups(const price_file *f, uint32_t *groups, scant_error *error) {
  size_t d = scant_source_dimension(f->source), leader = 0;
  uint32_t numbers = 0;
  char none[] = "", **names = scant_array(d, sizeof *names);
  for (size_t i = 0; names && i < d; i++) names[i] = f->groups[i] ? f->groups[i] : none;
  scant_named *sorted = names ? scant_names_sort(names, d) : NULL;
  /* Equal names stand together, by place.  The first of them leads; the loop below numbers its group. */
  for (size_t r = 0; sorted && r < d; r++) {
    if (!r || strcmp(sorted[r].name, sorted[r - 1].name) != 0) leader = sorted[r].place;
    groups[sorted[r].place] = *sorted[r].name ? (uint32_t)leader + 1 : 0;
  }
  for (size_t i = 0; sorted && i < d; i++)
    if (groups[i]) groups[i] = groups[i] == i + 1 ? ++numbers : groups[groups[i] - 1];
  scant_status status = sorted ? SCANT_OK : scant_fail_memory(error);
  free(names);
  free(sorted);
  return status;
}

static scant_status read_lines(price_file *f, scant_prices **prices, scant_error *error) {
  size_t d = scant_source_dimension(f->source);
  f->cursor = scant_bytes_text(&f->bytes);
  f->end = f->bytes.data + f->bytes.length;
  while (f->end > f->cursor && (f->end[-1] == '\n' || f->end[-1] == '\r')) f->end--;
  if (f->cursor == f->end) return scant_fail(error, SCANT_DATA, "%s is empty", scant_path_show(f->path));
  SCANT_TRY(read_header(f, error));
  while (f->cursor < f->end) SCANT_TRY(read_line(f, error));
  SCANT_TRY(check_all_known(f, error));
  uint32_t *groups = scant_array(d, sizeof *groups);
  scant_status status = groups ? number_groups(f, groups, error) : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_prices_new(prices, d, f->costs, groups, error);
  free(groups);
  return status;
}

scant_status scant_prices_load(scant_prices **prices, const char *path, const scant_source *source,
                               scant_error *error) {
  size_t d = scant_source_dimension(source);
  price_file f = {.path = path, .source = source};
  SCANT_TRY(scant_bytes_open(&f.bytes, path, &scant_bytes_list, error));
  f.costs = scant_array(d, sizeof *f.costs);
  f.known = scant_array(d, sizeof *f.known);
  f.groups = scant_array(d, sizeof *f.groups);
  f.sorted = scant_source_sort_names(source);
  int good = f.costs && f.known && f.groups && f.sorted;
  scant_status status = good ? read_lines(&f, prices, error) : scant_fail_memory(error);
  scant_names_free(f.groups, d);
  free(f.costs);
  free(f.known);
  free(f.sorted);
  scant_bytes_close(&f.bytes);
  return status;
}
