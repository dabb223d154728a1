#include "estimate/gradient.h"

#include <math.h>

#include "base/lanes.h"

/* The mean of the next `group` draws of the sequence: of one [HK12, Proc. 3, l. 6-7] or of N [HK12, Proc. 3, l. 11-13].
 */
static double mean_of_draws(const scant_look *look, const double *x, const uint32_t *sequence, uint32_t group) {
  double sum = 0;
  for (uint32_t r = 0; r < group; r++) sum += scant_residual_factor(look, sequence[r]) * x[sequence[r]];
  return sum / group;
}

/* The mean of the residual draws: an unbiased estimate of w.x; 0 while w = 0 [CSS11, AER, prediction]. */
static double prediction(const scant_look *look, const double *x) {
  return look->residual_total ? mean_of_draws(look, x, look->sequence, look->residual_total) : 0;
}

/* [HK12, Alg. 1, l. 9] [HK12, Alg. 2, l. 10] */
double scant_estimate_residual(const scant_look *look, const double *x, double y) {
  return prediction(look, x) - y;
}

/* [HK12, Alg. 4, l. 2] */
double scant_estimate_genest(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                             const scant_series *series) {
  /* While w = 0 the prediction is 0 for certain, and no look was made for it. */
  if (!look->calls) return scant_loss_derivative(form, 0, y);
  scant_loss_parts parts;
  scant_loss_split(form, y, &parts);
  const uint32_t *sequence = look->sequence;
  double sum = 0, factor[SCANT_ORDER_MOST];
  for (uint32_t c = 0; c < look->calls; c++) {
    const scant_look_call *call = &look->call[c];
    for (uint32_t r = 0; r < call->order; r++, sequence += call->group)
      /* [HK12, Proc. 3, l. 6-7] [HK12, Proc. 3, l. 11-13] */
      factor[r] = parts.slope * mean_of_draws(look, x, sequence, call->group) - parts.shift[c];
    sum += scant_genest_product(series, call->order, factor);
  }
  return parts.constant + parts.weight * sum;
}

double scant_estimate_exact(const scant_look *look, const double *x, double y, const scant_loss_form *form) {
  double s = 0;
  for (uint32_t i = 0; i < look->count; i++) s += look->weight[i] * x[i];
  return scant_loss_derivative(form, s, y);
}

/* [HK12, Alg. 1, l. 7] [HK12, Alg. 2, l. 8] [CSS11, AER, looks] */
SCANT_WIDEST void scant_estimate_spread(const scant_look *look, const double *x, double *spread) {
  double share = look->gradient_total ? look->gradient_scale / look->gradient_total : 0;
  for (uint32_t i = 0; i < look->count; i++)
    spread[i] = share * (double)(int32_t)look->gradient_draws[i] / look->gradient_probability[i] * x[i];
}

double scant_estimate_split_risk(const scant_look *look, const double *x, const double *spread, double y) {
  if (!look->residual_total && scant_lanes_largest(look->count, look->weight) > 0) return NAN;
  return scant_estimate_residual(look, x, y) * (scant_lanes_dot(look->count, look->weight, spread) - y);
}

double scant_estimate_exact_risk(const scant_look *look, const double *x, const double *spread, double y) {
  (void)spread;
  double s = -y;
  for (uint32_t i = 0; i < look->count; i++) s += look->weight[i] * x[i];
  return s * s;
}
