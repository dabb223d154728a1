/* Projected gradient in the 2-norm ball [HK12, Alg. 1], in O(count log d): only the entries of g change shape, and
 * the projection is a change of scale. */
#include <math.h>

#include "base/lanes.h"
#include "update/iterate.h"

/* Past these, scale is folded into the shapes by a power of two, which is
 * exact and keeps shape_i^2 within the range of a double. */
#define SCALE_SMALLEST 0x1p-128
#define SCALE_LARGEST 0x1p128

static void refresh(scant_iterate *w) {
  scant_iterate_refresh_law(w, 1);
}

static void fold_scale(scant_iterate *w) {
  int exponent = ilogb(w->scale);
  scant_iterate_flush(w);
  size_t count = w->live ? w->live_count : w->d;
  for (size_t r = 0; r < count; r++) {
    size_t i = w->live ? w->live[r] : r;
    double shape = ldexp(w->at[i].shape, exponent);
    w->at[i].shape = shape;
    scant_sumtree_set(&w->law, i, shape * shape);
  }
  w->scale = ldexp(w->scale, -exponent);
  w->rescaled++;
}

/* If a step is far larger than w, the sum booked so far and its correction would cancel. So everything is
 * booked before such a step. */
static void flush_before(scant_iterate *w, size_t count, const double *g, double size) {
  if (size * scant_lanes_largest(count, g) > 0x1p14 * sqrt(scant_sumtree_total(&w->law))) scant_iterate_flush(w);
}

/* [HK12, Alg. 1, l. 11-12] */
static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number, double *scratch) {
  (void)step_number;
  (void)scratch;
  double size = eta / w->scale;
  flush_before(w, count, g, size);
  scant_iterate_touch(w, count, attributes);
  double clock = scant_sum_value(w->clock);
  scant_coordinate *restrict at = w->at;
  double *law = scant_sumtree_leaves(&w->law);
  for (size_t r = 0; r < count; r++) {
    scant_coordinate *c = &at[attributes[r]];
    double delta = size * g[r], shape = c->shape - delta;
    c->shape = shape;
    c->booked += delta * clock;
    law[attributes[r]] = shape * shape;
  }
  scant_sumtree_settle(&w->law, count, attributes);
  double norm = w->scale * sqrt(scant_sumtree_total(&w->law));
  if (norm > w->radius) w->scale *= w->radius / norm;
  if (w->scale < SCALE_SMALLEST || w->scale > SCALE_LARGEST) fold_scale(w);
}

/* [HK12, thm 3.1]: sqrt(k/2dm).  With every attribute |g| <= 2B, and [HK12, lemma 3.2] gives 2B/(G sqrt m). */
static double theorem_eta(const scant_step_inputs *o) {
  return o->exact ? 1 / sqrt(o->m) : sqrt(o->k / (2 * o->d * o->m));
}

const scant_update scant_update_gradient = {.norm = SCANT_NORM_2, .eta = theorem_eta, .refresh = refresh, .step = step};
