/* The gradient of any loss f(w.x - y, ...) under a strict K.
 *
 * f'(s) is not linear, so f' of an unbiased estimate of s is biased by about
 * f'''/2 times its variance, which falls like 1/n with n draws.  Two estimates
 * with different n cancel that term (Richardson):
 *
 *   F = (1 + r) f'(mean of all n) - r/2 [f'(mean of one half) + f'(the other)]
 *   r = (1/n) / (1/2 (1/n1 + 1/n2) - 1/n)                 (1 for equal halves)
 *
 * For an item that was drawn, the draws of the others and its own exact part
 * estimate s, so looks serve gradient and residual at once:
 *
 *   drawn:  g_i = n_i x_i / (N q_i) F(p + b + t_i, the N - 1 other draws, its own as 0)
 *   in H:   g_i = x_i F(p + b, all N draws)
 *
 * in the letters of ustatistic.h, with b the intercept.  For squared loss it is unbiased;
 * with every attribute in H it is exact for any loss.
 */
#ifndef SCANT_ESTIMATE_RICHARDSON_H
#define SCANT_ESTIMATE_RICHARDSON_H

#include "estimate/loss.h"
#include "scant.h"

/* Fills g[i] for every place, and returns the gradient of the intercept.  The look's residual draws are the
 * draws of the second half. */
double scant_richardson_gradient(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                                 double *g);

#endif
