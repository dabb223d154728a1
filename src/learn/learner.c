/* Ask and tell: the state machine that every row of the table runs on. */
#include "learn/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "estimate/gradient.h"
#include "learn/settings.h"
#include "learn/thrift.h"

/* Values and steps beyond these would leave the range of a double when they
 * are squared or multiplied. */
#define VALUE_MOST 1e100
#define STEP_MOST 1e100

/* ---- the start --------------------------------------------------------- */

/* How K is shared between gradient and residual. */
static void share_k(scant_learner *l) {
  const scant_settings *s = &l->settings;
  double visit = (double)s->k / (double)s->passes;
  if (l->row->words.whole) {
    l->expected_draws = visit;
    return;
  }
  if (l->row->look == scant_look_coinflip) {
    l->coin = visit / (double)l->dimension;
    l->expected_draws = visit;
    return;
  }
  if (l->row->look == scant_look_genest) {
    double residual = scant_settings_genest_draws(s); /* resolving saw that it leaves at least one */
    l->k_gradient = (uint32_t)floor(visit - residual);
    l->expected_draws = l->k_gradient + residual;
    return;
  }
  uint32_t k = (uint32_t)scant_settings_k_visit(s);
  if (l->row->look == scant_look_stopped) {
    l->k_gradient = k;
    l->expected_draws = k;
    return;
  }
  l->k_residual = l->row->even_split || scant_learner_is_data_dependent(l) ? k / 2 : (uint32_t)s->residual_looks;
  l->k_gradient = k - l->k_residual;
  l->expected_draws = k;
}

/* The step size of the theorems.  [HK12, thm 3.1]: sqrt(k/2dm).  [HK12, thm
 * 3.4] prints 1/(4B^2), but its proof, eta = sqrt(log 2d / 5m)/G with G = 2B
 * sqrt(2d/k), gives 1/(4B). */
static double theorem_eta(const scant_learner *l) {
  double k = l->k_gradient, d = (double)l->dimension, m = (double)l->horizon, B = l->settings.radius;
  if (l->row->adaptive_eta || !l->horizon) return NAN;
  /* With every attribute |g| <= 2B, and nothing is lost to drawing: [HK12,
   * lemma 3.2] gives 2B/(G sqrt m), lemma 3.5 sqrt(log 2d / m)/G. */
  if (l->row->words.whole) return l->update->norm == SCANT_NORM_2 ? 1 / sqrt(m) : sqrt(log(2 * d) / m) / (2 * B);
  if (l->update->norm == SCANT_NORM_2) return sqrt(k / (2 * d * m));
  return 1 / (4 * B) * sqrt(2 * k * log(2 * d) / (5 * m * d));
}

static scant_status choose_steps(scant_learner *l, scant_error *error) {
  const scant_settings *s = &l->settings;
  if (l->update == &scant_update_pegasos) {
    double m = l->horizon > 2 ? (double)l->horizon : 2, d = (double)l->dimension;
    if (isnan(s->penalty) && !l->horizon)
      return scant_fail(error, SCANT_USAGE, "penalty auto needs the number of examples beforehand");
    l->eta = NAN;
    l->w.penalty = isnan(s->penalty) ? 16 * d * sqrt(log(m) / (m * (double)scant_settings_k_visit(s))) : s->penalty;
  } else if (l->update->scored) {
    l->eta = isnan(s->eta) ? sqrt(log(2 * (double)l->dimension) / 2) : s->eta;
  } else {
    l->eta = isnan(s->eta) ? theorem_eta(l) : s->eta;
  }
  if (scant_learner_is_data_dependent(l) && !l->horizon)
    return scant_fail(error, SCANT_USAGE, "%s needs the number of examples beforehand", l->row->words.name);
  if (s->average == SCANT_AVERAGE_HALF && !l->horizon)
    return scant_fail(error, SCANT_USAGE, "average half needs the number of examples beforehand");
  return SCANT_OK;
}

