#include "estimate/loss.h"

#include <math.h>

void scant_loss_split(const scant_loss_form *form, double y, scant_loss_parts *parts) {
  double e = form->smoothing, t = form->tube;
  *parts = (scant_loss_parts){.calls = scant_loss_calls(form->loss), .slope = 1 / e, .weight = 1};
  switch (form->loss) {
    case SCANT_LOSS_INSENSITIVE: /* y+ and y- [HK12, Alg. 4, l. 2] */
      parts->shift[0] = (y + t) / e;
      parts->shift[1] = (y - t) / e;
      parts->weight = 0.5;
      break;
    case SCANT_LOSS_ABSOLUTE:
      parts->shift[0] = y / e;
      break;
    case SCANT_LOSS_HINGE:
      parts->slope = y / e;
      parts->shift[0] = 1 / e;
      parts->weight = y / 2;
      parts->constant = -y / 2;
      break;
    case SCANT_LOSS_HUBER:
    case SCANT_LOSS_LOGISTIC: /* no entire f': GenEst has no series for them */
    case SCANT_LOSS_SQUARED:
    default:
      parts->slope = 1;
      parts->shift[0] = y;
      break;
  }
}

unsigned scant_loss_calls(scant_loss loss) {
  return loss == SCANT_LOSS_INSENSITIVE ? 2 : 1;
}

double scant_loss_derivative(const scant_loss_form *form, double s, double y) {
  if (form->loss == SCANT_LOSS_HUBER) return fmin(fmax(s - y, -form->tube), form->tube);
  if (form->loss == SCANT_LOSS_LOGISTIC) return -y / (1 + exp(y * s));
  scant_loss_parts parts;
  scant_loss_split(form, y, &parts);
  double sum = 0;
  for (unsigned c = 0; c < parts.calls; c++) {
    double u = parts.slope * s - parts.shift[c];
    sum += form->loss == SCANT_LOSS_SQUARED ? u : erf(u);
  }
  return parts.constant + parts.weight * sum;
}
