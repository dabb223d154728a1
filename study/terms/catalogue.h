/* The attributes of a study by name and by place, and what names may be. */
#ifndef SCANT_STUDY_CATALOGUE_H
#define SCANT_STUDY_CATALOGUE_H

#include "study.h"

/* Takes a copy of a checked catalogue into memory, with prices. */
scant_status study_take_catalogue(scant_study *study, const scant_study_attribute *catalogue, size_t count,
                                  const char *target, scant_error *error);
/* Could a catalogue hold this attribute at this place? */
scant_status study_check_attribute(const scant_study_attribute *attribute, size_t place, const char *target,
                                   scant_error *error);
/* Is this a name for `whose`? */
scant_status study_check_name(const char *name, const char *whose, scant_error *error);
scant_status study_check_example(const char *example, scant_error *error);
/* Two names that differ only in case are mistaken for each other: new studies have none, and no such name is added. */
scant_status study_check_cases(const scant_study_attribute *catalogue, size_t count, const char *target,
                               scant_error *error);
scant_status study_check_new_attribute(const scant_study *study, const char *name, scant_error *error);
/* The attribute of this name, -1 for the target, -2 for neither. */
int64_t study_find_name(const scant_study *study, const char *name);
const char *study_name_of(const scant_study *study, int64_t attribute);

/* Makes a list of values ready for study_told_at: the place of an attribute (-1: of the target) in it, or SIZE_MAX. */
void study_index_told(scant_study *study, const scant_study_told *told, size_t count);
static inline size_t study_told_at(const scant_study *study, const scant_study_told *told, size_t count,
                                   int64_t attribute) {
  size_t place = study->told_at[attribute + 1];
  return place < count && told[place].attribute == attribute ? place : SIZE_MAX;
}

#endif
