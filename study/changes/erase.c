/* Erasing an example: its name and values go, and the ledger keeps a mark.
 *
 * Of every event of the example, example, look, reason, change, salt and what was told go; its digest stays, so that
 * the chain of checksums still holds.  The event of the erasure lists the numbers of those events.  All that follows
 * from the ledger, the learner too, is then made anew without them, by the same code that proves a study (verify.c).
 */
#include <limits.h>

#include "study.h"

/* ---- sweeping ----------------------------------------------------------------------- */

/* What was erased is in no file of the study any more.  After a transaction the bytes of before are still there: in the
 * log, on pages that are free, and behind the rows of pages that are not.  The file is written anew without them
 * (VACUUM, in memory), and the log is taken over and cut to nothing.  Until that is done, a row of the table `sweep`
 * says that it is due: whoever opens the study to write does it. */

scant_status study_is_unswept(scant_study *study, int *unswept, scant_error *error) {
  uint64_t number;
  SCANT_TRY(study_read_single(study, "SELECT max(sequence) FROM sweep", NULL, &number, error));
  *unswept = number != 0;
  return SCANT_OK;
}

static scant_status sweep(scant_study *s, scant_error *error) {
  study_reset(s);
  int code = sqlite3_exec(s->db, "VACUUM", NULL, NULL, NULL);
  if (code == SQLITE_OK) code = sqlite3_wal_checkpoint_v2(s->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  if (code == SQLITE_BUSY || code == SQLITE_LOCKED) /* readers that began before hold the log back */
    return scant_fail(
        error, SCANT_BUSY,
        "what was erased is no part of '%.200s' any more, but its bytes are still in the file or in its log, "
        "since somebody reads the study: finish the erasure when they have ended",
        s->path);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "sweeping out what was erased", error);
  return study_run(s, "DELETE FROM sweep", NULL, error);
}

scant_status study_sweep_if_due(scant_study *study, double seconds, scant_error *error) {
  int due;
  SCANT_TRY(study_is_unswept(study, &due, error));
  if (!due) return SCANT_OK;
  sqlite3_busy_timeout(study->db, seconds < INT_MAX / 1000 ? (int)(1000 * seconds) : INT_MAX);
  scant_status status = sweep(study, error);
  sqlite3_busy_timeout(study->db, STUDY_BUSY);
  return status;
}

/* How long to wait for those who read where the call is about nothing else. */
static double patience(const scant_study *study) {
  return study->wait.seconds > STUDY_BUSY / 1000. ? study->wait.seconds : STUDY_BUSY / 1000.;
}

scant_status scant_study_sweep(scant_study *study, scant_error *error) {
  SCANT_TRY(study_refuse_in_group(study, "sweeping out what was erased", error));
  SCANT_TRY(study_seize(study, error));
  return study_end_turn(study, study_leave(study, study_sweep_if_due(study, patience(study), error)));
}

/* Events of an example, by number. */
typedef struct {
  uint64_t *sequences;
  size_t count, room;
} events;

static scant_status find_events(scant_study *s, const char *example, events *found, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t sequence = 0;
  SCANT_TRY(study_query(s,
                        "SELECT sequence FROM ledger WHERE example = ?1 OR (number > 0 AND number IN (SELECT number "
                        "FROM orders WHERE example = ?1)) ORDER BY sequence",
                        (sql_value[]){sql_text(example)}, &statement, error));
  for (int more;;) {
    SCANT_TRY(study_next_key(s, statement, "the ledger is", "event", &sequence, &more, error));
    if (!more) return SCANT_OK;
    if (!scant_grow(&found->sequences, &found->room, found->count + 1, sizeof *found->sequences))
      return scant_fail_memory(error);
    found->sequences[found->count++] = sequence;
  }
}

/* Money and attributes that its open orders still reserve. */
static scant_status find_open(scant_study *s, const char *example, scant_study_traces *t, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t number = 0;
  for (int more;;) {
    static const char sql[] = "SELECT number FROM orders INDEXED BY orders_of_example WHERE " STUDY_FOLD(
        "example") " = " STUDY_FOLD("?1") " AND +example = ?1 AND number > ?2 ORDER BY number LIMIT 1";
    SCANT_TRY(study_query(s, sql, (sql_value[]){sql_text(example), sql_count(number)}, &statement, error));
    SCANT_TRY(study_next_key(s, statement, "the orders are", "order", &number, &more, error));
    sqlite3_reset(statement);
    if (!more) return SCANT_OK;
    SCANT_TRY(study_read_order(s, number, error));
    t->orders++;
    t->order = number;
    t->spent += s->order.spent;
    if (!study_is_open(s->order.state)) continue;
    study_totals rest = study_price(s, STUDY_TO_COME);
    t->open++;
    t->refunded += rest.spent;
    t->attributes += rest.attributes;
  }
}