static scant_status allocate(scant_learner *l, scant_error *error) {
  size_t d = l->dimension;
  int whole = l->row->words.whole || l->row->look == scant_look_coinflip;
  l->place = scant_array(d, sizeof *l->place);
  l->moments = scant_array(d, sizeof *l->moments);
  int stopped = l->row->look == scant_look_stopped;
  int good = l->place && l->moments && scant_open_new(&l->open, (size_t)l->settings.max_open) &&
             (!stopped || scant_law_new(&l->law, d, l->k_gradient)) &&
             (!scant_learner_is_data_dependent(l) ||
              (scant_sumtree_new(&l->law.explore, d) && scant_sumtree_new(&l->law.follow, d))) &&
             scant_iterate_new(&l->w, l->update, d + (size_t)l->biased,
                               isnan(l->settings.radius) ? INFINITY : l->settings.radius) &&
             scant_learner_reserve(l, (whole ? d : l->k_gradient + l->k_residual) + 1);
  return good ? SCANT_OK : scant_fail_memory(error);
}

/* Learners of other sizes or settings have other tags, so that a look told to
 * the wrong one is noticed. */
static uint64_t tag_of(const scant_learner *l) {
  uint64_t facts[2] = {l->dimension, l->horizon}, tag = scant_hash(SCANT_HASH_START, facts, sizeof facts);
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[SCANT_ERROR_LENGTH];
    if (!(o->scope & SCANT_SCOPE_MODEL)) continue;
    scant_settings_get(&l->settings, o, value, sizeof value);
    tag = scant_hash(tag, value, strlen(value) + 1);
  }
  return tag;
}

static scant_status start(scant_learner *l, uint64_t seed, scant_error *error) {
  const scant_settings *s = &l->settings;
  SCANT_TRY(scant_settings_fit_k(&l->settings, l->dimension, error));
  if (l->dimension > UINT32_MAX - 1) return scant_fail(error, SCANT_DATA, "more than 2^32 attributes");
  l->update = l->row->update ? l->row->update : s->norm == SCANT_NORM_1 ? &scant_update_eg : &scant_update_gradient;
  l->loss = scant_settings_loss(s);
  l->series = scant_loss_series(l->loss.loss);
  l->group = scant_genest_group(s->radius, l->loss.smoothing);
  l->biased = l->row->biased && s->intercept;
  l->centred = scant_list_has(l->row->words.options, "intercept") ? s->intercept : s->center;
  share_k(l);
  scant_status status = allocate(l, error);
  if (status == SCANT_OK) status = choose_steps(l, error);
  if (status == SCANT_OK) scant_learner_rebuild_law(l);
  scant_rng_seed(&l->rng, seed, 0);
  l->next_serial = 1;
  l->tag = tag_of(l);
  return status;
}

scant_status scant_learner_new(scant_learner **learner, const scant_settings *settings, size_t dimension,
                               uint64_t horizon, scant_error *error) {
  scant_settings resolved = *settings;
  scant_status status = scant_settings_resolve(&resolved, error);
  if (status != SCANT_OK) return status;
  if (scant_algorithm_find(resolved.algorithm)->solved)
    return scant_fail(error, SCANT_USAGE, "%s is solved all at once by the command: it can't be asked and told",
                      resolved.algorithm);
  scant_learner *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  l->row = scant_row_find(resolved.algorithm);
  resolved.algorithm = l->row->words.name; /* the caller's texts may not outlive us */
  resolved.labels = resolved.target = resolved.classes = resolved.costs = NULL;
  l->settings = resolved;
  l->dimension = dimension;
  l->horizon = horizon;
  status = start(l, resolved.seed, error);
  if (status != SCANT_OK) {
    scant_learner_free(l);
    return status;
  }
  *learner = l;
  return SCANT_OK;
}

