/* What was measured without being ordered. */
#include "study.h"

size_t study_extra_at(const scant_study *study, int64_t attribute) {
  for (size_t i = 0; i < study->order.extra_count; i++)
    if (study->extras[i].attribute == attribute) return i;
  return SIZE_MAX;
}

scant_status study_read_extras(scant_study *s, scant_error *error) {
  sqlite3_stmt *statement;
  size_t count = 0;
  int row;
  SCANT_TRY(study_query(
      s, "SELECT attribute, value, note, sequence FROM extra WHERE number = ?1 ORDER BY sequence, attribute",
      (sql_value[]){sql_count(s->order.number)}, &statement, error));
  for (;; count++) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    int64_t attribute = sqlite3_column_int64(statement, 0);
    if (attribute < 0 || attribute >= (int64_t)s->dimension || study_line_at(s, attribute) != SIZE_MAX)
      return scant_fail(error, SCANT_DATA, "an extra of order %" PRIu64 " is damaged", s->order.number);
    if (!scant_grow(&s->extras, &s->extras_room, count + 1, sizeof *s->extras)) return scant_fail_memory(error);
    const char *note;
    SCANT_TRY(study_column_note(s, statement, 2, &note, error));
    s->extras[count] = (scant_study_told){attribute, study_column_real(statement, 1), note};
  }
  s->order.extra_count = count;
  s->order.extras = s->extras;
  return SCANT_OK;
}

scant_status study_write_extra(scant_study *study, const scant_study_told *told, scant_error *error) {
  size_t place = study_extra_at(study, told->attribute);
  if (place == SIZE_MAX) return scant_fail(error, SCANT_DATA, "what is written was not told as extra");
  study->extras[place] = *told;
  const sql_value values[] = {sql_count(study->order.number), sql_signed(told->attribute), sql_real(told->value),
                              sql_text(told->note)};
  return study_run(study, "UPDATE extra SET value = ?3, note = ?4 WHERE number = ?1 AND attribute = ?2", values, error);
}

/* Is it new?  Another value than one that is there is refused. */
static scant_status is_new(const scant_study *s, const scant_study_told *told, int *fresh, scant_error *error) {
  if (told->attribute < 0)
    return scant_fail(error, SCANT_DATA, "'%s' is the target, which every order asks for: it is no extra", s->target);
  if (study_line_at(s, told->attribute) != SIZE_MAX)
    return scant_fail(error, SCANT_DATA, "'%s' was ordered of example '%.200s', so it is no extra: tell it as the rest",
                      study_name_of(s, told->attribute), s->order.example);
  size_t place = study_extra_at(s, told->attribute);
  *fresh = place == SIZE_MAX;
  if (*fresh || !study_differs(s->extras[place].value, told->value)) return SCANT_OK;
  char text[40] = "missing";
  if (!isnan(s->extras[place].value)) snprintf(text, sizeof text, "%.15g", s->extras[place].value);
  return study_refuse_other(s, told->attribute, text, error);
}

static scant_status add_extras(scant_study *s, const scant_study_event *e, scant_error *error) {
  for (size_t i = 0; i < e->count; i++) {
    const scant_study_told *told = &e->told[i];
    const sql_value values[] = {sql_count(e->order), sql_signed(told->attribute), sql_real(told->value),
                                sql_text(told->note), sql_count(e->sequence)};
    SCANT_TRY(study_run(s, "INSERT INTO extra(number, attribute, value, note, sequence) VALUES(?1, ?2, ?3, ?4, ?5)",
                        values, error));
  }
  return SCANT_OK;
}

static scant_status take_down(scant_study *s, size_t count, const char *reason, scant_error *error) {
  scant_study_event event = study_event_told(s, SCANT_EVENT_EXTRA, count);
  event.reason = reason;
  event.learned = s->order.state == SCANT_ORDER_LEARNED && study_algorithm(s)->joint;
  SCANT_TRY(study_append(s, &event, error));
  SCANT_TRY(add_extras(s, &event, error));
  return event.learned ? study_relearn_and_keep(s, error) : SCANT_OK;
}

static scant_status tell_extra(scant_study *s, const char *example, const scant_study_answer *answers, size_t count,
                               const char *reason, int *learns, scant_error *error) {
  uint64_t imported;
  SCANT_TRY(study_find_import(s, example, &imported, error));
  if (imported)
    return scant_fail(error, SCANT_MISUSE, "example '%.200s' was imported, with all that is known of it", example);
  SCANT_TRY(study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  SCANT_TRY(study_keep(s, is_new, &count, error));
  if (learns) *learns = study_algorithm(s)->joint;
  if (!count) return SCANT_OK;
  if (!study_is_open(s->order.state) && s->order.state != SCANT_ORDER_LEARNED && s->order.state != SCANT_ORDER_EXPIRED)
    return study_refuse_ended(s, error);
  SCANT_TRY(study_check_confirmed(s, count, error));
  SCANT_TRY(study_begin(s, error));
  return study_end(s, take_down(s, count, reason, error), 1, error);
}

scant_status scant_study_tell_extra(scant_study *study, const char *example, const scant_study_answer *answers,
                                    size_t count, const char *reason, int *learns, scant_error *error) {
  if (!reason || !*reason)
    return scant_fail(error, SCANT_USAGE, "what was measured without being ordered has a reason: say which");
  if (!count) return scant_fail(error, SCANT_USAGE, "there is nothing to tell");
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, tell_extra(study, example, answers, count, reason, learns, error));
}
