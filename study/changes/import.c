/* Imports: examples of the past, learned from without an order, and what was corrected of them. */
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

scant_status study_read_import(scant_study *s, uint64_t sequence, scant_error *error) {
  SCANT_TRY(study_read_event(s, sequence, error));
  return study_overlay_corrections(s, error);
}

scant_status study_next_import(scant_study *study, sqlite3_stmt *walk, uint64_t *sequence, int *more,
                               scant_error *error) {
  SCANT_TRY(study_next_key(study, walk, "the ledger is", "event", sequence, more, error));
  return *more ? study_read_import(study, *sequence, error) : SCANT_OK;
}

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

/* Does study->event have these answers? */
static int is_same_told(scant_study *s, size_t count) {
  if (s->event.count != count) return 0;
  study_index_told(s, s->event.told, count);
  for (size_t i = 0; i < count; i++) {
    size_t j = study_told_at(s, s->event.told, count, s->told[i].attribute);
    if (j == SIZE_MAX || study_differs(s->event.told[j].value, s->told[i].value)) return 0;
  }
  return 1;
}

/* Did this event import these answers, or was it corrected to them? */
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
  SCANT_TRY(study_read_import(s, imported, error));
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
