/* How likely a look was to have what it has, where that has a closed form.
 *
 * With n independent draws a look has i with probability 1 - (1 - q_i)^n, and i and j with
 * 1 - (1 - q_i)^n - (1 - q_j)^n + (1 - q_i - q_j)^n.  Draws for the residual are independent of those for the
 * gradient, so that what is missed by both is missed with the product.
 */
#include <math.h>

#include "look/looks.h"
#include "settings/settings.h"

/* The probability that n draws miss what one draw meets with probability q. */
static double missed(double q, uint32_t n) {
  return n ? pow(fmax(0, 1 - q), n) : 1;
}

double scant_chances_pair(double n, double d) {
  return n >= 2 ? n * (n - 1) / (d * (d - 1)) : 0;
}

void scant_chances_of_draws(const scant_look *look, size_t dimension, int subset, const scant_chances *chances) {
  const double *q = chances->q, *p = chances->p;
  uint32_t count = look->count, n = look->gradient_total, m = look->residual_total;
  double d = (double)dimension, left = d - n, none = left / d;
  for (uint32_t i = 0; i < count; i++) chances->inclusion[i] = 1 - (subset ? none : missed(q[i], n)) * missed(p[i], m);
  for (uint32_t i = 0; chances->pairs && i < count; i++) {
    for (uint32_t j = 0; j < count; j++) {
      double neither = subset ? scant_chances_pair(left, d) : missed(q[i] + q[j], n), both = chances->inclusion[i];
      if (i != j) both += chances->inclusion[j] - 1 + neither * missed(p[i] + p[j], m);
      chances->pairs[i * count + j] = both;
    }
  }
}

/* The law of w as the look has it: any of the residual's draws gives the sum of all weights, and the heaviest of them
 * does so best. */
static void find_residual(const scant_looks *looks, const scant_look *look, double *p) {
  uint32_t at = look->count;
  for (uint32_t i = 0; i < look->count; i++)
    if (look->residual_draws[i] && (at == look->count || fabs(look->weight[i]) > fabs(look->weight[at]))) at = i;
  for (uint32_t i = 0; i < look->count; i++) {
    double share = at < look->count ? fabs(look->weight[i] / look->weight[at]) : 0;
    p[i] =
        at < look->count ? look->residual_probability[at] * (looks->norm == SCANT_NORM_2 ? share * share : share) : 0;
  }
}

void scant_chances_of_uniform(const scant_looks *looks, const scant_look *look, const scant_chances *chances) {
  for (uint32_t i = 0; i < look->count; i++) chances->q[i] = 1 / (double)looks->dimension;
  find_residual(looks, look, chances->p);
  scant_chances_of_draws(look, looks->dimension, !looks->settings->learning.replacement, chances);
}

void scant_chances_alike(const scant_look *look, double inclusion, double pair, const scant_chances *chances) {
  uint32_t count = look->count;
  for (uint32_t i = 0; i < count; i++) chances->inclusion[i] = inclusion;
  for (uint32_t i = 0; chances->pairs && i < count; i++)
    for (uint32_t j = 0; j < count; j++) chances->pairs[i * count + j] = i == j ? inclusion : pair;
}
