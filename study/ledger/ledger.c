/* The ledger: events that are only ever added. */
#include "ledger/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scant_base.h"
#include "store/build_id.h"
#include "terms/catalogue.h"
#include "store/handle.h"
#include "ledger/event_hash.h"
#include "study.h"
#include "terms/terms.h"
#include "store/transaction.h"
#include "store/walk.h"

/* ---- the chain of checksums ----------------------------------------------------- */

/* Digests and checksums are the first 64 bits of a SHA-256: so many that nobody finds another event with the same. (Who
 * makes the whole chain anew is not stopped by any checksum in the file.) */

/* The salt is random: without it the digest says nothing of what it was made of, since any content gives any digest
 * with some salt, and so it may stay when that is erased. */
uint64_t study_digest(const scant_study_event *event) {
  const scant_study_event *e = event;
  scant_sha256 sum;
  if (e->erased) return e->digest;
  scant_sha256_begin(&sum);
  study_add_number(&sum, e->salt);
  study_add_text(&sum, e->example);
  study_add_text(&sum, e->look);
  study_add_text(&sum, e->reason);
  study_add_text(&sum, e->change);
  study_add_number(&sum, e->count);
  for (size_t i = 0; i < e->count; i++) {
    study_add_number(&sum, (uint64_t)e->told[i].attribute);
    study_add_real(&sum, e->told[i].value);
    study_add_text(&sum, e->told[i].note);
  }
  return scant_sha256_first(&sum);
}

uint64_t study_checksum(const scant_study_event *event, uint64_t before) {
  const scant_study_event *e = event;
  scant_sha256 sum;
  scant_sha256_begin(&sum);
  study_add_number(&sum, before);
  study_add_number(&sum, e->sequence);
  study_add_text(&sum, e->at);
  study_add_text(&sum, scant_event_kind_name(e->kind));
  study_add_text(&sum, e->by);
  study_add_text(&sum, e->via);
  study_add_number(&sum, e->order);
  study_add_number(&sum, (uint64_t)e->attributes);
  study_add_number(&sum, (uint64_t)e->reserved);
  study_add_number(&sum, (uint64_t)e->spent);
  study_add_number(&sum, (uint64_t)e->learned);
  study_add_number(&sum, e->digest);
  return scant_sha256_first(&sum);
}

/* ---- adding ---------------------------------------------------------------------- */

const char *study_now(char *text, size_t size) {
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
  study_bind_text(statement, 4, e->by);
  study_bind_text(statement, 5, e->via);
  study_bind_count(statement, 6, e->order);
  study_bind_count(statement, 7, (uint64_t)e->attributes);
  study_bind_count(statement, 8, (uint64_t)e->reserved);
  study_bind_count(statement, 9, (uint64_t)e->spent);
  study_bind_count(statement, 10, (uint64_t)e->learned);
  study_bind_text(statement, 11, e->example);
  study_bind_text(statement, 12, e->look);
  study_bind_text(statement, 13, e->reason);
  study_bind_text(statement, 14, e->change);
  if (!e->erased) study_bind_count(statement, 15, e->salt);
  study_bind_count(statement, 16, e->digest);
  study_bind_count(statement, 17, e->checksum);
  SCANT_TRY(study_run(s->db, statement, error));
  for (size_t i = 0; i < e->count; i++) {
    SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_TOLD, &statement, error));
    study_bind_count(statement, 1, e->sequence);
    study_bind_count(statement, 2, i);
    study_bind_count(statement, 3, (uint64_t)e->told[i].attribute);
    study_bind_real(statement, 4, e->told[i].value);
    study_bind_text(statement, 5, e->told[i].note);
    SCANT_TRY(study_run(s->db, statement, error));
  }
  return SCANT_OK;
}

/* When, who, through what, and with which salt: now, or as it was if the event is done again. */
static scant_status sign(const scant_study *s, scant_study_event *event, char *time_text, size_t size,
                         scant_error *error) {
  const scant_study_event *again = s->again;
  event->at = again ? again->at : study_now(time_text, size);
  event->by = again ? again->by : s->by;
  event->via = again ? again->via : s->via;
  if (!again) return study_random(&event->salt, sizeof event->salt, error);
  event->salt = again->salt;
  return SCANT_OK;
}

