/* Looks for the stopped U-statistic: a certainty set, then draws from the law
 * until one would be too many or too dear. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "look/looks.h"

/* How much may still be bought of an example. */
typedef struct {
  uint32_t items;
  uint64_t money; /* counts only if the law has a limit */
} room;

static void append_item(scant_looks *looks, scant_look *look, uint32_t item, double q) {
  const scant_law *law = &looks->law;
  for (uint32_t r = 0; r < scant_market_size(&law->market, item); r++) {
    uint32_t place = look->count;
    scant_look_append(looks, look, scant_market_member(&law->market, item, r));
    look->item[place] = item;
    look->gradient_probability[place] = q;
  }
}

/* Where the two halves of the draws are compared, every second draw is of the second half. */
static void count_draw(const scant_looks *looks, scant_look *look, uint32_t place) {
  look->gradient_draws[place]++;
  if (!looks->kind->halves || look->gradient_total % 2 == 0) return;
  look->residual_draws[place]++;
  look->residual_probability[place] = look->gradient_probability[place];
}

/* How many draws are made at once: first nearly all that are needed, then a few at a time. */
static uint32_t batch(const scant_looks *looks, uint32_t done, uint32_t most, uint32_t left) {
  uint32_t size = looks->rng.script ? 1 : done ? 32 : left + left / 4 + 4;
  return size < most - done ? size : most - done;
}

/* Takes one draw of an item into the look; 0 if it does not fit. */
static int take_draw(scant_looks *looks, scant_look *look, uint32_t item, double q, room *left) {
  const scant_law *law = &looks->law;
  uint32_t place = scant_look_find(looks, look, scant_market_member(&law->market, item, 0));
  if (place == look->count) {
    uint64_t cost = scant_market_cost(&law->market, item);
    if (!left->items || (law->market.spend && cost > left->money)) return 0;
    left->items--;
    left->money -= law->market.spend ? cost : 0;
    append_item(looks, look, item, q);
  }
  for (uint32_t r = 0; r < scant_market_size(&law->market, item); r++) count_draw(looks, look, place + r);
  if (looks->kind->halves) look->residual_total += look->gradient_total % 2;
  look->gradient_total++;
  return 1;
}

/* Draws until a draw does not fit.  That draw is dropped, and drawing ends: to go on without it would be biased. */
static void draw_until_full(scant_looks *looks, scant_look *look, room left) {
  const scant_law *law = &looks->law;
  uint32_t most = 2 * left.items;
  for (uint32_t done = 0, size = 0; done < most; done += size) {
    size = batch(looks, done, most, left.items);
    scant_inverse_fill(&law->draw, &looks->rng, size, looks->drawn);
    for (uint32_t r = 0; r < size; r++) {
      double q;
      uint32_t item = scant_law_item(law, looks->drawn[r], &looks->rng, &q);
      if (!take_draw(looks, look, item, q, &left)) return;
    }
  }
}

/* The same where every attribute is an item, without prices and without halves. */
static void draw_plainly(scant_looks *looks, scant_look *look, uint32_t left) {
  const scant_law *law = &looks->law;
  const uint32_t *listed = law->listed, *drawn = looks->drawn;
  uint32_t most = 2 * left, base = looks->base, known = (uint32_t)law->known, count = look->count, first = count;
  uint32_t *restrict attributes = look->attributes, *restrict draws = look->gradient_draws;
  uint32_t *outcomes = look->item, *restrict met = looks->met, total = 0;
  memset(draws + first, 0, left * sizeof *draws);
  for (uint32_t done = 0, size = 0; done < most; done += size) {
    size = batch(looks, done, most, left);
    scant_inverse_fill(&law->draw, &looks->rng, size, looks->drawn);
    for (uint32_t r = 0; r < size; r++) {
      uint32_t i = drawn[r] < known ? listed[drawn[r]] : scant_law_draw_other(law, &looks->rng);
      uint32_t is_new, place = scant_look_meet(met, base, i, count, &is_new);
      if (is_new > left) goto full;
      attributes[place] = i;
      outcomes[place] = drawn[r];
      draws[place]++;
      left -= is_new;
      count += is_new;
      total++;
    }
  }
full:
  for (uint32_t i = first; i < count; i++)
    look->gradient_probability[i] = outcomes[i] < known ? law->draw.probability[outcomes[i]] : law->other_probability;
  look->count = count;
  scant_look_fill(look, first);
  look->gradient_total = total;
}

