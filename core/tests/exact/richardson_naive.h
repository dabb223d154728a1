/* The derivative with its bias cancelled, as estimate/stopped_gradient.h states it: from a
 * list of draws and the half that each is in. */
#ifndef SCANT_TESTS_RICHARDSON_NAIVE_H
#define SCANT_TESTS_RICHARDSON_NAIVE_H

#include "estimate/loss.h"

static inline long double naive_f(const scant_loss_form *form, long double known, const long double *u, const int *half,
                                  uint32_t n, double y) {
  long double sum[2] = {0};
  double count[2] = {0};
  for (uint32_t k = 0; k < n; k++) {
    sum[half[k]] += u[k];
    count[half[k]] += 1;
  }
  if (!n) return scant_loss_derivative(form, (double)known, y);
  double whole = scant_loss_derivative(form, (double)(known + (sum[0] + sum[1]) / n), y);
  if (count[0] == 0 || count[1] == 0) return whole;
  long double r = (1.0L / n) / ((1 / (long double)count[0] + 1 / (long double)count[1]) / 2 - 1.0L / n);
  return (1 + r) * whole - r / 2 *
                               ((long double)scant_loss_derivative(form, (double)(known + sum[0] / count[0]), y) +
                                scant_loss_derivative(form, (double)(known + sum[1] / count[1]), y));
}

#endif
