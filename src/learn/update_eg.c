/* EG+- in the 1-norm ball [HK12, Alg. 2, l. 3 and 12-16], in O(count log d).
 *
 * The paper keeps z+ and z-, started at 1 and multiplied by exp(-+ eta g).
 * Their product stays 1 in every coordinate, so one theta_i is enough:
 *
 *   w_i = B (z+_i - z-_i) / (||z+||_1 + ||z-||_1) = B sinh(theta_i) / sum_j cosh(theta_j)
 *
 * shape_i = sinh(theta_i) 2^-exponent and mass_i = cosh(theta_i) 2^-exponent;
 * the exponent is 0 unless some |theta_i| passes 300, to stay far within the
 * range of a double.
 */
#include "learn/iterate.h"

#define LN2 0.69314718055994530942
#define THETA_MOST 300.0  /* cosh, sums of d of them, and radius / sum stay in range */
#define THETA_AFTER 100.0 /* largest |theta| - exponent ln 2 after a change of exponent */
#define MASS_SMALLEST 0x1p-400

static double scaled_sinh(double theta, int exponent) {
  double size = fabs(theta);
  if (size < THETA_MOST) return ldexp(sinh(theta), -exponent);
  return copysign(exp(size - exponent * LN2) / 2, theta); /* exp(-size) is nothing beside it */
}

static double scaled_cosh(double theta, int exponent) {
  double size = fabs(theta);
  if (size < THETA_MOST) return ldexp(cosh(theta), -exponent);
  return exp(size - exponent * LN2) / 2;
}

static void refresh(scant_iterate *w) {
  double *mass = scant_sumtree_leaves(&w->mass);
  for (size_t i = 0; i < w->d; i++) {
    w->shape[i] = scaled_sinh(w->theta[i], w->exponent);
    mass[i] = scaled_cosh(w->theta[i], w->exponent);
  }
  scant_sumtree_rebuild(&w->mass);
  scant_iterate_refresh_law(w, 0);
}

/* Chooses the exponent anew.  O(d), and at most once in several hundred steps,
 * since a step moves theta by at most 1. */
static void change_exponent(scant_iterate *w) {
  scant_iterate_flush(w);
  double most = 0;
  for (size_t i = 0; i < w->d; i++)
    if (fabs(w->theta[i]) > most) most = fabs(w->theta[i]);
  w->exponent = most > THETA_AFTER ? (int)((most - THETA_AFTER) / LN2) : 0;
  w->rescaled++;
  refresh(w);
}

static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number) {
  (void)step_number;
  int out_of_range = 0;
  for (size_t r = 0; r < count; r++) {
    if (g[r] == 0) continue;
    uint32_t i = attributes[r];
    scant_iterate_touch(w, i);
    /* eta * clip(g, 1/eta) = clip(eta g, 1) */
    double theta = w->theta[i] - scant_clip(eta * g[r], 1);
    w->theta[i] = theta;
    if (fabs(theta) - w->exponent * LN2 > THETA_MOST) {
      out_of_range = 1;
      continue;
    }
    w->shape[i] = scaled_sinh(theta, w->exponent);
    scant_sumtree_set(&w->law, i, fabs(w->shape[i]));
    scant_sumtree_set(&w->mass, i, scaled_cosh(theta, w->exponent));
  }
  if (out_of_range || (w->exponent && scant_sumtree_total(&w->mass) < MASS_SMALLEST)) change_exponent(w);
  w->scale = w->radius / scant_sumtree_total(&w->mass);
}

const scant_update scant_update_eg = {.norm = SCANT_NORM_1, .multiplicative = 1, .refresh = refresh, .step = step};
