/* Every write, sync, truncation, opening ... fails once, or once and ever after, while plans change: several asks at
 * once, reopenings, amendments, extras, second entries, corrected imports, frozen copies and erasures. */
enum { STEPS = 11, HALF_WAY = 4, COPIED = 1, THIN = 4, D = 6 };
#include "study_fault_steps.h"

static char base[500], frozen_path[500];

/* ---- what is done meanwhile ----------------------------------------------------------- */

static scant_status make(void) {
  copy_file(base, path);
  return SCANT_OK;
}

static scant_status tell_extra(scant_study *study, const char *example) {
  const scant_study_order *o;
  uint32_t place = 1;
  scant_status status = scant_study_find(study, example, &o, &said);
  if (status != SCANT_OK) return status;
  for (size_t i = 0; i < o->count; i++)
    if (o->lines[i].attribute == place) place++, i = (size_t)-1;
  scant_study_answer x = {study->catalogue[place].name, 1.25, 0};
  return scant_study_tell_extra(study, example, &x, 1, "the ward did it", NULL, &said);
}

static scant_status tell_noted(scant_study *study, const char *example) {
  const scant_study_order *o;
  scant_study_answer answers[D + 2];
  scant_status status = scant_study_find(study, example, &o, &said);
  if (status != SCANT_OK) return status;
  size_t count = o->count;
  for (size_t i = 0; i < count; i++)
    answers[i] = (scant_study_answer){
        .name = study->catalogue[o->lines[i].attribute].name, .value = 0.5 * (double)i, .confirmed = 1};
  answers[0].missing = 1;
  answers[0].note = "refused";
  answers[count++] = (scant_study_answer){.name = "y", .value = 2};
  return scant_study_tell(study, example, answers, count, &said);
}

static void remove_frozen(void) {
  char text[520];
  snprintf(text, sizeof text, "%s.txt", frozen_path);
  study_remove(frozen_path);
  unlink(text);
}

/* There is a copy, or nothing of it. */
static scant_status freeze(scant_study *study) {
  scant_study_frozen frozen;
  remove_frozen();
  scant_status status = scant_study_freeze(study, "paper", frozen_path, &frozen, &said);
  CHECK(is_file(frozen_path, "") == (status == SCANT_OK) && is_file(frozen_path, ".txt") == (status == SCANT_OK));
  return status;
}

static scant_status step(scant_study *study, int i) {
  static const char *const several[] = {"g", "a", "h"};
  const scant_study_order *o;
  scant_study_comparison compared;
  scant_study_traces traces;
  scant_study_answer y = {.name = "y", .value = 3};
  scant_study_attribute added = {.name = "b1", .cost = 200, .low = NAN, .high = NAN};
  scant_settings raised = settings_of("budget-cost=700");
  switch (i) {
    case 0:
      return scant_study_ask_all(study, several, 3, &said);
    case 1:
      return scant_study_reopen(study, "e", "it had not", &said);
    case 2:
      return scant_study_amend(study, &added, 1, &raised, "it is so", 0, NULL, &said);
    case 3:
      return scant_study_correct(study, "old", &y, 1, "a slip", &said);
    case 4:
      return tell_extra(study, "g");
    case 5:
      return scant_study_tell_second(study, "b", &y, 1, &compared, &said);
    case 6:
      return tell_noted(study, "g");
    case 7:
      return freeze(study);
    case 8:
      return scant_study_erase(study, "p", "withdrew", &traces, &said);
    case 9:
      return scant_study_ask(study, "i", &o, &said);
    default:
      return tell_noted(study, "i");
  }
}

/* A study with orders that were learned, failed and left open, an example of the past, and one to erase. */
static void make_base(void) {
  static const char *const examples[] = {"a", "b", "p", "e"};
  const scant_study_order *o;
  scant_study_answer past[2] = {{.name = "a2", .value = 1}, {.name = "y", .value = 2}};
  scant_study *study = make_study(base, "algorithm=auto k=3 seed=3 budget-cost=500", D, PRICED);
  for (size_t i = 0; i < 4; i++) {
    GOOD(scant_study_ask(study, examples[i], &o, &said));
    if (i < 3) GOOD(tell_all(study, o));
  }
  GOOD(scant_study_end_order(study, "e", SCANT_END_FAIL, "it seemed so", &said));
  GOOD(scant_study_import(study, "old", past, 2, &said));
  scant_study_close(study);
}

int main(void) {
  study_begin_tests();
  snprintf(path, sizeof path, "%s", study_path("faulty"));
  snprintf(base, sizeof base, "%s", study_path("base"));
  snprintf(frozen_path, sizeof frozen_path, "%s", study_path("frozen"));
  make_base();
  run_all_faults();
  for (int i = 0; i <= STEPS; i++) free(wanted[i]);
  remove_frozen();
  study_remove(base);
  study_remove(path);
  return study_end_tests();
}
