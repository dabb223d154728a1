/* scant predict */
#include <stdlib.h>

#include "chart/svg_text.h"
#include "front/command.h"
#include "scant_base.h"

/* ---- with rules that stop the buying: a line or object per example, with its purchases */

/* Predictions are kept until the last one is made, so that bad data in the middle leave no half-written file. */
typedef struct {
  char *text;
  size_t length;
  few_bought bought; /* with -k or a rule */
} output;

typedef struct {
  const arguments *a;
  const scant_model *model;
  few_bought *bought;
  int ends, two_valued;
  scant_json_writer json;
  svg_text csv;
} writer;

/* Names in order with ';' between them, as one cell. */
static void put_names(writer *w, const scant_bought *b) {
  char number[32];
  svg_text list = {0};
  for (size_t i = 0; i < b->count; i++)
    svg_put(&list, "%s%s", i ? ";" : "", few_name(w->model, b->purchases[i].attribute, number));
  const char *names = list.text ? list.text : "";
  size_t size = scant_csv_cell(NULL, 0, names, 0) + 1;
  char *cell = malloc(size);
  w->csv.failed |= list.failed || !cell;
  if (cell) {
    scant_csv_cell(cell, size, names, 0);
    svg_put(&w->csv, "%s", cell);
  }
  free(cell);
  svg_free(&list);
}

static void put_header(writer *w) {
  if (!w->ends && !w->a->own.bought) return;
  svg_put(&w->csv, w->ends ? "mean,low,high" : "mean");
  if (w->a->own.bought)
    svg_put(&w->csv, "%s%s", w->two_valued ? ",value,probability" : "",
            w->bought->priced ? ",bought,spent,stopped" : ",bought,stopped");
  svg_put(&w->csv, "\n");
}

static void put_prediction(svg_text *out, const scant_prediction *p, int ends) {
  svg_put(out, "%.17g", p->mean);
  if (ends) svg_put(out, ",%.17g,%.17g", p->low, p->high);
}

static void put_line(writer *w, const scant_bought *b) {
  put_prediction(&w->csv, &b->prediction, w->ends);
  if (w->a->own.bought) {
    if (w->two_valued) svg_put(&w->csv, ",%.17g,%.17g", b->value, b->sure);
    svg_put(&w->csv, ",");
    put_names(w, b);
    if (w->bought->priced) svg_put(&w->csv, ",%.2f", (double)b->money / 100);
    svg_put(&w->csv, ",%s", scant_verdict_name(b->verdict));
  }
  svg_put(&w->csv, "\n");
}

static void put_object(writer *w, const scant_bought *b) {
  scant_json_writer *out = &w->json;
  char number[32];
  scant_json_open(out, NULL, '{');
  scant_json_real(out, "mean", b->prediction.mean);
  if (w->ends) {
    scant_json_real(out, "low", b->prediction.low);
    scant_json_real(out, "high", b->prediction.high);
  }
  if (w->two_valued) {
    char label[64];
    scant_json_real(out, "value", b->value);
    if (few_class(w->model, b->value, label, sizeof label)) scant_json_text(out, "class", label);
    scant_json_real(out, "probability", b->sure);
  }
  scant_json_open(out, "bought", '[');
  for (size_t i = 0; i < b->count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_text(out, "attribute", few_name(w->model, b->purchases[i].attribute, number));
    if (w->bought->priced) scant_json_money(out, "price", b->purchases[i].price);
    scant_json_real(out, "value", b->purchases[i].value);
    scant_json_close(out);
  }
  scant_json_close(out);
  if (w->bought->priced) scant_json_money(out, "spent", b->money);
  scant_json_text(out, "stopped", scant_verdict_name(b->verdict));
  scant_json_close(out);
}

static scant_status write_row(void *user, size_t row, const scant_bought *b, scant_error *error) {
  writer *w = user;
  (void)row;
  w->bought->stopped[b->verdict]++;
  if (w->a->own.json)
    put_object(w, b);
  else
    put_line(w, b);
  return w->csv.failed || w->json.failed ? scant_fail_memory(error) : SCANT_OK;
}

static void take_text(output *out, svg_text *text) {
  out->text = text->text;
  out->length = text->length;
  *text = (svg_text){0};
}

static void put_end(writer *w, size_t rows, double level) {
  scant_json_close(&w->json);
  scant_json_count(&w->json, "examples", rows);
  if (level > 0) scant_json_real(&w->json, "interval", level);
  few_put_ledger(&w->json, &w->bought->ledger, w->bought->priced);
  scant_json_close(&w->json);
}

