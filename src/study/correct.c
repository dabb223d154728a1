/* Corrections, and examples of the past. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "study/study.h"

/* ---- corrections ------------------------------------------------------------------ */

/* Is this another value than the one stored? */
static scant_status is_change(const scant_study *s, const scant_study_told *told, int *change, scant_error *error) {
  const scant_study_order *o = &s->order;
  size_t place = study_line_at(s, told->attribute);
  int there = told->attribute < 0 ? o->has_y : place != SIZE_MAX && o->lines[place].state != SCANT_LINE_ORDERED;
  double stored = told->attribute < 0 || !there ? o->y : o->lines[place].value;
  const char *note = told->attribute < 0 || !there ? NULL : o->lines[place].note;
  if (!there)
    return scant_fail(error, SCANT_DATA, "'%s' of example '%.200s' was never told, so there is nothing to correct",
                      study_name_of(s, told->attribute), o->example);
  *change = isnan(stored) ? !isnan(told->value) || (told->note && (!note || strcmp(note, told->note) != 0))
                          : stored != told->value;
  return SCANT_OK;
}

static scant_status correct(scant_study *s, const char *example, size_t count, const char *reason, scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_CORRECT, example, s->order.number);
  event.reason = reason;
  event.count = count;
  event.told = s->told;
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

static scant_status correct_example(scant_study *s, const char *example, const scant_study_answer *answers,
                                    size_t count, const char *reason, scant_error *error) {
  uint64_t imported;
  SCANT_TRY(study_find_import(s, example, &imported, error));
  if (imported)
    return scant_fail(error, SCANT_MISUSE,
                      "example '%.200s' was imported: what was imported stays as it is, so begin a study anew from "
                      "corrected data",
                      example);
  SCANT_TRY(study_need_order(s, example, error));
  SCANT_TRY(study_check_answers(s, answers, count, error));
  size_t changes = 0;
  for (size_t i = 0; i < count; i++) {
    int change;
    SCANT_TRY(is_change(s, &s->told[i], &change, error));
    if (change) s->told[changes++] = s->told[i];
  }
  if (!changes) return SCANT_OK;
  SCANT_TRY(study_check_confirmed(s, changes, error));
  SCANT_TRY(study_begin(s, error));
  return study_settle(s, correct(s, example, changes, reason, error), error);
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

/* Is what this event imported the same as the answers at hand? */
static scant_status is_same_import(scant_study *s, uint64_t sequence, size_t count, int *same, scant_error *error) {
  SCANT_TRY(study_read_event(s, sequence, error));
  *same = s->event.count == count;
  if (*same) study_index_told(s, s->event.told, count);
  for (size_t i = 0; i < count && *same; i++) {
    size_t j = study_told_at(s, s->event.told, count, s->told[i].attribute);
    if (j == SIZE_MAX) {
      *same = 0;
    } else {
      double before = s->event.told[j].value, now = s->told[i].value;
      *same = before == now || (isnan(before) && isnan(now));
    }
  }
  return SCANT_OK;
}

/* Adds the name of the example to a sentence about its values: many are imported at once. */
static scant_status name_example(const char *example, scant_status status, const scant_error *inner,
                                 scant_error *error) {
  if (status == SCANT_OK) return SCANT_OK;
  return scant_fail(error, status, "example '%.200s': %.300s", example, inner->text);
}

static scant_status import(scant_study *s, const char *example, size_t count, scant_error *error) {
  sqlite3_stmt *statement;
  scant_error inner = {""};
  SCANT_TRY(name_example(example, study_learner_import(s, s->told, count, &inner), &inner, error));
  scant_study_event event = study_event(SCANT_EVENT_IMPORT, example, 0);
  event.learned = 1;
  event.count = count;
  event.told = s->told;
  SCANT_TRY(study_append(s, &event, error));
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_ADD_IMPORT, &statement, error));
  study_bind_text(statement, 1, example);
  study_bind_count(statement, 2, s->tip.sequence);
  return study_run(s->db, statement, error);
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
  return study_settle(s, import(s, example, count, error), error);
}

scant_status scant_study_import(scant_study *study, const char *example, const scant_study_answer *answers,
                                size_t count, scant_error *error) {
  const char *reason = NULL;
  SCANT_TRY(study_take(study, &example, &reason, error));
  return study_end_turn(study, import_example(study, example, answers, count, error));
}