/* Is there room for everything? */
static int takes_all(const scant_law *law, uint32_t k) {
  size_t paid = law->items - law->market.free_count - law->market.barred_count;
  return k >= paid && (!law->market.spend || law->market.prices->total <= law->market.spend);
}

/* All items for certain, or all that can be bought. */
static scant_status draw_whole(scant_looks *looks, scant_look *look, int barred_too) {
  const scant_law *law = &looks->law;
  for (uint32_t item = 0; item < law->items; item++) {
    if (!barred_too && scant_market_bars(&law->market, item)) continue;
    append_item(looks, look, item, 1);
    look->draws++;
  }
  return SCANT_OK;
}

static scant_status draw_all_items(scant_looks *looks, scant_look *look, scant_error *error) {
  (void)error;
  return draw_whole(looks, look, 1);
}

static scant_status draw(scant_looks *looks, scant_look *look, scant_error *error) {
  const scant_law *law = &looks->law;
  room left = {looks->k_gradient, law->market.spend};
  (void)error;
  if (takes_all(law, left.items)) return draw_whole(looks, look, 0);
  for (uint32_t r = 0; r < law->certain_count; r++) {
    uint32_t item = law->certain[r].item;
    append_item(looks, look, item, 1);
    left.items -= r >= law->market.free_count; /* what is free is outside K */
    left.money -= law->market.spend ? scant_market_cost(&law->market, item) : 0;
  }
  if (law->market.prices || looks->kind->halves)
    draw_until_full(looks, look, left);
  else
    draw_plainly(looks, look, left.items);
  look->draws = look->gradient_total + law->certain_count;
  return SCANT_OK;
}

/* What is bought for certain.  When the draws end depends on all of them, so that the others have no closed form. */
static void chances(const scant_looks *looks, const scant_look *look, const scant_chances *found) {
  (void)looks;
  for (uint32_t i = 0; i < look->count; i++) {
    if (look->gradient_draws[i]) continue;
    found->inclusion[i] = 1;
    for (uint32_t j = 0; found->pairs && j < look->count; j++)
      if (!look->gradient_draws[j]) found->pairs[i * look->count + j] = 1;
  }
}

/* ---- its life ----------------------------------------------------------------------- */

static int open_law(scant_looks *looks) {
  if (!scant_law_new(&looks->law, looks->dimension, looks->k_gradient)) return 0;
  scant_looks_rebuild_law(looks, 0);
  return 1;
}

static int price(scant_looks *looks, const scant_prices *prices, uint64_t spend, double rate) {
  if (!scant_looks_price(looks, prices, spend, rate)) return 0;
  scant_looks_rebuild_law(looks, 0);
  return 1;
}

/* ---- a checkpoint: weights of the law are kept, since they are older than w ------------ */

static void save(const scant_looks *looks, scant_json_writer *out) {
  const scant_law *law = &looks->law;
  double pool[3] = {looks->pool->sum, looks->pool->count, law->pool};
  scant_json_reals(out, "pool", pool, 3, 1);
  scant_json_real(out, "law_share", law->share);
  scant_json_count(out, "law_due", law->due);
  scant_json_count(out, "law_known", law->known);
  scant_json_open(out, "law_items", '[');
  for (size_t place = 0; place < law->listed_count; place++) scant_json_count(out, NULL, law->listed[place]);
  scant_json_close(out);
  scant_json_reals(out, "law_explore", law->explore, law->known, 1);
  scant_json_reals(out, "law_follow", law->follow, law->known, 1);
}

