/* Certificates: optimality recomputed from the raw data.  They are plain loops with compensated sums, and
 * share no code with the solvers on purpose. */
#include "full/full.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "scant_base.h"

scant_status scant_dense_check(const scant_dense *problem, scant_error *error) {
  size_t n = problem->n, d = problem->d;
  if (n == 0) return scant_fail(error, SCANT_DATA, "there are no examples to solve for");
  if (d == 0) return scant_fail(error, SCANT_DATA, "there are no attributes to solve for");
  if (n > INT_MAX || d > INT_MAX || n > SIZE_MAX / sizeof(double) / d)
    return scant_fail(error, SCANT_DATA, "%zu examples of %zu attributes are too many for a full solution", n, d);
  for (size_t i = 0; i < n; i++) {
    const double *row = problem->x + i * d;
    /* 0 * v is 0 for every finite v and NaN for the others: a few sums per
     * row tell, without a branch or a chain through every value. */
    double poison[4] = {0 * problem->y[i], 0, 0, 0};
    for (size_t j = 0; j < d; j++) poison[j % 4] += 0 * row[j];
    if (poison[0] + poison[1] + poison[2] + poison[3] == 0) continue;
    if (!isfinite(problem->y[i]))
      return scant_fail(error, SCANT_DATA, "the target of example %zu is not a finite number", i + 1);
    for (size_t j = 0; j < d; j++)
      if (!isfinite(row[j]))
        return scant_fail(error, SCANT_DATA, "attribute %zu of example %zu is not a finite number", j + 1, i + 1);
  }
  return SCANT_OK;
}

static double predict(const double *row, const double *w, size_t d, double start) {
  scant_sum sum = {start, 0};
  for (size_t j = 0; j < d; j++) scant_sum_add(&sum, row[j] * w[j]);
  return scant_sum_value(sum);
}

/* sums[j] += factor * row[j]; the product is exact enough: its rounding is relative to a term, not to the sum. */
static void add_row(scant_sum *sums, const double *row, size_t d, double factor) {
  for (size_t j = 0; j < d; j++) scant_sum_add(&sums[j], factor * row[j]);
}

/* The gradient by w, the largest entry of |X'y|/n, and the objective. */
typedef struct squared {
  scant_sum *gradient, *products;
  double scale, value;
} squared;

static scant_status squared_new(squared *s, const scant_dense *p, const double *w, scant_error *error) {
  double n = (double)p->n;
  SCANT_TRY(scant_dense_check(p, error));
  s->gradient = scant_array(2 * p->d, sizeof *s->gradient);
  if (!s->gradient) return scant_fail_memory(error);
  s->products = s->gradient + p->d;
  scant_sum value = {0, 0};
  for (size_t i = 0; i < p->n; i++) {
    const double *row = p->x + i * p->d;
    double residual = predict(row, w, p->d, -p->y[i]);
    scant_sum_add(&value, residual * residual);
    add_row(s->gradient, row, p->d, residual / n);
    add_row(s->products, row, p->d, p->y[i] / n);
  }
  s->value = scant_sum_value(value) / (2 * n);
  s->scale = 0;
  for (size_t j = 0; j < p->d; j++) s->scale = fmax(s->scale, fabs(scant_sum_value(s->products[j])));
  return SCANT_OK;
}

/* The larger, and NaN if one is: fmax would hide it. */
static double worse(double a, double b) {
  return !(a >= b) ? (isnan(a) ? a : b) : a;
}

static void kkt_finish(scant_kkt *kkt, const squared *s, double violation, double norm, double radius) {
  kkt->kkt = s->scale > 0 ? violation / s->scale : violation;
  kkt->constraint = worse(0, norm / radius - 1);
  kkt->value = s->value;
}

scant_status scant_ridge_certificate(const scant_dense *problem, double radius, const double *w, double lambda,
                                     scant_kkt *kkt, scant_error *error) {
  squared s;
  SCANT_TRY(squared_new(&s, problem, w, error));
  scant_sum squares = {0, 0};
  double violation = 0;
  for (size_t j = 0; j < problem->d; j++) {
    scant_sum_add(&squares, w[j] * w[j]);
    violation = worse(violation, fabs(scant_sum_value(s.gradient[j]) + lambda * w[j]));
  }
  double norm = sqrt(scant_sum_value(squares));
  /* with lambda = 0 the radius may be infinite: 0 * inf is not a violation */
  if (lambda != 0) violation = worse(violation, fabs(lambda) * (lambda > 0 ? radius - norm : radius));
  kkt_finish(kkt, &s, violation, norm, radius);
  free(s.gradient);
  return SCANT_OK;
}

scant_status scant_lasso_certificate(const scant_dense *problem, double radius, const double *w, double lambda,
                                     scant_kkt *kkt, scant_error *error) {
  squared s;
  SCANT_TRY(squared_new(&s, problem, w, error));
  scant_sum norm = {0, 0};
  double violation = lambda < 0 ? -lambda : 0;
  for (size_t j = 0; j < problem->d; j++) {
    double gradient = scant_sum_value(s.gradient[j]);
    scant_sum_add(&norm, fabs(w[j]));
    violation = worse(violation, w[j] != 0 ? fabs(gradient + copysign(lambda, w[j])) : fabs(gradient) - lambda);
  }
  if (lambda > 0) violation = worse(violation, lambda * (1 - scant_sum_value(norm) / radius));
  kkt_finish(kkt, &s, violation, scant_sum_value(norm), radius);
  free(s.gradient);
  return SCANT_OK;
}

scant_status scant_svr_certificate(const scant_dense *problem, double tube, double radius, const double *w,
                                   const double *beta, scant_gap *gap, scant_error *error) {
  size_t n = problem->n, d = problem->d;
  SCANT_TRY(scant_dense_check(problem, error));
  scant_sum *combination = scant_array(d, sizeof *combination); /* X'beta */
  if (!combination) return scant_fail_memory(error);
  scant_sum primal = {0, 0}, dual = {0, 0}, zero = {0, 0};
  for (size_t i = 0; i < n; i++) {
    const double *row = problem->x + i * d;
    double b = beta[i] > 1 ? 1 : beta[i] < -1 ? -1 : beta[i];
    scant_sum_add(&primal, worse(0, fabs(predict(row, w, d, -problem->y[i])) - tube));
    scant_sum_add(&zero, worse(0, fabs(problem->y[i]) - tube));
    scant_sum_add(&dual, -b * problem->y[i]);
    scant_sum_add(&dual, -tube * fabs(b));
    add_row(combination, row, d, b);
  }
  scant_sum squares = {0, 0}, weights = {0, 0};
  for (size_t j = 0; j < d; j++) {
    double v = scant_sum_value(combination[j]);
    scant_sum_add(&squares, v * v);
    scant_sum_add(&weights, w[j] * w[j]);
  }
  free(combination);
  scant_sum_add(&dual, -radius * sqrt(scant_sum_value(squares)));
  gap->primal = scant_sum_value(primal) / (double)n;
  gap->dual = scant_sum_value(dual) / (double)n;
  double scale = worse(gap->primal, scant_sum_value(zero) / (double)n / 1000);
  gap->gap = scale > 0 ? (gap->primal - gap->dual) / scale : gap->primal - gap->dual;
  gap->constraint = worse(0, sqrt(scant_sum_value(weights)) / radius - 1);
  return SCANT_OK;
}
