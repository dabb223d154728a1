/* Asking: which attributes of the next example to buy, frozen with what the estimate will need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- in two halves: see look/looks.h ------------------------------------------- */

/* The draws that do not depend on w; they may be made ahead. */
static scant_status draw(scant_learner *l, scant_look *look, scant_error *error) {
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

scant_status scant_learner_renew(scant_learner *l, const scant_look **look, scant_look *room, scant_error *error) {
  if (!l->looks.kind->ageless) return SCANT_OK;
  if (!scant_learner_reserve(l, (*look)->count + 1)) return scant_fail_memory(error);
  *room = **look;
  room->weight = l->renewed;
  room->mean = l->renewed + room->count;
  take_down(l, room);
  *look = room;
  return SCANT_OK;
}

/* Takes down w and the means, and opens a look that was drawn. */
static void open_look(scant_learner *learner, scant_look *look) {
  take_down(learner, look);
  look->learner = learner->tag;
  look->serial = learner->next_serial++;
  learner->asked_at = learner->told;
  scant_open_add(&learner->open, look->serial);
}

/* The draws by the current w; then the look is open. */
static scant_status freeze(scant_learner *l, scant_look *look, scant_error *error) {
  if (l->looks.kind->freeze) {
    scant_rng before = l->looks.rng_by_w;
    scant_status status = l->looks.kind->freeze(&l->looks, look, error);
    if (status != SCANT_OK) {
      look->count = 0;
      l->looks.rng_by_w = before;
      return status;
    }
  }
  open_look(l, look);
  return SCANT_OK;
}

/* ---- together ------------------------------------------------------------------ */

scant_status scant_learner_check_open(const scant_learner *learner, scant_error *error) {
  if (learner->open.count < learner->open.most) return SCANT_OK;
  return scant_fail(error, SCANT_MISUSE, "%zu looks are open already, and no more than max-open may be",
                    learner->open.count);
}

/* The round of an algorithm up to its looks [HK12, Alg. 1, l. 2] [HK12, Alg. 2, l. 2]. */
scant_status scant_learner_ask(scant_learner *l, scant_look *look, scant_error *error) {
  SCANT_TRY(scant_learner_check_open(l, error));
  scant_rng before = l->looks.rng, before_by_w = l->looks.rng_by_w;
  SCANT_TRY(draw(l, look, error));
  scant_status status = freeze(l, look, error);
  if (status != SCANT_OK) {
    l->looks.rng = before;
    return status;
  }
  l->before = (scant_before){look->serial, l->told, before, before_by_w};
  return SCANT_OK;
}

scant_status scant_learner_ask_all(scant_learner *l, scant_look *look, scant_error *error) {
  if (!l->looks.kind->draw_all)
    return scant_fail(error, SCANT_USAGE, "%s learns from looks of its own alone, not from values that are at hand",
                      l->parts->words.name);
  SCANT_TRY(scant_learner_check_open(l, error));
  if (!scant_learner_reserve(l, l->dimension + 1) || !scant_look_reserve(look, l->dimension, l->looks.k_residual))
    return scant_fail_memory(error);
  scant_looks_empty(&l->looks, look);
  SCANT_TRY(l->looks.kind->draw_all(&l->looks, look, error));
  open_look(l, look);
  return SCANT_OK;
}

scant_status scant_learner_undo_ask(scant_learner *l, const scant_look *look, scant_error *error) {
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

void scant_learner_expect(const scant_learner *l, size_t count, const uint32_t *attributes) {
  expect(l->w.at, sizeof *l->w.at, count, attributes);
  expect(l->moments, sizeof *l->moments, count, attributes);
  expect(l->w.score, sizeof *l->w.score, count, attributes);
  expect(l->w.theta, sizeof *l->w.theta, count, attributes);
  expect(l->w.law.level[0], sizeof(double), count, attributes);
  expect(l->w.mass.level[0], sizeof(double), count, attributes);
}

/* ---- looks drawn ahead --------------------------------------------------------------- */

/* How many attributes are on their way from memory while one example is learned from. */
#define ATTRIBUTES_AHEAD 64

scant_status scant_ahead_new(scant_ahead *ahead, scant_learner *learner, scant_error *error) {
  *ahead = (scant_ahead){.learner = learner, .most = 1};
  int early = learner->looks.kind->early;
  while (early && ahead->most < SCANT_AHEAD && ahead->most * learner->settings.learning.k < ATTRIBUTES_AHEAD)
    ahead->most *= 2;
  scant_status status = SCANT_OK;
  for (unsigned i = 0; i < ahead->most && status == SCANT_OK; i++)
    status = scant_look_new(&ahead->looks[i], learner, error);
  return status;
}

void scant_ahead_free(scant_ahead *ahead) {
  for (unsigned i = 0; i < SCANT_AHEAD; i++) scant_look_free(ahead->looks[i]);
}

static unsigned place_of(const scant_ahead *ahead, unsigned nth) {
  return (ahead->first + nth) & (ahead->most - 1);
}

void scant_ahead_forget(scant_ahead *ahead) {
  if (ahead->drawn) ahead->learner->looks.rng = ahead->before[ahead->first];
  ahead->drawn = 0;
}

/* Draws as many looks as are wanted.  Looks that were drawn by an old law are drawn again. */
static scant_status draw_ahead(scant_ahead *ahead, size_t left, scant_error *error) {
  scant_looks *looks = &ahead->learner->looks;
  if (ahead->law_age != looks->law.age) scant_ahead_forget(ahead);
  ahead->law_age = looks->law.age;
  while (ahead->drawn < ahead->most && (!ahead->drawn || ahead->drawn < left)) {
    unsigned place = place_of(ahead, ahead->drawn);
    ahead->before[place] = looks->rng;
    SCANT_TRY(draw(ahead->learner, ahead->looks[place], error));
    ahead->drawn++;
  }
  return SCANT_OK;
}

scant_status scant_ahead_ask(scant_ahead *ahead, size_t left, const scant_look **look, scant_error *error) {
  scant_learner *l = ahead->learner;
  SCANT_TRY(draw_ahead(ahead, left, error));
  ahead->rng_by_w = l->looks.rng_by_w;
  ahead->serial = l->next_serial;
  scant_look *next = ahead->looks[ahead->first];
  scant_status status = freeze(l, next, error);
  if (status != SCANT_OK) scant_ahead_take_back(ahead);
  *look = next;
  return status;
}

void scant_ahead_tell(scant_ahead *ahead) {
  ahead->first = place_of(ahead, 1);
  ahead->drawn--;
}

void scant_ahead_take_back(scant_ahead *ahead) {
  scant_learner *l = ahead->learner;
  if (l->next_serial != ahead->serial) scant_learner_cancel(l, ahead->looks[ahead->first], NULL);
  scant_ahead_forget(ahead);
  l->looks.rng_by_w = ahead->rng_by_w;
  l->next_serial = ahead->serial;
}

const scant_look *scant_ahead_last(const scant_ahead *ahead, size_t *examples) {
  if (ahead->most == 1) return NULL;
  *examples = ahead->drawn - 1;
  return ahead->looks[place_of(ahead, ahead->drawn - 1)];
}

/* ---- one purchase, many learners ------------------------------------------------------
 *
 * A look that one learner drew teaches others too.  The gradient from a stopped look is unbiased for any w, whatever
 * law the looks were drawn by, as long as the law was fixed before the example was seen and is positive everywhere.  So
 * probabilities stay, and weights and means become the other learner's own. */

scant_status scant_learner_share(scant_learner *learner, const scant_look *drawn, scant_look *look,
                                 scant_error *error) {
  if (!learner->looks.kind->in_items)
    return scant_fail(error, SCANT_USAGE, "%s can't learn from looks that another learner drew",
                      learner->parts->words.name);
  SCANT_TRY(scant_look_check(drawn, &learner->looks, error));
  return scant_learner_adopt(learner, drawn, look, error);
}

scant_status scant_learner_adopt(scant_learner *l, const scant_look *drawn, scant_look *look, scant_error *error) {
  SCANT_TRY(scant_look_check_given(drawn, &l->looks, error));
  SCANT_TRY(scant_learner_check_open(l, error));
  if (!scant_look_reserve(look, drawn->count, 0)) return scant_fail_memory(error);
  scant_look own = *look;
  *look = *drawn;
  look->capacity = own.capacity;
  look->sequence = own.sequence;
  look->sequence_capacity = own.sequence_capacity;
  for (size_t a = 0; a < SCANT_LOOK_ARRAYS; a++) {
    void *array = scant_look_get_array(&own, a);
    memcpy(array, scant_look_get_array(drawn, a), drawn->count * scant_look_array_size(a));
    memcpy((char *)look + scant_look_arrays[a].offset, &array, sizeof array);
  }
  open_look(l, look);
  return SCANT_OK;
}

/* ---- how the attributes of a look were drawn --------------------------------------------- */

static void describe(const scant_learner *l, const scant_look *look, const double *inclusion, scant_look_line *lines) {
  const scant_look_kind *kind = l->looks.kind;
  int has_residual = kind->has_draws && !kind->halves; /* else they are the second half of the same draws */
  for (uint32_t i = 0, item = 0; i < look->count; i++) {
    int drawn = look->gradient_draws[i] > 0, again = has_residual && look->residual_draws[i];
    int certain = kind->has_draws ? !drawn && !again : inclusion[i] == 1;
    item += i && look->item[i] != look->item[i - 1];
    lines[i] = (scant_look_line){
        .attribute = look->attributes[i],
        .item = item,
        .certain = certain,
        .draws = certain ? 0 : look->gradient_draws[i],
        .draws_total = kind->whole ? 0 : look->gradient_total,
        .probability = certain                    ? 1
                       : kind->has_draws && drawn ? look->gradient_probability[i]
                                                  : NAN,
        .residual_draws = again ? look->residual_draws[i] : 0,
        .residual_total = has_residual ? look->residual_total : 0,
        .residual_probability = again ? look->residual_probability[i] : NAN,
        .inclusion = inclusion[i],
    };
  }
}

scant_status scant_learner_describe(const scant_learner *learner, const scant_look *look, scant_look_line *lines,
                                    double *pairs, scant_error *error) {
  SCANT_TRY(scant_look_check_given(look, &learner->looks, error)); /* it may have been drawn with other prices */
  return scant_learner_describe_sound(learner, look, lines, pairs, error);
}

scant_status scant_learner_describe_sound(const scant_learner *l, const scant_look *look, scant_look_line *lines,
                                          double *pairs, scant_error *error) {
  size_t count = look->count;
  double *room = scant_array(3 * count, sizeof *room);
  if (!room) return scant_fail_memory(error);
  /* the present law drew the look if that was the last one, and nothing was told since */
  int now = look->learner == l->tag && look->serial + 1 == l->next_serial && l->told == l->asked_at;
  scant_chances chances = {now, room, pairs, room + count, room + 2 * count};
  for (size_t i = 0; i < count; i++) chances.inclusion[i] = NAN;
  for (size_t i = 0; pairs && i < count * count; i++) pairs[i] = NAN;
  if (l->looks.kind->chances) l->looks.kind->chances(&l->looks, look, &chances);
  describe(l, look, chances.inclusion, lines);
  free(room);
  return SCANT_OK;
}
