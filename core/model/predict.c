/* Predictions and scores of whole rows, outside any ledger. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "base/sum.h"
#include "data/source.h"
#include "joint/known.h"
#include "model/model.h"
#include "joint/predictive.h"
#include "model/score.h"

/* What was learned, before it is made a prediction of y. */
static double linear(const scant_model *model, const double *x) {
  scant_sum sum = {model->intercept, 0};
  for (size_t i = 0; i < model->dimension; i++) {
    double value = isnan(x[i]) ? model->means[i] : scant_model_clip(model, i, x[i]);
    scant_sum_add(&sum, model->weights[i] * value);
  }
  return scant_sum_value(sum);
}

static double of_target(const scant_model *model, double p) {
  return model->settings.reading.log_target ? expm1(p) : p;
}

double scant_model_predict(const scant_model *model, const double *x) {
  return of_target(model, linear(model, x));
}

/* What the rows of one call share. */
typedef struct {
  const scant_model *model;
  scant_source *source;
  scant_known *known; /* NULL: the model is no Gaussian */
  double *x;
} reader;

static scant_status reader_open(reader *r, const scant_model *model, scant_source *source, scant_error *error) {
  *r = (reader){model, source, NULL, scant_array(model->dimension, sizeof *r->x)};
  if (!r->x) return scant_fail_memory(error);
  return model->gaussian ? scant_known_new(&r->known, model->gaussian, error) : SCANT_OK;
}

static void reader_close(reader *r) {
  scant_known_free(r->known);
  free(r->x);
}

/* A row, brought between the limits. */
static scant_status read_row(reader *r, size_t row, scant_error *error) {
  SCANT_TRY(scant_source_row(r->source, row, r->x, error));
  for (size_t i = 0; r->model->low && i < r->model->dimension; i++) r->x[i] = scant_model_clip(r->model, i, r->x[i]);
  return SCANT_OK;
}

/* The prediction as it was learned.  The weights are for all attributes.  Where some are missing, a Gaussian
 * has better weights for the others. */
static scant_status predict_row(reader *r, size_t row, double *prediction, scant_error *error) {
  const scant_model *model = r->model;
  double variance;
  SCANT_TRY(read_row(r, row, error));
  if (r->known && scant_known_has_holes(r->known, r->x)) {
    SCANT_TRY(scant_known_expect(r->known, r->x, prediction, &variance, error));
  } else {
    *prediction = linear(model, r->x);
  }
  return isfinite(*prediction) ? SCANT_OK : scant_score_overflow(r->source, row, error);
}

scant_status scant_model_predict_rows(const scant_model *model, scant_source *source, double *predictions,
                                      scant_error *error) {
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  reader r;
  scant_status status = reader_open(&r, model, source, error);
  for (size_t i = 0; status == SCANT_OK && i < scant_source_rows(source); i++) {
    status = predict_row(&r, i, &predictions[i], error);
    if (status != SCANT_OK) break;
    predictions[i] = of_target(model, predictions[i]);
    if (!isfinite(predictions[i])) status = scant_score_overflow(source, i, error);
  }
  reader_close(&r);
  return status;
}

scant_status scant_model_evaluate(const scant_model *model, scant_source *source, const uint64_t *rows, size_t count,
                                  scant_scores *scores, scant_error *error) {
  SCANT_TRY(scant_score_check(model, source, error));
  if (!rows) count = scant_source_rows(source);
  if (!count) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  reader r;
  scant_tally tally = {0};
  scant_status status = reader_open(&r, model, source, error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    size_t row = rows ? (size_t)rows[i] : i;
    double prediction;
    status = predict_row(&r, row, &prediction, error);
    if (status == SCANT_OK) scant_tally_add(&tally, prediction, scant_source_target(source, row));
  }
  reader_close(&r);
  if (status == SCANT_OK) status = scant_tally_check(&tally, error);
  if (status == SCANT_OK) *scores = scant_tally_scores(&tally);
  return status;
}

/* ---- from what is known ------------------------------------------------------ */

int scant_model_is_gaussian(const scant_model *model) {
  return model->gaussian != NULL;
}

int scant_model_target_values(const scant_model *model, double values[2]) {
  if (!model->gaussian || !model->gaussian->two_valued) return 0;
  for (int i = 0; i < 2; i++) values[i] = of_target(model, model->gaussian->values[i]);
  return 1;
}

/* As it was learned. */
static scant_status predict_known(reader *r, size_t row, double level, scant_prediction *prediction,
                                  scant_error *error) {
  double mean, variance;
  SCANT_TRY(read_row(r, row, error));
  SCANT_TRY(scant_known_expect(r->known, r->x, &mean, &variance, error));
  scant_gaussian_predict(r->model->gaussian, mean, variance, level, prediction);
  return isfinite(mean) ? SCANT_OK : scant_score_overflow(r->source, row, error);
}

scant_status scant_model_predict_known(const scant_model *model, scant_source *source, double level,
                                       scant_prediction *predictions, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  reader r;
  scant_status status = reader_open(&r, model, source, error);
  for (size_t i = 0; status == SCANT_OK && i < scant_source_rows(source); i++) {
    status = predict_known(&r, i, level, &predictions[i], error);
    if (status == SCANT_OK) status = scant_prediction_finish(model, source, i, &predictions[i], error);
  }
  reader_close(&r);
  return status;
}

scant_status scant_model_evaluate_known(const scant_model *model, scant_source *source, double level,
                                        scant_known_scores *scores, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  SCANT_TRY(scant_score_check(model, source, error));
  size_t count = scant_source_rows(source);
  if (!count) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  reader r;
  scant_known_tally tally = {0};
  scant_status status = reader_open(&r, model, source, error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    scant_prediction prediction;
    status = predict_known(&r, i, level, &prediction, error);
    if (status == SCANT_OK) scant_known_tally_add(&tally, &prediction, scant_source_target(source, i));
  }
  reader_close(&r);
  if (status == SCANT_OK) status = scant_tally_check(&tally.tally, error);
  if (status == SCANT_OK) *scores = scant_known_tally_scores(&tally);
  return status;
}
