/* Two running estimates of the risk from the looks themselves: of recent iterates, and (below) of their average.
 *
 * Every example brings an unbiased estimate of (w.x - y)^2 for the w that asked, noisy and at times negative.  Their
 * mean is taken over a window that is between a half and all of the examples and forgets the beginning, when w was
 * poor. */
#ifndef SCANT_ESTIMATE_RISK_H
#define SCANT_ESTIMATE_RISK_H

#include <math.h>
#include <stdint.h>

typedef struct scant_window {
  double count, mean, squares; /* squares: sum of squared deviations */
} scant_window;

typedef struct scant_risk {
  scant_window before, now; /* two windows: `now` follows `before`, and takes its place when it is twice as long */
} scant_risk;

#define SCANT_RISK_FIRST 64 /* examples of the first window */

static inline void scant_risk_add(scant_risk *risk, double estimate) {
  scant_window *n = &risk->now;
  double deviation = estimate - n->mean;
  n->count += 1;
  n->mean += deviation / n->count;
  n->squares += deviation * (estimate - n->mean);
  if (n->count < (risk->before.count > 0 ? 2 * risk->before.count : SCANT_RISK_FIRST)) return;
  risk->before = *n;
  *n = (scant_window){0, 0, 0};
}

/* The mean of the window and its standard error; NaN while nothing is known. */
static inline double scant_risk_mean(const scant_risk *risk, double *error) {
  const scant_window *a = &risk->before, *b = &risk->now;
  double n = a->count + b->count, gap = b->mean - a->mean;
  if (error) *error = NAN;
  if (!(n > 0)) return NAN;
  double squares = a->squares + b->squares + gap * gap * a->count * b->count / n;
  if (error && n > 1) *error = sqrt(squares / (n - 1) / n);
  return (a->mean * a->count + b->mean * b->count) / n;
}

/* ---- the risk of an average of iterates, at any scale -----------------------------
 *
 * A regressor w times a scale s has the risk
 *
 *   V - 2 s B + s^2 Q,   V = E y^2,   B = E y (w.x),   Q = E (w.x)^2.
 *
 * Let w be the average w_m of iterates v_1 .. v_m, where v_t enters with the share r_t:
 *
 *   w_t = w_(t-1) + r_t (v_t - w_(t-1)),   and for any quadratic form q
 *   q(w_t) = (1 - r_t) q(w_(t-1)) + r_t [q(v_t) - (1 - r_t) q(v_t - w_(t-1))].
 *
 * v_t and w_(t-1) depend on earlier examples alone.  So example t estimates y^2, y (v_t.x) and
 * (v_t.x)^2 - (1 - r_t) ((v_t - w_(t-1)).x)^2 without bias, and the means of these three, each example with its
 * share, have exactly the expectation of V, B and Q of w_m.  Nothing lags behind, and no example judges what was
 * learned from it. */

/* The three numbers of an example, or their means. */
typedef struct scant_parabola_terms {
  double target, product, square; /* V, B, Q */
} scant_parabola_terms;

typedef struct scant_parabola {
  double count; /* examples */
  scant_parabola_terms mean;
  double cov[6]; /* of the means: VV, VB, VQ, BB, BQ, QQ */
} scant_parabola;

/* Adds an example with its share of the means, 0 < share <= 1. */
void scant_parabola_add(scant_parabola *parabola, double share, const scant_parabola_terms *terms);

/* The risk at a scale, and its standard error.  NaN: not known yet.  E (w.x)^2 counts as no smaller than E y (w.x)
 * and E y^2 allow (Cauchy and Schwarz), so the risk is never below 0. */
double scant_parabola_risk(const scant_parabola *parabola, double scale, double *error);

/* The scale, from 0 to `most` (at least 1), that is surely better than 1: its gain over 1, less a standard error
 * of that gain, is largest.  1 if none gains.  If it is not surely better than 0 in the same sense, which is to
 * predict the mean, it becomes the scale below it that is most surely better than 0; 0 if none is. */
double scant_parabola_scale(const scant_parabola *parabola, double most);

#endif
