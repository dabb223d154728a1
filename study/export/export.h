/* What exports share: CSV on its way out, cell by cell, and pseudonyms. */
#ifndef SCANT_STUDY_EXPORT_H
#define SCANT_STUDY_EXPORT_H

#include "study.h"

/* ---- cells ------------------------------------------------------------------ */

/* Nothing need be checked in between: after a failure nothing is put any more, and study_cells_end returns it.  Texts
 * are safe against formulas (scant_csv_cell), reals read back to the same bits, what is not there is an empty cell. */
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

/* A sink that adds to a file that is being replaced (scant_replacing). */
scant_study_sink study_sink_file;

/* ---- pseudonyms --------------------------------------------------------------- */

/* Names that say nothing, of examples and of people, in what leaves a study.  A pseudonym is a keyed hash of the name.
 * The key is random and stays in the file of the study, so that the same name has the same pseudonym in every export of
 * a study, another one in another study, and nobody can test a guess. */

#define STUDY_PSEUDONYM_LENGTH 19 /* a letter, a hyphen, 16 digits and the 0 at the end */

/* What a name is of; each has a key of its own, so that nobody sees that a nurse is a patient too. */
typedef enum { STUDY_EXAMPLES, STUDY_PEOPLE, STUDY_NAMED } study_named;

typedef struct study_pseudonyms {
  int wanted; /* 0: names stay as they are */
  unsigned char keys[STUDY_NAMED][SCANT_SIPHASH_KEY];
  char text[STUDY_PSEUDONYM_LENGTH];
} study_pseudonyms;

/* SCANT_DATA: the study has no key. */
scant_status study_pseudonyms_begin(scant_study *study, int wanted, study_pseudonyms *pseudonyms, scant_error *error);

/* The pseudonym of a name, valid until the next call, or the name itself; NULL for NULL. */
const char *study_pseudonym(study_pseudonyms *pseudonyms, study_named of, const char *name);

#endif
