/* How often two attributes come together in looks at K distinct ones, from how often
 * each comes.
 *
 * The look's size is fixed, so sum over j != i of cov(i, j) = -p_i (1 - p_i) where p is
 * the chance of being in a look.  With cov(i, j) = -a_i a_j that has one solution:
 *
 *   a_i (sum of a - a_i) = p_i (1 - p_i),        P(i and j) = p_i p_j - a_i a_j
 *
 * (Deville and Tille 2005, "Variance approximation under balanced sampling").  It is exact
 * where all chances are equal, where there are three attributes, and where K = d and a
 * is 0; for draws one after the other by a law half of which is even it is within 0.02,
 * and nearer the more attributes there are (dense/tests/moments_risk_test.c enumerates
 * them).
 */
#ifndef SCANT_DENSE_TOGETHER_H
#define SCANT_DENSE_TOGETHER_H

#include <stddef.h>

/* Fills a[d] for chances p[d] in [0, 1] whose sum is K.  Chances of real looks always have a solution but for
 * rounding; where there is none, the last of many steps is returned.  O(d) per step. */
void scant_together(size_t d, const double *p, double *a);

#endif
