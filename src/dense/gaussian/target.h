/* The prior's target for a covariance: a few common factors (principal components of the correlations), and
 * noise of its own for each variable.  It helps where factors are strong. Where variables are unrelated the
 * components are noise, and the target repeats that noise. */
#ifndef SCANT_DENSE_GAUSSIAN_TARGET_H
#define SCANT_DENSE_GAUSSIAN_TARGET_H

#include <stddef.h>

#include "scant.h"

/* Fills target, n x n, with the low-rank-plus-diagonal neighbour of a covariance:
 * of its correlations the `rank` largest eigenpairs off the diagonal, and its own
 * variances on it.  scratch: 2 n x n + n.  O(n^3).  SCANT_DATA: LAPACK failed. */
scant_status scant_target_fill(size_t n, const double *covariance, unsigned rank, double *target, double *scratch,
                               scant_error *error);

/* Makes a matrix of which the lower triangle is filled, by rows, symmetric. */
static inline void scant_mirror(size_t n, double *lower) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) lower[j * n + i] = lower[i * n + j];
}

#endif
