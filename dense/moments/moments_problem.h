/* Correlations from sums over pairs, and a path of solutions: what moments_solve.c makes its choice from. */
#ifndef SCANT_DENSE_MOMENTS_MOMENTS_PROBLEM_H
#define SCANT_DENSE_MOMENTS_MOMENTS_PROBLEM_H

#include "moments/moments.h"

enum { SCANT_MOMENTS_ALL = SCANT_MOMENTS_FOLDS };

/* A problem in learning units: minimise 1/2 v'Rv - b'v + L/2 |v|_2^2 or L |v|_1. An attribute's unit is the root of its
 * mean square with the largest deviation counted much more often; the target's is its deviation. */
typedef struct scant_moments_problem {
  const scant_settings *settings;
  const scant_moments_state *state;
  int without; /* the fold left out, or SCANT_MOMENTS_ALL for none */
  size_t a;    /* attributes that vary and have shown themselves */
  uint32_t *attribute;
  double *mean;              /* about the reference point */
  double *deviation, *scale; /* scale: the unit */
  double examples, y_mean, y_scale;
  double *r;     /* a x a, column-major: R in its lower half, then its eigenvectors */
  double *b, *s; /* s: eigenvalues of R, none below a floor */
  double *path;  /* one solution after the other */
} scant_moments_problem;

/* Sums of a pair i, j: how often, of x_i, of x_j, of x_i x_j. */
typedef struct scant_moments_pair {
  double n, si, sj, product;
} scant_moments_pair;

scant_moments_pair scant_moments_pair_in(const scant_pairs *fold, size_t i, size_t j);
/* Over all folds but one. */
scant_moments_pair scant_moments_pair_of(const scant_moments_state *s, int without, size_t i, size_t j);

/* Sum of (x_i - a)(x_j - c). */
static inline double scant_moments_about(scant_moments_pair p, double a, double c) {
  return p.product - a * p.sj - c * p.si + p.n * a * c;
}

/* How often a pair is known together: a mean of its count among all examples and of the number expected from
 * independent looks.  So a pair that was never met still counts, and one that was met by luck does not stand
 * for those that were not.  Large counts decide, as they must where missing values come together.  They also
 * weigh more the less is left to chance: `chance` is the probability that a look does not have both, 0 where
 * all is looked at.  A look is of `rows` examples: so many that are met together were met by one chance. */
double scant_moments_pair_rate(double count, double expected, double chance, double rows);

/* How often two attributes come together in looks at K distinct ones, from how often each comes.
 *
 * The look's size is fixed, so sum over j != i of cov(i, j) = -p_i (1 - p_i) where p is the chance of being in a look.
 * With cov(i, j) = -a_i a_j that has one solution:
 *
 *   a_i (sum of a - a_i) = p_i (1 - p_i),        P(i and j) = p_i p_j - a_i a_j
 *
 * (Deville and Tille 2005, "Variance approximation under balanced sampling").  It is exact where all chances are equal,
 * where there are three attributes, and where K = d and a is 0; for draws one after the other by a law half of which is
 * even it is within 0.02, and nearer the more attributes there are (dense/tests/moments_risk_test.c enumerates them).
 *
 * Fills a[d] for chances p[d] in [0, 1] whose sum is K.  Chances of real looks always have a solution but for rounding;
 * where there is none, the last of many steps is returned.  O(d) per step. */
void scant_together(size_t d, const double *p, double *a);

/* Solves for `count` falling penalties.  Close it even after a failure. */
scant_status scant_moments_problem_open(scant_moments_problem *p, const scant_moments_state *state,
                                        const scant_settings *settings, int without, size_t count,
                                        const double *penalty, scant_error *error);
void scant_moments_problem_close(scant_moments_problem *p);

#endif
