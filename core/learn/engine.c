#include "learn/engine.h"

#include <math.h>
#include <string.h>

#include "scant_base.h"
#include "learn/learner.h"
#include "settings/settings.h"

const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *algorithm) {
  for (; engines && *engines; engines++)
    if (!strcmp((*engines)->algorithm, algorithm)) return *engines;
  return NULL;
}

/* ---- what an engine sees ---------------------------------------------------------- */

static scant_engine_view look_at(const scant_learner *l) {
  return (scant_engine_view){.state = l->engine_state,
                             .settings = &l->settings,
                             .dimension = l->dimension,
                             .horizon = l->horizon,
                             .told = l->told,
                             .block = l->block,
                             .k = l->looks.k_gradient,
                             .market = l->looks.law.market,
                             .moments = l->moments,
                             .target = &l->y_moments,
                             .pooled = scant_pool_variance(&l->pool),
                             .unpenalised = l->unpenalised,
                             .chooses_by_groups = l->chooses_by_groups,
                             .read_as = l->read_as};
}

scant_engine_view scant_engine_view_of(scant_learner *l) {
  scant_engine_view view = look_at(l);
  view.rng = &l->looks.rng;
  view.learner = l;
  return view;
}

/* ---- its looks --------------------------------------------------------------- */

static void share(scant_looks *looks) {
  looks->k_gradient = (uint32_t)scant_settings_k_visit(looks->settings);
  looks->expected_draws = looks->k_gradient;
}

static double purchases(const scant_settings *settings, size_t dimension) {
  return fmin(floor((double)settings->learning.k / (double)settings->learning.passes), (double)dimension);
}

static scant_status draw(scant_looks *looks, scant_look *look, scant_error *error) {
  scant_learner *l = looks->learner;
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine->look(&view, look, error);
}

static void chances(const scant_looks *looks, const scant_look *look, const scant_chances *found) {
  const scant_learner *l = looks->learner;
  scant_engine_view view = look_at(l);
  if (l->engine->chances) l->engine->chances(&view, look, found);
}

static int price(scant_looks *looks, const scant_prices *prices, uint64_t spend, double rate) {
  if (!scant_law_price(&looks->law, prices, looks->k_gradient, spend, rate)) return 0;
  looks->expected_draws = looks->law.market.expected + looks->law.market.free_count;
  return 1;
}

const scant_look_kind scant_look_by_engine = {.fleeting = 1,
                                              .purchases = purchases,
                                              .share = share,
                                              .draw = draw,
                                              .draw_all = scant_look_draw_all,
                                              .chances = chances};
const scant_look_kind scant_look_by_engine_for_prices = {.fleeting = 1,
                                                         .purchases = purchases,
                                                         .share = share,
                                                         .price = price,
                                                         .draw = draw,
                                                         .draw_all = scant_look_draw_all,
                                                         .chances = chances};

/* ---- what engines ask for ------------------------------------------------------------ */

scant_status scant_engine_check_memory(const scant_engine_view *l, double bytes, scant_error *error) {
  double gib = bytes / 0x1p30;
  if (gib <= l->settings->runtime.memory) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    "%s needs %.3g GiB for %zu attributes, and option memory allows %g: give more, or take auto, which "
                    "needs next to nothing (option algorithm auto)",
                    l->settings->learning.algorithm, gib, l->dimension, l->settings->runtime.memory);
}

void scant_engine_clip(scant_engine_view *l, const double *low, const double *high) {
  l->learner->frozen_low = low;
  l->learner->frozen_high = high;
}

void scant_engine_note_anew(scant_engine_view *l, size_t examples, const size_t *end, uint32_t *attributes,
                            const double *values) {
  memset(l->learner->moments, 0, l->dimension * sizeof *l->learner->moments);
  l->learner->pool = (scant_pool){0, 0};
  for (size_t e = 0, begin = 0; e < examples; begin = end[e++]) {
    scant_look look = {.count = (uint32_t)(end[e] - begin), .attributes = attributes + begin};
    scant_learner_note_values(l->learner, &look, values + begin);
  }
}

/* ---- what learners ask of them --------------------------------------------------------- */

scant_status scant_engine_open(scant_learner *l, scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l);
  scant_status status = l->engine->open(&view, error);
  l->engine_state = view.state;
  return status;
}

scant_status scant_engine_check_prices(const scant_learner *l, const scant_prices *prices, scant_error *error) {
  scant_engine_view view = look_at(l);
  return l->engine->check_prices ? l->engine->check_prices(&view, prices, error) : SCANT_OK;
}

scant_status scant_engine_tell(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                               const double *y, scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l);
  if (rows > 1 && l->engine->reserve) SCANT_TRY(l->engine->reserve(&view, look, rows, error));
  for (size_t r = 0; r < rows; r++, values += look->count) {
    if (rows > 1 && !scant_learner_takes_row(l, look, values)) continue;
    SCANT_TRY(l->engine->tell(&view, look, values, y[r], error));
    view.told = ++l->told;
    scant_learner_note(l, look, values, y[r]);
  }
  l->block++;
  scant_open_close(&l->open, look->serial);
  return SCANT_OK;
}

scant_status scant_learner_finish(scant_learner *learner, scant_error *error) {
  if (!learner->engine) return SCANT_OK;
  scant_engine_view view = scant_engine_view_of(learner);
  return learner->engine->finish(&view, error);
}

void scant_engine_weights(const scant_learner *l, double *w, double *intercept) {
  scant_engine_view view = look_at(l);
  l->engine->weights(&view, w, intercept);
}

void scant_engine_facts(const scant_learner *l, scant_learner_facts *facts) {
  scant_engine_view view = look_at(l);
  l->engine->facts(&view, facts);
}

int scant_engine_limits(const scant_learner *l, double *low, double *high) {
  scant_engine_view view = look_at(l);
  if (l->engine->limits) l->engine->limits(&view, low, high);
  return l->engine->limits != NULL;
}

void scant_engine_save(const scant_learner *l, scant_json_writer *out) {
  scant_engine_view view = look_at(l);
  l->engine->save(&view, out);
}

scant_status scant_engine_restore(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine->restore(&view, json, node, error);
}

scant_status scant_engine_judge(scant_learner *l, const double *w, double *risk, double *risk_error,
                                scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine->judge(&view, w, risk, risk_error, error);
}

uint64_t scant_engine_law(const scant_learner *l) {
  scant_engine_view view = look_at(l);
  return l->engine && l->engine->law ? l->engine->law(&view) : 0;
}

scant_status scant_engine_turn(scant_learner *l, scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine && l->engine->turn ? l->engine->turn(&view, error) : SCANT_OK;
}

/* Adds the moments, as if one learner had been told the values of both. */
static void add_moments(scant_moments *a, const scant_moments *b) {
  double n = (double)a->count, m = (double)b->count, gap = b->mean - a->mean;
  if (!b->count) return;
  a->spread += b->spread + gap * gap * n * m / (n + m);
  a->mean += gap * m / (n + m);
  a->largest = fmax(a->largest, b->largest); /* each is about its own mean; engines that merge do not use it */
  a->count += b->count;
}

scant_status scant_engine_merge(scant_learner *l, scant_learner *other, scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l), others = scant_engine_view_of(other);
  SCANT_TRY(l->engine->merge(&view, &others, error));
  for (size_t i = 0; i < l->dimension; i++) add_moments(&l->moments[i], &other->moments[i]);
  add_moments(&l->y_moments, &other->y_moments);
  l->told += other->told;
  l->block += other->block;
  return SCANT_OK;
}
