/* Predictions of whole rows, outside any ledger, and scores of predictions. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "data/source.h"
#include "joint/conditional.h"

/* ---- what can be predicted and scored ----------------------------------------- */

scant_status scant_score_check_dimension(const scant_model *model, const scant_source *source, scant_error *error) {
  if (scant_source_dimension(source) == model->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the data have %zu attributes and the model has %zu",
                    scant_source_dimension(source), model->dimension);
}

scant_status scant_score_check_k(const scant_model *model, uint64_t k, scant_error *error) {
  if (k <= model->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "k = %llu is more than the %zu attributes of the model", (unsigned long long)k,
                    model->dimension);
}

scant_status scant_score_check(const scant_model *model, const scant_source *source, scant_error *error) {
  if (!scant_source_has_target(source)) return scant_fail(error, SCANT_DATA, "there is no target to compare with");
  SCANT_TRY(scant_score_check_dimension(model, source, error));
  if (!model->settings.reading.log_target != !source->log_target)
    return scant_fail(error, SCANT_USAGE, "log-target is %s in the model, but %s in the data",
                      model->settings.reading.log_target ? "yes" : "no", source->log_target ? "yes" : "no");
  return SCANT_OK;
}

scant_status scant_model_need_gaussian(const scant_model *model, scant_error *error) {
  const scant_algorithm *algorithm = model->algorithm ? scant_algorithm_find(model->algorithm) : NULL;
  if (model->gaussian) return SCANT_OK;
  if (algorithm && algorithm->joint)
    return scant_fail(error, SCANT_USAGE,
                      "this needs a joint Gaussian, and this model of gaussian has none: it was learned from no "
                      "examples, or all their targets were the same");
  return scant_fail(error, SCANT_USAGE, "this needs a model of the algorithm gaussian, and this one is of %s",
                    model->algorithm ? model->algorithm : "another");
}

scant_status scant_score_overflow(const scant_source *source, size_t row, scant_error *error) {
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(source, row, SCANT_WHOLE_ROW, where, sizeof where);
  return scant_fail(error, SCANT_DATA, "%s: the prediction overflows", where);
}

scant_status scant_prediction_finish(const scant_model *model, const scant_source *source, size_t row,
                                     scant_prediction *prediction, scant_error *error) {
  if (model->settings.reading.log_target) scant_prediction_unlog(prediction);
  return isinf(prediction->mean) || isinf(prediction->low) || isinf(prediction->high)
             ? scant_score_overflow(source, row, error)
             : SCANT_OK;
}

/* ---- scores --------------------------------------------------------------------- */

/* Terms are divided by a power of two, which changes no bits: so sums overflow only where the means do. */
#define SMALLER 0x1p-32
#define LARGER 0x1p+32

void scant_tally_add(scant_tally *t, const scant_prediction *p, double y) {
  double prediction = p->mean;
  if (!t->examples++) t->first = y;
  double residual = SMALLER * prediction - SMALLER * y, shifted = SMALLER * y - SMALLER * t->first;
  t->largest = fmax(t->largest, fabs(residual));
  scant_sum_add(&t->squared, residual * residual);
  scant_sum_add(&t->absolute, fabs(residual));
  scant_sum_add(&t->y, shifted);
  scant_sum_add(&t->y_squared, shifted * shifted);
  t->unsigned_targets += fabs(y) != 1;
  t->correct += prediction * y > 0;
  scant_sum_add(&t->variance, p->variance);
  scant_sum_add(&t->width, p->high - p->low);
  t->covered += p->low <= y && y <= p->high;
}

scant_known_scores scant_tally_scores(const scant_tally *t) {
  double n = (double)t->examples, mean = scant_sum_value(t->y) / n, width = scant_sum_value(t->width) / n;
  double spread = scant_sum_value(t->y_squared) - n * mean * mean, squared = scant_sum_value(t->squared);
  return (scant_known_scores){
      .scores = {.examples = t->examples,
                 .squared_error = squared / n * LARGER * LARGER,
                 .absolute_error = scant_sum_value(t->absolute) / n * LARGER,
                 .r2 = spread > 0 ? 1 - squared / spread : NAN,
                 .accuracy = t->unsigned_targets ? NAN : (double)t->correct / n},
      .variance = scant_sum_value(t->variance) / n,
      .coverage = isnan(width) ? NAN : (double)t->covered / n, /* without a level there are no ends */
      .width = width,
      .bought = t->bought / n,
      .money = t->money / n,
  };
}

scant_status scant_tally_check(const scant_tally *t, scant_error *error) {
  scant_scores s = scant_tally_scores(t).scores;
  const char *what = !isfinite(s.squared_error)    ? "squared error"
                     : !isfinite(s.absolute_error) ? "absolute error"
                     : isinf(s.r2)                 ? "R^2"
                                                   : NULL;
  if (!what) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the %s overflows: a prediction is %.3g away from its target", what,
                    t->largest * LARGER);
}

/* ---- predictions ---------------------------------------------------------------- */

