#include "joint/known.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sum.h"
#include "joint/conditional.h"

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
  unsigned char *has; /* of the example at hand */
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

/* Makes the factor that of the attributes in k->has, keeping the columns that it
 * has in common with the last one. */
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
