/* Sweeping: what was erased is in no file of the study any more.
 *
 * After a transaction the bytes of before are still there: in the log, on pages that are free, and behind the rows of
 * pages that are not.  The file is written anew without them (VACUUM, in memory), and the log is taken over and cut to
 * nothing.  Until that is done, a row of the table `sweep` says that it is due: whoever opens the study to write does
 * it.
 */
#include <limits.h>

#include "base/error.h"
#include "changes/erase.h"
#include "study.h"
#include "store/transaction.h"
#include "store/walk.h"

/* Readers that began before hold the log back. */
static scant_status refuse_unfinished(const scant_study *s, scant_error *error) {
  return scant_fail(
      error, SCANT_BUSY,
      "what was erased is no part of '%.200s' any more, but its bytes are still in the file or in its log, "
      "since somebody reads the study: finish the erasure when they have ended",
      s->path);
}

scant_status study_is_unswept(scant_study *study, int *unswept, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t number;
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_SWEEP, &statement, error));
  SCANT_TRY(study_read_single(study, statement, &number, error));
  *unswept = number != 0;
  return SCANT_OK;
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

scant_status study_sweep_if_due(scant_study *study, double seconds, scant_error *error) {
  int due;
  SCANT_TRY(study_is_unswept(study, &due, error));
  if (!due) return SCANT_OK;
  sqlite3_busy_timeout(study->db, seconds < INT_MAX / 1000 ? (int)(1000 * seconds) : INT_MAX);
  scant_status status = sweep(study, error);
  sqlite3_busy_timeout(study->db, STUDY_BUSY);
  return status;
}

double study_patience(const scant_study *study) {
  return study->wait.seconds > STUDY_BUSY / 1000. ? study->wait.seconds : STUDY_BUSY / 1000.;
}

scant_status scant_study_sweep(scant_study *study, scant_error *error) {
  SCANT_TRY(study_refuse_in_group(study, "sweeping out what was erased", error));
  SCANT_TRY(study_seize(study, error));
  return study_end_turn(study, study_leave(study, study_sweep_if_due(study, study_patience(study), error)));
}
