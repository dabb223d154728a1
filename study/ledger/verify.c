/* The proof that a study is what its ledger says: every event is done again in
 * memory, by the same code, and what comes out is compared. */
#include "study.h"

/* ---- doing it again ----------------------------------------------------------------- */

static scant_status answer(const scant_study *s, const scant_study_event *e, scant_study_answer **answers,
                           scant_error *error) {
  *answers = scant_array(e->count, sizeof **answers);
  if (!*answers) return scant_fail_memory(error);
  for (size_t i = 0; i < e->count; i++) {
    const scant_study_told *told = &e->told[i];
    int missing = isnan(told->value);
    (*answers)[i] = (scant_study_answer){.name = study_name_of(s, told->attribute),
                                         .value = told->value,
                                         .missing = missing,
                                         .note = missing ? told->note : NULL,
                                         .confirmed = told->note && !strcmp(told->note, study_confirmed)};
  }
  return SCANT_OK;
}

static scant_status redo_told(scant_study *twin, const scant_study_event *e, scant_error *error) {
  scant_study_answer *answers;
  scant_study_comparison comparison;
  SCANT_TRY(answer(twin, e, &answers, error));
  scant_status status = SCANT_OK;
  if (e->kind == SCANT_EVENT_TELL)
    status = scant_study_tell(twin, e->example, answers, e->count, error);
  else if (e->kind == SCANT_EVENT_SECOND)
    status = scant_study_tell_second(twin, e->example, answers, e->count, &comparison, error);
  else if (e->kind == SCANT_EVENT_EXTRA)
    status = scant_study_tell_extra(twin, e->example, answers, e->count, e->reason, NULL, error);
  else if (e->kind == SCANT_EVENT_CORRECT)
    status = scant_study_correct(twin, e->example, answers, e->count, e->reason, error);
  else
    status = scant_study_import(twin, e->example, answers, e->count, error);
  free(answers);
  return status;
}

/* An event that changes nothing but the ledger: another build, or a frozen copy. */
static scant_status redo_mark(scant_study *twin, const scant_study_event *e, scant_error *error) {
  scant_study_event event = study_event(e->kind, NULL, 0);
  event.reason = e->reason;
  event.change = e->change;
  SCANT_TRY(study_begin(twin, error));
  return study_end(twin, study_append(twin, &event, error), 0, error);
}

/* An event of an example. */
static scant_status redo_of_example(scant_study *twin, const scant_study_event *e, scant_error *error) {
  const scant_study_order *order;
  if (!e->example) return scant_fail(error, SCANT_DATA, "it names no example");
  switch (e->kind) {
    case SCANT_EVENT_ASK:
      return e->look ? scant_study_ask(twin, e->example, &order, error)
                     : scant_fail(error, SCANT_DATA, "it has no look");
    case SCANT_EVENT_CANCEL:
      return scant_study_end_order(twin, e->example, SCANT_END_CANCEL, e->reason, error);
    case SCANT_EVENT_EXPIRE:
      return scant_study_end_order(twin, e->example, SCANT_END_EXPIRE, e->reason, error);
    case SCANT_EVENT_FAIL:
      return scant_study_end_order(twin, e->example, SCANT_END_FAIL, e->reason, error);
    case SCANT_EVENT_REOPEN:
      return scant_study_reopen(twin, e->example, e->reason, error);
    default:
      return redo_told(twin, e, error);
  }
}

static scant_status redo(scant_study *twin, const scant_study_event *e, scant_error *error) {
  twin->again = e;
  twin->tip.new_build = 0; /* builds have events of their own */
  if (e->erased) return study_redo_erased(twin, e, error);
  switch (e->kind) {
    case SCANT_EVENT_ERASE:
      return study_redo_erase(twin, e, error);
    case SCANT_EVENT_BUILD:
    case SCANT_EVENT_FREEZE:
      return redo_mark(twin, e, error);
    case SCANT_EVENT_CREATE:
      return scant_fail(error, SCANT_DATA, "a study is made once");
    case SCANT_EVENT_AMEND:
      return e->change ? study_amend_terms(twin, e->change, e->reason, 0, error)
                       : scant_fail(error, SCANT_DATA, "it has no change");
    default:
      return redo_of_example(twin, e, error);
  }
}