scant_status study_append(scant_study *study, scant_study_event *event, scant_error *error) {
  scant_study *s = study;
  char time_text[32];
  event->sequence = s->tip.sequence + 1;
  SCANT_TRY(sign(s, event, time_text, sizeof time_text, error));
  event->digest = study_digest(event);
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

scant_status study_keep_note(scant_study *study, const char *text, const char **note, scant_error *error) {
  scant_study *s = study;
  *note = NULL;
  for (size_t i = 0; !*note && i < s->note_count; i++)
    if (!strcmp(s->notes[i], text)) *note = s->notes[i];
  if (*note) return SCANT_OK;
  if (!scant_grow(&s->notes, &s->notes_room, s->note_count + 1, sizeof *s->notes)) return scant_fail_memory(error);
  char *copy = scant_copy_text(text, strlen(text));
  if (!copy) return scant_fail_memory(error);
  *note = s->notes[s->note_count++] = copy;
  return SCANT_OK;
}

scant_status study_column_note(scant_study *study, sqlite3_stmt *statement, int place, const char **note,
                               scant_error *error) {
  char *text = NULL;
  SCANT_TRY(study_column_text(statement, place, &text, error));
  *note = NULL;
  scant_status status = text ? study_keep_note(study, text, note, error) : SCANT_OK;
  free(text);
  return status;
}

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
    const char *note;
    SCANT_TRY(study_column_note(s, statement, 3, &note, error));
    s->event_told[count] =
        (scant_study_told){sqlite3_column_int64(statement, 0), study_column_real(statement, 1), note};
    s->event.count++;
    if (s->event_told[count].attribute >= (int64_t)s->dimension) /* another handle may have added it */
      SCANT_TRY(study_refresh_terms(s, error));
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
  static const int texts[STUDY_EVENT_TEXTS] = {1, 2, 3, 4, 10, 11, 12, 13};
  for (int i = 0; i < STUDY_EVENT_TEXTS; i++)
    SCANT_TRY(study_column_text(statement, texts[i], &s->event_texts[i], error));
  int64_t learned = sqlite3_column_int64(statement, 9);
  s->event = (scant_study_event){.sequence = (uint64_t)sqlite3_column_int64(statement, 0),
                                 .at = s->event_texts[0],
                                 .by = s->event_texts[2],
                                 .via = s->event_texts[3],
                                 .order = (uint64_t)sqlite3_column_int64(statement, 5),
                                 .attributes = sqlite3_column_int64(statement, 6),
                                 .reserved = sqlite3_column_int64(statement, 7),
                                 .spent = sqlite3_column_int64(statement, 8),
                                 .learned = learned == 1,
                                 .erased = sqlite3_column_type(statement, 14) == SQLITE_NULL,
                                 .example = s->event_texts[4],
                                 .look = s->event_texts[5],
                                 .reason = s->event_texts[6],
                                 .change = s->event_texts[7],
                                 .salt = (uint64_t)sqlite3_column_int64(statement, 14),
                                 .digest = (uint64_t)sqlite3_column_int64(statement, 15),
                                 .checksum = (uint64_t)sqlite3_column_int64(statement, 16)};
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

/* An event and what it told are read of one moment, since somebody may be erasing both. */
static scant_status end(scant_study *s, int alone, scant_status status) {
  sqlite3_reset(s->statements.made[SQL_EVENT]);
  sqlite3_reset(s->statements.made[SQL_TOLD]);
  return study_end_peek(s, alone, status);
}

scant_status scant_study_event_after(scant_study *study, uint64_t after, const scant_study_event **event,
                                     scant_error *error) {
  int alone;
  *event = NULL;
  if (after > INT64_MAX) return SCANT_OK;
  SCANT_TRY(study_peek(study, &alone, error));
  return end(study, alone, event_after(study, after, event, error));
}

scant_status study_read_event(scant_study *study, uint64_t sequence, scant_error *error) {
  const scant_study_event *event;
  SCANT_TRY(scant_study_event_after(study, sequence - 1, &event, error));
  if (event && event->sequence == sequence) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "event %llu is not in the ledger", (unsigned long long)sequence);
}

static scant_status event_of(scant_study *s, const char *example, uint64_t after, const scant_study_event **event,
                             scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t sequence = 0;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_EVENT_OF, &statement, error));
  study_bind_count(statement, 1, after);
  study_bind_text(statement, 2, example);
  SCANT_TRY(study_read_single(s, statement, &sequence, error));
  if (!sequence) return SCANT_OK;
  SCANT_TRY(event_after(s, sequence - 1, event, error));
  if (*event && (*event)->example && !strcmp((*event)->example, example)) return SCANT_OK;
  *event = NULL;
  return scant_fail(error, SCANT_DATA, "the ledger is damaged: event %llu is listed with an example that is not its",
                    (unsigned long long)sequence);
}

scant_status scant_study_event_of(scant_study *study, const char *example, uint64_t after,
                                  const scant_study_event **event, scant_error *error) {
  int alone;
  *event = NULL;
  SCANT_TRY(study_check_example(example, error));
  if (after > INT64_MAX) return SCANT_OK;
  SCANT_TRY(study_peek(study, &alone, error));
  return end(study, alone, event_of(study, example, after, event, error));
}

scant_status study_prepare_builds(scant_study *study, study_sql which, sqlite3_stmt **statement, scant_error *error) {
  SCANT_TRY(study_prepare(study->db, &study->statements, which, statement, error));
  study_bind_text(*statement, 1, scant_event_kind_name(SCANT_EVENT_CREATE));
  study_bind_text(*statement, 2, scant_event_kind_name(SCANT_EVENT_BUILD));
  return SCANT_OK;
}

scant_status study_count_open(scant_study *s, uint64_t *open, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  *open = 0;
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
  SCANT_TRY(study_count_open(study, &tip->open, error));
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_LAST_EVENT, &statement, error));
  SCANT_TRY(study_step(study->db, statement, &row, error));
  if (!row) return scant_fail(error, SCANT_DATA, "the ledger of the study is empty");
  tip->sequence = (uint64_t)sqlite3_column_int64(statement, 0);
  tip->checksum = (uint64_t)sqlite3_column_int64(statement, 1);
  sqlite3_reset(statement);
  SCANT_TRY(study_prepare_builds(study, SQL_LAST_BUILD, &statement, error));
  SCANT_TRY(study_step(study->db, statement, &row, error));
  const char *build = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  int no_memory = row && !build && sqlite3_column_type(statement, 0) != SQLITE_NULL;
  tip->new_build = !build || !study_is_build(build);
  sqlite3_reset(statement);
  return no_memory ? scant_fail_memory(error) : SCANT_OK;
}
