#include "update/iterate.h"

#include <stdlib.h>

#include "scant_base.h"

/* With so few coordinates, going through all is as fast as a list of those touched. */
enum { FEW = 1024 };

/* w = 0, and z+ = z- = 1 [HK12, Alg. 1, l. 1] [HK12, Alg. 2, l. 1]. */
int scant_iterate_new(scant_iterate *w, const scant_update *update, size_t d, double radius) {
  *w = (scant_iterate){.d = d, .radius = radius, .scale = 1};
  w->at = scant_array(d, sizeof *w->at);
  int good = w->at != NULL;
  if (d > FEW) {
    w->live = scant_array(d + 1, sizeof *w->live);
    w->is_live = scant_array(d, sizeof *w->is_live);
    good = good && w->live && w->is_live;
  }
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
  for (size_t i = 0; i < w->d; i++) law[i] = squared ? w->at[i].shape * w->at[i].shape : fabs(w->at[i].shape);
  scant_sumtree_rebuild(&w->law);
}

void scant_iterate_flush(scant_iterate *w) {
  double clock = scant_sum_value(w->clock);
  size_t count = w->live ? w->live_count : w->d, gone = 0, kept = 0;
  int lasting = w->theta || w->score; /* they would bring the shape back */
  for (size_t r = 0; r < count; r++) {
    size_t i = w->live ? w->live[r] : r;
    w->at[i].booked += w->at[i].shape * clock;
    if (w->live) w->live[kept] = (uint32_t)i;
    kept++;
    if (lasting || fabs(scant_iterate_weight(w, i)) > w->radius * 0x1p-106) continue;
    w->at[i].shape = 0;
    scant_sumtree_set(&w->law, i, 0);
    gone++;
    if (w->live) w->is_live[w->live[--kept]] = 0;
  }
  w->live_count = kept;
  w->clock = (scant_sum){0, 0};
  w->peak = 0;
  w->rescaled += gone > 0;
}

void scant_iterate_revive(scant_iterate *w) {
  for (size_t i = 0; w->live && i < w->d; i++) {
    uint32_t attribute = (uint32_t)i;
    if (w->at[i].shape != 0) scant_iterate_touch(w, 1, &attribute);
  }
}

/* [HK12, Alg. 1, l. 14] [HK12, Alg. 2, l. 18] [HK12, Alg. 4, l. 3] [CSS11, AER, output] */
double scant_iterate_mean(const scant_iterate *w, size_t i) {
  if (!(w->averaged > 0)) return scant_iterate_weight(w, i);
  return (w->at[i].booked + w->at[i].shape * scant_sum_value(w->clock)) / w->averaged;
}
