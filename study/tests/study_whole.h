/* A study with everything in it, and a copy of it that a test edits. */
#ifndef SCANT_TESTS_STUDY_WHOLE_H
#define SCANT_TESTS_STUDY_WHOLE_H

#include "study_support.h"

static char whole[500], edited[500];

static inline void make_whole(void) {
  snprintf(whole, sizeof whole, "%s", study_path("whole"));
  snprintf(edited, sizeof edited, "%s", study_path("edited"));
  test_state = 77;
  scant_study *study = make_study(whole, "algorithm=auto k=4 seed=4 budget-cost=5000", 9, PRICED);
  hurry(study);
  const scant_study_order *o;
  for (int n = 0; n < 9; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    GOOD(scant_study_ask(study, example, &o, &said));
    if (n < 6) GOOD(tell_all(study, o));
  }
  scant_study_answer y = {"y", 2.25, 0}, past[2] = {{"a1", 0.5, 0}, {"y", 1.5, 0}}, missing = {"a0", 0, 1};
  GOOD(scant_study_tell(study, "e6", &y, 1, &said));
  GOOD(scant_study_tell(study, "e7", &missing, 1, &said));
  GOOD(scant_study_end_order(study, "e6", SCANT_END_EXPIRE, NULL, &said));
  GOOD(scant_study_end_order(study, "e7", SCANT_END_FAIL, "a flood", &said));
  GOOD(scant_study_correct(study, "e2", &y, 1, "a slip", &said));
  GOOD(scant_study_import(study, "old", past, 2, &said));
  GOOD(scant_study_find(study, "e8", &o, &said)); /* one that was not ordered */
  char name[8];
  size_t free_one = 0;
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == free_one) i = (size_t)-1, free_one++;
  snprintf(name, sizeof name, "a%zu", free_one);
  GOOD(scant_study_tell_extra(study, "e8", &(scant_study_answer){name, 0.75, 0}, 1, "the ward did it", NULL, &said));
  GOOD(scant_study_ask(study, "last", &o, &said));
  GOOD(tell_all(study, o));
  check_verified(study);
  scant_study_close(study);
}

static inline void remove_whole(void) {
  study_remove(whole);
  study_remove(edited);
}

#endif
