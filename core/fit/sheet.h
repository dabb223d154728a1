/* A table on its way into a file, line by line, as CSV or as a structured array of NPY. */
#ifndef SCANT_FIT_SHEET_H
#define SCANT_FIT_SHEET_H

#include "base/file.h"

/* A column.  In NPY it has `type`; in CSV, what counts from 0 there counts from 1. */
typedef struct scant_sheet_column {
  const char *name;
  char type;  /* u: a whole number; f: a double; b: yes or no */
  char bytes; /* in NPY: 1, 4 or 8 */
  int from_0; /* it counts from 0 in NPY and from 1 in CSV */
} scant_sheet_column;

typedef struct scant_sheet {
  const scant_sheet_column *columns; /* ended by one without a name */
  scant_replacing *out;
  int npy;
  size_t at; /* the column to come */
  uint64_t lines;
  char *text; /* not written yet */
  size_t used, room;
} scant_sheet;

/* The sheet comes emptied.  SCANT_USAGE: the path ends neither with .csv nor with .npy. */
scant_status scant_sheet_begin(scant_sheet *sheet, const scant_sheet_column *columns, const char *path,
                               scant_error *error);
/* Leaves the file as it was. */
void scant_sheet_abandon(scant_sheet *sheet);
/* Replaces the file, and frees the sheet, also on failure. */
scant_status scant_sheet_end(scant_sheet *sheet, scant_error *error);

/* Writes what has been put, if it is much.  Lines are begun after this, so that a failure leaves no half line. */
scant_status scant_sheet_flush(scant_sheet *sheet, scant_error *error);

/* Makes room for a line with texts of up to `texts` bytes in all; 0: out of memory. */
int scant_sheet_reserve(scant_sheet *sheet, size_t texts);

/* Puts the next cell; the last one of a line ends it.  NaN is an empty cell in CSV. */
void scant_sheet_count(scant_sheet *sheet, uint64_t n);
void scant_sheet_real(scant_sheet *sheet, double x);
/* CSV has the text, as it is, and NPY the number. */
void scant_sheet_text(scant_sheet *sheet, const char *text, uint64_t n);

#endif
