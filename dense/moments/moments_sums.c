#include "moments/moments_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* As shown.h: values off the common one that an attribute must have shown. */
enum { ACTIVE_FEWEST = 4 };

typedef struct {
  scant_moments_state state;
  scant_moments_span span;
} view;

static void view_free(view *v) {
  free(v->state.low);
  free(v->state.high);
  free(v->state.shown.count);
  free(v->span.count);
}

static int view_new(view *v, const scant_moments_sums *sums) {
  size_t d = sums->dimension;
  scant_moments_state *s = &v->state;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) s->fold[f] = sums->fold[f];
  s->origin = (scant_origin){.x = (double *)sums->origin, .y = sums->y_origin, .y_known = 1};
  s->rows_per_block = fmax(sums->rows_per_block, 1);
  s->low = scant_array(d, sizeof *s->low);
  s->high = scant_array(d, sizeof *s->high);
  s->shown.count = scant_array(SCANT_SHOWN_VALUES * d, sizeof *s->shown.count);
  v->span.count = scant_array(d, sizeof *v->span.count);
  s->spans = &v->span;
  s->span_count = 1;
  return s->low && s->high && s->shown.count && v->span.count;
}

/* Sums say how far values were from the mean, not on which side: so a unit takes both. */
static void fill(view *v, const scant_moments_sums *sums) {
  scant_moments_state *s = &v->state;
  for (size_t i = 0; i < sums->dimension; i++) {
    const scant_moments *m = &sums->attributes[i];
    double far = sqrt(m->largest), mean = m->mean - sums->origin[i];
    s->low[i] = m->count ? fmin(mean - far, 0) : 0;
    s->high[i] = m->count ? fmax(mean + far, 0) : 0;
    if (sums->active[i] >= ACTIVE_FEWEST) s->shown.count[SCANT_SHOWN_VALUES * i] = SCANT_SHOWN_KNOWN;
    v->span.count[i] = (uint32_t)sums->bought[i];
  }
}

static scant_status check(view *v, const scant_moments_sums *sums, scant_error *error) {
  uint64_t rows = 0;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) rows += sums->fold[f].examples;
  if (rows > UINT32_MAX) return scant_pairs_fail_count(error);
  v->span.examples = rows;
  for (size_t i = 0; i < sums->dimension; i++)
    if (sums->bought[i] > rows || sums->attributes[i].count > sums->bought[i])
      return scant_fail(error, SCANT_DATA, "attribute %zu was met more often than there are examples", i + 1);
  return SCANT_OK;
}

static void normalise(double *x, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += x[i];
  for (size_t i = 0; i < count && sum > 0; i++) x[i] /= sum;
}

/* The mean variance of attributes in like units, as the learner's pool. */
static double pool_of(const scant_moments_sums *sums) {
  double spread = 0, count = 0;
  for (size_t i = 0; i < sums->dimension; i++) {
    spread += sums->attributes[i].spread;
    count += sums->attributes[i].count ? (double)sums->attributes[i].count - 1 : 0;
  }
  return count > 0 ? spread / count : 0;
}

/* While an attribute never varied, blocks count and not rows: those of a block may have it in common. */
static void make_law(const scant_moments_sums *sums, int like_units, const double *w, double *follow, double *explore) {
  size_t d = sums->dimension;
  double pool = pool_of(sums);
  for (size_t i = 0; i < d; i++) {
    const scant_moments *m = &sums->attributes[i], never_varied = {.count = sums->blocks[i]};
    explore[i] = m->spread > 0 ? scant_moments_explore(m, like_units, pool) : scant_moments_curiosity(&never_varied);
    follow[i] = scant_moments_follow(m, w[i]);
  }
  normalise(follow, d);
  normalise(explore, d);
}

scant_status scant_moments_from_pairs(const scant_moments_sums *sums, const scant_settings *settings,
                                      scant_moments_result *result, double *follow, double *explore,
                                      scant_error *error) {
  view v = {0};
  scant_status status = check(&v, sums, error);
  if (status == SCANT_OK && !view_new(&v, sums)) status = scant_fail_memory(error);
  if (status == SCANT_OK) {
    fill(&v, sums);
    status = scant_moments_solve(&v.state, settings, result, error);
  }
  if (status == SCANT_OK && follow && explore)
    make_law(sums, settings->learning.like_units, result->w, follow, explore);
  view_free(&v);
  return status;
}
