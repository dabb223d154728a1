/* scant study cancel */
#include "study_actions.h"

scant_status study_cancel(arguments *a, scant_study *study, scant_error *error) {
  const char *example = a->operands[2];
  const scant_study_order *order;
  if (a->own.expired && a->own.failed) return study_refuse_usage(error, "give --expired or --failed, not both");
  scant_study_end how = a->own.expired ? SCANT_END_EXPIRE : a->own.failed ? SCANT_END_FAIL : SCANT_END_CANCEL;
  scant_status status = scant_study_end_order(study, example, how, a->own.failed, error);
  if (status == SCANT_OK) status = scant_study_find(study, example, &order, error);
  if (status != SCANT_OK) return status;
  int priced = study_is_priced(study);
  printf("example %s: %s", order->example, scant_order_state_name(order->state));
  if (priced && how == SCANT_END_EXPIRE)
    printf("; its %.2f stay spent until it is cancelled", study_money(order->spent));
  if (priced && how != SCANT_END_EXPIRE)
    printf(", %.2f refunded, %.2f spent", study_money(order->price - order->spent), study_money(order->spent));
  printf("\n");
  return SCANT_OK;
}
