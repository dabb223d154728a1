/* Transactions, which every call begins and ends with, and groups of calls. */
#include <unistd.h>

#include "study.h"

static const char commit[] = "COMMIT", roll_back[] = "ROLLBACK";
/* all savepoints have one name: the innermost is meant */
static const char release[] = "RELEASE inside", roll_back_to[] = "ROLLBACK TO inside";

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

/* Begins a transaction, or a savepoint within a group.  SCANT_IO: the file is not where it was opened any more. */
static scant_status begin_writing(scant_study *study, scant_error *error) {
  if (study->groups) return study_run(study, "SAVEPOINT inside", NULL, error);
  SCANT_TRY(check_not_moved(study, error));
  return study_run(study, "BEGIN IMMEDIATE", NULL, error);
}

static int was_rolled_back(const scant_study *s) {
  return s->groups && (s->rolled_back || sqlite3_get_autocommit(s->db));
}

/* SCANT_IO if there is a group and all of it was taken back, since memory or the disk failed. */
static scant_status check_group(const scant_study *study, scant_error *error) {
  if (!was_rolled_back(study)) return SCANT_OK;
  return scant_fail(error, SCANT_IO,
                    "memory or the disk failed within a group of calls, and all of it was taken back: do it again");
}

scant_status study_refuse_in_group(const scant_study *study, const char *what, scant_error *error) {
  if (!study->groups) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "%s can't be a part of a group of calls: end the group before", what);
}

scant_status study_roll_back(scant_study *study, scant_error *error) {
  if (sqlite3_get_autocommit(study->db)) return SCANT_OK;
  study_reset(study);
  return study_run(study, roll_back, NULL, error);
}

/* Rolls back the last step or inner group of the open group; if that fails, the whole group is lost. */
static scant_status roll_back_inside(scant_study *s, scant_error *error) {
  SCANT_TRY(check_group(s, error));
  scant_status status = study_run(s, roll_back_to, NULL, error);
  if (status == SCANT_OK) status = study_run(s, release, NULL, error);
  if (status == SCANT_OK) return SCANT_OK;
  s->rolled_back = s->stale = 1;
  study_roll_back(s, NULL); /* what can't be rolled back in part is rolled back as a whole */
  return status;
}

scant_status study_check_process(const scant_study *study, scant_error *error) {
  if (study->owner == (long)getpid()) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "the study was opened by another process: each opens it for itself");
}

scant_status study_check_usable(const scant_study *study, scant_error *error) {
  SCANT_TRY(study_check_process(study, error));
  return check_group(study, error);
}

int study_is_shared_now(const scant_study *study) {
  return study->mode == SCANT_STUDY_READ || (study->mode == SCANT_STUDY_SHARE && study->lock.file < 0);
}

/* ---- reading -------------------------------------------------------------------- */

scant_status study_leave(scant_study *study, scant_status status) {
  if (status != SCANT_OK) study_reset(study);
  if (study_is_shared_now(study)) study_roll_back(study, NULL);
  return status;
}

/* Begins to read of one moment, if study_is_shared_now; study_leave ends it. */
static scant_status begin_reading(scant_study *study, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_roll_back(study, error)); /* of a call before, if memory had run out */
  SCANT_TRY(study_query(study, roll_back, NULL, &statement, error));
  study_reset(study);
  return study_run(study, "BEGIN", NULL, error);
}

scant_status study_enter_file(scant_study *study, scant_error *error) {
  SCANT_TRY(study_check_usable(study, error));
  return study_is_shared_now(study) ? begin_reading(study, error) : SCANT_OK;
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
  study_reset(study);
  study_roll_back(study, NULL); /* if memory had run out for that */
  study_unlock(&study->lock);
  return status;
}

