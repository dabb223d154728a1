/* scant study predict */
#include "study_actions.h"

scant_status study_predict(arguments *a, scant_study *study, scant_error *error) {
  scant_study_answer *answers = NULL;
  size_t count = 0;
  scant_prediction p;
  scant_status status = study_answers_read(a, 2, &answers, &count, error);
  if (status == SCANT_OK) status = scant_study_predict(study, answers, count, a->own.interval, &p, error);
  study_answers_free(answers, count);
  if (status != SCANT_OK) return status;
  if (a->own.json) {
    json out = {0};
    json_open(&out, NULL, '{');
    study_json_prediction(&out, &p, a->own.interval);
    json_close(&out);
    return json_print(&out, error);
  }
  printf("%s = %.6g, and from %.6g to %.6g with probability %g\n", scant_study_target(study), p.mean, p.low, p.high,
         a->own.interval);
  return SCANT_OK;
}
