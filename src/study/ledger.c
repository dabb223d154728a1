/* The ledger: events that are only ever added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/study.h"

/* ---- the chain of checksums ----------------------------------------------------- */

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

uint64_t study_checksum(const scant_study_event *event, uint64_t before) {
  const scant_study_event *e = event;
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
  state = hash_real(hash_real(state, e->risk), e->risk_error);
  state = hash_number(state, e->count);
  for (size_t i = 0; i < e->count; i++)
    state = hash_real(hash_number(state, (uint64_t)e->told[i].attribute), e->told[i].value);
  return state;
}

/* ---- adding ---------------------------------------------------------------------- */

static const char *now(char *text, size_t size) {
  time_t seconds = time(NULL);
  struct tm parts;
  if (!gmtime_r(&seconds, &parts) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts)) return "";
  return text;
}

static scant_status write_event(scant_study *s, const scant_study_event *e, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_EVENT, &statement, error));
  study_bind_count(statement, 1, e->sequence);
  study_bind_text(statement, 2, e->at);
  study_bind_text(statement, 3, scant_event_kind_name(e->kind));
  study_bind_text(statement, 4, e->example);
  study_bind_count(statement, 5, e->order);
  study_bind_count(statement, 6, (uint64_t)e->attributes);
  study_bind_count(statement, 7, (uint64_t)e->reserved);
  study_bind_count(statement, 8, (uint64_t)e->spent);
  study_bind_text(statement, 9, e->look);
  study_bind_text(statement, 10, e->reason);
  study_bind_count(statement, 11, (uint64_t)e->learned);
  study_bind_real(statement, 12, e->risk);
  study_bind_real(statement, 13, e->risk_error);
  study_bind_count(statement, 14, e->checksum);
  SCANT_TRY(study_run(s->db, statement, error));
  for (size_t i = 0; i < e->count; i++) {
    SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_TOLD, &statement, error));
    study_bind_count(statement, 1, e->sequence);
    study_bind_count(statement, 2, i);
    study_bind_count(statement, 3, (uint64_t)e->told[i].attribute);
    study_bind_real(statement, 4, e->told[i].value);
    SCANT_TRY(study_run(s->db, statement, error));
  }
  return SCANT_OK;
}

scant_status study_append(scant_study *study, scant_study_event *event, scant_error *error) {
  scant_study *s = study;
  char time_text[32];
  event->sequence = s->tip.sequence + 1;
  event->at = s->clock ? s->clock : now(time_text, sizeof time_text);
  event->checksum = study_checksum(event, s->tip.checksum);
  SCANT_TRY(write_event(s, event, error));
  s->tip.sequence = event->sequence;
  s->tip.checksum = event->checksum;
  s->tip.totals.attributes += (uint64_t)event->attributes;
  s->tip.totals.reserved += (uint64_t)event->reserved;
  s->tip.totals.spent += (uint64_t)event->spent;
  return SCANT_OK;
}

/* ---- reading --------------------------------------------------------------------- */

static scant_status read_told(scant_study *s, uint64_t sequence, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  s->event.count = 0;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_TOLD, &statement, error));
  study_bind_count(statement, 1, sequence);
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    size_t count = s->event.count;
    if (count > s->dimension || sqlite3_column_int64(statement, 2) != (int64_t)count)
      return scant_fail(error, SCANT_DATA,
                        "what event %llu of the ledger tells is damaged: value %zu is not in its place",
                        (unsigned long long)sequence, count + 1);
    if (!scant_grow(&s->event_told, &s->event_room, count + 1, sizeof *s->event_told)) return scant_fail_memory(error);
    s->event_told[count] = (scant_study_told){sqlite3_column_int64(statement, 0), study_column_real(statement, 1)};
    s->event.count++;
    if (s->event_told[count].attribute < -1 || s->event_told[count].attribute >= (int64_t)s->dimension)
      return scant_fail(error, SCANT_DATA,
                        "event %llu of the ledger tells of an attribute that is not in the catalogue",
                        (unsigned long long)sequence);
  }
  s->event.told = s->event_told;
  return SCANT_OK;
}

