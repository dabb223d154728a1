#include "look/law.h"

#include <math.h>
#include <stdlib.h>

#include "base/lanes.h"
#include "scant_base.h"
#include "look/looks.h"
#include "price/prices.h"

/* ---- the object ------------------------------------------------------------ */

static int allocate(scant_law *law, size_t certain) {
  law->certain = scant_array(certain, sizeof *law->certain);
  law->listed = scant_array(law->items, sizeof *law->listed);
  law->place = scant_array(law->items, sizeof *law->place);
  law->explore = scant_array(law->items, sizeof *law->explore);
  law->follow = scant_array(law->items, sizeof *law->follow);
  return law->certain && law->listed && law->place && law->explore && law->follow &&
         scant_inverse_new(&law->draw, law->items + 1);
}

int scant_law_new(scant_law *law, size_t dimension, uint32_t k) {
  *law = (scant_law){.items = dimension, .k = k, .market = {.expected = k}, .share = SCANT_LAW_SHARE};
  if (!allocate(law, (size_t)k / 2 + 1)) return 0;
  if (dimension <= SCANT_LAW_FEW) scant_law_list_all(law);
  return 1;
}

void scant_law_free(scant_law *law) {
  free(law->certain);
  free(law->listed);
  free(law->place);
  free(law->explore);
  free(law->follow);
  free(law->market.free);
  free(law->market.discount);
  scant_inverse_free(&law->draw);
  *law = (scant_law){0};
}

void scant_law_list_all(scant_law *law) {
  for (size_t item = 0; item < law->items; item++) law->listed[item] = law->place[item] = (uint32_t)item;
  law->listed_count = law->known = law->items;
}

/* ---- prices ------------------------------------------------------------------ */

int scant_law_price(scant_law *law, const scant_prices *p, uint32_t k, uint64_t spend, double rate) {
  size_t none = p->items - p->paid;
  scant_law priced = {
      .items = p->items, .k = k, .market = {.prices = p, .spend = spend, .expected = k}, .share = law->share};
  priced.market.barred = law->market.barred;
  priced.market.barred_count = law->market.barred_count;
  priced.market.free = scant_array(none + 1, sizeof *priced.market.free);
  priced.market.discount = scant_array(p->items, sizeof *priced.market.discount);
  if (!allocate(&priced, (size_t)k / 2 + none + 1) || !priced.market.free || !priced.market.discount) {
    scant_law_free(&priced);
    return 0;
  }
  for (size_t g = 0; g < p->items; g++) {
    priced.market.discount[g] = scant_thrift_discount(p, g, rate);
    if (!p->cost[g] && !scant_market_bars(&priced.market, (uint32_t)g))
      priced.market.free[priced.market.free_count++] = (uint32_t)g;
  }
  if (spend && p->paid) priced.market.expected = fmin(k, (double)spend / scant_thrift_look_price(p, rate));
  scant_law_list_all(&priced);
  scant_law_free(law);
  *law = priced;
  return 1;
}

/* ---- the certainty set --------------------------------------------------------- */

/* The factors of e and f for the items that are left to draw. */
typedef struct {
  double explore, follow;
} shares;

static shares shares_of(const scant_law *law) {
  double explore = scant_lanes_sum(law->known, law->explore) + law->other * (double)(law->items - law->known);
  double follow = scant_lanes_sum(law->known, law->follow);
  /* a sum so small that its inverse is infinite counts as 0 */
  double share = law->share;
  return isfinite(share / follow) ? (shares){(1 - share) / explore, share / follow} : (shares){1 / explore, 0};
}

/* Keeps the `most` likeliest of the items offered to it, the likeliest first, behind the free items. */
static void offer(scant_law *law, uint32_t item, double q, uint32_t most) {
  uint32_t place = law->certain_count, first = law->market.free_count;
  for (uint32_t r = 0; r < first; r++)
    if (law->certain[r].item == item) return;
  while (place > first && law->certain[place - 1].probability < q) place--;
  if (place == first + most) return;
  if (law->certain_count < first + most) law->certain_count++;
  for (uint32_t r = law->certain_count - 1; r > place; r--) law->certain[r] = law->certain[r - 1];
  law->certain[place] = (scant_certain){.item = item, .probability = q};
}

