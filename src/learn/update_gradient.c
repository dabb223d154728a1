/* Projected gradient in the 2-norm ball [HK12, Alg. 1, l. 11-12], in
 * O(count log d): only the entries of g change shape, and the projection is a
 * change of scale. */
#include "learn/iterate.h"

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
  for (size_t r = 0; r < w->live_count; r++) {
    uint32_t i = w->live[r];
    w->shape[i] = ldexp(w->shape[i], exponent);
    scant_sumtree_set(&w->law, i, w->shape[i] * w->shape[i]);
  }
  w->scale = ldexp(w->scale, -exponent);
  w->rescaled++;
}

static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number) {
  (void)step_number;
  for (size_t r = 0; r < count; r++) {
    if (g[r] == 0) continue;
    uint32_t i = attributes[r];
    scant_iterate_touch(w, i);
    double shape = w->shape[i] - eta * g[r] / w->scale;
    w->shape[i] = shape;
    scant_sumtree_set(&w->law, i, shape * shape);
  }
  double norm = w->scale * sqrt(scant_sumtree_total(&w->law));
  if (norm > w->radius) w->scale *= w->radius / norm;
  if (w->scale < SCALE_SMALLEST || w->scale > SCALE_LARGEST) fold_scale(w);
}

const scant_update scant_update_gradient = {.norm = SCANT_NORM_2, .refresh = refresh, .step = step};
