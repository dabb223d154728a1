/* The file: making it, opening it, and refusing what is none. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/lock.h"
#include "study/study.h"

#define APPLICATION 0x53434e54 /* "SCNT" */
#define VERSION 1
#define OPEN_MOST "1000"
#define SQLITE_LEAST 3037000 /* strict tables */

/* `told` belongs to the ledger: both are only ever added to.  orders, line and import
 * follow from them, and the learner of a snapshot does. */
const char study_schema[] =
    "CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE attribute(place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT, cost INTEGER NOT NULL, "
    "low REAL, high REAL, panel TEXT, known INTEGER NOT NULL) STRICT;"
    "CREATE TABLE ledger(sequence INTEGER PRIMARY KEY, at TEXT NOT NULL, kind TEXT NOT NULL, example TEXT, "
    "number INTEGER NOT NULL, attributes INTEGER NOT NULL, reserved INTEGER NOT NULL, spent INTEGER NOT NULL, "
    "look TEXT, reason TEXT, learned INTEGER NOT NULL, risk REAL, risk_error REAL, checksum INTEGER NOT NULL) STRICT;"
    "CREATE TABLE told(sequence INTEGER NOT NULL, place INTEGER NOT NULL, attribute INTEGER NOT NULL, value REAL, "
    "PRIMARY KEY(sequence, place)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE orders(number INTEGER PRIMARY KEY, example TEXT NOT NULL, state INTEGER NOT NULL, "
    "spent INTEGER NOT NULL, y REAL, asked INTEGER NOT NULL, asked_told INTEGER NOT NULL, learned_told INTEGER, "
    "reason TEXT) STRICT;"
    "CREATE INDEX orders_of_example ON orders(example);"
    "CREATE TABLE line(number INTEGER NOT NULL, place INTEGER NOT NULL, attribute INTEGER NOT NULL, "
    "price INTEGER NOT NULL, probability REAL NOT NULL, weight REAL NOT NULL, mean REAL, state INTEGER NOT NULL, "
    "value REAL, PRIMARY KEY(number, place)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE import(example TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE TABLE snapshot(sequence INTEGER PRIMARY KEY, build TEXT NOT NULL, learner TEXT NOT NULL) STRICT;";

/* ---- a handle ------------------------------------------------------------------ */

static scant_study *new_study(const scant_settings *given) {
  scant_study *s = scant_array(1, sizeof *s);
  if (!s) return NULL;
  s->lock = -1;
  s->keep_every = STUDY_KEEP_EVERY;
  scant_settings_init(&s->settings);
  if (given) {
    s->settings.engines = given->engines;
    s->settings.threads = given->threads;
    s->settings.memory = given->memory;
  }
  return s;
}

static void free_study(scant_study *s) {
  if (!s) return;
  study_finalize(&s->statements);
  sqlite3_close(s->db);
  study_unlock(s->lock);
  scant_look_free(s->drawn);
  scant_learner_free(s->learner);
  scant_prices_free(s->prices);
  scant_model_free(s->gaussian);
  scant_study_catalogue_free(s->catalogue);
  for (int i = 0; i < 3; i++) free(s->order_texts[i]);
  for (int i = 0; i < 5; i++) free(s->event_texts[i]);
  free(s->lines);
  free(s->told);
  free(s->event_told);
  free(s->values);
  free(s->sorted);
  free(s->panel);
  free(s->target);
  free(s->algorithm);
  free(s->path);
  free(s);
}

/* Foreign files can't run anything here: no extensions, no functions in schemas,
 * no writing to the schema. */
static scant_status open_database(scant_study *s, const char *name, int flags, scant_error *error) {
  if (sqlite3_libversion_number() < SQLITE_LEAST)
    return scant_fail(error, SCANT_IO, "studies need SQLite 3.37 or later, and this is %s", sqlite3_libversion());
  int code = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_busy_timeout(s->db, 2000); /* for those that read while a checkpoint runs */
  return SCANT_OK;
}

static scant_status read_number(scant_study *s, const char *sql, int64_t *number, scant_error *error) {
  sqlite3_stmt *statement;
  int row, code = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  scant_status status = study_step(s->db, statement, &row, error);
  *number = status == SCANT_OK && row ? sqlite3_column_int64(statement, 0) : -1;
  sqlite3_finalize(statement);
  return status;
}

