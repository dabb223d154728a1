/* A learner's moving parts as JSON and back: what a checkpoint holds.
 *
 * The trees are not stored: leaves follow from the shapes (from theta for EG) and parents from their children, to the
 * same bits. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "scant_json.h"
#include "learn/learner.h"

/* A member with a double of each of some records: one field of each moments, and so on. */
typedef struct field {
  const char *key;
  size_t offset;
} field;

static const field moments_fields[] = {{"means", offsetof(scant_moments, mean)},
                                       {"spreads", offsetof(scant_moments, spread)},
                                       {"largest", offsetof(scant_moments, largest)},
                                       {NULL, 0}};
static const field score_fields[] = {{"score_sums", offsetof(scant_score, sum)},
                                     {"score_squares", offsetof(scant_score, squares)},
                                     {"score_largest", offsetof(scant_score, largest)},
                                     {NULL, 0}};
/* Their counts are those of the moments. */
static const field clipped_fields[] = {{"core_means", offsetof(scant_clipped, met.mean)},
                                       {"core_spreads", offsetof(scant_clipped, met.spread)},
                                       {"core_low", offsetof(scant_clipped, met.low)},
                                       {"core_high", offsetof(scant_clipped, met.high)},
                                       {"lowest", offsetof(scant_clipped, met.aside)},
                                       {"second_lowest", offsetof(scant_clipped, met.aside) + sizeof(double)},
                                       {"second_highest", offsetof(scant_clipped, met.aside) + 2 * sizeof(double)},
                                       {"highest", offsetof(scant_clipped, met.aside) + 3 * sizeof(double)},
                                       {"clipped_means", offsetof(scant_clipped, mean)},
                                       {"clipped_spreads", offsetof(scant_clipped, spread)},
                                       {NULL, 0}};

static void save_fields(scant_json_writer *out, const field *fields, const void *records, size_t size, size_t count) {
  for (const field *f = fields; f->key; f++)
    scant_json_reals(out, f->key, (const void *)((const char *)records + f->offset), count, size / sizeof(double));
}

static scant_status restore_fields(const scant_json *json, size_t node, const field *fields, void *records, size_t size,
                                   size_t count, scant_error *error) {
  for (const field *f = fields; f->key; f++)
    SCANT_TRY(scant_json_get_reals(json, node, f->key, (void *)((char *)records + f->offset), count,
                                   size / sizeof(double), error));
  return SCANT_OK;
}

#define COORDINATE_STRIDE (sizeof(scant_coordinate) / sizeof(double))
#define RISK_LENGTH (sizeof(scant_risk) / sizeof(double))
#define PARABOLA_LENGTH (sizeof(scant_parabola) / sizeof(double))

static void save_iterate(const scant_iterate *w, scant_json_writer *out) {
  const double clock[2] = {w->clock.high, w->clock.low};
  scant_json_real(out, "scale", w->scale);
  if (w->theta) {
    scant_json_integer(out, "exponent", w->exponent);
    scant_json_reals(out, "theta", w->theta, w->d, 1);
  } else {
    scant_json_reals(out, "shape", &w->at[0].shape, w->d, COORDINATE_STRIDE);
  }
  scant_json_real(out, "averaged", w->averaged);
  scant_json_reals(out, "clock", clock, 2, 1);
  scant_json_real(out, "peak", w->peak);
  scant_json_reals(out, "booked", &w->at[0].booked, w->d, COORDINATE_STRIDE);
}

static void save_moments(const scant_learner *l, scant_json_writer *out) {
  const scant_moments *m = l->moments, *y = &l->y_moments;
  double target[3] = {y->mean, y->spread, y->largest};
  scant_json_open(out, "counts", '[');
  for (size_t i = 0; i < l->dimension; i++) scant_json_count(out, NULL, m[i].count);
  scant_json_close(out);
  save_fields(out, moments_fields, m, sizeof *m, l->dimension);
  scant_json_count(out, "target_count", y->count);
  scant_json_reals(out, "target", target, 3, 1);
}

static void save_random(scant_json_writer *out, const char *key, const scant_rng *rng) {
  scant_json_open(out, key, '[');
  for (int i = 0; i < 4; i++) scant_json_hex(out, NULL, rng->state[i]);
  scant_json_close(out);
}

/* Counters up to here can't wrap. */
#define SERIAL_MOST (UINT64_C(1) << 53)

/* Raised whenever the state of a learner changes its meaning; that of learners with stopped looks, and of an engine
 * that says so, on its own. */
