#include "estimate/ustatistic.h"

scant_ustatistic scant_ustatistic_of(const scant_look *look, const double *x, const double *w) {
  scant_ustatistic u = {.draws = look->gradient_total};
  for (uint32_t first = 0, end; first < look->count; first = end) {
    const scant_look_entry *e = &look->entries[first];
    end = scant_look_item_end(look, first);
    double t = scant_look_item_product(look, x, w, first, end);
    if (!e->gradient_draws) {
      u.certain += t;
      continue;
    }
    double c = e->gradient_draws * t / e->gradient_probability;
    u.drawn += c;
    u.squares += c * c;
    u.own += c * t;
  }
  return u;
}

void scant_ustatistic_gradient(const scant_ustatistic *u, const scant_look *look, const double *x, const double *w,
                               double y, double *g) {
  double n = u->draws, rest = u->certain - y;
  for (uint32_t first = 0, end; first < look->count; first = end) {
    const scant_look_entry *e = &look->entries[first];
    end = scant_look_item_end(look, first);
    double factor;
    if (e->gradient_draws) {
      double t = scant_look_item_product(look, x, w, first, end), c = e->gradient_draws * t / e->gradient_probability;
      factor = e->gradient_draws / (n * e->gradient_probability) * ((u->drawn - c) / (n - 1) + t + rest);
    } else {
      factor = n > 0 ? u->drawn / n + rest : rest;
    }
    for (uint32_t i = first; i < end; i++) g[i] = factor * x[i];
  }
}

double scant_ustatistic_risk(const scant_ustatistic *u, double y) {
  double n = u->draws, rest = u->certain - y;
  if (!(n > 0)) return rest * rest;
  return (u->drawn * u->drawn - u->squares) / (n * (n - 1)) + u->own / n + 2 * rest * u->drawn / n + rest * rest;
}
