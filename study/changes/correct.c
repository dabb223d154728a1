/* Corrections, and examples of the past. */
#include "study.h"

scant_status study_query_corrections(scant_study *study, const char *sql, sqlite3_stmt **statement,
                                     scant_error *error) {
  const sql_value example = sql_text(study->event.example);
  uint64_t corrected;
  *statement = NULL;
  if (!study->event.example) return SCANT_OK; /* somebody was erased */
  SCANT_TRY(study_read_single(study, "SELECT corrected FROM import WHERE example = ?1", &example, &corrected, error));
  return corrected ? study_query(study, sql, &example, statement, error) : SCANT_OK;
}

scant_status study_overlay_corrections(scant_study *s, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  static const char sql[] =
      "SELECT t.attribute, t.value, t.note FROM ledger l JOIN told t ON t.sequence = l.sequence "
      "WHERE l.kind = 'correct' AND l.number = 0 AND l.example = ?1 ORDER BY l.sequence, t.place";
  SCANT_TRY(study_query_corrections(s, sql, &statement, error));
  if (statement) study_index_told(s, s->event_told, s->event.count);
  while (statement) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    int64_t attribute = sqlite3_column_int64(statement, 0);
    size_t place = attribute < -1 || attribute >= (int64_t)s->dimension
                       ? SIZE_MAX
                       : study_told_at(s, s->event_told, s->event.count, attribute);
    if (place == SIZE_MAX)
      return scant_fail(error, SCANT_DATA, "a correction of example '%.200s' is of something that was not imported",
                        s->event.example);
    s->event_told[place].value = study_column_real(statement, 1);
    SCANT_TRY(study_column_note(s, statement, 2, &s->event_told[place].note, error));
  }
  return SCANT_OK;
}

scant_status study_walk_imports(scant_study *study, sqlite3_stmt **walk, scant_error *error) {
  return study_query(study, "SELECT sequence FROM ledger WHERE kind = 'import' AND salt IS NOT NULL ORDER BY sequence",
                     NULL, walk, error);
}

/* The import of this event with its values as they stand, into study->event. */
static scant_status read_import(scant_study *s, uint64_t sequence, scant_error *error) {
  SCANT_TRY(study_read_event(s, sequence, error));
  return study_overlay_corrections(s, error);
}

scant_status study_next_import(scant_study *study, sqlite3_stmt *walk, uint64_t *sequence, int *more,
                               scant_error *error) {
  SCANT_TRY(study_next_key(study, walk, "the ledger is", "event", sequence, more, error));
  return *more ? read_import(study, *sequence, error) : SCANT_OK;
}

/* ---- corrections ------------------------------------------------------------------ */

static scant_status check_change(const scant_study *s, const scant_study_told *stored, const scant_study_told *told,
                                 int *changes, scant_error *error) {
  if (!stored)
    return scant_fail(error, SCANT_DATA, "'%s' of example '%.200s' was never told, so there is nothing to correct",
                      study_name_of(s, told->attribute), s->example);
  *changes = study_is_change(stored, told);
  return SCANT_OK;
}

static scant_status changes_order(const scant_study *s, const scant_study_told *told, int *changes,
                                  scant_error *error) {
  scant_study_told stored;
  int there = study_find_stored(s, told->attribute, &stored);
  return check_change(s, there ? &stored : NULL, told, changes, error);
}

/* The same of an import, which is s->event, with its corrections. */
static scant_status changes_import(const scant_study *s, const scant_study_told *told, int *changes,
                                   scant_error *error) {
  size_t place = study_told_at(s, s->event.told, s->event.count, told->attribute);
  return check_change(s, place == SIZE_MAX ? NULL : &s->event.told[place], told, changes, error);
}

static scant_status correct(scant_study *s, const char *example, size_t count, const char *reason, scant_error *error) {
  scant_study_event event = study_event_told(s, SCANT_EVENT_CORRECT, count);
  event.example = example; /* learning anew reads other orders */
  event.reason = reason;
  int anew = s->order.state == SCANT_ORDER_LEARNED;
  SCANT_TRY(study_write_answers(s, count, error));
  SCANT_TRY(study_learn_if_complete(s, &event, error)); /* it may agree with its second entries now */
  /* the event of this correction is not in the ledger yet: all events before it are learned anew */
  if (anew) {
    event.learned = 1;
    SCANT_TRY(study_relearn(s, error));
    scant_learner_reseed(s->learner, s->tip.sequence + 1); /* the number of this event: see follow */
  }
  SCANT_TRY(study_append(s, &event, error));
  return anew ? study_keep_learner(s, error) : SCANT_OK;
}

static scant_status correct_import(scant_study *s, const char *example, size_t count, const char *reason,
                                   scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_CORRECT, example, 0);
  event.reason = reason;
  event.count = count;
  event.told = s->told;
  event.learned = 1;
  SCANT_TRY(
      study_run(s, "UPDATE import SET corrected = 1 WHERE example = ?1", (sql_value[]){sql_text(example)}, error));
  SCANT_TRY(study_append(s, &event, error));
  return study_relearn_and_keep(s, error);
}

