/* Drawing looks: which attributes, with what probability. */
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "learn/look.h"
#include "sample/subset.h"

scant_status scant_look_new(scant_look **look, const scant_learner *learner, scant_error *error) {
  scant_look *l = scant_array(1, sizeof *l);
  if (!l) return scant_fail_memory(error);
  if (!scant_look_reserve(l, learner->scratch_room, 0)) {
    scant_look_free(l);
    return scant_fail_memory(error);
  }
  *look = l;
  return SCANT_OK;
}

void scant_look_free(scant_look *look) {
  if (!look) return;
  free(look->attributes);
  free(look->entries);
  free(look->sequence);
  free(look);
}

int scant_look_reserve(scant_look *look, size_t entries, size_t sequence) {
  size_t room = look->capacity, other = room, places = look->sequence_capacity;
  int good = scant_grow(&look->attributes, &other, entries, sizeof *look->attributes) &&
             scant_grow(&look->entries, &room, entries, sizeof *look->entries);
  if (good) look->capacity = room;
  good = good && scant_grow(&look->sequence, &places, sequence, sizeof *look->sequence);
  if (good) look->sequence_capacity = places;
  return good;
}

/* Members of a panel were drawn together, so a stopped look counts a draw once and
 * its entries may count it more often. */
static scant_status check_entries(const scant_look *look, size_t dimension, int stopped, scant_error *error) {
  uint64_t gradient = 0, residual = 0, certain = 0;
  for (uint32_t i = 0; i < look->count; i++) {
    const scant_look_entry *e = &look->entries[i];
    if (e->attribute != look->attributes[i] || e->attribute >= dimension)
      return scant_fail(error, SCANT_MISUSE, "entry %u of the look is damaged: attribute %u", i, look->attributes[i]);
    int drawn = (!e->gradient_draws || (e->gradient_probability > 0 && e->gradient_probability <= 1)) &&
                (!e->residual_draws || (e->residual_probability > 0 && e->residual_probability <= 1));
    if (!drawn || !isfinite(e->weight) || isinf(e->mean) || e->item >= dimension)
      return scant_fail(error, SCANT_MISUSE, "entry %u of the look is damaged: its numbers are out of range", i);
    gradient += e->gradient_draws;
    residual += e->residual_draws;
    certain += !e->gradient_draws && !e->residual_draws;
  }
  if (gradient < look->gradient_total || residual < look->residual_total ||
      (!stopped && residual != look->residual_total) || !isfinite(look->gradient_scale) || !isfinite(look->y_mean) ||
      !isfinite(look->bias) || (certain < look->count && !look->gradient_total))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: its draws do not add up");
  return SCANT_OK;
}

/* Stopped looks: items are whole, their members follow each other in order and
 * were drawn as one, no item comes twice, and draws are none or at least two. */
static int items_agree(const scant_look *look, const scant_learner *learner) {
  const scant_law *law = &learner->law;
  uint64_t draws = 0, second = 0; /* of both halves, and of the second */
  for (uint32_t i = 0, size; i < look->count; i += size) {
    const scant_look_entry *first = &look->entries[i];
    if (first->item >= law->items || (size = scant_law_size(law, first->item)) > look->count - i) return 0;
    for (uint32_t r = 0; r < size; r++) {
      const scant_look_entry *e = first + r;
      if (e->item != first->item || e->attribute != scant_law_member(law, first->item, r) ||
          e->gradient_draws != first->gradient_draws || e->residual_draws != first->residual_draws ||
          e->residual_draws > e->gradient_draws || e->gradient_probability != first->gradient_probability)
        return 0;
      learner->place[e->attribute] = i + r;
    }
    draws += first->gradient_draws;
    second += first->residual_draws;
  }
  for (uint32_t i = 0; i < look->count; i++)
    if (learner->place[look->attributes[i]] != i) return 0;
  return draws == look->gradient_total && second == look->residual_total && draws != 1;
}

/* An engine's look holds each attribute once. */
static int each_once(const scant_look *look, const scant_learner *learner) {
  for (uint32_t i = 0; i < look->count; i++) learner->place[look->attributes[i]] = i;
  for (uint32_t i = 0; i < look->count; i++)
    if (learner->place[look->attributes[i]] != i) return 0;
  return 1;
}

