/* From a look and its values to a gradient: g~ = phi~ x~.
 *
 * x~ comes from the gradient's draws, phi~ (an estimate of f'(w.x)) from the
 * residual's draws, independently; hence E[g~] = f'(w.x) x for the w frozen in
 * the look.  All functions take x in learning units, x[i] belonging to
 * look->entries[i].
 */
#ifndef SCANT_ESTIMATE_GRADIENT_H
#define SCANT_ESTIMATE_GRADIENT_H

#include "estimate/genest.h"
#include "estimate/loss.h"
#include "scant.h"

/* x~_i / x_i = n_i / (n q_i): how much of a value goes into the gradient
 * [HK12, Alg. 1, l. 7]. */
static inline double scant_gradient_factor(const scant_look *look, const scant_look_entry *e) {
  if (!e->gradient_draws) return 0;
  return look->gradient_scale * e->gradient_draws / (look->gradient_total * e->gradient_probability);
}

/* One residual draw of this entry estimates w.x by this times x:
 * w_j/p_j = ||w||_2^2/w_j (2-norm) or ||w||_1 sign(w_j) (1-norm)
 * [HK12, Alg. 1, l. 9 and Alg. 2, l. 10]. */
static inline double scant_residual_factor(const scant_look_entry *e) {
  return e->weight / e->residual_probability;
}

/* The mean of the residual draws: an unbiased estimate of w.x; 0 while w = 0. */
double scant_estimate_prediction(const scant_look *look, const double *x);

/* phi~ three ways.  Squared loss from the mean of the draws: */
double scant_estimate_residual(const scant_look *look, const double *x, double y);

/* any loss from GenEst's products; */
double scant_estimate_genest(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                             const scant_series *series);

/* any loss when every attribute is in the look. */
double scant_estimate_exact(const scant_look *look, const double *x, double y, const scant_loss_form *form);

/* (w.x - y)^2, unbiased: phi~ times the residual of the gradient's draws, which
 * are independent of it; NaN if w is not 0 and no draw was made for phi~. */
double scant_estimate_split_risk(const scant_look *look, const double *x, double y);

/* The same when every attribute is in the look. */
double scant_estimate_exact_risk(const scant_look *look, const double *x, double y);

/* g[i] = phi * x~_i for every entry. */
void scant_estimate_gradient(const scant_look *look, const double *x, double phi, double *g);

#endif
