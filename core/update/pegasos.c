/* Pegasos steps with projection onto the 1-norm ball [CSS11]:
 *
 *   w <- (1 - 1/t) w - 2/(lambda t) g,   then project onto ||w||_1 <= B
 *
 * for the loss (w.x - y)^2, whose gradient is twice our g.  The factor is a change of scale, so a step is O(count log
 * d), and only one that leaves the ball is O(d): its projection moves every weight that is not 0. */
#include <math.h>

#include "base/lanes.h"
#include "update/iterate.h"

/* The projection keeps max(0, |w_i| - tau).  Near the largest |w_i| that difference is small beside both, so everything
 * is written in gaps below the largest: with delta = largest - tau, |w_i| becomes max(0, delta - gap_i), and delta = (B
 * + sum of the kept gaps) / how many are kept, which only adds. */
typedef struct {
  double most, delta;
} cut;

static double cut_apply(const cut *c, double w) {
  double kept = c->delta - (c->most - fabs(w));
  return kept > 0 ? copysign(kept, w) : copysign(0, w);
}

/* Sums are made side by side in PAIRS pairs, as every processor can, so the bits are the same everywhere.
 * There are no branches, since a processor can't predict which weights are 0. */
enum { PAIRS = 4, LANES = 2 * PAIRS };
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(2 * sizeof(double))));

/* How many gaps are below delta, and their sum. */
static double gaps_below(const double *w, size_t d, double most, double delta, double *sum) {
  pair counts[PAIRS] = {{0}}, sums[PAIRS] = {{0}};
  double count = 0;
  size_t i = 0;
  for (; i + LANES <= d; i += LANES)
    for (size_t k = 0; k < PAIRS; k++) {
      pair gap = most - (pair){fabs(w[i + 2 * k]), fabs(w[i + 2 * k + 1])};
      mask below = gap < delta;
      counts[k] += (pair)(below & (mask)(pair){1, 1});
      sums[k] += (pair)(below & (mask)gap);
    }
  for (*sum = 0; i < d; i++) {
    double gap = most - fabs(w[i]);
    count += gap < delta ? 1 : 0;
    *sum += gap < delta ? gap : 0;
  }
  for (size_t k = 0; k < PAIRS; k++) {
    count += counts[k][0] + counts[k][1];
    *sum += sums[k][0] + sums[k][1];
  }
  return count;
}

/* Michelot's way: weights below the threshold are dropped, and the threshold rises. The first round drops the
 * weights that are 0: their gap is the largest |w_i| itself. */
static cut cut_find(const double *w, size_t d, double radius) {
  double most = scant_lanes_largest(d, w);
  cut c = {most, most};
  for (double kept = INFINITY;;) {
    double sum, count = gaps_below(w, d, most, c.delta, &sum);
    if (count >= kept) return c; /* above only by rounding */
    kept = count;
    c.delta = fmin((radius + sum) / count, most); /* more only by rounding */
  }
}

void scant_project_1norm(double *w, size_t d, double radius) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) sum += fabs(w[i]);
  if (!(sum > radius)) return;
  cut c = cut_find(w, d, radius);
  for (size_t i = 0; i < d; i++) w[i] = cut_apply(&c, w[i]);
}

static void refresh(scant_iterate *w) {
  scant_iterate_refresh_law(w, 0);
}

/* Multiplies w by 1 - 1/t, which is 0 at the first step [CSS11, AER, step]. */
static void shrink(scant_iterate *w, double t) {
  if (t > 1) {
    w->scale *= 1 - 1 / t;
    return;
  }
  scant_iterate_flush(w);
  for (size_t i = 0; i < w->d; i++) w->at[i].shape = 0;
  w->scale = 1;
  refresh(w);
}

/* Books the change of the shapes that a step touched, from before the step to after its projection.  So a
 * huge step that is projected back leaves no rounding error behind. */
static void book(scant_iterate *w, size_t count, const uint32_t *attributes, const double *before, double clock) {
  for (size_t r = 0; r < count; r++) {
    scant_coordinate *c = &w->at[attributes[r]];
    c->booked -= (c->shape - before[r]) * clock;
  }
}

/* [CSS11, AER, projection] */
static void project(scant_iterate *w, size_t count, const uint32_t *attributes, const double *before, double clock) {
  double *law = scant_sumtree_leaves(&w->law); /* |shape| */
  cut c = cut_find(law, w->d, w->radius / w->scale);
  for (size_t r = 0; r < count; r++) w->at[attributes[r]].shape = cut_apply(&c, w->at[attributes[r]].shape);
  book(w, count, attributes, before, clock);
  for (size_t i = 0; i < w->d; i++) { /* these were noted as touched already */
    law[i] = cut_apply(&c, law[i]);
    scant_iterate_reshape(w, i, copysign(law[i], w->at[i].shape), clock);
  }
  scant_sumtree_rebuild(&w->law);
}

/* [CSS11, AER, step] */
static void step(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
                 uint64_t step_number, double *before) {
  (void)eta; /* the step size is 2/(lambda t) */
  double t = (double)step_number;
  shrink(w, t);
  scant_iterate_touch(w, count, attributes);
  double size = 2 / (w->penalty * t) / w->scale, clock = scant_sum_value(w->clock);
  double *law = scant_sumtree_leaves(&w->law);
  for (size_t r = 0; r < count; r++) {
    uint32_t i = attributes[r];
    before[r] = w->at[i].shape;
    w->at[i].shape -= size * g[r];
    law[i] = fabs(w->at[i].shape);
  }
  scant_sumtree_settle(&w->law, count, attributes);
  if (w->scale * scant_sumtree_total(&w->law) > w->radius)
    project(w, count, attributes, before, clock);
  else
    book(w, count, attributes, before, clock);
}

/* [CSS11, thm 1]; its proof has 16 where the theorem prints 12. */
static double theorem_penalty(const scant_step_inputs *o) {
  double m = fmax(o->m, 2);
  return 16 * o->d * sqrt(log(m) / (m * o->visit));
}

static double own_eta(const scant_iterate *w, uint64_t step_number) {
  return 2 / (w->penalty * (double)step_number);
}

const scant_update scant_update_pegasos = {.norm = SCANT_NORM_1,
                                           .average_updated = 1,
                                           .penalty = theorem_penalty,
                                           .own_eta = own_eta,
                                           .refresh = refresh,
                                           .step = step};