static scant_status event_after(scant_study *s, uint64_t after, const scant_study_event **event, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_EVENT, &statement, error));
  study_bind_count(statement, 1, after);
  SCANT_TRY(study_step(s->db, statement, &row, error));
  int64_t sequence = row ? sqlite3_column_int64(statement, 0) : INT64_MAX;
  if (!row && after >= s->tip.sequence) return SCANT_OK;
  SCANT_TRY(study_check_key(sequence, after, "the ledger is", "event", error));
  if ((uint64_t)sequence != after + 1)
    return scant_fail(error, SCANT_DATA, "event %llu of the ledger is gone", (unsigned long long)after + 1);
  static const int texts[5] = {1, 2, 3, 8, 9};
  for (int i = 0; i < 5; i++) SCANT_TRY(study_column_text(statement, texts[i], &s->event_texts[i], error));
  s->event = (scant_study_event){.sequence = (uint64_t)sqlite3_column_int64(statement, 0),
                                 .at = s->event_texts[0],
                                 .example = s->event_texts[2],
                                 .order = (uint64_t)sqlite3_column_int64(statement, 4),
                                 .attributes = sqlite3_column_int64(statement, 5),
                                 .reserved = sqlite3_column_int64(statement, 6),
                                 .spent = sqlite3_column_int64(statement, 7),
                                 .look = s->event_texts[3],
                                 .reason = s->event_texts[4],
                                 .learned = sqlite3_column_int64(statement, 10) == 1,
                                 .risk = study_column_real(statement, 11),
                                 .risk_error = study_column_real(statement, 12),
                                 .checksum = (uint64_t)sqlite3_column_int64(statement, 13)};
  int64_t learned = sqlite3_column_int64(statement, 10);
  sqlite3_reset(statement);
  if (!s->event.at || !s->event_texts[1] || learned < 0 || learned > 1)
    return scant_fail(error, SCANT_DATA, "event %llu of the ledger is damaged", (unsigned long long)s->event.sequence);
  if (!study_find_kind(s->event_texts[1], &s->event.kind))
    return scant_fail(error, SCANT_DATA, "event %llu of the ledger is damaged: there are no events of the kind '%.40s'",
                      (unsigned long long)s->event.sequence, s->event_texts[1]);
  SCANT_TRY(read_told(s, s->event.sequence, error));
  *event = &s->event;
  return SCANT_OK;
}

scant_status scant_study_event_after(scant_study *study, uint64_t after, const scant_study_event **event,
                                     scant_error *error) {
  *event = NULL;
  if (after > INT64_MAX) return SCANT_OK;
  scant_status status = event_after(study, after, event, error);
  if (status == SCANT_OK) return SCANT_OK;
  sqlite3_reset(study->statements.made[SQL_EVENT]);
  sqlite3_reset(study->statements.made[SQL_TOLD]);
  return status;
}

scant_status study_read_event(scant_study *study, uint64_t sequence, scant_error *error) {
  const scant_study_event *event;
  SCANT_TRY(scant_study_event_after(study, sequence - 1, &event, error));
  if (event && event->sequence == sequence) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "event %llu is not in the ledger", (unsigned long long)sequence);
}

scant_status scant_study_event_of(scant_study *study, const char *example, uint64_t after,
                                  const scant_study_event **event, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t sequence = 0;
  *event = NULL;
  SCANT_TRY(study_check_example(example, error));
  if (after > INT64_MAX) return SCANT_OK;
  scant_status status = study_prepare(study->db, &study->statements, SQL_EVENT_OF, &statement, error);
  if (status == SCANT_OK) {
    study_bind_count(statement, 1, after);
    study_bind_text(statement, 2, example);
    status = study_read_single(study, statement, &sequence, error);
  }
  if (status != SCANT_OK || !sequence) return status;
  return scant_study_event_after(study, sequence - 1, event, error);
}

scant_status study_prepare_builds(scant_study *study, study_sql which, sqlite3_stmt **statement, scant_error *error) {
  SCANT_TRY(study_prepare(study->db, &study->statements, which, statement, error));
  study_bind_text(*statement, 1, scant_event_kind_name(SCANT_EVENT_CREATE));
  study_bind_text(*statement, 2, scant_event_kind_name(SCANT_EVENT_BUILD));
  return SCANT_OK;
}

static scant_status count_open(scant_study *s, uint64_t *open, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_COUNTS, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    int64_t state = sqlite3_column_int64(statement, 0);
    if (study_is_state(state) && study_is_open((scant_order_state)state))
      *open += (uint64_t)sqlite3_column_int64(statement, 1);
  }
}

scant_status study_read_tip(scant_study *study, study_tip *tip, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  *tip = (study_tip){0};
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_TOTALS, &statement, error));
  SCANT_TRY(study_step(study->db, statement, &row, error));
  if (row)
    tip->totals =
        (study_totals){(uint64_t)sqlite3_column_int64(statement, 0), (uint64_t)sqlite3_column_int64(statement, 1),
                       (uint64_t)sqlite3_column_int64(statement, 2)};
  sqlite3_reset(statement);
  SCANT_TRY(count_open(study, &tip->open, error));
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_LAST_EVENT, &statement, error));
  SCANT_TRY(study_step(study->db, statement, &row, error));
  if (!row) return scant_fail(error, SCANT_DATA, "the ledger of the study is empty");
  tip->sequence = (uint64_t)sqlite3_column_int64(statement, 0);
  tip->checksum = (uint64_t)sqlite3_column_int64(statement, 1);
  sqlite3_reset(statement);
  SCANT_TRY(study_prepare_builds(study, SQL_LAST_BUILD, &statement, error));
  SCANT_TRY(study_step(study->db, statement, &row, error));
  const char *build = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  int lost = row && !build && sqlite3_column_type(statement, 0) != SQLITE_NULL;
  tip->new_build = !build || !study_is_build(build);
  sqlite3_reset(statement);
  return lost ? scant_fail_memory(error) : SCANT_OK;
}
