/* The expectation step: sums over all examples at a guess of the distribution.
 *
 * For seen variables o of an example: A = S_oo^-1, a = A (z_o - mu_o).  The room collects M = sum of A - a a' (lower
 * triangle, by rows) and g = sum of a, each added in the places o.  O(sum |o|^3); examples of which the same was seen
 * share their A. */
#ifndef SCANT_DENSE_GAUSSIAN_EXPECT_H
#define SCANT_DENSE_GAUSSIAN_EXPECT_H

#include "gaussian/normal.h"
#include "gaussian/seen.h"

typedef struct scant_expectation scant_expectation;

/* Room for expectations over `seen`; `threads` do not change the results. 0: out of memory. */
int scant_expectation_new(scant_expectation **expectation, const scant_seen *seen, unsigned threads);
void scant_expectation_free(scant_expectation *expectation);

/* The bytes it takes with n variables of which at most `most` are seen at once. */
double scant_expectation_bytes(double n, double most);

/* The sums.  They last until the next step. */
typedef struct scant_em_sums {
  const double *m; /* n x n, the lower triangle by rows */
  const double *g;
  double likelihood; /* the mean of an example; NaN: a covariance is not positive definite */
} scant_em_sums;

void scant_expect(scant_expectation *expectation, const scant_seen *seen, const scant_normal *at, scant_em_sums *sums);

#endif
