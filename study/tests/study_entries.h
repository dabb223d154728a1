/* What tests of entries share: a study in which every order has all attributes, and single answers. */
#ifndef SCANT_TESTS_STUDY_ENTRIES_H
#define SCANT_TESTS_STUDY_ENTRIES_H

#include "study_calls.h"

enum { D = 6 };

/* The line of an attribute; it must be there. */
static inline scant_study_line line_of(scant_study *study, const char *example, const char *name) {
  const scant_study_order *o = find(study, example);
  for (size_t i = 0; i < o->count; i++)
    if (!strcmp(study->catalogue[o->lines[i].attribute].name, name)) return o->lines[i];
  CHECK(!"the attribute was ordered");
  return (scant_study_line){0};
}

static inline scant_study_event last_event(scant_study *study) {
  const scant_study_event *e = NULL;
  GOOD(scant_study_event_after(study, study->tip.sequence - 1, &e, &said));
  return e ? *e : (scant_study_event){0};
}

static inline scant_status tell(scant_study *study, const char *example, const char *name, double value,
                                int confirmed) {
  scant_study_answer answer = {.name = name, .value = value, .confirmed = confirmed};
  return scant_study_tell(study, example, &answer, 1, &said);
}

static inline scant_status tell_missing(scant_study *study, const char *example, const char *name, const char *reason) {
  scant_study_answer answer = {.name = name, .missing = 1, .note = reason};
  return scant_study_tell(study, example, &answer, 1, &said);
}

static inline scant_status correct(scant_study *study, const char *example, const char *name, double value,
                                   int confirmed) {
  scant_study_answer answer = {.name = name, .value = value, .confirmed = confirmed};
  return scant_study_correct(study, example, &answer, 1, "a slip", &said);
}

/* All attributes are in every order: a0 is always known, and the others are one group.  a0 is usual from -1 to 1, a1
 * from -2 on, a2 up to 2. */
static inline scant_study *make(const char *path, const char *settings, const scant_study_terms *terms) {
  scant_study_attribute rows[D];
  memcpy(rows, catalogue_of(D, PLAIN), sizeof rows);
  rows[0].known = 1;
  for (size_t i = 1; i < D; i++) rows[i].cost = 100 * i, rows[i].group = "panel";
  rows[0].usual_low = -1, rows[0].usual_high = 1;
  rows[1].usual_low = -2, rows[1].usual_high = NAN;
  rows[2].usual_low = NAN, rows[2].usual_high = 2;
  scant_settings s = settings_of(settings);
  study_remove(path);
  GOOD(scant_study_create_with(path, &s, rows, D, terms, &said));
  return open_study(path, SCANT_STUDY_WRITE);
}

static const char plain_settings[] = "algorithm=auto k=2 seed=5";

#endif
