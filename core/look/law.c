#include "look/law.h"

#include <math.h>
#include <stdlib.h>

#include "base/lanes.h"
#include "scant_base.h"

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

int scant_law_price(scant_law *law, const scant_prices *prices, uint32_t k, uint64_t spend, double rate) {
  const scant_prices *p = prices;
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