static scant_status find_traces(scant_study *s, const char *example, events *found, scant_study_traces *t,
                                scant_error *error) {
  uint64_t imported;
  *t = (scant_study_traces){0};
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(find_events(s, example, found, error));
  if (!found->count)
    return study_refuse_unknown(s, example, "nothing is known of", ": it was never here, or was erased before", error);
  t->events = found->count;
  SCANT_TRY(find_open(s, example, t, error));
  SCANT_TRY(study_find_import(s, example, &imported, error));
  t->imported = imported != 0;
  const sql_value values[] = {sql_text(example), sql_count(found->sequences[0])};
  SCANT_TRY(study_read_single(
      s,
      "SELECT count(*) FROM ledger WHERE sequence > ?2 AND look IS NOT NULL AND example IS NOT NULL AND example <> ?1",
      values, &t->looks, error));
  scant_learner_traits traits;
  scant_learner_get_traits(s->learner, &traits);
  t->unknown = traits.fleeting ? t->looks : 0;
  /* the texts that people write of other examples */
  return study_read_single(s,
                           "SELECT count(*) FROM ledger WHERE kind NOT IN ('create', 'build') AND (example IS NULL OR "
                           "example <> ?1) AND instr(lower(coalesce(reason, '')), lower(?1))",
                           values, &t->mentions, error);
}

scant_status scant_study_find_traces(scant_study *study, const char *example, scant_study_traces *traces,
                                     scant_error *error) {
  events found = {0};
  SCANT_TRY(study_enter(study, error));
  scant_status status = study_leave(study, find_traces(study, example, &found, traces, error));
  free(found.sequences);
  return status;
}

static int lower(char c) {
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

/* Is `name` in `text`, whatever the case of its ASCII letters? */
static int holds(const char *text, const char *name) {
  for (; *text; text++) {
    size_t i = 0;
    while (name[i] && lower(text[i]) == lower(name[i])) i++;
    if (!name[i]) return 1;
  }
  return 0;
}

static scant_status check_reason(const char *example, const char *reason, scant_error *error) {
  if (!reason || !*reason) return scant_fail(error, SCANT_USAGE, "an example is erased for a reason: say which");
  if (!holds(reason, example)) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "the reason is kept, so it must not hold the name of the example");
}

scant_status scant_study_check_erase(scant_study *study, const char *example, const char *reason,
                                     scant_study_traces *traces, scant_error *error) {
  SCANT_TRY(scant_study_find_traces(study, example, traces, error));
  return check_reason(example, reason, error);
}

/* The numbers as a text that is hashed with the event of the erasure. */
static scant_status list_events(const events *found, char **text, scant_error *error) {
  scant_json_writer out = {.lines = 1};
  scant_json_open(&out, NULL, '{');
  scant_json_open(&out, "events", '[');
  for (size_t i = 0; i < found->count; i++) scant_json_count(&out, NULL, found->sequences[i]);
  scant_json_close(&out);
  scant_json_close(&out);
  return study_take_text(&out, text, error);
}

static scant_status append_erase(scant_study *s, const events *found, const scant_study_traces *t, const char *reason,
                                 scant_error *error) {
  char *change;
  SCANT_TRY(list_events(found, &change, error));
  scant_study_event event = study_event(SCANT_EVENT_ERASE, NULL, t->orders == 1 ? t->order : 0);
  event.attributes = -(int64_t)t->attributes;
  event.reserved = -(int64_t)t->refunded;
  event.reason = reason;
  event.change = change;
  scant_status status = study_append(s, &event, error);
  free(change);
  return status;
}

