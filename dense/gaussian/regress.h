/* From a joint distribution to a regressor of its last variable on the others. */
#ifndef SCANT_DENSE_GAUSSIAN_REGRESS_H
#define SCANT_DENSE_GAUSSIAN_REGRESS_H

#include "gaussian/expect.h"

/* w[n - 1] = (S_xx + diag((factor_j - 1 + penalty) S_jj))^-1 S_xy; 0 where the factor
 * is infinite.  factor: NULL if all are 1.  scratch: n x n.  0: LAPACK failed.  O(n^3). */
int scant_regress(const scant_normal *normal, const double *factor, double penalty, double *w, double *scratch);

/* The same without the penalty where `plain` says so; NULL: nowhere. */
int scant_regress_plain(const scant_normal *normal, const double *factor, const unsigned char *plain, double penalty,
                        double *w, double *scratch);

/* E y (w.x) and E (w.x)^2 under the distribution, of centered variables.  O(n^2). */
void scant_regress_terms(const scant_normal *normal, const double *w, double *product, double *square);

#endif
