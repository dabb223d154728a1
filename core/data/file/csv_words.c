/* A small file of CSV word by word: each field a text of its own. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "data/file/bytes.h"
#include "data/file/csv_field.h"
#include "data/sentence.h"

scant_status scant_csv_words_open(scant_csv_words *words, const char *path, scant_error *error) {
  scant_csv_words *w = words;
  *w = (scant_csv_words){.path = path, .line = 1};
  scant_bytes *bytes = w->file = scant_array(1, sizeof *bytes);
  if (!bytes) return scant_fail_memory(error);
  scant_status status = scant_bytes_open(bytes, path, &scant_bytes_list, error);
  if (status != SCANT_OK) {
    scant_csv_words_close(w);
    return status;
  }
  w->row = w->cursor = bytes->data;
  w->end = w->cursor + bytes->length;
  if (bytes->length >= 3 && !memcmp(w->cursor, "\xef\xbb\xbf", 3)) w->cursor += 3;
  if (!memchr(w->cursor, 0, (size_t)(w->end - w->cursor))) return SCANT_OK;
  status = scant_csv_words_refuse(w, "there is a NUL byte in the file", NULL, error);
  scant_csv_words_close(w);
  return status;
}

void scant_csv_words_close(scant_csv_words *words) {
  if (words->file) scant_bytes_close(words->file);
  free(words->file);
  words->file = NULL;
}

size_t scant_csv_words_room(const scant_csv_words *words, size_t *fields, size_t *rows) {
  *fields = *rows = 1;
  for (const char *c = words->cursor; c < words->end; c++) {
    *rows += *c == '\n';
    *fields += *c == '\n' || *c == ',';
  }
  return (size_t)(words->end - words->cursor) + *fields + 1; /* each with its end */
}

scant_status scant_csv_words_next(scant_csv_words *words, const char **text, int *last, scant_error *error) {
  scant_csv_words *w = words;
  scant_csv_field field;
  if (w->ended) /* a quoted field may have had line ends */
    for (; w->row < w->cursor; w->row++) w->line += *w->row == '\n';
  scant_csv_stop stop = scant_csv_cut(&w->cursor, w->end, &field);
  w->ended = *last = stop == SCANT_CSV_LINE_END;
  if (stop > SCANT_CSV_LINE_END) return scant_csv_words_refuse(w, scant_csv_sentence(stop), NULL, error);
  size_t length = scant_csv_unquote(&field, w->next);
  w->next[length] = 0;
  *text = scant_csv_unguard(w->next);
  w->next += length + 1;
  return SCANT_OK;
}

scant_status scant_csv_words_refuse(const scant_csv_words *words, const char *what, const char *word,
                                    scant_error *error) {
  const char *path = scant_path_show(words->path);
  if (!word) return scant_fail(error, SCANT_DATA, "%s, line %zu: %s", path, words->line, what);
  return scant_fail(error, SCANT_DATA, "%s, line %zu: %s '%.*s'", path, words->line, what,
                    scant_text_clip(word, strlen(word)), word);
}
