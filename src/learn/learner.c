/* The learner: its start, asking, and what it says of itself; tell.c has the rest. */
#include "learn/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/text.h"
#include "look/look.h"
#include "settings/settings.h"
#include "price/thrift.h"

/* Shuffles take the streams from 1 on, and candidates of a tuning those from 2^40. */
#define STREAM_BY_W (UINT64_C(1) << 41)
#define STREAM_ANEW (UINT64_C(1) << 43)

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
  if (l->row->residual == scant_residual_genest) {
    double residual = scant_settings_genest_draws(s); /* resolving saw that it leaves at least one */
    l->k_gradient = (uint32_t)floor(visit - residual);
    l->expected_draws = l->k_gradient + residual;
    return;
  }
  uint32_t k = (uint32_t)scant_settings_k_visit(s);
  if (l->engine || scant_row_is_stopped(l->row)) {
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
  l->eta = NAN;
  if (l->engine) return SCANT_OK; /* it takes none */
  if (l->update == &scant_update_pegasos) {
    double m = l->horizon > 2 ? (double)l->horizon : 2, d = (double)l->dimension;
    if (isnan(s->penalty) && !l->horizon)
      return scant_fail(error, SCANT_USAGE, "penalty auto needs the number of examples beforehand");
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
  l->met = scant_array(d, sizeof *l->met);
  l->moments = scant_array(d, sizeof *l->moments);
  l->drawn = scant_array(2 * (size_t)l->k_gradient + 4, sizeof *l->drawn);
  int good = l->met && l->moments && l->drawn && scant_open_new(&l->open, (size_t)l->settings.max_open) &&
             (!scant_row_is_stopped(l->row) || scant_law_new(&l->law, d, l->k_gradient)) &&
             (!scant_learner_is_data_dependent(l) ||
              (scant_sumtree_new(&l->data.explore, d) && scant_sumtree_new(&l->data.follow, d))) &&
             (l->engine || scant_iterate_new(&l->w, l->update, d + (size_t)l->biased,
                                             isnan(l->settings.radius) ? INFINITY : l->settings.radius)) &&
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
  if (l->dimension >= INT32_MAX) return scant_fail(error, SCANT_DATA, "more than 2^31 attributes");
  if (!l->engine)
    l->update = l->row->update ? l->row->update : s->norm == SCANT_NORM_1 ? &scant_update_eg : &scant_update_gradient;
  l->loss = scant_settings_loss(s);
  l->series = scant_loss_series(l->loss.loss);
  l->group = scant_genest_group(s->radius, l->loss.smoothing);
  l->biased = l->row->biased && s->intercept;
  l->centred = l->engine ? 1 : scant_list_has(l->row->words.options, "intercept") ? s->intercept : s->center;
  l->tallies = !l->engine && !l->centred && !l->row->standardised && !l->row->by_deviation &&
               !scant_learner_is_data_dependent(l);
  share_k(l);
  scant_status status = allocate(l, error);
  if (status == SCANT_OK) status = choose_steps(l, error);
  if (status == SCANT_OK) scant_learner_rebuild_law(l);
  scant_rng_seed(&l->rng, seed, 0);
  scant_rng_seed(&l->rng_by_w, seed, STREAM_BY_W);
  l->next_serial = 1;
  l->base = (uint32_t)l->dimension;
  l->tag = tag_of(l);
  if (status == SCANT_OK && l->engine) status = l->engine->open(l, error);
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
  const scant_engine *engine = scant_engine_find(resolved.engines, resolved.algorithm);
  if (scant_algorithm_find(resolved.algorithm)->dense && !engine)
    return scant_fail(error, SCANT_USAGE, "%s needs an engine: the command has it, libscant alone has not",
                      resolved.algorithm);
  scant_learner *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  l->row = scant_row_find(resolved.algorithm);
  l->engine = engine;
  scant_settings_own(&resolved);
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
  if (!scant_row_is_stopped(l->row))
    return scant_fail(error, SCANT_USAGE, "the looks of %s do not follow prices", l->row->words.name);
  if (prices->dimension != l->dimension)
    return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, not of %zu", prices->dimension,
                      l->dimension);
  uint64_t spend = scant_thrift_spend(&l->settings);
  if (l->settings.spend > 0 && spend < prices->dearest_two)
    return scant_fail(error, SCANT_DATA, "spend %.2f%s is less than the two dearest looks cost together, %.2f",
                      (double)spend / 100, l->settings.passes > 1 ? " a pass" : "", (double)prices->dearest_two / 100);
  double rate = scant_thrift_choose(prices, &l->settings, l->horizon);
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
  if (learner->engine) learner->engine->free(learner);
  scant_iterate_free(&learner->w);
  free(learner->moments);
  scant_law_free(&learner->law);
  scant_prices_free(learner->own_prices);
  scant_sumtree_free(&learner->data.explore);
  scant_sumtree_free(&learner->data.follow);
  scant_open_free(&learner->open);
  free(learner->met);
  free(learner->drawn);
  free(learner->x);
  free(learner->g);
  free(learner->t);
  free(learner->a);
  free(learner->shapes);
  free(learner->after.count);
  free(learner->after.mean);
  free(learner->after.spread);
  free(learner->after.largest);
  free(learner);
}

