/* scant eval */
#include "command.h"

int run_eval(arguments *a) {
  scant_error error;
  scant_model *model = NULL;
  scant_source *source = NULL;
  scant_scores scores;
  scant_status status = scant_model_load(&model, a->operands[0], &error);
  if (status == SCANT_OK) status = check_log_target(&a->settings, model, &error);
  if (status == SCANT_OK) {
    data_settings_for(&a->settings, model);
    status = scant_source_open(&source, a->operands[1], &a->settings, SCANT_TARGET_REQUIRED, &error);
  }
  if (status == SCANT_OK) status = scant_model_bind(model, source, &error);
  if (status == SCANT_OK) status = scant_model_evaluate(model, source, NULL, 0, &scores, &error);
  int code;
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
  } else {
    if (a->own.json) {
      print_scores_json(&scores, 1, a->settings.log_target);
      printf("\n");
    } else {
      print_scores(&scores, a->settings.log_target);
    }
    code = print_end(a->command);
  }
  scant_source_free(source);
  scant_model_free(model);
  return code;
}
