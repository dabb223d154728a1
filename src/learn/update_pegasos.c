/* Pegasos steps with projection onto the 1-norm ball [CSS11, AER]:
 *
 *   w <- (1 - 1/t) w - 2/(lambda t) g,   then project onto ||w||_1 <= B
 *
 * for the loss (w.x - y)^2, whose gradient is twice our g.  The projection
 * moves every coordinate, so a step is O(d). */
#include "learn/iterate.h"

void scant_project_1norm(double *w, size_t d, double radius) {
  double sum = 0, tau = 0;
  size_t count = 0;
  for (size_t i = 0; i < d; i++) {
    sum += fabs(w[i]);
    count += w[i] != 0;
  }
  if (!(sum > radius)) return;
  /* Michelot: the threshold rises until everything it keeps is above it. */
  for (;;) {
    tau = (sum - radius) / (double)count;
    double kept_sum = 0;
    size_t kept = 0;
    for (size_t i = 0; i < d; i++) {
      if (fabs(w[i]) > tau) {
        kept_sum += fabs(w[i]);
        kept++;
      }
    }
    if (kept == count || kept == 0) break;
    sum = kept_sum;
    count = kept;
  }
  for (size_t i = 0; i < d; i++) {
    double rest = fabs(w[i]) - tau;
    w[i] = rest > 0 ? copysign(rest, w[i]) : 0;
  }
}

static void refresh(scant_iterate *w) {
  scant_iterate_refresh_law(w, 0);
}

static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number) {
  (void)eta; /* the step size is 2/(lambda t) */
  double t = (double)step_number;
  for (size_t i = 0; i < w->d; i++) {
    scant_iterate_touch(w, i);
    w->shape[i] *= 1 - 1 / t;
  }
  for (size_t r = 0; r < count; r++) w->shape[attributes[r]] -= 2 / (w->penalty * t) * g[r];
  scant_project_1norm(w->shape, w->d, w->radius);
  refresh(w);
}

const scant_update scant_update_pegasos = {
    .norm = SCANT_NORM_1, .average_updated = 1, .refresh = refresh, .step = step};
