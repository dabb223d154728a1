#include "learn/iterate.h"

#include <stdlib.h>

#include "core/memory.h"

int scant_iterate_new(scant_iterate *w, const scant_update *update, size_t d, double radius) {
  *w = (scant_iterate){.d = d, .radius = radius, .scale = 1};
  w->shape = scant_array(d, sizeof *w->shape);
  w->lazy = scant_array(d, sizeof *w->lazy);
  w->live = scant_array(d, sizeof *w->live);
  w->is_live = scant_array(d, sizeof *w->is_live);
  int good = w->shape && w->lazy && w->live && w->is_live;
  if (good && update->scored) {
    w->score = scant_array(d, sizeof *w->score);
    w->scale = w->unit = 0.4 / (double)d;
    good = w->score != NULL;
  }
  /* without a ball nothing is summed over w */
  if (good && isfinite(radius)) good = scant_sumtree_new(&w->law, d);
  if (good && update->multiplicative) {
    w->theta = scant_array(d, sizeof *w->theta);
    good = w->theta && scant_sumtree_new(&w->mass, d);
  }
  if (!good) {
    scant_iterate_free(w);
    return 0;
  }
  update->refresh(w);
  if (w->theta) w->scale = radius / scant_sumtree_total(&w->mass);
  return 1;
}

void scant_iterate_free(scant_iterate *w) {
  free(w->shape);
  free(w->lazy);
  free(w->live);
  free(w->is_live);
  free(w->theta);
  free(w->score);
  scant_sumtree_free(&w->law);
  scant_sumtree_free(&w->mass);
  *w = (scant_iterate){0};
}

void scant_iterate_refresh_law(scant_iterate *w, int squared) {
  double *law = scant_sumtree_leaves(&w->law);
  for (size_t i = 0; i < w->d; i++) law[i] = squared ? w->shape[i] * w->shape[i] : fabs(w->shape[i]);
  scant_sumtree_rebuild(&w->law);
}

void scant_iterate_flush(scant_iterate *w) {
  size_t kept = 0;
  for (size_t r = 0; r < w->live_count; r++) {
    uint32_t i = w->live[r];
    scant_iterate_touch(w, i);
    w->lazy[i].last = (scant_sum){0, 0};
    /* theta or score, if there is one, would bring the shape back */
    if (w->theta || w->score || fabs(scant_iterate_weight(w, i)) > w->radius * 0x1p-106) {
      w->live[kept++] = i;
      continue;
    }
    w->is_live[i] = 0;
    w->rescaled += w->shape[i] != 0;
    w->shape[i] = 0;
    scant_sumtree_set(&w->law, i, 0);
  }
  w->live_count = kept;
  w->clock = (scant_sum){0, 0};
  w->peak = 0;
}

void scant_iterate_revive(scant_iterate *w) {
  w->live_count = 0;
  for (size_t i = 0; i < w->d; i++) {
    w->is_live[i] = w->shape[i] != 0 || w->lazy[i].last.high != 0;
    if (w->is_live[i]) w->live[w->live_count++] = (uint32_t)i;
  }
}

double scant_iterate_mean(const scant_iterate *w, size_t i) {
  if (!(w->averaged > 0)) return scant_iterate_weight(w, i);
  const scant_lazy *lazy = &w->lazy[i];
  double open = w->shape[i] * scant_sum_difference(w->clock, lazy->last);
  return (scant_sum_value(lazy->total) + open) / w->averaged;
}
