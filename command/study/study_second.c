/* scant study tell --second: values that are entered twice. */
#include "study_actions.h"

static void print_difference(const char *before, const char *name, const scant_study_line *line) {
  printf("%s%s is ", before, name);
  study_write_value(stdout, line->value, line->note);
  printf(", and ");
  study_write_value(stdout, line->second_value, line->second_note);
  printf(" the second time\n");
}

size_t study_print_differences(const scant_study *study, const scant_study_order *order, const char *before) {
  const scant_study_order *o = order;
  scant_study_line target = scant_study_target_line(o);
  size_t count = 0;
  for (size_t i = 0; i < o->count; i++) {
    if (o->lines[i].second != SCANT_SECOND_DIFFERS) continue;
    print_difference(before, scant_study_attribute_at(study, o->lines[i].attribute)->name, &o->lines[i]);
    count++;
  }
  if (o->second != SCANT_SECOND_DIFFERS) return count;
  print_difference(before, scant_study_target(study), &target);
  return count + 1;
}

scant_status study_refuse_differences(size_t differ, scant_error *error) {
  if (!differ) return SCANT_OK;
  fflush(stdout); /* the list comes before the sentence */
  return scant_fail(
      error, SCANT_MISUSE,
      "%zu second entr%s from the first: look at the source, then correct the first, or enter the second again", differ,
      differ == 1 ? "y differs" : "ies differ");
}

void study_print_same_hand(size_t count) {
  if (!count) return;
  printf("%zu of these values %s told by the same person the first time: two people find more slips\n", count,
         count == 1 ? "was" : "were");
}

static scant_status compare(const arguments *a, scant_study *study, const scant_study_answer *answers, size_t count,
                            scant_error *error) {
  scant_study_comparison c;
  scant_status status = scant_study_tell_second(study, a->operands[2], answers, count, &c, error);
  if (status == SCANT_OK) study_print_same_hand(c.same_hand);
  return status;
}

scant_status study_tell_second(arguments *a, scant_study *study, scant_error *error) {
  const scant_study_order *order;
  int changed;
  SCANT_TRY(study_answers_take(a, study, compare, &order, &changed, error));
  if (!changed) printf("nothing new: ");
  study_print_order(study, order);
  return study_refuse_differences(study_print_differences(study, order, "  "), error);
}