/* One event, whose place in the chain is checked, done again in the twin. */
static scant_status follow_event(scant_study *twin, const scant_study_event *e, uint64_t before, scant_error *error) {
  scant_error inner = {""};
  const scant_study_event *again;
  if (study_digest(e) != e->digest || study_checksum(e, before) != e->checksum)
    return scant_fail(error, SCANT_DATA, "event %" PRIu64 " of the ledger (%s, %s) is not as it was written",
                      e->sequence, scant_event_kind_name(e->kind), e->at);
  if (e->sequence == 1) return SCANT_OK;
  scant_status status = redo(twin, e, &inner);
  if (status == SCANT_OK) status = scant_study_event_after(twin, e->sequence - 1, &again, &inner);
  if (status == SCANT_OK && (!again || again->checksum != e->checksum)) /* of all that the event says */
    status = scant_fail(&inner, SCANT_DATA, "done again, it comes out otherwise");
  if (status == SCANT_MEMORY) return scant_fail_memory(error);
  if (status != SCANT_OK)
    return scant_fail(error, status == SCANT_IO ? SCANT_IO : SCANT_DATA, "event %" PRIu64 " of the ledger (%s): %.300s",
                      e->sequence, scant_event_kind_name(e->kind), inner.text);
  return SCANT_OK;
}

/* Which looks must be drawn again to the bit: those before the first event of which something was erased, and those
 * after the learner was made anew without that.  In between they were drawn by a learner that knew more. */
typedef struct {
  int same_build;
  uint64_t first, last; /* not those from `first` to `last` */
} exactness;

static scant_status read_exactness(scant_study *s, exactness *x, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  static const char first_erased_and_last_erasure[] =
      "SELECT (SELECT min(sequence) FROM ledger WHERE salt IS NULL), "
      "(SELECT max(sequence) FROM ledger WHERE kind = 'erase')";
  SCANT_TRY(study_query_row(s, first_erased_and_last_erasure, NULL, &statement, &row, error));
  uint64_t gone = row ? study_column_count(statement, 0) : 0;
  x->first = gone ? gone : UINT64_MAX;
  x->last = row ? study_column_count(statement, 1) : 0;
  sqlite3_reset(statement);
  return SCANT_OK;
}

static scant_status redo_all(scant_study *s, scant_study *twin, const exactness *x, study_see *see, void *user,
                             scant_error *error) {
  const scant_study_event *e;
  uint64_t before = 0, sequence = 0;
  for (;;) {
    SCANT_TRY(scant_study_event_after(s, sequence, &e, error));
    if (!e) break;
    sequence++;
    twin->exact = x->same_build && (sequence < x->first || sequence > x->last);
    SCANT_TRY(follow_event(twin, e, before, error));
    before = e->checksum;
    if (see && e->kind == SCANT_EVENT_ASK) SCANT_TRY(see(user, twin, e->order, error));
  }
  if (sequence != s->tip.sequence) return scant_fail(error, SCANT_DATA, "the ledger has another end than it had");
  return SCANT_OK;
}

/* Was every event written by this build?  See study_is_build. */
static scant_status is_same_build(scant_study *s, int *same, scant_error *error) {
  static const char others[] =
      "SELECT count(*) FROM ledger WHERE kind IN ('create', 'build') AND "
      "coalesce(substr(reason, 1, length(?1) + 1), '') NOT IN (?1, ?1 || ';')";
  uint64_t count;
  SCANT_TRY(study_read_single(s, others, (sql_value[]){sql_text(study_build())}, &count, error));
  *same = !count;
  return SCANT_OK;
}

/* A study in memory that went through the same ledger; `see` (or NULL) sees every ask. */
static scant_status make_twin(scant_study *s, scant_study **twin, int *same_build, study_see *see, void *user,
                              scant_error *error) {
  scant_study *t;
  exactness x;
  SCANT_TRY(is_same_build(s, &x.same_build, error));
  SCANT_TRY(read_exactness(s, &x, error));
  SCANT_TRY(study_check_erased(s, error));
  SCANT_TRY(study_read_event(s, 1, error));
  if (s->event.kind != SCANT_EVENT_CREATE)
    return scant_fail(error, SCANT_DATA, "the ledger does not begin with the making of the study");
  SCANT_TRY(study_twin(&t, s, error));
  t->any_name = 1; /* names were questioned when they came */
  scant_status status = redo_all(s, t, &x, see, user, error);
  *same_build = x.same_build;
  if (status != SCANT_OK) {
    scant_study_close(t);
    return status;
  }
  *twin = t;
  return SCANT_OK;
}

scant_status study_see_asks(scant_study *study, study_see *see, void *user, scant_error *error) {
  scant_study *twin = NULL;
  int same_build;
  scant_status status = make_twin(study, &twin, &same_build, see, user, error);
  scant_study_close(twin);
  return status;
}

/* ---- comparing ------------------------------------------------------------------------ */

/* What follows from the ledger. */
typedef struct {
  const char *name, *select;
} table;

