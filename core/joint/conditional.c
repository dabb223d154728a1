#include "joint/conditional.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

scant_status scant_conditional_init(scant_conditional *conditional, const scant_gaussian *gaussian,
                                    scant_error *error) {
  scant_conditional c = {.gaussian = gaussian, .variables = gaussian->count + 1};
  c.order = scant_array(c.variables, sizeof *c.order);
  c.variance = scant_array(c.variables, sizeof *c.variance);
  c.covariance = scant_array(c.variables, sizeof *c.covariance);
  if (!c.order || !c.variance || !c.covariance) {
    scant_conditional_free(&c);
    return scant_fail_memory(error);
  }
  scant_conditional_rewind(&c, 0);
  *conditional = c;
  return SCANT_OK;
}

void scant_conditional_free(scant_conditional *conditional) {
  free(conditional->columns);
  free(conditional->order);
  free(conditional->variance);
  free(conditional->covariance);
  *conditional = (scant_conditional){0};
}

/* An attribute that follows from others has no innovation but rounding noise. */
int scant_conditional_varies(const scant_conditional *c, size_t place) {
  return c->variance[place] > SCANT_GAUSSIAN_DEPENDENT * scant_gaussian_covariance(c->gaussian, place, place);
}

/* Subtracts the share of column t from the variances and covariances. */
static void explain(scant_conditional *c, size_t t) {
  size_t n = c->variables, y = n - 1;
  const double *column = scant_conditional_column(c, t);
  for (size_t i = 0; i < n; i++) {
    c->variance[i] -= column[i] * column[i];
    c->covariance[i] -= column[i] * column[y];
  }
  c->variance[c->order[t]] = c->covariance[c->order[t]] = 0; /* exactly: it is known */
  if (!(c->variance[y] > 0)) c->variance[y] = 0;
  c->depth = t + 1;
}

scant_status scant_conditional_add(scant_conditional *c, size_t place, scant_error *error) {
  size_t n = c->variables, t = c->depth;
  size_t needed = (t + 1) * n;
  if (!scant_grow(&c->columns, &c->capacity, needed, sizeof *c->columns)) return scant_fail_memory(error);
  double *column = c->columns + t * n, deviation = sqrt(c->variance[place]);
  for (size_t i = 0; i < n; i++) column[i] = scant_gaussian_covariance(c->gaussian, i, place);
  for (size_t s = 0; s < t; s++) {
    const double *before = scant_conditional_column(c, s);
    double share = before[place];
    for (size_t i = 0; i < n; i++) column[i] -= share * before[i];
  }
  for (size_t i = 0; i < n; i++) column[i] /= deviation;
  for (size_t s = 0; s < t; s++) column[c->order[s]] = 0; /* exactly 0: what is known has no variance left */
  column[place] = deviation;
  c->order[t] = (uint32_t)place;
  explain(c, t);
  return SCANT_OK;
}

void scant_conditional_rewind(scant_conditional *c, size_t depth) {
  for (size_t i = 0; i < c->variables; i++) {
    c->variance[i] = scant_gaussian_covariance(c->gaussian, i, i);
    c->covariance[i] = scant_gaussian_covariance(c->gaussian, i, c->variables - 1);
  }
  c->depth = 0;
  for (size_t t = 0; t < depth; t++) explain(c, t);
}

double scant_conditional_innovation(const scant_conditional *c, size_t t, double x, const double *innovations) {
  size_t place = c->order[t];
  double left = x - c->gaussian->mean[place];
  for (size_t s = 0; s < t; s++) left -= scant_conditional_column(c, s)[place] * innovations[s];
  return left / scant_conditional_column(c, t)[place];
}

/* The columns at the places of `order` are a triangle L with L L' = S_oo and
 * L l = S_oy, l being the columns' entries of the target: L' w = l is solved
 * from the last row up. */
void scant_conditional_weights(const scant_conditional *c, double *weights) {
  for (size_t t = c->depth; t-- > 0;) {
    const double *column = scant_conditional_column(c, t);
    double left = column[c->variables - 1];
    for (size_t u = t + 1; u < c->depth; u++) left -= column[c->order[u]] * weights[u];
    weights[t] = left / column[c->order[t]];
  }
}

double scant_conditional_covariance(const scant_conditional *c, size_t i, size_t j) {
  double covariance = scant_gaussian_covariance(c->gaussian, i, j);
  for (size_t t = 0; t < c->depth; t++) {
    const double *column = scant_conditional_column(c, t);
    covariance -= column[i] * column[j];
  }
  return covariance;
}
