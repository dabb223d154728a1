/* The learner: its start, and what it says of itself; ask.c and tell.c have the rest. */
#include "learn/learner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "price/prices.h"

/* Shuffles take the streams from 1 on, and candidates of a tuning those from 2^40. */
#define STREAM_BY_W (UINT64_C(1) << 41)

/* ---- the start --------------------------------------------------------- */

/* The step size of the theorem, where there is one. */
static double theorem_eta(const scant_learner *l, const scant_step_inputs *inputs) {
  if (!l->update->anytime && (l->parts->adaptive_eta || !l->horizon)) return NAN;
  return l->update->eta(inputs);
}

/* Blocks that the examples to come make.  The last block of a pass may be shorter. */
static uint64_t blocks_to_come(const scant_learner *l) {
  uint64_t size = l->settings.learning.block, passes = l->settings.learning.passes, per_pass = l->horizon / passes;
  if (size == 1) return l->horizon;
  if (l->horizon % passes) return l->horizon / size + (l->horizon % size > 0); /* a budget ends it within a pass */
  return passes * (per_pass / size + (per_pass % size > 0));
}

/* A theorem speaks of steps, and a block makes one: m is the number of blocks.  The mean gradient of a block is no
 * larger in the mean square than that of an example, so what the theorem says of the sum over steps holds; it need not
 * be much smaller, since all rows of a block have the noise of the same look. */
static scant_status choose_steps(scant_learner *l, scant_error *error) {
  const scant_settings *s = &l->settings;
  const scant_step_inputs inputs = {.k = l->looks.k_gradient,
                                    .d = (double)l->dimension,
                                    .m = (double)l->looks.horizon,
                                    .visit = (double)scant_settings_k_visit(s),
                                    .radius = s->learning.radius,
                                    .exact = l->looks.kind->whole};
  l->eta = NAN;
  if (l->engine) return SCANT_OK; /* it takes none */
  if (l->update->penalty) {
    if (isnan(s->learning.penalty) && !l->horizon)
      return scant_fail(error, SCANT_USAGE, "penalty auto needs the number of examples beforehand");
    l->w.penalty = isnan(s->learning.penalty) ? l->update->penalty(&inputs) : s->learning.penalty;
  } else {
    l->eta = isnan(s->learning.eta) ? theorem_eta(l, &inputs) : s->learning.eta;
  }
  if (l->looks.kind->needs_horizon && !l->horizon)
    return scant_fail(error, SCANT_USAGE, "%s needs the number of examples beforehand", l->parts->words.name);
  if (s->learning.average == SCANT_AVERAGE_HALF && !l->horizon)
    return scant_fail(error, SCANT_USAGE, "average half needs the number of examples beforehand");
  return SCANT_OK;
}

static scant_status allocate(scant_learner *l, scant_error *error) {
  size_t d = l->dimension;
  l->looks.moments = l->moments = scant_array(d, sizeof *l->moments);
  int clips = !l->engine && l->settings.learning.clip > 0;
  if (clips) l->clipped = scant_array(d, sizeof *l->clipped);
  int good =
      l->moments && (!clips || l->clipped) && scant_open_new(&l->open, (size_t)l->settings.learning.max_open) &&
      (l->engine || scant_iterate_new(&l->w, l->update, d + (size_t)l->own_intercept,
                                      isnan(l->settings.learning.radius) ? INFINITY : l->settings.learning.radius)) &&
      scant_looks_open(&l->looks);
  size_t places = l->looks.k_gradient + l->looks.k_residual;
  return good && scant_learner_reserve(l, (places ? places : d) + 1) ? SCANT_OK : scant_fail_memory(error);
}

/* Sets what the looks are drawn by: they follow w and the moments as these change. */
static void start_looks(scant_learner *l, const scant_look_kind *kind) {
  const scant_settings *s = &l->settings;
  l->looks = (scant_looks){.kind = kind,
                           .settings = s,
                           .dimension = l->dimension,
                           .horizon = blocks_to_come(l),
                           .norm = l->update ? l->update->norm : SCANT_NORM_2,
                           .centered = l->centered,
                           .series = scant_loss_series(l->loss.loss),
                           .group = scant_genest_group(s->learning.radius, l->loss.smoothing),
                           .calls = scant_loss_calls(l->loss.loss),
                           .learner = l,
                           .w = &l->w,
                           .pool = &l->pool};
}

/* Learners of other sizes or settings have other tags, so that a look told to the wrong one is noticed. */
static uint64_t tag_of(const scant_learner *l) {
  uint64_t facts[2] = {l->dimension, l->horizon}, tag = scant_hash(SCANT_HASH_START, facts, sizeof facts);
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[SCANT_ERROR_LENGTH];
    if (!(o->scope & SCANT_SCOPE_MODEL) || scant_settings_is_unkept(&l->settings, o)) continue;
    scant_settings_get(&l->settings, o, value, sizeof value);
    tag = scant_hash(tag, value, strlen(value) + 1);
  }
  return l->looks.barred ? scant_hash(tag, l->looks.barred, l->dimension) : tag;
}