/* Drops every item whose purchase would not leave the money for any two more items. */
static void keep_affordable(scant_law *law) {
  uint64_t left = law->market.spend;
  uint32_t kept = law->market.free_count;
  for (uint32_t r = kept; law->market.spend && r < law->certain_count; r++) {
    uint64_t cost = scant_market_cost(&law->market, law->certain[r].item);
    if (cost + law->market.prices->dearest_two > left) continue;
    left -= cost;
    law->certain[kept++] = law->certain[r];
  }
  if (law->market.spend) law->certain_count = kept;
}

/* Free items, then the items that k draws would meet once or more on average, at
 * most k/2 of them, so that at least two draws remain. */
static void choose_certain(scant_law *law) {
  law->certain_count = 0;
  for (uint32_t r = 0; r < law->market.free_count; r++)
    law->certain[law->certain_count++] = (scant_certain){.item = law->market.free[r], .probability = 1};
  if (law->k < 4) return;
  shares s = shares_of(law);
  double least = 1 / law->market.expected;
  for (size_t p = 0; p < law->known; p++) {
    double q = law->explore[p] * s.explore + law->follow[p] * s.follow;
    if (q >= least) offer(law, law->listed[p], q, law->k / 2);
  }
  keep_affordable(law);
}

/* ---- the law of the others ------------------------------------------------------ */

static void take_out(scant_law *law) {
  for (uint32_t r = 0; r < law->certain_count; r++) {
    scant_certain *c = &law->certain[r];
    uint32_t p = law->place[c->item];
    c->explore = law->explore[p];
    c->follow = law->follow[p];
    law->explore[p] = law->follow[p] = 0;
  }
}

static void put_back(scant_law *law) {
  for (uint32_t r = 0; r < law->certain_count; r++) {
    uint32_t p = law->place[law->certain[r].item];
    law->explore[p] = law->certain[r].explore;
    law->follow[p] = law->certain[r].follow;
  }
}

void scant_law_rebuild(scant_law *law) {
  double *weight = law->draw.probability;
  size_t others = law->items - law->known;
  law->age++;
  choose_certain(law);
  if (law->certain_count + law->market.barred_count == law->items) return; /* nothing is left to draw */
  take_out(law);
  shares s = shares_of(law);
  for (size_t p = 0; p < law->known; p++) weight[p] = law->explore[p] * s.explore + law->follow[p] * s.follow;
  if (others) weight[law->known] = law->other * (double)others * s.explore;
  put_back(law);
  scant_inverse_build(&law->draw, law->known + (others > 0));
  law->other_probability = others ? weight[law->known] / (double)others : 0;
}

/* Draws again while it meets a listed item.  Where listed items are many, the law seldom asks for another. */
uint32_t scant_law_draw_other(const scant_law *law, scant_rng *rng) {
  uint32_t item;
  if (rng->script) { /* without rejection, so that the outcomes are finite */
    uint32_t nth = scant_rng_below(rng, (uint32_t)(law->items - law->known));
    for (item = 0; scant_law_lists(law, item, law->known) || nth--; item++) continue;
    return item;
  }
  do item = scant_rng_below(rng, (uint32_t)law->items);
  while (scant_law_lists(law, item, law->known));
  return item;
}

/* ---- following w and the moments -------------------------------------------------- */

/* A law lives for some examples, and for so many purchases per item that it lists. So rebuilding is a small
 * part of the cost of the purchases.  It lives shorter where items are few, since rebuilding is cheap then.
 * At first, when w moves fast, it lives until there are twice as many examples. */
#define EXAMPLES_FEWEST 32

static uint64_t life(const scant_looks *l, uint64_t told) {
  uint64_t known = l->law.known, purchases = known <= SCANT_LAW_FEW ? known / 2 : known + known / 4;
  uint64_t full = (EXAMPLES_FEWEST + purchases / l->law.k) / l->settings->learning.block; /* in looks */
  return 1 + (told < full ? told : full);
}

