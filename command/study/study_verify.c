/* scant study verify */
#include "study_actions.h"

scant_status study_verify(arguments *a, scant_study *study, scant_error *error) {
  scant_study_proof p;
  scant_status status = scant_study_verify(study, &p, error);
  scant_study_frozen frozen;
  int is_frozen = status == SCANT_OK && scant_study_frozen_name(study);
  if (is_frozen) status = scant_study_describe_frozen(study, &frozen, error);
  if (status != SCANT_OK) return status;
  unsigned long long events = p.events, orders = p.orders;
  if (a->own.json) {
    json out = {0};
    json_open(&out, NULL, '{');
    study_json_proof(&out, &p, is_frozen ? &frozen : NULL);
    json_close(&out);
    return json_print(&out, error);
  }
  printf("verified: %llu event%s, %llu order%s\n", events, events == 1 ? "" : "s", orders, orders == 1 ? "" : "s");
  printf("replayed from the ledger, %s build, the learner is the same ", p.same_build ? "by the same" : "by another");
  if (p.same_bits)
    printf("bit for bit\n");
  else
    printf("to 1e-9: the largest relative difference of a weight is %.1e\n", p.difference);
  if (is_frozen) printf("frozen as '%s'\n", frozen.name);
  if (is_frozen) study_print_frozen(&frozen);
  return SCANT_OK;
}