scant_status study_seize(scant_study *s, scant_error *error) {
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

scant_status study_begin_turn(scant_study *s, scant_error *error) {
  SCANT_TRY(study_seize(s, error));
  scant_status status = s->turns == 1 ? study_catch_up(s, error) : s->stale ? study_load_learner(s, error) : SCANT_OK;
  return status == SCANT_OK ? SCANT_OK : study_end_turn(s, status);
}

scant_status study_take(scant_study *s, const char **example, const char **reason, scant_error *error) {
  const char *text = reason ? *reason : NULL;
  SCANT_TRY(check_writable(s, error));
  SCANT_TRY(study_check_example(*example, error));
  size_t length = text ? strlen(text) : 0;
  if (length > STUDY_REASON_MOST)
    return scant_fail(error, SCANT_USAGE, "the reason is too long: %zu bytes, and at most %d can be", length,
                      STUDY_REASON_MOST);
  if (length && !scant_text_is_utf8(text, length)) return scant_fail(error, SCANT_USAGE, "the reason is not UTF-8");
  for (size_t i = 0; i < length && !s->again; i++) /* what is in the ledger stays as it is */
    if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
      return scant_fail(error, SCANT_USAGE, "the reason has line breaks or other control characters in it");
  *example = memmove(s->example, *example, strlen(*example) + 1);
  if (text) *reason = memmove(s->reason, text, length + 1);
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

/* The statements that end it are prepared before it begins, so that it can be taken back even if memory is short. */
static scant_status prepare_ends(scant_study *s, const char *end, const char *take_back, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_query(s, end, NULL, &statement, error));
  return study_query(s, take_back, NULL, &statement, error);
}

scant_status study_begin_step(scant_study *s, scant_error *error) {
  SCANT_TRY(check_writable(s, error));
  if (s->stale) SCANT_TRY(study_load_learner(s, error));
  SCANT_TRY(s->groups ? prepare_ends(s, release, roll_back_to, error) : prepare_ends(s, commit, roll_back, error));
  SCANT_TRY(begin_writing(s, error));
  s->before = s->tip;
  return SCANT_OK;
}

scant_status study_begin(scant_study *study, scant_error *error) {
  SCANT_TRY(study_begin_step(study, error));
  scant_status status = append_build(study, error);
  return status == SCANT_OK ? SCANT_OK : study_end(study, status, 1, error);
}

scant_status study_take_step_back(scant_study *s, int touched, scant_error *error) {
  study_reset(s);
  scant_status status = s->groups ? roll_back_inside(s, error) : study_roll_back(s, error);
  s->tip = s->before;
  if (touched || status != SCANT_OK) s->stale = 1;
  return status;
}

scant_status study_end(scant_study *s, scant_status status, int touched, scant_error *error) {
  if (status == SCANT_OK && touched && s->path && s->tip.sequence - s->kept >= s->keep_every)
    status = study_keep_learner(s, error);
  if (status == SCANT_OK) status = study_run(s, s->groups ? release : commit, NULL, error);
  if (status != SCANT_OK) study_take_step_back(s, touched, NULL);
  return status;
}

/* ---- groups ------------------------------------------------------------------------------- */

/* Several calls in one transaction, durable together.  The outermost group is a transaction of SQLite's; groups and
 * calls inside it are savepoints.  SQLite may roll back the whole transaction when memory or the disk fails in the
 * middle of a statement.  Then all calls but those that end the group fail, so that nothing is written beside it. */

/* What is in memory goes back to where the group began, or the outermost one if all was rolled back. */
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
  study_reset(s);
  scant_status status = SCANT_OK;
  if (s->groups == 1)
    status = study_roll_back(s, NULL);
  else if (!rolled_back)
    status = roll_back_inside(s, NULL);
  if (--s->groups == 0) s->rolled_back = 0;
  if (rolled_back || status != SCANT_OK) s->stale = 1;
  go_back(s, &to);
}

static scant_status begin(scant_study *s, scant_error *error) {
  if (!scant_grow(&s->group_list, &s->groups_room, s->groups + 1, sizeof *s->group_list))
    return scant_fail_memory(error);
  SCANT_TRY(prepare_ends(s, commit, roll_back, error));
  SCANT_TRY(prepare_ends(s, release, roll_back_to, error));
  SCANT_TRY(begin_writing(s, error));
  s->group_list[s->groups++] = s->tip;
  return SCANT_OK;
}

scant_status scant_study_begin(scant_study *study, scant_error *error) {
  SCANT_TRY(study_begin_turn(study, error));
  scant_status status = begin(study, error);
  return status == SCANT_OK ? SCANT_OK : study_end_turn(study, status);
}

scant_status scant_study_commit(scant_study *s, scant_error *error) {
  SCANT_TRY(study_check_process(s, error));
  if (!s->groups) return scant_fail(error, SCANT_MISUSE, "there is no group of calls to commit");
  scant_status status = check_group(s, error);
  if (status == SCANT_OK) status = study_run(s, s->groups == 1 ? commit : release, NULL, error);
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
