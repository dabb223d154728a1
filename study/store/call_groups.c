/* Groups of calls: several in one transaction, durable together.
 *
 * The outermost group is a transaction of SQLite's; groups and calls inside it are savepoints.  SQLite may take back
 * the whole transaction when memory or the disk fails in the middle of a statement.  Then the group is lost: all calls
 * but those that end it fail, so that nothing is written beside it.
 */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "study.h"
#include "terms/terms.h"
#include "store/transaction.h"

static int is_lost(const scant_study *s) {
  return s->groups && (s->lost || sqlite3_get_autocommit(s->db));
}

static scant_status refuse_lost(scant_error *error) {
  return scant_fail(error, SCANT_IO,
                    "memory or the disk failed within a group of calls, and all of it was taken back: do it again");
}

scant_status study_check_group(const scant_study *study, scant_error *error) {
  return is_lost(study) ? refuse_lost(error) : SCANT_OK;
}

scant_status study_refuse_in_group(const scant_study *study, const char *what, scant_error *error) {
  if (!study->groups) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "%s can't be a part of a group of calls: end the group before", what);
}

scant_status study_undo_inside(scant_study *study, scant_error *error) {
  scant_study *s = study;
  if (is_lost(s)) return refuse_lost(error);
  scant_status status = study_run_plainly(s, SQL_ROLLBACK_TO, error);
  if (status == SCANT_OK) status = study_run_plainly(s, SQL_RELEASE, error);
  if (status == SCANT_OK) return SCANT_OK;
  s->lost = s->stale = 1;
  study_take_back(s, NULL); /* what can't be taken back in part is taken back as a whole */
  return status;
}

/* What is in memory goes back to where the group began.  A lost one has gone back to where the outermost one did. */
static void go_back(scant_study *s, const study_tip *to) {
  if (s->tip.sequence != to->sequence) {
    s->stale = 1;
    s->judged_at = 0; /* other events will have these numbers */
    scant_model_free(s->gaussian);
    s->gaussian = NULL;
  }
  int amended = s->amended > to->sequence;
  s->tip = *to;
  if (!amended) return;
  s->amended = UINT64_MAX; /* the terms are read again, here or when the learner is */
  study_refresh_terms(s, NULL);
}

/* Ends the innermost group and takes it back. */
static void take_back(scant_study *s) {
  int lost = is_lost(s);
  const study_tip to = s->group_list[lost ? 0 : s->groups - 1];
  study_reset(&s->statements);
  scant_status status = SCANT_OK;
  if (s->groups == 1)
    status = study_take_back(s, NULL);
  else if (!lost)
    status = study_undo_inside(s, NULL);
  if (--s->groups == 0) s->lost = 0;
  if (lost || status != SCANT_OK) s->stale = 1;
  go_back(s, &to);
}

static scant_status begin(scant_study *s, scant_error *error) {
  static const study_sql ends[] = {SQL_COMMIT, SQL_ROLLBACK, SQL_RELEASE, SQL_ROLLBACK_TO};
  sqlite3_stmt *statement;
  if (!scant_grow(&s->group_list, &s->groups_room, s->groups + 1, sizeof *s->group_list))
    return scant_fail_memory(error);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) /* before it begins, as those of a call */
    SCANT_TRY(study_prepare(s->db, &s->statements, ends[i], &statement, error));
  SCANT_TRY(study_begin_writing(s, error));
  s->group_list[s->groups++] = s->tip;
  return SCANT_OK;
}

scant_status scant_study_begin(scant_study *study, scant_error *error) {
  SCANT_TRY(study_begin_turn(study, error));
  scant_status status = begin(study, error);
  return status == SCANT_OK ? SCANT_OK : study_end_turn(study, status);
}

scant_status scant_study_commit(scant_study *study, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(study_check_process(s, error));
  if (!s->groups) return scant_fail(error, SCANT_MISUSE, "there is no group of calls to commit");
  scant_status status = study_check_group(s, error);
  if (status == SCANT_OK) status = study_run_plainly(s, s->groups == 1 ? SQL_COMMIT : SQL_RELEASE, error);
  if (status == SCANT_OK)
    s->groups--;
  else
    take_back(s);
  return study_end_turn(s, status);
}

void scant_study_take_back(scant_study *study) {
  if (!study->groups || study_check_process(study, NULL) != SCANT_OK) return;
  take_back(study);
  study_end_turn(study, SCANT_OK);
}

void study_leave_groups(scant_study *study) {
  while (study->groups) scant_study_take_back(study);
}
