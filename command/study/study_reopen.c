/* scant study reopen */
#include "study_actions.h"

scant_status study_reopen(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  if (!a->own.reason) return study_refuse_usage(error, "--reason TEXT is missing: why the order goes on");
  scant_status status = scant_study_reopen(study, a->operands[2], a->own.reason, error);
  if (status == SCANT_OK) status = scant_study_find(study, a->operands[2], &order, error);
  if (status != SCANT_OK) return status;
  printf("reopened: ");
  study_print_order(study, order);
  return SCANT_OK;
}
