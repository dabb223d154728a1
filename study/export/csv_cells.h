/* CSV on its way out, cell by cell.
 *
 * Nothing need be checked in between: after the first failure nothing is put any more, and study_cells_end returns it.
 * Texts are safe against formulas (scant_csv_cell), reals read back to the same bits, and what is not there is an empty
 * cell. */
#ifndef SCANT_STUDY_CELLS_H
#define SCANT_STUDY_CELLS_H

#include "scant_study.h"

typedef struct study_cells {
  scant_study_sink *sink;
  void *user;
  scant_error *error;
  scant_status status;
  int begun;  /* the row has a cell */
  char *text; /* not written yet */
  size_t used, room;
} study_cells;

/* NULL: an empty cell. */
void study_cells_text(study_cells *cells, const char *text);
/* The same in quotes, whatever it is. */
void study_cells_quoted(study_cells *cells, const char *text);
void study_cells_count(study_cells *cells, uint64_t n);
/* NaN: an empty cell. */
void study_cells_real(study_cells *cells, double x);
/* Whole units of money, with two decimals. */
void study_cells_money(study_cells *cells, int64_t hundredths);
/* As it is: the caller knows that it needs no quotes. */
void study_cells_plain(study_cells *cells, const char *text);
void study_cells_empty(study_cells *cells, size_t count);
void study_cells_end_row(study_cells *cells);

/* Gives what is left to the sink and frees the text.  Returns the first failure. */
scant_status study_cells_end(study_cells *cells);

/* A sink that adds to a file that is being replaced (core/file.h). */
scant_study_sink study_sink_file;

#endif
