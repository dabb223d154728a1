/* EM for one Gaussian of many variables, where each example shows a few of them.
 *
 * With M and g of the expectation step, the expected moments of m examples are
 *
 *   delta = S g / m,    mu <- mu + delta,    S^ = S - S (M/m) S - delta delta'
 *
 * (the sum of the conditional covariances and squared conditional means collapses to this).  With a prior
 * target T that weighs as much as nu examples, the next S is (m S^ + nu T)/(m + nu).  Each step raises
 *
 *   log-likelihood - nu/2 (log det S + tr S^-1 T)
 *
 * while T is held.  Here T follows S^: a few common factors plus noise (target.h),
 * and the unit matrix.  A step costs O(sum |o|^3 + n^3).
 */
#ifndef SCANT_DENSE_GAUSSIAN_EM_H
#define SCANT_DENSE_GAUSSIAN_EM_H

#include "dense/gaussian/expect.h"
#include "scant.h"

typedef struct scant_em_options {
  unsigned steps;   /* at most */
  double tolerance; /* ends when the likelihood gains less than this for each value seen; 0: never */
  unsigned threads;
  unsigned rank;      /* common factors in the target */
  double factors;     /* weight of the factors, in examples */
  double noise;       /* weight of the unit matrix, in examples: pairs that were hardly seen are unrelated */
  int accelerated;    /* steps are extrapolated; the objective may fall now and then */
  const double *held; /* a target in place of one that follows S, n x n; NULL: none */
} scant_em_options;

/* A first guess from pairs of looks, shrunk: what the steps start from. */
scant_status scant_em_start(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                            scant_error *error);

/* Takes the steps.  *likelihood: the mean log-likelihood of an example before the
 * last step.  trace, if not NULL, gets the objective before each step (of a held
 * target; else the likelihood), per example.  SCANT_DATA if the covariance stops
 * being positive definite, which a weight of noise above 0 prevents. */
scant_status scant_em_run(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                          double *likelihood, double *trace, scant_error *error);

/* The bytes that a run on n variables takes, of which at most `most` are seen at
 * once. */
double scant_em_bytes(double n, double most);

#endif
