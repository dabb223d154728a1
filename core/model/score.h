/* Predictions of rows: what they share, and their scores. */
#ifndef SCANT_MODEL_SCORE_H
#define SCANT_MODEL_SCORE_H

#include "scant_engine.h"

/* Sums over the rows scored so far; {0} is none. */
typedef struct scant_tally {
  uint64_t examples, correct, covered;
  uint64_t unsigned_targets; /* y that are neither -1 nor +1 */
  scant_sum squared, absolute, y, y_squared, variance, width;
  double largest;       /* largest distance of a prediction from its target, divided as the sums are */
  double first;         /* y is shifted by the first one, so that its variance does not cancel */
  double bought, money; /* sums of whole numbers, which the caller adds up */
} scant_tally;

void scant_tally_add(scant_tally *tally, const scant_prediction *prediction, double y);
/* Of one row or more. */
scant_known_scores scant_tally_scores(const scant_tally *tally);
/* SCANT_DATA naming the score that is too large for a number. */
scant_status scant_tally_check(const scant_tally *tally, scant_error *error);

/* Can a model be scored on this source?  SCANT_DATA or SCANT_USAGE with a sentence if not. Targets are those
 * that were learned. */
scant_status scant_score_check(const scant_model *model, const scant_source *source, scant_error *error);
/* Does the source have as many attributes as the model? */
scant_status scant_score_check_dimension(const scant_model *model, const scant_source *source, scant_error *error);
/* SCANT_DATA if k is more than the attributes of the model. */
scant_status scant_score_check_k(const scant_model *model, uint64_t k, scant_error *error);
/* SCANT_USAGE naming its algorithm if the model is no Gaussian. */
scant_status scant_model_need_gaussian(const scant_model *model, scant_error *error);
/* Makes what was learned a prediction of y; SCANT_DATA naming the row if it is not finite. */
scant_status scant_prediction_finish(const scant_model *model, const scant_source *source, size_t row,
                                     scant_prediction *prediction, scant_error *error);
/* Writes the sentence for a prediction that is not finite. */
scant_status scant_score_overflow(const scant_source *source, size_t row, scant_error *error);

#endif
