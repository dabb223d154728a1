/* Settings and catalogue, which are the terms of a study.
 *
 * They are in the file as they are now.  The ledger has them as they were made and amended.
 */
#ifndef SCANT_STUDY_TERMS_H
#define SCANT_STUDY_TERMS_H

#include "scant_json.h"
#include "study.h"

/* Settings that are not options of the library. */
#define STUDY_TARGET_NAME "target-name"
#define STUDY_PSEUDONYM_KEY "pseudonym-key" /* 32 random hexadecimal digits */
#define STUDY_MOST_OPEN "most-open"         /* the largest max-open there ever was, once that was amended */
#define STUDY_MISSING_REASONS "missing-reasons"
#define STUDY_SECOND_ENTRY "second-entry" /* yes, or it is not there */
#define STUDY_FROZEN "frozen"             /* of frozen copies alone: their name, which is not in the ledger */

/* All of them as JSON, for the caller to free: {"settings": {name: value, ...}, "attributes": [...]}. */
scant_status study_terms_text(scant_study *study, char **text, scant_error *error);
/* Writes what such a text says to the file, in place of what is there of the same names and places. */
scant_status study_write_terms(scant_study *study, const char *text, scant_error *error);
/* Writes one attribute, or one setting. */
scant_status study_write_attribute(scant_study *study, size_t place, const scant_study_attribute *attribute,
                                   scant_error *error);
scant_status study_write_setting(scant_study *study, const char *name, const char *value, scant_error *error);
/* Reads them from the file into memory, in place of those that were there. */
scant_status study_read_terms(scant_study *study, scant_error *error);
/* The same if they were amended since they were read. */
scant_status study_refresh_terms(scant_study *study, scant_error *error);
/* Reads them into another handle, which has no file.  Then: exchanges the terms of the two. */
scant_status study_read_terms_into(scant_study *study, scant_study *fresh, scant_error *error);
void study_swap_terms(scant_study *study, scant_study *fresh);

/* What was written, for the caller to free; the writer is discarded. */
scant_status study_take_text(scant_json_writer *out, char **text, scant_error *error);
/* Writes an attribute as JSON. */
void study_put_attribute(scant_json_writer *out, size_t place, const scant_study_attribute *attribute);
/* An attribute of such a text; the caller frees its texts with study_free_attribute, whatever comes of it. */
scant_status study_get_attribute(const scant_json *json, size_t node, size_t *place, scant_study_attribute *attribute,
                                 scant_error *error);
void study_free_attribute(scant_study_attribute *attribute);
/* The member `attributes` of such a text. */
scant_status study_find_attributes(const scant_json *json, size_t object, size_t *node, scant_error *error);

/* ---- amend.c ------------------------------------------------------------- */

/* Amends the terms by such a text.  `trial`: nothing is changed, but everything is tried. */
scant_status study_amend_terms(scant_study *study, const char *change, const char *reason, int trial,
                               scant_error *error);

/* ---- catalogue.c --------------------------------------------------------- */

/* Takes a copy of a checked catalogue into memory, with prices. */
scant_status study_take_catalogue(scant_study *study, const scant_study_attribute *catalogue, size_t count,
                                  const char *target, scant_error *error);
/* A copy for scant_study_catalogue_free; NULL: out of memory. */
scant_study_attribute *study_catalogue_copy(const scant_study_attribute *attributes, size_t count);
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
/* study_name_of as scant_feature_name: of an attribute of this study. */
const char *study_name_at(const void *study, size_t attribute);

/* Makes a list of values ready for study_told_at: the place of an attribute (-1: of the target) in it, or SIZE_MAX. */
void study_index_told(scant_study *study, const scant_study_told *told, size_t count);
static inline size_t study_told_at(const scant_study *study, const scant_study_told *told, size_t count,
                                   int64_t attribute) {
  size_t place = study->told_at[attribute + 1];
  return place < count && told[place].attribute == attribute ? place : SIZE_MAX;
}

#endif
