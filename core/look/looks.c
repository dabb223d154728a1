/* What all kinds of looks share. */
#include "look/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

/* ---- a look ------------------------------------------------------------------ */

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

void scant_look_fill(scant_look *look, uint32_t first) {
  uint32_t count = look->count - first;
  memcpy(look->item + first, look->attributes + first, count * sizeof *look->item);
  memset(look->residual_draws + first, 0, count * sizeof *look->residual_draws);
  for (uint32_t i = first; i < look->count; i++) look->residual_probability[i] = 1; /* of none */
}

/* ---- the looks of a learner ----------------------------------------------------- */

int scant_looks_open(scant_looks *looks) {
  size_t d = looks->dimension;
  looks->kind->share(looks);
  looks->met = scant_array(d, sizeof *looks->met);
  looks->base = (uint32_t)d;
  looks->drawn = scant_array(2 * (size_t)looks->k_gradient + 4, sizeof *looks->drawn);
  return looks->met && looks->drawn && (!looks->kind->open || looks->kind->open(looks));
}

void scant_looks_free(scant_looks *looks) {
  scant_law_free(&looks->law);
  scant_sumtree_free(&looks->data.explore);
  scant_sumtree_free(&looks->data.follow);
  free(looks->met);
  free(looks->drawn);
  free(looks->barred);
}

int scant_looks_bar(scant_looks *looks, const unsigned char *barred) {
  scant_law *law = &looks->law;
  unsigned char *marks = scant_array(looks->dimension, 1);
  if (!marks) return 0;
  memcpy(marks, barred, looks->dimension);
  free(looks->barred);
  law->market.barred = looks->barred = marks;
  law->market.barred_count = 0;
  for (uint32_t i = 0; i < looks->dimension; i++) {
    if (!marks[i]) continue;
    law->market.barred_count++;
    if (looks->kind->in_items) scant_law_list(law, i); /* those that it does not list are alike */
  }
  if (looks->kind->in_items) scant_looks_rebuild_law(looks, 0);
  return 1;
}

void scant_looks_seed(scant_looks *looks, uint64_t seed, uint64_t stream, uint64_t stream_by_w) {
  scant_rng_seed(&looks->rng, seed, stream);
  scant_rng_seed(&looks->rng_by_w, seed, stream_by_w);
}

/* Forgets all places.  They are not cleared: those of earlier looks are below the base. */
static void forget(scant_looks *looks) {
  uint32_t d = (uint32_t)looks->dimension;
  looks->base += d; /* a look has d places at most */
  if (looks->base < INT32_MAX - d) return;
  memset(looks->met, 0, d * sizeof *looks->met);
  looks->base = d;
}

void scant_looks_find_again(scant_looks *looks, const scant_look *look) {
  forget(looks);
  for (uint32_t i = 0; i < look->count; i++) looks->met[look->attributes[i]] = looks->base + i;
}

void scant_looks_empty(scant_looks *looks, scant_look *look) {
  forget(looks);
  look->count = look->draws = look->gradient_total = look->residual_total = look->calls = look->sequence_count = 0;
  look->gradient_scale = 1;
  look->serial = 0;
}

/* ---- draws by the law of w --------------------------------------------------------- */

/* w_j^2/||w||_2^2 or |w_j|/||w||_1 [HK12, Alg. 1, l. 8] [HK12, Alg. 2, l. 9] [CSS11, AER, prediction]. */
uint32_t scant_look_draw_by(scant_looks *looks, scant_look *look, const scant_sumtree *law) {
  uint32_t j = scant_sumtree_draw(law, &looks->rng_by_w), place = scant_look_add(looks, look, j);
  look->residual_draws[place]++;
  look->residual_probability[place] = scant_sumtree_leaf(law, j) / scant_sumtree_total(law);
  look->residual_total++;
  look->draws++;
  return place;
}

/* [HK12, Alg. 1, l. 8] [HK12, Alg. 2, l. 9] [CSS11, AER, prediction] */
scant_status scant_look_draw_residual(scant_looks *looks, scant_look *look, const scant_sumtree *law) {
  /* While w = 0 the residual is -y for certain: nothing is bought for it. */
  if (!(scant_sumtree_total(law) > 0)) return SCANT_OK;
  scant_looks_find_again(looks, look);
  for (uint32_t r = 0; r < looks->k_residual; r++)
    look->sequence[look->sequence_count++] = scant_look_draw_by(looks, look, law);
  return SCANT_OK;
}

double scant_look_distinct(const scant_settings *settings, size_t dimension, double gradient, double residual) {
  double d = (double)dimension;
  /* a draw with replacement may meet what is bought already */
  double distinct = settings->learning.replacement ? d * -expm1(gradient * log1p(-1 / d)) : gradient;
  return fmin(distinct + residual, d);
}
