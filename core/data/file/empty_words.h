/* Words that count as an empty cell: the option na. */
#ifndef SCANT_DATA_FILE_EMPTY_WORDS_H
#define SCANT_DATA_FILE_EMPTY_WORDS_H

#include "scant.h"

typedef struct scant_empty_words {
  char *text; /* all of them, one after another */
  size_t count;
  struct scant_empty_word {
    const char *text;
    size_t length;
    double number; /* NaN: it is no number */
  } * words;
  int numbers; /* some are numbers */
} scant_empty_words;

/* Cuts words that commas separate, as fields of CSV are; NULL: there are none.  SCANT_USAGE: a word is empty. */
scant_status scant_empty_words_open(scant_empty_words *words, const char *list, scant_error *error);
void scant_empty_words_close(scant_empty_words *words);

/* Has a field nothing but blanks, or one of the words with blanks around it?  Numbers are compared as numbers. */
int scant_empty_words_has(const scant_empty_words *words, const char *text, size_t length);

/* Is this number one of them? */
int scant_empty_words_has_number(const scant_empty_words *words, double number);

/* Cuts the next word of a list as the options have it: words that commas separate, in quotes where they must be.  The
 * word is at `word`, which has room for the rest of the list, without blanks around it.  Returns 0 at the end of the
 * list; SCANT_USAGE in *status if a quote is wrong. */
int scant_list_next(const char **cursor, char *word, size_t *length, scant_status *status);

#endif
