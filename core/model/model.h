/* A model's insides, shared with the fit that makes one, and scores of its predictions. */
#ifndef SCANT_MODEL_MODEL_H
#define SCANT_MODEL_MODEL_H

#include "scant_base.h"
#include "estimate/running.h"
#include "joint/joint.h"
#include "model/errors.h"
#include "scant.h"
#include "scant_replay.h"

struct scant_model {
  size_t dimension;
  double *weights; /* in original units */
  double intercept;
  char **names; /* NULL: none */
  char *target_name;
  scant_settings settings; /* its texts are the two below */
  char *algorithm, *classes;
  scant_ledger ledger;
  int amended; /* the ledger may be of other prices, groups and K: those of a study that was amended */
  uint64_t *purchases;
  scant_prices *prices;       /* NULL: costs were not said */
  double *means;              /* of the attributes' known values */
  double *low, *high;         /* what each attribute is clipped to in predictions; NULL: none is */
  scant_gaussian *gaussian;   /* of the algorithm gaussian; else NULL */
  double eta, penalty;        /* as used; NaN where there is none */
  scant_errors *errors;       /* NULL: none */
  unsigned char *unpenalised; /* attributes whose weights are not penalised; NULL: none is left out */
  char *checkpoint;           /* state of the fit to resume, as JSON; NULL: finished */
};

/* An empty model with its arrays. */
scant_status scant_model_new(scant_model **model, size_t dimension, scant_error *error);

/* Makes room for limits, all 0, of a model without them. */
scant_status scant_model_new_limits(scant_model *model, scant_error *error);

/* x of an attribute as predictions take it; NaN stays. */
static inline double scant_model_clip(const scant_model *model, size_t attribute, double x) {
  return model->low ? scant_limits_clip(x, model->low[attribute], model->high[attribute]) : x;
}

/* The model of a learner, which is brought up to date first; without names. */
scant_status scant_model_of_learner(scant_model **model, scant_learner *learner, const scant_settings *settings,
                                    const scant_prices *prices, const scant_ledger *ledger, const uint64_t *purchases,
                                    scant_error *error);

/* Gives a model without names its names; NULL: none. */
scant_status scant_model_set_names(scant_model *model, const char *const *names, const char *target,
                                   scant_error *error);

/* Keeps copies of the settings' texts. */
scant_status scant_model_set_settings(scant_model *model, const scant_settings *settings, scant_error *error);

/* ---- predictions of rows, and their scores ---- */

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

/* Can a model be scored on this source?  SCANT_DATA or SCANT_USAGE with a sentence if not. Targets are those that were
 * learned. */
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
