/* From values to learning units and back: running moments of past purchases,
 * what they standardise, and the weights in original units. */
#include <math.h>
#include <string.h>

#include "base/lanes.h"
#include "learn/learner.h"

/* The variance of an attribute that standardises it; 0: it takes no part. */
static double standard_variance(const scant_learner *l, const scant_moments *m) {
  if (!l->settings.learning.like_units) return scant_moments_variance(m);
  if (m->count < 2 || !(m->spread > 0)) return 0;
  return (m->spread + m->largest + scant_pool_variance(&l->pool)) / ((double)m->count + 1);
}

/* l->after: the moments of each attribute with this purchase, v in units of x-bound; a missing value tells nothing. */
static void meet(scant_learner *l, const scant_look *look, const double *v) {
  scant_meeting_gather(&l->after, l->moments, look->count, look->attributes);
  scant_meeting_add(&l->after, look->count, v, scant_learner_is_raw(l));
  if (!l->sound) scant_meeting_undo(&l->after, l->moments, look->count, look->attributes, v);
}

/* The same with clip; also brings x between the limits before the purchase, and between those after it, by which the
 * unit is made: limits that were wide while nothing was known would leave x a hundred units away.  Each attribute is
 * gathered from memory of its own, so there is nothing to do in lanes. */
static void meet_clipped(scant_learner *l, const scant_look *look, double *x) {
  double clip = l->settings.learning.clip;
  int raw = scant_learner_is_raw(l);
  for (uint32_t i = 0; i < look->count; i++) {
    scant_clipped *c = &l->met[i];
    const scant_clipped *before = &l->clipped[look->attributes[i]];
    *c = *before;
    if (!isnan(x[i])) scant_clipped_add(c, x[i], clip, raw);
    scant_moments m = scant_clipped_moments(c, raw);
    if (before->low < before->high) x[i] = scant_limits_clip(x[i], before->low, before->high);
    x[i] = scant_limits_clip(x[i], c->low, c->high);
    l->after.count[i] = (double)(int64_t)m.count;
    l->after.mean[i] = m.mean;
    l->after.spread[i] = m.spread;
    l->after.largest[i] = m.largest;
  }
}

/* Subtracts the frozen means, which were made with other limits: a wild value may have been in one of them
 * before there was anything to tell that it was wild. */
static void subtract_clipped(const scant_learner *l, const scant_look *look, double *x) {
  for (uint32_t i = 0; i < look->count; i++) {
    double mean = scant_limits_clip(look->mean[i], l->met[i].low, l->met[i].high);
    x[i] = isnan(mean) || isnan(x[i]) ? 0 : x[i] - mean;
  }
}

static void divide_by_bound(const scant_learner *l, uint32_t count, const double *values, double *x) {
  double bound = l->settings.learning.x_bound;
  if (bound == 1 && count) /* a look may be of nothing, and then there are no values to copy from */
    memcpy(x, values, count * sizeof *x);
  else
    for (uint32_t i = 0; i < count; i++) x[i] = values[i] / bound;
}

/* `x` holds the values in learning units, as scant_learner_units made them; a missing value is a mean. */
static void tally(scant_learner *l, const scant_look *look, const double *values, const double *x) {
  if (!l->sound) {
    for (uint32_t i = 0; i < look->count; i++)
      if (!isnan(values[i])) scant_moments_tally(&l->moments[look->attributes[i]], x[i]);
    return;
  }
  for (uint32_t i = 0; i < look->count; i++) scant_moments_tally(&l->moments[look->attributes[i]], x[i]);
}

/* A missing value counts as the mean: as the frozen one, where that is subtracted. */
static void fill_missing(const scant_learner *l, const scant_look *look, double *x) {
  for (uint32_t i = 0; i < look->count; i++)
    if (isnan(x[i])) x[i] = l->centered ? look->mean[i] : scant_learner_mean(l, look->attributes[i]);
}

/* An attribute without a mean yet takes no part. */
SCANT_WIDEST static void subtract(size_t count, double *restrict x, const double *restrict mean) {
  for (size_t i = 0; i < count; i++) x[i] = isnan(mean[i]) ? 0 : x[i] - mean[i];
}

/* standard_variance for each of l->after. */
SCANT_WIDEST static void standardise(size_t count, double *restrict x, const scant_meeting *after, int like_units,
                                     double pooled) {
  const double *restrict n = after->count, *restrict spread = after->spread, *restrict largest = after->largest;
  if (like_units) {
    for (size_t i = 0; i < count; i++) {
      double squares = spread[i] + largest[i] + pooled;
      x[i] = n[i] >= 2 && spread[i] > 0 ? x[i] / sqrt(squares / (n[i] + 1)) : 0;
    }
    return;
  }
  for (size_t i = 0; i < count; i++) {
    double squares = spread[i] + largest[i];
    x[i] = squares > 0 ? x[i] / sqrt(squares / n[i]) : 0;
  }
}

void scant_learner_units(scant_learner *l, const scant_look *look, const double *values, double *x) {
  uint32_t count = look->count;
  divide_by_bound(l, count, values, x);
  if (l->clipped)
    meet_clipped(l, look, x);
  else if (!l->tallies)
    meet(l, look, x);
  if (l->clipped && l->centered) {
    subtract_clipped(l, look, x);
  } else {
    if (!l->sound) fill_missing(l, look, x);
    if (l->centered) subtract(count, x, look->mean);
  }
  if (l->parts->standardised)
    standardise(count, x, &l->after, l->settings.learning.like_units, scant_pool_variance(&l->pool));
}