scant_status scant_learner_price(scant_learner *learner, const scant_prices *prices, scant_error *error) {
  scant_learner *l = learner;
  if (l->next_serial > 1) return scant_fail(error, SCANT_MISUSE, "prices must be known before the first look");
  if (l->row->look != scant_look_stopped)
    return scant_fail(error, SCANT_USAGE, "the looks of %s do not follow prices", l->row->words.name);
  if (prices->dimension != l->dimension)
    return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, not of %zu", prices->dimension,
                      l->dimension);
  uint64_t spend = scant_thrift_spend(&l->settings);
  if (l->settings.spend > 0 && spend < prices->dearest_two)
    return scant_fail(error, SCANT_DATA, "spend %.2f%s is less than the two dearest looks cost together, %.2f",
                      (double)spend / 100, l->settings.passes > 1 ? " a pass" : "", (double)prices->dearest_two / 100);
  double rate = scant_thrift_rate(prices, scant_thrift_affordable(prices, &l->settings, l->horizon));
  if (!scant_learner_reserve(l, l->dimension + 1) || !scant_law_price(&l->law, prices, l->k_gradient, spend, rate))
    return scant_fail_memory(error);
  l->expected_draws = l->law.expected + l->law.free_count;
  l->tag = scant_hash(tag_of(l), prices->attribute_cost, l->dimension * sizeof *prices->attribute_cost);
  l->tag = scant_hash(l->tag, prices->panel, l->dimension * sizeof *prices->panel);
  scant_learner_rebuild_law(l);
  return SCANT_OK;
}

void scant_learner_free(scant_learner *learner) {
  if (!learner) return;
  scant_iterate_free(&learner->w);
  free(learner->moments);
  scant_law_free(&learner->law);
  scant_open_free(&learner->open);
  free(learner->place);
  free(learner->x);
  free(learner->g);
  free(learner);
}

int scant_learner_reserve(scant_learner *learner, size_t entries) {
  size_t room = learner->scratch_room, other = room;
  int good = scant_grow(&learner->x, &other, entries, sizeof *learner->x) &&
             scant_grow(&learner->g, &room, entries, sizeof *learner->g);
  if (good) learner->scratch_room = room;
  return good;
}

/* ---- ask --------------------------------------------------------------- */

scant_status scant_learner_ask(scant_learner *learner, scant_look *look, scant_error *error) {
  if (learner->open.count >= learner->open.most)
    return scant_fail(error, SCANT_MISUSE, "%zu looks are open already, and no more than max-open may be",
                      learner->open.count);
  if (learner->settings.spend > 0 && !learner->law.prices)
    return scant_fail(error, SCANT_MISUSE, "a learner with spend must know prices before it is asked");
  if (look->capacity < learner->scratch_room && !scant_look_reserve(look, learner->scratch_room, 0))
    return scant_fail_memory(error);
  scant_rng before = learner->rng;
  look->count = look->draws = look->gradient_total = look->residual_total = look->calls = look->sequence_count = 0;
  look->gradient_scale = 1;
  look->y_mean = learner->y_moments.mean;
  look->bias = learner->biased ? scant_iterate_weight(&learner->w, learner->dimension) : 0;
  scant_status status = learner->row->look(learner, look, error);
  if (status != SCANT_OK) {
    learner->rng = before;
    look->serial = 0;
    return status;
  }
  look->learner = learner->tag;
  look->serial = learner->next_serial++;
  scant_open_add(&learner->open, look->serial);
  return SCANT_OK;
}

/* ---- tell -------------------------------------------------------------- */

static scant_status check_open(const scant_learner *l, const scant_look *look, scant_error *error) {
  if (look->learner != l->tag) return scant_fail(error, SCANT_MISUSE, "this look was asked for by another learner");
  if (scant_open_has(&l->open, look->serial)) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "look %llu is not open: it was told or cancelled before",
                    (unsigned long long)look->serial);
}

scant_status scant_learner_cancel(scant_learner *learner, const scant_look *look, scant_error *error) {
  SCANT_TRY(check_open(learner, look, error));
  scant_open_close(&learner->open, look->serial);
  return SCANT_OK;
}

