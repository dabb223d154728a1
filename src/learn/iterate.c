#include "learn/iterate.h"

#include <stdlib.h>

#include "core/memory.h"

int scant_iterate_new(scant_iterate *w, const scant_update *update, size_t d, double radius) {
  *w = (scant_iterate){.d = d, .radius = radius, .scale = 1};
  w->at = scant_array(d, sizeof *w->at);
  int good = w->at != NULL;
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
  free(w->at);
  free(w->theta);
  free(w->score);
  scant_sumtree_free(&w->law);
  scant_sumtree_free(&w->mass);
  *w = (scant_iterate){0};
}

void scant_iterate_refresh_law(scant_iterate *w, int squared) {
  double *law = scant_sumtree_leaves(&w->law);
  for (size_t i = 0; i < w->d; i++) law[i] = squared ? w->at[i].shape * w->at[i].shape : fabs(w->at[i].shape);
  scant_sumtree_rebuild(&w->law);
}

void scant_iterate_flush(scant_iterate *w) {
  double clock = scant_sum_value(w->clock), least = w->radius * 0x1p-106;
  size_t gone = 0;
  for (size_t i = 0; i < w->d; i++) w->at[i].booked += w->at[i].shape * clock;
  w->clock = (scant_sum){0, 0};
  w->peak = 0;
  if (w->theta || w->score) return; /* they would bring the shape back */
  for (size_t i = 0; i < w->d; i++) {
    if (w->at[i].shape == 0 || fabs(scant_iterate_weight(w, i)) > least) continue;
    w->at[i].shape = 0;
    scant_sumtree_set(&w->law, i, 0);
    gone++;
  }
  if (gone) scant_sumtree_settle(&w->law);
  w->rescaled += gone > 0;
}

double scant_iterate_mean(const scant_iterate *w, size_t i) {
  if (!(w->averaged > 0)) return scant_iterate_weight(w, i);
  return (w->at[i].booked + w->at[i].shape * scant_sum_value(w->clock)) / w->averaged;
}
