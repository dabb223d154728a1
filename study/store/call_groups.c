/* Groups of calls: several in one transaction, durable together.
 *
 * The outermost group is a transaction of SQLite's; groups and calls inside it are savepoints.  SQLite may roll back
 * the whole transaction when memory or the disk fails in the middle of a statement.  Then the group is rolled back: all
 * calls but those that end it fail, so that nothing is written beside it.
 */
#include <stdlib.h>

#include "scant_base.h"
#include "study.h"
#include "terms/terms.h"
#include "store/transaction.h"

static int was_rolled_back(const scant_study *s) {
  return s->groups && (s->rolled_back || sqlite3_get_autocommit(s->db));
}

static scant_status refuse_rolled_back(scant_error *error) {
  return scant_fail(error, SCANT_IO,
                    "memory or the disk failed within a group of calls, and all of it was taken back: do it again");
}

scant_status study_check_group(const scant_study *study, scant_error *error) {
  return was_rolled_back(study) ? refuse_rolled_back(error) : SCANT_OK;
}

scant_status study_refuse_in_group(const scant_study *study, const char *what, scant_error *error) {
  if (!study->groups) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "%s can't be a part of a group of calls: end the group before", what);
}

scant_status study_roll_back_inside(scant_study *study, scant_error *error) {
  scant_study *s = study;
  if (was_rolled_back(s)) return refuse_rolled_back(error);
  scant_status status = study_run_plainly(s, SQL_ROLLBACK_TO, error);
  if (status == SCANT_OK) status = study_run_plainly(s, SQL_RELEASE, error);
  if (status == SCANT_OK) return SCANT_OK;
  s->rolled_back = s->stale = 1;
  study_roll_back(s, NULL); /* what can't be rolled back in part is rolled back as a whole */
  return status;
}

/* What is in memory goes back to where the group began.  One that was rolled back as a whole has gone back to where the
 * outermost one did. */
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

/* Ends the innermost group and rolls it back. */
static void roll_back_group(scant_study *s) {
  int rolled_back = was_rolled_back(s);
  const study_tip to = s->group_list[rolled_back ? 0 : s->groups - 1];
  study_reset(&s->statements);
  scant_status status = SCANT_OK;
  if (s->groups == 1)
    status = study_roll_back(s, NULL);
  else if (!rolled_back)
    status = study_roll_back_inside(s, NULL);
  if (--s->groups == 0) s->rolled_back = 0;
  if (rolled_back || status != SCANT_OK) s->stale = 1;
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
    roll_back_group(s);
  return study_end_turn(s, status);
}

void scant_study_roll_back(scant_study *study) {
  if (!study->groups || study_check_process(study, NULL) != SCANT_OK) return;
  roll_back_group(study);
  study_end_turn(study, SCANT_OK);
}

void study_leave_groups(scant_study *study) {
  while (study->groups) scant_study_roll_back(study);
}
