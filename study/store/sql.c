#include <errno.h>

#include "study.h"

static const char *const texts[SQL_COUNT] = {
    [SQL_BEGIN] = "BEGIN IMMEDIATE",
    [SQL_BEGIN_READING] = "BEGIN",
    [SQL_COMMIT] = "COMMIT",
    [SQL_ROLLBACK] = "ROLLBACK",
    /* all have one name: the innermost is meant */
    [SQL_SAVEPOINT] = "SAVEPOINT inside",
    [SQL_RELEASE] = "RELEASE inside",
    [SQL_ROLLBACK_TO] = "ROLLBACK TO inside",
    [SQL_ADD_SETTING] = "INSERT OR REPLACE INTO setting(name, value) VALUES(?1, ?2)",
    [SQL_FROZEN] = "SELECT sequence FROM ledger WHERE kind = ?1 AND reason = ?2",
    [SQL_SETTING] = "SELECT value FROM setting WHERE name = ?1",
    [SQL_SETTINGS] = "SELECT name, value FROM setting ORDER BY name",
    [SQL_ADD_ATTRIBUTE] =
        "INSERT OR REPLACE INTO attribute(place, name, unit, cost, low, high, usual_low, usual_high, panel, known, "
        "retired) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
    [SQL_ATTRIBUTES] =
        "SELECT place, name, unit, cost, low, high, usual_low, usual_high, panel, known, retired FROM attribute "
        "ORDER BY place",
    [SQL_ADD_EVENT] =
        "INSERT INTO ledger(sequence, at, kind, by, via, number, attributes, reserved, spent, learned, example, look, "
        "reason, change, salt, digest, checksum) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    [SQL_ADD_TOLD] = "INSERT INTO told(sequence, place, attribute, value, note) VALUES(?1, ?2, ?3, ?4, ?5)",
    [SQL_EVENT] =
        "SELECT sequence, at, kind, by, via, number, attributes, reserved, spent, learned, example, look, reason, "
        "change, salt, digest, checksum FROM ledger WHERE sequence > ?1 ORDER BY sequence LIMIT 1",
    /* the first event that was erased, and the last erasure */
    [SQL_GIVEN] =
        "SELECT (SELECT min(sequence) FROM ledger WHERE salt IS NULL), "
        "(SELECT max(sequence) FROM ledger WHERE kind = ?1)",
    [SQL_TOLD] = "SELECT attribute, value, place, note FROM told WHERE sequence = ?1 ORDER BY place",
    [SQL_TOTALS] = "SELECT sum(attributes), sum(reserved), sum(spent) FROM ledger",
    [SQL_LAST_EVENT] = "SELECT sequence, checksum FROM ledger ORDER BY sequence DESC LIMIT 1",
    [SQL_KINDS_SINCE] = "SELECT DISTINCT kind FROM ledger WHERE sequence > ?1",
    [SQL_LAST_BUILD] = "SELECT reason FROM ledger WHERE kind IN (?1, ?2) ORDER BY sequence DESC LIMIT 1",
    [SQL_BUILDS] = "SELECT reason FROM ledger WHERE kind IN (?1, ?2) ORDER BY sequence",
    [SQL_ADD_ORDER] =
        "INSERT INTO orders(number, example, state, spent, y, asked, asked_told, learned_told, reason, second, "
        "second_y, "
        "learned_by) VALUES(?1, ?2, 0, 0, NULL, ?3, ?4, NULL, NULL, 0, NULL, NULL)",
    [SQL_ADD_LINE] =
        "INSERT INTO line(number, place, attribute, price, probability, weight, mean, state, value, note, second, "
        "second_value, second_note, item, counted) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, NULL, NULL, 0, NULL, NULL, ?8, ?9)",
    [SQL_ORDER] =
        "SELECT o.example, o.state, o.spent, o.y, o.asked_told, o.learned_told, o.reason, l.at, l.look, l.by, "
        "o.second, o.second_y, o.learned_by, o.asked FROM orders o JOIN ledger l ON l.sequence = o.asked "
        "WHERE o.number = ?1",
    [SQL_LINES] =
        "SELECT attribute, price, probability, state, value, place, note, second, second_value, second_note, item, "
        "counted FROM line WHERE number = ?1 ORDER BY place",
    [SQL_EXTRAS] = "SELECT attribute, value, note, sequence FROM extra WHERE number = ?1 ORDER BY sequence, attribute",
    [SQL_ADD_EXTRA] = "INSERT INTO extra(number, attribute, value, note, sequence) VALUES(?1, ?2, ?3, ?4, ?5)",
    [SQL_SET_EXTRA] = "UPDATE extra SET value = ?3, note = ?4 WHERE number = ?1 AND attribute = ?2",
    /* the '+' keeps SQLite from putting ?1 in place of the name in the expression, which would make the index useless
     */
    [SQL_LAST_ORDER_OF] = "SELECT number FROM orders INDEXED BY orders_of_example WHERE " STUDY_FOLD(
        "example") " = " STUDY_FOLD("?1") " AND +example = ?1 ORDER BY number DESC LIMIT 1",
    [SQL_LAST_ORDER] = "SELECT max(number) FROM orders",
    [SQL_SET_ORDER] =
        "UPDATE orders SET state = ?2, spent = ?3, y = ?4, learned_told = coalesce(?5, learned_told), "
        "reason = ?6, second = ?7, second_y = ?8, learned_by = coalesce(?9, learned_by) WHERE number = ?1",
    [SQL_SET_LINE] =
        "UPDATE line SET state = ?3, value = ?4, note = ?5, second = ?6, second_value = ?7, second_note = ?8 "
        "WHERE number = ?1 AND place = ?2",
    /* who told what of an order, the last first */
    [SQL_HANDS] =
        "SELECT t.attribute, l.by FROM ledger l JOIN told t ON t.sequence = l.sequence WHERE l.number = ?1 AND "
        "l.sequence > (SELECT asked FROM orders WHERE number = ?1) AND l.kind IN (?2, ?3) "
        "ORDER BY l.sequence DESC",
    [SQL_ADD_IMPORT] = "INSERT INTO import(example, sequence, corrected) VALUES(?1, ?2, 0)",
    [SQL_CORRECT_IMPORT] = "UPDATE import SET corrected = 1 WHERE example = ?1",
    [SQL_IS_CORRECTED] = "SELECT corrected FROM import WHERE example = ?1",
    [SQL_CORRECTIONS] =
        "SELECT t.attribute, t.value, t.note FROM ledger l JOIN told t ON t.sequence = l.sequence "
        "WHERE l.kind = ?1 AND l.number = 0 AND l.example = ?2 ORDER BY l.sequence, t.place",
    [SQL_CORRECTORS] = "SELECT at, by FROM ledger WHERE kind = ?1 AND number = 0 AND example = ?2 ORDER BY sequence",
    [SQL_IMPORTED] = "SELECT sequence FROM import WHERE example = ?1",
    [SQL_ADD_SNAPSHOT] = "INSERT OR REPLACE INTO snapshot(sequence, build, learner) VALUES(?1, ?2, ?3)",
    [SQL_DROP_SNAPSHOTS] = "DELETE FROM snapshot WHERE sequence < ?1",
    [SQL_SNAPSHOT] = "SELECT sequence, build, learner FROM snapshot ORDER BY sequence DESC LIMIT 1",
    [SQL_COUNTS] = "SELECT state, count(*) FROM orders GROUP BY state",
    [SQL_AGES] =
        "SELECT total(age), max(age), count(*) FROM (SELECT max(learned_told - asked_told, 0) AS age FROM orders "
        "WHERE learned_told IS NOT NULL)",
    /* a group is paid at its first member when any of it is measured */
    [SQL_PURCHASES] =
        "SELECT l.attribute, sum(l.state > 0), sum(CASE WHEN l.state > 0 OR (l.price > 0 AND "
        "EXISTS(SELECT 1 FROM line m WHERE m.number = l.number AND m.item = l.item AND m.state > 0)) "
        "THEN l.price ELSE 0 END) FROM line l GROUP BY l.attribute",
    [SQL_BOUGHT] = "SELECT sum(l.attributes) FROM orders o JOIN ledger l ON l.sequence = o.asked WHERE o.state = ?1",
    [SQL_IMPORTED_COUNT] = "SELECT count(*) FROM import",
    [SQL_DIFFER] =
        "SELECT (SELECT count(*) FROM line WHERE second = ?1) + (SELECT count(*) FROM orders WHERE second = ?1)",
    [SQL_LAST_AMENDED] = "SELECT max(sequence) FROM ledger WHERE kind = ?1",
    [SQL_CHANGES] = "SELECT sequence, change FROM ledger WHERE kind IN (?1, ?2) ORDER BY sequence",
    [SQL_LAST_ASKED] = "SELECT max(sequence) FROM ledger WHERE kind = ?1 AND sequence > ?2 AND sequence < ?3",
    [SQL_IMPORTS] = "SELECT sequence FROM ledger WHERE kind = ?1 AND salt IS NOT NULL ORDER BY sequence",
    [SQL_LAST_ORDERS] = "SELECT max(number) AS last FROM orders GROUP BY example ORDER BY last",
    [SQL_ORDER_EVENTS] = "SELECT number, at, kind, learned, by FROM ledger WHERE number > 0 ORDER BY number, sequence",
    /* what was erased has a name that begins with a blank: see erase.c */
    [SQL_NEAR_ORDER] = "SELECT example FROM orders INDEXED BY orders_of_example WHERE " STUDY_FOLD(
        "example") " = " STUDY_FOLD("?1") " AND substr(example, 1, 1) <> ' ' LIMIT 1",
    [SQL_NEAR_IMPORT] = "SELECT example FROM import INDEXED BY import_of_example WHERE " STUDY_FOLD(
        "example") " = " STUDY_FOLD("?1") " LIMIT 1",
    [SQL_OPEN_AFTER] = "SELECT number, state FROM orders WHERE number > ?1 ORDER BY number",
    [SQL_EVENT_OF] =
        "SELECT sequence FROM ledger INDEXED BY ledger_of_example WHERE sequence > ?1 AND example = ?2 "
        "ORDER BY sequence LIMIT 1",
    [SQL_EVENTS_OF] =
        "SELECT sequence FROM ledger WHERE example = ?1 OR (number > 0 AND number IN (SELECT number FROM orders WHERE "
        "example = ?1)) ORDER BY sequence",
    [SQL_ORDERS_OF] = "SELECT number FROM orders INDEXED BY orders_of_example WHERE " STUDY_FOLD(
        "example") " = " STUDY_FOLD("?1") " AND +example = ?1 AND number > ?2 ORDER BY number LIMIT 1",
    [SQL_LOOKS_SINCE] =
        "SELECT count(*) FROM ledger WHERE sequence > ?2 AND look IS NOT NULL AND example IS NOT NULL AND example <> "
        "?1",
    /* the texts that people write of other examples */
    [SQL_MENTIONS] =
        "SELECT count(*) FROM ledger WHERE kind NOT IN ('create', 'build') AND "
        "(example IS NULL OR example <> ?1) AND instr(lower(coalesce(reason, '')), lower(?1))",
    [SQL_ERASE_EVENT] =
        "UPDATE ledger SET example = NULL, look = NULL, reason = NULL, change = NULL, salt = NULL WHERE sequence = ?1",
    [SQL_ERASE_TOLD] = "DELETE FROM told WHERE sequence = ?1",
    [SQL_ADD_ERASED] =
        "INSERT INTO orders(number, example, state, spent, y, asked, asked_told, learned_told, reason, second, "
        "second_y, "
        "learned_by) VALUES(?1, ?2, ?3, 0, NULL, ?4, ?5, NULL, NULL, 0, NULL, NULL)",
    [SQL_PAY_ERASED] = "UPDATE orders SET spent = spent + ?2 WHERE number = ?1 AND state = ?3",
    [SQL_ERASED_EVENTS] = "SELECT sequence FROM ledger WHERE salt IS NULL ORDER BY sequence",
    [SQL_ERASED_RESERVED] = "SELECT sum(reserved) FROM ledger WHERE salt IS NULL OR kind = ?1",
    [SQL_NEXT_OF_KIND] = "SELECT sequence FROM ledger WHERE kind = ?1 AND sequence > ?2 ORDER BY sequence LIMIT 1",
    [SQL_ADD_SWEEP] = "INSERT INTO sweep(sequence) VALUES(?1)",
    [SQL_SWEEP] = "SELECT max(sequence) FROM sweep",
    [SQL_SWEPT] = "DELETE FROM sweep",
    [SQL_ADD_REQUEST] = "INSERT INTO request(by, key, digest, answer, at) VALUES(?1, ?2, ?3, ?4, ?5)",
    [SQL_ADD_REQUEST_EXAMPLE] = "INSERT OR IGNORE INTO request_example(request, example) VALUES(?1, ?2)",
    [SQL_REQUEST] = "SELECT by, key, digest, answer, at FROM request WHERE by = ?1 AND key = ?2",
    [SQL_FORGET_OF] = "DELETE FROM request WHERE number IN (SELECT request FROM request_example WHERE example = ?1)",
    [SQL_FORGET_LEFT] =
        "DELETE FROM request_example WHERE request IN (SELECT request FROM request_example WHERE example = ?1)",
    [SQL_FORGET_NAMES] = "DELETE FROM request_example WHERE request IN (SELECT number FROM request WHERE at < ?1)",
    [SQL_FORGET_BEFORE] = "DELETE FROM request WHERE at < ?1",
    [SQL_LAST_EVENT_OF] =
        "SELECT sequence FROM ledger INDEXED BY ledger_of_example WHERE example = ?1 ORDER BY sequence DESC LIMIT 1",
    /* of the last order alone: what was told of one before it that was cancelled does not count any more */
    [SQL_TELLER] =
        "SELECT l.by FROM ledger l INDEXED BY ledger_of_example JOIN told t ON t.sequence = l.sequence "
        "WHERE l.example = ?1 AND l.number = ?2 AND t.attribute = ?3 AND l.kind IN (?4, ?5, ?6, ?7) "
        "ORDER BY l.sequence DESC LIMIT 1",
    [SQL_LEARNED_ORDERS] = "SELECT number FROM orders WHERE state = ?1 ORDER BY number",
};

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

