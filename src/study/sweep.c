/* Sweeping: what was erased is in no file of the study any more.
 *
 * After a transaction the bytes of before are still there: in the log, on pages that are free, and behind the rows of
 * pages that are not.  The file is written anew without them (VACUUM, in memory), and the log is taken over and cut to
 * nothing.  Until that is done, a row of the table `sweep` says that it is due: whoever opens the study to write does
 * it.
 */
#include "core/error.h"
#include "study/study.h"

/* Readers that began before hold the log back. */
static scant_status refuse_unfinished(const scant_study *s, scant_error *error) {
  return scant_fail(
      error, SCANT_BUSY,
      "what was erased is no part of '%.200s' any more, but its bytes are still in the file or in its log, "
      "since somebody reads the study: finish the erasure when they have ended",
      s->path);
}

static scant_status is_due(scant_study *s, int *due, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t number;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SWEEP, &statement, error));
  SCANT_TRY(study_read_single(s, statement, &number, error));
  *due = number != 0;
  return SCANT_OK;
}

scant_status study_is_unswept(scant_study *study, int *due, scant_error *error) {
  return is_due(study, due, error);
}

static scant_status sweep(scant_study *s, scant_error *error) {
  sqlite3_stmt *statement;
  study_reset(&s->statements);
  int code = sqlite3_exec(s->db, "VACUUM", NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) return refuse_unfinished(s, error);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "sweeping out what was erased", error);
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SWEPT, &statement, error));
  return study_run(s->db, statement, error);
}

scant_status study_sweep_if_due(scant_study *study, scant_error *error) {
  int due;
  SCANT_TRY(is_due(study, &due, error));
  return due ? sweep(study, error) : SCANT_OK;
}

scant_status scant_study_sweep(scant_study *study, scant_error *error) {
  SCANT_TRY(study_seize(study, error));
  return study_end_turn(study, study_leave(study, study_sweep_if_due(study, error)));
}