int scant_learner_reserve(scant_learner *learner, size_t places) {
  scant_learner *l = learner;
  if (places <= l->scratch_room) return 1;
  struct {
    void *array;
    size_t size;
  } scratch[] = {{&l->x, sizeof *l->x},
                 {&l->g, sizeof *l->g},
                 {&l->t, sizeof *l->t},
                 {&l->a, sizeof *l->a},
                 {&l->shapes, 2 * sizeof *l->shapes},
                 {&l->after.count, sizeof *l->after.count},
                 {&l->after.mean, sizeof *l->after.mean},
                 {&l->after.spread, sizeof *l->after.spread},
                 {&l->after.largest, sizeof *l->after.largest}};
  size_t room = l->scratch_room;
  for (size_t i = 0; i < sizeof scratch / sizeof *scratch; i++) {
    room = l->scratch_room;
    if (!scant_grow(scratch[i].array, &room, places, scratch[i].size)) return 0;
  }
  l->scratch_room = room;
  return 1;
}

/* ---- ask --------------------------------------------------------------- */

scant_status scant_learner_check_open(const scant_learner *learner, scant_error *error) {
  if (learner->open.count < learner->open.most) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "%zu looks are open already, and no more than max-open may be",
                    learner->open.count);
}

scant_status scant_learner_ask(scant_learner *learner, scant_look *look, scant_error *error) {
  SCANT_TRY(scant_learner_check_open(learner, error));
  scant_rng before = learner->rng, before_by_w = learner->rng_by_w;
  SCANT_TRY(scant_look_draw(learner, look, error));
  scant_status status = scant_look_freeze(learner, look, error);
  if (status != SCANT_OK) {
    learner->rng = before;
    return status;
  }
  learner->before = (scant_before){look->serial, learner->told, before, before_by_w};
  return SCANT_OK;
}

void scant_learner_reseed(scant_learner *learner, uint64_t stream) {
  scant_rng_seed(&learner->rng, learner->settings.seed, STREAM_ANEW + 2 * stream);
  scant_rng_seed(&learner->rng_by_w, learner->settings.seed, STREAM_ANEW + 2 * stream + 1);
  learner->before.serial = 0;
}

scant_status scant_learner_take_back(scant_learner *learner, const scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  int last = look->serial && look->serial == l->before.serial && look->serial + 1 == l->next_serial &&
             l->told == l->before.told && look->learner == l->tag && scant_open_has(&l->open, look->serial);
  if (!last) return scant_fail(error, SCANT_MISUSE, "only the last ask can be taken back, before anything is told");
  scant_open_close(&l->open, look->serial);
  l->rng = l->before.rng;
  l->rng_by_w = l->before.rng_by_w;
  l->next_serial--;
  return SCANT_OK;
}

/* ---- results ----------------------------------------------------------- */

void scant_learner_get_facts(const scant_learner *learner, scant_learner_facts *facts) {
  double risk_error, risk = scant_risk_mean(&learner->risk, &risk_error);
  *facts = (scant_learner_facts){
      .risk = risk,
      .risk_error = risk_error,
      .target_variance = learner->y_moments.count ? learner->y_moments.spread / (double)learner->y_moments.count : NAN,
      .dimension = learner->dimension,
      .told = learner->told,
      .k_gradient = learner->k_gradient,
      .eta = scant_list_has(learner->row->words.options, "eta") ? learner->eta : NAN,
      .penalty = learner->update == &scant_update_pegasos ? learner->w.penalty : NAN,
      .expected_draws = learner->expected_draws,
      .likelihood = NAN,
  };
  if (learner->engine) learner->engine->facts(learner, facts);
}
