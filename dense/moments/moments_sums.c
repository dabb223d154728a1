/* The regressor of moments, and the law of the next looks, from sums over blocks of examples. */
#include "moments/moments.h"

#include <math.h>

#include "scant_base.h"

typedef struct {
  scant_moments_state state;
  scant_moments_span span;
} view;

static int view_new(view *v, const scant_moments_sums *sums) {
  size_t d = sums->dimension;
  scant_moments_state *s = &v->state;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) s->fold[f] = sums->fold[f];
  s->origin = (scant_origin){.x = (double *)sums->origin, .y = sums->y_origin, .y_known = 1};
  s->rows_per_block = fmax(sums->rows_per_block, 1);
  s->low = scant_arrays_add(&s->arrays, d, sizeof *s->low);
  s->high = scant_arrays_add(&s->arrays, d, sizeof *s->high);
  s->shown.count = scant_arrays_add(&s->arrays, SCANT_SHOWN_VALUES * d, sizeof *s->shown.count);
  v->span.count = scant_arrays_add(&s->arrays, d, sizeof *v->span.count);
  s->spans = &v->span;
  s->span_count = 1;
  return !s->arrays.failed;
}

/* Sums say how far values were from the mean, not on which side: so a unit takes both. */
static void fill(view *v, const scant_moments_sums *sums) {
  scant_moments_state *s = &v->state;
  for (size_t i = 0; i < sums->dimension; i++) {
    const scant_marginal *m = &sums->attributes[i];
    double far = sqrt(scant_marginal_largest(m)), mean = m->mean - sums->origin[i];
    s->low[i] = m->known ? fmin(mean - far, 0) : 0;
    s->high[i] = m->known ? fmax(mean + far, 0) : 0;
    if (m->active >= SCANT_SHOWN_FEWEST) s->shown.count[SCANT_SHOWN_VALUES * i] = SCANT_SHOWN_KNOWN;
    v->span.count[i] = (uint32_t)m->bought;
  }
}

static scant_status check(view *v, const scant_moments_sums *sums, scant_error *error) {
  uint64_t rows = 0;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) rows += sums->fold[f].examples;
  if (rows > UINT32_MAX) return scant_pairs_fail_count(error);
  v->span.examples = rows;
  for (size_t i = 0; i < sums->dimension; i++)
    if (sums->attributes[i].bought > rows || sums->attributes[i].known > sums->attributes[i].bought)
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
    count += sums->attributes[i].known ? (double)sums->attributes[i].known - 1 : 0;
  }
  return count > 0 ? spread / count : 0;
}

static void make_law(const scant_moments_sums *sums, int like_units, const double *w, double *follow, double *explore) {
  size_t d = sums->dimension;
  double pool = pool_of(sums);
  for (size_t i = 0; i < d; i++) {
    const scant_marginal *m = &sums->attributes[i];
    scant_moments moments = scant_marginal_moments(m);
    explore[i] = m->spread > 0 ? scant_moments_explore(&moments, like_units, pool) : scant_marginal_curiosity(m);
    follow[i] = scant_moments_follow(&moments, w[i]);
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
  scant_arrays_free(&v.state.arrays);
  return status;
}
