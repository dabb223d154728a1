/* Full-information references: the best linear model in a ball when every attribute of every example is known.
 *
 * A problem is n examples of d attributes, rows x_i and targets y_i:
 *
 *   ridge   minimise  1/(2n) sum_i (w.x_i - y_i)^2             s.t. ||w||_2 <= B
 *   lasso   minimise  1/(2n) sum_i (w.x_i - y_i)^2             s.t. ||w||_1 <= B
 *   svr     minimise  1/n sum_i max(0, |w.x_i - y_i| - tube)   s.t. ||w||_2 <= B
 *
 * Each solver also returns the multiplier lambda >= 0 of the constraint, so that w minimises the penalised form too:
 * loss + lambda/2 ||w||_2^2 (ridge, svr) or loss + lambda ||w||_1 (lasso).  There is no intercept: center the data or
 * add a column of ones.  Certificates are recomputed from x and y alone and hold whatever the solver did.
 *
 * The solvers call CBLAS and LAPACKE, so they are in libscant-dense.  Results are the same for the same library and
 * number of its threads; another BLAS may differ in the last bits. */
#ifndef SCANT_FULL_H
#define SCANT_FULL_H

#include <stddef.h>

#include "scant_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The data, borrowed: they must outlive what is made from them.  x is row-major, row i at x + i * d.  Solvers refuse
 * (SCANT_DATA) n = 0, d = 0, sizes beyond LAPACK's integers and numbers that are not finite, naming the place. */
typedef struct scant_dense {
  size_t n, d;
  const double *x;
  const double *y;
} scant_dense;

/* Subtracts the mean of every column of x and of y, in place, and returns the means. A constant column
 * becomes exactly 0. */
SCANT_API void scant_dense_center(size_t n, size_t d, double *x, double *y, double *x_mean, double *y_mean);

/* ---- Ridge -------------------------------------------------------------
 *
 *   minimise  1/(2n) ||Xw - y||^2   s.t.  ||w||_2 <= B
 *
 * With X'X/n = V S V' and c = V'X'y/n the solution is w = V (S + lambda)^-1 c, where lambda = 0 if the least-squares w
 * of smallest norm is in the ball, and else the root of the secular equation sum_k c_k^2/(s_k + lambda)^2 = B^2. */
typedef struct scant_ridge scant_ridge;

/* O(n d min(n, d) + min(n, d)^3) time, 2 min(n, d)^2 memory.  The object keeps
 * a pointer to x if n < d; free it with scant_ridge_free. */
SCANT_API scant_status scant_ridge_new(scant_ridge **ridge, const scant_dense *problem, scant_error *error);

/* Fills w[d] and *lambda for one radius > 0 (INFINITY: least squares of smallest norm).  O(d min(n, d)).  The object is
 * only read, so threads may share it. */
SCANT_API scant_status scant_ridge_solve(const scant_ridge *ridge, double radius, double *w, double *lambda,
                                         scant_error *error);

SCANT_API void scant_ridge_free(scant_ridge *ridge);

/* ---- Lasso -------------------------------------------------------------
 *
 *   minimise  1/(2n) ||Xw - y||^2   s.t.  ||w||_1 <= B
 *
 * The penalised problem is solved exactly for a given lambda by an active-set method (signs fixed, one attribute in or
 * out at a time, Cholesky factor updated); ||w(lambda)||_1 is piecewise linear and falling in lambda, so a safeguarded
 * Newton search meets B exactly in finitely many steps. */
typedef struct scant_lasso scant_lasso;

/* O(n d^2) time, d^2 memory; keeps no pointer to the data. */
SCANT_API scant_status scant_lasso_new(scant_lasso **lasso, const scant_dense *problem, scant_error *error);

/* Fills w[d] and *lambda for one radius > 0 (INFINITY: a least-squares w of smallest 1-norm).  About O(a (a^2 + a d))
 * for a nonzero weights.  The object is only read, so threads may share it. */
SCANT_API scant_status scant_lasso_solve(const scant_lasso *lasso, double radius, double *w, double *lambda,
                                         scant_error *error);

/* The same for `count` increasing radii, each solution starting from the one
 * before: w holds count rows of d weights, lambda count numbers. */
SCANT_API scant_status scant_lasso_path(const scant_lasso *lasso, size_t count, const double *radius, double *w,
                                        double *lambda, scant_error *error);

SCANT_API void scant_lasso_free(scant_lasso *lasso);

/* ---- Support vector regression ------------------------------------------
 *
 *   minimise  1/n sum_i max(0, |w.x_i - y_i| - tube)   s.t.  ||w||_2 <= B
 *   maximise  -1/n [ sum_i beta_i y_i + tube |beta_i| ] - B/n ||X'beta||_2   s.t. |beta_i| <= 1
 *
 * tube >= 0 (0 is the absolute loss), B finite.  A primal-dual interior-point method, the ball being one of its
 * constraints: 15 to 40 steps of O(n r^2 + r^3) with r = min(n, d), 2 n r memory while it runs.  Fills w[d], beta[n]
 * (for the certificate; may be NULL) and *lambda.  Fails with SCANT_DATA if it can't bring the relative gap (see the
 * certificate) below 1e-6; it aims at 1e-9. */
SCANT_API scant_status scant_svr_solve(const scant_dense *problem, double tube, double radius, double *w, double *beta,
                                       double *lambda, scant_error *error);

/* ---- Certificates --------------------------------------------------------
 *
 * Recomputed from x, y and what is to be certified, with compensated sums;
 * O(nd).  For ridge and lasso `kkt` is the largest of
 *   ridge   |g_j + lambda w_j|;  lambda (B - ||w||_2)
 *   lasso   |g_j + lambda sign w_j| where w_j != 0, |g_j| - lambda elsewhere;  lambda (1 - ||w||_1/B)
 * (g the gradient), divided by max_j |X'y|_j/n; lambda < 0 counts too. */
typedef struct scant_kkt {
  double kkt;        /* largest violation of the optimality conditions, relative */
  double constraint; /* max(0, ||w||/B - 1) */
  double value;      /* the objective at w */
} scant_kkt;

SCANT_API scant_status scant_ridge_certificate(const scant_dense *problem, double radius, const double *w,
                                               double lambda, scant_kkt *kkt, scant_error *error);
SCANT_API scant_status scant_lasso_certificate(const scant_dense *problem, double radius, const double *w,
                                               double lambda, scant_kkt *kkt, scant_error *error);

/* Weak duality: whatever beta is, clipped to [-1, 1] its dual value bounds the best objective from below.  gap =
 * (primal - dual) / max(primal, P0/1000) with P0 the objective of w = 0, so that data which fit the tube (optimum 0)
 * have a gap as well. */
typedef struct scant_gap {
  double primal, dual;
  double gap;
  double constraint; /* max(0, ||w||/B - 1) */
} scant_gap;

SCANT_API scant_status scant_svr_certificate(const scant_dense *problem, double tube, double radius, const double *w,
                                             const double *beta, scant_gap *gap, scant_error *error);

/* ---- Threads -------------------------------------------------------------- */

/* As scant_jobs_run, with one thread of BLAS for each job: for jobs that call solvers, or BLAS itself.  The order of
 * additions, and so the last bits, do not depend on how many jobs run at once. */
SCANT_API scant_status scant_blas_jobs(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

#ifdef __cplusplus
}
#endif

#endif
