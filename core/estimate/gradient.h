/* From a look and its values to a gradient: g~ = phi~ x~.
 *
 * x~ comes from the gradient's draws, phi~ (an estimate of f'(w.x)) from the residual's draws, independently; hence
 * E[g~] = f'(w.x) x for the w frozen in the look.  All functions take x in learning units, x[i] belonging to
 * look->attributes[i]. */
#ifndef SCANT_ESTIMATE_GRADIENT_H
#define SCANT_ESTIMATE_GRADIENT_H

#include "estimate/genest.h"
#include "estimate/loss.h"
#include "scant.h"

/* One residual draw of this attribute estimates w.x by this times x: w_j/p_j, which is ||w||_2^2/w_j (2-norm) or
 * ||w||_1 sign(w_j) (1-norm) [HK12, Alg. 1, l. 9] [HK12, Alg. 2, l. 10]. */
static inline double scant_residual_factor(const scant_look *look, uint32_t i) {
  return look->weight[i] / look->residual_probability[i];
}

/* x~: spread[i] = x_i n_i / (n q_i). */
void scant_estimate_spread(const scant_look *look, const double *x, double *spread);

/* phi~ three ways.  Squared loss from the mean of the draws: */
double scant_estimate_residual(const scant_look *look, const double *x, double y);

/* any loss from GenEst's products; */
double scant_estimate_genest(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                             const scant_series *series);

/* any loss when every attribute is in the look. */
double scant_estimate_exact(const scant_look *look, const double *x, double y, const scant_loss_form *form);

/* (w.x - y)^2, unbiased, `spread` being x~: phi~ times the residual of the gradient's draws, which
 * are independent of it; NaN if w is not 0 and no draw was made for phi~. */
double scant_estimate_split_risk(const scant_look *look, const double *x, const double *spread, double y);

/* The same when every attribute is in the look. */
double scant_estimate_exact_risk(const scant_look *look, const double *x, const double *spread, double y);

#endif
