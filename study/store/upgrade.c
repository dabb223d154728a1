/* Taking over a file of version 1, which had no names of who acts, no salts, and the risk in every event. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "store/handle.h"
#include "ledger/ledger.h"
#include "store/lock.h"
#include "store/new_file.h"
#include "store/schema.h"
#include "study.h"
#include "terms/terms.h"
#include "store/transaction.h"
#include "ledger/verify.h"

static const char schema_1[] =
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

/* ---- was it as it was written? --------------------------------------------------------- */

static uint64_t hash_number(uint64_t state, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i & 0xff);
  return scant_hash(state, bytes, sizeof bytes);
}

static uint64_t hash_real(uint64_t state, double x) {
  uint64_t bits = UINT64_MAX; /* all NaNs are alike, and SQLite keeps no -0 */
  if (x == 0) x = 0;
  if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
  return hash_number(state, bits);
}

static uint64_t hash_text(uint64_t state, const char *text) {
  size_t length = text ? strlen(text) : 0;
  state = hash_number(state, text ? length + 1 : 0);
  return length ? scant_hash(state, text, length) : state;
}

static uint64_t checksum_1(const scant_study_event *e, double risk, double risk_error, uint64_t before) {
  uint64_t state = hash_number(SCANT_HASH_START, before);
  state = hash_number(state, e->sequence);
  state = hash_text(state, e->at);
  state = hash_text(state, scant_event_kind_name(e->kind));
  state = hash_text(state, e->example);
  state = hash_number(state, e->order);
  state = hash_number(state, (uint64_t)e->attributes);
  state = hash_number(state, (uint64_t)e->reserved);
  state = hash_number(state, (uint64_t)e->spent);
  state = hash_text(state, e->look);
  state = hash_text(state, e->reason);
  state = hash_number(state, (uint64_t)e->learned);
  state = hash_real(hash_real(state, risk), risk_error);
  state = hash_number(state, e->count);
  for (size_t i = 0; i < e->count; i++)
    state = hash_real(hash_number(state, (uint64_t)e->told[i].attribute), e->told[i].value);
  return state;
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

/* Its first event says what the settings and the catalogue were. */
static scant_status check_terms_1(scant_study *s, const char *reason, scant_error *error) {
  static const char words[] = "; settings and catalogue ";
  const char *was = reason ? strstr(reason, words) : NULL;
  uint64_t digest = SCANT_HASH_START;
  char is[32];
  SCANT_TRY(hash_rows(s, "SELECT name, value FROM old_setting ORDER BY name", &digest, error));
  SCANT_TRY(hash_rows(s, "SELECT * FROM old_attribute ORDER BY place", &digest, error));
  snprintf(is, sizeof is, "%016" PRIx64, digest);
  if (was && !strcmp(was + strlen(words), is)) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the settings or the catalogue are not those that the study was made with");
}

/* ---- event by event ------------------------------------------------------------------------ */

typedef struct {
  sqlite3_stmt *event, *told;
  char *texts[5]; /* at, kind, example, look, reason */
  double risk, risk_error;
  uint64_t before;       /* the checksum of the event before */
  scant_study_event now; /* the one at hand */
} reader;

static scant_status read_told(scant_study *s, reader *r, scant_error *error) {
  size_t count = 0;
  int row;
  sqlite3_reset(r->told);
  study_bind_count(r->told, 1, r->now.sequence);
  for (;; count++) {
    SCANT_TRY(study_step(s->db, r->told, &row, error));
    if (!row) break;
    if (!scant_grow(&s->event_told, &s->event_room, count + 1, sizeof *s->event_told)) return scant_fail_memory(error);
    s->event_told[count] = (scant_study_told){sqlite3_column_int64(r->told, 0), study_column_real(r->told, 1), NULL};
  }
  r->now.count = count;
  r->now.told = s->event_told;
  return SCANT_OK;
}

static scant_status read_event(scant_study *s, reader *r, int *more, scant_error *error) {
  static const int texts[5] = {1, 2, 3, 8, 9};
  sqlite3_stmt *e = r->event;
  SCANT_TRY(study_step(s->db, e, more, error));
  if (!*more) return SCANT_OK;
  for (int i = 0; i < 5; i++) SCANT_TRY(study_column_text(e, texts[i], &r->texts[i], error));
  r->now = (scant_study_event){.sequence = (uint64_t)sqlite3_column_int64(e, 0),
                               .at = r->texts[0],
                               .example = r->texts[2],
                               .order = (uint64_t)sqlite3_column_int64(e, 4),
                               .attributes = sqlite3_column_int64(e, 5),
                               .reserved = sqlite3_column_int64(e, 6),
                               .spent = sqlite3_column_int64(e, 7),
                               .look = r->texts[3],
                               .reason = r->texts[4],
                               .learned = sqlite3_column_int64(e, 10) == 1};
  r->risk = study_column_real(e, 11);
  r->risk_error = study_column_real(e, 12);
  uint64_t checksum = (uint64_t)sqlite3_column_int64(e, 13);
  SCANT_TRY(read_told(s, r, error));
  if (!r->now.at || !r->texts[1] || !study_find_kind(r->texts[1], &r->now.kind) ||
      r->now.sequence != s->tip.sequence + 1 || checksum_1(&r->now, r->risk, r->risk_error, r->before) != checksum)
    return scant_fail(error, SCANT_DATA, "event %" PRIu64 " of the ledger is not as it was written",
                      s->tip.sequence + 1);
  r->before = checksum;
  return SCANT_OK;
}

static scant_status take_event(scant_study *s, reader *r, scant_error *error) {
  char *change = NULL;
  scant_study_event was = r->now;
  if (r->now.kind == SCANT_EVENT_CREATE) {
    SCANT_TRY(check_terms_1(s, r->now.reason, error));
    SCANT_TRY(study_terms_text(s, &change, error));
  }
  r->now.change = change;
  s->again = &was; /* its time, and nobody's name */
  scant_status status = study_random(&was.salt, sizeof was.salt, error);
  if (status == SCANT_OK) status = study_append(s, &r->now, error);
  s->again = NULL;
  free(change);
  return status;
}

static scant_status take_events(scant_study *s, reader *r, scant_error *error) {
  int more, code = sqlite3_prepare_v2(s->db,
                                      "SELECT sequence, at, kind, example, number, attributes, reserved, spent, look, "
                                      "reason, learned, risk, risk_error, checksum FROM old_ledger ORDER BY sequence",
                                      -1, &r->event, NULL);
  if (code == SQLITE_OK)
    code = sqlite3_prepare_v2(s->db, "SELECT attribute, value FROM old_told WHERE sequence = ?1 ORDER BY place", -1,
                              &r->told, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "reading the study", error);
  for (;;) {
    SCANT_TRY(read_event(s, r, &more, error));
    if (!more) return SCANT_OK;
    SCANT_TRY(take_event(s, r, error));
  }
}

/* The old tables step aside, and the new ones are filled from them. */
static const char aside[] =
    "PRAGMA temp_store = MEMORY;"
    "CREATE TEMP TABLE old_setting AS SELECT * FROM main.setting;"
    "CREATE TEMP TABLE old_attribute AS SELECT * FROM main.attribute;"
    "CREATE TEMP TABLE old_ledger AS SELECT * FROM main.ledger;"
    "CREATE TEMP TABLE old_told(sequence INTEGER, place INTEGER, attribute INTEGER, value REAL, "
    "PRIMARY KEY(sequence, place));"
    "INSERT INTO old_told SELECT * FROM main.told;"
    "DROP TABLE main.setting; DROP TABLE main.attribute; DROP TABLE main.ledger; DROP TABLE main.told;"
    "DROP TABLE main.orders; DROP TABLE main.line; DROP TABLE main.import; DROP TABLE main.snapshot;";
static const char fill[] =
    "INSERT INTO setting SELECT name, value FROM old_setting;"
    "INSERT INTO attribute SELECT place, name, unit, cost, low, high, NULL, NULL, panel, known, 0 FROM old_attribute;";
static const char forget[] =
    "DROP TABLE old_setting; DROP TABLE old_attribute; DROP TABLE old_ledger; DROP TABLE old_told;";

static scant_status convert(scant_study *s, scant_error *error) {
  char version[64], reason[80];
  reader r = {0};
  snprintf(version, sizeof version, "PRAGMA user_version = %d", STUDY_VERSION);
  SCANT_TRY(study_execute(s->db, aside, error));
  SCANT_TRY(study_execute(s->db, study_schema, error));
  SCANT_TRY(study_execute(s->db, fill, error));
  SCANT_TRY(study_write_key(s, error));
  scant_status status = take_events(s, &r, error);
  sqlite3_finalize(r.event);
  sqlite3_finalize(r.told);
  for (int i = 0; i < 5; i++) free(r.texts[i]);
  SCANT_TRY(status);
  SCANT_TRY(study_execute(s->db, forget, error));
  SCANT_TRY(study_execute(s->db, version, error));
  SCANT_TRY(study_read_tip(s, &s->tip, error));
  SCANT_TRY(study_read_terms(s, error));
  SCANT_TRY(study_append_build(s, error));
  snprintf(reason, sizeof reason, "from version 1, whose last checksum is %016" PRIx64, r.before);
  scant_study_event event = study_event(SCANT_EVENT_UPGRADE, NULL, 0);
  event.reason = reason;
  SCANT_TRY(study_append(s, &event, error));
  return study_remake(s, error);
}

/* ---- the copy ---------------------------------------------------------------------------------- */

/* The last checksum of a file of version 1. */
static scant_status last_checksum(scant_study *s, int64_t *checksum, scant_error *error) {
  return study_read_number(s, "SELECT checksum FROM ledger ORDER BY sequence DESC LIMIT 1", checksum, error);
}

/* Is the file there that the upgrade before, which was interrupted, has kept? */
static scant_status is_kept(scant_study *s, const char *name, int *kept, scant_error *error) {
  int64_t mine, other = 0;
  *kept = access(name, F_OK) == 0;
  if (!*kept) return SCANT_OK;
  SCANT_TRY(last_checksum(s, &mine, error));
  scant_study *old = study_new(NULL);
  if (!old) return scant_fail_memory(error);
  scant_status status = study_open_database(old, name, SQLITE_OPEN_READONLY, NULL);
  if (status == SCANT_OK) status = study_check_file(old, 1, schema_1, NULL);
  if (status == SCANT_OK) status = last_checksum(old, &other, NULL);
  study_free(old);
  if (status == SCANT_OK && mine == other) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "there is a file '%.300s' already, where the old study would be kept: move it",
                    name);
}

