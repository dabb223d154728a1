/* Gradients from stopped looks (look/stopped.c).
 *
 * The stopped U-statistic is an unbiased gradient of 1/2 (w.x - y)^2, and an unbiased estimate of (w.x - y)^2, from the
 * same looks.
 *
 * The items of a set H (an item is an attribute of its own or a group) were bought for certain.  N draws from a law q
 * chose among the others, and stopped before the draw that would have been too many.  Given the stop, the kept draws
 * are exchangeable, so means over ordered pairs of distinct draws are unbiased; an item's own term is known exactly.
 * With
 *
 *   t_i = w_i x_i (summed over a group),  p = sum of t_i over H,
 *   P = sum over draws of t_i / q_i,      c_i = n_i t_i / q_i,
 *
 *   in H:   g_i = x_i (p + P/N - y)
 *   drawn:  g_i = n_i x_i / (N q_i) [(P - c_i)/(N-1) + t_i + p - y]
 *
 * and (w.x - y)^2 is estimated by
 *
 *   [P^2 - sum c_i^2]/(N(N-1)) + sum c_i t_i / N + p^2 + 2 p P/N - 2 y (P/N + p) + y^2.
 *
 * With every attribute in H both are exact. */
#ifndef SCANT_ESTIMATE_STOPPED_GRADIENT_H
#define SCANT_ESTIMATE_STOPPED_GRADIENT_H

#include "estimate/loss.h"
#include "scant.h"

/* Sums over a look for some weights: w[i] belongs to look->attributes[i], NULL means the weights frozen in the look. */
typedef struct scant_ustatistic {
  double certain; /* p */
  double drawn;   /* P */
  double squares; /* sum c_i^2 */
  double own;     /* sum c_i t_i */
  double draws;   /* N */
} scant_ustatistic;

/* For every place of the look, t[i] becomes t of its item and a[i] = n_i / q_i, which is 0 in H. */
scant_ustatistic scant_ustatistic_of(const scant_look *look, const double *x, const double *w, double *t, double *a);

/* g[i] for every place, from x, t and a. */
void scant_ustatistic_gradient(const scant_ustatistic *u, const scant_look *look, const double *x, const double *t,
                               const double *a, double y, double *g);

/* The estimate of (w.x - y)^2; it may be negative. */
double scant_ustatistic_risk(const scant_ustatistic *u, double y);

/* One past the last place of the item that begins at `first`. */
static inline uint32_t scant_look_item_end(const scant_look *look, uint32_t first) {
  uint32_t last = first + 1;
  while (last < look->count && look->item[last] == look->item[first]) last++;
  return last;
}

/* ---- Richardson: any loss f(w.x - y, ...) under a strict K -----------------------------
 *
 * f'(s) is not linear, so f' of an unbiased estimate of s is biased by about f'''/2 times its variance, which falls
 * like 1/n with n draws.  Two estimates with different n cancel that term:
 *
 *   F = (1 + r) f'(mean of all n) - r/2 [f'(mean of one half) + f'(the other)]
 *   r = (1/n) / (1/2 (1/n1 + 1/n2) - 1/n)                 (1 for equal halves)
 *
 * For an item that was drawn, the draws of the others and its own exact part estimate s, so looks serve gradient and
 * residual at once:
 *
 *   drawn:  g_i = n_i x_i / (N q_i) F(p + b + t_i, the N - 1 other draws, its own as 0)
 *   in H:   g_i = x_i F(p + b, all N draws)
 *
 * in the letters of the U-statistic, with b the intercept.  For squared loss it is unbiased; with every attribute in H
 * it is exact for any loss. */

/* Fills g[i] for every place, and returns the gradient of the intercept.  The look's residual draws are the
 * draws of the second half. */
double scant_richardson_gradient(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                                 double *g);

#endif
