/* scant study create */
#include <string.h>

#include "study_actions.h"

/* Takes over settings that the command's own table has under the same name.  Their help differs here, or the command
 * does not show them elsewhere. */
static scant_status take_own(arguments *a, scant_error *error) {
  const struct { const char *name, *value; } own[] = {{"max-open", a->own.max_open}, {"examples", a->own.expected}};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (!own[i].value) continue;
    SCANT_TRY(scant_settings_set(&a->settings, own[i].name, own[i].value, error));
  }
  return SCANT_OK;
}

static void print_made(const arguments *a, const scant_study_attribute *catalogue, size_t count) {
  const scant_settings *s = &a->settings;
  size_t known = 0, paid = 0;
  for (size_t i = 0; i < count; i++) {
    known += catalogue[i].known != 0;
    paid += catalogue[i].cost > 0;
  }
  printf("%s: a study of %zu attributes", a->operands[1], count);
  if (known) printf(", %zu of them always known", known);
  printf("\n%s", s->learning.algorithm);
  if (s->learning.k) printf(", K = %llu", (unsigned long long)s->learning.k);
  if (s->learning.spend > 0) printf(", at most %.2f per example", s->learning.spend);
  if (s->run.budget_cost > 0) printf(", a budget of %.2f", s->run.budget_cost);
  if (s->run.budget) printf(", a budget of %llu attributes", (unsigned long long)s->run.budget);
  if (!paid) printf("; nothing has a price");
  if (a->own.second_entry) printf("; learns what was entered twice");
  printf("\n");
}

scant_status study_create(arguments *a, scant_study *study, scant_error *error) {
  (void)study;
  scant_study_attribute *catalogue = NULL;
  size_t count = 0;
  scant_error why = {""};
  scant_study_terms terms = {.target = a->own.target,
                             .by = a->own.by,
                             .via = STUDY_VIA,
                             .missing_reasons = a->own.missing_reasons,
                             .second_entry = a->own.second_entry};
  if (!a->own.attributes)
    return scant_fail(error, SCANT_USAGE, "--attributes CATALOGUE is missing: what can be measured");
  scant_status status = take_own(a, error);
  if (status == SCANT_OK) status = scant_study_catalogue_load(&catalogue, &count, a->own.attributes, error);
  if (status == SCANT_OK) status = scant_study_choose(&a->settings, catalogue, count, a->own.target, &why, error);
  if (status == SCANT_OK)
    status = scant_study_create_with(a->operands[1], &a->settings, catalogue, count, &terms, error);
  if (status == SCANT_OK) print_made(a, catalogue, count);
  if (status == SCANT_OK && *why.text) printf("default: %s, since %s\n", a->settings.learning.algorithm, why.text);
  scant_study_catalogue_free(catalogue);
  return status;
}
