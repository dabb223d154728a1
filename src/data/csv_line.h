/* Lines of CSV without quotes: there every comma ends a field, so that fields
 * are found by counting commas, many bytes at a time.  What has quotes is cut
 * field by field (csv_field.h), which also finds every fault.
 */
#ifndef SCANT_DATA_CSV_LINE_H
#define SCANT_DATA_CSV_LINE_H

#include "data/csv_field.h"

typedef struct scant_csv_line {
  const char *end; /* its line feed, or the end of the file */
  size_t commas;
  int quotes; /* it has some: then it may not end here, and the count means nothing */
  int nul;    /* it has a NUL byte */
} scant_csv_line;

/* Looks at the line that begins at `begin`. */
void scant_csv_survey(const char *begin, const char *end, scant_csv_line *line);

/* Behind the next `commas` commas; NULL if there are not so many before `end`. */
const char *scant_csv_skip(const char *cursor, const char *end, size_t commas);

/* Where the walk over a line without quotes is. */
typedef struct scant_csv_walk {
  const char *cursor; /* the beginning of field `field` */
  const char *end;    /* of the line: at its line feed or right behind it */
  size_t field;
} scant_csv_walk;

/* Walks on to the field `wanted`, which is not before the current one, and cuts
 * it; 0 if the line has no such field. */
int scant_csv_walk_to(scant_csv_walk *walk, size_t wanted, scant_csv_field *field);

#endif
