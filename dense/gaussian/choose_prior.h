/* How much to believe the looks: the weight of the prior, and the penalty of the regressor.
 *
 * Each half of the examples gets an EM of its own with each weight, from heavy to light, each started where the one
 * before ended.  A weight is scored by `own`: the squared error of the targets of one half, predicted from these
 * examples' own looks by the other half's distribution (own_error.h).  It uses known values alone.
 * (The other half's covariance would not be an honest judge where pairs were rarely seen: both halves share the prior.)
 *
 * The score is about the K attributes of an example, the regressor about all of them.  So the regressor has a penalty
 * of its own, scored by the risk of each half's regressor under the other half's covariance, plus half of
 *
 *   disagreement = (w_A - w_B)' S_xx (w_A - w_B),    S the mean of the halves' covariances:
 *
 * an error that the halves share is not in the first, and shows as variance. */
#ifndef SCANT_DENSE_GAUSSIAN_CHOOSE_PRIOR_H
#define SCANT_DENSE_GAUSSIAN_CHOOSE_PRIOR_H

#include "gaussian/em.h"
#include "gaussian/own_error.h"
#include "gaussian/seen.h"

/* What was measured of one weight.  Errors are relative to the target's variance. */
typedef struct scant_trial {
  double noise;
  double own, own_error;             /* by the examples' own looks; its standard error */
  double own_variance, own_expected; /* what the halves say it is, see own_error.h */
  double penalty;                    /* the best one of the regressors, and with it */
  double disagreement;
  double product, square; /* of each half's regressor by the other half's covariance, their mean: the covariance
                             with the target, and the variance */
} scant_trial;

enum { SCANT_TRIALS_MOST = 7 };

typedef struct scant_choice {
  double noise;            /* weight of the prior, in examples */
  double penalty;          /* of the regressor, relative to each variance */
  double scale;            /* the regressor is multiplied by it: below 1 where it is no better than the mean */
  double risk, risk_error; /* of the regressor of all examples, relative to the target's variance; NaN: not known */
  double few_excess;       /* how far predictions from a few attributes err beyond the model's own variance, per unit
                              of variance explained */
} scant_choice;

/* The risk of the regressor of all examples, by what its halves said (and the scale at which it is not above 1):
 *
 *   (1 - 2 product + square - disagreement/4) own/own_expected
 *
 * but no more than the halves show by themselves, the larger of their own error and their regressors' risk: where half
 * of the examples are hardly more than the attributes, the ratio is theirs alone.  The halves' regressors vary by
 * disagreement/2 around what they estimate, that of all examples by half as much. Where targets are predicted worse (or
 * better) from what was seen than the halves' distributions say, so is the target from all attributes.  The error holds
 * the chance in `own`, the disagreement that was taken off, and what no purchase can tell: how the distributions extend
 * what they know of pairs to all attributes at once. */
void scant_choice_judge(const scant_trial *trial, scant_choice *choice);

/* The weight of the prior where variables are plain: the least with which errors can be trusted.  With a tenth of it
 * the regressor of a few hundred examples is so far from linear in them that errors come out half as large again; with
 * four times it weights are biased by half of their errors (lab/bench/errors). */
#define SCANT_PLAIN_NOISE 0.5

/* Of predictions from a few attributes; relative to each variance, as all penalties. */
#define SCANT_PENALTY_OF_FEW 0.001

/* The expecters of the halves, and the weights to try. */
typedef struct scant_choosing {
  const scant_expecter *half; /* of the examples, two */
  int at_once;                /* may both be asked at once, from threads of their own? */
  const scant_frame *frame;
  const double *weights; /* of the prior, from heavy to light; */
  size_t count;
  size_t patience; /* weights in a row that are no better, before the search for a lighter one ends */
} scant_choosing;

/* Tries weights and takes the best; where variables are plain (frame.h), SCANT_PLAIN_NOISE, and the regressor keeps its
 * size.  *start gets the mean of the halves' distributions, from which an EM on all examples may start.  trials, if not
 * NULL, gets *tried of them.  Told to stop (options->thinking), it takes the best of those that were measured; if
 * *tried is 0, choice and start stay as they were. */
scant_status scant_choose(const scant_answers *looks, const scant_frame *frame, const scant_em_options *options,
                          scant_choice *choice, scant_normal *start, scant_trial *trials, size_t *tried,
                          scant_error *error);

/* scant_choose by any expecters.  trials: room for as many as there are weights. */
scant_status scant_choose_by(const scant_choosing *choosing, const scant_em_options *options, scant_choice *choice,
                             scant_normal *start, scant_trial *trials, size_t *tried, scant_error *error);

#endif
