/* CSV as text (RFC 4180): cutting a line into fields, walking to a field of a line without quotes, lists of words in
 * options, and texts as cells (scant_csv_cell of scant.h) with the way back. */
#ifndef SCANT_DATA_FILE_CSV_TEXT_H
#define SCANT_DATA_FILE_CSV_TEXT_H

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

/* Cuts the field at *cursor and moves the cursor behind the comma or line end that ended it, or to what is wrong.  The
 * end of the file ends a line. */
scant_csv_stop scant_csv_cut(const char **cursor, const char *end, scant_csv_field *field);

/* What is wrong, in words. */
const char *scant_csv_sentence(scant_csv_stop stop);

/* Copies a field with its doubled quotes made single; returns the length. */
size_t scant_csv_unquote(const scant_csv_field *field, char *text);

/* The same as a text of its own, for free(); NULL: out of memory. */
char *scant_csv_copy(const scant_csv_field *field);

/* Cuts the next word of a list as the options have it: words that commas separate, in quotes where they must be.  The
 * word is at `word`, which has room for the rest of the list, without blanks around it.  Returns 0 at the end of the
 * list; SCANT_USAGE in *status if a quote is wrong. */
int scant_list_next(const char **cursor, char *word, size_t *length, scant_status *status);

/* The text that scant_csv_cell was given, from a cell without its quotes: without the apostrophe, if one was put before
 * it. */
const char *scant_csv_unguard(const char *text);

/* ---- lines without quotes ------------------------------------------------------ */

/* There every comma ends a field, so that fields are found by counting commas, many bytes at a time.  Lines with quotes
 * are cut field by field, which also finds every fault. */

typedef struct scant_csv_line {
  const char *end; /* its line feed, or the end of the file */
  size_t commas;
  int quotes; /* it has quotes: then it may not end here, and the count means nothing */
} scant_csv_line;

/* The text, and milestones: every so many bytes a note of how many commas of the line come before.  So a walk can begin
 * near its field. */
typedef struct scant_csv_text {
  const char *data;
  uint32_t *milestones;
} scant_csv_text;

/* 0 if out of memory. */
int scant_csv_text_open(scant_csv_text *text, const char *data, size_t length);
void scant_csv_text_close(scant_csv_text *text);

/* Looks at the line that begins at `begin`, and sets its milestones. */
void scant_csv_survey(const scant_csv_text *text, const char *begin, const char *end, scant_csv_line *line);

/* Behind the next `commas` commas; NULL if there are not so many before `end`. */
const char *scant_csv_skip(const char *cursor, const char *end, size_t commas);

/* Where the walk over a line without quotes is. */
typedef struct scant_csv_walk {
  const scant_csv_text *text;
  const char *cursor; /* the beginning of field `field` */
  const char *end;    /* of the line: at its line feed or right behind it */
  size_t field;
} scant_csv_walk;

/* The walk over a line that was surveyed; it is at the first field. */
scant_csv_walk scant_csv_walk_begin(const scant_csv_text *text, const char *begin, const char *end);

/* Says that a field will be walked to soon: memory may be fetched for several at once. */
void scant_csv_walk_announce(const scant_csv_walk *walk, size_t wanted);

/* Walks on to the field `wanted`, which is not before the current one, and cuts it; 0 if the line has no such field. */
int scant_csv_walk_to(scant_csv_walk *walk, size_t wanted, scant_csv_field *field);

#endif