static scant_status erase(scant_study *s, const char *example, const events *found, const scant_study_traces *t,
                          const char *reason, scant_error *error) {
  SCANT_TRY(study_forget_example(s, example, error));
  for (size_t i = 0; i < found->count; i++) {
    const sql_value sequence = sql_count(found->sequences[i]);
    SCANT_TRY(study_run(
        s,
        "UPDATE ledger SET example = NULL, look = NULL, reason = NULL, change = NULL, salt = NULL WHERE sequence = ?1",
        &sequence, error));
    SCANT_TRY(study_run(s, "DELETE FROM told WHERE sequence = ?1", &sequence, error));
  }
  SCANT_TRY(append_erase(s, found, t, reason, error));
  SCANT_TRY(study_run(s, "INSERT INTO sweep(sequence) VALUES(?1)", (sql_value[]){sql_count(s->tip.sequence)}, error));
  return study_remake(s, error);
}

static scant_status erase_example(scant_study *s, const char *example, const char *reason, scant_study_traces *t,
                                  scant_error *error) {
  events found = {0};
  SCANT_TRY(check_reason(example, reason, error));
  scant_status status = find_traces(s, example, &found, t, error);
  if (status == SCANT_OK) status = study_begin(s, error);
  if (status == SCANT_OK) {
    status = study_end(s, erase(s, example, &found, t, reason, error), 1, error);
    s->stale = 1; /* the learner is read again from the file */
  }
  free(found.sequences);
  if (status != SCANT_OK) return study_leave(s, status);
  memset(s->example, 0, sizeof s->example);
  t->unswept = study_sweep_if_due(s, patience(s), NULL) != SCANT_OK;
  return study_leave(s, SCANT_OK);
}

scant_status scant_study_erase(scant_study *study, const char *example, const char *reason, scant_study_traces *traces,
                               scant_error *error) {
  scant_study_traces unseen;
  SCANT_TRY(study_refuse_in_group(study, "an erasure", error));
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, erase_example(study, example, reason, traces ? traces : &unseen, error));
}

/* ---- doing it again ------------------------------------------------------------------- */

static scant_status add_erased(scant_study *s, uint64_t number, scant_error *error) {
  uint64_t last;
  char name[40];
  SCANT_TRY(study_last_order(s, &last, error));
  if (number != last + 1) return scant_fail(error, SCANT_DATA, "its order is not the next one");
  snprintf(name, sizeof name, " erased %" PRIu64, number); /* no example has it, since it begins with a blank */
  const sql_value order[] = {sql_count(number), sql_text(name), sql_count(SCANT_ORDER_ERASED),
                             sql_count(s->tip.sequence), sql_count(study_learner_told(s))};
  return study_run(s,
                   "INSERT INTO orders(number, example, state, spent, y, asked, asked_told, learned_told, reason, "
                   "second, second_y, learned_by) VALUES(?1, ?2, ?3, 0, NULL, ?4, ?5, NULL, NULL, 0, NULL, NULL)",
                   order, error);
}

/* What was paid for an order stays counted. */
static scant_status pay_erased(scant_study *s, const scant_study_event *e, scant_error *error) {
  const sql_value values[] = {sql_count(e->order), sql_signed(e->spent), sql_count(SCANT_ORDER_ERASED)};
  SCANT_TRY(study_run(s, "UPDATE orders SET spent = spent + ?2 WHERE number = ?1 AND state = ?3", values, error));
  return sqlite3_changes(s->db) == 1 ? SCANT_OK : scant_fail(error, SCANT_DATA, "its order was not erased with it");
}

static scant_status redo_erased(scant_study *s, const scant_study_event *e, scant_error *error) {
  scant_study_event event = *e; /* with its digest */
  SCANT_TRY(study_follow_erased(s, e->kind, error));
  SCANT_TRY(study_append(s, &event, error));
  if (e->kind == SCANT_EVENT_ASK) return add_erased(s, e->order, error);
  return e->order ? pay_erased(s, e, error) : SCANT_OK;
}

scant_status study_redo_erased(scant_study *twin, const scant_study_event *e, scant_error *error) {
  if (!study_is_of_example(e->kind)) return scant_fail(error, SCANT_DATA, "an event of this kind can't be erased");
  if (e->example || e->look || e->reason || e->change || e->count)
    return scant_fail(error, SCANT_DATA, "it was erased, and yet not all of it is gone");
  SCANT_TRY(study_begin(twin, error));
  return study_end(twin, redo_erased(twin, e, error), 1, error);
}