enum { TABLES = 7, TOLD = TABLES - 1 };
static const table tables[TABLES] = {
    {"setting", "SELECT * FROM setting WHERE name <> '" STUDY_FROZEN "' ORDER BY name"},
    {"attribute", "SELECT * FROM attribute ORDER BY place"},
    {"orders", "SELECT * FROM orders ORDER BY number"},
    {"line", "SELECT * FROM line ORDER BY number, place"},
    {"extra", "SELECT * FROM extra ORDER BY number, attribute"},
    {"import", "SELECT * FROM import ORDER BY example"},
    {"told", "SELECT * FROM told ORDER BY sequence, place"},
};

static int is_same_cell(sqlite3_stmt *a, sqlite3_stmt *b, int column) {
  int type = sqlite3_column_type(a, column);
  if (type != sqlite3_column_type(b, column)) return 0;
  if (type == SQLITE_INTEGER) return sqlite3_column_int64(a, column) == sqlite3_column_int64(b, column);
  if (type == SQLITE_FLOAT) return sqlite3_column_double(a, column) == sqlite3_column_double(b, column);
  if (type == SQLITE_NULL) return 1;
  int length = sqlite3_column_bytes(a, column);
  return length == sqlite3_column_bytes(b, column) &&
         !memcmp(sqlite3_column_blob(a, column), sqlite3_column_blob(b, column), (size_t)length);
}

static scant_status compare_rows(scant_study *s, sqlite3_stmt *a, scant_study *twin, sqlite3_stmt *b, const char *name,
                                 scant_error *error) {
  for (uint64_t row = 1;; row++) {
    int more, as_many;
    SCANT_TRY(study_step(s->db, a, &more, error));
    SCANT_TRY(study_step(twin->db, b, &as_many, error));
    if (more != as_many)
      return scant_fail(error, SCANT_DATA, "the table %s has %s rows than follow from the ledger", name,
                        more ? "more" : "fewer");
    if (!more) return SCANT_OK;
    for (int column = 0; column < sqlite3_column_count(a); column++)
      if (!is_same_cell(a, b, column))
        return scant_fail(error, SCANT_DATA,
                          "row %" PRIu64 " of the table %s: its %s is not what follows from the ledger", row, name,
                          sqlite3_column_name(a, column));
  }
}

static scant_status compare_table(scant_study *s, scant_study *twin, const table *t, scant_error *error) {
  sqlite3_stmt *a = NULL, *b = NULL;
  int code = sqlite3_prepare_v2(s->db, t->select, -1, &a, NULL);
  if (code == SQLITE_OK) code = sqlite3_prepare_v2(twin->db, t->select, -1, &b, NULL);
  scant_status status = code == SQLITE_OK ? compare_rows(s, a, twin, b, t->name, error)
                                          : study_refuse(s->db, code, "reading the study", error);
  sqlite3_finalize(a);
  sqlite3_finalize(b);
  return status;
}

static scant_status compare_learners(scant_study *s, scant_study *twin, scant_study_proof *proof, scant_error *error) {
  char *text = NULL, *again = NULL;
  size_t length = 0, length_again = 0;
  scant_status status = scant_learner_save(s->learner, &text, &length, error);
  if (status == SCANT_OK) status = scant_learner_save(twin->learner, &again, &length_again, error);
  proof->same_bits = status == SCANT_OK && length == length_again && !memcmp(text, again, length);
  scant_text_free(text);
  scant_text_free(again);
  if (status != SCANT_OK || proof->same_bits) return status;
  double *w = scant_array(2 * s->dimension, sizeof *w), b[2], scale = 0, most = 0;
  if (!w) return scant_fail_memory(error);
  status = scant_learner_finish(s->learner, error);
  if (status == SCANT_OK) status = scant_learner_finish(twin->learner, error);
  scant_learner_weights(s->learner, w, &b[0]);
  scant_learner_weights(twin->learner, w + s->dimension, &b[1]);
  for (size_t i = 0; i < s->dimension; i++) scale = fmax(scale, fabs(w[i]));
  for (size_t i = 0; i < s->dimension; i++) most = fmax(most, fabs(w[i] - w[s->dimension + i]));
  free(w);
  most = fmax(scale > 0 ? most / scale : most, fabs(b[0] - b[1]) / fmax(fabs(b[0]), 1));
  proof->difference = most;
  if (status == SCANT_OK && (proof->same_build || !(most <= 1e-9)))
    status = scant_fail(error, SCANT_DATA,
                        "the learner is not what follows from the ledger: its weights differ by %.2g", most);
  return status;
}

