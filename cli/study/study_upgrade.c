/* scant study upgrade */
#include "study_actions.h"

scant_status study_upgrade(arguments *a, scant_study *study, scant_error *error) {
  (void)study;
  scant_study_terms terms = {.by = a->own.by, .via = STUDY_VIA};
  scant_status status = scant_study_upgrade(a->operands[1], &a->settings, &terms, error);
  if (status == SCANT_OK)
    printf("%s: a study of this version; what it was before is in %s.v1\n", a->operands[1], a->operands[1]);
  return status;
}
