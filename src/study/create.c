/* Making a study: whole, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "learn/resolve.h"
#include "core/text.h"
#include "study/lock.h"
#include "study/study.h"

/* Only settings of the learner, the run and callers.  Some are kept even if they were not given, so that a
 * later version with other defaults goes on as the study began. */
static int is_kept(const scant_settings *settings, const scant_option *option) {
  static const char *const always[] = {"algorithm", "seed", "missing"};
  if (option->or_none) return settings->learning.clip > 0; /* see scant_settings_recall_clip */
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (!strcmp(option->name, always[i])) return 1;
  return (option->scope & (SCANT_SCOPE_MODEL | SCANT_SCOPE_LIBRARY)) && !(option->scope & SCANT_SCOPE_DATA) &&
         scant_settings_is_given(settings, option);
}

static scant_status write_settings(scant_study *s, scant_error *error) {
  const scant_option *o;
  sqlite3_stmt *statement;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[256];
    if (!is_kept(&s->settings, o)) continue;
    scant_settings_get(&s->settings, o, value, sizeof value);
    SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_SETTING, &statement, error));
    study_bind_text(statement, 1, o->name);
    study_bind_text(statement, 2, value);
    SCANT_TRY(study_run(s->db, statement, error));
  }
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_SETTING, &statement, error));
  study_bind_text(statement, 1, "target-name");
  study_bind_text(statement, 2, s->target);
  return study_run(s->db, statement, error);
}

static scant_status write_catalogue(scant_study *s, scant_error *error) {
  for (size_t i = 0; i < s->dimension; i++) {
    const scant_study_attribute *a = &s->catalogue[i];
    sqlite3_stmt *statement;
    SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_ATTRIBUTE, &statement, error));
    study_bind_count(statement, 1, i);
    study_bind_text(statement, 2, a->name);
    study_bind_text(statement, 3, a->unit);
    study_bind_count(statement, 4, a->cost);
    study_bind_real(statement, 5, a->low);
    study_bind_real(statement, 6, a->high);
    study_bind_text(statement, 7, a->group);
    study_bind_count(statement, 8, (uint64_t)(a->known != 0));
    SCANT_TRY(study_run(s->db, statement, error));
  }
  return SCANT_OK;
}

/* The rows of a query, every cell with its type and length. */
static scant_status hash_rows(scant_study *s, const char *sql, uint64_t *state, scant_error *error) {
  sqlite3_stmt *statement;
  int row, code = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "reading the study", error);
  scant_status status;
  while ((status = study_step(s->db, statement, &row, error)) == SCANT_OK && row) {
    for (int i = 0; i < sqlite3_column_count(statement) && status == SCANT_OK; i++) {
      int type = sqlite3_column_type(statement, i);
      char text[64] = "";
      const char *bytes = text;
      if (type == SQLITE_INTEGER) snprintf(text, sizeof text, "%lld", (long long)sqlite3_column_int64(statement, i));
      if (type == SQLITE_FLOAT) scant_format_real(text, sizeof text, sqlite3_column_double(statement, i));
      if (type == SQLITE_TEXT) bytes = (const char *)sqlite3_column_text(statement, i);
      if (!bytes) status = scant_fail_memory(error);
      size_t length = type == SQLITE_TEXT ? (size_t)sqlite3_column_bytes(statement, i) : strlen(text);
      char head[32];
      snprintf(head, sizeof head, "%d %zu:", type, length);
      *state = scant_hash(*state, head, strlen(head));
      if (bytes) *state = scant_hash(*state, bytes, length);
    }
    if (status != SCANT_OK) break;
  }
  sqlite3_finalize(statement);
  return status;
}

scant_status study_digest(scant_study *study, uint64_t *digest, scant_error *error) {
  *digest = SCANT_HASH_START;
  SCANT_TRY(hash_rows(study, "SELECT name, value FROM setting ORDER BY name", digest, error));
  return hash_rows(study, "SELECT * FROM attribute ORDER BY place", digest, error);
}

static scant_status write_all(scant_study *s, scant_error *error) {
  char numbers[80];
  snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d;", STUDY_APPLICATION,
           STUDY_VERSION);
  SCANT_TRY(study_execute(s->db, "BEGIN IMMEDIATE", error));
  SCANT_TRY(study_execute(s->db, numbers, error));
  SCANT_TRY(study_execute(s->db, study_schema, error));
  SCANT_TRY(write_settings(s, error));
  SCANT_TRY(write_catalogue(s, error));
  uint64_t digest;
  char reason[300];
  SCANT_TRY(study_digest(s, &digest, error));
  snprintf(reason, sizeof reason, "%.200s" STUDY_DIGEST "%016" PRIx64, study_build(), digest);
  scant_study_event event = study_event(SCANT_EVENT_CREATE, NULL, 0);
  event.reason = reason;
  SCANT_TRY(study_append(s, &event, error));
  return study_execute(s->db, "COMMIT", error);
}

