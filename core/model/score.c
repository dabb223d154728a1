#include "model/score.h"

#include <math.h>
#include <string.h>

#include "scant_base.h"
#include "data/source.h"
#include "model/model.h"
#include "joint/predictive.h"

/* Terms are divided by a power of two, so that sums overflow only where the means do. That changes no bit of
 * other sums. */
#define SMALLER 0x1p-32
#define LARGER 0x1p+32

void scant_tally_add(scant_tally *t, double prediction, double y) {
  if (!t->examples++) t->first = y;
  double residual = SMALLER * prediction - SMALLER * y, shifted = SMALLER * y - SMALLER * t->first;
  t->largest = fmax(t->largest, fabs(residual));
  scant_sum_add(&t->squared, residual * residual);
  scant_sum_add(&t->absolute, fabs(residual));
  scant_sum_add(&t->y, shifted);
  scant_sum_add(&t->y_squared, shifted * shifted);
  t->unsigned_targets += fabs(y) != 1;
  t->correct += prediction * y > 0;
}

scant_scores scant_tally_scores(const scant_tally *t) {
  double n = (double)t->examples, mean = scant_sum_value(t->y) / n;
  double spread = scant_sum_value(t->y_squared) - n * mean * mean, squared = scant_sum_value(t->squared);
  return (scant_scores){
      .examples = t->examples,
      .squared_error = squared / n * LARGER * LARGER,
      .absolute_error = scant_sum_value(t->absolute) / n * LARGER,
      .r2 = spread > 0 ? 1 - squared / spread : NAN,
      .accuracy = t->unsigned_targets ? NAN : (double)t->correct / n,
  };
}

scant_status scant_tally_check(const scant_tally *t, scant_error *error) {
  scant_scores s = scant_tally_scores(t);
  const char *what = !isfinite(s.squared_error)    ? "squared error"
                     : !isfinite(s.absolute_error) ? "absolute error"
                     : isinf(s.r2)                 ? "R^2"
                                                   : NULL;
  if (!what) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the %s overflows: a prediction is %.3g away from its target", what,
                    t->largest * LARGER);
}

void scant_known_tally_add(scant_known_tally *t, const scant_prediction *prediction, double y) {
  const scant_prediction *p = prediction;
  scant_tally_add(&t->tally, p->mean, y);
  scant_sum_add(&t->variance, p->variance);
  scant_sum_add(&t->width, p->high - p->low);
  t->covered += p->low <= y && y <= p->high;
}

scant_known_scores scant_known_tally_scores(const scant_known_tally *t) {
  double n = (double)t->tally.examples, width = scant_sum_value(t->width) / n;
  return (scant_known_scores){
      .scores = scant_tally_scores(&t->tally),
      .variance = scant_sum_value(t->variance) / n,
      .coverage = isnan(width) ? NAN : (double)t->covered / n, /* without a level there are no ends */
      .width = width,
  };
}

scant_status scant_score_check_dimension(const scant_model *model, const scant_source *source, scant_error *error) {
  if (scant_source_dimension(source) == model->dimension) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "the data have %zu attributes and the model has %zu",
                    scant_source_dimension(source), model->dimension);
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

scant_status scant_prediction_finish(const scant_model *model, const scant_source *source, size_t row,
                                     scant_prediction *prediction, scant_error *error) {
  if (model->settings.reading.log_target) scant_prediction_unlog(prediction);
  return isinf(prediction->mean) || isinf(prediction->low) || isinf(prediction->high)
             ? scant_score_overflow(source, row, error)
             : SCANT_OK;
}

scant_status scant_score_overflow(const scant_source *source, size_t row, scant_error *error) {
  char where[SCANT_ERROR_LENGTH / 2];
  scant_source_where(source, row, SCANT_WHOLE_ROW, where, sizeof where);
  return scant_fail(error, SCANT_DATA, "%s: the prediction overflows", where);
}
