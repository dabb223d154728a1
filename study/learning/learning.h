/* The learner in memory, which follows from the ledger, and what was told as a table. */
#ifndef SCANT_STUDY_LEARNING_H
#define SCANT_STUDY_LEARNING_H

#include "study.h"

/* ---- replay_learner.c ---------------------------------------------------- */

/* Brings the learner up to the last event: from the last snapshot, or from nothing. */
scant_status study_load_learner(scant_study *study, scant_error *error);
/* The same for a handle beside another that writes: the learner goes on from where it is. */
scant_status study_catch_up(scant_study *study, scant_error *error);
/* Is the last snapshot of an event that is there? */
scant_status study_check_end(scant_study *study, scant_error *error);
/* Is the last snapshot one that can be used, or of another build, and of an event that is there? */
scant_status study_check_snapshot(scant_study *study, scant_error *error);
/* From nothing, with the values as they are now. */
scant_status study_relearn(scant_study *study, scant_error *error);
/* The same, and keeps it in the open transaction. */
scant_status study_relearn_and_keep(scant_study *study, scant_error *error);
/* The algorithm of its learner. */
const scant_algorithm *study_algorithm(const scant_study *study);
/* Keeps the learner in the open transaction. */
scant_status study_keep_learner(scant_study *study, scant_error *error);
/* Tells the learner of study->order, which is complete. */
scant_status study_learner_tell_order(scant_study *study, scant_error *error);
/* Tells it that study->order was cancelled; or lets it take the answers again. */
scant_status study_learner_cancel_order(scant_study *study, scant_error *error);
scant_status study_learner_reopen_order(scant_study *study, scant_error *error);
/* The look of study->order, as it was when it was asked for; the caller frees it. */
scant_status study_load_look(scant_study *study, scant_look **look, scant_error *error);
/* Tells it of an example that holds `count` answers in study->told, and is imported by the next event. */
scant_status study_learner_import(scant_study *study, size_t count, scant_error *error);
/* Examples that it has learned from. */
uint64_t study_learner_told(const scant_study *study);
/* Goes on past an event of which only a mark is left: serials and generator go on, and nothing is learned. */
scant_status study_follow_erased(scant_study *study, scant_event_kind kind, scant_error *error);

/* Hears of each purchase before the learner is told it. */
typedef struct study_listener {
  struct scant_transcript *transcript; /* NULL: none */
  struct study_curve *curve;           /* notes what the learner says of itself; NULL: none */
} study_listener;
/* study_relearn with a listener; if it fails, the learner is stale. */
scant_status study_relearn_for(scant_study *study, const study_listener *listener, scant_error *error);

/* ---- results.c ----------------------------------------------------------- */

scant_status study_note_point(scant_study *study, struct study_curve *curve, scant_error *error);

/* ---- told_examples.c ----------------------------------------------------- */

/* All that was told of examples with a target, by rows; NaN: nothing was told.  The caller frees both arrays. */
typedef struct study_table {
  double *x, *y;
  size_t rows, room, y_room;
} study_table;
scant_status study_gather(scant_study *study, study_table *table, scant_error *error);

#endif
