/* Second entries: values are entered again, blindly, and compared with what was told. */
#include "study.h"

/* Are two entries, NaN if missing, the same? */
static int is_same_answer(double value, const char *note, double other, const char *other_note) {
  if (!isnan(value) || !isnan(other)) return value == other;
  return !note || !other_note || !strcmp(note, other_note);
}

void study_compare_second(scant_study *study, size_t place) {
  scant_study_order *o = &study->order;
  if (place == SIZE_MAX) {
    if (o->second != SCANT_SECOND_NONE) o->second = o->y == o->second_y ? SCANT_SECOND_AGREES : SCANT_SECOND_DIFFERS;
    return;
  }
  scant_study_line *line = &study->lines[place];
  if (line->second != SCANT_SECOND_NONE)
    line->second = is_same_answer(line->value, line->note, line->second_value, line->second_note)
                       ? SCANT_SECOND_AGREES
                       : SCANT_SECOND_DIFFERS;
}

/* Was it told?  *fresh: and not entered a second time like this before. */
static scant_status check_told(const scant_study *s, const scant_study_told *told, int *fresh, scant_error *error) {
  const scant_study_order *o = &s->order;
  size_t place = study_line_at(s, told->attribute);
  const char *name = study_name_of(s, told->attribute);
  if (told->attribute >= 0 && place == SIZE_MAX)
    return scant_fail(error, SCANT_DATA, "'%s' was not ordered of example '%.200s'", name, o->example);
  scant_study_told stored;
  if (!study_find_stored(s, told->attribute, &stored))
    return scant_fail(error, SCANT_DATA,
                      "'%s' of example '%.200s' was not told yet, so there is nothing to compare a second entry with",
                      name, o->example);
  *fresh = o->second == SCANT_SECOND_NONE || o->second_y != told->value;
  if (told->attribute < 0) return SCANT_OK;
  const scant_study_line *line = &o->lines[place];
  int as_noted =
      line->second_note && told->note ? !strcmp(line->second_note, told->note) : !line->second_note == !told->note;
  *fresh =
      line->second == SCANT_SECOND_NONE || !as_noted || !is_same_answer(line->second_value, NULL, told->value, NULL);
  return SCANT_OK;
}

/* Of `count` answers in s->told, those whose first entry is by the same person. */
static scant_status count_hands(scant_study *s, size_t count, size_t *same, scant_error *error) {
  const char *by = s->again ? s->again->by : s->by;
  static const char last_first[] =
      "SELECT t.attribute, l.by FROM ledger l JOIN told t ON t.sequence = l.sequence WHERE l.number = ?1 AND "
      "l.sequence > (SELECT asked FROM orders WHERE number = ?1) AND l.kind IN ('tell', 'correct') "
      "ORDER BY l.sequence DESC";
  unsigned char *seen = scant_array(count + 1, 1);
  sqlite3_stmt *statement = NULL;
  if (!seen) return scant_fail_memory(error);
  study_index_told(s, s->told, count);
  scant_status status = study_query(s, last_first, (sql_value[]){sql_count(s->order.number)}, &statement, error);
  int row = status == SCANT_OK;
  while (row && (status = study_step(s->db, statement, &row, error)) == SCANT_OK && row) {
    int64_t attribute = sqlite3_column_int64(statement, 0);
    const char *first = (const char *)sqlite3_column_text(statement, 1);
    if (attribute < -1 || attribute >= (int64_t)s->dimension) continue;
    size_t at = study_told_at(s, s->told, count, attribute);
    if (at == SIZE_MAX || seen[at]) continue;
    seen[at] = 1; /* the last who told it counts */
    *same += by && first && !strcmp(by, first);
  }
  if (statement) sqlite3_reset(statement);
  free(seen);
  return status;
}

static void count_second(scant_second_entry second, int there, scant_study_comparison *c) {
  c->agree += second == SCANT_SECOND_AGREES;
  c->differ += second == SCANT_SECOND_DIFFERS;
  c->once += there && second == SCANT_SECOND_NONE;
}

scant_study_comparison study_compare(const scant_study_order *o) {
  scant_study_comparison c = {0};
  for (size_t i = 0; i < o->count; i++) count_second(o->lines[i].second, o->lines[i].state != SCANT_LINE_ORDERED, &c);
  count_second(o->second, o->has_y, &c);
  return c;
}

/* Writes `count` second entries in s->told to s->order and its lines. */
static scant_status write_entries(scant_study *s, size_t count, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    const scant_study_told *told = &s->told[i];
    size_t place = study_line_at(s, told->attribute);
    if (told->attribute < 0) {
      s->order.second = SCANT_SECOND_AGREES;
      s->order.second_y = told->value;
    } else {
      s->lines[place].second = SCANT_SECOND_AGREES;
      s->lines[place].second_value = told->value;
      s->lines[place].second_note = told->note;
    }
    study_compare_second(s, place);
    if (told->attribute >= 0) SCANT_TRY(study_write_line(s, place, error));
  }
  return SCANT_OK;
}

static scant_status take_down(scant_study *s, size_t count, scant_error *error) {
  scant_study_event event = study_event_told(s, SCANT_EVENT_SECOND, count);
  SCANT_TRY(write_entries(s, count, error));
  SCANT_TRY(study_learn_if_complete(s, &event, error));
  return study_append(s, &event, error);
}

static scant_status tell_second(scant_study *s, const char *example, const scant_study_answer *answers, size_t count,
                                scant_study_comparison *comparison, scant_error *error) {
  size_t same_hand = 0;
  SCANT_TRY(study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  SCANT_TRY(study_keep(s, check_told, &count, error));
  SCANT_TRY(study_check_confirmed(s, count, error));
  SCANT_TRY(count_hands(s, count, &same_hand, error));
  if (count) {
    SCANT_TRY(study_begin(s, error));
    SCANT_TRY(study_end(s, take_down(s, count, error), 1, error));
  }
  *comparison = study_compare(&s->order);
  comparison->same_hand = same_hand;
  return SCANT_OK;
}

scant_status scant_study_tell_second(scant_study *study, const char *example, const scant_study_answer *answers,
                                     size_t count, scant_study_comparison *comparison, scant_error *error) {
  *comparison = (scant_study_comparison){0};
  if (!count) return scant_fail(error, SCANT_USAGE, "there is nothing to tell");
  SCANT_TRY(study_take(study, &example, NULL, error));
  return study_end_turn(study, tell_second(study, example, answers, count, comparison, error));
}
