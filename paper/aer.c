/* AER: the rival of section 5, from Cesa-Bianchi, Shalev-Shwartz & Shamir (2011) [CSS11, AER].  K attributes of an
 * example: k = K/2 for x~, and as many for the prediction.  Its lines are named here, since it is not printed in
 * [HK12]:
 *
 *   looks       C, a uniform subset of k attributes; v_j = (d/k) x_j for j in C, else 0
 *   prediction  yhat, the mean over k draws i by |w_i|/||w||_1 of sgn(w_i) ||w||_1 x_i
 *   step        w <- (1 - 1/t) w - 2/(lambda t) (yhat - y) v
 *   projection  w <- the point of ||w||_1 <= B that is nearest to w
 *   output      the average of the w's after these updates */
#include <math.h>
#include <stdlib.h>

#include "paper.h"

static int descending(const void *a, const void *b) {
  scalar x = *(const scalar *)a, y = *(const scalar *)b;
  return (x < y) - (x > y);
}

/* The nearest point is max(0, |w_i| - tau) with the sign of w_i.  Sorted, u_1 >= u_2 >= ..., the first n entries stay
 * above tau = (u_1 + ... + u_n - B)/n, for the largest n with u_n > tau. */
static void project(paper_state *s) {
  scalar *u = s->p, sum = 0, tau = 0;
  if (paper_norm_1(s->d, s->w) <= s->B) return;
  for (size_t i = 0; i < s->d; i++) u[i] = fabsl(s->w[i]);
  qsort(u, s->d, sizeof *u, descending);
  for (size_t n = 1; n <= s->d; n++) {
    sum += u[n - 1];
    if (u[n - 1] > (sum - s->B) / (scalar)n) tau = (sum - s->B) / (scalar)n;
  }
  for (size_t i = 0; i < s->d; i++) s->w[i] = copysignl(fmaxl(fabsl(s->w[i]) - tau, 0), s->w[i]); /* projection */
}

/* departs: while w = 0 the prediction is 0 whatever i is, and nothing is observed for it. */
void paper_aer(paper_state *s, const scalar *x, scalar y) {
  scalar yhat = 0, t = (scalar)++s->t;
  for (size_t i = 0; i < s->d; i++) s->x[i] = 0;
  for (size_t r = 0; r < s->k; r++) {
    size_t j = s->draws->pick(s->draws, s->d, NULL); /* looks */
    s->x[j] = (scalar)s->d / (scalar)s->k * x[j];    /* looks */
  }
  if (paper_norm_1(s->d, s->w) > 0)
    for (size_t r = 0; r < s->k; r++) yhat += paper_aelr_look(s, x) / (scalar)s->k; /* prediction */
  for (size_t i = 0; i < s->d; i++)
    s->w[i] = (1 - 1 / t) * s->w[i] - 2 / (s->lambda * t) * (yhat - y) * s->x[i]; /* step */
  project(s);
  paper_count(s); /* output */
}

/* departs: their Theorem 1 prints 12 where its proof has 16. */
scalar paper_aer_lambda(const paper_state *s, size_t m) {
  return 16 * (scalar)s->d * sqrtl(logl((scalar)m) / ((scalar)m * 2 * (scalar)s->k));
}