static scant_status correct_example(scant_study *s, const char *example, const scant_study_answer *answers,
                                    size_t count, const char *reason, scant_error *error) {
  uint64_t imported;
  SCANT_TRY(study_find_import(s, example, &imported, error));
  SCANT_TRY(imported ? read_import(s, imported, error) : study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  if (imported) study_index_told(s, s->event.told, s->event.count);
  SCANT_TRY(study_keep(s, imported ? changes_import : changes_order, &count, error));
  if (!count) return SCANT_OK;
  SCANT_TRY(study_check_confirmed(s, count, error));
  SCANT_TRY(study_begin(s, error));
  scant_status status =
      imported ? correct_import(s, example, count, reason, error) : correct(s, example, count, reason, error);
  return study_end(s, status, 1, error);
}

scant_status scant_study_correct(scant_study *study, const char *example, const scant_study_answer *answers,
                                 size_t count, const char *reason, scant_error *error) {
  if (!reason || !*reason) return scant_fail(error, SCANT_USAGE, "a correction has a reason: say which");
  if (!count) return scant_fail(error, SCANT_USAGE, "there is nothing to correct");
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, correct_example(study, example, answers, count, reason, error));
}

/* ---- examples of the past ------------------------------------------------------------- */

static scant_status check_import(scant_study *s, const char *example, size_t count, scant_error *error) {
  uint64_t number;
  size_t targets = 0;
  SCANT_TRY(study_find_order(s, example, &number, error));
  if (number) return scant_fail(error, SCANT_MISUSE, "example '%.200s' has an order of this study", example);
  for (size_t i = 0; i < count; i++) targets += s->told[i].attribute < 0;
  if (!targets)
    return scant_fail(error, SCANT_DATA, "example '%.200s' has no '%s', so nothing can be learned from it", example,
                      s->target);
  if (count < 2) return scant_fail(error, SCANT_DATA, "nothing is known of example '%.200s'", example);
  return SCANT_OK;
}

/* Are these the answers at hand? */
static int is_same_told(scant_study *s, size_t count) {
  if (s->event.count != count) return 0;
  study_index_told(s, s->event.told, count);
  for (size_t i = 0; i < count; i++) {
    size_t j = study_told_at(s, s->event.told, count, s->told[i].attribute);
    if (j == SIZE_MAX || study_differs(s->event.told[j].value, s->told[i].value)) return 0;
  }
  return 1;
}

/* Is what this event imported the same as the answers at hand, as it was or as it was corrected? */
static scant_status is_same_import(scant_study *s, uint64_t sequence, size_t count, int *same, scant_error *error) {
  SCANT_TRY(study_read_event(s, sequence, error));
  *same = is_same_told(s, count);
  if (*same) return SCANT_OK;
  SCANT_TRY(study_overlay_corrections(s, error));
  *same = is_same_told(s, count);
  return SCANT_OK;
}

/* Adds the name of the example to a sentence about its values: many are imported at once. */
static scant_status name_example(const char *example, scant_status status, const scant_error *inner,
                                 scant_error *error) {
  if (status == SCANT_OK) return SCANT_OK;
  return scant_fail(error, status, "example '%.200s': %.300s", example, inner->text);
}

static scant_status import(scant_study *s, const char *example, size_t count, scant_error *error) {
  scant_error inner = {""};
  SCANT_TRY(name_example(example, study_learner_import(s, count, &inner), &inner, error));
  scant_study_event event = study_event(SCANT_EVENT_IMPORT, example, 0);
  event.learned = 1;
  event.count = count;
  event.told = s->told;
  SCANT_TRY(study_append(s, &event, error));
  return study_run(s, "INSERT INTO import(example, sequence, corrected) VALUES(?1, ?2, 0)",
                   (sql_value[]){sql_text(example), sql_count(s->tip.sequence)}, error);
}

static scant_status import_example(scant_study *s, const char *example, const scant_study_answer *answers, size_t count,
                                   scant_error *error) {
  uint64_t before;
  int same = 0;
  scant_error inner = {""};
  SCANT_TRY(name_example(example, study_check_answers(s, answers, count, &inner), &inner, error));
  SCANT_TRY(check_import(s, example, count, error));
  SCANT_TRY(study_find_import(s, example, &before, error));
  if (before) SCANT_TRY(is_same_import(s, before, count, &same, error));
  if (same) return SCANT_OK;
  if (before)
    return scant_fail(error, SCANT_MISUSE, "example '%.200s' was imported before with other values, by event %" PRIu64,
                      example, before);
  SCANT_TRY(name_example(example, study_check_confirmed(s, count, &inner), &inner, error));
  SCANT_TRY(study_check_new_name(s, example, error));
  SCANT_TRY(study_begin(s, error));
  return study_end(s, import(s, example, count, error), 1, error);
}

scant_status scant_study_import(scant_study *study, const char *example, const scant_study_answer *answers,
                                size_t count, scant_error *error) {
  SCANT_TRY(study_take(study, &example, NULL, error));
  return study_end_turn(study, import_example(study, example, answers, count, error));
}

static scant_status read_imported(scant_study *s, const char *example, const scant_study_event **event,
                                  scant_error *error) {
  uint64_t imported;
  SCANT_TRY(study_find_import(s, example, &imported, error));
  if (!imported) return SCANT_OK;
  SCANT_TRY(read_import(s, imported, error));
  *event = &s->event;
  return SCANT_OK;
}

scant_status scant_study_find_imported(scant_study *study, const char *example, const scant_study_event **event,
                                       scant_error *error) {
  *event = NULL;
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(study_enter(study, error));
  return study_leave(study, read_imported(study, example, event, error));
}