/* Makes SQLite log ahead: commits are synced to the log, and reading goes on meanwhile. */
static scant_status log_ahead(scant_study *s, scant_error *error) {
  sqlite3_stmt *statement;
  int row = 0, code = sqlite3_prepare_v2(s->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  scant_status status = study_step(s->db, statement, &row, error);
  const char *mode = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  if (status == SCANT_OK && (!mode || strcmp(mode, "wal") != 0))
    status = scant_fail(error, SCANT_IO, "SQLite can't keep a log ahead of the study there (WAL)");
  sqlite3_finalize(statement);
  return status;
}

/* ---- making ----------------------------------------------------------------------- */

/* Only what the learner, the run and callers may set. */
static int is_kept(const scant_settings *settings, const scant_option *option) {
  return (option->scope & (SCANT_SCOPE_MODEL | SCANT_SCOPE_LIBRARY)) && !(option->scope & SCANT_SCOPE_DATA) &&
         scant_settings_is_given(settings, option);
}

static const char *const not_of_studies[] = {"passes", "split", "shuffle", "observed", NULL};

static scant_status check_settings(const scant_study *s, scant_error *error) {
  for (size_t i = 0; not_of_studies[i]; i++)
    if (scant_settings_is_given(&s->settings, scant_option_find(not_of_studies[i])))
      return scant_fail(error, SCANT_USAGE, "%s is no setting of a study", not_of_studies[i]);
  const scant_algorithm *row = scant_algorithm_find(s->settings.algorithm);
  if (row->solved) return scant_fail(error, SCANT_USAGE, "%s is solved all at once: it can't be asked", row->name);
  int steered = study_is_steered(s);
  for (size_t i = 0; i < s->dimension && !steered; i++)
    if (s->catalogue[i].known || s->catalogue[i].group)
      return scant_fail(
          error, SCANT_USAGE,
          "attribute '%s': known attributes and groups need auto, ridge, lasso or svr, whose looks know of "
          "them",
          s->catalogue[i].name);
  if (s->unpriced && (s->settings.spend > 0 || s->settings.budget_cost > 0))
    return scant_fail(error, SCANT_USAGE, "spend and budget-cost need attributes that cost something");
  return SCANT_OK;
}

/* Takes the settings into memory, resolved. */
static scant_status take_settings(scant_study *s, const scant_settings *settings, scant_error *error) {
  const scant_option *o;
  s->algorithm = scant_copy_text(settings->algorithm, strlen(settings->algorithm));
  if (!s->algorithm) return scant_fail_memory(error);
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[256];
    if (!scant_settings_is_given(settings, o)) continue;
    int length = scant_settings_get(settings, o, value, sizeof value);
    int text = o->type == SCANT_OPTION_TEXT;
    if (text && o != scant_option_find("algorithm"))
      return scant_fail(error, SCANT_USAGE, "%s is no setting of a study", o->name);
    if (length < 0 || (size_t)length >= sizeof value)
      return scant_fail(error, SCANT_USAGE, "the value of %s is too long", o->name);
    SCANT_TRY(scant_settings_set(&s->settings, o->name, text ? s->algorithm : value, error));
  }
  s->settings.algorithm = s->algorithm;
  if (!scant_settings_is_given(settings, scant_option_find("max-open")))
    SCANT_TRY(scant_settings_set(&s->settings, "max-open", OPEN_MOST, error));
  SCANT_TRY(scant_settings_resolve(&s->settings, error));
  return check_settings(s, error);
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
  snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION, VERSION);
  SCANT_TRY(study_execute(s->db, "BEGIN IMMEDIATE", error));
  SCANT_TRY(study_execute(s->db, numbers, error));
  SCANT_TRY(study_execute(s->db, study_schema, error));
  SCANT_TRY(write_settings(s, error));
  SCANT_TRY(write_catalogue(s, error));
  uint64_t digest;
  char reason[300];
  SCANT_TRY(study_digest(s, &digest, error));
  snprintf(reason, sizeof reason, "%.200s" STUDY_DIGEST "%016" PRIx64, study_build(), digest);
  scant_study_event event = {.kind = "create", .reason = reason, .risk = NAN, .risk_error = NAN};
  SCANT_TRY(study_append(s, &event, error));
  return study_execute(s->db, "COMMIT", error);
}

