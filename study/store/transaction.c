/* Transactions: what every call begins and ends with. */
#include "store/transaction.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scant_base.h"
#include "store/build_id.h"
#include "terms/catalogue.h"
#include "learning/replay_learner.h"
#include "ledger/ledger.h"
#include "store/lock.h"
#include "study.h"

scant_status study_run_plainly(scant_study *study, study_sql which, scant_error *error) {
  sqlite3_stmt *statement = NULL;
  SCANT_TRY(study_prepare(study->db, &study->statements, which, &statement, error));
  return study_run(study->db, statement, error);
}

/* SQLite goes on writing to a file that was moved or deleted, or that another one has replaced, where nobody would find
 * it.  It notices that itself only where it keeps no log ahead. */
static scant_status check_not_moved(const scant_study *s, scant_error *error) {
  int moved = 0;
  if (!s->path || sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || !moved)
    return SCANT_OK;
  return scant_fail(
      error, SCANT_IO,
      "'%.300s' was moved, deleted or replaced while it was open, so nothing is written to it any more: put "
      "it back, or open it again",
      s->path);
}

scant_status study_begin_writing(scant_study *study, scant_error *error) {
  if (study->groups) return study_run_plainly(study, SQL_SAVEPOINT, error);
  SCANT_TRY(check_not_moved(study, error));
  return study_run_plainly(study, SQL_BEGIN, error);
}

scant_status study_roll_back(scant_study *study, scant_error *error) {
  if (sqlite3_get_autocommit(study->db)) return SCANT_OK;
  study_reset(&study->statements);
  return study_run_plainly(study, SQL_ROLLBACK, error);
}

scant_status study_check_process(const scant_study *study, scant_error *error) {
  if (study->owner == (long)getpid()) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "the study was opened by another process: each opens it for itself");
}

scant_status study_check_usable(const scant_study *study, scant_error *error) {
  SCANT_TRY(study_check_process(study, error));
  return study_check_group(study, error);
}

int study_is_shared_now(const scant_study *study) {
  return study->mode == SCANT_STUDY_READ || (study->mode == SCANT_STUDY_SHARE && study->lock.file < 0);
}

/* ---- reading -------------------------------------------------------------------- */

scant_status study_leave(scant_study *study, scant_status status) {
  if (status != SCANT_OK) study_reset(&study->statements);
  if (study_is_shared_now(study)) study_roll_back(study, NULL);
  return status;
}

/* Begins to read the study of one moment, and leaves the learner as it is; study_leave ends it.  For handles of which
 * study_is_shared_now is true. */
static scant_status begin_reading(scant_study *study, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_roll_back(study, error)); /* of a call before, if memory had run out */
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_ROLLBACK, &statement, error));
  study_reset(&study->statements);
  return study_run_plainly(study, SQL_BEGIN_READING, error);
}

scant_status study_enter(scant_study *study, scant_error *error) {
  SCANT_TRY(study_check_usable(study, error));
  if (!study_is_shared_now(study)) return study->stale ? study_load_learner(study, error) : SCANT_OK;
  scant_status status = begin_reading(study, error);
  if (status == SCANT_OK) status = study_catch_up(study, error);
  return status == SCANT_OK ? SCANT_OK : study_leave(study, status);
}

scant_status study_peek(scant_study *study, int *alone, scant_error *error) {
  SCANT_TRY(study_check_usable(study, error));
  *alone = study_is_shared_now(study) && sqlite3_get_autocommit(study->db);
  return *alone ? begin_reading(study, error) : SCANT_OK;
}

scant_status study_end_peek(scant_study *study, int alone, scant_status status) {
  return alone ? study_leave(study, status) : status;
}

/* ---- writing -------------------------------------------------------------------- */

static scant_status check_writable(const scant_study *study, scant_error *error) {
  if (study->mode == SCANT_STUDY_READ)
    return scant_fail(error, SCANT_MISUSE, "the study is open for reading, not for writing");
  return study_check_usable(study, error);
}

scant_status study_end_turn(scant_study *study, scant_status status) {
  if (!study->turns || --study->turns) return status;
  study_reset(&study->statements);
  study_roll_back(study, NULL); /* if memory had run out for that */
  study_unlock(&study->lock);
  return status;
}

