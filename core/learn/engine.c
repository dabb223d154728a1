/* Engines (scant_engine.h): what they see of a learner, their looks, and what core asks of them. */
#include "learn/learner.h"

#include <math.h>
#include <string.h>

const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *algorithm) {
  for (; engines && *engines; engines++)
    if (!strcmp((*engines)->algorithm, algorithm)) return *engines;
  return NULL;
}

/* ---- what an engine sees ---------------------------------------------------------- */

scant_engine_view scant_engine_peek(const scant_learner *l) {
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
  scant_engine_view view = scant_engine_peek(l);
  view.rng = &l->looks.rng;
  view.learner = l;
  return view;
}

/* ---- its looks --------------------------------------------------------------- */

static scant_status draw(scant_looks *looks, scant_look *look, scant_error *error) {
  scant_learner *l = looks->learner;
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine->look(&view, look, error);
}

static void chances(const scant_looks *looks, const scant_look *look, const scant_chances *found) {
  const scant_learner *l = looks->learner;
  scant_engine_view view = scant_engine_peek(l);
  if (l->engine->chances) l->engine->chances(&view, look, found);
}

const scant_look_kind scant_look_by_engine = {
    .fleeting = 1, .share = scant_look_share_k, .draw = draw, .draw_all = scant_look_draw_all, .chances = chances};
const scant_look_kind scant_look_by_engine_for_prices = {.fleeting = 1,
                                                         .share = scant_look_share_k,
                                                         .price = scant_looks_price,
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

scant_status scant_engine_judge(scant_learner *l, const double *w, double *risk, double *risk_error,
                                scant_error *error) {
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine->judge(&view, w, risk, risk_error, error);
}

uint64_t scant_engine_law(const scant_learner *l) {
  scant_engine_view view = scant_engine_peek(l);
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

/* ---- progress ---------------------------------------------------------------------------- */

void scant_thinking_begin(scant_thinking *thinking, const scant_runtime *runtime, const char *algorithm, int reading) {
  *thinking = (scant_thinking){
      .watch = runtime->watch, .watcher = runtime->watcher, .now = {.algorithm = algorithm, .reading = reading}};
  pthread_mutex_init(&thinking->lock, NULL);
}

void scant_thinking_end(scant_thinking *thinking) {
  pthread_mutex_destroy(&thinking->lock);
}

/* Tells the watcher, with the lock held, and releases it. */
static int report(scant_thinking *t) {
  if (!t->stopped && t->watch) t->stopped = t->watch(t->watcher, &t->now) != 0;
  int stop = t->stopped;
  pthread_mutex_unlock(&t->lock);
  return stop;
}

int scant_thinking_step(scant_thinking *thinking, unsigned steps) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  thinking->now.steps += steps;
  return report(thinking);
}

int scant_thinking_turn(scant_thinking *thinking, unsigned prior, unsigned priors) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  thinking->now.prior = prior;
  thinking->now.priors = priors;
  return report(thinking);
}

int scant_thinking_group(scant_thinking *thinking, unsigned group, unsigned groups) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  if (group > thinking->now.group) thinking->now.group = group;
  thinking->now.groups = groups;
  return report(thinking);
}

int scant_thinking_stopped(scant_thinking *thinking) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  int stop = thinking->stopped;
  pthread_mutex_unlock(&thinking->lock);
  return stop;
}
