/* What all kinds of looks share. */
#include "look/looks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "settings/settings.h"

/* ---- a look ------------------------------------------------------------------ */

const scant_look_array scant_look_arrays[SCANT_LOOK_ARRAYS] = {
    {"attributes", offsetof(scant_look, attributes), 0},
    {"item", offsetof(scant_look, item), 0},
    {"gradient_draws", offsetof(scant_look, gradient_draws), 0},
    {"residual_draws", offsetof(scant_look, residual_draws), 0},
    {"gradient_probability", offsetof(scant_look, gradient_probability), 1},
    {"residual_probability", offsetof(scant_look, residual_probability), 1},
    {"weight", offsetof(scant_look, weight), 1},
    {"mean", offsetof(scant_look, mean), 1},
};

void *scant_look_get_array(const scant_look *look, size_t a) {
  void *array;
  memcpy(&array, (const char *)look + scant_look_arrays[a].offset, sizeof array);
  return array;
}

void scant_look_free(scant_look *look) {
  if (!look) return;
  for (size_t a = 0; a < SCANT_LOOK_ARRAYS; a++) free(scant_look_get_array(look, a));
  free(look->sequence);
  free(look);
}

int scant_look_reserve(scant_look *look, size_t places, size_t sequence) {
  size_t room = look->capacity;
  for (size_t a = 0; a < SCANT_LOOK_ARRAYS; a++) {
    room = look->capacity;
    if (!scant_grow((char *)look + scant_look_arrays[a].offset, &room, places, scant_look_array_size(a))) return 0;
  }
  look->capacity = room;
  return scant_grow(&look->sequence, &look->sequence_capacity, sequence, sizeof *look->sequence);
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

/* ---- how K is shared ------------------------------------------------------------------ */

double scant_look_visit(const scant_settings *settings) {
  return (double)settings->learning.k / (double)settings->learning.passes;
}

double scant_look_purchases(const scant_look_kind *kind, const scant_settings *settings, size_t dimension) {
  scant_looks looks = {.settings = settings, .dimension = dimension};
  double d = (double)dimension;
  kind->share(&looks);
  if (!kind->counts_draws) return fmin(looks.expected_draws, d);
  double gradient = looks.k_gradient, residual = looks.k_residual + looks.expected_residual;
  /* a draw with replacement may repeat an attribute */
  double distinct = settings->learning.replacement ? d * -expm1(gradient * log1p(-1 / d)) : gradient;
  return fmin(distinct + residual, d);
}

void scant_look_share_k(scant_looks *looks) {
  looks->k_gradient = (uint32_t)scant_settings_k_visit(looks->settings);
  looks->expected_draws = looks->k_gradient;
}

/* [CSS11, AER, looks] */
void scant_look_share_evenly(scant_looks *looks) {
  uint32_t k = (uint32_t)scant_settings_k_visit(looks->settings);
  looks->k_residual = k / 2;
  looks->k_gradient = k - looks->k_residual;
  looks->expected_draws = k;
}

int scant_looks_price(scant_looks *looks, const scant_prices *prices, uint64_t spend, double rate) {
  if (!scant_law_price(&looks->law, prices, looks->k_gradient, spend, rate)) return 0;
  looks->expected_draws = looks->law.market.expected + looks->law.market.free_count;
  return 1;
}

/* ---- chances --------------------------------------------------------------------------
 *
 * How likely a look was to have what it has, where that has a closed form.  With n independent draws a look has i with
 * probability 1 - (1 - q_i)^n, and i and j with 1 - (1 - q_i)^n - (1 - q_j)^n + (1 - q_i - q_j)^n.  Draws for the
 * residual are independent of those for the gradient, so that what is missed by both is missed with the product. */

/* The probability that n draws miss what one draw meets with probability q. */
static double missed(double q, uint32_t n) {
  return n ? pow(fmax(0, 1 - q), n) : 1;
}

void scant_chances_of_draws(const scant_look *look, size_t dimension, int subset, const scant_chances *chances) {
  const double *q = chances->q, *p = chances->p;
  uint32_t count = look->count, n = look->gradient_total, m = look->residual_total;
  double d = (double)dimension, left = d - n, none = left / d;
  for (uint32_t i = 0; i < count; i++) chances->inclusion[i] = 1 - (subset ? none : missed(q[i], n)) * missed(p[i], m);
  for (uint32_t i = 0; chances->pairs && i < count; i++) {
    for (uint32_t j = 0; j < count; j++) {
      double neither = subset ? scant_chances_pair(left, d) : missed(q[i] + q[j], n), both = chances->inclusion[i];
      if (i != j) both += chances->inclusion[j] - 1 + neither * missed(p[i] + p[j], m);
      chances->pairs[i * count + j] = both;
    }
  }
}

/* The law of w as the look has it: any of the residual's draws gives the sum of all weights, and the heaviest of them
 * does so best. */
static void find_residual(const scant_looks *looks, const scant_look *look, double *p) {
  uint32_t at = look->count;
  for (uint32_t i = 0; i < look->count; i++)
    if (look->residual_draws[i] && (at == look->count || fabs(look->weight[i]) > fabs(look->weight[at]))) at = i;
  for (uint32_t i = 0; i < look->count; i++) {
    double share = at < look->count ? fabs(look->weight[i] / look->weight[at]) : 0;
    p[i] =
        at < look->count ? look->residual_probability[at] * (looks->norm == SCANT_NORM_2 ? share * share : share) : 0;
  }
}

void scant_chances_of_uniform(const scant_looks *looks, const scant_look *look, const scant_chances *chances) {
  for (uint32_t i = 0; i < look->count; i++) chances->q[i] = 1 / (double)looks->dimension;
  find_residual(looks, look, chances->p);
  scant_chances_of_draws(look, looks->dimension, !looks->settings->learning.replacement, chances);
}
