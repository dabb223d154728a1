/* From values to learning units and back: running moments of past purchases,
 * what they standardise, and the weights in original units. */
#include <math.h>

#include "learn/learner.h"

/* Are deviations from 0? */
static int is_raw(const scant_learner *l) {
  return l->row->standardised && !l->centred;
}

/* The moments of an attribute with one more purchase; a missing value tells
 * nothing. */
static scant_moments with_purchase(const scant_learner *l, uint32_t attribute, double value) {
  scant_moments m = l->moments[attribute];
  if (isnan(value)) return m;
  if (is_raw(l))
    scant_moments_add_raw(&m, value);
  else
    scant_moments_add(&m, value / l->settings.x_bound);
  return m;
}

/* The variance of an attribute that standardises it; 0: it takes no part. */
static double standard_variance(const scant_learner *l, const scant_moments *m) {
  if (!l->settings.like_units) return scant_moments_variance(m);
  if (m->count < 2 || !(m->spread > 0)) return 0;
  return (m->spread + m->largest + scant_learner_pooled_variance(l)) / ((double)m->count + 1);
}

void scant_learner_units(const scant_learner *learner, const scant_look *look, const double *values, double *x) {
  for (uint32_t i = 0; i < look->count; i++) {
    double mean = look->entries[i].mean;
    if (isnan(values[i])) /* as if it were at the mean: the frozen one, where that is subtracted */
      x[i] = learner->centred ? 0 : learner->moments[look->attributes[i]].mean;
    else
      x[i] = isnan(mean) ? 0 : values[i] / learner->settings.x_bound - mean;
    if (!learner->row->standardised) continue;
    scant_moments m = with_purchase(learner, look->attributes[i], values[i]);
    double variance = standard_variance(learner, &m);
    x[i] = variance > 0 ? x[i] / sqrt(variance) : 0;
  }
}

/* A class label is not a quantity: it is not centred. */
static int centers_target(const scant_learner *l) {
  return l->centred && !scant_loss_classifies(l->loss.loss);
}

static scant_moments with_target(const scant_learner *l, double y) {
  scant_moments m = l->y_moments;
  if (centers_target(l))
    scant_moments_add(&m, y);
  else
    scant_moments_add_raw(&m, y);
  return m;
}

/* The standard deviation of the target: the unit of a standardised row. */
static double target_unit(const scant_learner *l, const scant_moments *m) {
  return l->row->standardised && m->count && !scant_loss_classifies(l->loss.loss) ? sqrt(m->spread / (double)m->count)
                                                                                  : 1;
}

double scant_learner_target(const scant_learner *learner, const scant_look *look, double y, double *unit) {
  double target = centers_target(learner) ? y - look->y_mean : y;
  scant_moments m = with_target(learner, y);
  *unit = target_unit(learner, &m);
  return *unit > 0 ? target / *unit : 0;
}

static void pool_purchase(scant_learner *l, const scant_moments *m, double value) {
  if (isnan(value) || (l->centred && !m->count)) return;
  double n = (double)m->count, deviation = value / l->settings.x_bound - (l->centred ? m->mean : 0);
  /* a deviation from a mean of n values has (n + 1)/n times the variance */
  l->pool_sum += deviation * deviation * (l->centred ? n / (n + 1) : 1);
  l->pool_count += 1;
}

void scant_learner_note(scant_learner *learner, const scant_look *look, const double *values, double y) {
  scant_learner *l = learner;
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t attribute = look->attributes[i];
    pool_purchase(l, &l->moments[attribute], values[i]);
    l->moments[attribute] = with_purchase(l, attribute, values[i]);
  }
  l->y_moments = with_target(l, y);
}

/* ---- and back ------------------------------------------------------------- */

/* A weight from learning units to those of x / x-bound. */
static double original_weight(const scant_learner *l, size_t i, double weight, double target) {
  if (!l->row->standardised) return weight;
  double variance = standard_variance(l, &l->moments[i]);
  return variance > 0 ? weight * target / sqrt(variance) : 0;
}

double scant_learner_result(const scant_learner *learner, size_t i) {
  const scant_learner *l = learner;
  return l->settings.average == SCANT_AVERAGE_LAST ? scant_iterate_weight(&l->w, i) : scant_iterate_mean(&l->w, i);
}

void scant_learner_weights(const scant_learner *learner, double *w, double *intercept) {
  const scant_learner *l = learner;
  if (l->engine) {
    double mean;
    l->engine->weights(l, w, intercept ? intercept : &mean);
    return;
  }
  double shift = centers_target(l) ? l->y_moments.mean : 0, target = target_unit(l, &l->y_moments);
  if (l->biased) shift += target * scant_learner_result(l, l->dimension);
  for (size_t i = 0; i < l->dimension; i++) {
    double wi = original_weight(l, i, scant_learner_result(l, i), target);
    if (l->centred) shift -= wi * l->moments[i].mean;
    w[i] = wi / l->settings.x_bound;
  }
  if (intercept) *intercept = shift;
}

void scant_learner_means(const scant_learner *learner, double *means) {
  for (size_t i = 0; i < learner->dimension; i++) means[i] = learner->moments[i].mean * learner->settings.x_bound;
}
