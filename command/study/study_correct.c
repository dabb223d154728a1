/* scant study correct */
#include "study_actions.h"

static scant_status correct(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                            scant_error *error) {
  return scant_study_correct(study, a->operands[2], answers, count, a->own.reason, error);
}

scant_status study_correct(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed, learned = 0;
  if (!a->own.reason) return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why these values are corrected");
  scant_status status = scant_study_find(study, a->operands[2], &order, error);
  if (status == SCANT_OK) learned = order->state == SCANT_ORDER_LEARNED;
  SCANT_TRY(study_answers_take(a, study, correct, &order, &changed, error));
  if (!changed)
    printf("nothing new: example %s has these values already\n", a->operands[2]);
  else
    printf("example %s: corrected%s\n", a->operands[2],
           learned || !order                     ? ", and all was learned anew"
           : order->state == SCANT_ORDER_LEARNED ? ", and learned" /* it agrees with its second entries now */
                                                 : "");
  return SCANT_OK;
}