enum { STATE_VERSION = 2, STATE_VERSION_STOPPED = 3 };

static uint64_t version_of(const scant_learner *l) {
  if (l->engine && l->engine->state_version) return l->engine->state_version;
  return l->looks.kind->in_items ? STATE_VERSION_STOPPED : STATE_VERSION;
}

void scant_learner_write_state(const scant_learner *l, scant_json_writer *out) {
  scant_json_count(out, "state", version_of(l));
  save_random(out, "random", &l->looks.rng);
  save_random(out, "random_by_w", &l->looks.rng_by_w);
  scant_json_count(out, "told", l->told);
  if (l->settings.learning.block > 1) scant_json_count(out, "blocks", l->block);
  scant_json_count(out, "next_serial", l->next_serial);
  scant_json_open(out, "open", '[');
  for (size_t i = 0; i < l->open.length; i++)
    if (scant_open_has(&l->open, l->open.serial[i])) scant_json_count(out, NULL, l->open.serial[i]);
  scant_json_close(out);
  if (l->engine) {
    double pool[2] = {l->pool.sum, l->pool.count};
    if (l->settings.learning.like_units) scant_json_reals(out, "pool", pool, 2, 1);
    save_moments(l, out);
    scant_engine_view view = scant_engine_peek(l);
    l->engine->save(&view, out);
    return;
  }
  scant_json_real(out, "gradient_size", l->gradient_size);
  scant_json_reals(out, "risk", &l->risk.before.count, RISK_LENGTH, 1);
  if (l->judges_average) scant_json_reals(out, "average_risk", &l->parabola.count, PARABOLA_LENGTH, 1);
  save_iterate(&l->w, out);
  if (l->w.score) save_fields(out, score_fields, l->w.score, sizeof *l->w.score, l->w.d);
  if (l->looks.kind->save) l->looks.kind->save(&l->looks, out);
  save_moments(l, out);
  if (l->clipped) save_fields(out, clipped_fields, l->clipped, sizeof *l->clipped, l->dimension);
}

/* ---- and back ---------------------------------------------------------- */

static scant_status restore_iterate(scant_iterate *w, const scant_update *update, const scant_json *json, size_t node,
                                    scant_error *error) {
  double clock[2];
  SCANT_TRY(scant_json_get_real(json, node, "scale", &w->scale, error));
  if (w->theta) {
    int64_t exponent;
    SCANT_TRY(scant_json_get_integer(json, node, "exponent", &exponent, error));
    if (exponent < 0 || exponent > 1 << 30) return scant_fail(error, SCANT_DATA, "field 'exponent' is out of range");
    w->exponent = (int)exponent;
    SCANT_TRY(scant_json_get_reals(json, node, "theta", w->theta, w->d, 1, error));
  } else {
    SCANT_TRY(scant_json_get_reals(json, node, "shape", &w->at[0].shape, w->d, COORDINATE_STRIDE, error));
  }
  SCANT_TRY(scant_json_get_real(json, node, "averaged", &w->averaged, error));
  SCANT_TRY(scant_json_get_reals(json, node, "clock", clock, 2, 1, error));
  w->clock = (scant_sum){clock[0], clock[1]};
  SCANT_TRY(scant_json_get_real(json, node, "peak", &w->peak, error));
  SCANT_TRY(scant_json_get_reals(json, node, "booked", &w->at[0].booked, w->d, COORDINATE_STRIDE, error));
  if (!(w->scale > 0) || w->peak < 0 || w->averaged < 0)
    return scant_fail(error, SCANT_DATA, "fields 'scale', 'peak' or 'averaged' are out of range");
  update->refresh(w);
  scant_iterate_revive(w);
  /* The scale of EG follows from theta.  The scale of projected gradient stays between the limits at which it
   * is folded into the shapes. */
  int good = fabs(log2(w->scale)) <= 130;
  if (w->theta) good = w->scale == w->radius / scant_sumtree_total(&w->mass);
  if (w->score) {
    double norm = scant_sumtree_exists(&w->law) ? scant_sumtree_total(&w->law) : 0;
    good = w->scale == (w->unit * norm > w->radius ? w->radius / norm : w->unit);
  }
  if (!good || (scant_sumtree_exists(&w->law) && !isfinite(scant_sumtree_total(&w->law))))
    return scant_fail(error, SCANT_DATA, "the weights are out of range");
  return SCANT_OK;
}

