#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/sum.h"
#include "data/source.h"
#include "learn/settings.h"

scant_status scant_model_new(scant_model **model, size_t dimension, scant_error *error) {
  scant_model *m = scant_array(1, sizeof *m);
  if (!m) return scant_fail_memory(error);
  m->dimension = dimension;
  m->weights = scant_array(dimension, sizeof *m->weights);
  m->purchases = scant_array(dimension, sizeof *m->purchases);
  m->eta = m->penalty = NAN;
  if (!m->weights || !m->purchases) {
    scant_model_free(m);
    return scant_fail_memory(error);
  }
  *model = m;
  return SCANT_OK;
}

void scant_model_free(scant_model *model) {
  if (!model) return;
  if (model->names)
    for (size_t i = 0; i < model->dimension; i++) free(model->names[i]);
  free(model->names);
  free(model->target_name);
  free(model->algorithm);
  free(model->classes);
  free(model->checkpoint);
  free(model->weights);
  free(model->purchases);
  scant_prices_free(model->prices);
  free(model->means);
  scant_gaussian_free(model->gaussian);
  free(model);
}

scant_status scant_model_set_settings(scant_model *model, const scant_settings *settings, scant_error *error) {
  char *algorithm = scant_copy_text(settings->algorithm, strlen(settings->algorithm));
  char *classes = settings->classes ? scant_copy_text(settings->classes, strlen(settings->classes)) : NULL;
  if (!algorithm || (settings->classes && !classes)) {
    free(algorithm);
    free(classes);
    return scant_fail_memory(error);
  }
  free(model->algorithm);
  free(model->classes);
  model->algorithm = algorithm;
  model->classes = classes;
  model->settings = *settings;
  model->settings.algorithm = algorithm;
  model->settings.classes = classes;
  model->settings.labels = model->settings.target = model->settings.costs = NULL;
  return SCANT_OK;
}

size_t scant_model_dimension(const scant_model *model) {
  return model->dimension;
}

const double *scant_model_weights(const scant_model *model) {
  return model->weights;
}

double scant_model_intercept(const scant_model *model) {
  return model->intercept;
}

const char *scant_model_name(const scant_model *model, size_t attribute) {
  return model->names && attribute < model->dimension ? model->names[attribute] : NULL;
}

const char *scant_model_target_name(const scant_model *model) {
  return model->target_name;
}

const scant_settings *scant_model_settings(const scant_model *model) {
  return &model->settings;
}

const scant_ledger *scant_model_ledger(const scant_model *model) {
  return &model->ledger;
}

const uint64_t *scant_model_purchases(const scant_model *model) {
  return model->purchases;
}

const scant_prices *scant_model_prices(const scant_model *model) {
  return model->prices;
}

const double *scant_model_means(const scant_model *model) {
  return model->means;
}

double scant_model_eta(const scant_model *model) {
  return model->eta;
}

double scant_model_penalty(const scant_model *model) {
  return model->penalty;
}

int scant_model_is_checkpoint(const scant_model *model) {
  return model->checkpoint != NULL;
}

/* What was learned, before it is made a prediction of y. */
static double linear(const scant_model *model, const double *x) {
  scant_sum sum = {model->intercept, 0};
  for (size_t i = 0; i < model->dimension; i++) {
    double value = isnan(x[i]) && model->means ? model->means[i] : x[i];
    scant_sum_add(&sum, model->weights[i] * value);
  }
  return scant_sum_value(sum);
}

static double of_target(const scant_model *model, double p) {
  return model->settings.log_target ? expm1(p) : p;
}

double scant_model_predict(const scant_model *model, const double *x) {
  return of_target(model, linear(model, x));
}

scant_status scant_model_check_settings(const scant_model *model, const scant_settings *given, scant_error *error) {
  const scant_option *o;
  if (given->costs) return scant_fail(error, SCANT_USAGE, "costs can't be given: the checkpoint holds its own");
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char ours[256], theirs[256];
    if (!(o->scope & SCANT_SCOPE_MODEL) || !scant_settings_is_given(given, o)) continue;
    if (!scant_settings_applies(&model->settings, o))
      return scant_fail(error, SCANT_USAGE, "%s does not go with what the model was fitted with (%s)", o->name,
                        model->algorithm);
    scant_settings_get(&model->settings, o, ours, sizeof ours);
    scant_settings_get(given, o, theirs, sizeof theirs);
    if (strcmp(ours, theirs) != 0)
      return scant_fail(error, SCANT_USAGE, "%s is %s in the checkpoint and can't be %s now", o->name,
                        *ours ? ours : "not set", theirs);
  }
  return SCANT_OK;
}

