/* A fit's insides: shared by the loop and the checkpoint. */
#ifndef SCANT_FIT_FIT_H
#define SCANT_FIT_FIT_H

#include "data/meter.h"
#include "data/source.h"
#include "learn/learner.h"
#include "scant.h"

struct scant_fit {
  scant_terms terms; /* its texts are the algorithm's name and the copy below */
  char *classes;
  scant_source *source; /* the caller's */
  scant_learner *learner;
  scant_meter *meter;
  scant_prices *prices; /* NULL: none */
  scant_ahead ahead;
  double *values, *targets; /* of the rows of a block */
  size_t values_room, targets_room;
  uint64_t block;                 /* blocks that were bought: the number, from 0, of the one at hand */
  struct scant_looks_file *looks; /* NULL: they are not kept */
  scant_on_purchase *on_purchase; /* NULL: nobody is told of purchases */
  void *on_purchase_user;
  struct scant_transcript *transcript; /* its purchases, for errors; NULL: they are not kept */
  unsigned char *row_group;            /* with several passes, the group of each row */
  size_t row_group_room;
  unsigned char *unpenalised; /* what errors-of names; NULL: nothing */
  uint64_t *rows;             /* training rows in the row order of this pass; the held-out ones at test_start */
  size_t train_count, test_start, test_count;
  uint64_t row_order; /* the random streams of its row orders come after this one */
  int stream;         /* examples come source by source: how many is not known */
  uint64_t pass;
  size_t position; /* in this pass */
  int finished, spent;
  int has_theorem;
  scant_error warning; /* empty: none */
  scant_status failed; /* an example that can't be learned from ends a fit */
  scant_error failure;
};

/* What a fit begins with.  It takes over prices and learner, also on failure. */
typedef struct scant_fit_start {
  scant_prices *prices;   /* NULL: none */
  scant_learner *learner; /* a learner that goes on; NULL: a new one */
  int stream;
  uint64_t row_order;
  int resolved; /* the settings are those of a model */
} scant_fit_start;
scant_status scant_fit_begin(scant_fit **fit, const scant_settings *settings, const scant_fit_start *start,
                             scant_source *source, scant_error *error);

/* The prices of a new fit: from the file that the settings name, else those of the
 * source; NULL: there are none. */
scant_status scant_fit_find_prices(scant_prices **prices, const scant_settings *settings, const scant_source *source,
                                   scant_error *error);

/* What is done with one example: a fit learns from it, or several candidates do. */
typedef scant_status scant_fit_step(void *learner, scant_error *error);

/* Learns from up to `examples` further examples, until the budget is spent; a block is learned whole. */
scant_status scant_fit_loop(scant_fit *fit, scant_fit_step *learn, void *learner, uint64_t examples, int *done,
                            scant_error *error);

/* Buys the example at hand.  One that was read and can't be learned from is paid all the
 * same and ends the fit: another try would buy it again. */
scant_status scant_fit_buy(scant_fit *fit, size_t row, const scant_look *look, double *values, double *y,
                           scant_error *error);

/* Adds a purchase to the file of looks (keep_looks.c). */
scant_status scant_fit_keep_look(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y,
                                 scant_error *error);

/* Notes that so many examples were bought and can't be learned from, which ends the fit; the first of their block is at
 * hand.  Those that are skipped for a missing value do not count: the meter has counted them.  Returns `status`. */
scant_status scant_fit_fail(scant_fit *fit, size_t rows, scant_status status, const scant_error *inner,
                            scant_error *error);

/* Warns of settings (also of blocks that show few pairs of attributes), or of values and target of an example that was
 * bought, that the theorem of the algorithm does not cover. */
void scant_fit_note_settings(scant_fit *fit);
void scant_fit_note_bounds(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y);

/* replay.c.  The first makes a new fit ready for what its settings say of errors; the second, one that goes on from a
 * model for what errors-of named then, since looks and weights depend on it; the third keeps a purchase, if purchases
 * are kept; the fourth is scant_fit_errors for a model of another learner that learned from the purchases. */
scant_status scant_fit_start_errors(scant_fit *fit, scant_error *error);
scant_status scant_fit_keep_unpenalised(scant_fit *fit, const scant_model *model, scant_error *error);
void scant_fit_keep(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y);
scant_status scant_fit_errors_with(const scant_fit *fit, scant_learner *learner, scant_model *model,
                                   scant_error *error);

/* Goes to the next example, or finishes. */
void scant_fit_next(scant_fit *fit);

/* Writes where the fit stands into a model of it. */
scant_status scant_fit_save_checkpoint(const scant_fit *fit, scant_model *model, scant_error *error);

/* The rows of a source of `count` in the row order of the first pass, shuffled if that is wanted; NULL: out
 * of memory. */
uint64_t *scant_fit_make_row_order(const scant_settings *settings, size_t count, uint64_t row_order);

/* How many rows are learned from, and how many are held out. */
void scant_fit_count_rows(scant_fit *fit, const scant_settings *settings);

/* Shuffle, split, first M (classes have been chosen by the source). */
scant_status scant_fit_order_rows(scant_fit *fit, scant_error *error);

/* SCANT_USAGE if targets are logarithms on one side only. */
scant_status scant_fit_check_log_target(const scant_settings *settings, const scant_source *source, scant_error *error);

/* Goes to the start of a pass; passes must be started in order. */
void scant_fit_start_pass(scant_fit *fit, uint64_t pass);

#endif
