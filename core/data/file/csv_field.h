/* Cutting a line of CSV (RFC 4180) into fields. */
#ifndef SCANT_DATA_FILE_CSV_FIELD_H
#define SCANT_DATA_FILE_CSV_FIELD_H

#include <stddef.h>

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

#endif
