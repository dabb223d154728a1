/* AERR: ridge regression [HK12, Alg. 1]. */
#include <math.h>

#include "paper.h"

void paper_spread(paper_state *s, const scalar *x) {
  for (size_t i = 0; i < s->d; i++) s->x[i] = 0;
  for (size_t r = 1; r <= s->k; r++) {                       /* l. 3 */
    size_t i = s->draws->pick(s->draws, s->d, NULL);         /* l. 4 */
    s->x[i] += (scalar)s->d * x[i];                          /* l. 5 */
  }                                                          /* l. 6 */
  for (size_t i = 0; i < s->d; i++) s->x[i] /= (scalar)s->k; /* l. 7 */
}

/* One draw for the residual: w.x in expectation. */
scalar paper_aerr_look(paper_state *s, const scalar *x) {
  scalar norm = paper_norm_2(s->d, s->w);
  for (size_t j = 0; j < s->d; j++) s->p[j] = s->w[j] * s->w[j] / (norm * norm);
  size_t j = s->draws->pick(s->draws, s->d, s->p); /* l. 8 */
  return norm * norm * x[j] / s->w[j];             /* l. 9 */
}

void paper_aerr_move(paper_state *s) {
  scalar eta = paper_step_size(s);
  for (size_t i = 0; i < s->d; i++) s->w[i] -= eta * s->g[i]; /* l. 11 */
  scalar norm = paper_norm_2(s->d, s->w);
  for (size_t i = 0; i < s->d; i++) s->w[i] *= s->B / fmaxl(norm, s->B); /* l. 12 */
}

/* departs: l. 1 starts at some w_1 != 0, since the law of l. 8 is not defined at 0.  We start at 0, where
 * phi~ is -y for certain, and nothing is observed for it.
 * departs: `residual` draws are averaged; the paper has one. */
void paper_aerr(paper_state *s, const scalar *x, scalar y) {
  scalar phi = -y;
  s->t++; /* l. 2 */
  paper_count(s);
  paper_spread(s, x); /* l. 3-7 */
  if (paper_norm_2(s->d, s->w) > 0)
    for (size_t r = 0; r < s->residual; r++) phi += paper_aerr_look(s, x) / (scalar)s->residual; /* l. 8-9 */
  for (size_t i = 0; i < s->d; i++) s->g[i] = phi * s->x[i];                                     /* l. 10 */
  paper_aerr_move(s);                                                                            /* l. 11-12 */
} /* l. 13 */

scalar paper_mean(const paper_state *s, size_t i) {
  return s->sum[i] / (scalar)s->t; /* l. 14 [HK12, Alg. 2, l. 18] */
}

/* Theorem 3.1. */
scalar paper_aerr_eta(const paper_state *s, size_t m) {
  return sqrtl((scalar)s->k / (2 * (scalar)s->d * (scalar)m));
}
