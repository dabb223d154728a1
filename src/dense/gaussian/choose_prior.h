/* How much to believe the looks: the weight of the prior and the regressor's penalty.
 *
 * Each half of the examples gets an EM of its own with each weight, from heavy to light, each started where
 * the one before ended.  A choice is scored by
 *
 *   own + D/2,    D = (w_A - w_B)' S_xx (w_A - w_B) / S_yy,
 *
 * own: the squared error of the targets of one half predicted from these examples' own looks by the other
 * half's distribution (own.h), relative to the target's variance; D: how far the halves' regressors on all
 * attributes disagree, S the mean of their covariances.  The first is honest but is about K attributes; the
 * second is the variance that the first can't see.  (To score the regressor of one half by the covariance of
 * the other is not honest where pairs were rarely seen: both halves share the prior.)
 */
#ifndef SCANT_DENSE_GAUSSIAN_CHOOSE_PRIOR_H
#define SCANT_DENSE_GAUSSIAN_CHOOSE_PRIOR_H

#include "dense/gaussian/em.h"
#include "dense/gaussian/own.h"
#include "dense/gaussian/seen.h"

/* What was measured of one weight and one penalty.  Errors are relative to the target's variance. */
typedef struct scant_trial {
  double noise, penalty;
  double own, own_variance, own_error; /* by the examples' own looks; what the model says; standard error */
  double disagreement;
  double cross; /* each half's regressor by the other half's covariance */
} scant_trial;

enum { SCANT_TRIALS_MOST = 28 };

typedef struct scant_choice {
  double noise;   /* weight of the prior, in examples */
  double penalty; /* of the regressor, relative to each variance */
  double risk;    /* relative to the target's variance; NaN: not known */
  double risk_error;
  /* For predictions from a few attributes: the penalty with the lowest own error, and how far these err beyond
   * the model's own variance, per unit of variance explained. */
  double few_penalty, few_excess;
} scant_choice;

/* Tries weights and penalties and takes the best.  *start gets the mean of the halves' distributions: where
 * an EM on all examples may start from.  trials, if not NULL, gets *tried of them. */
scant_status scant_choose(const scant_answers *looks, const scant_frame *frame, const scant_em_options *options, scant_choice *choice, scant_normal *start,
                          scant_trial *trials, size_t *tried, scant_error *error);

#endif
