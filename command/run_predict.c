/* scant predict */
#include <stdlib.h>
#include <string.h>

#include "front/command.h"
#include "base/json_document.h"

void data_settings_for(scant_settings *settings, const scant_model *model) {
  const scant_settings *fitted = scant_model_settings(model);
  if (!settings->reading.classes) settings->reading.classes = fitted->reading.classes;
  if (!scant_settings_is_given(settings, scant_option_find("log-target")))
    settings->reading.log_target = fitted->reading.log_target;
  /* A name means nothing in a file without names. */
  int nameless = settings->reading.header == SCANT_HEADER_NO && scant_model_name(model, 0);
  if (!settings->reading.target && !nameless) settings->reading.target = scant_model_target_name(model);
}

scant_status check_log_target(const scant_settings *settings, const scant_model *model, scant_error *error) {
  int fitted = scant_model_settings(model)->reading.log_target;
  if (!scant_settings_is_given(settings, scant_option_find("log-target")) || settings->reading.log_target == fitted)
    return SCANT_OK;
  snprintf(error->text, sizeof error->text, "log-target is %s in the model and can't be %s now", fitted ? "yes" : "no",
           fitted ? "no" : "yes");
  return SCANT_USAGE;
}

/* The target may be absent or still empty.  Columns are found by name, and the target is a column that the model does
 * not need.  In a file without names that has one column more than the model, the number of the target says which. */
static scant_status open_data(scant_source **source, const scant_model *model, arguments *a, scant_error *error) {
  const char *target = scant_model_target_name(model);
  a->settings.reading.log_target = 0; /* targets are not looked at */
  if (a->settings.reading.classes) {  /* examples are chosen by their labels only if --classes is given */
    if (!a->settings.reading.target) a->settings.reading.target = target;
    return scant_source_open(source, a->operands[1], &a->settings, SCANT_TARGET_REQUIRED, error);
  }
  scant_status status = scant_source_open(source, a->operands[1], &a->settings, SCANT_TARGET_OPTIONAL, error);
  if (status != SCANT_OK || a->settings.reading.target || !target || scant_model_name(model, 0) ||
      scant_source_dimension(*source) != scant_model_dimension(model) + 1)
    return status;
  scant_source_free(*source);
  *source = NULL;
  a->settings.reading.target = target;
  return scant_source_open(source, a->operands[1], &a->settings, SCANT_TARGET_OPTIONAL, error);
}

/* Room for a line of three numbers. */
enum { LINE = 3 * 25 + 1 };

/* Predictions are kept until the last one is made, so that bad data in the middle leave no half-written file. */
typedef struct {
  char *text;
  size_t length;
  few_bought bought; /* with -k or a rule */
} output;

static scant_status take_json(output *out, const scant_prediction *predictions, size_t rows, double level,
                              scant_error *error) {
  json document = {0};
  json_open(&document, NULL, '{');
  json_count(&document, "examples", rows);
  if (level > 0) json_real(&document, "interval", level);
  json_open(&document, "predictions", '[');
  for (size_t i = 0; i < rows; i++) {
    json_open(&document, NULL, '{');
    json_real(&document, "mean", predictions[i].mean);
    if (level > 0) json_real(&document, "low", predictions[i].low);
    if (level > 0) json_real(&document, "high", predictions[i].high);
    json_close(&document);
  }
  json_close(&document);
  json_close(&document);
  free(out->text);
  out->text = NULL;
  return json_take(&document, &out->text, &out->length, error);
}

static scant_status predict(const arguments *a, const scant_model *model, scant_source *source, output *out,
                            scant_error *error) {
  size_t rows = scant_source_rows(source);
  double *predictions = malloc(rows * sizeof *predictions);
  out->text = malloc(rows * LINE + 1);
  scant_status status = SCANT_MEMORY;
  if (predictions && out->text)
    status = scant_model_predict_rows(model, source, predictions, error);
  else
    strcpy(error->text, "out of memory");
  for (size_t i = 0; status == SCANT_OK && i < rows; i++)
    out->length += (size_t)snprintf(out->text + out->length, LINE, "%.17g\n", predictions[i]);
  if (status == SCANT_OK && a->own.json) {
    scant_prediction *means = calloc(rows, sizeof *means);
    for (size_t i = 0; means && i < rows; i++) means[i].mean = predictions[i];
    status = means ? take_json(out, means, rows, 0, error) : SCANT_MEMORY;
    if (!means) strcpy(error->text, "out of memory");
    free(means);
  }
  free(predictions);
  return status;
}

