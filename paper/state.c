/* Shared by all algorithms: vectors, the sum of the iterates, and a step size where none is printed. */
#include <math.h>
#include <stdlib.h>

#include "paper.h"

int paper_new(paper_state *s, size_t d) {
  *s = (paper_state){.d = d, .residual = 1, .norm = 2};
  s->w = calloc(8 * d, sizeof *s->w);
  if (!s->w) return 0; /* else w_1 = 0 [HK12, Alg. 1, l. 1] */
  scalar **const rest[] = {&s->sum, &s->x, &s->g, &s->p, &s->zp, &s->zm, &s->scaled};
  for (size_t v = 0; v < 7; v++) *rest[v] = s->w + (v + 1) * d;
  for (size_t i = 0; i < d; i++) s->zp[i] = s->zm[i] = 1; /* [HK12, Alg. 2, l. 1] */
  return 1;
}

void paper_free(paper_state *s) {
  free(s->w);
}

scalar paper_norm_1(size_t d, const scalar *v) {
  scalar sum = 0;
  for (size_t i = 0; i < d; i++) sum += fabsl(v[i]);
  return sum;
}

scalar paper_norm_2(size_t d, const scalar *v) {
  scalar sum = 0;
  for (size_t i = 0; i < d; i++) sum += v[i] * v[i];
  return sqrtl(sum);
}

void paper_count(paper_state *s) {
  for (size_t i = 0; i < s->d; i++) s->sum[i] += s->w[i];
}

/* departs: the paper has no step size for AESVR ("eta properly tuned"), nor for an unknown m.  Then it is
 * 2B / sqrt(2 sum ||g~||_2^2), or sqrt(log 2d / sum ||g~||_inf^2) in the 1-norm ball. */
scalar paper_step_size(paper_state *s) {
  scalar size = 0;
  if (s->eta > 0) return s->eta;
  for (size_t i = 0; i < s->d; i++) {
    scalar square = s->g[i] * s->g[i];
    size = s->norm == 2 ? size + square : fmaxl(size, square);
  }
  s->sizes += size;
  if (!(s->sizes > 0)) return 0;
  return s->norm == 2 ? 2 * s->B / sqrtl(2 * s->sizes) : sqrtl(logl(2 * (scalar)s->d) / s->sizes);
}
