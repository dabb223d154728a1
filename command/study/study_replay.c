/* scant study replay */
#include "study_actions.h"

scant_status study_replay(arguments *a, scant_study *study, scant_error *error) {
  (void)a;
  scant_study_status t;
  scant_status status = scant_study_replay(study, error);
  if (status == SCANT_OK) status = scant_study_get_counts(study, &t, error);
  if (status == SCANT_OK)
    printf("%llu event%s replayed: orders, amounts and learner are made anew\n", (unsigned long long)t.events,
           t.events == 1 ? "" : "s");
  return status;
}