/* The prediction as it was learned, before it is made one of y. */
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

int scant_model_is_gaussian(const scant_model *model) {
  return model->gaussian != NULL;
}

int scant_model_target_values(const scant_model *model, double values[2]) {
  if (!model->gaussian || !model->gaussian->two_valued) return 0;
  for (int i = 0; i < 2; i++) values[i] = of_target(model, model->gaussian->values[i]);
  return 1;
}

/* What the rows of one call share. */
typedef struct {
  const scant_model *model;
  scant_source *source;
  int by_gaussian; /* predictions have a variance, and an interval of this level */
  double level;
  scant_known *known; /* NULL: the model is no Gaussian */
  double *x;
} reader;

static scant_status reader_open(reader *r, scant_error *error) {
  const scant_model *model = r->model;
  r->x = scant_array(model->dimension, sizeof *r->x);
  if (!r->x) return scant_fail_memory(error);
  return model->gaussian ? scant_known_new(&r->known, model->gaussian, error) : SCANT_OK;
}

static void reader_close(reader *r) {
  scant_known_free(r->known);
  free(r->x);
}

/* The prediction as it was learned.  Where values are missing a Gaussian has better weights for the others. */
static scant_status predict_row(reader *r, size_t row, scant_prediction *prediction, scant_error *error) {
  const scant_model *model = r->model;
  double mean, variance = NAN;
  SCANT_TRY(scant_source_row(r->source, row, r->x, error));
  for (size_t i = 0; model->low && i < model->dimension; i++) r->x[i] = scant_model_clip(model, i, r->x[i]);
  if (r->by_gaussian || (r->known && scant_known_has_holes(r->known, r->x))) {
    SCANT_TRY(scant_known_expect(r->known, r->x, &mean, &variance, error));
  } else {
    mean = linear(model, r->x);
  }
  if (!isfinite(mean)) return scant_score_overflow(r->source, row, error);
  *prediction = (scant_prediction){mean, NAN, NAN, NAN};
  if (r->by_gaussian) scant_gaussian_predict(model->gaussian, mean, variance, r->level, prediction);
  return SCANT_OK;
}

/* Of every row, into `predictions` or their means alone into `means`; the other is NULL. */
static scant_status predict_rows(reader r, scant_prediction *predictions, double *means, scant_error *error) {
  SCANT_TRY(scant_score_check_dimension(r.model, r.source, error));
  scant_status status = reader_open(&r, error);
  for (size_t i = 0; status == SCANT_OK && i < scant_source_rows(r.source); i++) {
    scant_prediction p;
    status = predict_row(&r, i, &p, error);
    if (status == SCANT_OK) status = scant_prediction_finish(r.model, r.source, i, &p, error);
    if (status != SCANT_OK) break;
    if (means)
      means[i] = p.mean;
    else
      predictions[i] = p;
  }
  reader_close(&r);
  return status;
}

scant_status scant_model_predict_rows(const scant_model *model, scant_source *source, double *predictions,
                                      scant_error *error) {
  return predict_rows((reader){.model = model, .source = source}, NULL, predictions, error);
}

scant_status scant_model_predict_known(const scant_model *model, scant_source *source, double level,
                                       scant_prediction *predictions, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  return predict_rows((reader){.model = model, .source = source, .by_gaussian = 1, .level = level}, predictions, NULL,
                      error);
}

/* `rows`: NULL is all of them. */
static scant_status score_rows(reader r, const uint64_t *rows, size_t count, scant_known_scores *scores,
                               scant_error *error) {
  SCANT_TRY(scant_score_check(r.model, r.source, error));
  if (!rows) count = scant_source_rows(r.source);
  if (!count) return scant_fail(error, SCANT_DATA, "there are no examples to test on");
  scant_tally tally = {0};
  scant_status status = reader_open(&r, error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) {
    size_t row = rows ? (size_t)rows[i] : i;
    scant_prediction prediction;
    status = predict_row(&r, row, &prediction, error);
    if (status == SCANT_OK) scant_tally_add(&tally, &prediction, scant_source_target(r.source, row));
  }
  reader_close(&r);
  if (status == SCANT_OK) status = scant_tally_check(&tally, error);
  if (status == SCANT_OK) *scores = scant_tally_scores(&tally);
  return status;
}

scant_status scant_model_evaluate(const scant_model *model, scant_source *source, const uint64_t *rows, size_t count,
                                  scant_scores *scores, scant_error *error) {
  scant_known_scores all;
  SCANT_TRY(score_rows((reader){.model = model, .source = source}, rows, count, &all, error));
  *scores = all.scores;
  return SCANT_OK;
}

scant_status scant_model_evaluate_known(const scant_model *model, scant_source *source, double level,
                                        scant_known_scores *scores, scant_error *error) {
  SCANT_TRY(scant_model_need_gaussian(model, error));
  return score_rows((reader){.model = model, .source = source, .by_gaussian = 1, .level = level}, NULL, 0, scores,
                    error);
}