scant_status study_make(scant_study *study, const scant_settings *settings, const scant_study_attribute *catalogue,
                        size_t count, const char *target, scant_error *error) {
  scant_study *s = study;
  SCANT_TRY(study_take_catalogue(s, catalogue, count, target ? target : "y", error));
  SCANT_TRY(take_settings(s, settings, error));
  s->mode = SCANT_STUDY_WRITE;
  SCANT_TRY(study_relearn(s, error)); /* from nothing: what the learner refuses comes out now */
  return write_all(s, error);
}

/* Writes an empty study to a file that is there.  All of it is in that file when it is closed: it begins to log ahead
 * (WAL) last. */
static scant_status make_file(const char *name, const scant_settings *settings, const scant_study_attribute *catalogue,
                              size_t count, const char *target, scant_error *error) {
  scant_study *s = new_study(settings);
  if (!s) return scant_fail_memory(error);
  scant_status status = open_database(s, name, SQLITE_OPEN_READWRITE, error);
  if (status == SCANT_OK) status = study_execute(s->db, "PRAGMA synchronous = FULL", error);
  if (status == SCANT_OK) status = study_make(s, settings, catalogue, count, target, error);
  if (status == SCANT_OK) status = log_ahead(s, error);
  free_study(s);
  return status;
}

/* Gives the file its name unless that is taken. */
static scant_status put_in_place(const char *from, const char *path, scant_error *error) {
  int code = link(from, path) == 0 ? 0 : errno;
  if (code == EPERM || code == EOPNOTSUPP || code == ENOSYS) { /* where files have one name only */
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    code = file < 0 ? errno : 0;
    if (file >= 0) close(file);
    if (!code && rename(from, path) != 0) {
      code = errno;
      unlink(path);
    }
  }
  if (code) return scant_fail(error, SCANT_IO, "can't make '%.300s': %s", path, strerror(code));
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
  scant_study *s = new_study(settings);
  if (!s) return scant_fail_memory(error);
  /* tried in memory first, so that no file is made of what can't be */
  scant_status status = open_database(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error);
  if (status == SCANT_OK) status = study_make(s, settings, catalogue, count, target, error);
  free_study(s);
  if (status != SCANT_OK) return status;
  if (access(path, F_OK) == 0) return scant_fail(error, SCANT_IO, "can't make '%.300s': %s", path, strerror(EEXIST));
  /* under another name until it is whole: a study is there or it is not */
  size_t length = strlen(path) + sizeof "-new-XXXXXX";
  char *name = scant_array(length, 1);
  if (!name) return scant_fail_memory(error);
  snprintf(name, length, "%s-new-XXXXXX", path);
  int file = mkstemp(name);
  if (file < 0)
    status = scant_fail(error, SCANT_IO, "can't make '%.300s': %s", path, strerror(errno));
  else
    close(file);
  if (status == SCANT_OK) status = make_file(name, settings, catalogue, count, target, error);
  if (status == SCANT_OK) status = put_in_place(name, path, error);
  if (file >= 0) remove_all(name);
  free(name);
  return status;
}

scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error) {
  scant_study *s = new_study(&study->settings);
  if (!s) return scant_fail_memory(error);
  scant_status status = open_database(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error);
  s->clock = "";
  if (status == SCANT_OK) *twin = s;
  if (status != SCANT_OK) free_study(s);
  return status;
}

/* ---- opening ------------------------------------------------------------------------- */