static scant_status keep_old(scant_study *s, scant_error *error) {
  size_t length = strlen(s->path) + sizeof ".v1-new";
  char *name = scant_array(length, 1), *made = scant_array(length, 1);
  scant_status status = name && made ? SCANT_OK : scant_fail_memory(error);
  int kept = 0;
  if (status == SCANT_OK) {
    snprintf(name, length, "%s.v1", s->path);
    snprintf(made, length, "%s.v1-new", s->path);
    status = is_kept(s, name, &kept, error);
  }
  if (status == SCANT_OK && !kept) {
    study_remove_all(made); /* what a copy that was killed has left, its journal too */
    status = scant_study_backup(s, made, error);
    if (status == SCANT_OK && rename(made, name) != 0) status = study_fail_place(name, errno, error);
    if (status == SCANT_OK) study_sync_folder(name);
  }
  free(name);
  free(made);
  return status;
}

static scant_status upgrade(scant_study *s, scant_error *error) {
  SCANT_TRY(study_open_database(s, s->path, SQLITE_OPEN_READWRITE, error));
  if (study_check_file(s, STUDY_VERSION, study_schema, NULL) == SCANT_OK) return SCANT_OK; /* done before */
  SCANT_TRY(study_check_file(s, 1, schema_1, error));
  SCANT_TRY(study_log_ahead(s, error));
  SCANT_TRY(study_execute(s->db, "PRAGMA synchronous = FULL", error));
  SCANT_TRY(keep_old(s, error));
  SCANT_TRY(study_execute(s->db, "BEGIN IMMEDIATE", error));
  scant_status status = convert(s, error);
  if (status == SCANT_OK) status = study_execute(s->db, "COMMIT", error);
  if (status == SCANT_OK) return SCANT_OK;
  study_reset(&s->statements);
  sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
  return status;
}

scant_status scant_study_upgrade(const char *path, const scant_settings *given, const scant_study_terms *terms,
                                 scant_error *error) {
  return scant_study_upgrade_waiting(path, NULL, given, terms, error);
}

scant_status scant_study_upgrade_waiting(const char *path, const scant_study_wait *wait, const scant_settings *given,
                                         const scant_study_terms *terms, scant_error *error) {
  char *made = NULL;
  SCANT_TRY(study_check_path(path, SCANT_STUDY_WRITE, error));
  scant_study *s = study_new(given);
  if (!s) return scant_fail_memory(error);
  s->mode = SCANT_STUDY_WRITE;
  s->path = scant_copy_text(path, strlen(path));
  scant_status status = s->path ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_study_sign(s, terms ? terms->by : NULL, terms ? terms->via : NULL, error);
  if (status == SCANT_OK) status = study_lock(&s->lock, &made, s->path, wait, error);
  if (status == SCANT_OK) status = upgrade(s, error);
  if (status != SCANT_OK && made) unlink(made);
  free(made);
  study_free(s);
  return status;
}
