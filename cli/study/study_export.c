/* scant study export */
#include "study_actions.h"

scant_status study_export(arguments *a, scant_study *study, scant_error *error) {
  scant_model *model = NULL;
  scant_study_status t;
  if (!a->own.output) return study_refuse_usage(error, "-o MODEL is missing: where to write the model");
  scant_status status = scant_study_get_status(study, &t, error);
  if (status == SCANT_OK)
    status = a->own.gaussian ? scant_study_gaussian(study, &model, error) : scant_study_model(study, &model, error);
  if (status == SCANT_OK) status = scant_model_save(model, a->own.output, error);
  if (status == SCANT_OK) {
    unsigned long long learned = t.learned, imported = t.imported, examples = learned + imported;
    printf("model: %s, of %llu example%s\n", a->own.output, examples, examples == 1 ? "" : "s");
  }
  scant_model_free(model);
  return status;
}