static scant_status start(scant_learner *l, const scant_look_kind *looks, scant_error *error) {
  const scant_settings *s = &l->settings;
  if (l->dimension >= INT32_MAX) return scant_fail(error, SCANT_DATA, "more than 2^31 attributes");
  if (!l->engine)
    l->update = l->parts->update                   ? l->parts->update
                : s->learning.norm == SCANT_NORM_1 ? &scant_update_eg
                                                   : &scant_update_gradient;
  l->loss = scant_settings_loss(s);
  l->own_intercept = l->parts->own_intercept && s->learning.intercept;
  l->centered = l->engine                                              ? 1
                : scant_algorithm_takes(&l->parts->words, "intercept") ? s->learning.intercept
                                                                       : s->learning.center;
  start_looks(l, looks);
  l->judges_average =
      l->looks.kind->in_items && s->learning.average != SCANT_AVERAGE_LAST && !l->update->average_updated;
  l->tallies =
      !l->engine && !l->centered && !l->parts->standardised && !l->looks.kind->uses_moments && !(s->learning.clip > 0);
  SCANT_TRY(allocate(l, error));
  SCANT_TRY(choose_steps(l, error));
  scant_looks_seed(&l->looks, s->learning.seed, 0, STREAM_BY_W);
  l->next_serial = 1;
  l->tag = tag_of(l);
  if (!l->engine) return SCANT_OK;
  scant_engine_view view = scant_engine_view_of(l);
  scant_status status = l->engine->open(&view, error);
  l->engine_state = view.state;
  return status;
}

scant_status scant_learner_of_terms(scant_learner **learner, const scant_terms *terms, scant_error *error) {
  const scant_settings *settings = &terms->settings;
  const scant_engine *engine = scant_engine_find(settings->runtime.engines, settings->learning.algorithm);
  if (terms->parts->words.dense && !engine)
    return scant_fail(error, SCANT_USAGE,
                      "%s needs an engine: libscant-dense has it (scant_dense.h), libscant alone has not",
                      settings->learning.algorithm);
  scant_learner *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  l->parts = terms->parts;
  l->engine = engine;
  l->settings = *settings;
  scant_settings_own(&l->settings);
  l->settings.runtime.watch = settings->runtime.watch; /* not serialized */
  l->settings.runtime.watcher = settings->runtime.watcher;
  l->dimension = terms->dimension;
  l->horizon = terms->horizon;
  scant_status status = start(l, terms->looks, error);
  if (status == SCANT_OK && settings->learning.errors_of) /* it knows no names */
    status = scant_learner_unpenalise_named(l, settings->learning.errors_of, NULL, NULL, error);
  if (status != SCANT_OK) {
    scant_learner_free(l);
    return status;
  }
  *learner = l;
  return SCANT_OK;
}

scant_status scant_learner_new(scant_learner **learner, const scant_settings *settings, size_t dimension,
                               uint64_t horizon, scant_error *error) {
  scant_terms terms;
  SCANT_TRY(scant_terms_make(&terms, settings, &(scant_extent){.dimension = dimension, .examples = horizon}, error));
  return scant_learner_of_terms(learner, &terms, error);
}

const char *scant_learner_algorithm(const scant_learner *learner) {
  return learner->parts->words.name;
}

/* What is drawn for an estimate must be affordable.  An engine passes over what is not, and needs some two items. */
static scant_status check_spend(const scant_learner *l, const scant_prices *p, uint64_t spend, scant_error *error) {
  uint64_t least = l->engine ? p->cheapest_two : p->dearest_two;
  if (!(l->settings.learning.spend > 0) || spend >= least) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "spend %.2f%s is less than the two %s looks cost together, %.2f",
                    (double)spend / 100, l->settings.learning.passes > 1 ? " per pass" : "",
                    l->engine ? "cheapest" : "dearest", (double)least / 100);
}

scant_status scant_learner_price(scant_learner *l, const scant_prices *prices, scant_error *error) {
  if (l->next_serial > 1) return scant_fail(error, SCANT_MISUSE, "prices must be known before the first look");
  if (!l->looks.kind->price)
    return scant_fail(error, SCANT_USAGE, "the looks of %s do not follow prices", l->parts->words.name);
  if (prices->dimension != l->dimension)
    return scant_fail(error, SCANT_DATA, "there are prices of %zu attributes, not of %zu", prices->dimension,
                      l->dimension);
  uint64_t spend = scant_thrift_spend(&l->settings);
  SCANT_TRY(check_spend(l, prices, spend, error));
  if (l->engine && l->engine->check_prices) {
    scant_engine_view view = scant_engine_peek(l);
    SCANT_TRY(l->engine->check_prices(&view, prices, error));
  }
  double rate = scant_thrift_choose(prices, &l->settings, l->horizon);
  if (!scant_learner_reserve(l, l->dimension + 1) || !l->looks.kind->price(&l->looks, prices, spend, rate))
    return scant_fail_memory(error);
  l->tag = scant_hash(tag_of(l), prices->attribute_cost, l->dimension * sizeof *prices->attribute_cost);
  l->tag = scant_hash(l->tag, prices->group, l->dimension * sizeof *prices->group);
  return SCANT_OK;
}