/* As it was learned, or of y itself if `of_y`. */
static scant_status predict_row(const scant_model *model, scant_source *source, size_t row, double *x, int of_y,
                                double *prediction, scant_error *error) {
  SCANT_TRY(scant_source_row(source, row, x, error));
  for (size_t i = 0; !model->means && i < model->dimension; i++) {
    if (!isnan(x[i])) continue;
    scant_source_tell_missing(source, row, (uint32_t)i, ", and the model holds no means to put there", error);
    return SCANT_DATA;
  }
  *prediction = linear(model, x);
  if (of_y) *prediction = of_target(model, *prediction);
  if (isfinite(*prediction)) return SCANT_OK;
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(source, row, SCANT_WHOLE_ROW, where, sizeof where);
  return scant_fail(error, SCANT_DATA, "%s: the prediction overflows", where);
}

static scant_status check_dimension(const scant_model *model, const scant_source *source, scant_error *error) {
  if (scant_source_dimension(source) == model->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the data have %zu attributes and the model has %zu",
                    scant_source_dimension(source), model->dimension);
}

scant_status scant_model_predict_rows(const scant_model *model, scant_source *source, double *predictions,
                                      scant_error *error) {
  SCANT_TRY(check_dimension(model, source, error));
  double *x = scant_array(model->dimension, sizeof *x);
  scant_status status = x ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < scant_source_rows(source); i++)
    status = predict_row(model, source, i, x, 1, &predictions[i], error);
  free(x);
  return status;
}

scant_status scant_model_bind(const scant_model *model, scant_source *source, scant_error *error) {
  return scant_source_bind(source, model->dimension, model->names, error);
}

/* Sums over the rows scored so far. */
typedef struct {
  scant_sum squared, absolute, y, y_squared;
  uint64_t correct;
  int signs;    /* every y is -1 or +1 */
  double first; /* y is shifted by the first one, so that its variance does not cancel */
} tally;

static void count_row(tally *t, double prediction, double y, int is_first) {
  if (is_first) t->first = y;
  double residual = prediction - y, shifted = y - t->first;
  scant_sum_add(&t->squared, residual * residual);
  scant_sum_add(&t->absolute, fabs(residual));
  scant_sum_add(&t->y, shifted);
  scant_sum_add(&t->y_squared, shifted * shifted);
  if (fabs(y) != 1) t->signs = 0;
  t->correct += prediction * y > 0;
}

scant_status scant_model_evaluate(const scant_model *model, scant_source *source, const uint64_t *rows, size_t count,
                                  scant_scores *scores, scant_error *error) {
  if (!scant_source_has_target(source)) return scant_fail(error, SCANT_DATA, "there is no target to compare with");
  SCANT_TRY(check_dimension(model, source, error));
  if (!model->settings.log_target != !source->log_target)
    return scant_fail(error, SCANT_USAGE, "log-target is %s in the model, but %s in the data",
                      model->settings.log_target ? "yes" : "no", source->log_target ? "yes" : "no");
  if (!rows) count = scant_source_rows(source);
  if (!count) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  double *x = scant_array(model->dimension, sizeof *x);
  if (!x) return scant_fail_memory(error);
  tally t = {.signs = 1};
  scant_status status = SCANT_OK;
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    size_t row = rows ? (size_t)rows[i] : i;
    double prediction;
    status = predict_row(model, source, row, x, 0, &prediction, error);
    if (status == SCANT_OK) count_row(&t, prediction, scant_source_target(source, row), i == 0);
  }
  free(x);
  if (status != SCANT_OK) return status;
  double n = (double)count, mean = scant_sum_value(t.y) / n;
  double spread = scant_sum_value(t.y_squared) - n * mean * mean, squared = scant_sum_value(t.squared);
  *scores = (scant_scores){
      .examples = count,
      .squared_error = squared / n,
      .absolute_error = scant_sum_value(t.absolute) / n,
      .r2 = spread > 0 ? 1 - squared / spread : NAN,
      .accuracy = t.signs ? (double)t.correct / n : NAN,
  };
  return SCANT_OK;
}