scant_status study_seize(scant_study *study, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(check_writable(s, error));
  if (s->mode != SCANT_STUDY_SHARE) return SCANT_OK;
  if (!s->turns) { /* counted only when it is there: what is called while it waits may use the study, too */
    char *made = NULL;
    scant_status status = study_lock(&s->lock, &made, s->path, &s->wait, error);
    free(made); /* the study was opened before, so a lock file belongs there */
    if (status != SCANT_OK) return status;
  }
  s->turns++;
  scant_status status = s->turns == 1 ? study_roll_back(s, error) : SCANT_OK; /* of reading, if memory had run out */
  return status == SCANT_OK ? SCANT_OK : study_end_turn(s, status);
}

scant_status study_begin_turn(scant_study *study, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(study_seize(s, error));
  scant_status status = s->turns == 1 ? study_catch_up(s, error) : s->stale ? study_load_learner(s, error) : SCANT_OK;
  return status == SCANT_OK ? SCANT_OK : study_end_turn(s, status);
}

scant_status study_take(scant_study *study, const char **example, const char **reason, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(check_writable(s, error));
  SCANT_TRY(study_check_example(*example, error));
  size_t length = *reason ? strlen(*reason) : 0;
  if (length > STUDY_REASON_MOST)
    return scant_fail(error, SCANT_USAGE, "the reason is too long: %zu bytes, and at most %d can be", length,
                      STUDY_REASON_MOST);
  if (length && !scant_text_is_utf8(*reason, length)) return scant_fail(error, SCANT_USAGE, "the reason is not UTF-8");
  for (const char *c = *reason; c && *c && !s->again; c++) /* what is in the ledger stays as it is */
    if ((unsigned char)*c < 0x20 || *c == 0x7f)
      return scant_fail(error, SCANT_USAGE, "the reason has line breaks or other control characters in it");
  memmove(s->example, *example, strlen(*example) + 1);
  *example = s->example;
  if (*reason) *reason = memmove(s->reason, *reason, strlen(*reason) + 1);
  return study_begin_turn(s, error);
}

/* Says in the ledger that this build writes from here on, if another one did before. */
static scant_status append_build(scant_study *study, scant_error *error) {
  if (!study->tip.new_build) return SCANT_OK;
  scant_study_event event = study_event(SCANT_EVENT_BUILD, NULL, 0);
  event.reason = study_build();
  SCANT_TRY(study_append(study, &event, error));
  study->tip.new_build = 0;
  return SCANT_OK;
}

scant_status study_begin_step(scant_study *study, scant_error *error) {
  scant_study *s = study;
  static const study_sql alone[] = {SQL_COMMIT, SQL_ROLLBACK}, inside[] = {SQL_RELEASE, SQL_ROLLBACK_TO};
  SCANT_TRY(check_writable(s, error));
  if (s->stale) SCANT_TRY(study_load_learner(s, error));
  /* the statements that end it are prepared before it begins, so that it can be taken back even if memory is short */
  sqlite3_stmt *statement;
  for (int i = 0; i < 2; i++)
    SCANT_TRY(study_prepare(s->db, &s->statements, s->groups ? inside[i] : alone[i], &statement, error));
  SCANT_TRY(study_begin_writing(s, error));
  s->before = s->tip;
  return SCANT_OK;
}

scant_status study_begin(scant_study *study, scant_error *error) {
  SCANT_TRY(study_begin_step(study, error));
  scant_status status = append_build(study, error);
  return status == SCANT_OK ? SCANT_OK : study_end(study, status, 1, error);
}

scant_status study_take_step_back(scant_study *study, int touched, scant_error *error) {
  scant_study *s = study;
  study_reset(&s->statements);
  scant_status status = s->groups ? study_roll_back_inside(s, error) : study_roll_back(s, error);
  s->tip = s->before;
  if (touched || status != SCANT_OK) s->stale = 1;
  return status;
}

scant_status study_end(scant_study *study, scant_status status, int touched, scant_error *error) {
  scant_study *s = study;
  if (status == SCANT_OK && touched && s->path && s->tip.sequence - s->kept >= s->keep_every)
    status = study_keep_learner(s, error);
  if (status == SCANT_OK) status = study_run_plainly(s, s->groups ? SQL_RELEASE : SQL_COMMIT, error);
  if (status != SCANT_OK) study_take_step_back(s, touched, NULL);
  return status;
}
