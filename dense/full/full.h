/* full-ridge, full-lasso and full-svr: engines that keep every example and solve the constrained problem when the
 * regressor is read; and what their files share. */
#ifndef SCANT_DENSE_FULL_FULL_H
#define SCANT_DENSE_FULL_FULL_H

#include "scant_engine.h"
#include "scant_full.h"

extern const scant_engine scant_full_ridge_engine;
extern const scant_engine scant_full_lasso_engine;
extern const scant_engine scant_full_svr_engine;

/* certificate.c: refuses n = 0, d = 0, sizes beyond LAPACK's integers and numbers that are not finite, naming the
 * place. O(nd). */
scant_status scant_dense_check(const scant_dense *problem, scant_error *error);

/* ---- choose_radius.c: one way to solve each reference, and the radius by cross-validation ---- */

typedef enum scant_reference { SCANT_FULL_RIDGE, SCANT_FULL_LASSO, SCANT_FULL_SVR } scant_reference;

/* Fills w[d] and *lambda; beta[n] is filled for SVR alone. */
scant_status scant_reference_solve(const scant_dense *problem, scant_reference kind, double tube, double radius,
                                   double *w, double *beta, double *lambda, scant_error *error);

/* A radius is chosen from so many examples on. */
enum { SCANT_RADIUS_FEWEST = 4 };

/* The radius with the smallest error on held-out fifths of the examples (squared, or absolute beyond the tube for SVR).
 * Radii grow by a half from one that hardly moves w, until six in a row bring nothing better or the ball no longer
 * binds.  Rows must be in random order.  SVR looks at no more than 2,000 of them, being slow. */
scant_status scant_radius_choose(const scant_dense *problem, scant_reference kind, double tube, double *radius,
                                 scant_error *error);

#endif
