/* The losses themselves, of which the library needs the derivatives alone, and the second moment of GenEst. */
#ifndef LOSSES_H
#define LOSSES_H

#include <math.h>

#include "estimate/genest.h"
#include "estimate/loss.h"

/* rho(x) = x erf(x) + exp(-x^2)/sqrt(pi), within 1/sqrt(pi) above |x|. */
static inline double rho(double x) {
  return x * erf(x) + 0.56418958354775628695 * exp(-x * x);
}

/* The smooth loss at the prediction s. */
static inline double loss_value(const scant_loss_form *form, double s, double y) {
  double e = form->smoothing, t = form->tube, r = s - y;
  switch (form->loss) {
    case SCANT_LOSS_INSENSITIVE: /* [HK12, sec. 4.2, f_eps] */
      return e / 2 * rho((r - t) / e) + e / 2 * rho((r + t) / e) - t;
    case SCANT_LOSS_ABSOLUTE:
      return e * rho(r / e);
    case SCANT_LOSS_HINGE: /* max(0, u) = (u + |u|)/2 with u = 1 - y s */
      return ((1 - y * s) + e * rho((1 - y * s) / e)) / 2;
    case SCANT_LOSS_HUBER:
      return fabs(r) <= t ? r * r / 2 : t * (fabs(r) - t / 2);
    case SCANT_LOSS_LOGISTIC: /* without overflow for either sign */
      return y * s > 0 ? log1p(exp(-y * s)) : log1p(exp(y * s)) - y * s;
    case SCANT_LOSS_SQUARED:
    default:
      return r * r / 2;
  }
}

/* E[result^2] of GenEst when one draw has mean s and variance v: sum_n a_n^2/p_n (s^2 + v/N_n)^n. */
static inline double genest_second_moment(const scant_series *series, uint32_t group, double s, double v) {
  double sum = 0, factors[SCANT_ORDER_MOST];
  uint32_t last = series->is_erf ? SCANT_ORDER_MOST : (uint32_t)series->count - 1;
  for (uint32_t n = 0; n <= last; n++) {
    double p = scant_genest_probability(series, n);
    if (!(p > 0)) continue;
    for (uint32_t r = 0; r < n; r++) factors[r] = sqrt(s * s + v / scant_genest_draws(n, group));
    double term = scant_genest_product(series, n, factors) * sqrt(p);
    sum += term * term;
  }
  return sum;
}

#endif
