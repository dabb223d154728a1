/* Drawing looks: which attributes, with what probability. */
#include "look/look.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "sample/subset.h"

/* ---- the object ------------------------------------------------------------- */

scant_status scant_look_new(scant_look **look, const scant_learner *learner, scant_error *error) {
  scant_look *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  if (!scant_look_reserve(l, learner->scratch_room, learner->k_residual)) {
    scant_look_free(l);
    return scant_fail_memory(error);
  }
  *look = l;
  return SCANT_OK;
}

void scant_look_free(scant_look *look) {
  if (!look) return;
  free(look->attributes);
  free(look->item);
  free(look->gradient_draws);
  free(look->residual_draws);
  free(look->gradient_probability);
  free(look->residual_probability);
  free(look->weight);
  free(look->mean);
  free(look->sequence);
  free(look);
}

int scant_look_reserve(scant_look *look, size_t places, size_t sequence) {
  void *arrays[] = {&look->attributes,           &look->item,   &look->gradient_draws,       &look->residual_draws,
                    &look->gradient_probability, &look->weight, &look->residual_probability, &look->mean};
  size_t room = look->capacity, length = look->sequence_capacity;
  int good = 1;
  for (size_t a = 0; good && a < sizeof arrays / sizeof *arrays; a++) {
    room = look->capacity;
    good = scant_grow(arrays[a], &room, places, a < 4 ? sizeof *look->item : sizeof *look->weight);
  }
  if (good) look->capacity = room;
  good = good && scant_grow(&look->sequence, &length, sequence, sizeof *look->sequence);
  if (good) look->sequence_capacity = length;
  return good;
}

void scant_look_forget(scant_learner *learner) {
  uint32_t d = (uint32_t)learner->dimension;
  learner->base += d; /* a look has d places at most */
  if (learner->base < INT32_MAX - d) return;
  memset(learner->met, 0, d * sizeof *learner->met);
  learner->base = d;
}

/* ---- ask, in two halves -------------------------------------------------------- */

static void empty(scant_learner *l, scant_look *look) {
  scant_look_forget(l);
  look->count = look->draws = look->gradient_total = look->residual_total = look->calls = look->sequence_count = 0;
  look->gradient_scale = 1;
  look->serial = 0;
}

scant_status scant_look_draw(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  if (l->settings.spend > 0 && !l->law.prices)
    return scant_fail(error, SCANT_MISUSE, "a learner with spend must know prices before it is asked");
  if ((look->capacity < l->scratch_room || look->sequence_capacity < l->k_residual) &&
      !scant_look_reserve(look, l->scratch_room, l->k_residual))
    return scant_fail_memory(error);
  scant_rng before = l->rng;
  empty(l, look);
  scant_look_part draw = l->settings.observed ? scant_look_whole : l->engine ? l->engine->look : l->row->look;
  scant_status status = draw(l, look, error);
  if (status == SCANT_OK) return SCANT_OK;
  look->count = 0;
  l->rng = before;
  return status;
}

/* Each attribute with what the estimate needs. */
static void take_down(const scant_learner *l, scant_look *look) {
  look->y_mean = l->y_moments.mean;
  look->bias = l->biased ? scant_iterate_weight(&l->w, l->dimension) : 0;
  for (uint32_t i = 0; i < look->count; i++)
    look->weight[i] = l->engine ? 0 : scant_iterate_weight(&l->w, look->attributes[i]);
  memset(look->mean, 0, look->count * sizeof *look->mean);
  for (uint32_t i = 0; l->centred && i < look->count; i++) {
    const scant_moments *m = &l->moments[look->attributes[i]];
    look->mean[i] = m->count ? m->mean : NAN;
  }
}

scant_status scant_look_freeze(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  scant_rng before = l->rng_by_w;
  if (l->row->residual && !l->settings.observed) {
    scant_status status = l->row->residual(l, look, error);
    if (status != SCANT_OK) {
      look->count = 0;
      l->rng_by_w = before;
      return status;
    }
  }
  scant_look_open(l, look);
  return SCANT_OK;
}

void scant_look_open(scant_learner *learner, scant_look *look) {
  take_down(learner, look);
  look->learner = learner->tag;
  look->serial = learner->next_serial++;
  scant_open_add(&learner->open, look->serial);
}

scant_status scant_learner_ask_all(scant_learner *learner, scant_look *look, scant_error *error) {
  scant_learner *l = learner;
  scant_look_part whole = scant_row_is_stopped(l->row) ? scant_look_all_items : scant_look_whole;
  if (whole == scant_look_whole && !l->engine && l->row->residual)
    return scant_fail(error, SCANT_USAGE, "%s learns from looks of its own alone, not from values that are at hand",
                      l->row->words.name);
  SCANT_TRY(scant_learner_check_open(l, error));
  if (!scant_learner_reserve(l, l->dimension + 1) || !scant_look_reserve(look, l->dimension, l->k_residual))
    return scant_fail_memory(error);
  empty(l, look);
  SCANT_TRY(whole(l, look, error));
  scant_look_open(l, look);
  return SCANT_OK;
}

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

int scant_look_is_early(const scant_learner *learner) {
  const scant_learner *l = learner;
  return !l->engine && !l->settings.observed &&
         (l->row->look == scant_look_uniform || l->row->look == scant_look_stopped);
}

/* ---- the gradient's draws --------------------------------------------------------- */

typedef struct {
  const scant_learner *learner;
  const scant_look *look;
} drawn_so_far;

