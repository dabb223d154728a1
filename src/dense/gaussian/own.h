/* How well the targets of examples are predicted from what was bought of these examples.
 *
 * Under a distribution that was not learned from them this is an honest error: nothing in it stands in for
 * values that nobody saw.  It is the error of predictions from about K attributes.
 */
#ifndef SCANT_DENSE_GAUSSIAN_OWN_H
#define SCANT_DENSE_GAUSSIAN_OWN_H

#include "dense/gaussian/normal.h"
#include "dense/gaussian/seen.h"
#include "scant.h"

typedef struct scant_own {
  double error;    /* mean squared deviation of the targets from their means given what was bought */
  double variance; /* what the distribution says this is, on average, with its variances raised by factor and penalty */
  double expected; /* and without: what it is if the distribution is right */
  double spread;   /* mean fourth power of the deviations, where each example has a look of its own */
  /* Where blocks of examples share a look they are the units: with n_b of all N examples in block b, and e_b their mean
   * squared deviation, the sums of (n_b/N)^2, of that times e_b, and times e_b^2. */
  double blocks; /* 0: each example has a look of its own */
  double rows2, error2, square2;
} scant_own;

/* With a penalty, relative to the variances; factor as in regress.h.  SCANT_DATA: a covariance is not positive
 * definite.  O(sum |o|^3). */
scant_status scant_own_measure(const scant_seen *seen, const scant_normal *at, const double *factor, double penalty,
                               scant_own *own, scant_error *error);

#endif
