#include "estimate/genest.h"

#include <math.h>

#define TWO_OVER_SQRT_PI 1.12837916709551257390

scant_series scant_series_erf(void) {
  return (scant_series){.is_erf = 1};
}

scant_series scant_loss_series(scant_loss loss) {
  return loss == SCANT_LOSS_SQUARED ? (scant_series){.count = 2, .a = {0, 1}} : scant_series_erf();
}

/* N [HK12, Proc. 3, l. 1], corrected. */
uint32_t scant_genest_group(double radius, double smoothing) {
  double n = ceil(10 * (radius / smoothing) * (radius / smoothing));
  if (!(n < (double)UINT32_MAX)) return UINT32_MAX; /* then 2 log2 N > 60: never reached */
  return n < 1 ? 1 : (uint32_t)n;
}

/* Which branch [HK12, Proc. 3, l. 3]. */
uint32_t scant_genest_draws(uint32_t order, uint32_t group) {
  return order <= 2 * log2(group) ? 1 : group;
}

/* Pr[n] [HK12, Proc. 3, l. 2], reweighed on the support. */
double scant_genest_probability(const scant_series *series, uint32_t order) {
  if (series->is_erf) return order % 2 ? 3 * ldexp(1, -(int)order - 1) : 0;
  double total = 0;
  for (size_t n = 0; n < series->count; n++)
    if (series->a[n] != 0) total += ldexp(1, -(int)n - 1);
  return order < series->count && series->a[order] != 0 ? ldexp(1, -(int)order - 1) / total : 0;
}

/* [HK12, Proc. 3, l. 2] */
uint32_t scant_genest_order(const scant_series *series, scant_rng *rng) {
  if (series->is_erf) {
    /* Pr[2l + 1] = 3/4 (1/4)^l: count the failures of a coin of 3/4. */
    uint32_t order = 1;
    while (order < SCANT_ORDER_MOST && scant_rng_below(rng, 4) == 0) order += 2;
    return order;
  }
  double weights[SCANT_SERIES_MOST];
  for (uint32_t n = 0; n < series->count; n++) weights[n] = scant_genest_probability(series, n);
  return (uint32_t)scant_rng_pick(rng, series->count, weights);
}

double scant_genest_expected_draws(const scant_series *series, uint32_t group) {
  double sum = 0;
  uint32_t last = series->is_erf ? SCANT_ORDER_MOST : (uint32_t)series->count - 1;
  for (uint32_t n = 0; n <= last; n++) sum += scant_genest_probability(series, n) * n * scant_genest_draws(n, group);
  return sum;
}

/* |a_n| / Pr[n] as mantissa and exponent: 1/l! leaves the range of a double
 * long before the product does [HK12, Proc. 3, l. 14]. */
static double weight(const scant_series *series, uint32_t order, int *exponent) {
  if (!series->is_erf) return frexp(series->a[order] / scant_genest_probability(series, order), exponent);
  /* a_{2l+1} = 2/sqrt(pi) (-1)^l / (l! (2l+1))  [HK12, Alg. 4, l. 1], eq. (7) */
  double m = TWO_OVER_SQRT_PI / (3.0 * order);
  int shift, total = (int)order + 1;
  for (uint32_t l = 1; 2 * l + 1 <= order; l++) {
    m = frexp(-m / l, &shift);
    total += shift;
  }
  m = frexp(m, &shift);
  *exponent = total + shift;
  return m;
}

/* [HK12, Proc. 3, l. 14] */
double scant_genest_product(const scant_series *series, uint32_t order, const double *factors) {
  int exponent, shift;
  double m = weight(series, order, &exponent);
  for (uint32_t r = 0; r < order; r++) {
    m = frexp(m * factors[r], &shift);
    exponent += shift;
  }
  return ldexp(m, exponent);
}
