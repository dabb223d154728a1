/* Finds the attributes of a model in a source: by name, or by place where either side has no names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/sentence.h"
#include "data/source.h"
#include "price/prices.h"

static int compare_named(const void *a, const void *b) {
  const scant_named *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int compare_name(const void *name, const void *named) {
  return strcmp(name, ((const scant_named *)named)->name);
}

scant_named *scant_names_sort(char *const *names, size_t count) {
  scant_named *sorted = scant_array(count, sizeof *sorted);
  if (!sorted) return NULL;
  for (size_t i = 0; i < count; i++) sorted[i] = (scant_named){names[i], i};
  qsort(sorted, count, sizeof *sorted, compare_named);
  return sorted;
}

scant_named *scant_source_sort_names(const scant_source *source) {
  size_t d = source->dimension;
  scant_named *sorted = scant_array(d, sizeof *sorted);
  if (!sorted || !source->names) return sorted;
  for (size_t i = 0; i < d; i++) sorted[i] = (scant_named){scant_source_name(source, i), i};
  qsort(sorted, d, sizeof *sorted, compare_named);
  return sorted;
}

void scant_names_free(char **names, size_t count) {
  for (size_t i = 0; names && i < count; i++) free(names[i]);
  free(names);
}

size_t scant_names_find_twice(const scant_named *sorted, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (!strcmp(sorted[i - 1].name, sorted[i].name)) return i;
  return 0;
}

const scant_named *scant_names_find(const scant_named *sorted, size_t count, const char *name) {
  return bsearch(name, sorted, count, sizeof *sorted, compare_name);
}

/* ---- by name ------------------------------------------------------------------ */

typedef struct {
  const scant_source *source;
  const scant_needs *needs;
  scant_named *columns; /* of the source, in order */
  scant_named *wanted;  /* of the model, in order */
  char *prefix;         /* scratch: room for the longest name */
  scant_view view;
  scant_codings codings;
} binder;

static int binder_open(binder *b) {
  const scant_needs *n = b->needs;
  size_t longest = 0;
  for (size_t i = 0; i < n->dimension; i++) {
    size_t length = strlen(n->names[i]);
    if (length > longest) longest = length;
  }
  b->columns = scant_names_sort(b->source->names, b->source->columns);
  b->wanted = scant_names_sort(n->names, n->dimension);
  b->prefix = scant_array(longest + 1, 1);
  b->view.dimension = n->dimension;
  b->view.column = scant_array(n->dimension, sizeof *b->view.column);
  b->view.code = scant_array(n->dimension, sizeof *b->view.code);
  b->view.labels = scant_array(n->dimension, sizeof *b->view.labels);
  return b->columns && b->wanted && b->prefix && b->view.column && b->view.code && b->view.labels;
}

static void binder_close(binder *b) {
  free(b->columns);
  free(b->wanted);
  free(b->prefix);
  scant_view_free(&b->view);
  scant_codings_free(&b->codings);
}

/* The column of this name, hidden or not; SCANT_ABSENT: there is none. */
static uint32_t find_column(const binder *b, const char *name, int hidden) {
  const scant_source *s = b->source;
  const scant_named *found = scant_names_find(b->columns, s->columns, name);
  if (!found || (s->hidden && s->hidden[found->place]) != hidden) return SCANT_ABSENT;
  return (uint32_t)found->place;
}

static uint32_t group_of(const scant_needs *needs, size_t attribute) {
  return needs->prices ? needs->prices->group[attribute] : 0;
}

/* An attribute NAME=WORD of a group may be a category of a column NAME: the first such prefix that names a column,
 * hidden or not, and that the model does not need as it is.  SCANT_ABSENT: there is none. */
static uint32_t find_coded(const binder *b, size_t attribute, int hidden, const char **word) {
  const char *name = b->needs->names[attribute];
  if (!b->source->worded || !group_of(b->needs, attribute)) return SCANT_ABSENT;
  for (const char *equals = strchr(name, '='); equals; equals = strchr(equals + 1, '=')) {
    memcpy(b->prefix, name, (size_t)(equals - name));
    b->prefix[equals - name] = 0;
    uint32_t column = find_column(b, b->prefix, hidden);
    if (column == SCANT_ABSENT) continue;
    if (!hidden && scant_names_find(b->wanted, b->needs->dimension, b->prefix)) continue;
    *word = equals + 1;
    return column;
  }
  return SCANT_ABSENT;
}

static int add_category(binder *b, size_t attribute, uint32_t column, const char *word) {
  scant_coding *coding = NULL;
  for (size_t i = 0; i < b->codings.count; i++)
    if (b->codings.list[i].column == column) coding = &b->codings.list[i];
  if (!coding) coding = scant_codings_add(&b->codings, column);
  if (!coding || !scant_coding_add(coding, word, strlen(word))) return 0;
  b->view.column[attribute] = column;
  b->view.code[attribute] = (uint32_t)coding->count; /* names differ, so it is the last */
  return 1;
}

/* Is the attribute, or its column of words, in the file, but hidden? */
static int is_left_out(const binder *b, size_t attribute) {
  const char *word;
  return find_column(b, b->needs->names[attribute], 1) != SCANT_ABSENT ||
         find_coded(b, attribute, 1, &word) != SCANT_ABSENT;
}

/* Is it an attribute of a column that an attribute before it was counted for?  Categories of one column stand together:
 * the model has them from a view. */