/* What is in the schema and was not made by study_schema; -1: something is missing. */
static scant_status count_foreign(scant_study *s, int64_t *foreign, scant_error *error) {
  sqlite3_stmt *statement;
  int row,
      code = sqlite3_prepare_v2(s->db, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  scant_status status;
  int64_t ours = 0, all = 0;
  for (const char *c = study_schema; (c = strstr(c, "CREATE ")); c++) all++;
  *foreign = 0;
  while ((status = study_step(s->db, statement, &row, error)) == SCANT_OK && row) {
    const char *sql = (const char *)sqlite3_column_text(statement, 0);
    const char *found = sql ? strstr(study_schema, sql) : NULL;
    if (!sql) status = scant_fail_memory(error);
    if (!sql) break;
    if (found && found[strlen(sql)] == ';' && !strncmp(sql, "CREATE ", 7))
      ours++;
    else
      ++*foreign;
  }
  sqlite3_finalize(statement);
  if (status == SCANT_OK && !*foreign && ours != all) *foreign = -1;
  return status;
}

/* Is it a study, and nothing more? */
static scant_status check_file(scant_study *s, scant_error *error) {
  int64_t application = -1, version = -1, foreign = 0;
  scant_status status = read_number(s, "PRAGMA application_id", &application, error);
  if (status == SCANT_DATA || (status == SCANT_OK && application != APPLICATION))
    return scant_fail(error, SCANT_DATA, "'%.300s' is not a study", s->path);
  SCANT_TRY(status);
  SCANT_TRY(read_number(s, "PRAGMA user_version", &version, error));
  if (version != VERSION)
    return scant_fail(error, SCANT_DATA, "'%.300s' is a study of version %lld, and this scant knows version %d",
                      s->path, (long long)version, VERSION);
  SCANT_TRY(count_foreign(s, &foreign, error));
  if (foreign)
    return scant_fail(error, SCANT_DATA, "'%.300s' has triggers, views or tables that are not a study's", s->path);
  return SCANT_OK;
}

/* The settings as texts that scant_settings_set reads. */
static scant_status read_settings(scant_study *s, scant_settings *settings, char **algorithm, char **target,
                                  scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  scant_settings_init(settings);
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SETTINGS, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return *target ? SCANT_OK : scant_fail(error, SCANT_DATA, "the study has no target");
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    const char *value = (const char *)sqlite3_column_text(statement, 1);
    if (!name || !value) return scant_fail_memory(error);
    if (!strcmp(name, "target-name")) {
      SCANT_TRY(study_column_text(statement, 1, target, error));
      continue;
    }
    const scant_option *o = scant_option_find(name);
    if (!o || (o->type == SCANT_OPTION_TEXT && strcmp(name, "algorithm") != 0))
      return scant_fail(error, SCANT_DATA, "this scant does not know the study's setting '%.60s'", name);
    if (o->type == SCANT_OPTION_TEXT) SCANT_TRY(study_column_text(statement, 1, algorithm, error));
    SCANT_TRY(scant_settings_set(settings, name, o->type == SCANT_OPTION_TEXT ? *algorithm : value, error));
  }
}

/* Rows of the table, their texts in one piece each. */
static scant_status read_catalogue(scant_study *s, scant_study_attribute **rows, size_t *count, scant_error *error) {
  sqlite3_stmt *statement;
  size_t capacity = 0;
  int row;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ATTRIBUTES, &statement, error));
  for (;; ++*count) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    if (!scant_grow(rows, &capacity, *count + 1, sizeof **rows)) return scant_fail_memory(error);
    scant_study_attribute *a = &(*rows)[*count];
    *a = (scant_study_attribute){.cost = (uint64_t)sqlite3_column_int64(statement, 2),
                                 .low = study_column_real(statement, 3),
                                 .high = study_column_real(statement, 4),
                                 .known = sqlite3_column_int(statement, 6)};
    char *texts[3] = {NULL, NULL, NULL};
    static const int places[3] = {0, 1, 5};
    scant_status status = SCANT_OK;
    for (int i = 0; i < 3 && status == SCANT_OK; i++)
      status = study_column_text(statement, places[i], &texts[i], error);
    a->name = texts[0];
    a->unit = texts[1];
    a->group = texts[2];
    if (status != SCANT_OK) {
      ++*count; /* to be freed */
      return status;
    }
  }
}

static void free_rows(scant_study_attribute *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free((char *)rows[i].name);
    free((char *)rows[i].unit);
    free((char *)rows[i].group);
  }
  free(rows);
}

static scant_status read_study(scant_study *s, scant_error *error) {
  scant_settings settings;
  char *algorithm = NULL, *target = NULL;
  scant_study_attribute *rows = NULL;
  size_t count = 0;
  scant_status status = read_settings(s, &settings, &algorithm, &target, error);
  if (status == SCANT_OK) status = read_catalogue(s, &rows, &count, error);
  if (status == SCANT_OK) status = study_take_catalogue(s, rows, count, target, error);
  if (status == SCANT_OK) status = take_settings(s, &settings, error);
  free_rows(rows, count);
  free(algorithm);
  free(target);
  return status == SCANT_USAGE ? SCANT_DATA : status;
}

static int is_there(const char *path) {
  struct stat facts;
  return stat(path, &facts) == 0;
}

/* The learner.  A study whose orders are damaged can be opened all the same, so that it can be verified and made anew
 * from its ledger: every other function says what is wrong. */