static scant_status check_answer(const scant_learner *l, const scant_look *look, size_t count,
                                 const uint32_t *attributes, const double *values, double y, scant_error *error) {
  if (count != look->count)
    return scant_fail(error, SCANT_MISUSE, "the look asked for %u attributes, and %zu values were told", look->count,
                      count);
  for (uint32_t i = 0; i < look->count; i++) {
    if (attributes && attributes[i] != look->attributes[i])
      return scant_fail(error, SCANT_MISUSE, "value %u is of attribute %u, but the look asked for attribute %u", i + 1,
                        attributes[i], look->attributes[i]);
    if (isnan(values[i]) && l->settings.missing != SCANT_MISSING_ERROR) continue;
    if (!isfinite(values[i]))
      return scant_fail(error, SCANT_DATA, "the value of attribute %u is not finite", look->attributes[i]);
    if (fabs(values[i]) / l->settings.x_bound > VALUE_MOST)
      return scant_fail(error, SCANT_DATA, "the value of attribute %u overflows: %g divided by x-bound %g",
                        look->attributes[i], values[i], l->settings.x_bound);
  }
  if (!isfinite(y)) return scant_fail(error, SCANT_DATA, "the target is not finite");
  if (fabs(y) > VALUE_MOST) return scant_fail(error, SCANT_DATA, "the target overflows: %g", y);
  if (scant_loss_classifies(l->loss.loss) && fabs(y) != 1)
    return scant_fail(error, SCANT_DATA, "loss %s needs targets -1 and +1, not %g",
                      l->loss.loss == SCANT_LOSS_HINGE ? "hinge" : "logistic", y);
  return SCANT_OK;
}

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

/* The pooled variance of attributes in like units; 0: not known yet. */
static double pooled_variance(const scant_learner *l) {
  return l->pool_count > 0 ? l->pool_sum / l->pool_count : 0;
}

/* The variance of an attribute that standardises it; 0: it takes no part. */
static double standard_variance(const scant_learner *l, const scant_moments *m) {
  if (!l->settings.like_units) return scant_moments_variance(m);
  if (m->count < 2 || !(m->spread > 0)) return 0;
  return (m->spread + m->largest + pooled_variance(l)) / ((double)m->count + 1);
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

/* Pegasos has a step size of its own. */
static int adapts(const scant_learner *l) {
  return isnan(l->eta) && l->update != &scant_update_pegasos;
}

/* eta_t = 2B/sqrt(2 sum ||g||_2^2), or sqrt(log 2d / sum ||g||_inf^2). */
static double step_size(const scant_learner *l, double gradient_size) {
  if (!adapts(l)) return l->eta;
  if (!(gradient_size > 0)) return 0;
  if (l->update->norm == SCANT_NORM_2) return sqrt(2.0) * l->settings.radius / gradient_size;
  return sqrt(log(2 * (double)l->dimension)) / gradient_size;
}

static double norm_of(const double *g, uint32_t count, scant_norm dual_to) {
  double size = 0;
  for (uint32_t i = 0; i < count; i++) size = dual_to == SCANT_NORM_2 ? hypot(size, g[i]) : fmax(size, fabs(g[i]));
  return size;
}

/* The weight of the iterate about to be left in the average. */
static double average_weight(const scant_learner *l) {
  if (scant_learner_is_data_dependent(l) && l->told <= scant_data_dependent_phase(l)) return 0;
  switch (l->settings.average) {
    case SCANT_AVERAGE_ALL:
      return 1;
    case SCANT_AVERAGE_HALF:
      return l->told > l->horizon / 2;
    case SCANT_AVERAGE_LATE:
      return (double)l->told * (double)l->told;
    case SCANT_AVERAGE_LAST:
    default:
      return 0;
  }
}

static void pool_purchase(scant_learner *l, const scant_moments *m, double value) {
  if (!m->count || isnan(value)) return;
  double n = (double)m->count, deviation = value / l->settings.x_bound - (is_raw(l) ? 0 : m->mean);
  l->pool_sum += deviation * deviation * n / (n + 1);
  l->pool_count += 1;
}

/* Keeps the law with w and the moments.  What it knows of the pooled variance is
 * renewed for all at once, ever more rarely: an old law is as good. */
static void follow_law(scant_learner *l, const scant_look *look) {
  if (l->told >= 2 * l->law_age || l->w.rescaled != l->law_shapes) {
    l->law_pool = pooled_variance(l);
    l->law_age = l->told;
    l->law_shapes = l->w.rescaled;
    scant_learner_rebuild_law(l);
    return;
  }
  for (uint32_t i = 0; i < look->count; i++) { /* once for each item */
    uint32_t attribute = look->attributes[i];
    if (scant_law_member(&l->law, look->entries[i].item, 0) == attribute) scant_learner_refresh_law(l, attribute);
  }
}

static void learn(scant_learner *l, const scant_look *look, const double *values, double y, double eta) {
  l->told++;
  double weight = average_weight(l);
  if (weight > 0 && !l->update->average_updated) scant_iterate_count(&l->w, weight);
  if (look->count) l->update->step(&l->w, look->count, look->attributes, l->g, eta, l->told);
  if (l->biased) { /* the last coordinate: an attribute that is always 1 */
    uint32_t bias = (uint32_t)l->dimension;
    l->update->step(&l->w, 1, &bias, &l->g[look->count], eta, l->told);
  }
  if (weight > 0 && l->update->average_updated) scant_iterate_count(&l->w, weight);
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t attribute = look->attributes[i];
    pool_purchase(l, &l->moments[attribute], values[i]);
    l->moments[attribute] = with_purchase(l, attribute, values[i]);
  }
  l->y_moments = with_target(l, y);
  if (l->law.certain) follow_law(l, look);
  if (scant_learner_is_data_dependent(l)) scant_data_dependent_follow(l, look);
}