static void write_known(output *out, const scant_prediction *predictions, size_t rows, int ends) {
  static const char header[] = "mean,low,high\n";
  if (ends) {
    out->length = sizeof header - 1;
    memcpy(out->text, header, out->length);
  }
  for (size_t i = 0; i < rows; i++) {
    const scant_prediction *p = &predictions[i];
    char *line = out->text + out->length;
    out->length += (size_t)(ends ? snprintf(line, LINE, "%.17g,%.17g,%.17g\n", p->mean, p->low, p->high)
                                 : snprintf(line, LINE, "%.17g\n", p->mean));
  }
}

/* Predicts from the values of each example that are known or, with -k, bought. */
static scant_status predict_known(const arguments *a, const scant_model *model, scant_source *source, output *out,
                                  scant_error *error) {
  size_t rows = scant_source_rows(source);
  scant_prediction *predictions = malloc(rows * sizeof *predictions);
  scant_prices *own = NULL;
  const scant_prices *prices = NULL;
  out->text = malloc((rows + 1) * LINE);
  scant_status status = SCANT_MEMORY;
  if (predictions && out->text)
    status = few_prices(a, model, source, &own, &prices, error);
  else
    strcpy(error->text, "out of memory");
  if (status == SCANT_OK)
    status = a->own.k ? scant_model_predict_few(model, source, a->own.k, prices, a->own.interval, predictions,
                                                &out->bought.ledger, error)
                      : scant_model_predict_known(model, source, a->own.interval, predictions, error);
  if (status == SCANT_OK && a->own.json)
    status = take_json(out, predictions, rows, a->own.interval, error);
  else if (status == SCANT_OK)
    write_known(out, predictions, rows, a->own.interval > 0);
  out->bought.priced = prices != NULL;
  scant_prices_free(own);
  free(predictions);
  return status;
}

int run_predict(arguments *a) {
  const char *const inputs[] = {a->operands[0], a->operands[1], a->settings.reading.labels, a->own.costs};
  int code = few_check(a);
  if (code == EXIT_DONE) code = files_check_output(a->command, a->own.output, inputs, 4);
  if (code != EXIT_DONE) return code;
  scant_error error;
  scant_model *model = NULL;
  scant_source *source = NULL;
  output out = {0};
  scant_status status = scant_model_load(&model, a->operands[0], &error);
  if (status == SCANT_OK) status = check_log_target(&a->settings, model, &error);
  if (status == SCANT_OK) status = few_check_model(a, model, &error);
  if (status == SCANT_OK) status = open_data(&source, model, a, &error);
  if (status == SCANT_OK) status = scant_model_bind(model, source, &error);
  if (status == SCANT_OK) print_note(source, SCANT_NOTE_ABSENT);
  int listed = few_buys(a) && (few_has_rules(a) || a->own.json);
  if (status == SCANT_OK && listed)
    status = predict_bought(a, model, source, &out.bought, &out.text, &out.length, &error);
  else if (status == SCANT_OK)
    status = a->own.k || a->own.interval > 0 ? predict_known(a, model, source, &out, &error)
                                             : predict(a, model, source, &out, &error);
  if (status == SCANT_OK && a->own.output) status = scant_file_replace(a->own.output, out.text, out.length, &error);
  if (status != SCANT_OK) {
    code = print_failure(a->command, status, &error);
    print_bought(&out.bought.ledger);
  } else if (!a->own.output) {
    fwrite(out.text, 1, out.length, stdout);
    code = print_end(a->command);
  }
  if (code == EXIT_DONE) print_note(source, SCANT_NOTE_UNLISTED);
  if (code == EXIT_DONE && listed)
    few_print_bought(stderr, &out.bought, scant_model_dimension(model));
  else if (code == EXIT_DONE && a->own.k)
    few_print_ledger(stderr, &out.bought.ledger, scant_source_rows(source), scant_model_dimension(model),
                     out.bought.priced);
  free(out.text);
  scant_source_free(source);
  scant_model_free(model);
  return code;
}
