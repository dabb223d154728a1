/* A fit's insides. */
#ifndef SCANT_FIT_FIT_H
#define SCANT_FIT_FIT_H

#include "data/meter.h"
#include "data/source.h"
#include "fit/transcript.h"
#include "learn/learner.h"
#include "learn/resolve.h"
#include "scant.h"

struct scant_fit {
  scant_terms terms; /* its texts are the algorithm's name and the copy below */
  char *classes;
  scant_source *source; /* the caller's */
  scant_learner *learner;
  scant_meter *meter;
  scant_prices *prices; /* NULL: none */
  scant_ahead ahead;
  scant_fit_rows bought;          /* of the current block */
  uint64_t block;                 /* blocks bought so far, which is the index of the current block */
  struct scant_looks_file *looks; /* NULL: they are not kept */
  scant_on_purchase *on_purchase; /* NULL: nobody is told of purchases */
  void *on_purchase_user;
  struct scant_transcript *transcript; /* its purchases, for errors; NULL: they are not kept */
  unsigned char *row_group;            /* with several passes, the group of each row */
  size_t row_group_room;
  uint64_t *rows; /* training rows in the row order of this pass; the held-out ones at test_start */
  size_t train_count, test_start, test_count;
  uint64_t row_order; /* the random streams of its row orders come after this one */
  int stream;         /* examples come source by source: their number is not known */
  uint64_t pass;
  size_t position; /* in this pass */
  int finished, spent;
  int has_theorem;
  scant_error warning; /* empty: none */
  scant_status failed; /* an example that can't be learned from ends a fit */
  scant_error failure;
};

/* ---- the start (start.c) --------------------------------------------------------- */

/* The one way into a fit.  `from` NULL: it is new.  Otherwise it goes on from a model, with its prices and ledger, and
 * with settings that were resolved before.  `learner`, which the fit takes over, also on failure, is that of the model;
 * NULL: a new one. */
scant_status scant_fit_begin(scant_fit **fit, const scant_settings *settings, scant_source *source,
                             const scant_model *from, scant_learner *learner, int stream, scant_error *error);

/* Goes to the start of a pass; passes must be started in order. */
void scant_fit_start_pass(scant_fit *fit, uint64_t pass);

/* Do attributes have the same prices and groups?  NULL: none. */
int scant_fit_prices_are_same(const scant_prices *a, const scant_prices *b);

/* The name of an attribute of a source. */
const char *scant_fit_name_at(const void *source, size_t attribute);

/* ---- the loop (fit.c) ------------------------------------------------------------ */

/* Buys what a look asks for of the rows of the block at this position of the pass, with which a block ends.  It also
 * ends before a row that can't be bought, or can't be learned from, which is found before the next one is bought; a
 * single row is checked as it is learned.  *lost: -1, or if a row was bought that can't be learned from, whether it
 * counts as lost (1) or is skipped for a missing value (0). */
scant_status scant_fit_buy_block(scant_fit *fit, scant_learner *learner, const scant_look *look, size_t position,
                                 scant_fit_rows *bought, int *lost, scant_error *error);

/* Ends a fit for an example, the one at `position`, that was bought and can't be learned from; so many of its block are
 * lost.  Those that are skipped for a missing value do not count: the meter has counted them.  Returns `status`. */
scant_status scant_fit_fail(scant_fit *fit, size_t position, size_t lost, scant_status status, const scant_error *inner,
                            scant_error *error);

/* Goes to the next example, or finishes. */
void scant_fit_next(scant_fit *fit);

/* ---- beside the loop ----------------------------------------------------------------- */

/* Adds a purchase to the file of looks (looks_file.c). */
scant_status scant_fit_keep_look(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y,
                                 scant_error *error);

/* notes.c: warns of settings (also of blocks that show few pairs of attributes), or of values and target of an example
 * that was bought, that the theorem of the algorithm does not cover. */
void scant_fit_note_settings(scant_fit *fit);
void scant_fit_note_bounds(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y);

/* jackknife.c: makes a new fit ready for errors, if its settings want them; keeps a purchase, if purchases are kept;
 * scant_fit_errors for a model of another learner that learned from the purchases. */
scant_status scant_fit_start_errors(scant_fit *fit, scant_error *error);
void scant_fit_keep(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y);
scant_status scant_fit_errors_with(const scant_fit *fit, scant_learner *learner, scant_model *model,
                                   scant_error *error);

/* checkpoint.c: writes where the fit stands into a model of it. */
scant_status scant_fit_save_checkpoint(const scant_fit *fit, scant_model *model, scant_error *error);

#endif
