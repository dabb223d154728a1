#include "estimate/richardson.h"

#include "estimate/ustatistic.h"

/* Sums of t/q over the two halves of the draws, and how many they are. */
typedef struct {
  double sum[2], count[2];
} halves;

/* F: the derivative at an estimate of the prediction, its bias cancelled as far
 * as there are two halves to compare. */
static double derivative(const scant_loss_form *form, double known, const halves *h, double y) {
  double n1 = h->count[0], n2 = h->count[1], n = n1 + n2;
  if (!(n > 0)) return scant_loss_derivative(form, known, y);
  double whole = scant_loss_derivative(form, known + (h->sum[0] + h->sum[1]) / n, y);
  if (!(n1 > 0) || !(n2 > 0)) return whole;
  double r = 1 / n / ((1 / n1 + 1 / n2) / 2 - 1 / n);
  double parts =
      scant_loss_derivative(form, known + h->sum[0] / n1, y) + scant_loss_derivative(form, known + h->sum[1] / n2, y);
  return (1 + r) * whole - r / 2 * parts;
}

/* The draws of a place in the first and in the second half. */
static double draws_in(const scant_look *look, uint32_t i, int half) {
  return half ? look->residual_draws[i] : look->gradient_draws[i] - look->residual_draws[i];
}

double scant_richardson_gradient(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                                 double *g) {
  double known = look->intercept, n = look->gradient_total;
  halves all = {.count = {look->gradient_total - look->residual_total, look->residual_total}};
  for (uint32_t first = 0, end; first < look->count; first = end) {
    end = scant_look_item_end(look, first);
    double t = scant_look_item_product(look, x, NULL, first, end);
    if (!look->gradient_draws[first]) known += t;
    for (int half = 0; half < 2 && look->gradient_draws[first]; half++)
      all.sum[half] += draws_in(look, first, half) * t / look->gradient_probability[first];
  }
  double certain = derivative(form, known, &all, y);
  for (uint32_t first = 0, end; first < look->count; first = end) {
    end = scant_look_item_end(look, first);
    double factor = certain;
    if (look->gradient_draws[first]) {
      factor = 0;
      double t = scant_look_item_product(look, x, NULL, first, end);
      halves rest = all;
      for (int half = 0; half < 2; half++)
        rest.sum[half] -= draws_in(look, first, half) * t / look->gradient_probability[first];
      /* Each draw of the item in turn is the gradient's; its other draws count as 0 in the estimate of the rest. */
      for (int half = 0; half < 2; half++) {
        if (!(draws_in(look, first, half) > 0)) continue;
        halves others = rest;
        others.count[half] -= 1;
        factor += draws_in(look, first, half) / (n * look->gradient_probability[first]) *
                  derivative(form, known + t, &others, y);
      }
    }
    for (uint32_t i = first; i < end; i++) g[i] = factor * x[i];
  }
  return certain;
}
