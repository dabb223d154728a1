/* Names that say nothing: of examples and of people, in what leaves a study.
 *
 * A pseudonym is a keyed hash of the name.  The key is random and stays in the file of the study, so that the same name
 * has the same pseudonym in every export of a study, another one in another study, and nobody can test a guess. */
#ifndef SCANT_STUDY_PSEUDONYMS_H
#define SCANT_STUDY_PSEUDONYMS_H

#include "base/siphash.h"
#include "scant_study.h"

#define STUDY_PSEUDONYM_LENGTH 19 /* a letter, a hyphen, 16 digits and the 0 at the end */

/* What a name is of; each has a key of its own, so that nobody sees that a nurse is a patient too. */
typedef enum { STUDY_EXAMPLES, STUDY_PEOPLE, STUDY_NAMED } study_named;

typedef struct study_pseudonyms {
  int wanted; /* 0: names stay as they are */
  unsigned char keys[STUDY_NAMED][SCANT_SIPHASH_KEY];
  char text[STUDY_PSEUDONYM_LENGTH];
} study_pseudonyms;

/* SCANT_DATA: the study has no key. */
scant_status study_pseudonyms_begin(scant_study *study, int wanted, study_pseudonyms *pseudonyms, scant_error *error);

/* The pseudonym of a name, valid until the next call, or the name itself; NULL for NULL. */
const char *study_pseudonym(study_pseudonyms *pseudonyms, study_named of, const char *name);

#endif
