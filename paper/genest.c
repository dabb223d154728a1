/* GenEst: an unbiased estimate of f'(w.x - y), where f' is a power series [HK12, Proc. 3]. */
#include <math.h>

#include "paper.h"

/* departs: the paper has the 2-norm alone ("can be easily adjusted to the 1-norm setting"). */
static scalar look(paper_state *s, const scalar *x) {
  return s->norm == 2 ? paper_aerr_look(s, x) : paper_aelr_look(s, x);
}

/* departs: the paper prints ceil(4 B^2).  AESVR scales by 1/eps, and then a factor's second moment is up to
 * 10 B^2 / eps^2. */
static size_t group(const paper_state *s) {
  return (size_t)ceill(10 * s->B * s->B / (s->eps * s->eps)); /* l. 1 */
}

/* departs: the paper draws n from all n >= 0.  Where a_n = 0 that is for nothing, so n is drawn where it is not. */
scalar paper_genest_probability(paper_series *a, size_t n) {
  scalar all = 0;
  for (int m = 0; m < 64; m++)
    if (a((size_t)m) != 0) all += ldexpl(1, -m - 1);
  return a(n) != 0 ? ldexpl(1, -(int)n - 1) / all : 0; /* l. 2 */
}

scalar paper_genest(paper_state *s, const scalar *x, scalar y, paper_series *a) {
  size_t N = group(s);                     /* l. 1 */
  size_t n = s->draws->order(s->draws, a); /* l. 2 */
  scalar product = 1;
  if ((scalar)n <= 2 * log2l((scalar)N)) { /* l. 3 */
    for (size_t r = 1; r <= n; r++)        /* l. 4 */
      product *= look(s, x) - y;           /* l. 5-7 */
  } else {                                 /* l. 8 */
    for (size_t r = 1; r <= n; r++) {      /* l. 9 */
      scalar mean = 0;
      for (size_t q = 1; q <= N; q++) mean += look(s, x) / (scalar)N; /* l. 10 */
      product *= mean - y;                                            /* l. 11 */
    }                                                                 /* l. 12 */
  }                                                                   /* l. 13 */
  return a(n) / paper_genest_probability(a, n) * product;             /* l. 14 */
}
