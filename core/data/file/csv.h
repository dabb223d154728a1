/* An open CSV file.  csv_open.c opens it, csv.c reads it, csv_columns.c does the options ignore, only and one-hot. */
#ifndef SCANT_DATA_FILE_CSV_H
#define SCANT_DATA_FILE_CSV_H

#include "data/file/csv_text.h"
#include "data/source.h"

#define SCANT_CSV_NO_TARGET SIZE_MAX
#define SCANT_CSV_WHOLE_ROW (SIZE_MAX - 1)
/* A bit beside source->starts: the row has quotes.  No file is so long that the place needs this bit. */
#define SCANT_CSV_HAS_QUOTES (SIZE_MAX ^ SIZE_MAX >> 1)

/* A word that counts as an empty cell: the option na. */
typedef struct scant_csv_empty {
  const char *text;
  size_t length;
  double number; /* NaN: it is no number */
} scant_csv_empty;

typedef struct scant_csv {
  scant_source *source;
  scant_csv_text text; /* the file */
  const char *end;     /* without blank lines at the end */
  size_t fields;       /* of every row */
  size_t target;       /* its field, or SCANT_CSV_NO_TARGET */
  size_t *unvalued;    /* while opening: fields without a value so far, increasing */
  size_t unvalued_count;
  scant_csv_empty *empty; /* words that count as an empty cell */
  size_t empty_count;
  int empty_numbers; /* some are numbers */
  char *empty_text;  /* all of them, one after another */
  char *room;        /* scratch: a word without its doubled quotes */
  size_t room_capacity;
} scant_csv;

extern const scant_source_kind scant_csv_kind;

static inline const char *scant_csv_row_begin(const scant_csv *csv, size_t row) {
  return csv->text.data + (csv->source->starts[row] & ~SCANT_CSV_HAS_QUOTES);
}

/* Behind its line feed, or at the end of the file. */
static inline const char *scant_csv_row_end(const scant_csv *csv, size_t row) {
  return row + 1 < csv->source->file_rows ? scant_csv_row_begin(csv, row + 1) : csv->end;
}

/* Columns are the fields without the target. */
static inline size_t scant_csv_field_of(const scant_csv *csv, uint32_t column) {
  return (size_t)column + (column >= csv->target);
}

/* The way back, of a field that is not the target. */
static inline size_t scant_csv_column_of(const scant_csv *csv, size_t field) {
  return field - (field > csv->target);
}

/* NULL: there are no names. */
const char *scant_csv_name(const scant_csv *csv, size_t field);

/* Has a cell nothing but blanks, or one of the words of the option na with blanks around it?  Numbers are compared as
 * numbers. */
int scant_csv_is_empty(const scant_csv *csv, const char *text, size_t length);

/* "data.csv, line 7, column 'TSH'", or its number where there are no names. */
void scant_csv_where(const scant_csv *csv, size_t row, size_t field, char *text, size_t size);

/* A walk over one row, which was whole when the file was opened. */
typedef struct scant_csv_cells {
  scant_csv_walk walk;
  int quotes;            /* fields are cut one by one; walk.field counts those behind the cursor */
  scant_csv_stop stop;   /* at the cursor */
  scant_csv_field field; /* the last one */
} scant_csv_cells;

scant_csv_cells scant_csv_cells_begin(const scant_csv *csv, size_t row, const char *end);
/* The field `wanted`, which is not before the last one that was asked for; NULL: the row has no such field any more. */
const scant_csv_field *scant_csv_cells_to(scant_csv_cells *cells, size_t wanted);

/* The word in a cell, without doubled quotes and blanks around it, in the file or in csv->room.  NULL: out of
 * memory. */
const char *scant_csv_word(scant_csv *csv, const scant_csv_field *field, size_t *length);

/* ---- csv_columns.c ------------------------------------------------------------- */

/* The field that a text counts from 1; SCANT_CSV_NO_TARGET: it is no such number. */
size_t scant_csv_numbered(const scant_csv *csv, const char *text);

/* Notes which columns the options ignore and only leave out; the target is known. */
scant_status scant_csv_hide(scant_csv *csv, const scant_settings *settings, scant_error *error);

/* Makes the codings that the option one-hot asks for; the rows are known. */
scant_status scant_csv_code(scant_csv *csv, const scant_settings *settings, scant_error *error);

#endif
