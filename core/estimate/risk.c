#include "estimate/risk.h"

#include <math.h>

enum { VV, VB, VQ, BB, BQ, QQ };

/* A gain must exceed so many of its standard errors; to leave what was learned, more of them while examples are few,
 * since the standard error is then itself not known well. */
#define ERRORS 1.0
#define ERRORS_OF_FEW 16.0

#define ROUNDS 32 /* of the golden section: the interval falls to 2e-7 of itself */

void scant_parabola_add(scant_parabola *p, double share, const scant_parabola_terms *terms) {
  double v = terms->target - p->mean.target, b = terms->product - p->mean.product, q = terms->square - p->mean.square;
  const double products[6] = {v * v, v * b, v * q, b * b, b * q, q * q};
  double keep = (1 - share) * (1 - share), take = p->count > 0 ? share * share : 0;
  for (int i = 0; i < 6; i++) p->cov[i] = keep * p->cov[i] + take * products[i];
  p->mean.target += share * v;
  p->mean.product += share * b;
  p->mean.square += share * q;
  p->count += 1;
}

/* Q, no smaller than B^2 <= V Q allows. */
static double square_of(const scant_parabola *p) {
  const scant_parabola_terms *m = &p->mean;
  return m->target > 0 ? fmax(m->square, m->product * m->product / m->target) : m->square;
}

double scant_parabola_risk(const scant_parabola *p, double scale, double *error) {
  const double *c = p->cov, s = scale, s2 = s * s;
  if (error) *error = NAN;
  if (!(p->count > 0)) return NAN;
  double variance = c[VV] + s2 * (4 * c[BB] + 2 * c[VQ] + s2 * c[QQ]) - 4 * s * (c[VB] + s2 * c[BQ]);
  if (error && p->count > 1) *error = sqrt(fmax(0, variance));
  return fmax(0, p->mean.target - 2 * s * p->mean.product + s2 * square_of(p));
}

/* What a scale gains over another one, less standard errors.  With a = s + r the gain is (s - r)(2 B - a Q), and
 * 2 B - a Q has the variance 4 BB - 4 a BQ + a^2 QQ.  On either side of r this is |s - r| times a concave function, so
 * where it is above 0 it has one top. */
static double sure_gain(const scant_parabola *p, double square, double s, double r) {
  double few = r > 0 ? ERRORS_OF_FEW / p->count : 0;
  double a = s + r, slope = 2 * p->mean.product - a * square;
  double variance = 4 * p->cov[BB] - 4 * a * p->cov[BQ] + a * a * p->cov[QQ];
  double errors = (ERRORS + few) * sqrt(fmax(0, variance));
  return fabs(s - r) * ((s > r ? slope : -slope) - errors);
}

/* The top of the sure gain over r between r and `end`; r if nothing gains. */
static double climb(const scant_parabola *p, double square, double r, double end) {
  const double golden = 0.6180339887498949;
  double from = r, to = end;
  for (int round = 0; round < ROUNDS; round++) {
    double near = to - golden * (to - from), far = from + golden * (to - from);
    if (sure_gain(p, square, near, r) < sure_gain(p, square, far, r))
      from = near;
    else
      to = far;
  }
  double s = 0.5 * (from + to);
  return sure_gain(p, square, s, r) > 0 ? s : r;
}

double scant_parabola_scale(const scant_parabola *p, double most) {
  if (!(p->count > 1)) return 1;
  double square = square_of(p), best = square > 0 ? p->mean.product / square : 1, s = 1;
  best = best > most ? most : best > 0 ? best : 0;
  if (best != 1) s = climb(p, square, 1, best);
  return sure_gain(p, square, s, 0) > 0 ? s : climb(p, square, 0, s);
}
