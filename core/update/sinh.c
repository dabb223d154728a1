/* The sinh of a t-statistic, in standardised coordinates.
 *
 *   S_i -= g_i,  V_i += g_i^2,  G_i = max g_i^2
 *   h_i = sinh(clip(eta S_i / sqrt(V_i + G_i), 20))
 *   w_i = f h_i,  f = min(0.4/d, B / sum |h|)
 *
 * While the gradients of an attribute look like noise its t-statistic stays small and w_i is next to nothing; where
 * they keep one sign w_i grows exponentially until they turn.  G guards against attributes that are rarely active.
 * Without a ball (B infinite) there is no radius and no horizon, and eta = sqrt(log(2d)/2) needs no tuning. */
#include <math.h>

#include "base/lanes.h"
#include "update/iterate.h"

#define STATISTIC_MOST 20.0

static void refresh(scant_iterate *w) {
  if (scant_sumtree_exists(&w->law)) scant_iterate_refresh_law(w, 0);
}

/* Adds this gradient to the sums, and computes the parts of the t-statistic. */
static void add_up(scant_score *restrict score, size_t count, const uint32_t *attributes, const double *g,
                   double *restrict sum, double *restrict size) {
  for (size_t r = 0; r < count; r++) {
    scant_score *s = &score[attributes[r]];
    double square = g[r] * g[r];
    s->sum -= g[r];
    s->squares += square;
    s->largest = s->largest > square ? s->largest : square;
    sum[r] = s->sum;
    size[r] = s->squares + s->largest;
  }
}

/* If the size is 0, there was no gradient yet, and the sum is 0 too. */
SCANT_WIDEST static void statistics(size_t count, double eta, double *restrict sum, const double *restrict size) {
  for (size_t r = 0; r < count; r++)
    sum[r] = scant_clip(eta * sum[r] / sqrt(size[r] > 0 ? size[r] : 1), STATISTIC_MOST);
}

static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number, double *scratch) {
  (void)step_number;
  double clock = scant_sum_value(w->clock);
  scant_iterate_touch(w, count, attributes);
  add_up(w->score, count, attributes, g, scratch, scratch + count);
  statistics(count, eta, scratch, scratch + count);
  scant_hyperbolic(count, scratch, scratch, NULL);
  for (size_t r = 0; r < count; r++) scant_iterate_reshape(w, attributes[r], scratch[r], clock);
  if (!scant_sumtree_exists(&w->law)) return;
  for (size_t r = 0; r < count; r++) scant_sumtree_leaves(&w->law)[attributes[r]] = fabs(scratch[r]);
  scant_sumtree_settle(&w->law, count, attributes);
  double norm = scant_sumtree_total(&w->law);
  w->scale = w->unit * norm > w->radius ? w->radius / norm : w->unit;
}

static double default_eta(const scant_step_inputs *o) {
  return sqrt(log(2 * o->d) / 2);
}

const scant_update scant_update_sinh = {
    .norm = SCANT_NORM_1, .scored = 1, .anytime = 1, .eta = default_eta, .refresh = refresh, .step = step};
