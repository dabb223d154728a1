/* scant study backup */
#include "study_actions.h"

scant_status study_backup(arguments *a, scant_study *study, scant_error *error) {
  scant_status status = scant_study_backup(study, a->operands[2], error);
  if (status == SCANT_OK) printf("%s: a copy of %s\n", a->operands[2], a->operands[1]);
  return status;
}
