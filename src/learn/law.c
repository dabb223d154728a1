#include "learn/law.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "learn/thrift.h"

/* ---- the object ------------------------------------------------------------ */

int scant_law_new(scant_law *law, size_t dimension, uint32_t k) {
  law->items = dimension;
  law->expected = k;
  law->certain = scant_array((size_t)k / 2 + 1, sizeof *law->certain);
  return law->certain && scant_sumtree_new(&law->explore, dimension) && scant_sumtree_new(&law->follow, dimension);
}

void scant_law_free(scant_law *law) {
  free(law->certain);
  free(law->free);
  free(law->discount);
  scant_sumtree_free(&law->explore);
  scant_sumtree_free(&law->follow);
  *law = (scant_law){0};
}

/* ---- prices ------------------------------------------------------------------ */

int scant_law_price(scant_law *law, const scant_prices *prices, uint32_t k, uint64_t spend, double rate) {
  const scant_prices *p = prices;
  size_t none = p->items - p->paid;
  scant_law priced = {.items = p->items, .prices = p, .spend = spend, .expected = k};
  priced.certain = scant_array((size_t)k / 2 + none + 1, sizeof *priced.certain);
  priced.free = scant_array(none + 1, sizeof *priced.free);
  priced.discount = scant_array(p->items, sizeof *priced.discount);
  int good = priced.certain && priced.free && priced.discount && scant_sumtree_new(&priced.explore, p->items) &&
             scant_sumtree_new(&priced.follow, p->items);
  if (!good) {
    scant_law_free(&priced);
    return 0;
  }
  for (size_t g = 0; g < p->items; g++) {
    priced.discount[g] = scant_thrift_discount(p, g, rate);
    if (!p->cost[g]) priced.free[priced.free_count++] = (uint32_t)g;
  }
  if (spend && p->paid) priced.expected = fmin(k, (double)spend / scant_thrift_look_price(p, rate));
  scant_law_free(law);
  *law = priced;
  return 1;
}

/* ---- drawing ------------------------------------------------------------------ */

double scant_law_probability(const scant_law *law, uint32_t item) {
  double explore = scant_sumtree_leaf(&law->explore, item) / scant_sumtree_total(&law->explore);
  double total = scant_sumtree_total(&law->follow);
  return total > 0 ? (explore + scant_sumtree_leaf(&law->follow, item) / total) / 2 : explore;
}

uint32_t scant_law_draw(const scant_law *law, scant_rng *rng) {
  static const double halves[2] = {0.5, 0.5};
  int follow = scant_sumtree_total(&law->follow) > 0 && scant_rng_pick(rng, 2, halves);
  return scant_sumtree_draw(follow ? &law->follow : &law->explore, rng);
}

/* ---- the certainty set --------------------------------------------------------- */

/* Keeps the `most` likeliest of what it is offered, the likeliest first, behind
 * the free items. */
static void offer(scant_law *law, uint32_t item, double q, uint32_t most) {
  uint32_t place = law->certain_count, first = law->free_count;
  for (uint32_t r = first; r < law->certain_count; r++)
    if (law->certain[r].item == item) return;
  while (place > first && law->certain[place - 1].probability < q) place--;
  if (place == first + most) return;
  if (law->certain_count < first + most) law->certain_count++;
  for (uint32_t r = law->certain_count - 1; r > place; r--) law->certain[r] = law->certain[r - 1];
  law->certain[place] = (scant_certain){.item = item, .probability = q};
}

/* Offers every item below `node` whose share of one tree is at least
 * 1/expected.  A subtree with less has none. */
static void search(scant_law *law, const scant_sumtree *tree, size_t node, uint32_t most) {
  if (!(tree->node[node] > 0) || tree->node[node] * law->expected < tree->node[1]) return;
  if (node < tree->leaves) {
    search(law, tree, 2 * node, most);
    search(law, tree, 2 * node + 1, most);
    return;
  }
  uint32_t item = (uint32_t)(node - tree->leaves);
  double q = scant_law_probability(law, item);
  if (q * law->expected >= 1) offer(law, item, q, most);
}

static void take_out(scant_law *law, scant_certain *c) {
  c->explore = scant_sumtree_leaf(&law->explore, c->item);
  c->follow = scant_sumtree_leaf(&law->follow, c->item);
  scant_sumtree_set(&law->explore, c->item, 0);
  scant_sumtree_set(&law->follow, c->item, 0);
}

/* Drops what would not leave the money for two more items, whichever. */
static void keep_affordable(scant_law *law) {
  uint64_t left = law->spend;
  uint32_t kept = law->free_count;
  for (uint32_t r = kept; law->spend && r < law->certain_count; r++) {
    uint64_t cost = scant_law_cost(law, law->certain[r].item);
    if (cost + law->prices->dearest_two > left) continue;
    left -= cost;
    law->certain[kept++] = law->certain[r];
  }
  if (law->spend) law->certain_count = kept;
}

void scant_law_choose_certain(scant_law *law, uint32_t k) {
  law->certain_count = 0;
  for (uint32_t r = 0; r < law->free_count; r++) {
    law->certain[law->certain_count] = (scant_certain){.item = law->free[r], .probability = 1};
    take_out(law, &law->certain[law->certain_count++]);
  }
  if (k >= 4) {
    search(law, &law->explore, 1, k / 2);
    search(law, &law->follow, 1, k / 2);
    keep_affordable(law);
  }
  for (uint32_t r = law->free_count; r < law->certain_count; r++) take_out(law, &law->certain[r]);
}

void scant_law_return(scant_law *law) {
  for (uint32_t r = 0; r < law->certain_count; r++) {
    const scant_certain *c = &law->certain[r];
    scant_sumtree_set(&law->explore, c->item, c->explore);
    scant_sumtree_set(&law->follow, c->item, c->follow);
  }
}
