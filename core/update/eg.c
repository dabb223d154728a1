/* EG+- in the 1-norm ball [HK12, Alg. 2], in O(count log d).
 *
 * The paper keeps z+ and z-, started at 1 and multiplied by exp(-+ eta g). Their product stays 1 in every coordinate,
 * so one theta_i is enough:
 *
 *   w_i = B (z+_i - z-_i) / (||z+||_1 + ||z-||_1) = B sinh(theta_i) / sum_j cosh(theta_j)
 *
 * shape_i = sinh(theta_i) 2^-exponent and mass_i = cosh(theta_i) 2^-exponent; the exponent is 0 unless some |theta_i|
 * passes 300, to stay far within the range of a double. */
#include <math.h>

#include "base/lanes.h"
#include "update/iterate.h"

#define LN2 0.69314718055994530942
#define THETA_MOST 300.0  /* cosh, sums of d of them, and radius / sum stay in range */
#define THETA_AFTER 100.0 /* largest |theta| - exponent ln 2 after a change of exponent */
#define MASS_SMALLEST 0x1p-400

/* sinh(theta) 2^-exponent and cosh(theta) 2^-exponent, where |theta| may be larger than scant_hyperbolic
 * takes.  Then e^-|theta| is too small beside e^|theta| to count. */
static void scaled(double theta, int exponent, double *sine, double *cosine) {
  double size = fabs(theta);
  if (size <= THETA_MOST) {
    scant_hyperbolic(1, &theta, sine, cosine);
    *sine = ldexp(*sine, -exponent);
    *cosine = ldexp(*cosine, -exponent);
  } else {
    *cosine = exp(size - exponent * LN2) / 2;
    *sine = copysign(*cosine, theta);
  }
}

static void refresh(scant_iterate *w) {
  double *mass = scant_sumtree_leaves(&w->mass);
  for (size_t i = 0; i < w->d; i++) scaled(w->theta[i], w->exponent, &w->at[i].shape, &mass[i]);
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
  refresh(w);
  w->rescaled++;
}

/* theta moves, and with it the shapes that are in range [HK12, Alg. 2, l. 12-16]. */
static int move(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                double *theta) {
  double most = THETA_MOST + w->exponent * LN2;
  int in_range = 1;
  for (size_t r = 0; r < count; r++) {
    uint32_t i = attributes[r];
    /* eta clip(g, 1/eta) = clip(eta g, 1), which z+ loses and z- gains */
    theta[r] = w->theta[i] -= scant_clip(eta * g[r], 1);
    in_range &= fabs(theta[r]) <= most;
  }
  return in_range;
}

/* Ends with the w of the next round [HK12, Alg. 2, l. 3]. */
static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number, double *scratch) {
  (void)step_number;
  double clock = scant_sum_value(w->clock), *sine = scratch, *cosine = scratch + count;
  scant_iterate_touch(w, count, attributes);
  int in_range = move(w, count, attributes, g, eta, sine);
  if (!w->exponent && in_range)
    scant_hyperbolic(count, sine, sine, cosine);
  else
    for (size_t r = 0; in_range && r < count; r++) scaled(sine[r], w->exponent, &sine[r], &cosine[r]);
  double *law = scant_sumtree_leaves(&w->law), *mass = scant_sumtree_leaves(&w->mass);
  for (size_t r = 0; in_range && r < count; r++) {
    scant_iterate_reshape(w, attributes[r], sine[r], clock);
    law[attributes[r]] = fabs(sine[r]);
    mass[attributes[r]] = cosine[r];
  }
  scant_sumtree_settle(&w->law, count, attributes);
  scant_sumtree_settle(&w->mass, count, attributes);
  if (!in_range || (w->exponent && scant_sumtree_total(&w->mass) < MASS_SMALLEST)) change_exponent(w);
  w->scale = w->radius / scant_sumtree_total(&w->mass);
}

/* [HK12, thm 3.4] prints 1/(4B^2), but its proof, eta = sqrt(log 2d / 5m)/G with G = 2B sqrt(2d/k), gives 1/(4B).  With
 * every attribute |g| <= 2B, and lemma 3.5 gives sqrt(log 2d / m)/G. */
static double theorem_eta(const scant_step_inputs *o) {
  double k = o->k, d = o->d, m = o->m, B = o->radius;
  return o->exact ? sqrt(log(2 * d) / m) / (2 * B) : 1 / (4 * B) * sqrt(2 * k * log(2 * d) / (5 * m * d));
}

const scant_update scant_update_eg = {
    .norm = SCANT_NORM_1, .multiplicative = 1, .eta = theorem_eta, .refresh = refresh, .step = step};
