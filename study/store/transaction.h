/* Transactions, which every call begins and ends with, and groups of calls. */
#ifndef SCANT_STUDY_TRANSACTION_H
#define SCANT_STUDY_TRANSACTION_H

#include "scant_study.h"
#include "store/sql.h"

/* Every function that reads begins and ends with these.  They bring the learner up to date, and a reader
 * beside a writer sees the study of one moment.  study_leave returns `status`. */
scant_status study_enter(scant_study *study, scant_error *error);
scant_status study_leave(scant_study *study, scant_status status);

/* Begins to read of one moment and leaves the learner as it is.  *alone: this call has begun to read, and no other one
 * around it.  study_end_peek returns `status`. */
scant_status study_peek(scant_study *study, int *alone, scant_error *error);
scant_status study_end_peek(scant_study *study, int alone, scant_status status);
/* Is nobody kept from writing meanwhile?  Then a call reads within a transaction. */
int study_is_shared_now(const scant_study *study);
/* SCANT_MISUSE in a child of the process that opened the study. */
scant_status study_check_process(const scant_study *study, scant_error *error);
/* The same, and SCANT_IO if the group at hand is lost. */
scant_status study_check_usable(const scant_study *study, scant_error *error);
/* Runs a statement that has no parameters and gives no row. */
scant_status study_run_plainly(scant_study *study, study_sql which, scant_error *error);
/* Begins a transaction, or a savepoint within a group.  SCANT_IO: the file is not where it was opened any more. */
scant_status study_begin_writing(scant_study *study, scant_error *error);

/* Every function that writes begins with study_begin_turn, or with study_take, and ends with study_end_turn, which
 * returns `status`.  They check that the study is open for writing, by this process.  A handle that shares the study
 * takes the lock and catches up with what others wrote meanwhile, and lets the lock go at the end; turns may stand
 * inside turns.  study_take also checks texts; *example and *reason (NULL: none) become copies. */
scant_status study_begin_turn(scant_study *study, scant_error *error);
/* The same without catching up, for a study whose orders may be damaged. */
scant_status study_seize(scant_study *study, scant_error *error);
scant_status study_end_turn(scant_study *study, scant_status status);
scant_status study_take(scant_study *study, const char **example, const char **reason, scant_error *error);
/* Begins to write, within a turn: a transaction, or a step of the group at hand. */
scant_status study_begin(scant_study *study, scant_error *error);
/* The same for what is no event: the ledger does not get that of a new build before it. */
scant_status study_begin_step(scant_study *study, scant_error *error);
/* Takes back the transaction at hand, if there is any: all of it. */
scant_status study_roll_back(scant_study *study, scant_error *error);
/* Takes back what was begun last, and not what stands before it in a group.  `touched` as below. */
scant_status study_take_step_back(scant_study *study, int touched, scant_error *error);
/* Ends it: commits if `status` is SCANT_OK, else takes all back.  `touched`: the learner has changed, and is
 * stale if all is taken back. */
scant_status study_end(scant_study *study, scant_status status, int touched, scant_error *error);
/* The same after the learner was touched. */
static inline scant_status study_settle(scant_study *study, scant_status status, scant_error *error) {
  return study_end(study, status, 1, error);
}

/* ---- groups.c ------------------------------------------------------------ */

/* SCANT_IO if there is a group and all of it was taken back, since memory or the disk failed. */
scant_status study_check_group(const scant_study *study, scant_error *error);
/* SCANT_MISUSE if there is a group: `what` can't be a part of one. */
scant_status study_refuse_in_group(const scant_study *study, const char *what, scant_error *error);
/* Takes back the last step or group inside the group at hand; if that fails, all of it is lost. */
scant_status study_roll_back_inside(scant_study *study, scant_error *error);
/* Takes back all groups. */
void study_leave_groups(scant_study *study);

#endif
