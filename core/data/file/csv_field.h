/* Fields of CSV (RFC 4180): cutting a line into them, lists of words in options, and texts as cells (scant_csv_cell of
 * scant.h) with the way back. */
#ifndef SCANT_DATA_FILE_CSV_FIELD_H
#define SCANT_DATA_FILE_CSV_FIELD_H

#include "scant.h"

typedef struct scant_csv_field {
  const char *text; /* without the quotes around it */
  size_t length;
  int doubled; /* it holds doubled quotes */
} scant_csv_field;

typedef enum scant_csv_stop {
  SCANT_CSV_COMMA,
  SCANT_CSV_LINE_END,
  SCANT_CSV_OPEN_QUOTE,
  SCANT_CSV_STRAY_QUOTE,
  SCANT_CSV_STRAY_TEXT
} scant_csv_stop;

/* Cuts the field at *cursor and moves the cursor behind the comma or line end
 * that ended it, or to what is wrong.  The end of the file ends a line. */
scant_csv_stop scant_csv_cut(const char **cursor, const char *end, scant_csv_field *field);

/* What is wrong, in words. */
const char *scant_csv_sentence(scant_csv_stop stop);

/* Copies a field with its doubled quotes made single; returns the length. */
size_t scant_csv_unquote(const scant_csv_field *field, char *text);

/* Cuts the next word of a list as the options have it: words that commas separate, in quotes where they must be.  The
 * word is at `word`, which has room for the rest of the list, without blanks around it.  Returns 0 at the end of the
 * list; SCANT_USAGE in *status if a quote is wrong. */
int scant_list_next(const char **cursor, char *word, size_t *length, scant_status *status);

/* The text that scant_csv_cell was given, from a cell without its quotes: without the apostrophe, if one was
 * put before it. */
const char *scant_csv_unguard(const char *text);

#endif