scant_status scant_learner_bar(scant_learner *l, const unsigned char *barred, scant_error *error) {
  if (l->next_serial > 1 || scant_learner_prices(l))
    return scant_fail(error, SCANT_MISUSE, "what is never asked for must be known before prices and the first look");
  if (!scant_learner_follows_prices(l))
    return scant_fail(error, SCANT_USAGE, "the looks of %s can't leave an attribute out", l->parts->words.name);
  if (!scant_looks_bar(&l->looks, barred)) return scant_fail_memory(error);
  l->tag = tag_of(l);
  return SCANT_OK;
}

void scant_learner_choose_by_groups(scant_learner *learner) {
  learner->chooses_by_groups = 1;
}

void scant_learner_get_traits(const scant_learner *learner, scant_learner_traits *traits) {
  const scant_look_kind *kind = learner->looks.kind;
  const scant_engine *engine = learner->engine;
  *traits = (scant_learner_traits){.tag = learner->tag,
                                   .whole = kind->whole,
                                   .independent = kind->has_draws,
                                   .ageless = kind->ageless || engine,
                                   .fleeting = kind->fleeting,
                                   .retold = kind->in_items || engine,
                                   .own_errors = engine && engine->errors};
}

void scant_learner_move_prices(scant_learner *learner, const scant_prices *prices) {
  if (learner->looks.kind->price && !learner->own_prices) learner->looks.law.market.prices = prices;
}

void scant_learner_free(scant_learner *learner) {
  if (!learner) return;
  if (learner->engine) learner->engine->free(learner->engine_state);
  scant_iterate_free(&learner->w);
  free(learner->moments);
  free(learner->clipped);
  scant_looks_free(&learner->looks);
  scant_prices_free(learner->own_prices);
  free(learner->open.serial);
  free(learner->unpenalised);
  free(learner->x);
  free(learner->g);
  free(learner->mean_g);
  free(learner->t);
  free(learner->a);
  free(learner->shapes);
  free(learner->renewed);
  free(learner->after.count);
  free(learner->after.mean);
  free(learner->after.spread);
  free(learner->after.largest);
  free(learner->met);
  free(learner);
}

int scant_learner_reserve(scant_learner *l, size_t places) {
  if (places <= l->scratch_room) return 1;
  struct {
    void *array;
    size_t size;
  } scratch[] = {{&l->x, sizeof *l->x},
                 {&l->g, sizeof *l->g},
                 {&l->t, sizeof *l->t},
                 {&l->a, sizeof *l->a},
                 {&l->shapes, 2 * sizeof *l->shapes},
                 {&l->renewed, 2 * sizeof *l->renewed},
                 {&l->after.count, sizeof *l->after.count},
                 {&l->after.mean, sizeof *l->after.mean},
                 {&l->after.spread, sizeof *l->after.spread},
                 {&l->after.largest, sizeof *l->after.largest},
                 {l->settings.learning.block > 1 ? &l->mean_g : NULL, sizeof *l->mean_g},
                 {l->clipped ? &l->met : NULL, sizeof *l->met}};
  size_t room = l->scratch_room, count = sizeof scratch / sizeof *scratch;
  for (size_t i = 0; i < count; i++) {
    if (!scratch[i].array) continue;
    room = l->scratch_room;
    if (!scant_grow(scratch[i].array, &room, places, scratch[i].size)) return 0;
  }
  l->scratch_room = room;
  return 1;
}

/* ---- results ----------------------------------------------------------- */

void scant_learner_get_facts(const scant_learner *learner, scant_learner_facts *facts) {
  double scale = scant_learner_scale(learner), risk_error;
  double risk = learner->judges_average ? scant_parabola_risk(&learner->parabola, scale, &risk_error)
                                        : scant_risk_mean(&learner->risk, &risk_error);
  if (!isfinite(risk_error)) risk = NAN; /* one step was made from weights of 0, and says nothing of what it made */
  *facts = (scant_learner_facts){
      .risk = risk,
      .risk_error = risk_error,
      .scale = scale,
      .target_variance = learner->y_moments.count ? learner->y_moments.spread / (double)learner->y_moments.count : NAN,
      .dimension = learner->dimension,
      .told = learner->told,
      .k_gradient = learner->looks.k_gradient,
      .eta = scant_algorithm_takes(&learner->parts->words, "eta") ? learner->eta : NAN,
      .penalty = learner->update && learner->update->penalty ? learner->w.penalty : NAN,
      .expected_draws = learner->looks.expected_draws,
      .likelihood = NAN,
      .certificate = {NAN, NAN, NAN, NAN},
  };
  if (!learner->engine) return;
  scant_engine_view view = scant_engine_peek(learner);
  learner->engine->facts(&view, facts);
}
