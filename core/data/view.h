/* Which columns of a table are the attributes of a source.
 *
 * A table has columns.  The options ignore and only hide some of them, and one-hot makes several attributes
 * of one; a model that is applied says by name which ones it needs.  Both give a view: for each attribute
 * its column, and its category if the column holds words.
 */
#ifndef SCANT_DATA_VIEW_H
#define SCANT_DATA_VIEW_H

#include "scant.h"

/* An attribute of a model that the table has no column for: it is empty in every row. */
#define SCANT_ABSENT UINT32_MAX

typedef struct scant_view {
  uint32_t *column; /* of each attribute, or SCANT_ABSENT; NULL: every column is an attribute, in order */
  uint32_t *code;   /* of each attribute: its category from 1, or 0 for a number; NULL: none is absent or coded */
  char **labels;    /* of each attribute: its name, or NULL for that of its column; NULL: all are those */
  size_t dimension; /* of the arrays */
  size_t absent;    /* columns of the model that are not there, or left out */
  size_t left_out;  /* those of them that the options ignore and only left out: the user knows of them */
  char absent_list[SCANT_ERROR_LENGTH / 2]; /* the names of the others, for a sentence */
} scant_view;

void scant_view_free(scant_view *view);

/* A column of words as 0/1 attributes: which words, and what was met beside them. */
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

/* The codings of a source, and which column has which. */
typedef struct scant_codings {
  scant_coding *list;
  size_t count, capacity;
  uint32_t *of_column; /* place in the list from 1, 0: a column of numbers; NULL: there is none */
} scant_codings;

void scant_codings_free(scant_codings *codings);

/* A new coding for a column, or NULL: out of memory.  It stays where it is until the next one. */
scant_coding *scant_codings_add(scant_codings *codings, uint32_t column);

/* Lists them by column; 0: out of memory. */
int scant_codings_index(scant_codings *codings, size_t columns);

/* What a model needs. */
typedef struct scant_needs {
  size_t dimension;
  char *const *names;         /* NULL: none */
  const scant_prices *prices; /* attributes NAME=WORD of a group may be categories of the column NAME; NULL: none are */
  int lenient;                /* columns may be absent, but not more than half of them */
} scant_needs;

/* The view that hidden columns and codings of a source make by themselves, which becomes its view.
 * SCANT_DATA: two attributes have one name, or none is left. */
scant_status scant_source_choose(scant_source *source, scant_error *error);

/* Makes attribute i of the source what the model needs: by name, or by place where either side has no names. */
scant_status scant_source_serve(scant_source *source, const scant_needs *needs, scant_error *error);

#endif
