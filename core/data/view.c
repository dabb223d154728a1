/* Views and codings, the view that a source has by itself, and notes about them for the user. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/sentence.h"
#include "data/source.h"

/* ---- codings ------------------------------------------------------------------ */

/* The place of the first category that is not before `word`. */
static size_t place_of(const scant_coding *coding, const char *word, size_t length) {
  size_t low = 0, high = coding->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (strncmp(coding->categories[middle].word, word, length) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

uint32_t scant_coding_find(const scant_coding *coding, const char *word, size_t length) {
  size_t at = place_of(coding, word, length);
  if (at == coding->count) return 0;
  const struct scant_category *category = &coding->categories[at];
  return strncmp(category->word, word, length) == 0 && !category->word[length] ? category->code : 0;
}

int scant_coding_add(scant_coding *coding, const char *word, size_t length) {
  size_t at = place_of(coding, word, length), n = coding->count;
  if (scant_coding_find(coding, word, length)) return 1;
  if (!scant_grow(&coding->categories, &coding->capacity, n + 1, sizeof *coding->categories)) return 0;
  char *copy = scant_copy_text(word, length);
  if (!copy) return 0;
  struct scant_category *category = &coding->categories[at];
  memmove(category + 1, category, (n - at) * sizeof *category);
  *category = (struct scant_category){copy, (uint32_t)(coding->scanned ? at : n) + 1};
  coding->count++;
  for (size_t i = at + 1; coding->scanned && i <= n; i++) coding->categories[i].code++;
  return 1;
}

void scant_coding_note(scant_coding *coding, size_t row, const char *word, size_t length) {
  unsigned char bit = (unsigned char)(1u << row % 8);
  if (coding->met[row / 8] & bit) return;
  coding->met[row / 8] |= bit;
  if (!coding->unlisted++)
    snprintf(coding->example, sizeof coding->example, "%.*s", scant_text_clip(word, length), word);
}

void scant_codings_free(scant_codings *codings) {
  for (size_t i = 0; i < codings->count; i++) {
    scant_coding *coding = &codings->list[i];
    for (size_t c = 0; c < coding->count; c++) free(coding->categories[c].word);
    free(coding->categories);
    free(coding->met);
  }
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

int scant_codings_ready(scant_codings *codings, size_t rows, size_t columns) {
  if (!codings->count) return 1;
  codings->of_column = scant_array(columns, sizeof *codings->of_column);
  for (size_t i = 0; codings->of_column && i < codings->count; i++) {
    scant_coding *coding = &codings->list[i];
    codings->of_column[coding->column] = (uint32_t)i + 1;
    coding->met = scant_array(rows / 8 + 1, 1);
    if (!coding->met) return 0;
  }
  return codings->of_column != NULL;
}

/* ---- the view that a source has by itself ------------------------------------ */

void scant_view_free(scant_view *view) {
  scant_names_free(view->labels, view->dimension);
  free(view->column);
  free(view->code);
  *view = (scant_view){0};
}

static const scant_coding *coding_of(const scant_source *source, size_t column) {
  const scant_codings *codings = &source->codings;
  uint32_t number = codings->count ? codings->of_column[column] : 0;
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
    for (size_t i = 0; coding && i < coding->count; i++) {
      const struct scant_category *category = &coding->categories[i];
      size_t attribute = at + category->code - 1;
      view->column[attribute] = (uint32_t)c;
      view->code[attribute] = category->code;
      view->labels[attribute] = make_label(source->names[c], category->word);
      if (!view->labels[attribute]) return 0;
    }
    if (coding) at += coding->count;
  }
  return 1;
}

/* A column may have the name of a category of another one. */
static scant_status check_labels(const scant_source *source, scant_error *error) {
  scant_named *sorted = scant_source_sort_names(source);
  if (!sorted) return scant_fail_memory(error);
  size_t twice = scant_names_find_twice(sorted, source->dimension);
  const char *name = sorted[twice].name;
  scant_status status = SCANT_OK;
  if (twice)
    status = scant_fail(error, SCANT_DATA, "%s: two attributes would be called '%.*s' (option one-hot)", source->title,
                        scant_text_clip(name, strlen(name)), name);
  free(sorted);
  return status;
}

scant_status scant_source_choose(scant_source *source, scant_error *error) {
  scant_view *view = &source->view;
  int coded = source->codings.count > 0;
  if (!source->hidden && !coded) return SCANT_OK;
  size_t d = source->dimension = view->dimension = count_attributes(source);
  if (!d)
    return scant_fail(error, SCANT_DATA, "%s: no attribute is left beside the target (options ignore and only)",
                      source->title);
  view->column = scant_array(d, sizeof *view->column);
  view->code = coded ? scant_array(d, sizeof *view->code) : NULL;
  view->labels = coded ? scant_array(d, sizeof *view->labels) : NULL;
  if (!view->column || (coded && (!view->code || !view->labels)) || !fill_view(source, view))
    return scant_fail_memory(error);
  return coded ? check_labels(source, error) : SCANT_OK;
}

/* ---- notes ----------------------------------------------------------------------- */

static uint64_t note_scan(const scant_source *source, scant_error *sentence) {
  const scant_codings *codings = &source->codings;
  char list[SCANT_ERROR_LENGTH / 2];
  size_t columns = 0, words = 0;
  for (size_t i = 0; i < codings->count; i++) {
    columns += codings->list[i].scanned != 0;
    words += codings->list[i].scanned ? codings->list[i].count : 0;
  }
  if (!columns) return 0;
  scant_listing listing = scant_list_begin(list, sizeof list, columns);
  for (size_t i = 0; i < codings->count; i++) {
    const char *name = source->names[codings->list[i].column];
    if (codings->list[i].scanned) scant_list_add(&listing, name, strlen(name));
  }
  scant_error_write(sentence, "%zu words of column%s %s were found by reading %zu cells, outside the ledger", words,
                    columns > 1 ? "s" : "", list, columns * source->rows);
  return columns;
}

static uint64_t note_absent(const scant_source *source, scant_error *sentence) {
  const scant_view *view = &source->view;
  size_t absent = view->absent - view->left_out;
  if (!absent) return 0;
  scant_error_write(sentence, "%s has no column%s %s, which the model needs: %s empty", scant_source_title(source),
                    absent > 1 ? "s" : "", view->absent_list, absent > 1 ? "they count as" : "it counts as");
  return absent;
}

static uint64_t note_unlisted(const scant_source *source, scant_error *sentence) {
  const scant_codings *codings = &source->codings;
  const scant_coding *first = NULL;
  uint64_t cells = 0;
  size_t columns = 0;
  for (size_t i = 0; i < codings->count; i++) {
    const scant_coding *c = &codings->list[i];
    if (!c->unlisted) continue;
    if (!first) first = c;
    cells += c->unlisted;
    columns++;
  }
  if (!first) return 0;
  const char *name = source->names[first->column];
  char others[48] = "";
  if (columns > 1) snprintf(others, sizeof others, " and %zu more", columns - 1);
  scant_error_write(sentence,
                    "%s: %llu cell%s of column%s '%.*s'%s hold%s a word that is none of the categories, such as '%s': "
                    "%s 0 in all of them",
                    scant_source_title(source), (unsigned long long)cells, cells > 1 ? "s" : "", columns > 1 ? "s" : "",
                    scant_text_clip(name, strlen(name)), name, others, cells > 1 ? "" : "s", first->example,
                    cells > 1 ? "they count as" : "it counts as");
  return cells;
}

uint64_t scant_source_note(const scant_source *source, scant_note note, scant_error *sentence) {
  if (note == SCANT_NOTE_SCAN) return source->bound ? 0 : note_scan(source, sentence);
  return note == SCANT_NOTE_ABSENT ? note_absent(source, sentence) : note_unlisted(source, sentence);
}