static scant_status restore_moments(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  scant_moments *m = l->moments, *y = &l->y_moments;
  size_t d = l->dimension;
  double target[3];
  uint64_t *counts = scant_array(d, sizeof *counts);
  scant_status status =
      counts ? scant_json_get_counts(json, node, "counts", counts, d, error) : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < d; i++) m[i].count = counts[i];
  free(counts);
  SCANT_TRY(status);
  SCANT_TRY(restore_fields(json, node, moments_fields, m, sizeof *m, d, error));
  SCANT_TRY(scant_json_get_count(json, node, "target_count", &y->count, error));
  SCANT_TRY(scant_json_get_reals(json, node, "target", target, 3, 1, error));
  *y = (scant_moments){y->count, target[0], target[1], target[2]};
  int good = y->spread >= 0 && y->largest >= 0, told = y->count <= l->told;
  for (size_t i = 0; i < d; i++) {
    good = good && m[i].spread >= 0 && m[i].largest >= 0;
    told = told && m[i].count <= l->told;
  }
  if (!good) return scant_fail(error, SCANT_DATA, "fields 'spreads' or 'largest' are out of range");
  return told ? SCANT_OK : scant_fail(error, SCANT_DATA, "fields 'counts' or 'target_count' are above what was told");
}

/* Could these values have been met?  While fewer are aside than there is room for, the places past them are 0. */
static int is_possible(const scant_limits *l) {
  uint64_t aside = l->count < SCANT_LIMITS_ASIDE ? l->count : SCANT_LIMITS_ASIDE;
  int good = l->spread >= 0;
  for (uint64_t i = 1; i < aside; i++) good = good && l->aside[i - 1] <= l->aside[i];
  for (uint64_t i = aside; i < SCANT_LIMITS_ASIDE; i++) good = good && l->aside[i] == 0;
  if (l->count > aside) return good && l->aside[1] <= l->low && l->low <= l->high && l->high <= l->aside[2];
  return good && l->low == 0 && l->high == 0 && l->mean == 0 && l->spread == 0;
}

/* The moments must be those that follow. */
static scant_status restore_clipped(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  SCANT_TRY(restore_fields(json, node, clipped_fields, l->clipped, sizeof *l->clipped, l->dimension, error));
  for (size_t i = 0; i < l->dimension; i++) {
    scant_clipped *c = &l->clipped[i];
    c->met.count = l->moments[i].count;
    scant_limits_of(&c->met, l->settings.learning.clip, &c->low, &c->high);
    scant_moments m = scant_clipped_moments(c, scant_learner_is_raw(l));
    if (!is_possible(&c->met) || !(c->spread >= 0) || !isfinite(c->high - c->low) || m.mean != l->moments[i].mean ||
        m.spread != l->moments[i].spread || m.largest != l->moments[i].largest)
      return scant_fail(error, SCANT_DATA, "what was met of attribute %zu contradicts itself", i + 1);
  }
  return SCANT_OK;
}

static scant_status restore_scores(scant_iterate *w, const scant_json *json, size_t node, scant_error *error) {
  SCANT_TRY(restore_fields(json, node, score_fields, w->score, sizeof *w->score, w->d, error));
  for (size_t i = 0; i < w->d; i++)
    if (!(w->score[i].squares >= 0) || !(w->score[i].largest >= 0))
      return scant_fail(error, SCANT_DATA, "fields 'score_squares' or 'score_largest' are out of range");
  return SCANT_OK;
}

static scant_status restore_parabola(scant_parabola *p, const scant_json *json, size_t node, scant_error *error) {
  SCANT_TRY(scant_json_get_reals(json, node, "average_risk", &p->count, PARABOLA_LENGTH, 1, error));
  if (!(p->count >= 0 && p->mean.target >= 0 && p->cov[0] >= 0 && p->cov[3] >= 0 && p->cov[5] >= 0))
    return scant_fail(error, SCANT_DATA, "field 'average_risk' is out of range");
  return SCANT_OK;
}

static scant_status restore_random(scant_rng *rng, const char *key, const scant_json *json, size_t node,
                                   scant_error *error) {
  size_t array;
  SCANT_TRY(scant_json_get_array(json, node, key, 4, &array, error));
  for (size_t i = 0, node_of = array + 1; i < 4; i++, node_of = json->nodes[node_of].after)
    if (!scant_json_hex_of(json, node_of, &rng->state[i]))
      return scant_fail(error, SCANT_DATA, "field '%s' is not four times 16 hexadecimal digits", key);
  if (!(rng->state[0] | rng->state[1] | rng->state[2] | rng->state[3]))
    return scant_fail(error, SCANT_DATA, "field '%s' is all zeros", key);
  return SCANT_OK;
}

