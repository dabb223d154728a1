/* Telling: answers are checked, recorded, and learned from when the last one is there. */
#include "orders/tell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scant_base.h"
#include "terms/catalogue.h"
#include "learning/replay_learner.h"
#include "ledger/ledger.h"
#include "orders/orders.h"
#include "study.h"
#include "store/transaction.h"

#define VALUE_MOST 1e100 /* squares stay finite */

static scant_status check_answer(const scant_study *s, const scant_study_answer *answer, int64_t attribute,
                                 scant_error *error) {
  if (answer->missing) {
    if (attribute < 0)
      return scant_fail(error, SCANT_DATA, "the target '%s' can't be missing: fail the order instead", s->target);
    if (s->settings.learning.missing == SCANT_MISSING_ERROR)
      return scant_fail(error, SCANT_DATA, "'%s' can't be missing: the study was made with missing error",
                        answer->name);
    return SCANT_OK;
  }
  if (!isfinite(answer->value))
    return scant_fail(error, SCANT_DATA, "'%s' is %s, which is not a value", answer->name,
                      isnan(answer->value) ? "NaN" : "infinite");
  if (fabs(answer->value) > VALUE_MOST)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, which is too large to be learned from", answer->name,
                      answer->value);
  int classes = s->settings.learning.loss == SCANT_LOSS_HINGE || s->settings.learning.loss == SCANT_LOSS_LOGISTIC;
  if (attribute < 0 && classes && fabs(answer->value) != 1)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, and a study of classes takes -1 and 1", s->target,
                      answer->value);
  if (attribute < 0) return SCANT_OK;
  const scant_study_attribute *a = &s->catalogue[attribute];
  if (answer->value < a->low)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, below its range from %.15g", a->name, answer->value, a->low);
  if (answer->value > a->high)
    return scant_fail(error, SCANT_DATA, "'%s' is %.15g, above its range up to %.15g", a->name, answer->value, a->high);
  return SCANT_OK;
}

scant_status study_check_answers(scant_study *study, const scant_study_answer *answers, size_t count,
                                 scant_error *error) {
  scant_study *s = study;
  if (!scant_grow(&s->told, &s->told_room, count + 1, sizeof *s->told)) return scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) {
    int64_t attribute = study_find_name(s, answers[i].name);
    if (attribute == -2)
      return scant_fail(error, SCANT_DATA, "there is no attribute '%.200s' in the catalogue", answers[i].name);
    SCANT_TRY(check_answer(s, &answers[i], attribute, error));
    if (study_told_at(s, s->told, i, attribute) != SIZE_MAX)
      return scant_fail(error, SCANT_DATA, "'%.200s' is told twice", answers[i].name);
    s->told[i] =
        (scant_study_told){attribute, answers[i].missing ? NAN : answers[i].value + 0.0, NULL}; /* SQLite keeps no -0 */
    SCANT_TRY(study_note_answer(s, &answers[i], &s->told[i], error));
    s->told_at[attribute + 1] = i;
  }
  return SCANT_OK;
}

static void format_value(char *text, size_t size, scant_line_state state, double value, const char *note) {
  if (state == SCANT_LINE_MISSING)
    snprintf(text, size, "missing%s%.200s", note ? ":" : "", note ? note : "");
  else
    snprintf(text, size, "%.15g", value);
}

/* Is this answer new, or the one that is stored?  Another one is refused. */
static scant_status is_new(const scant_study *s, const scant_study_told *told, int *fresh, scant_error *error) {
  char stored[240];
  size_t place = study_line_at(s, told->attribute);
  if (told->attribute >= 0 && place == SIZE_MAX)
    return scant_fail(error, SCANT_DATA,
                      "'%s' was not ordered of example '%.200s' (what was measured all the same is told as extra, with "
                      "a reason)",
                      study_name_of(s, told->attribute), s->order.example);
  scant_line_state state = told->attribute >= 0 ? s->lines[place].state
                           : s->order.has_y     ? SCANT_LINE_TOLD
                                                : SCANT_LINE_ORDERED;
  double value = told->attribute >= 0 ? s->lines[place].value : s->order.y;
  const char *note = told->attribute >= 0 ? s->lines[place].note : NULL;
  *fresh = state == SCANT_LINE_ORDERED;
  /* without a reason `missing` says nothing new; another reason, or the first one, does */
  int same = isnan(told->value) ? state == SCANT_LINE_MISSING && (!told->note || (note && !strcmp(note, told->note)))
                                : value == told->value;
  if (*fresh || same) return SCANT_OK;
  format_value(stored, sizeof stored, state, value, note);
  return scant_fail(
      error, SCANT_DATA,
      "'%s' of example '%.200s' is %s already (a correction is an act of its own: correct, with a reason)",
      study_name_of(s, told->attribute), s->order.example, stored);
}

/* Keeps of s->told what is new; *count becomes how many that are. */
static scant_status keep_new(scant_study *s, size_t *count, scant_error *error) {
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    int fresh;
    SCANT_TRY(is_new(s, &s->told[i], &fresh, error));
    if (fresh) s->told[kept++] = s->told[i];
  }
  *count = kept;
  return SCANT_OK;
}

