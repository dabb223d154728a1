/* scant study upgrade */
#include <unistd.h>

#include "study_actions.h"

scant_status study_upgrade(arguments *a, scant_study *study, scant_error *error) {
  (void)study;
  char old[4200];
  const scant_study_terms terms = {.by = a->own.by, .via = STUDY_VIA};
  const scant_study_wait wait = {.seconds = a->own.wait};
  scant_study *now = NULL;
  int done = scant_study_open(&now, a->operands[1], SCANT_STUDY_READ, &a->settings, NULL) == SCANT_OK;
  scant_study_close(now);
  scant_status status = scant_study_upgrade_waiting(a->operands[1], &wait, &a->settings, &terms, error);
  if (status != SCANT_OK) return status;
  snprintf(old, sizeof old, "%s.v1", a->operands[1]);
  printf("%s: a study of this version%s", a->operands[1], done ? " already: nothing was to be done" : "");
  if (!done && access(old, F_OK) == 0) printf("; what it was before is in %s", old);
  printf("\n");
  return SCANT_OK;
}