static int is_further_category(const scant_needs *needs, size_t attribute) {
  const char *name = needs->names[attribute], *equals = strchr(name, '=');
  if (!attribute || !equals || !group_of(needs, attribute)) return 0;
  return group_of(needs, attribute) == group_of(needs, attribute - 1) &&
         !strncmp(name, needs->names[attribute - 1], (size_t)(equals - name) + 1);
}

static scant_status find_all(binder *b, scant_error *error) {
  const scant_needs *n = b->needs;
  scant_view *v = &b->view;
  size_t special = 0;
  for (size_t i = 0; i < n->dimension; i++) {
    const char *word = NULL;
    v->column[i] = find_column(b, n->names[i], 0);
    if (v->column[i] != SCANT_ABSENT) continue;
    special++;
    uint32_t column = find_coded(b, i, 0, &word);
    int good = column == SCANT_ABSENT || add_category(b, i, column, word);
    v->labels[i] = scant_copy_text(n->names[i], strlen(n->names[i]));
    if (!good || !v->labels[i]) return scant_fail_memory(error);
    if (column != SCANT_ABSENT || is_further_category(n, i)) continue;
    v->absent++;
    v->left_out += is_left_out(b, i) != 0;
  }
  if (special) return SCANT_OK;
  free(v->code); /* so that reading is as fast as it can be */
  free(v->labels);
  v->code = NULL;
  v->labels = NULL;
  return SCANT_OK;
}

/* Lists the columns that are absent, as many as there is room for, with or without those that were left out. */
static void list_absent(binder *b, int all) {
  scant_view *view = &b->view;
  const scant_needs *needs = b->needs;
  scant_listing listing =
      scant_list_begin(view->absent_list, sizeof view->absent_list, all ? view->absent : view->absent - view->left_out);
  for (size_t i = 0; i < needs->dimension; i++) {
    if (view->column[i] != SCANT_ABSENT || is_further_category(needs, i)) continue;
    if (!all && is_left_out(b, i)) continue;
    const char *name = needs->names[i], *equals = group_of(needs, i) ? strchr(name, '=') : NULL;
    scant_list_add(&listing, name, equals ? (size_t)(equals - name) : strlen(name));
  }
}

static scant_status check_absent(binder *b, scant_error *error) {
  scant_view *v = &b->view;
  if (!v->absent) return SCANT_OK;
  size_t needed = 0;
  for (size_t i = 0; i < b->needs->dimension; i++) needed += !is_further_category(b->needs, i);
  int refused = !b->needs->lenient || 2 * v->absent > needed;
  list_absent(b, refused);
  if (!refused) return SCANT_OK;
  const char *title = scant_source_title(b->source), *s = v->absent > 1 ? "s" : "", *list = v->absent_list;
  const char *has = v->left_out == v->absent ? "is read without" : "has no";
  char why[64] = "";
  if (v->left_out == v->absent)
    strcpy(why, " (option ignore or option only)");
  else if (v->left_out)
    snprintf(why, sizeof why, " (option ignore or option only left out %zu)", v->left_out);
  if (!b->needs->lenient)
    return scant_fail(error, SCANT_DATA, "%s %s column%s %s%s, which the model needs", title, has, s, list, why);
  return scant_fail(error, SCANT_DATA, "%s %s column%s %s%s: that is %zu of the %zu that the model needs, over half",
                    title, has, s, list, why, v->absent, needed);
}

static scant_status serve_by_name(scant_source *source, const scant_needs *needs, scant_error *error) {
  binder b = {.source = source, .needs = needs};
  scant_status status = binder_open(&b) ? SCANT_OK : scant_fail_memory(error);
  if (!status) status = find_all(&b, error);
  if (!status) status = check_absent(&b, error);
  if (!status && !scant_codings_ready(&b.codings, source->file_rows, source->columns))
    status = scant_fail_memory(error);
  if (!status) {
    scant_view view = source->view;
    scant_codings codings = source->codings;
    source->view = b.view;
    source->codings = b.codings;
    b.view = view;
    b.codings = codings;
    source->dimension = needs->dimension;
    source->bound = 1;
    source->digested = 0;
  }
  binder_close(&b);
  return status;
}

/* ---- by place ------------------------------------------------------------------ */

static scant_status serve_by_place(scant_source *source, size_t dimension, scant_error *error) {
  int whole = source->sparse || (!source->hidden && (source->bound || !source->codings.count));
  size_t has = whole ? source->columns : source->dimension;
  if (!whole && source->bound)
    return scant_fail(error, SCANT_MISUSE, "%s is bound to a model by name already", scant_source_title(source));
  if (!source->sparse && dimension != has)
    return scant_fail(error, SCANT_DATA, "%s has %zu attributes, but the model has %zu", scant_source_title(source),
                      has, dimension);
  if (!whole) return SCANT_OK;
  scant_view_free(&source->view);
  scant_codings_free(&source->codings);
  source->bound = 0;
  source->dimension = dimension;
  source->digested = 0;
  return SCANT_OK;
}

scant_status scant_source_serve(scant_source *source, const scant_needs *needs, scant_error *error) {
  if (needs->dimension > UINT32_MAX)
    return scant_fail(error, SCANT_DATA, "a model of %zu attributes is too large", needs->dimension);
  return needs->names && source->names ? serve_by_name(source, needs, error)
                                       : serve_by_place(source, needs->dimension, error);
}
