/* scant study export */
#include "../show_errors.h"
#include "study_actions.h"

scant_status study_export(arguments *a, scant_study *study, scant_error *error) {
  scant_model *model = NULL;
  scant_study_status t;
  int errors = a->own.errors || a->own.errors_of;
  if (errors && a->own.gaussian)
    return study_refuse_usage(error, "--errors does not go with --gaussian: they are of the study's own regressor");
  if (!a->own.output) return study_refuse_usage(error, "-o MODEL is missing: where to write the model");
  scant_status status = scant_study_get_status(study, &t, error);
  if (status == SCANT_OK)
    status = a->own.gaussian ? scant_study_gaussian(study, &model, error)
             : errors        ? scant_study_model_errors(study, a->own.errors_of, &model, error)
                             : scant_study_model(study, &model, error);
  if (status == SCANT_OK) status = scant_model_save(model, a->own.output, error);
  if (status == SCANT_OK) {
    unsigned long long learned = t.learned, imported = t.imported, examples = learned + imported;
    printf("model: %s, of %llu example%s\n", a->own.output, examples, examples == 1 ? "" : "s");
    errors_print(model);
  }
  scant_model_free(model);
  return status;
}
