/* Pegasos steps with projection onto the 1-norm ball [CSS11, AER]:
 *
 *   w <- (1 - 1/t) w - 2/(lambda t) g,   then project onto ||w||_1 <= B
 *
 * for the loss (w.x - y)^2, whose gradient is twice our g.  The projection
 * moves every coordinate, so a step is O(d). */
#include "learn/iterate.h"

/* The projection keeps max(0, |w_i| - tau).  Near the largest |w_i| that
 * difference is small beside both, so everything is written in gaps below the
 * largest: with delta = largest - tau, |w_i| becomes max(0, delta - gap_i), and
 * delta = (B + sum of the kept gaps) / how many are kept, which only adds. */
void scant_project_1norm(double *w, size_t d, double radius) {
  double sum = 0, most = 0;
  for (size_t i = 0; i < d; i++) {
    sum += fabs(w[i]);
    most = fmax(most, fabs(w[i]));
  }
  if (!(sum > radius)) return;
  double delta = INFINITY;
  for (size_t kept = d + 1;;) { /* Michelot: what is below the threshold goes, and it rises */
    double gaps = 0;
    size_t count = 0;
    for (size_t i = 0; i < d; i++) {
      double gap = most - fabs(w[i]);
      if (gap < delta) {
        gaps += gap;
        count++;
      }
    }
    if (count == kept) break;
    kept = count;
    delta = (radius + gaps) / (double)count;
  }
  for (size_t i = 0; i < d; i++) w[i] = copysign(fmax(0, delta - (most - fabs(w[i]))), w[i]);
}

static void refresh(scant_iterate *w) {
  scant_iterate_refresh_law(w, 0);
}

static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number, double *scratch) {
  (void)eta; /* the step size is 2/(lambda t) */
  (void)scratch;
  double t = (double)step_number, clock = scant_sum_value(w->clock);
  double *shape = scant_sumtree_leaves(&w->law);
  for (size_t i = 0; i < w->d; i++) shape[i] = w->at[i].shape * (1 - 1 / t);
  for (size_t r = 0; r < count; r++) shape[attributes[r]] -= 2 / (w->penalty * t) * g[r];
  scant_project_1norm(shape, w->d, w->radius);
  for (size_t i = 0; i < w->d; i++) scant_iterate_reshape(w, i, shape[i], clock);
  refresh(w);
}

const scant_update scant_update_pegasos = {
    .norm = SCANT_NORM_1, .average_updated = 1, .refresh = refresh, .step = step};
