/* scant study tell */
#include "study_actions.h"

static scant_status tell(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                         scant_error *error) {
  return scant_study_tell(study, a->operands[2], answers, count, error);
}

scant_status study_tell(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed;
  if (a->own.csv) return study_tell_csv(a, study, error);
  if (a->operand_count < 4)
    return study_refuse_usage(error, "it takes: scant study tell FILE EXAMPLE NAME=VALUE..., or --csv ANSWERS");
  if (a->own.second) return study_tell_second(a, study, error);
  scant_status status = study_answers_take(a, study, tell, &order, &changed, error);
  if (status != SCANT_OK) return status;
  if (!changed) printf("nothing new: ");
  study_print_order(study, order);
  return SCANT_OK;
}