scant_status study_redo_erase(scant_study *twin, const scant_study_event *e, scant_error *error) {
  scant_study_event event = study_event(e->kind, NULL, e->order);
  event.attributes = e->attributes;
  event.reserved = e->reserved;
  event.reason = e->reason;
  event.change = e->change;
  if (e->attributes > 0 || e->reserved > 0)
    return scant_fail(error, SCANT_DATA, "an erasure can only give something back");
  SCANT_TRY(study_begin(twin, error));
  scant_learner_reseed(twin->learner, twin->tip.sequence + 1); /* the number of this event: see follow */
  return study_end(twin, study_append(twin, &event, error), 1, error);
}

/* ---- is every erased event accounted for? ------------------------------------------------ */

static scant_status add_listed(const scant_study_event *e, events *listed, scant_error *error) {
  scant_json json;
  scant_error inner = {""};
  if (!e->change) return scant_fail(error, SCANT_DATA, "it does not say what it erased");
  SCANT_TRY(scant_json_parse(&json, e->change, strlen(e->change), error));
  size_t node = scant_json_member(&json, 0, "events");
  size_t count = node == SCANT_JSON_NONE || json.nodes[node].type != SCANT_JSON_ARRAY ? 0 : json.nodes[node].count;
  scant_status status = SCANT_OK;
  if (!scant_grow(&listed->sequences, &listed->room, listed->count + count + 1, sizeof *listed->sequences))
    status = scant_fail_memory(&inner);
  uint64_t *added = status == SCANT_OK ? listed->sequences + listed->count : NULL;
  if (status == SCANT_OK && !count) status = scant_fail(&inner, SCANT_DATA, "it does not say what it erased");
  if (status == SCANT_OK) status = scant_json_get_counts(&json, 0, "events", added, count, &inner);
  for (size_t i = 0; i < count && status == SCANT_OK; i++)
    if (added[i] >= e->sequence) status = scant_fail(&inner, SCANT_DATA, "it erased what came after it");
  scant_json_free(&json);
  if (status != SCANT_OK) return scant_fail(error, status, "%.300s", inner.text);
  listed->count += count;
  return SCANT_OK;
}

static int compare_counts(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static scant_status compare_listed(scant_study *s, const events *listed, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t sequence = 0;
  int more;
  SCANT_TRY(
      study_query(s, "SELECT sequence FROM ledger WHERE salt IS NULL ORDER BY sequence", NULL, &statement, error));
  for (size_t i = 0;; i++) {
    SCANT_TRY(study_next_key(s, statement, "the ledger is", "event", &sequence, &more, error));
    uint64_t next = i < listed->count ? listed->sequences[i] : UINT64_MAX;
    if (!more && i >= listed->count) break;
    if (!more || next < sequence)
      return scant_fail(error, SCANT_DATA, "event %" PRIu64 " of the ledger was to be erased, and is not", next);
    if (next > sequence)
      return scant_fail(error, SCANT_DATA, "event %" PRIu64 " of the ledger is gone, and nobody has erased it",
                        sequence);
  }
  static const char all_reserved[] = "SELECT sum(reserved) FROM ledger WHERE salt IS NULL OR kind = 'erase'";
  uint64_t reserved;
  SCANT_TRY(study_read_single(s, all_reserved, NULL, &reserved, error));
  if (reserved) return scant_fail(error, SCANT_DATA, "erasures did not give back what was reserved for what is erased");
  return SCANT_OK;
}

static scant_status list_erased(scant_study *s, events *listed, scant_error *error) {
  sqlite3_stmt *statement;
  uint64_t sequence = 0;
  for (int more;;) {
    static const char next[] =
        "SELECT sequence FROM ledger WHERE kind = 'erase' AND sequence > ?1 ORDER BY sequence LIMIT 1";
    SCANT_TRY(study_query(s, next, (sql_value[]){sql_count(sequence)}, &statement, error));
    SCANT_TRY(study_next_key(s, statement, "the ledger is", "event", &sequence, &more, error));
    sqlite3_reset(statement);
    if (!more) break;
    scant_error inner = {""};
    SCANT_TRY(study_read_event(s, sequence, error));
    scant_status status = add_listed(&s->event, listed, &inner);
    if (status != SCANT_OK)
      return scant_fail(error, status, "event %" PRIu64 " of the ledger (erase): %.300s", sequence, inner.text);
  }
  if (listed->count) qsort(listed->sequences, listed->count, sizeof *listed->sequences, compare_counts);
  return compare_listed(s, listed, error);
}

scant_status study_check_erased(scant_study *study, scant_error *error) {
  events listed = {0};
  scant_status status = list_erased(study, &listed, error);
  free(listed.sequences);
  return status;
}
