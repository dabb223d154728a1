/* The algorithms of Hazan & Koren (2012) [HK12], and the rival that the paper measures against [CSS11], as
 * they are printed: every vector has d entries, and every line is computed where it stands.
 *
 * An algorithm is a function that does one round t on an example (x, y).  The numbers at the right margin of
 * the sources are those of the lines in the paper's listings.  "departs:" marks code that differs from the
 * listing, with the reason.  Tests feed these functions and the fast learners the same draws. */
#ifndef PAPER_H
#define PAPER_H

#include <stddef.h>

/* Rounding errors are then far below those of a learner in doubles, and z+ and z- of Algorithm 2 stay within
 * range for 11,000 rounds, as each round multiplies them by e at most. */
typedef long double scalar;

/* Taylor coefficient a_n of f'. */
typedef scalar paper_series(size_t n);

/* The random choices: a generator, or the record of another program's choices. */
typedef struct paper_draws paper_draws;
struct paper_draws {
  /* An index below d: j with probability p[j]; p NULL: uniformly. */
  size_t (*pick)(paper_draws *draws, size_t d, const scalar *p);
  /* GenEst's n, with probability paper_genest_probability(a, n). */
  size_t (*order)(paper_draws *draws, paper_series *a);
};

typedef struct paper_state {
  size_t d, k;       /* attributes; uniform draws per example */
  size_t residual;   /* draws of phi~: 1 as printed, k in AER */
  int norm;          /* of the ball: 2 or 1 */
  scalar B, eta;     /* eta 0: not given, so it adapts (paper_step_size) */
  scalar lambda;     /* AER */
  scalar delta, eps; /* AESVR and GenEst: the tube, and the accuracy */
  paper_draws *draws;
  size_t t;          /* rounds so far */
  scalar sizes;      /* sum of squared norms of the gradients, if eta adapts */
  scalar *w, *sum;   /* w_t; the sum of the iterates in the average */
  scalar *x, *g, *p; /* x~_t, g~_t, and the probabilities of a draw */
  scalar *zp, *zm;   /* z+ and z- */
  scalar *scaled;    /* x' */
} paper_state;

/* Parameters are set afterwards; w_1 = 0 and z+ = z- = 1.  0: out of memory. */
int paper_new(paper_state *s, size_t d);
void paper_free(paper_state *s);

/* One round on an example.  Reads x at the attributes that were picked, and nowhere else. */
void paper_aerr(paper_state *s, const scalar *x, scalar y);
void paper_aelr(paper_state *s, const scalar *x, scalar y);
void paper_aesvr(paper_state *s, const scalar *x, scalar y);
void paper_aer(paper_state *s, const scalar *x, scalar y);

/* Coordinate i of the output, the average of the iterates so far. */
scalar paper_mean(const paper_state *s, size_t i);

/* The step sizes of the theorems for m examples, and lambda. */
scalar paper_aerr_eta(const paper_state *s, size_t m);
scalar paper_aelr_eta(const paper_state *s, size_t m);
scalar paper_aer_lambda(const paper_state *s, size_t m);

/* An estimate of f'(w.x - y) for the series a of f'. */
scalar paper_genest(paper_state *s, const scalar *x, scalar y, paper_series *a);
scalar paper_genest_probability(paper_series *a, size_t n);
/* erf, the derivative of rho. */
scalar paper_erf(size_t n);

/* ---- the parts that algorithms share ------------------------------------------ */

scalar paper_norm_1(size_t d, const scalar *v);
scalar paper_norm_2(size_t d, const scalar *v);
void paper_count(paper_state *s);
scalar paper_step_size(paper_state *s);

/* Algorithm 1: l. 3-7, then l. 8 and 9 but for y, then l. 11-12; Algorithm 2: l. 9 and 10 but for y, then l. 12-16. */
void paper_spread(paper_state *s, const scalar *x);
scalar paper_aerr_look(paper_state *s, const scalar *x);
void paper_aerr_move(paper_state *s);
scalar paper_aelr_look(paper_state *s, const scalar *x);
void paper_aelr_move(paper_state *s);

#endif
