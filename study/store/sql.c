#include <errno.h>

#include "study.h"

/* SQLite has a code of its own for a write that found no room, but not for files that can't be made or grow. */
static int is_full(sqlite3 *db, int code) {
  int kind = code & 0xff, reason = db ? sqlite3_system_errno(db) : 0;
  return (kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN) && (reason == ENOSPC || reason == EDQUOT);
}

scant_status study_refuse(sqlite3 *db, int code, const char *doing, scant_error *error) {
  const char *words = db ? sqlite3_errmsg(db) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_NOMEM:
      return scant_fail_memory(error);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return scant_fail(error, SCANT_BUSY, "%s: another one is writing to the study", doing);
    case SQLITE_FULL:
      return scant_fail(error, SCANT_IO, "%s: the disk is full; nothing was changed", doing);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return scant_fail(error, SCANT_IO, "%s: the study can't be written to (%s)", doing, words);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
      return scant_fail(error, SCANT_DATA, "%s: the study is damaged (%s)", doing, words);
    default:
      if (is_full(db, code)) return scant_fail(error, SCANT_IO, "%s: the disk is full; nothing was changed", doing);
      return scant_fail(error, SCANT_IO, "%s: %s", doing, words);
  }
}

static scant_status prepare(scant_study *s, const char *sql, sqlite3_stmt **statement, scant_error *error) {
  size_t i = (uintptr_t)sql / 8 % STUDY_STATEMENTS, tries = 0;
  while (s->statements[i].sql && s->statements[i].sql != sql) {
    if (++tries == STUDY_STATEMENTS) return scant_fail(error, SCANT_MISUSE, "a study has too many statements");
    i = (i + 1) % STUDY_STATEMENTS;
  }
  study_statement *found = &s->statements[i];
  if (!found->sql) {
    int code = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &found->made, NULL);
    if (code != SQLITE_OK) return study_refuse(s->db, code, "reading the study", error);
    found->sql = sql;
  }
  sqlite3_reset(found->made);
  sqlite3_clear_bindings(found->made);
  *statement = found->made;
  return SCANT_OK;
}

static void bind(sqlite3_stmt *statement, int place, const sql_value *value) {
  if (value->type == STUDY_COUNT)
    sqlite3_bind_int64(statement, place, (sqlite3_int64)value->is.count);
  else if (value->type == STUDY_REAL && !isnan(value->is.real))
    sqlite3_bind_double(statement, place, value->is.real);
  else if (value->type == STUDY_TEXT && value->is.text)
    sqlite3_bind_text(statement, place, value->is.text, -1, SQLITE_STATIC);
}

scant_status study_query(scant_study *s, const char *sql, const sql_value *values, sqlite3_stmt **statement,
                         scant_error *error) {
  SCANT_TRY(prepare(s, sql, statement, error));
  int count = values ? sqlite3_bind_parameter_count(*statement) : 0;
  for (int i = 0; i < count; i++) bind(*statement, i + 1, &values[i]);
  return SCANT_OK;
}

scant_status study_step(sqlite3 *db, sqlite3_stmt *statement, int *row, scant_error *error) {
  int code = sqlite3_step(statement);
  *row = code == SQLITE_ROW;
  if (code == SQLITE_ROW) return SCANT_OK;
  scant_status status = code == SQLITE_DONE ? SCANT_OK : study_refuse(db, code, "reading the study", error);
  sqlite3_reset(statement);
  return status;
}

scant_status study_query_row(scant_study *s, const char *sql, const sql_value *values, sqlite3_stmt **statement,
                             int *row, scant_error *error) {
  SCANT_TRY(study_query(s, sql, values, statement, error));
  return study_step(s->db, *statement, row, error);
}

scant_status study_read_single(scant_study *s, const char *sql, const sql_value *values, uint64_t *number,
                               scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query_row(s, sql, values, &statement, &row, error));
  *number = row ? study_column_count(statement, 0) : 0;
  sqlite3_reset(statement);
  return SCANT_OK;
}

scant_status study_run(scant_study *s, const char *sql, const sql_value *values, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_query(s, sql, values, &statement, error));
  int code = sqlite3_step(statement);
  scant_status status =
      code == SQLITE_DONE || code == SQLITE_ROW ? SCANT_OK : study_refuse(s->db, code, "writing to the study", error);
  sqlite3_reset(statement);
  return status;
}

scant_status study_execute(sqlite3 *db, const char *sql, scant_error *error) {
  int code = sqlite3_exec(db, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? SCANT_OK : study_refuse(db, code, "opening the study", error);
}

void study_reset(scant_study *s) {
  for (sqlite3_stmt *at = sqlite3_next_stmt(s->db, NULL); at; at = sqlite3_next_stmt(s->db, at)) sqlite3_reset(at);
}

scant_status study_check_key(int64_t next, uint64_t after, const char *many, const char *one, scant_error *error) {
  if (next > 0 && (uint64_t)next > after) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s damaged: %s %" PRId64 " comes after %s %" PRIu64, many, one, next, one,
                    after);
}

scant_status study_next_key(scant_study *study, sqlite3_stmt *statement, const char *many, const char *one,
                            uint64_t *key, int *more, scant_error *error) {
  SCANT_TRY(study_step(study->db, statement, more, error));
  if (!*more) return SCANT_OK;
  int64_t next = sqlite3_column_int64(statement, 0);
  SCANT_TRY(study_check_key(next, *key, many, one, error));
  *key = (uint64_t)next;
  return SCANT_OK;
}

double study_column_real(sqlite3_stmt *statement, int place) {
  return sqlite3_column_type(statement, place) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, place);
}

scant_status study_column_peek(sqlite3_stmt *statement, int place, const char **text, scant_error *error) {
  int is_null = sqlite3_column_type(statement, place) == SQLITE_NULL;
  *text = is_null ? NULL : (const char *)sqlite3_column_text(statement, place);
  return is_null || *text ? SCANT_OK : scant_fail_memory(error);
}

scant_status study_column_text(sqlite3_stmt *statement, int place, char **text, scant_error *error) {
  const char *value;
  char *copy = NULL;
  SCANT_TRY(study_column_peek(statement, place, &value, error));
  if (value) {
    size_t length = (size_t)sqlite3_column_bytes(statement, place);
    if (memchr(value, 0, length)) return scant_fail(error, SCANT_DATA, "a text in the study is damaged");
    if (!(copy = scant_copy_text(value, length))) return scant_fail_memory(error);
  }
  free(*text);
  *text = copy;
  return SCANT_OK;
}