static int is_drawn(const void *set, uint32_t i) {
  const drawn_so_far *s = set;
  return scant_look_find(s->learner, s->look, i) < s->look->count;
}

static void draw_subset(scant_learner *learner, scant_look *look) {
  uint32_t d = (uint32_t)learner->dimension, k = learner->k_gradient;
  drawn_so_far set = {learner, look};
  for (uint32_t r = 0; r < k; r++) {
    scant_look_append(learner, look, scant_subset_draw(&learner->rng, d, k, r, is_drawn, &set));
    look->gradient_draws[r] = 1;
  }
}

void scant_look_fill(scant_look *look, uint32_t first) {
  uint32_t count = look->count - first;
  memcpy(look->item + first, look->attributes + first, count * sizeof *look->item);
  memset(look->residual_draws + first, 0, count * sizeof *look->residual_draws);
  for (uint32_t i = first; i < look->count; i++) look->residual_probability[i] = 1; /* of none */
}

static void draw_with_replacement(scant_learner *learner, scant_look *look) {
  uint32_t k = learner->k_gradient, base = learner->base, count = 0;
  uint32_t *restrict attributes = look->attributes, *restrict draws = look->gradient_draws;
  uint32_t *restrict met = learner->met;
  const uint32_t *drawn = learner->drawn;
  scant_rng_fill(&learner->rng, (uint32_t)learner->dimension, k, learner->drawn);
  memset(draws, 0, k * sizeof *draws);
  for (uint32_t r = 0; r < k; r++) {
    uint32_t is_new, place = scant_look_meet(met, base, drawn[r], count, &is_new);
    attributes[place] = drawn[r];
    draws[place]++;
    count += is_new;
  }
  look->count = count;
  scant_look_fill(look, 0);
}

/* k attributes, uniformly [HK12, Alg. 1, l. 3-6]. */
scant_status scant_look_uniform(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  double q = 1.0 / (double)learner->dimension;
  if (learner->settings.replacement)
    draw_with_replacement(learner, look);
  else
    draw_subset(learner, look);
  for (uint32_t i = 0; i < look->count; i++) look->gradient_probability[i] = q;
  look->gradient_total = look->draws = learner->k_gradient;
  return SCANT_OK;
}

/* ---- the residual's draws ----------------------------------------------------------- */

/* One attribute by the law of w: w_j^2/||w||_2^2 or |w_j|/||w||_1 [HK12,
 * Alg. 1, l. 8 and Alg. 2, l. 9].  Returns its place. */
static uint32_t draw_residual(scant_learner *learner, scant_look *look, const scant_sumtree *law) {
  uint32_t j = scant_sumtree_draw(law, &learner->rng_by_w), place = scant_look_add(learner, look, j);
  look->residual_draws[place]++;
  look->residual_probability[place] = scant_sumtree_leaf(law, j) / scant_sumtree_total(law);
  look->residual_total++;
  look->draws++;
  return place;
}

/* The places of what was drawn: other looks may have been drawn meanwhile. */
static void find_again(scant_learner *learner, const scant_look *look) {
  scant_look_forget(learner);
  for (uint32_t i = 0; i < look->count; i++) learner->met[look->attributes[i]] = learner->base + i;
}

scant_status scant_residual_split(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  return scant_residual_by(learner, look, &learner->w.law);
}

scant_status scant_residual_by(scant_learner *learner, scant_look *look, const scant_sumtree *law) {
  /* While w = 0 the residual is -y for certain: nothing is bought for it. */
  if (!(scant_sumtree_total(law) > 0)) return SCANT_OK;
  find_again(learner, look);
  for (uint32_t r = 0; r < learner->k_residual; r++)
    look->sequence[look->sequence_count++] = draw_residual(learner, look, law);
  return SCANT_OK;
}

/* The looks of [HK12, Proc. 3]: the order first, then its factors' draws. */
scant_status scant_residual_genest(scant_learner *learner, scant_look *look, scant_error *error) {
  if (scant_iterate_is_zero(&learner->w)) return SCANT_OK;
  find_again(learner, look);
  look->calls = scant_loss_calls(learner->loss.loss);
  for (uint32_t c = 0; c < look->calls; c++) {
    uint32_t order = scant_genest_order(&learner->series, &learner->rng_by_w);
    uint32_t group = scant_genest_draws(order, learner->group);
    look->call[c] = (scant_look_call){order, group};
    uint64_t draws = (uint64_t)order * group, length = look->sequence_count + draws;
    size_t most = learner->dimension - look->count; /* new places */
    if (draws < most) most = (size_t)draws;
    if (length > UINT32_MAX || !scant_look_reserve(look, look->count + most, (size_t)length))
      return scant_fail_memory(error);
    for (uint64_t r = 0; r < draws; r++)
      look->sequence[look->sequence_count++] = draw_residual(learner, look, &learner->w.law);
  }
  return SCANT_OK;
}

/* ---- all or nothing --------------------------------------------------------------------- */

scant_status scant_look_whole(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  for (uint32_t i = 0; i < learner->dimension; i++) {
    scant_look_append(learner, look, i);
    look->gradient_draws[i] = 1;
    look->gradient_probability[i] = 1;
  }
  look->gradient_total = 1;
  look->draws = look->count;
  return SCANT_OK;
}

scant_status scant_look_coinflip(scant_learner *learner, scant_look *look, scant_error *error) {
  const double sides[2] = {1 - learner->coin, learner->coin};
  look->gradient_scale = 1 / learner->coin;
  return scant_rng_pick(&learner->rng, 2, sides) ? scant_look_whole(learner, look, error) : SCANT_OK;
}
