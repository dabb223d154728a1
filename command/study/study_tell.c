/* scant study tell */
#include "study_actions.h"

static scant_status tell(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                         scant_error *error) {
  return scant_study_tell(study, a->operands[2], answers, count, error);
}

static int extras_are_learned;

static scant_status tell_extra(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                               scant_error *error) {
  return scant_study_tell_extra(study, a->operands[2], answers, count, a->own.reason, &extras_are_learned, error);
}

static void print_extra(const scant_study *study, const scant_study_order *order, int changed) {
  printf("example %s: %s", order->example, changed ? "told without being ordered" : "nothing new");
  if (changed && !extras_are_learned)
    printf("; kept aside, since %s learns from what it draws itself: predictions and plans use it",
           scant_study_settings(study)->learning.algorithm);
  if (changed && extras_are_learned)
    printf("%s", order->state == SCANT_ORDER_LEARNED ? ", and all was learned anew"
                                                     : "; it is learned with the rest when that is there");
  printf("\n");
}

scant_status study_tell(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed;
  if (a->own.csv && (a->own.extra || a->own.reason))
    return scant_fail(error, SCANT_USAGE, "--extra and --reason go with EXAMPLE NAME=VALUE..., not with --csv");
  if (a->own.csv) return study_tell_csv(a, study, error);
  if (a->own.extra && !a->own.reason)
    return scant_fail(error, SCANT_USAGE, "--reason TEXT is missing: why it was measured without being ordered");
  if (a->own.reason && !a->own.extra) return scant_fail(error, SCANT_USAGE, "--reason goes with --extra");
  if (a->operand_count < 4)
    return scant_fail(error, SCANT_USAGE, "it takes: scant study tell FILE EXAMPLE NAME=VALUE..., or --csv ANSWERS");
  if (a->own.second && a->own.extra) return scant_fail(error, SCANT_USAGE, "--second and --extra do not go together");
  if (a->own.second) return study_tell_second(a, study, error);
  SCANT_TRY(study_answers_take(a, study, a->own.extra ? tell_extra : tell, &order, &changed, error));
  if (a->own.extra) {
    print_extra(study, order, changed);
    return SCANT_OK;
  }
  if (!changed) printf("nothing new: ");
  study_print_order(study, order);
  return SCANT_OK;
}
