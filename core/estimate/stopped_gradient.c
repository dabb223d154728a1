#include "estimate/stopped_gradient.h"

#include "base/lanes.h"

/* t of the item at places first .. end - 1. */
static double item_product(const scant_look *look, const double *x, const double *w, uint32_t first, uint32_t end) {
  double t = 0;
  for (uint32_t i = first; i < end; i++) t += (w ? w[i] : look->weight[i]) * x[i];
  return t;
}

SCANT_INLINE void multiply(const scant_look *look, const double *x, const double *w, double *t, double *a) {
  for (uint32_t i = 0; i < look->count; i++) t[i] = w[i] * x[i];
  for (uint32_t i = 0; i < look->count; i++)
    a[i] = (double)(int32_t)look->gradient_draws[i] / look->gradient_probability[i];
}

/* Is every attribute an item of its own, with those of H first?  So it is without groups.  *certain is how
 * many are in H. */
SCANT_INLINE int is_plain(const scant_look *look, uint32_t *certain) {
  uint32_t groups = 0, undrawn = 0, first = 0;
  for (uint32_t i = 1; i < look->count; i++) groups |= look->item[i] == look->item[i - 1];
  for (uint32_t i = 0; i < look->count; i++) undrawn += look->gradient_draws[i] == 0;
  while (first < look->count && !look->gradient_draws[first]) first++;
  *certain = first;
  return !groups && undrawn == first;
}

SCANT_INLINE void add_lanes(scant_ustatistic *u, uint32_t count, const double *t, const double *a) {
  scant_lanes drawn = {0}, squares = {0}, own = {0};
  uint32_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES) {
    scant_lanes ti = *(const scant_loose_lanes *)(t + i), c = ti * *(const scant_loose_lanes *)(a + i);
    drawn += c;
    squares += c * c;
    own += c * ti;
  }
  u->drawn = scant_lanes_fold(&drawn);
  u->squares = scant_lanes_fold(&squares);
  u->own = scant_lanes_fold(&own);
  for (; i < count; i++) {
    double c = a[i] * t[i];
    u->drawn += c;
    u->squares += c * c;
    u->own += c * t[i];
  }
}

/* Counts each item once, and writes its t at all of its places. */
static void add_groups(scant_ustatistic *u, const scant_look *look, const double *x, const double *w, double *t,
                       const double *a) {
  for (uint32_t first = 0, end; first < look->count; first = end) {
    end = scant_look_item_end(look, first);
    double sum = item_product(look, x, w, first, end), c = a[first] * sum;
    for (uint32_t i = first; i < end; i++) t[i] = sum;
    u->certain += a[first] > 0 ? 0 : sum;
    u->drawn += c;
    u->squares += c * c;
    u->own += c * sum;
  }
}

SCANT_WIDEST scant_ustatistic scant_ustatistic_of(const scant_look *look, const double *x, const double *w, double *t,
                                                  double *a) {
  scant_ustatistic u = {.draws = look->gradient_total};
  if (!w) w = look->weight;
  uint32_t certain;
  multiply(look, x, w, t, a);
  if (look->count >= SCANT_LANES && is_plain(look, &certain)) {
    u.certain = scant_lanes_sum(certain, t);
    add_lanes(&u, look->count, t, a);
  } else {
    add_groups(&u, look, x, w, t, a);
  }
  return u;
}

SCANT_WIDEST void scant_ustatistic_gradient(const scant_ustatistic *u, const scant_look *look, const double *x,
                                            const double *t, const double *a, double y, double *g) {
  double n = u->draws, rest = u->certain - y, certain = n > 0 ? u->drawn / n + rest : rest;
  double share = n > 0 ? 1 / n : 0, others = n > 1 ? 1 / (n - 1) : 0;
  for (uint32_t i = 0; i < look->count; i++) {
    double drawn = a[i] * share * ((u->drawn - a[i] * t[i]) * others + t[i] + rest);
    g[i] = (a[i] > 0 ? drawn : certain) * x[i];
  }
}

double scant_ustatistic_risk(const scant_ustatistic *u, double y) {
  double n = u->draws, rest = u->certain - y;
  if (!(n > 0)) return rest * rest;
  return (u->drawn * u->drawn - u->squares) / (n * (n - 1)) + u->own / n + 2 * rest * u->drawn / n + rest * rest;
}

/* ---- any loss ---------------------------------------------------------------------- */

/* Sums of t/q over the two halves of the draws, and how many they are. */
typedef struct {
  double sum[2], count[2];
} halves;

/* F: the derivative at an estimate of the prediction, its bias cancelled as far as there are two halves to compare. */
static double derivative(const scant_loss_form *form, double known, const halves *h, double y) {
  double n1 = h->count[0], n2 = h->count[1], n = n1 + n2;
  if (!(n > 0)) return scant_loss_derivative(form, known, y);
  double whole = scant_loss_derivative(form, known + (h->sum[0] + h->sum[1]) / n, y);
  if (!(n1 > 0) || !(n2 > 0)) return whole;
  double r = 1 / n / ((1 / n1 + 1 / n2) / 2 - 1 / n);
  double parts =
      scant_loss_derivative(form, known + h->sum[0] / n1, y) + scant_loss_derivative(form, known + h->sum[1] / n2, y);
  return (1 + r) * whole - r / 2 * parts;
}

/* The draws of a place in the first and in the second half. */
static double draws_in(const scant_look *look, uint32_t i, int half) {
  return half ? look->residual_draws[i] : look->gradient_draws[i] - look->residual_draws[i];
}

double scant_richardson_gradient(const scant_look *look, const double *x, double y, const scant_loss_form *form,
                                 double *g) {
  double known = look->intercept, n = look->gradient_total;
  halves all = {.count = {look->gradient_total - look->residual_total, look->residual_total}};
  for (uint32_t first = 0, end; first < look->count; first = end) {
    end = scant_look_item_end(look, first);
    double t = item_product(look, x, NULL, first, end);
    if (!look->gradient_draws[first]) known += t;
    for (int half = 0; half < 2 && look->gradient_draws[first]; half++)
      all.sum[half] += draws_in(look, first, half) * t / look->gradient_probability[first];
  }
  double certain = derivative(form, known, &all, y);
  for (uint32_t first = 0, end; first < look->count; first = end) {
    end = scant_look_item_end(look, first);
    double factor = certain;
    if (look->gradient_draws[first]) {
      factor = 0;
      double t = item_product(look, x, NULL, first, end);
      halves rest = all;
      for (int half = 0; half < 2; half++)
        rest.sum[half] -= draws_in(look, first, half) * t / look->gradient_probability[first];
      /* Each draw of the item in turn is the gradient's; its other draws count as 0 in the estimate of the rest. */
      for (int half = 0; half < 2; half++) {
        if (!(draws_in(look, first, half) > 0)) continue;
        halves others = rest;
        others.count[half] -= 1;
        factor += draws_in(look, first, half) / (n * look->gradient_probability[first]) *
                  derivative(form, known + t, &others, y);
      }
    }
    for (uint32_t i = first; i < end; i++) g[i] = factor * x[i];
  }
  return certain;
}