enum { AHEAD = 16 };

/* The standard deviation of an attribute (around 0 without centering) for the law, shrunk towards the pooled
 * one while it was seldom seen. */
static double deviation(const scant_looks *l, const scant_moments *m) {
  if (m->count < 2) return l->law.pool > 0 ? sqrt(l->law.pool) : 1;
  /* without centering the size around 0 counts */
  double n = (double)m->count, squares = m->spread + (l->centered ? 0 : n * m->mean * m->mean);
  return sqrt((squares + 2 * l->law.pool) / (n + 1));
}

/* How much an attribute is worth exploring, and how much of the prediction rests on it, up to a common factor
 * each.  They are its deviation and |w| times that, or 1 and |w|.  An attribute that never varied is explored
 * less and less. */
static void weigh(const scant_looks *l, const scant_moments *m, double shape, double *explore, double *follow) {
  double size = l->kind->by_deviation ? deviation(l, m) : 1;
  /* the pool keeps a deviation above 0; while nothing has varied at all, all are alike */
  *explore = l->kind->by_deviation && size > 0 ? size : scant_moments_curiosity(m);
  *follow = fabs(shape) * size;
}

/* The two numbers of a group are the roots of its members' sums of squares, as if the members were uncorrelated. */
static void weigh_item(scant_looks *l, size_t place) {
  scant_law *law = &l->law;
  uint32_t item = law->listed[place], size = scant_market_size(&law->market, item);
  uint32_t first = scant_market_member(&law->market, item, 0);
  double explore, follow;
  if (scant_market_bars(&law->market, item)) {
    law->explore[place] = law->follow[place] = 0;
    return;
  }
  weigh(l, &l->moments[first], l->w->at[first].shape, &explore, &follow);
  for (uint32_t r = 1; r < size; r++) {
    uint32_t i = scant_market_member(&law->market, item, r);
    double e, f;
    weigh(l, &l->moments[i], l->w->at[i].shape, &e, &f);
    explore = hypot(explore, e);
    follow = hypot(follow, f);
  }
  law->explore[place] = law->market.discount ? explore * law->market.discount[item] : explore;
  law->follow[place] = law->market.discount ? follow * law->market.discount[item] : follow;
}

/* The moments of an item may be anywhere in memory. */
static void expect_item(const scant_looks *l, uint32_t item) {
  uint32_t i = scant_market_member(&l->law.market, item, 0);
  __builtin_prefetch(&l->moments[i]);
  __builtin_prefetch(&l->w->at[i]);
}

void scant_looks_make_law(scant_looks *looks) {
  const scant_moments unseen = {0};
  double none;
  weigh(looks, &unseen, 0, &looks->law.other, &none);
  scant_law_rebuild(&looks->law);
}

/* While an attribute was seen about once, w is noise and not worth following: the share grows with the looks per
 * item. */
static double share_of(const scant_law *law, uint64_t told) {
  double looks = (double)told * law->market.expected / (double)law->items;
  return SCANT_LAW_SHARE * looks / (looks + 1);
}

void scant_looks_rebuild_law(scant_looks *looks, uint64_t told) {
  scant_law *law = &looks->law;
  law->pool = scant_pool_variance(looks->pool);
  law->known = law->listed_count;
  for (size_t place = 0; place < law->known; place++) {
    if (place + AHEAD < law->known) expect_item(looks, law->listed[place + AHEAD]);
    weigh_item(looks, place);
  }
  law->share = share_of(law, told);
  law->due = told + life(looks, told);
  scant_looks_make_law(looks);
}

void scant_looks_follow_law(scant_looks *looks, const scant_look *look, uint64_t told) {
  scant_law *law = &looks->law;
  for (uint32_t i = 0; law->listed_count < law->items && i < look->count; i++) scant_law_list(law, look->item[i]);
  if (told >= law->due) scant_looks_rebuild_law(looks, told);
}