scant_status scant_look_check(const scant_look *look, const scant_learner *learner, scant_error *error) {
  if (look->count > look->capacity || look->sequence_count > look->sequence_capacity || look->calls > 2)
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: it is larger than its room");
  int stopped = scant_row_is_stopped(learner->row);
  SCANT_TRY(check_entries(look, learner->dimension, stopped, error));
  if (stopped && !items_agree(look, learner))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: its items are not as they were drawn");
  if (learner->engine && !each_once(look, learner))
    return scant_fail(error, SCANT_MISUSE, "the look is damaged: an attribute is twice in it");
  uint64_t draws = 0;
  for (uint32_t c = 0; c < look->calls; c++) {
    if (look->call[c].order > SCANT_ORDER_MOST || !look->call[c].group)
      return scant_fail(error, SCANT_MISUSE, "call %u of the look is damaged", c);
    draws += (uint64_t)look->call[c].order * look->call[c].group;
  }
  for (uint32_t r = 0; r < look->sequence_count; r++)
    if (look->sequence[r] >= look->count) return scant_fail(error, SCANT_MISUSE, "draw %u of the look is damaged", r);
  if (draws != look->sequence_count) return scant_fail(error, SCANT_MISUSE, "the look is damaged: draws are missing");
  return SCANT_OK;
}

scant_look_entry *scant_look_add(scant_learner *learner, scant_look *look, uint32_t i, uint32_t *place) {
  uint32_t at = scant_look_find(learner, look, i);
  if (place) *place = at;
  scant_look_entry *e = &look->entries[at];
  if (at < look->count) return e;
  double mean = 0;
  if (learner->centred) mean = learner->moments[i].count ? learner->moments[i].mean : NAN;
  double weight = learner->engine ? 0 : scant_iterate_weight(&learner->w, i);
  *e = (scant_look_entry){.attribute = i, .item = i, .weight = weight, .mean = mean};
  look->attributes[at] = i;
  learner->place[i] = at;
  look->count++;
  return e;
}

typedef struct {
  const scant_learner *learner;
  const scant_look *look;
} drawn_so_far;

static int is_drawn(const void *set, uint32_t i) {
  const drawn_so_far *s = set;
  return scant_look_find(s->learner, s->look, i) < s->look->count;
}

/* k attributes, uniformly [HK12, Alg. 1, l. 3-6]. */
static void draw_gradient(scant_learner *learner, scant_look *look) {
  uint32_t d = (uint32_t)learner->dimension, k = learner->k_gradient;
  drawn_so_far set = {learner, look};
  for (uint32_t r = 0; r < k; r++) {
    uint32_t i = learner->settings.replacement ? scant_rng_below(&learner->rng, d)
                                               : scant_subset_draw(&learner->rng, d, k, r, is_drawn, &set);
    scant_look_entry *e = scant_look_add(learner, look, i, NULL);
    e->gradient_draws++;
    e->gradient_probability = 1.0 / d;
  }
  look->gradient_total = k;
  look->draws += k;
}

/* One attribute by the law of w: w_j^2/||w||_2^2 or |w_j|/||w||_1 [HK12,
 * Alg. 1, l. 8 and Alg. 2, l. 9].  Returns its place. */
static uint32_t draw_residual(scant_learner *learner, scant_look *look) {
  const scant_sumtree *law = &learner->w.law;
  uint32_t place, j = scant_sumtree_draw(law, &learner->rng);
  scant_look_entry *e = scant_look_add(learner, look, j, &place);
  e->residual_draws++;
  e->residual_probability = scant_sumtree_leaf(law, j) / scant_sumtree_total(law);
  look->residual_total++;
  look->draws++;
  return place;
}

scant_status scant_look_split(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  draw_gradient(learner, look);
  /* While w = 0 the residual is -y for certain: nothing is bought for it. */
  if (scant_iterate_is_zero(&learner->w)) return SCANT_OK;
  for (uint32_t r = 0; r < learner->k_residual; r++) draw_residual(learner, look);
  return SCANT_OK;
}

/* The looks of [HK12, Proc. 3]: the order first, then its factors' draws. */
scant_status scant_look_genest(scant_learner *learner, scant_look *look, scant_error *error) {
  draw_gradient(learner, look);
  if (scant_iterate_is_zero(&learner->w)) return SCANT_OK;
  look->calls = scant_loss_calls(learner->loss.loss);
  for (uint32_t c = 0; c < look->calls; c++) {
    uint32_t order = scant_genest_order(&learner->series, &learner->rng);
    uint32_t group = scant_genest_draws(order, learner->group);
    look->call[c] = (scant_look_call){order, group};
    uint64_t draws = (uint64_t)order * group, length = look->sequence_count + draws;
    size_t most = learner->dimension - look->count; /* new entries */
    if (draws < most) most = (size_t)draws;
    if (length > UINT32_MAX || !scant_look_reserve(look, look->count + most, (size_t)length))
      return scant_fail_memory(error);
    for (uint64_t r = 0; r < draws; r++) look->sequence[look->sequence_count++] = draw_residual(learner, look);
  }
  return SCANT_OK;
}

scant_status scant_look_whole(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  for (uint32_t i = 0; i < learner->dimension; i++) {
    scant_look_entry *e = scant_look_add(learner, look, i, NULL);
    e->gradient_draws = 1;
    e->gradient_probability = 1;
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
