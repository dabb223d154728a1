/* Calls that must succeed, and how most tests of studies end. */
#ifndef SCANT_TESTS_STUDY_CALLS_H
#define SCANT_TESTS_STUDY_CALLS_H

#include "base/error.h"
#include "study_support.h"

static inline const scant_study_order *ask(scant_study *study, const char *example) {
  const scant_study_order *order = NULL;
  GOOD(scant_study_ask(study, example, &order, &said));
  return order;
}

static inline const scant_study_order *find(scant_study *study, const char *example) {
  const scant_study_order *order = NULL;
  GOOD(scant_study_find(study, example, &order, &said));
  return order;
}

static inline scant_study_status status_of(scant_study *study) {
  scant_study_status status = {0};
  GOOD(scant_study_get_status(study, &status, &said));
  return status;
}

/* Asks for an example and tells all of it. */
static inline void learn(scant_study *study, const char *example) {
  GOOD(tell_all(study, ask(study, example)));
}

/* The same of `count` examples: e0, e1, ... from this number on. */
static inline void learn_many(scant_study *study, int first, int count) {
  for (int n = first; n < first + count; n++) {
    char example[20];
    snprintf(example, sizeof example, "e%d", n);
    learn(study, example);
  }
}

/* An attribute of the catalogue, or a new one of this name. */
static inline scant_study_attribute attribute_of(scant_study *study, const char *name) {
  for (size_t i = 0; i < scant_study_dimension(study); i++)
    if (!strcmp(scant_study_attribute_at(study, i)->name, name)) return *scant_study_attribute_at(study, i);
  return (scant_study_attribute){.name = name, .low = NAN, .high = NAN};
}

static inline scant_status amend_one(scant_study *study, const char *name, const char *column, const char *value) {
  scant_study_attribute a = attribute_of(study, name);
  SCANT_TRY(scant_study_attribute_set(&a, column, value, &said));
  return scant_study_amend(study, &a, 1, NULL, "it is so", 0, NULL, &said);
}

/* Its money adds up, it is verified, and a replay changes nothing; so it is for other handles.  No file is left. */
static inline void end(scant_study *study, const char *path) {
  check_money(study);
  check_verified(study);
  char *before = dump(study);
  GOOD(scant_study_replay(study, &said));
  check_unchanged(study, before, "replay", __LINE__);
  scant_study_close(study);
  study = open_study(path, SCANT_STUDY_READ);
  check_verified(study);
  scant_study_close(study);
  study = open_study(path, SCANT_STUDY_WRITE);
  check_verified(study);
  GOOD(scant_study_replay(study, &said));
  check_verified(study);
  scant_study_close(study);
  study_remove(path);
}

#endif
