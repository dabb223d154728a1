/* A small file of CSV word by word: each field a text of its own. */
#ifndef SCANT_DATA_FILE_CSV_WORDS_H
#define SCANT_DATA_FILE_CSV_WORDS_H

#include "base/shared.h"
#include "data/file/bytes.h"

typedef struct scant_csv_words {
  const char *path;
  scant_bytes bytes;
  const char *cursor, *end;
  const char *row; /* where the row at hand begins, */
  size_t line;     /* and in which line, from 1 */
  int ended;       /* the word before was the last of its row */
  char *next;      /* where the next word goes: the caller's room */
} scant_csv_words;

/* Opens a file, compressed or not; SCANT_DATA if it has a NUL byte. */
SCANT_SHARED scant_status scant_csv_words_open(scant_csv_words *words, const char *path, scant_error *error);
SCANT_SHARED void scant_csv_words_close(scant_csv_words *words);

/* The most bytes that all words together can take, and the most words and rows that there can be. */
SCANT_SHARED size_t scant_csv_words_room(const scant_csv_words *words, size_t *fields, size_t *rows);

static inline int scant_csv_words_end(const scant_csv_words *words) {
  return words->cursor == words->end;
}

/* The next word, as scant_csv_cell was given it, at words->next, which moves on; *last: it ends its row. */
SCANT_SHARED scant_status scant_csv_words_next(scant_csv_words *words, const char **text, int *last,
                                               scant_error *error);

/* SCANT_DATA about the row at hand, with `word` in quotes behind it (NULL: none). */
SCANT_SHARED scant_status scant_csv_words_refuse(const scant_csv_words *words, const char *what, const char *word,
                                                 scant_error *error);

#endif
