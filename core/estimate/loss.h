/* The losses, in their smooth, entire forms [HK12, sec. 4.2].
 *
 * Each is built from one odd series h (the identity, or erf) applied to one or two arguments that are linear in the
 * prediction s = w.x:
 *
 *   squared       1/2 (s - y)^2              f' = s - y
 *   insensitive   max(0, |s - y| - tube)     f' = 1/2 [erf((s-y-t)/e) + erf((s-y+t)/e)]
 *   absolute      |s - y|                    f' = erf((s-y)/e)
 *   hinge         max(0, 1 - y s)            f' = y/2 [erf((y s - 1)/e) - 1]
 *
 * but for two that are smooth, though not entire, so that GenEst has no series for them:
 *
 *   huber         r^2/2 up to t, then linear f' = clip(s - y, t)
 *   logistic      log(1 + exp(-y s))         f' = -y / (1 + exp(y s))
 *
 * with t the tube (the paper's delta) and e the smoothing (its epsilon).  f' is the derivative by s; the gradient by w
 * is f' x. */
#ifndef SCANT_ESTIMATE_LOSS_H
#define SCANT_ESTIMATE_LOSS_H

#include "scant.h"

typedef struct scant_loss_form {
  scant_loss loss;
  double tube;
  double smoothing;
} scant_loss_form;

/* f' at the prediction s. */
double scant_loss_derivative(const scant_loss_form *form, double s, double y);

/* f' = constant + weight * sum over calls c of h(slope * s - shift[c]). */
typedef struct scant_loss_parts {
  unsigned calls;
  double slope, shift[2];
  double weight, constant;
} scant_loss_parts;

void scant_loss_split(const scant_loss_form *form, double y, scant_loss_parts *parts);

/* How many calls of GenEst the loss takes: 2 for insensitive, else 1. */
unsigned scant_loss_calls(scant_loss loss);

/* Has f' a series that converges everywhere? */
static inline int scant_loss_is_entire(scant_loss loss) {
  return loss != SCANT_LOSS_HUBER && loss != SCANT_LOSS_LOGISTIC;
}

/* Does the loss classify, so that targets must be -1 or +1? */
static inline int scant_loss_classifies(scant_loss loss) {
  return loss == SCANT_LOSS_HINGE || loss == SCANT_LOSS_LOGISTIC;
}

#endif