static scant_status prepare(scant_study *s, study_sql which, sqlite3_stmt **statement, scant_error *error) {
  sqlite3_stmt **made = &s->statements[which];
  if (!*made) {
    int code = sqlite3_prepare_v3(s->db, texts[which], -1, SQLITE_PREPARE_PERSISTENT, made, NULL);
    if (code != SQLITE_OK) return study_refuse(s->db, code, "reading the study", error);
  }
  sqlite3_reset(*made);
  sqlite3_clear_bindings(*made);
  *statement = *made;
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

scant_status study_query(scant_study *s, study_sql which, const sql_value *values, sqlite3_stmt **statement,
                         scant_error *error) {
  SCANT_TRY(prepare(s, which, statement, error));
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

scant_status study_query_row(scant_study *s, study_sql which, const sql_value *values, sqlite3_stmt **statement,
                             int *row, scant_error *error) {
  SCANT_TRY(study_query(s, which, values, statement, error));
  return study_step(s->db, *statement, row, error);
}

scant_status study_read_single(scant_study *s, study_sql which, const sql_value *values, uint64_t *number,
                               scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query_row(s, which, values, &statement, &row, error));
  *number = row ? study_column_count(statement, 0) : 0;
  sqlite3_reset(statement);
  return SCANT_OK;
}

scant_status study_run(scant_study *s, study_sql which, const sql_value *values, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_query(s, which, values, &statement, error));
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
  for (int i = 0; i < SQL_COUNT; i++) sqlite3_reset(s->statements[i]);
}

/* ---- rows -------------------------------------------------------------------- */

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
