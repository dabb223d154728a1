/* The ledger: events that are only ever added. */
#include <time.h>

#include "study.h"

/* ---- the chain of checksums ----------------------------------------------------- */

static void add_number(scant_sha256 *sum, uint64_t number) {
  unsigned char bytes[8];
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i & 0xff);
  scant_sha256_add(sum, bytes, sizeof bytes);
}

static void add_real(scant_sha256 *sum, double x) {
  uint64_t bits = UINT64_MAX; /* all NaNs are alike, and SQLite keeps no -0 */
  if (x == 0) x = 0;
  if (!isnan(x)) memcpy(&bits, &x, sizeof bits);
  add_number(sum, bits);
}

static void add_text(scant_sha256 *sum, const char *text) {
  size_t length = text ? strlen(text) : 0;
  add_number(sum, text ? length + 1 : 0);
  scant_sha256_add(sum, text ? text : "", length);
}

/* Digests and checksums are the first 64 bits of a SHA-256: so many that nobody finds another event with the same. (Who
 * makes the whole chain anew is not stopped by any checksum in the file.) */

/* The salt is random: without it the digest says nothing of what it was made of, since any content gives any digest
 * with some salt, and so it may stay when that is erased. */
uint64_t study_digest(const scant_study_event *e) {
  scant_sha256 sum;
  if (e->erased) return e->digest;
  scant_sha256_begin(&sum);
  add_number(&sum, e->salt);
  add_text(&sum, e->example);
  add_text(&sum, e->look);
  add_text(&sum, e->reason);
  add_text(&sum, e->change);
  add_number(&sum, e->count);
  for (size_t i = 0; i < e->count; i++) {
    add_number(&sum, (uint64_t)e->told[i].attribute);
    add_real(&sum, e->told[i].value);
    add_text(&sum, e->told[i].note);
  }
  return scant_sha256_first(&sum);
}

uint64_t study_checksum(const scant_study_event *e, uint64_t before) {
  scant_sha256 sum;
  scant_sha256_begin(&sum);
  add_number(&sum, before);
  add_number(&sum, e->sequence);
  add_text(&sum, e->at);
  add_text(&sum, scant_event_kind_name(e->kind));
  add_text(&sum, e->by);
  add_text(&sum, e->via);
  add_number(&sum, e->order);
  add_number(&sum, (uint64_t)e->attributes);
  add_number(&sum, (uint64_t)e->reserved);
  add_number(&sum, (uint64_t)e->spent);
  add_number(&sum, (uint64_t)e->learned);
  add_number(&sum, e->digest);
  return scant_sha256_first(&sum);
}

const char *study_now(char *text, size_t size) {
  time_t seconds = time(NULL);
  struct tm parts;
  if (!gmtime_r(&seconds, &parts) || !strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &parts)) return "";
  return text;
}

