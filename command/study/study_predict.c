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
    scant_json_writer out = {0};
    scant_json_open(&out, NULL, '{');
    scant_study_json_prediction(&out, &p, a->own.interval);
    scant_json_close(&out);
    return print_document(&out, error);
  }
  printf("%s = %.6g, and from %.6g to %.6g with probability %g\n", scant_study_target(study), p.mean, p.low, p.high,
         a->own.interval);
  return SCANT_OK;
}
