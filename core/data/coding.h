/* A column of words as 0/1 attributes: which words, and what was met beside them. */
#ifndef SCANT_DATA_CODING_H
#define SCANT_DATA_CODING_H

#include "scant.h"

typedef struct scant_named scant_named;

typedef struct scant_coding {
  uint32_t column; /* of the file */
  char **words;    /* the categories, in the order of their attributes */
  size_t count, capacity;
  scant_named *sorted; /* once the words are known */
  int scanned;         /* they were found in the file, not listed */
  /* Cells that were read and hold another word. */
  unsigned char *met; /* a bit for each row of the file */
  uint64_t unlisted;
  char example[64]; /* the first of them, shortened */
} scant_coding;

/* Adds a word behind the others, which is copied, if it is new; 0: out of memory. */
int scant_coding_add(scant_coding *coding, const char *word, size_t length);

/* Is it one of the words?  O(words); for lists that are being made. */
int scant_coding_has(const scant_coding *coding, const char *word, size_t length);

/* The same for words that are kept in alphabetical order.  O(log words) if it is not new. */
int scant_coding_collect(scant_coding *coding, const char *word, size_t length);

/* Makes the coding ready for a file of so many rows; 0: out of memory. */
int scant_coding_ready(scant_coding *coding, size_t rows);

/* The place of a word among the categories, from 1; 0: it is none of them. */
uint32_t scant_coding_find(const scant_coding *coding, const char *word, size_t length);

/* Counts a cell with a word that is no category, once however often it is read. */
void scant_coding_note(scant_coding *coding, size_t row, const char *word, size_t length);

/* Frees what the coding holds. */
void scant_coding_free(scant_coding *coding);

#endif