/* Steps must stay finite when they are squared.  EG clips its own. */
static scant_status check_step(const scant_learner *l, uint32_t count, double eta, scant_error *error) {
  if (l->update == &scant_update_pegasos) eta = 2 / (l->w.penalty * (double)(l->told + 1));
  for (uint32_t i = 0; i < count; i++) {
    if (!(fabs(l->g[i]) <= STEP_MOST))
      return scant_fail(error, SCANT_DATA, "the gradient overflows: divide the attributes by a larger x-bound");
    if (!l->update->multiplicative && !(fabs(eta * l->g[i]) <= STEP_MOST))
      return scant_fail(error, SCANT_DATA, "a step overflows: its size %g times a gradient of %g", eta, l->g[i]);
  }
  return SCANT_OK;
}

int scant_learner_skips(const scant_learner *learner, const scant_look *look, const double *values) {
  if (learner->settings.missing != SCANT_MISSING_SKIP_EXAMPLE) return 0;
  for (uint32_t i = 0; i < look->count; i++)
    if (isnan(values[i])) return 1;
  return 0;
}

scant_status scant_learner_tell(scant_learner *learner, const scant_look *look, size_t count,
                                const uint32_t *attributes, const double *values, double y, scant_error *error) {
  scant_learner *l = learner;
  SCANT_TRY(check_open(l, look, error));
  SCANT_TRY(scant_look_check(look, l, error));
  SCANT_TRY(check_answer(l, look, count, attributes, values, y, error));
  if (scant_learner_skips(l, look, values)) return scant_learner_cancel(l, look, error);
  if (!scant_learner_reserve(l, look->count + 1)) return scant_fail_memory(error);
  double size = l->gradient_size, eta = 0, risk = NAN;
  if (look->count) {
    double unit, target = scant_learner_target(l, look, y, &unit);
    scant_learner_units(l, look, values, l->x);
    if (l->row->gradient)
      l->row->gradient(l, look, l->x, target, l->g);
    else
      scant_estimate_gradient(look, l->x, l->row->estimate(l, look, l->x, target), l->g);
    risk = l->row->risk(look, l->x, target) * unit * unit;
    if (adapts(l)) size = hypot(size, norm_of(l->g, look->count, l->update->norm));
    eta = step_size(l, size);
    SCANT_TRY(check_step(l, look->count + (uint32_t)l->biased, eta, error));
  }
  l->gradient_size = size;
  /* An attribute without a mean yet takes no part, so early estimates are of a
   * poorer predictor than the one that will come out. */
  if (isfinite(risk)) scant_risk_add(&l->risk, risk);
  learn(l, look, values, y, eta);
  scant_open_close(&l->open, look->serial);
  return SCANT_OK;
}

