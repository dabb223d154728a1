/* Asking: which attributes of the next example to buy, frozen with what the estimate
 * will need. */
#include <math.h>
#include <string.h>

#include "scant_base.h"
#include "learn/learner.h"

/* Passes take the streams from 1 on, candidates of a tuning those from 2^40. */
#define STREAM_ANEW (UINT64_C(1) << 43)

scant_status scant_look_new(scant_look **look, const scant_learner *learner, scant_error *error) {
  scant_look *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  if (!scant_look_reserve(l, learner->scratch_room, learner->looks.k_residual)) {
    scant_look_free(l);
    return scant_fail_memory(error);
  }
  *look = l;
  return SCANT_OK;
}

/* ---- in two halves ------------------------------------------------------------ */

scant_status scant_learner_draw(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  if (l->settings.learning.spend > 0 && !scant_learner_prices(l))
    return scant_fail(error, SCANT_MISUSE, "a learner with spend must know prices before it is asked");
  if ((look->capacity < l->scratch_room || look->sequence_capacity < l->looks.k_residual) &&
      !scant_look_reserve(look, l->scratch_room, l->looks.k_residual))
    return scant_fail_memory(error);
  scant_rng before = l->looks.rng;
  scant_looks_empty(&l->looks, look);
  scant_status status = l->looks.kind->draw(&l->looks, look, error);
  if (status == SCANT_OK) return SCANT_OK;
  look->count = 0;
  l->looks.rng = before;
  return status;
}

/* Each attribute with what the estimate needs. */
static void take_down(const scant_learner *l, scant_look *look) {
  look->y_mean = l->y_moments.mean;
  look->intercept = l->own_intercept ? scant_iterate_weight(&l->w, l->dimension) : 0;
  for (uint32_t i = 0; i < look->count; i++)
    look->weight[i] = l->engine ? 0 : scant_iterate_weight(&l->w, look->attributes[i]);
  memset(look->mean, 0, look->count * sizeof *look->mean);
  for (uint32_t i = 0; l->centered && i < look->count; i++) {
    const scant_moments *m = &l->moments[look->attributes[i]];
    look->mean[i] = m->count ? m->mean : NAN;
  }
}

scant_status scant_learner_renew(scant_learner *learner, const scant_look **look, scant_look *room,
                                 scant_error *error) {
  scant_learner *l = learner;
  if (!l->looks.kind->ageless) return SCANT_OK;
  if (!scant_learner_reserve(l, (*look)->count + 1)) return scant_fail_memory(error);
  *room = **look;
  room->weight = l->renewed;
  room->mean = l->renewed + room->count;
  take_down(l, room);
  *look = room;
  return SCANT_OK;
}

void scant_learner_open_look(scant_learner *learner, scant_look *look) {
  take_down(learner, look);
  look->learner = learner->tag;
  look->serial = learner->next_serial++;
  learner->asked_at = learner->told;
  scant_open_add(&learner->open, look->serial);
}

scant_status scant_learner_freeze(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  if (l->looks.kind->freeze) {
    scant_rng before = l->looks.rng_by_w;
    scant_status status = l->looks.kind->freeze(&l->looks, look, error);
    if (status != SCANT_OK) {
      look->count = 0;
      l->looks.rng_by_w = before;
      return status;
    }
  }
  scant_learner_open_look(l, look);
  return SCANT_OK;
}

/* ---- together ------------------------------------------------------------------ */

scant_status scant_learner_check_open(const scant_learner *learner, scant_error *error) {
  if (learner->open.count < learner->open.most) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "%zu looks are open already, and no more than max-open may be",
                    learner->open.count);
}

/* The round of an algorithm up to its looks [HK12, Alg. 1, l. 2] [HK12, Alg. 2, l. 2]. */
scant_status scant_learner_ask(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  SCANT_TRY(scant_learner_check_open(l, error));
  scant_rng before = l->looks.rng, before_by_w = l->looks.rng_by_w;
  SCANT_TRY(scant_learner_draw(l, look, error));
  scant_status status = scant_learner_freeze(l, look, error);
  if (status != SCANT_OK) {
    l->looks.rng = before;
    return status;
  }
  l->before = (scant_before){look->serial, l->told, before, before_by_w};
  return SCANT_OK;
}

scant_status scant_learner_ask_all(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  if (!l->looks.kind->draw_all)
    return scant_fail(error, SCANT_USAGE, "%s learns from looks of its own alone, not from values that are at hand",
                      l->parts->words.name);
  SCANT_TRY(scant_learner_check_open(l, error));
  if (!scant_learner_reserve(l, l->dimension + 1) || !scant_look_reserve(look, l->dimension, l->looks.k_residual))
    return scant_fail_memory(error);
  scant_looks_empty(&l->looks, look);
  SCANT_TRY(l->looks.kind->draw_all(&l->looks, look, error));
  scant_learner_open_look(l, look);
  return SCANT_OK;
}

scant_status scant_learner_undo_ask(scant_learner *learner, const scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  int last = look->serial && look->serial == l->before.serial && look->serial + 1 == l->next_serial &&
             l->told == l->before.told && look->learner == l->tag && scant_open_has(&l->open, look->serial);
  if (!last) return scant_fail(error, SCANT_MISUSE, "only the last ask can be taken back, before anything is told");
  scant_open_close(&l->open, look->serial);
  l->looks.rng = l->before.rng;
  l->looks.rng_by_w = l->before.rng_by_w;
  l->next_serial--;
  return SCANT_OK;
}

/* ---- the generators -------------------------------------------------------------- */

void scant_learner_reseed(scant_learner *learner, uint64_t stream) {
  scant_looks_seed(&learner->looks, learner->settings.learning.seed, STREAM_ANEW + 2 * stream,
                   STREAM_ANEW + 2 * stream + 1);
  learner->before.serial = 0;
}

void scant_learner_set_stream(scant_learner *learner, uint64_t stream) {
  scant_rng_seed(&learner->looks.rng, learner->settings.learning.seed, stream);
}

/* ---- what comes soon -------------------------------------------------------------- */

static void expect(const void *array, size_t size, size_t count, const uint32_t *attributes) {
  for (size_t r = 0; array && r < count; r++) __builtin_prefetch((const char *)array + attributes[r] * size, 1);
}

void scant_learner_expect(const scant_learner *learner, size_t count, const uint32_t *attributes) {
  const scant_learner *l = learner;
  expect(l->w.at, sizeof *l->w.at, count, attributes);
  expect(l->moments, sizeof *l->moments, count, attributes);
  expect(l->w.score, sizeof *l->w.score, count, attributes);
  expect(l->w.theta, sizeof *l->w.theta, count, attributes);
  expect(l->w.law.level[0], sizeof(double), count, attributes);
  expect(l->w.mass.level[0], sizeof(double), count, attributes);
}
