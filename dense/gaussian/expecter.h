/* What answers an expectation step: examples at hand, or who keeps sums of them (dense/sums).
 *
 * EM and the choice of its prior know no more of the examples than this.
 */
#ifndef SCANT_DENSE_GAUSSIAN_EXPECTER_H
#define SCANT_DENSE_GAUSSIAN_EXPECTER_H

#include "gaussian/expect.h"
#include "gaussian/own.h"
#include "scant.h"

/* The sums of expect.h.  They last until the next step. */
typedef struct scant_em_sums {
  const double *m; /* n x n, the lower triangle by rows */
  const double *g;
  double likelihood; /* the mean of an example; NaN: a covariance is not positive definite */
} scant_em_sums;

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

/* Examples at hand. */
typedef struct scant_rows {
  const scant_seen *seen;
  scant_expectation *expectation; /* while a run lasts */
} scant_rows;

/* The rows must outlive it.  Several may run at once. */
scant_expecter scant_rows_expecter(scant_rows *rows);

#endif