static scant_status open_learner(scant_study *s, scant_error *error) {
  scant_status status = study_load_learner(s, error);
  return status == SCANT_DATA && s->learner ? study_leave(s, SCANT_OK) : status;
}

static scant_status open_to_write(scant_study *s, scant_error *error) {
  char *made = NULL;
  SCANT_TRY(study_lock(&s->lock, &made, s->path, error));
  scant_status status = open_database(s, s->path, SQLITE_OPEN_READWRITE, error);
  if (status == SCANT_OK) status = check_file(s, error);
  if (status == SCANT_OK) status = log_ahead(s, error);
  if (status == SCANT_OK) status = study_execute(s->db, "PRAGMA synchronous = FULL", error);
  if (status == SCANT_OK) status = read_study(s, error);
  if (status == SCANT_OK) status = open_learner(s, error);
  if (status != SCANT_OK && made) unlink(made); /* beside what is no study, nothing is left */
  free(made);
  return status;
}

/* Where nothing can be written, SQLite reads a file that it logs ahead for only if it is told that the file does not
 * change.  So it is, if there is no log. */
static scant_status open_unchanging(scant_study *s, scant_error *error) {
  size_t length = strlen(s->path);
  char *name = scant_array(3 * length + 32, 1), *end = name;
  if (!name) return scant_fail_memory(error);
  snprintf(name, length + 5, "%s-wal", s->path);
  struct stat log;
  scant_status status = SCANT_OK;
  if (stat(name, &log) == 0 && log.st_size > 0)
    status = scant_fail(error, SCANT_IO, "'%.300s' was not closed, and where nothing can be written it can't be read",
                        s->path);
  end += sprintf(end, "file:");
  for (const char *c = s->path; *c; c++) end += sprintf(end, strchr("%?#", *c) ? "%%%02X" : "%c", (unsigned char)*c);
  sprintf(end, "?immutable=1");
  sqlite3_close(s->db);
  s->db = NULL;
  if (status == SCANT_OK) status = open_database(s, name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, error);
  free(name);
  return status == SCANT_OK ? check_file(s, error) : status;
}

static scant_status open_to_read(scant_study *s, scant_error *error) {
  SCANT_TRY(open_database(s, s->path, SQLITE_OPEN_READONLY, error));
  scant_status status = check_file(s, error);
  int code = sqlite3_errcode(s->db) & 0xff;
  if (status == SCANT_IO && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY)) status = open_unchanging(s, error);
  SCANT_TRY(status);
  SCANT_TRY(study_execute(s->db, "BEGIN", error)); /* of one moment, while others write */
  SCANT_TRY(read_study(s, error));
  return study_leave(s, open_learner(s, error));
}

scant_status scant_study_open(scant_study **study, const char *path, scant_study_mode mode, const scant_settings *given,
                              scant_error *error) {
  if (!is_there(path)) return scant_fail(error, SCANT_NO_INPUT, "there is no study '%.300s'", path);
  if (mode == SCANT_STUDY_WRITE && access(path, W_OK) != 0)
    return scant_fail(error, SCANT_IO, "'%.300s' can't be written to: %s", path, strerror(errno));
  scant_study *s = new_study(given);
  if (!s) return scant_fail_memory(error);
  s->mode = mode;
  s->path = scant_copy_text(path, strlen(path));
  scant_status status = s->path ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = mode == SCANT_STUDY_WRITE ? open_to_write(s, error) : open_to_read(s, error);
  if (status != SCANT_OK) {
    free_study(s);
    return status;
  }
  *study = s;
  return SCANT_OK;
}

void scant_study_close(scant_study *study) {
  scant_study *s = study;
  if (!s) return;
  if (s->mode == SCANT_STUDY_WRITE && s->path && !s->stale && s->kept < s->tip.sequence &&
      study_begin(s, NULL) == SCANT_OK)
    study_end(s, study_keep_learner(s, NULL), 0, NULL);
  free_study(s);
}

/* ---- what it says of itself ------------------------------------------------------------- */

size_t scant_study_dimension(const scant_study *study) {
  return study->dimension;
}

const scant_study_attribute *scant_study_attribute_at(const scant_study *study, size_t index) {
  return index < study->dimension ? &study->catalogue[index] : NULL;
}

const char *scant_study_target(const scant_study *study) {
  return study->target;
}

const scant_settings *scant_study_settings(const scant_study *study) {
  return &study->settings;
}
