/* scant study reopen */
#include "study_actions.h"

scant_status study_reopen(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  if (!a->own.reason) return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why the order goes on");
  SCANT_TRY(scant_study_reopen(study, a->operands[2], a->own.reason, error));
  SCANT_TRY(scant_study_find(study, a->operands[2], &order, error));
  printf("reopened: ");
  study_print_order(study, order);
  return SCANT_OK;
}
