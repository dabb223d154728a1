/* AESVR: support-vector regression [HK12, Alg. 4]. */
#include <math.h>

#include "paper.h"

/* Equation (7); the sum is erf, the derivative of rho. */
scalar paper_erf(size_t n) {
  if (n % 2 == 0) return 0; /* l. 1 */
  scalar a = 2 / sqrtl(acosl(-1)) / (scalar)n;
  for (size_t l = 1; l <= n / 2; l++) a /= -(scalar)l;
  return a; /* l. 1 */
}

/* Estimates f_eps'(w.x - y), in place of Algorithm 1, l. 8-9.
 * departs: while w = 0 it is known, and nothing is observed for it. */
static scalar residual(paper_state *s, const scalar *x, scalar y) {
  for (size_t i = 0; i < s->d; i++) s->scaled[i] = x[i] / s->eps;        /* l. 2 */
  scalar more = (y + s->delta) / s->eps, less = (y - s->delta) / s->eps; /* l. 2 */
  if (!(paper_norm_1(s->d, s->w) > 0)) return (erfl(-more) + erfl(-less)) / 2;
  scalar first = paper_genest(s, s->scaled, more, paper_erf);  /* l. 2 */
  scalar second = paper_genest(s, s->scaled, less, paper_erf); /* l. 2 */
  return (first + second) / 2;                                 /* l. 2 */
}

/* departs: in the 1-norm ball it is Algorithm 2 that is executed, with l. 9-10 replaced. */
void paper_aesvr(paper_state *s, const scalar *x, scalar y) {
  s->t++;
  paper_count(s);
  paper_spread(s, x);
  scalar phi = residual(s, x, y);
  for (size_t i = 0; i < s->d; i++) s->g[i] = phi * s->x[i];
  if (s->norm == 2)
    paper_aerr_move(s);
  else
    paper_aelr_move(s);
} /* l. 3: the output is that of the algorithm executed */