/* Predicts every row from the attributes bought under the rules. */
static scant_status predict_bought(const arguments *a, const scant_model *model, scant_source *source, output *out,
                                   scant_error *error) {
  double values[2];
  writer w = {.a = a, .model = model, .bought = &out->bought, .two_valued = scant_model_target_values(model, values)};
  few_terms terms;
  scant_status status = few_begin(a, model, source, &terms, error);
  out->bought.priced = terms.prices != NULL;
  w.ends = few_level(a) > 0;
  if (status == SCANT_OK) {
    scant_json_open(&w.json, NULL, '{');
    scant_json_open(&w.json, "predictions", '[');
    put_header(&w);
    status = scant_model_buy(model, source, &terms.buying, write_row, &w, &out->bought.ledger, error);
  }
  if (status == SCANT_OK && a->own.json) {
    put_end(&w, scant_source_rows(source), terms.buying.level);
    status = scant_json_take(&w.json, &out->text, &out->length, error);
  } else if (status == SCANT_OK) {
    take_text(out, &w.csv);
  }
  scant_json_discard(&w.json);
  svg_free(&w.csv);
  few_end(&terms);
  return status;
}

/* ---- all rows --------------------------------------------------------------- */

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
  return scant_fail(error, SCANT_USAGE, "log-target is %s in the model and can't be %s now", fitted ? "yes" : "no",
                    fitted ? "no" : "yes");
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

static scant_status take_json(output *out, const scant_prediction *predictions, size_t rows, double level,
                              scant_error *error) {
  scant_json_writer document = {0};
  scant_json_open(&document, NULL, '{');
  scant_json_count(&document, "examples", rows);
  if (level > 0) scant_json_real(&document, "interval", level);
  scant_json_open(&document, "predictions", '[');
  for (size_t i = 0; i < rows; i++) {
    scant_json_open(&document, NULL, '{');
    scant_json_real(&document, "mean", predictions[i].mean);
    if (level > 0) scant_json_real(&document, "low", predictions[i].low);
    if (level > 0) scant_json_real(&document, "high", predictions[i].high);
    scant_json_close(&document);
  }
  scant_json_close(&document);
  scant_json_close(&document);
  return scant_json_take(&document, &out->text, &out->length, error);
}

static scant_status take_lines(output *out, const scant_prediction *predictions, size_t rows, int ends,
                               scant_error *error) {
  svg_text lines = {0};
  if (ends) svg_put(&lines, "mean,low,high\n");
  for (size_t i = 0; i < rows; i++) {
    put_prediction(&lines, &predictions[i], ends);
    svg_put(&lines, "\n");
  }
  scant_status status = lines.failed ? scant_fail_memory(error) : SCANT_OK;
  if (status == SCANT_OK) take_text(out, &lines);
  svg_free(&lines);
  return status;
}

/* Predicts from all attributes. */
static scant_status predict_means(const scant_model *model, scant_source *source, scant_prediction *predictions,
                                  scant_error *error) {
  size_t rows = scant_source_rows(source);
  double *means = scant_array(rows, sizeof *means);
  scant_status status = means ? scant_model_predict_rows(model, source, means, error) : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < rows; i++) predictions[i].mean = means[i];
  free(means);
  return status;
}

/* Predicts from the values of each example that are known or, with -k, bought. */
static scant_status predict_rows(const arguments *a, const scant_model *model, scant_source *source, output *out,
                                 scant_error *error) {
  size_t rows = scant_source_rows(source);
  double level = a->own.interval;
  scant_prediction *predictions = scant_array(rows, sizeof *predictions);
  few_terms terms = {0};
  scant_status status = predictions ? few_begin(a, model, source, &terms, error) : scant_fail_memory(error);
  if (status == SCANT_OK && a->own.k)
    status =
        scant_model_predict_few(model, source, a->own.k, terms.prices, level, predictions, &out->bought.ledger, error);
  else if (status == SCANT_OK)
    status = level > 0 ? scant_model_predict_known(model, source, level, predictions, error)
                       : predict_means(model, source, predictions, error);
  if (status == SCANT_OK)
    status = a->own.json ? take_json(out, predictions, rows, level, error)
                         : take_lines(out, predictions, rows, level > 0, error);
  out->bought.priced = terms.prices != NULL;
  few_end(&terms);
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
  if (status == SCANT_OK) status = (listed ? predict_bought : predict_rows)(a, model, source, &out, &error);
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