/* Lists each item once; not fewer than are listed from the start. */
static int restore_list(scant_law *law, const uint64_t *items, size_t count) {
  if (count < law->listed_count) return 0;
  law->listed_count = 0;
  for (size_t place = 0; place < count; place++) {
    if (items[place] >= law->items) return 0;
    scant_law_list(law, (uint32_t)items[place]);
    if (law->listed_count != place + 1) return 0;
  }
  return 1;
}

static scant_status restore_items(scant_law *law, const scant_json *json, size_t node, scant_error *error) {
  size_t array = scant_json_member(json, node, "law_items");
  int good =
      array != SCANT_JSON_NONE && json->nodes[array].type == SCANT_JSON_ARRAY && json->nodes[array].count <= law->items;
  if (!good) return scant_fail(error, SCANT_DATA, "field 'law_items' is not a list of items");
  size_t count = json->nodes[array].count;
  uint64_t *items = scant_array(count, sizeof *items);
  scant_status status =
      items ? scant_json_get_counts(json, node, "law_items", items, count, error) : scant_fail_memory(error);
  if (status == SCANT_OK && !restore_list(law, items, count))
    status = scant_fail(error, SCANT_DATA, "field 'law_items' is not a list of different items");
  free(items);
  return status;
}

static scant_status restore(scant_looks *looks, uint64_t told, const scant_json *json, size_t node,
                            scant_error *error) {
  scant_law *law = &looks->law;
  double pool[3];
  uint64_t known;
  SCANT_TRY(scant_json_get_reals(json, node, "pool", pool, 3, 1, error));
  SCANT_TRY(scant_json_get_real(json, node, "law_share", &law->share, error));
  SCANT_TRY(scant_json_get_count(json, node, "law_due", &law->due, error));
  SCANT_TRY(scant_json_get_count(json, node, "law_known", &known, error));
  SCANT_TRY(restore_items(law, json, node, error));
  if (!(pool[0] >= 0) || !(pool[1] >= 0) || !(pool[2] >= 0) || law->due <= told || known > law->listed_count)
    return scant_fail(error, SCANT_DATA, "fields 'pool', 'law_due' or 'law_known' are out of range");
  if (!(law->share >= 0 && law->share <= SCANT_LAW_SHARE))
    return scant_fail(error, SCANT_DATA, "field 'law_share' is out of range");
  *looks->pool = (scant_pool){pool[0], pool[1]};
  law->pool = pool[2];
  law->known = (size_t)known;
  SCANT_TRY(scant_json_get_reals(json, node, "law_explore", law->explore, law->known, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "law_follow", law->follow, law->known, 1, error));
  for (size_t place = 0; place < law->known; place++)
    if (!(law->explore[place] < 1e150 && law->follow[place] >= 0 && law->follow[place] < 1e150) ||
        (law->explore[place] > 0) == scant_market_bars(&law->market, law->listed[place]))
      return scant_fail(error, SCANT_DATA, "fields 'law_explore' or 'law_follow' are out of range");
  scant_looks_make_law(looks);
  return SCANT_OK;
}

/* The three kinds differ in how they explore and in whether the draws have halves. */
#define STOPPED                                                                                                   \
  .early = 1, .in_items = 1, .share = scant_look_share_k, .open = open_law, .price = price, .draw = draw,         \
  .draw_all = draw_all_items, .ageless = 1, .has_draws = 1, .chances = chances, .follow = scant_looks_follow_law, \
  .save = save, .restore = restore

const scant_look_kind scant_look_stopped = {STOPPED};
const scant_look_kind scant_look_stopped_by_deviation = {STOPPED, .by_deviation = 1, .uses_moments = 1};
const scant_look_kind scant_look_stopped_halves = {STOPPED, .halves = 1};
