/* A distribution of several variables, and the regressor of the last of them on the others. */
#ifndef SCANT_DENSE_GAUSSIAN_NORMAL_H
#define SCANT_DENSE_GAUSSIAN_NORMAL_H

#include "arrays.h"

/* log(2 pi) */
#define SCANT_LOG_TWO_PI 1.8378770664093454836

/* mean[n] and covariance, n x n, symmetric, both triangles. */
typedef struct scant_normal {
  size_t n;
  double *mean, *covariance;
} scant_normal;

int scant_normal_new(scant_normal *normal, size_t n); /* 0: out of memory */
/* One that ends with these arrays; they have failed if it is out of memory. */
void scant_normal_add(scant_normal *normal, size_t n, scant_arrays *arrays);
void scant_normal_free(scant_normal *normal);
void scant_normal_copy(scant_normal *to, const scant_normal *from); /* of the same size */
void scant_normal_reset(scant_normal *normal);                      /* mean 0, the unit matrix */

/* w[n - 1] = (S_xx + diag((factor_j - 1 + penalty) S_jj))^-1 S_xy; 0 where the factor is infinite.  factor: NULL if all
 * are 1.  plain: variables without the penalty; NULL: none.  scratch: n x n.  0: LAPACK failed.  O(n^3). */
int scant_regress(const scant_normal *normal, const double *factor, const unsigned char *plain, double penalty,
                  double *w, double *scratch);

/* E y (w.x) and E (w.x)^2 under the distribution, of centered variables.  O(n^2). */
void scant_regress_terms(const scant_normal *normal, const double *w, double *product, double *square);

#endif
