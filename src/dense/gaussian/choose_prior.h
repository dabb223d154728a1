/* How much to believe the looks: the prior's weight and the regressor's penalty,
 * chosen by cross-fit.
 *
 * Each half of the examples gets an EM of its own; the regressor of one half is
 * scored by the covariance of the other, and the other way round.  (Held-out
 * likelihood would choose too little shrinkage: it is about all variables, and
 * one of them matters.)
 */
#ifndef SCANT_DENSE_GAUSSIAN_CHOOSE_PRIOR_H
#define SCANT_DENSE_GAUSSIAN_CHOOSE_PRIOR_H

#include "dense/gaussian/em.h"
#include "dense/gaussian/seen.h"

typedef struct scant_choice {
  double factors; /* weight of the common factors, in examples */
  double penalty; /* of the regressor, relative to each variance */
  double risk;    /* of the cross-fit, relative to the target's variance; NaN: not known */
  /* For predictions from a few attributes, where a heavy penalty would halve what one
   * attribute says: a penalty that is never heavy, and its risk with all of them. */
  double few_penalty, few_risk;
} scant_choice;

/* Tries a few weights of the factors, each with a few penalties, and takes the
 * best.  O(6 EM), each on half of the examples. */
scant_status scant_choose(const scant_answers *looks, const scant_frame *frame, const double *factor,
                          const scant_em_options *options, scant_choice *choice, scant_error *error);

#endif