static scant_status restore_open(scant_open *open, const scant_json *json, size_t node, uint64_t next_serial,
                                 scant_error *error) {
  size_t array = scant_json_member(json, node, "open");
  if (array == SCANT_JSON_NONE || json->nodes[array].type != SCANT_JSON_ARRAY || json->nodes[array].count > open->most)
    return scant_fail(error, SCANT_DATA, "field 'open' is not a list of at most max-open looks");
  open->length = open->count = json->nodes[array].count;
  SCANT_TRY(scant_json_get_counts(json, node, "open", open->serial, open->count, error));
  for (size_t i = 0; i < open->count; i++)
    if (open->serial[i] >= next_serial || open->serial[i] <= (i ? open->serial[i - 1] : 0))
      return scant_fail(error, SCANT_DATA, "field 'open' does not ascend");
  return SCANT_OK;
}

static scant_status restore_engine(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  if (l->next_serial <= l->block) return scant_fail(error, SCANT_DATA, "field 'told' is out of range");
  if (l->settings.learning.like_units) {
    double pool[2];
    SCANT_TRY(scant_json_get_reals(json, node, "pool", pool, 2, 1, error));
    if (!(pool[0] >= 0) || !(pool[1] >= 0)) return scant_fail(error, SCANT_DATA, "field 'pool' is out of range");
    l->pool = (scant_pool){pool[0], pool[1]};
  }
  SCANT_TRY(restore_moments(l, json, node, error));
  scant_engine_view view = scant_engine_view_of(l);
  return l->engine->restore(&view, json, node, error);
}

/* How many blocks were told.  A block has at least one row that was learned from, and no more than option block says.
 */
static scant_status restore_block(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  uint64_t size = l->settings.learning.block;
  l->block = l->told;
  if (size == 1) return SCANT_OK;
  SCANT_TRY(scant_json_get_count(json, node, "blocks", &l->block, error));
  if (l->block <= l->told && l->told / size + (l->told % size > 0) <= l->block) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "field 'blocks' does not agree with field 'told'");
}

scant_status scant_learner_restore(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  uint64_t version;
  SCANT_TRY(scant_json_get_count(json, node, "state", &version, error));
  if (version != version_of(l))
    return scant_fail(error, SCANT_DATA,
                      "the state of the learner is of version %llu, and this scant reads version %llu",
                      (unsigned long long)version, (unsigned long long)version_of(l));
  SCANT_TRY(restore_random(&l->looks.rng, "random", json, node, error));
  SCANT_TRY(restore_random(&l->looks.rng_by_w, "random_by_w", json, node, error));
  SCANT_TRY(scant_json_get_count(json, node, "told", &l->told, error));
  SCANT_TRY(scant_json_get_count(json, node, "next_serial", &l->next_serial, error));
  SCANT_TRY(restore_block(l, json, node, error));
  if (l->next_serial > SERIAL_MOST || l->told > SERIAL_MOST)
    return scant_fail(error, SCANT_DATA, "fields 'told' or 'next_serial' are further than any learner gets");
  SCANT_TRY(restore_open(&l->open, json, node, l->next_serial, error));
  if (l->engine) return restore_engine(l, json, node, error);
  SCANT_TRY(scant_json_get_real(json, node, "gradient_size", &l->gradient_size, error));
  SCANT_TRY(scant_json_get_reals(json, node, "risk", &l->risk.before.count, RISK_LENGTH, 1, error));
  if (l->judges_average) SCANT_TRY(restore_parabola(&l->parabola, json, node, error));
  SCANT_TRY(restore_iterate(&l->w, l->update, json, node, error));
  if (l->w.score) SCANT_TRY(restore_scores(&l->w, json, node, error));
  if (l->risk.before.count < 0 || l->risk.now.count < 0 || l->gradient_size < 0 || l->next_serial <= l->block)
    return scant_fail(error, SCANT_DATA, "fields 'told', 'next_serial' or 'gradient_size' are out of range");
  SCANT_TRY(restore_moments(l, json, node, error));
  if (!l->clipped && scant_json_member(json, node, clipped_fields[0].key) != SCANT_JSON_NONE)
    return scant_fail(error, SCANT_DATA, "there are limits, but no setting clip");
  if (l->clipped) SCANT_TRY(restore_clipped(l, json, node, error));
  if (l->looks.kind->restore) SCANT_TRY(l->looks.kind->restore(&l->looks, l->block, json, node, error));
  scant_learner_take_eta(l);
  return SCANT_OK;
}