static scant_status write_event(scant_study *s, const scant_study_event *e, scant_error *error) {
  const char *kind = scant_event_kind_name(e->kind);
  const sql_value salt = e->erased ? sql_text(NULL) : sql_count(e->salt);
  const sql_value row[] = {sql_count(e->sequence),    sql_text(e->at),         sql_text(kind),
                           sql_text(e->by),           sql_text(e->via),        sql_count(e->order),
                           sql_signed(e->attributes), sql_signed(e->reserved), sql_signed(e->spent),
                           sql_signed(e->learned),    sql_text(e->example),    sql_text(e->look),
                           sql_text(e->reason),       sql_text(e->change),     salt,
                           sql_count(e->digest),      sql_count(e->checksum)};
  SCANT_TRY(study_run(s,
                      "INSERT INTO ledger(sequence, at, kind, by, via, number, attributes, reserved, spent, learned, "
                      "example, look, reason, change, salt, digest, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, "
                      "?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
                      row, error));
  for (size_t i = 0; i < e->count; i++) {
    const scant_study_told *told = &e->told[i];
    const sql_value value[] = {sql_count(e->sequence), sql_count(i), sql_signed(told->attribute), sql_real(told->value),
                               sql_text(told->note)};
    SCANT_TRY(study_run(s, "INSERT INTO told(sequence, place, attribute, value, note) VALUES(?1, ?2, ?3, ?4, ?5)",
                        value, error));
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

void study_move_tip(study_tip *tip, const scant_study_event *event) {
  tip->sequence = event->sequence;
  tip->checksum = event->checksum;
  tip->totals.attributes += (uint64_t)event->attributes;
  tip->totals.reserved += (uint64_t)event->reserved;
  tip->totals.spent += (uint64_t)event->spent;
}

scant_status study_append(scant_study *s, scant_study_event *event, scant_error *error) {
  char time_text[32];
  event->sequence = s->tip.sequence + 1;
  SCANT_TRY(sign(s, event, time_text, sizeof time_text, error));
  event->digest = study_digest(event);
  event->checksum = study_checksum(event, s->tip.checksum);
  SCANT_TRY(write_event(s, event, error));
  study_move_tip(&s->tip, event);
  return SCANT_OK;
}

/* ---- reading --------------------------------------------------------------------- */

scant_status study_keep_note(scant_study *s, const char *text, const char **note, scant_error *error) {
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
  SCANT_TRY(study_query(s, "SELECT attribute, value, place, note FROM told WHERE sequence = ?1 ORDER BY place",
                        (sql_value[]){sql_count(sequence)}, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    size_t count = s->event.count;
    if (count > s->dimension || sqlite3_column_int64(statement, 2) != (int64_t)count)
      return scant_fail(error, SCANT_DATA,
                        "what event %llu of the ledger tells is damaged: value %zu is not in its place",
                        (unsigned long long)sequence, count + 1);
    if (!scant_grow(&s->event_told, &s->event_room, count + 1, sizeof *s->event_told)) return scant_fail_memory(error);
    int64_t attribute = sqlite3_column_int64(statement, 0);
    const char *note;
    SCANT_TRY(study_column_note(s, statement, 3, &note, error));
    s->event_told[count] = (scant_study_told){attribute, study_column_real(statement, 1), note};
    s->event.count++;
    if (attribute >= (int64_t)s->dimension)
      SCANT_TRY(study_refresh_terms(s, error)); /* another one may have added it */
    if (attribute < -1 || attribute >= (int64_t)s->dimension)
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
  SCANT_TRY(study_query_row(
      s,
      "SELECT sequence, at, kind, by, via, number, attributes, reserved, spent, learned, example, look, reason, "
      "change, salt, digest, checksum FROM ledger WHERE sequence > ?1 ORDER BY sequence LIMIT 1",
      (sql_value[]){sql_count(after)}, &statement, &row, error));
  int64_t sequence = row ? sqlite3_column_int64(statement, 0) : INT64_MAX;
  if (!row && after >= s->tip.sequence) return SCANT_OK;
  SCANT_TRY(study_check_key(sequence, after, "the ledger is", "event", error));
  if ((uint64_t)sequence != after + 1)
    return scant_fail(error, SCANT_DATA, "event %llu of the ledger is gone", (unsigned long long)after + 1);
  static const int texts[STUDY_EVENT_TEXTS] = {1, 2, 3, 4, 10, 11, 12, 13};
  for (int i = 0; i < STUDY_EVENT_TEXTS; i++)
    SCANT_TRY(study_column_text(statement, texts[i], &s->event_texts[i], error));
  int64_t learned = sqlite3_column_int64(statement, 9);
  s->event = (scant_study_event){.sequence = study_column_count(statement, 0),
                                 .at = s->event_texts[0],
                                 .by = s->event_texts[2],
                                 .via = s->event_texts[3],
                                 .order = study_column_count(statement, 5),
                                 .attributes = sqlite3_column_int64(statement, 6),
                                 .reserved = sqlite3_column_int64(statement, 7),
                                 .spent = sqlite3_column_int64(statement, 8),
                                 .learned = learned == 1,
                                 .erased = sqlite3_column_type(statement, 14) == SQLITE_NULL,
                                 .example = s->event_texts[4],
                                 .look = s->event_texts[5],
                                 .reason = s->event_texts[6],
                                 .change = s->event_texts[7],
                                 .salt = study_column_count(statement, 14),
                                 .digest = study_column_count(statement, 15),
                                 .checksum = study_column_count(statement, 16)};
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
  if (status != SCANT_OK) study_reset(s);
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
  uint64_t sequence;
  SCANT_TRY(study_read_single(s,
                              "SELECT sequence FROM ledger INDEXED BY ledger_of_example WHERE sequence > ?1 AND "
                              "example = ?2 ORDER BY sequence LIMIT 1",
                              (sql_value[]){sql_count(after), sql_text(example)}, &sequence, error));
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

int study_is_build(const char *reason) {
  size_t length = strlen(study_build());
  return !strncmp(reason, study_build(), length) && (!reason[length] || reason[length] == ';');
}

scant_status study_count_orders(scant_study *s, uint64_t counts[STUDY_STATES], uint64_t *open, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  for (int i = 0; i < STUDY_STATES; i++) counts[i] = 0;
  *open = 0;
  SCANT_TRY(study_query(s, "SELECT state, count(*) FROM orders GROUP BY state", NULL, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    int64_t state = sqlite3_column_int64(statement, 0);
    if (!study_is_state(state)) continue;
    counts[state] = study_column_count(statement, 1);
    if (study_is_open((scant_order_state)state)) *open += counts[state];
  }
}

scant_status study_read_tip(scant_study *s, study_tip *tip, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t counts[STUDY_STATES];
  const char *build = NULL;
  int row;
  *tip = (study_tip){0};
  SCANT_TRY(study_query_row(s, "SELECT sum(attributes), sum(reserved), sum(spent) FROM ledger", NULL, &statement, &row,
                            error));
  if (row)
    tip->totals = (study_totals){study_column_count(statement, 0), study_column_count(statement, 1),
                                 study_column_count(statement, 2)};
  sqlite3_reset(statement);
  SCANT_TRY(study_count_orders(s, counts, &tip->open, error));
  SCANT_TRY(study_query_row(s, "SELECT sequence, checksum FROM ledger ORDER BY sequence DESC LIMIT 1", NULL, &statement,
                            &row, error));
  if (!row) return scant_fail(error, SCANT_DATA, "the ledger of the study is empty");
  tip->sequence = study_column_count(statement, 0);
  tip->checksum = study_column_count(statement, 1);
  sqlite3_reset(statement);
  SCANT_TRY(
      study_query_row(s, "SELECT reason FROM ledger WHERE kind IN ('create', 'build') ORDER BY sequence DESC LIMIT 1",
                      NULL, &statement, &row, error));
  scant_status status = row ? study_column_peek(statement, 0, &build, error) : SCANT_OK;
  tip->new_build = !build || !study_is_build(build);
  sqlite3_reset(statement);
  return status;
}

scant_status scant_study_last_event(scant_study *study, const char *example, uint64_t *sequence, scant_error *error) {
  int alone;
  *sequence = 0;
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(study_peek(study, &alone, error));
  return study_end_peek(
      study, alone,
      study_read_single(
          study,
          "SELECT sequence FROM ledger INDEXED BY ledger_of_example WHERE example = ?1 ORDER BY sequence DESC LIMIT 1",
          (sql_value[]){sql_text(example)}, sequence, error));
}

/* Events of an import have no order, and those of an order have its number.  Of the last order alone: what was told of
 * one before it that was cancelled does not count any more. */
static scant_status find_teller(scant_study *s, const char *example, int64_t attribute, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t number;
  int row;
  SCANT_TRY(study_find_order(s, example, &number, error));
  static const char sql[] =
      "SELECT l.by FROM ledger l INDEXED BY ledger_of_example JOIN told t ON t.sequence = l.sequence "
      "WHERE l.example = ?1 AND l.number = ?2 AND t.attribute = ?3 AND l.kind IN ('tell', 'correct', 'extra', "
      "'import') "
      "ORDER BY l.sequence DESC LIMIT 1";
  const sql_value values[] = {sql_text(example), sql_count(number), sql_signed(attribute)};
  SCANT_TRY(study_query_row(s, sql, values, &statement, &row, error));
  scant_status status = row ? study_column_text(statement, 0, &s->teller, error) : SCANT_OK;
  sqlite3_reset(statement);
  return status;
}

static scant_status teller(scant_study *s, const char *example, const char *name, const char **by, scant_error *error) {
  int64_t attribute = study_find_name(s, name);
  if (attribute < -1) return scant_fail(error, SCANT_DATA, "there is no attribute '%.200s'", name);
  free(s->teller);
  s->teller = NULL;
  SCANT_TRY(find_teller(s, example, attribute, error));
  *by = s->teller;
  return SCANT_OK;
}

scant_status scant_study_teller(scant_study *study, const char *example, const char *name, const char **by,
                                scant_error *error) {
  *by = NULL;
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(study_enter(study, error)); /* the catalogue is the present one */
  return study_leave(study, teller(study, example, name, by, error));
}
