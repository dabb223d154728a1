/* scant predict */
#include <stdlib.h>
#include <string.h>

#include "command.h"

void data_settings_for(scant_settings *settings, const scant_model *model) {
  const scant_settings *fitted = scant_model_settings(model);
  if (!settings->classes) settings->classes = fitted->classes;
  if (!scant_settings_is_given(settings, scant_option_find("log-target"))) settings->log_target = fitted->log_target;
  /* A name means nothing in a file without names. */
  int nameless = settings->header == SCANT_HEADER_NO && scant_model_name(model, 0);
  if (!settings->target && !nameless) settings->target = scant_model_target_name(model);
}

scant_status check_log_target(const scant_settings *settings, const scant_model *model, scant_error *error) {
  int fitted = scant_model_settings(model)->log_target;
  if (!scant_settings_is_given(settings, scant_option_find("log-target")) || settings->log_target == fitted)
    return SCANT_OK;
  snprintf(error->text, sizeof error->text, "log-target is %s in the model and can't be %s now", fitted ? "yes" : "no",
           fitted ? "no" : "yes");
  return SCANT_USAGE;
}

/* The target may be absent or still empty: it is one more column that the model
 * does not need, and columns are found by name.  Without names the target's
 * number tells, if the file has one column more than the model. */
static scant_status open_data(scant_source **source, const scant_model *model, arguments *a, scant_error *error) {
  const char *target = scant_model_target_name(model);
  a->settings.log_target = 0; /* targets are not looked at */
  if (a->settings.classes) {  /* rows are chosen by their labels only if asked for */
    if (!a->settings.target) a->settings.target = target;
    return scant_source_open(source, a->operands[1], &a->settings, SCANT_TARGET_REQUIRED, error);
  }
  scant_status status = scant_source_open(source, a->operands[1], &a->settings, SCANT_TARGET_OPTIONAL, error);
  if (status != SCANT_OK || a->settings.target || !target || scant_model_name(model, 0) ||
      scant_source_dimension(*source) != scant_model_dimension(model) + 1)
    return status;
  scant_source_free(*source);
  *source = NULL;
  a->settings.target = target;
  return scant_source_open(source, a->operands[1], &a->settings, SCANT_TARGET_OPTIONAL, error);
}

/* Predictions are kept until the last one is made, so that bad data in the
 * middle leave nothing half-written. */
static scant_status predict(const scant_model *model, scant_source *source, char **text, size_t *length,
                            scant_error *error) {
  enum { LINE = 32 };
  size_t rows = scant_source_rows(source);
  double *predictions = malloc(rows * sizeof *predictions);
  *text = malloc(rows * LINE + 1);
  scant_status status = SCANT_MEMORY;
  if (predictions && *text)
    status = scant_model_predict_rows(model, source, predictions, error);
  else
    strcpy(error->text, "out of memory");
  for (size_t i = 0; status == SCANT_OK && i < rows; i++)
    *length += (size_t)snprintf(*text + *length, LINE, "%.17g\n", predictions[i]);
  free(predictions);
  return status;
}

int run_predict(arguments *a) {
  const char *const inputs[] = {a->operands[0], a->operands[1], a->settings.labels};
  int code = files_check_output(a->command, a->own.output, inputs, 3);
  if (code != EXIT_DONE) return code;
  scant_error error;
  scant_model *model = NULL;
  scant_source *source = NULL;
  char *text = NULL;
  size_t length = 0;
  scant_status status = scant_model_load(&model, a->operands[0], &error);
  if (status == SCANT_OK) status = check_log_target(&a->settings, model, &error);
  if (status == SCANT_OK) status = open_data(&source, model, a, &error);
  if (status == SCANT_OK) status = scant_model_bind(model, source, &error);
  if (status == SCANT_OK) status = predict(model, source, &text, &length, &error);
  if (status == SCANT_OK && a->own.output) status = scant_file_replace(a->own.output, text, length, &error);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
  } else if (!a->own.output) {
    fwrite(text, 1, length, stdout);
    code = print_end(a->command);
  }
  free(text);
  scant_source_free(source);
  scant_model_free(model);
  return code;
}
