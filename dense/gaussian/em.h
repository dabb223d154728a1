/* EM for one Gaussian of many variables, where each example shows a few of them.
 *
 * With M and g of the expectation step, the expected moments of m examples are
 *
 *   delta = S g / m,    mu <- mu + delta,    S^ = S - S (M/m) S - delta delta'
 *
 * (the sum of the conditional covariances and squared conditional means collapses to this).  The prior is the unit
 * matrix, which weighs as much as `noise` examples: the next S is (m S^ + noise I)/(m + noise).  Each step raises
 *
 *   log-likelihood - noise/2 (log det S + tr S^-1)
 *
 * Plain steps leave relations that are nearly exact unlearned for hundreds of steps.  So they are taken in rounds of
 * three: two of them, S1 and S2, show where they are heading, and the third starts from
 *
 *   S - 2 a r + a^2 v,    r = S1 - S,  v = S2 - S1 - r,  a = -|r|/|v|
 *
 * (SQUAREM: Varadhan and Roland, Scandinavian Journal of Statistics 35, 2008), with a pulled towards -1, where that is
 * S2, until it is positive definite.  If it has a lower objective than S1 the round ends with S2.  A step costs O(sum
 * |o|^3 + n^3). */
#ifndef SCANT_DENSE_GAUSSIAN_EM_H
#define SCANT_DENSE_GAUSSIAN_EM_H

#include "gaussian/expect.h"
#include "gaussian/own_error.h"
#include "scant_engine.h"
#include "scant.h"

/* What answers an expectation step: examples in memory, or an asker of sums (dense/sums).  EM and the choice of its
 * prior know no more of the examples than this. */
typedef struct scant_expecter {
  size_t variables; /* the target is the last */
  double examples;
  void *user;
  scant_status (*expect)(void *user, const scant_normal *at, scant_em_sums *expected, scant_error *error);
  /* As scant_own_measure. */
  scant_status (*own)(void *user, const scant_normal *at, const double *factor, double penalty, scant_own *own,
                      scant_error *error);
  /* Room for the steps of a run on `threads`, which do not change the results; NULL: it needs none.  0: out of
   * memory. */
  int (*begin)(void *user, unsigned threads);
  void (*end)(void *user);
} scant_expecter;

/* Examples in memory. */
typedef struct scant_rows {
  const scant_seen *seen;
  scant_expectation *expectation; /* while a run lasts */
} scant_rows;

/* The rows must outlive it.  Several may run at once. */
scant_expecter scant_rows_expecter(scant_rows *rows);

typedef struct scant_em_options {
  unsigned steps; /* expectation steps at most; what is left of whole rounds are plain steps */
  double settled; /* ends when the share of the target's variance that is explained moves less than this over
                     two rounds; 0: never */
  unsigned threads;
  double noise;             /* weight of the unit matrix, in examples: pairs that were hardly seen are unrelated */
  scant_thinking *thinking; /* may stop it after any round; or NULL */
} scant_em_options;

/* Takes the steps from where `normal` is.  *likelihood, if not NULL: the mean log-likelihood of an example before the
 * last step. trace, if not NULL, gets the objective per example before each round (or plain step), and *taken the
 * number of expectation steps.  Told to stop, it ends after its first round at the earliest.  SCANT_DATA if the
 * covariance stops being positive definite, which a weight of noise above 0 prevents. */
scant_status scant_em_run(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                          double *likelihood, double *trace, unsigned *taken, scant_error *error);

/* From nothing to where a run can start: a few steps with each of ever lighter priors.  Where the prior is light,
 * a run that starts from the unit matrix crawls, and looks settled while it does. */
scant_status scant_em_approach(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                               scant_error *error);

/* The same by any expecter; it may fail with an error of its own.  `threads` of the options are
 * for what it begins with and for the products of a step. */
scant_status scant_em_run_by(const scant_expecter *expecter, const scant_em_options *options, scant_normal *normal,
                             double *likelihood, double *trace, unsigned *taken, scant_error *error);
scant_status scant_em_approach_by(const scant_expecter *expecter, const scant_em_options *options, scant_normal *normal,
                                  scant_error *error);

/* The bytes that a run on n variables takes, of which at most `most` are seen at
 * once; and those of them that are not of the expectation. */
double scant_em_bytes(double n, double most);
double scant_em_own_bytes(double n);

#endif