/* ---- the law of stopped looks -------------------------------------------- */

/* The standard deviation of an attribute as the law knows it, shrunk towards the
 * pooled one while it was seldom seen. */
static double deviation(const scant_learner *l, const scant_moments *m) {
  if (m->count < 2) return l->law_pool > 0 ? sqrt(l->law_pool) : 1;
  return sqrt((m->spread + 2 * l->law_pool) / ((double)m->count + 1));
}

/* How much an attribute is worth exploring: its deviation, or all alike; but
 * what never varied less and less. */
static double explore_leaf(const scant_learner *l, uint32_t i) {
  const scant_moments *m = &l->moments[i];
  double fade = m->count >= 2 && m->spread == 0 ? 2 / (2 + (double)m->count) : 1;
  if (!l->row->by_deviation) return fade;
  /* the pool keeps it above 0; nothing varied at all yet: all alike */
  double size = deviation(l, m);
  return size > 0 ? size : fade;
}

/* How much of the prediction rests on an attribute, up to a common factor. */
static double follow_leaf(const scant_learner *l, uint32_t i) {
  double size = fabs(l->w.shape[i]);
  return l->row->by_deviation ? size * deviation(l, &l->moments[i]) : size;
}

/* The leaves of an item: a panel's are the roots of its members' sums of
 * squares, as if they were uncorrelated. */
static void item_leaves(const scant_learner *l, uint32_t item, double *explore, double *follow) {
  const scant_law *law = &l->law;
  uint32_t size = scant_law_size(law, item), first = scant_law_member(law, item, 0);
  *explore = explore_leaf(l, first);
  *follow = follow_leaf(l, first);
  for (uint32_t r = 1; r < size; r++) {
    uint32_t i = scant_law_member(law, item, r);
    *explore = hypot(*explore, explore_leaf(l, i));
    *follow = hypot(*follow, follow_leaf(l, i));
  }
  if (!law->discount) return;
  *explore *= law->discount[item];
  *follow *= law->discount[item];
}

void scant_learner_refresh_law(scant_learner *learner, uint32_t i) {
  double explore, follow;
  uint32_t item = scant_law_item(&learner->law, i);
  item_leaves(learner, item, &explore, &follow);
  scant_sumtree_set(&learner->law.explore, item, explore);
  scant_sumtree_set(&learner->law.follow, item, follow);
}

void scant_learner_rebuild_law(scant_learner *learner) {
  scant_law *law = &learner->law;
  if (!law->certain) return;
  for (uint32_t item = 0; item < law->items; item++)
    item_leaves(learner, item, &scant_sumtree_leaves(&law->explore)[item], &scant_sumtree_leaves(&law->follow)[item]);
  scant_sumtree_rebuild(&law->explore);
  scant_sumtree_rebuild(&law->follow);
}

/* ---- results ----------------------------------------------------------- */

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

void scant_learner_get_facts(const scant_learner *learner, scant_learner_facts *facts) {
  double risk_error, risk = scant_risk_mean(&learner->risk, &risk_error);
  *facts = (scant_learner_facts){
      .risk = risk,
      .risk_error = risk_error,
      .dimension = learner->dimension,
      .told = learner->told,
      .k_gradient = learner->k_gradient,
      .eta = learner->eta,
      .penalty = learner->update == &scant_update_pegasos ? learner->w.penalty : NAN,
      .expected_draws = learner->expected_draws,
  };
}
