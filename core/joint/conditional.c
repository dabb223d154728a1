#include "joint/conditional.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

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

/* The columns at the places of `order` are a triangle L with L L' = S_oo and L l = S_oy, l being the columns' entries
 * of the target: L' w = l is solved from the last row up. */
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

/* ---- conditional means of whole examples ------------------------------------------- */

enum { PATTERNS = 8 };

/* A pattern: which attributes are known, and the weights and variance that follow from that for any values. */
typedef struct {
  unsigned char *has; /* has the attribute at this place a value? */
  size_t count;       /* places with a weight; the others follow from them */
  uint32_t *places;
  double *weights;
  double variance;
  uint64_t used; /* when it was last used; 0: never */
} pattern;

struct scant_known {
  const scant_gaussian *gaussian;
  scant_conditional conditional;
  pattern patterns[PATTERNS];
  unsigned char *has; /* of this example */
  uint64_t now;
};

scant_status scant_known_new(scant_known **known, const scant_gaussian *gaussian, scant_error *error) {
  scant_known *k = scant_array(1, sizeof *k);
  if (!k) return scant_fail_memory(error);
  k->gaussian = gaussian;
  k->has = scant_array(gaussian->count, 1);
  int good = k->has && scant_conditional_init(&k->conditional, gaussian, NULL) == SCANT_OK;
  for (size_t i = 0; good && i < PATTERNS; i++) {
    pattern *p = &k->patterns[i];
    p->has = scant_array(gaussian->count, 1);
    p->places = scant_array(gaussian->count, sizeof *p->places);
    p->weights = scant_array(gaussian->count, sizeof *p->weights);
    good = p->has && p->places && p->weights;
  }
  if (!good) {
    scant_known_free(k);
    return scant_fail_memory(error);
  }
  *known = k;
  return SCANT_OK;
}

void scant_known_free(scant_known *known) {
  if (!known) return;
  for (size_t i = 0; i < PATTERNS; i++) {
    free(known->patterns[i].has);
    free(known->patterns[i].places);
    free(known->patterns[i].weights);
  }
  scant_conditional_free(&known->conditional);
  free(known->has);
  free(known);
}

int scant_known_has_holes(const scant_known *known, const double *x) {
  const scant_gaussian *g = known->gaussian;
  for (size_t i = 0; i < g->count; i++)
    if (isnan(x[g->attributes[i]])) return 1;
  return 0;
}

/* Makes the factor that of the attributes in k->has, keeping the columns that it has in common with the last one. */
static scant_status factor(scant_known *k, scant_error *error) {
  scant_conditional *c = &k->conditional;
  size_t same = 0;
  for (size_t i = 0; i < k->gaussian->count; i++) {
    if (!k->has[i]) continue;
    if (same < c->depth && c->order[same] == i) {
      same++;
      continue;
    }
    if (same < c->depth) scant_conditional_rewind(c, same);
    if (!scant_conditional_varies(c, i)) continue;
    SCANT_TRY(scant_conditional_add(c, i, error));
    same = c->depth;
  }
  if (same < c->depth) scant_conditional_rewind(c, same);
  return SCANT_OK;
}

/* The pattern of k->has.  A new one takes the place of the pattern that was not used for longest. */
static scant_status find_pattern(scant_known *k, pattern **found, scant_error *error) {
  size_t count = k->gaussian->count;
  pattern *oldest = &k->patterns[0];
  for (pattern *p = k->patterns; p < k->patterns + PATTERNS; p++) {
    if (p->used && !memcmp(p->has, k->has, count)) {
      *found = p;
      return SCANT_OK;
    }
    if (p->used < oldest->used) oldest = p;
  }
  SCANT_TRY(factor(k, error));
  const scant_conditional *c = &k->conditional;
  memcpy(oldest->has, k->has, count);
  memcpy(oldest->places, c->order, c->depth * sizeof *c->order);
  oldest->count = c->depth;
  oldest->variance = c->variance[count];
  scant_conditional_weights(c, oldest->weights);
  *found = oldest;
  return SCANT_OK;
}

scant_status scant_known_expect(scant_known *known, const double *x, double *mean, double *variance,
                                scant_error *error) {
  const scant_gaussian *g = known->gaussian;
  pattern *p;
  for (size_t i = 0; i < g->count; i++) known->has[i] = (unsigned char)!isnan(x[g->attributes[i]]);
  SCANT_TRY(find_pattern(known, &p, error));
  p->used = ++known->now;
  scant_sum sum = {g->mean[g->count], 0};
  for (size_t t = 0; t < p->count; t++) {
    uint32_t place = p->places[t];
    scant_sum_add(&sum, p->weights[t] * (x[g->attributes[place]] - g->mean[place]));
  }
  *mean = scant_sum_value(sum);
  *variance = p->variance;
  return SCANT_OK;
}
