/* The inner loop of EM: the terms of the seen part of an example, for eight examples at once.
 *
 * For an example with seen variables o and deviations r from the mean:
 *
 *   A = S_oo^-1,  a = A r,  log-likelihood = -1/2 (log det S_oo + r'a + |o| log 2 pi)
 *
 * Small matrices are slow one at a time.  Eight of one size side by side, one in each lane of a vector, are
 * fast.  O(8 |o|^3).
 */
#ifndef SCANT_DENSE_GAUSSIAN_BLOCK_H
#define SCANT_DENSE_GAUSSIAN_BLOCK_H

#include "core/lanes.h"

/* matrix: the lower triangle of S_oo by rows, n (n + 1)/2 places; becomes that
 * of A.  r[n]: becomes a.  row[n]: scratch.  likelihood: without the log 2 pi;
 * NaN in a lane whose S_oo is not positive definite.  Rows of a lane that has
 * fewer than n variables are to be those of the identity, and r 0. */
void scant_block_solve(size_t n, scant_lanes *matrix, scant_lanes *r, scant_lanes *row, scant_lanes *likelihood);

#endif
