#include "export/pseudonyms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/handle.h"
#include "terms/terms.h"

static const char letters[STUDY_NAMED] = {[STUDY_EXAMPLES] = 'E', [STUDY_PEOPLE] = 'W'};

/* The key as 32 hexadecimal digits. */
static int parse_key(const char *text, unsigned char key[SCANT_SIPHASH_KEY]) {
  if (strlen(text) != 2 * SCANT_SIPHASH_KEY || strspn(text, "0123456789abcdef") != 2 * SCANT_SIPHASH_KEY) return 0;
  for (int i = 0; i < SCANT_SIPHASH_KEY; i++) {
    const char digits[3] = {text[2 * i], text[2 * i + 1], 0};
    key[i] = (unsigned char)strtoul(digits, NULL, 16);
  }
  return 1;
}

static scant_status read_key(scant_study *s, unsigned char key[SCANT_SIPHASH_KEY], scant_error *error) {
  char *text = NULL;
  SCANT_TRY(study_read_setting(s, STUDY_PSEUDONYM_KEY, &text, error));
  int good = text && parse_key(text, key);
  free(text);
  if (good) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the study has no key for pseudonyms, or a damaged one");
}

scant_status study_pseudonyms_begin(scant_study *study, int wanted, study_pseudonyms *pseudonyms, scant_error *error) {
  unsigned char key[SCANT_SIPHASH_KEY];
  *pseudonyms = (study_pseudonyms){.wanted = wanted};
  if (!wanted) return SCANT_OK;
  SCANT_TRY(read_key(study, key, error));
  for (int of = 0; of < STUDY_NAMED; of++) {
    for (int half = 0; half < 2; half++) {
      const char label[2] = {letters[of], (char)('0' + half)};
      uint64_t word = scant_siphash(key, label, sizeof label);
      for (int i = 0; i < 8; i++) pseudonyms->keys[of][8 * half + i] = (unsigned char)(word >> 8 * i & 0xff);
    }
  }
  return SCANT_OK;
}

const char *study_pseudonym(study_pseudonyms *pseudonyms, study_named of, const char *name) {
  if (!pseudonyms->wanted || !name) return name;
  snprintf(pseudonyms->text, sizeof pseudonyms->text, "%c-%016" PRIx64, letters[of],
           scant_siphash(pseudonyms->keys[of], name, strlen(name)));
  return pseudonyms->text;
}
