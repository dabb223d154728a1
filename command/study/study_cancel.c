/* scant study cancel */
#include <stdlib.h>

#include "study_actions.h"

/* What was measured is lost to learning: it is named, and --yes is wanted. */
static scant_status refuse_loss(const scant_study *study, const scant_study_order *o, scant_study_end how,
                                scant_error *error) {
  char *names = NULL;
  size_t length = 0, told = 0;
  FILE *to = open_memstream(&names, &length);
  if (!to) return scant_fail_memory(error);
  for (size_t i = 0; i < o->count; i++) {
    const scant_study_attribute *at = scant_study_attribute_at(study, o->lines[i].attribute);
    if (o->lines[i].state != SCANT_LINE_ORDERED && !at->known) fprintf(to, "%s%s", told++ ? ", " : "", at->name);
  }
  for (size_t i = 0; i < o->extra_count; i++)
    fprintf(to, "%s%s", told++ ? ", " : "", scant_study_attribute_at(study, (size_t)o->extras[i].attribute)->name);
  if (o->has_y) fprintf(to, "%s%s", told++ ? ", " : "", scant_study_target(study));
  if (fclose(to) != 0 || !names) {
    free(names);
    return scant_fail_memory(error);
  }
  char money[128] = "";
  if (scant_study_is_priced(study) && how == SCANT_END_EXPIRE)
    snprintf(money, sizeof money, ", and all of its %.2f stay spent", study_money(o->price));
  else if (scant_study_is_priced(study))
    snprintf(money, sizeof money, ", its %.2f stay spent, and %.2f are refunded", study_money(o->spent),
             study_money(o->price - o->spent));
  if (told)
    snprintf(error->text, sizeof error->text,
             "%.200s of example '%.100s' %s told, and would not be learned from%s; --yes ends the order all the same",
             names, o->example, told == 1 ? "was" : "were", money);
  free(names);
  return told ? SCANT_MISUSE : SCANT_OK;
}

static scant_status check_loss(const arguments *a, scant_study *study, scant_study_end how, scant_error *error) {
  const scant_study_order *o;
  scant_status status = scant_study_find(study, a->operands[2], &o, error);
  if (status != SCANT_OK || a->own.yes || o->state > SCANT_ORDER_TOLD) return status; /* one that ended loses nothing */
  return refuse_loss(study, o, how, error);
}

scant_status study_cancel(arguments *a, scant_study *study, scant_error *error) {
  const char *example = a->operands[2];
  const scant_study_order *order;
  if (a->own.expired && a->own.failed) return scant_fail(error, SCANT_USAGE, "give --expired or --failed, not both");
  scant_study_end how = a->own.expired ? SCANT_END_EXPIRE : a->own.failed ? SCANT_END_FAIL : SCANT_END_CANCEL;
  SCANT_TRY(check_loss(a, study, how, error));
  SCANT_TRY(scant_study_end_order(study, example, how, a->own.failed, error));
  SCANT_TRY(scant_study_find(study, example, &order, error));
  int priced = scant_study_is_priced(study);
  printf("example %s: %s", order->example, scant_order_state_name(order->state));
  if (priced && how == SCANT_END_EXPIRE)
    printf("; its %.2f stay spent until it is cancelled", study_money(order->spent));
  if (priced && how != SCANT_END_EXPIRE)
    printf(", %.2f refunded, %.2f spent", study_money(order->price - order->spent), study_money(order->spent));
  printf("\n");
  return SCANT_OK;
}
