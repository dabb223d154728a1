/* scant study predict, export, verify, replay, backup. */
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
    json_real(&out, "prediction", p.mean);
    json_real(&out, "low", p.low);
    json_real(&out, "high", p.high);
    json_real(&out, "level", a->own.interval);
    json_close(&out);
    return json_print(&out, error);
  }
  printf("%s = %.6g, and from %.6g to %.6g with probability %g\n", scant_study_target(study), p.mean, p.low, p.high,
         a->own.interval);
  return SCANT_OK;
}

scant_status study_export(arguments *a, scant_study *study, scant_error *error) {
  scant_model *model = NULL;
  scant_study_status t;
  if (!a->own.output) return study_refuse_usage(error, "-o MODEL is missing: where to write the model");
  scant_status status = scant_study_get_status(study, &t, error);
  if (status == SCANT_OK)
    status = a->own.gaussian ? scant_study_gaussian(study, &model, error) : scant_study_model(study, &model, error);
  if (status == SCANT_OK) status = scant_model_save(model, a->own.output, error);
  if (status == SCANT_OK)
    printf("model: %s, of %llu example%s\n", a->own.output, (unsigned long long)(t.learned + t.imported),
           t.learned + t.imported == 1 ? "" : "s");
  scant_model_free(model);
  return status;
}

scant_status study_verify(arguments *a, scant_study *study, scant_error *error) {
  scant_study_proof p;
  scant_status status = scant_study_verify(study, &p, error);
  if (status != SCANT_OK) return status;
  unsigned long long events = p.events, orders = p.orders;
  if (a->own.json) {
    json out = {0};
    json_open(&out, NULL, '{');
    json_count(&out, "events", p.events);
    json_count(&out, "orders", p.orders);
    json_flag(&out, "same_build", p.same_build);
    json_flag(&out, "same_bits", p.same_bits);
    json_real(&out, "difference", p.difference);
    json_close(&out);
    return json_print(&out, error);
  }
  printf("verified: %llu event%s, %llu order%s\n", events, events == 1 ? "" : "s", orders, orders == 1 ? "" : "s");
  printf("replayed from the ledger, %s build, the learner is the same ", p.same_build ? "by the same" : "by another");
  if (p.same_bits)
    printf("bit for bit\n");
  else
    printf("to 1e-9: the largest relative difference of a weight is %.1e\n", p.difference);
  return SCANT_OK;
}

scant_status study_replay(arguments *a, scant_study *study, scant_error *error) {
  (void)a;
  scant_study_status t;
  scant_status status = scant_study_replay(study, error);
  if (status == SCANT_OK) status = scant_study_get_status(study, &t, error);
  if (status == SCANT_OK)
    printf("%llu event%s replayed: orders, amounts and learner are made anew\n", (unsigned long long)t.events,
           t.events == 1 ? "" : "s");
  return status;
}

scant_status study_backup(arguments *a, scant_study *study, scant_error *error) {
  scant_status status = scant_study_backup(study, a->operands[2], error);
  if (status == SCANT_OK) printf("%s: a copy of %s\n", a->operands[2], a->operands[1]);
  return status;
}
