/* The inner loop of EM: the terms of the seen part of an example, for eight examples at once.
 *
 * For an example with seen variables o and deviations r from the mean:
 *
 *   A = S_oo^-1,  a = A r,  log-likelihood = -1/2 (log det S_oo + r'a + |o| log 2 pi)
 *
 * Small matrices are slow one at a time.  Eight of one size side by side, one in each lane of a vector, are fast.  O(8
 * |o|^3). */
#ifndef SCANT_DENSE_GAUSSIAN_BLOCK_H
#define SCANT_DENSE_GAUSSIAN_BLOCK_H

#include "scant_engine.h"
#include "gaussian/normal.h"
#include "gaussian/seen.h"

/* Room for so many vectors, on their boundaries; NULL: out of memory. */
void *scant_block_room(size_t count);

/* matrix: the lower triangle of S_oo by rows, n (n + 1)/2 places; becomes that of A.  r[n]: becomes a.  row[n]:
 * scratch.  likelihood: without the log 2 pi; NaN in a lane whose S_oo is not positive definite.  Rows of a lane that
 * has fewer than n variables are to be those of the identity, and r 0. */
void scant_block_solve(size_t n, scant_lanes *matrix, scant_lanes *r, scant_lanes *row, scant_lanes *likelihood);

/* Puts S_oo of an example, the lower triangle by rows, and its deviations into a lane of a block of n variables.
 * factor, if not NULL: what the variances are multiplied by, of all variables; raised[n] then gets what that adds. */
void scant_block_gather(const scant_seen *seen, size_t example, const scant_normal *at, const double *factor, size_t n,
                        int lane, scant_lanes *matrix, scant_lanes *r, scant_lanes *raised);

/* The last variable of a lane predicted from those before it. */
typedef struct scant_conditioned {
  double error[SCANT_LANES];    /* the deviation of its value from its mean given them; NaN: not positive definite */
  double variance[SCANT_LANES]; /* what they leave of it by the matrix */
  double expected[SCANT_LANES]; /* and the square that is expected of the error if variances are without `raised` */
} scant_conditioned;

/* sizes: of each lane.  With weights a: expected = variance - sum of a_j^2 raised_j.  Uses the matrix and r up;
 * row[n]: scratch. */
void scant_block_condition(size_t n, const size_t *sizes, scant_lanes *matrix, scant_lanes *r,
                           const scant_lanes *raised, scant_lanes *row, scant_conditioned *conditioned);

#endif
