/* Views and codings, and the view that a source has by itself. */
#include "data/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "data/sentence.h"
#include "data/source.h"

void scant_view_free(scant_view *view) {
  for (size_t i = 0; view->labels && i < view->dimension; i++) free(view->labels[i]);
  free(view->column);
  free(view->code);
  free(view->labels);
  *view = (scant_view){0};
}

void scant_codings_free(scant_codings *codings) {
  for (size_t i = 0; i < codings->count; i++) scant_coding_free(&codings->list[i]);
  free(codings->list);
  free(codings->of_column);
  *codings = (scant_codings){0};
}

scant_coding *scant_codings_add(scant_codings *codings, uint32_t column) {
  if (!scant_grow(&codings->list, &codings->capacity, codings->count + 1, sizeof *codings->list)) return NULL;
  scant_coding *coding = &codings->list[codings->count++];
  *coding = (scant_coding){.column = column};
  return coding;
}

int scant_codings_index(scant_codings *codings, size_t columns) {
  if (!codings->count) return 1;
  codings->of_column = scant_array(columns, sizeof *codings->of_column);
  for (size_t i = 0; codings->of_column && i < codings->count; i++)
    codings->of_column[codings->list[i].column] = (uint32_t)i + 1;
  return codings->of_column != NULL;
}

/* ---- the view that a source has by itself ------------------------------------ */

static const scant_coding *coding_of(const scant_source *source, size_t column) {
  const scant_codings *codings = &source->codings;
  uint32_t number = codings->of_column ? codings->of_column[column] : 0;
  return number ? &codings->list[number - 1] : NULL;
}

static size_t count_attributes(const scant_source *source) {
  size_t count = 0;
  for (size_t c = 0; c < source->columns; c++) {
    const scant_coding *coding = coding_of(source, c);
    if (!source->hidden || !source->hidden[c]) count += coding ? coding->count : 1;
  }
  return count;
}

/* "city=Rome" */
static char *make_label(const char *name, const char *word) {
  size_t size = strlen(name) + strlen(word) + 2;
  char *label = scant_array(size, 1);
  if (label) snprintf(label, size, "%s=%s", name, word);
  return label;
}

/* Fills the arrays, which have room. */
static int fill_view(const scant_source *source, scant_view *view) {
  size_t at = 0;
  for (size_t c = 0; c < source->columns; c++) {
    const scant_coding *coding = coding_of(source, c);
    if (source->hidden && source->hidden[c]) continue;
    if (!coding) view->column[at++] = (uint32_t)c;
    for (size_t i = 0; coding && i < coding->count; i++, at++) {
      view->column[at] = (uint32_t)c;
      view->code[at] = (uint32_t)i + 1;
      view->labels[at] = make_label(source->names[c], coding->words[i]);
      if (!view->labels[at]) return 0;
    }
  }
  return 1;
}

/* A column may be called as a category of another one is. */
static scant_status check_labels(const scant_source *source, const scant_view *view, scant_error *error) {
  char **names = scant_array(view->dimension, sizeof *names);
  if (!names) return scant_fail_memory(error);
  for (size_t i = 0; i < view->dimension; i++)
    names[i] = view->labels[i] ? view->labels[i] : source->names[view->column[i]];
  scant_named *sorted = scant_names_sort(names, view->dimension);
  scant_status status = sorted ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 1; !status && i < view->dimension; i++)
    if (!strcmp(sorted[i].name, sorted[i - 1].name))
      status = scant_fail(error, SCANT_DATA, "%s: two attributes would be called '%.*s' (option one-hot)",
                          scant_source_title(source), scant_text_clip(sorted[i].name, strlen(sorted[i].name)),
                          sorted[i].name);
  free(sorted);
  free(names);
  return status;
}

scant_status scant_source_choose(scant_source *source, scant_error *error) {
  scant_view view = {0};
  size_t d = source->columns;
  if (source->hidden || source->codings.count) {
    view.dimension = d = count_attributes(source);
    if (!d)
      return scant_fail(error, SCANT_DATA, "%s: no attribute is left beside the target (options ignore and only)",
                        scant_source_title(source));
    int coded = source->codings.count > 0;
    view.column = scant_array(d, sizeof *view.column);
    view.code = coded ? scant_array(d, sizeof *view.code) : NULL;
    view.labels = coded ? scant_array(d, sizeof *view.labels) : NULL;
    int good = view.column && (!coded || (view.code && view.labels)) && fill_view(source, &view);
    scant_status status = good ? SCANT_OK : scant_fail_memory(error);
    if (!status && coded) status = check_labels(source, &view, error);
    if (status) {
      scant_view_free(&view);
      return status;
    }
  }
  scant_view_free(&source->view);
  source->view = view;
  source->dimension = d;
  source->bound = 0;
  source->digested = 0;
  return SCANT_OK;
}
