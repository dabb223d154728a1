/* How well targets are predicted from the known values of their examples, about K each.  Under a distribution that was
 * not learned from these examples this is an honest error. */
#ifndef SCANT_DENSE_GAUSSIAN_OWN_H
#define SCANT_DENSE_GAUSSIAN_OWN_H

#include "gaussian/normal.h"
#include "gaussian/seen.h"
#include "scant.h"

typedef struct scant_own {
  double error;    /* mean squared deviation of the targets from their means given what was bought */
  double variance; /* what the distribution says this is, on average, with its variances raised by factor and penalty */
  double expected; /* and without: what it is if the distribution is right */
  double spread;   /* mean fourth power of the deviations */
  /* Where examples are of blocks, which are the units of chance: with n_b examples in block b and e_b the mean of their
   * squared deviations, how many there are, and the sums of n_b, n_b^2, n_b^2 e_b and n_b^2 e_b^2.  Else 0. */
  double blocks, examples, squares, weighted, weighted_squares;
} scant_own;

/* With a penalty, relative to the variances; factor as in normal.h.  SCANT_DATA: a covariance is not positive
 * definite.  O(sum |o|^3). */
scant_status scant_own_measure(const scant_seen *seen, const scant_normal *at, const double *factor, double penalty,
                               scant_own *own, scant_error *error);

/* The variance of the mean of `error` over the examples of several, with blocks:
 *
 *   B/(B - 1) sum of n_b^2 (e_b - mean)^2 / N^2
 *
 * INFINITY if there is one block alone. */
double scant_own_variance_of_mean(const scant_own *own, size_t count);

#endif
