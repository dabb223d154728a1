#include "estimate/loss.h"

#include <math.h>

#define ONE_OVER_SQRT_PI 0.56418958354775628695

double scant_rho(double x) {
  return x * erf(x) + ONE_OVER_SQRT_PI * exp(-x * x);
}

double scant_loss_value(const scant_loss_form *form, double s, double y) {
  double e = form->smoothing, t = form->tube, r = s - y;
  switch (form->loss) {
    case SCANT_LOSS_INSENSITIVE: /* [HK12, sec. 4.2, f_eps] */
      return e / 2 * scant_rho((r - t) / e) + e / 2 * scant_rho((r + t) / e) - t;
    case SCANT_LOSS_ABSOLUTE:
      return e * scant_rho(r / e);
    case SCANT_LOSS_HINGE: /* max(0, u) = (u + |u|)/2 with u = 1 - y s */
      return ((1 - y * s) + e * scant_rho((1 - y * s) / e)) / 2;
    case SCANT_LOSS_HUBER:
      return fabs(r) <= t ? r * r / 2 : t * (fabs(r) - t / 2);
    case SCANT_LOSS_LOGISTIC: /* without overflow for either sign */
      return y * s > 0 ? log1p(exp(-y * s)) : log1p(exp(y * s)) - y * s;
    case SCANT_LOSS_SQUARED:
    default:
      return r * r / 2;
  }
}

void scant_loss_split(const scant_loss_form *form, double y, scant_loss_parts *parts) {
  double e = form->smoothing, t = form->tube;
  *parts = (scant_loss_parts){.calls = scant_loss_calls(form->loss), .slope = 1 / e, .weight = 1};
  switch (form->loss) {
    case SCANT_LOSS_INSENSITIVE: /* [HK12, Alg. 4, y+ and y-] */
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
    sum += scant_loss_is_smoothed(form->loss) ? erf(u) : u;
  }
  return parts.constant + parts.weight * sum;
}
