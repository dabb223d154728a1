/* AELR: lasso regression [HK12, Alg. 2]. */
#include <math.h>

#include "paper.h"

static scalar sgn(scalar a) {
  return a > 0 ? 1 : a < 0 ? -1 : 0;
}

/* [HK12, sec. 3.2] */
static scalar clip(scalar a, scalar c) {
  return fmaxl(fminl(a, c), -c);
}

static void take_regressor(paper_state *s) {
  scalar mass = paper_norm_1(s->d, s->zp) + paper_norm_1(s->d, s->zm);
  for (size_t i = 0; i < s->d; i++) s->w[i] = (s->zp[i] - s->zm[i]) * s->B / mass; /* l. 3 */
}

/* One draw for the residual: w.x in expectation. */
scalar paper_aelr_look(paper_state *s, const scalar *x) {
  scalar norm = paper_norm_1(s->d, s->w);
  for (size_t j = 0; j < s->d; j++) s->p[j] = fabsl(s->w[j]) / norm;
  size_t j = s->draws->pick(s->draws, s->d, s->p); /* l. 9 */
  return norm * sgn(s->w[j]) * x[j];               /* l. 10 */
}

/* Leaves w_{t+1}, which is l. 3 of the next round, so that callers find it there. */
void paper_aelr_move(paper_state *s) {
  scalar eta = paper_step_size(s);
  for (size_t i = 0; i < s->d; i++) {  /* l. 12 */
    scalar g = clip(s->g[i], 1 / eta); /* l. 13 */
    s->zp[i] *= expl(-eta * g);        /* l. 14 */
    s->zm[i] *= expl(+eta * g);        /* l. 15 */
  }                                    /* l. 16 */
  take_regressor(s);
}

/* departs: while w_t = 0, the law of l. 9 is not defined, and phi~ is -y for certain: nothing is observed for it.
 * departs: `residual` draws are averaged; the paper has one. */
void paper_aelr(paper_state *s, const scalar *x, scalar y) {
  scalar phi = -y;
  s->t++;            /* l. 2 */
  take_regressor(s); /* l. 3 */
  paper_count(s);
  paper_spread(s, x); /* l. 4-8 */
  if (paper_norm_1(s->d, s->w) > 0)
    for (size_t r = 0; r < s->residual; r++) phi += paper_aelr_look(s, x) / (scalar)s->residual; /* l. 9-10 */
  for (size_t i = 0; i < s->d; i++) s->g[i] = phi * s->x[i];                                     /* l. 11 */
  paper_aelr_move(s);                                                                            /* l. 12-16 */
} /* l. 17 */

/* departs: Theorem 3.4 prints 1/(4B^2), and its proof, with eta = sqrt(log 2d / 5m) / G and G = 2B sqrt(2d/k), gives
 * 1/(4B). */
scalar paper_aelr_eta(const paper_state *s, size_t m) {
  scalar d = (scalar)s->d;
  return 1 / (4 * s->B) * sqrtl(2 * (scalar)s->k * logl(2 * d) / (5 * (scalar)m * d));
}
