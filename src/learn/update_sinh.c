/* The sinh of a t-statistic, in standardised coordinates: no step size, radius,
 * horizon or units.
 *
 *   S_i -= g_i,  V_i += g_i^2,  G_i = max g_i^2
 *   w_i = b sinh(clip(c S_i / sqrt(V_i + G_i), 20)),  b = 0.4/d
 *
 * While the gradients of an attribute look like noise its t-statistic stays
 * small and w_i is next to nothing; where they keep one sign w_i grows
 * exponentially until they turn.  G guards against attributes that are rarely
 * active.  `eta` is c; there is no ball.
 */
#include "learn/iterate.h"

#define STATISTIC_MOST 20.0

static double weight(const scant_iterate *w, const scant_score *s, double c) {
  double size = s->squares + s->largest;
  return size > 0 ? w->unit * sinh(scant_clip(c * s->sum / sqrt(size), STATISTIC_MOST)) : 0;
}

static void refresh(scant_iterate *w) {
  (void)w; /* nothing but the shapes, which are stored */
}

static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number) {
  (void)step_number;
  for (size_t r = 0; r < count; r++) {
    uint32_t i = attributes[r];
    scant_score *s = &w->score[i];
    if (g[r] == 0) continue;
    scant_iterate_touch(w, i);
    s->sum -= g[r];
    s->squares += g[r] * g[r];
    s->largest = fmax(s->largest, g[r] * g[r]);
    w->shape[i] = weight(w, s, eta);
  }
}

const scant_update scant_update_sinh = {.norm = SCANT_NORM_1, .scored = 1, .refresh = refresh, .step = step};
