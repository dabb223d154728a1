/* What a user should know of a source. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "data/sentence.h"
#include "data/source.h"

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
  switch (note) {
    case SCANT_NOTE_SCAN:
      return source->bound ? 0 : note_scan(source, sentence);
    case SCANT_NOTE_ABSENT:
      return note_absent(source, sentence);
    case SCANT_NOTE_UNLISTED:
    default:
      return note_unlisted(source, sentence);
  }
}
