/* Lines of CSV without quotes: there every comma ends a field, so that fields are found by counting commas,
 * many bytes at a time.  Lines with quotes are cut field by field (csv_field.h), which also finds every
 * fault.
 */
#ifndef SCANT_DATA_FILE_CSV_LINE_H
#define SCANT_DATA_FILE_CSV_LINE_H

#include "data/file/csv_field.h"

#include <stdint.h>

typedef struct scant_csv_line {
  const char *end; /* its line feed, or the end of the file */
  size_t commas;
  int quotes; /* it has quotes: then it may not end here, and the count means nothing */
  int nul;    /* it has a NUL byte */
} scant_csv_line;

/* The text, and milestones: every so many bytes a note of how many commas of the line come before.  So a walk
 * can begin near its field. */
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

/* Says that a field will be walked to soon: memory may be fetched for several at
 * once. */
void scant_csv_walk_announce(const scant_csv_walk *walk, size_t wanted);

/* Walks on to the field `wanted`, which is not before the current one, and cuts
 * it; 0 if the line has no such field. */
int scant_csv_walk_to(scant_csv_walk *walk, size_t wanted, scant_csv_field *field);

#endif