/* Writes what was told to s->order and to its lines. */
scant_status study_write_answers(scant_study *s, size_t count, scant_error *error) {
  for (size_t i = 0; i < count; i++) {
    const scant_study_told *told = &s->told[i];
    size_t place = study_line_at(s, told->attribute);
    if (told->attribute >= 0 && place == SIZE_MAX) { /* it was not ordered */
      SCANT_TRY(study_write_extra(s, told, error));
      continue;
    }
    if (told->attribute < 0) {
      s->order.y = told->value;
      s->order.has_y = 1;
    } else {
      s->lines[place].state = isnan(told->value) ? SCANT_LINE_MISSING : SCANT_LINE_TOLD;
      s->lines[place].value = told->value;
      s->lines[place].note = told->note;
    }
    study_compare_second(s, place);
    if (told->attribute >= 0) SCANT_TRY(study_write_line(s, place, error));
  }
  return SCANT_OK;
}

scant_status study_write_line(scant_study *study, size_t place, scant_error *error) {
  scant_study *s = study;
  const scant_study_line *line = &s->lines[place];
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SET_LINE, &statement, error));
  study_bind_count(statement, 1, s->order.number);
  study_bind_count(statement, 2, place);
  study_bind_count(statement, 3, (uint64_t)line->state);
  study_bind_real(statement, 4, line->value);
  study_bind_text(statement, 5, line->note);
  study_bind_count(statement, 6, (uint64_t)line->second);
  study_bind_real(statement, 7, line->second_value);
  study_bind_text(statement, 8, line->second_note);
  return study_run(s->db, statement, error);
}

scant_status study_write_order(scant_study *study, const uint64_t *told_before, scant_error *error) {
  scant_study *s = study;
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_SET_ORDER, &statement, error));
  study_bind_count(statement, 1, s->order.number);
  study_bind_count(statement, 2, (uint64_t)s->order.state);
  study_bind_count(statement, 3, s->order.spent);
  study_bind_real(statement, 4, s->order.has_y ? s->order.y : NAN);
  if (told_before) study_bind_count(statement, 5, *told_before);
  study_bind_text(statement, 6, s->order.reason);
  study_bind_count(statement, 7, (uint64_t)s->order.second);
  study_bind_real(statement, 8, s->order.second_y);
  if (told_before) study_bind_count(statement, 9, s->tip.sequence + 1);
  return study_run(s->db, statement, error);
}

scant_order_state study_state_of(const scant_study_order *order) {
  const scant_study_order *o = order;
  size_t told = 0, agree = o->second == SCANT_SECOND_AGREES;
  for (size_t i = 0; i < o->count; i++) told += o->lines[i].state != SCANT_LINE_ORDERED;
  for (size_t i = 0; i < o->count; i++) agree += o->lines[i].second == SCANT_SECOND_AGREES;
  if (told < o->count) return told || o->has_y ? SCANT_ORDER_PARTLY : SCANT_ORDER_ISSUED;
  return o->has_y && (!o->second_needed || agree == o->count + 1) ? SCANT_ORDER_LEARNED : SCANT_ORDER_TOLD;
}

scant_status study_learn_if_complete(scant_study *study, scant_study_event *event, scant_error *error) {
  scant_study *s = study;
  int open = study_is_open(s->order.state);
  uint64_t told_before = study_learner_told(s);
  if (open) s->order.state = study_state_of(&s->order);
  event->learned = open && s->order.state == SCANT_ORDER_LEARNED;
  if (event->learned) {
    s->tip.open--;
    SCANT_TRY(study_learner_tell_order(s, error));
  }
  return study_write_order(s, event->learned ? &told_before : NULL, error);
}

scant_status study_refuse_ended(const scant_study *study, scant_error *error) {
  return scant_fail(error, SCANT_MISUSE,
                    "the order of example '%.200s' is %s: nothing can be told any more; reopen takes that back",
                    study->order.example, scant_order_state_name(study->order.state));
}

/* Records `count` new answers in s->told, and learns if they complete the order. */
static scant_status take_down(scant_study *s, size_t count, scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_TELL, s->order.example, s->order.number);
  event.count = count;
  event.told = s->told;
  uint64_t before = s->order.spent;
  SCANT_TRY(study_write_answers(s, count, error));
  /* Answers that come after an order has expired are kept, and were paid already; its look is closed. */
  if (s->order.state != SCANT_ORDER_EXPIRED) s->order.spent = study_price(s, STUDY_MEASURED).spent;
  event.spent = (int64_t)(s->order.spent - before);
  event.reserved = -event.spent;
  SCANT_TRY(study_learn_if_complete(s, &event, error));
  return study_append(s, &event, error);
}

static scant_status tell(scant_study *s, const char *example, const scant_study_answer *answers, size_t count,
                         scant_error *error) {
  SCANT_TRY(study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  SCANT_TRY(keep_new(s, &count, error));
  if (!count) return SCANT_OK; /* all of it was told before */
  if (!study_is_open(s->order.state) && s->order.state != SCANT_ORDER_EXPIRED) return study_refuse_ended(s, error);
  SCANT_TRY(study_check_confirmed(s, count, error));
  SCANT_TRY(study_begin(s, error));
  return study_settle(s, take_down(s, count, error), error);
}

scant_status scant_study_tell(scant_study *study, const char *example, const scant_study_answer *answers, size_t count,
                              scant_error *error) {
  const char *reason = NULL;
  if (!count) return scant_fail(error, SCANT_USAGE, "there is nothing to tell");
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, tell(study, example, answers, count, error));
}