/* Puts an algorithm in place of `default`, for the catalogue of the study.  Its file names what was taken, so that
 * nothing is chosen anew when it is opened or replayed. */
static scant_status choose(const scant_study *s, scant_settings *settings, scant_error *why, scant_error *error) {
  if (strcmp(settings->learning.algorithm, SCANT_DEFAULT_ALGORITHM) != 0) return SCANT_OK;
  SCANT_TRY(scant_settings_resolve(settings, error));
  scant_settings_choose_for_study(settings, s->dimension, settings->run.examples, s->prices, why);
  return SCANT_OK;
}

scant_status scant_study_choose(scant_settings *settings, const scant_study_attribute *catalogue, size_t count,
                                const char *target, scant_error *why, scant_error *error) {
  scant_study *s = study_new(settings);
  if (!s) return scant_fail_memory(error);
  if (why) why->text[0] = 0;
  scant_status status = study_take_catalogue(s, catalogue, count, target ? target : "y", error);
  if (status == SCANT_OK) status = choose(s, settings, why, error);
  study_free(s);
  return status;
}

scant_status study_make(scant_study *study, const scant_settings *settings, const scant_study_attribute *catalogue,
                        size_t count, const char *target, scant_error *error) {
  scant_study *s = study;
  if (study_is_old_build(study_build())) s->before_prices = 1;
  SCANT_TRY(study_take_catalogue(s, catalogue, count, target ? target : "y", error));
  scant_settings taken = *settings;
  SCANT_TRY(choose(s, &taken, NULL, error));
  SCANT_TRY(study_take_settings(s, &taken, error));
  s->mode = SCANT_STUDY_WRITE;
  SCANT_TRY(study_relearn(s, error)); /* made from nothing, so that a refusal by the learner shows now */
  return write_all(s, error);
}

/* Writes an empty study to a file that is there.  All of it is in that file when it is closed: it begins to log ahead
 * (WAL) last. */
static scant_status make_file(const char *name, const scant_settings *settings, const scant_study_attribute *catalogue,
                              size_t count, const char *target, scant_error *error) {
  scant_study *s = study_new(settings);
  if (!s) return scant_fail_memory(error);
  scant_status status = study_open_database(s, name, SQLITE_OPEN_READWRITE, error);
  if (status == SCANT_OK) status = study_execute(s->db, "PRAGMA synchronous = FULL", error);
  if (status == SCANT_OK) status = study_make(s, settings, catalogue, count, target, error);
  if (status == SCANT_OK) status = study_log_ahead(s, error);
  study_free(s);
  return status;
}

/* Gives the file its name unless that is taken. */
static scant_status put_in_place(const char *from, const char *path, scant_error *error) {
  SCANT_TRY(study_check_place(path, error)); /* checked again, since making the study took a while */
  int code = link(from, path) == 0 ? 0 : errno;
  if (code == EPERM || code == EOPNOTSUPP || code == ENOSYS) { /* on file systems where a file has one name only */
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    code = file < 0 ? errno : 0;
    if (file >= 0) close(file);
    if (!code && rename(from, path) != 0) {
      code = errno;
      unlink(path);
    }
  }
  if (code) return study_fail_place(path, code, error);
  study_sync_folder(path);
  return SCANT_OK;
}

/* A file and what SQLite may have left beside it. */
static void remove_all(char *name) {
  static const char *const ends[] = {"", "-journal", "-wal", "-shm"};
  char other[4200];
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
    if (snprintf(other, sizeof other, "%s%s", name, ends[i]) < (int)sizeof other) unlink(other);
}

scant_status scant_study_create(const char *path, const scant_settings *settings,
                                const scant_study_attribute *catalogue, size_t count, const char *target,
                                scant_error *error) {
  scant_study *s = study_new(settings);
  if (!s) return scant_fail_memory(error);
  /* tried in memory first, so that no file is made if it fails */
  scant_status status = study_open_database(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error);
  if (status == SCANT_OK) status = study_make(s, settings, catalogue, count, target, error);
  study_free(s);
  if (status != SCANT_OK) return status;
  SCANT_TRY(study_check_place(path, error));
  /* under another name until it is whole, so that no half study is ever there */
  size_t length = strlen(path) + sizeof "-new-XXXXXX";
  char *name = scant_array(length, 1);
  if (!name) return scant_fail_memory(error);
  snprintf(name, length, "%s-new-XXXXXX", path);
  int file = mkstemp(name);
  if (file < 0)
    status = study_fail_place(path, errno, error);
  else
    close(file);
  if (status == SCANT_OK) status = make_file(name, settings, catalogue, count, target, error);
  if (status == SCANT_OK) status = put_in_place(name, path, error);
  if (file >= 0) remove_all(name);
  free(name);
  return status;
}

scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error) {
  scant_study *s = study_new(&study->settings);
  if (!s) return scant_fail_memory(error);
  scant_status status = study_open_database(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error);
  s->clock = "";
  s->before_prices = study->before_prices;
  if (status == SCANT_OK) *twin = s;
  if (status != SCANT_OK) study_free(s);
  return status;
}