/* A class label is not a quantity: it is not centered. */
static int centers_target(const scant_learner *l) {
  return l->centered && !scant_loss_classifies(l->loss.loss);
}

static scant_moments with_target(const scant_learner *l, double y) {
  scant_moments m = l->y_moments;
  if (centers_target(l))
    scant_moments_add(&m, y);
  else
    scant_moments_add_raw(&m, y);
  return m;
}

/* The standard deviation of the target: the unit of a standardised algorithm. */
static double target_unit(const scant_learner *l, const scant_moments *m) {
  return l->parts->standardised && m->count && !scant_loss_classifies(l->loss.loss) ? sqrt(m->spread / (double)m->count)
                                                                                    : 1;
}

double scant_learner_target(const scant_learner *learner, const scant_look *look, double y, double *unit) {
  double target = centers_target(learner) ? y - look->y_mean : y;
  scant_moments m = with_target(learner, y);
  *unit = target_unit(learner, &m);
  return *unit > 0 ? target / *unit : 0;
}

/* Attributes in like units: adds the purchases to the variance that all share. */
static void pool(scant_learner *l, const scant_look *look, const double *v) {
  for (uint32_t i = 0; i < look->count; i++) {
    const scant_moments *m = &l->moments[look->attributes[i]];
    if (isnan(v[i]) || (l->centered && !m->count)) continue;
    double x = v[i], mean = l->centered ? m->mean : 0;
    if (l->clipped) {
      x = scant_limits_clip(x, l->met[i].low, l->met[i].high);
      if (l->centered) mean = scant_limits_clip(mean, l->met[i].low, l->met[i].high);
    }
    double n = (double)m->count, deviation = x - mean;
    /* a deviation from a mean of n values has (n + 1)/n times the variance */
    l->pool.sum += deviation * deviation * (l->centered ? n / (n + 1) : 1);
    l->pool.count += 1;
  }
}

void scant_learner_note(scant_learner *learner, const scant_look *look, const double *values, double y) {
  learner->y_moments = with_target(learner, y);
  scant_learner_note_values(learner, look, values);
}

void scant_learner_note_values(scant_learner *l, const scant_look *look, const double *values) {
  if (l->tallies) {
    tally(l, look, values, l->x);
    return;
  }
  if (l->settings.learning.like_units || l->looks.kind->by_deviation || l->engine) {
    divide_by_bound(l, look->count, values, l->x);
    for (uint32_t i = 0; l->frozen_low && i < look->count; i++)
      l->x[i] = scant_limits_clip(l->x[i], l->frozen_low[look->attributes[i]], l->frozen_high[look->attributes[i]]);
    pool(l, look, l->x);
    if (l->engine) meet(l, look, l->x); /* the other algorithms have noted it on their way */
  }
  scant_meeting_scatter(&l->after, l->moments, look->count, look->attributes);
  for (uint32_t i = 0; l->clipped && i < look->count; i++) l->clipped[look->attributes[i]] = l->met[i];
}

/* ---- and back ------------------------------------------------------------- */

/* A weight from learning units to those of x / x-bound. */
static double original_weight(const scant_learner *l, size_t i, double weight, double target) {
  if (!l->parts->standardised) return weight;
  double variance = standard_variance(l, &l->moments[i]);
  return variance > 0 ? weight * target / sqrt(variance) : 0;
}

double scant_learner_result(const scant_learner *l, size_t i) {
  return l->settings.learning.average == SCANT_AVERAGE_LAST ? scant_iterate_weight(&l->w, i)
                                                            : scant_iterate_mean(&l->w, i);
}

void scant_learner_weights(const scant_learner *l, double *w, double *intercept) {
  if (l->engine) {
    double mean;
    scant_engine_view view = scant_engine_peek(l);
    l->engine->weights(&view, w, intercept ? intercept : &mean);
    return;
  }
  double shift = centers_target(l) ? l->y_moments.mean : 0, target = target_unit(l, &l->y_moments);
  double scale = scant_learner_scale(l);
  if (l->own_intercept) shift += target * scant_learner_result(l, l->dimension);
  for (size_t i = 0; i < l->dimension; i++) {
    double wi = scale > 0 ? original_weight(l, i, scale * scant_learner_result(l, i), target) : 0; /* not -0 */
    if (l->centered) shift -= wi * l->moments[i].mean;
    w[i] = wi / l->settings.learning.x_bound;
  }
  if (intercept) *intercept = shift;
}

void scant_learner_means(const scant_learner *learner, double *means) {
  for (size_t i = 0; i < learner->dimension; i++)
    means[i] = scant_learner_mean(learner, i) * learner->settings.learning.x_bound;
}

int scant_learner_limits(const scant_learner *l, double *low, double *high) {
  if (!(l->settings.learning.clip > 0)) return 0;
  if (l->engine) {
    scant_engine_view view = scant_engine_peek(l);
    if (l->engine->limits) l->engine->limits(&view, low, high);
    return l->engine->limits != NULL;
  }
  for (size_t i = 0; i < l->dimension; i++) {
    low[i] = l->clipped[i].low * l->settings.learning.x_bound;
    high[i] = l->clipped[i].high * l->settings.learning.x_bound;
  }
  return 1;
}