static scant_status verify(scant_study *s, scant_study_proof *proof, scant_error *error) {
  scant_study *twin;
  SCANT_TRY(study_refresh_terms(s, error));
  SCANT_TRY(study_read_tip(s, &s->tip, error));
  SCANT_TRY(make_twin(s, &twin, &proof->same_build, NULL, NULL, error));
  proof->events = s->tip.sequence;
  scant_status status = SCANT_OK;
  for (int i = 0; i < TABLES && status == SCANT_OK; i++) status = compare_table(s, twin, &tables[i], error);
  if (status == SCANT_OK) status = study_load_learner(s, error); /* as the file has it now */
  if (status == SCANT_OK) status = study_check_snapshot(s, error);
  if (status == SCANT_OK) status = compare_learners(s, twin, proof, error);
  scant_study_status counts;
  if (status == SCANT_OK) status = scant_study_get_counts(twin, &counts, error);
  if (status == SCANT_OK) proof->orders = counts.orders;
  scant_study_close(twin);
  return status;
}

scant_status scant_study_verify(scant_study *s, scant_study_proof *proof, scant_error *error) {
  *proof = (scant_study_proof){0};
  SCANT_TRY(study_enter_file(s, error));
  s->stale = 1; /* read again: the file counts, whatever was read before */
  return study_leave(s, verify(s, proof, error));
}

/* ---- making anew ------------------------------------------------------------------------ */

/* Copies a table of the twin in place of the study's. */
static scant_status copy_table(scant_study *s, scant_study *twin, const table *t, scant_error *error) {
  char sql[200];
  sqlite3_stmt *from = NULL, *into = NULL;
  snprintf(sql, sizeof sql, "DELETE FROM %s", t->name);
  SCANT_TRY(study_execute(s->db, sql, error));
  int row, code = sqlite3_prepare_v2(twin->db, t->select, -1, &from, NULL);
  if (code != SQLITE_OK) return study_refuse(twin->db, code, "replaying the study", error);
  int columns = sqlite3_column_count(from);
  int length = snprintf(sql, sizeof sql, "INSERT INTO %s VALUES(?", t->name);
  for (int i = 1; i < columns; i++) length += snprintf(sql + length, sizeof sql - (size_t)length, ", ?");
  snprintf(sql + length, sizeof sql - (size_t)length, ")");
  code = sqlite3_prepare_v2(s->db, sql, -1, &into, NULL);
  scant_status status = code == SQLITE_OK ? SCANT_OK : study_refuse(s->db, code, "replaying the study", error);
  while (status == SCANT_OK) {
    status = study_step(twin->db, from, &row, error);
    if (status != SCANT_OK || !row) break;
    for (int i = 0; i < columns && code == SQLITE_OK; i++)
      code = sqlite3_bind_value(into, i + 1, sqlite3_column_value(from, i));
    if (code == SQLITE_OK) code = sqlite3_step(into);
    sqlite3_reset(into);
    if (code != SQLITE_DONE) status = study_refuse(s->db, code, "writing to the study", error);
    code = SQLITE_OK;
  }
  sqlite3_finalize(from);
  sqlite3_finalize(into);
  return status;
}

static scant_status take_twin(scant_study *s, scant_study *twin, scant_error *error) {
  for (int i = 0; i < TOLD; i++) SCANT_TRY(copy_table(s, twin, &tables[i], error));
  SCANT_TRY(study_execute(s->db, "DELETE FROM snapshot", error));
  scant_learner *learner = s->learner;
  s->learner = twin->learner;
  scant_status status = study_keep_learner(s, error);
  s->learner = learner;
  return status;
}

scant_status study_remake(scant_study *study, scant_error *error) {
  scant_study *twin;
  int same_build;
  study->stale = 1;
  SCANT_TRY(make_twin(study, &twin, &same_build, NULL, NULL, error));
  /* Answers and snapshots beyond the ledger mean that events are gone: to drop what these did would mend nothing. */
  scant_status status = compare_table(study, twin, &tables[TOLD], error);
  if (status == SCANT_OK) status = study_check_end(study, error);
  if (status == SCANT_OK) status = take_twin(study, twin, error);
  scant_study_close(twin);
  return status;
}

static scant_status replay(scant_study *s, scant_error *error) {
  if (s->mode == SCANT_STUDY_SHARE) s->stale = 1; /* the learner may be behind */
  SCANT_TRY(study_leave(s, study_read_tip(s, &s->tip, error)));
  s->stale = 0; /* whatever the learner is, it will be the twin's */
  scant_status status = study_begin(s, error);
  if (status == SCANT_OK) status = study_end(s, study_remake(s, error), 1, error);
  s->stale = 1;
  if (status == SCANT_OK) status = study_read_terms(s, error); /* which may have been mended */
  return status == SCANT_OK ? study_load_learner(s, error) : study_leave(s, status);
}

scant_status scant_study_replay(scant_study *study, scant_error *error) {
  SCANT_TRY(study_refuse_in_group(study, "a replay", error));
  SCANT_TRY(study_seize(study, error));
  return study_end_turn(study, replay(study, error));
}
