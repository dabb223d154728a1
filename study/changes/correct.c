/* Corrections of values that were told or imported. */
#include "study.h"

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
  SCANT_TRY(imported ? study_read_import(s, imported, error) : study_need_order(s, example, error));
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
