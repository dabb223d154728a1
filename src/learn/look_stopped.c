/* Looks for the stopped U-statistic: a certainty set, then draws from a law
 * until one would be too many.
 *
 * The law is half exploration, half |w|: q_i = 1/2 e_i/sum e + 1/2 f_i/sum f
 * (the first alone while w = 0), from two sum trees kept up to date by `tell`.
 * It is fixed before the example is seen, and positive everywhere.
 */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

#include "learn/look.h"

/* The probability of one draw by the law as the trees now are. */
static double probability(const scant_law *law, uint32_t item) {
  double explore = scant_sumtree_leaf(&law->explore, item) / scant_sumtree_total(&law->explore);
  double total = scant_sumtree_total(&law->follow);
  return total > 0 ? (explore + scant_sumtree_leaf(&law->follow, item) / total) / 2 : explore;
}

static uint32_t draw(const scant_law *law, scant_rng *rng) {
  static const double halves[2] = {0.5, 0.5};
  int follow = scant_sumtree_total(&law->follow) > 0 && scant_rng_pick(rng, 2, halves);
  return scant_sumtree_draw(follow ? &law->follow : &law->explore, rng);
}

/* ---- the certainty set --------------------------------------------------- */

/* Keeps the `most` likeliest of what it is offered, the likeliest first. */
static void keep(scant_law *law, uint32_t item, double q, uint32_t most) {
  uint32_t place = law->certain_count;
  for (uint32_t r = 0; r < law->certain_count; r++)
    if (law->certain[r].item == item) return;
  while (place && law->certain[place - 1].probability < q) place--;
  if (place == most) return;
  if (law->certain_count < most) law->certain_count++;
  for (uint32_t r = law->certain_count - 1; r > place; r--) law->certain[r] = law->certain[r - 1];
  law->certain[place] = (scant_certain){.item = item, .probability = q};
}

/* Offers every item below `node` whose share of one tree is at least 1/k.  A
 * subtree with less has none, so this takes O(k log d). */
static void search(scant_law *law, const scant_sumtree *tree, size_t node, double k, uint32_t most) {
  if (!(tree->node[node] * k >= tree->node[1]) || !(tree->node[node] > 0)) return;
  if (node < tree->leaves) {
    search(law, tree, 2 * node, k, most);
    search(law, tree, 2 * node + 1, k, most);
    return;
  }
  uint32_t item = (uint32_t)(node - tree->leaves);
  double q = probability(law, item);
  if (q * k >= 1) keep(law, item, q, most);
}

/* H: items that K draws would meet once or more on average; at most K/2, so
 * that at least two draws remain. */
static void choose_certain(scant_law *law, uint32_t k) {
  law->certain_count = 0;
  if (k < 4) return;
  search(law, &law->explore, 1, k, k / 2);
  search(law, &law->follow, 1, k, k / 2);
}

/* ---- the look -------------------------------------------------------------- */

static void add(scant_learner *learner, scant_look *look, uint32_t item, double q) {
  scant_look_entry *e = scant_look_add(learner, look, item, NULL);
  e->gradient_probability = q;
}

/* Draws until one more would be the (room + 1)-th distinct item, which is
 * dropped; going on without it would be biased. */
static void draw_until_full(scant_learner *learner, scant_look *look, uint32_t room) {
  const scant_law *law = &learner->law;
  uint32_t first = look->count;
  for (uint32_t draws = 0; draws < 2 * room; draws++) {
    uint32_t item = draw(law, &learner->rng), place = scant_look_find(learner, look, item);
    if (place == look->count) {
      if (look->count - first == room) return;
      add(learner, look, item, probability(law, item));
    }
    look->entries[place].gradient_draws++;
    look->gradient_total++;
  }
}

scant_status scant_look_stopped(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  scant_law *law = &learner->law;
  uint32_t k = learner->k_gradient;
  if (k >= learner->dimension) {
    for (uint32_t i = 0; i < learner->dimension; i++) add(learner, look, i, 1);
  } else {
    choose_certain(law, k);
    /* Outside H the law is that of the trees without it. */
    for (uint32_t r = 0; r < law->certain_count; r++) {
      scant_certain *c = &law->certain[r];
      add(learner, look, c->item, 1);
      c->explore = scant_sumtree_leaf(&law->explore, c->item);
      c->follow = scant_sumtree_leaf(&law->follow, c->item);
      scant_sumtree_set(&law->explore, c->item, 0);
      scant_sumtree_set(&law->follow, c->item, 0);
    }
    draw_until_full(learner, look, k - law->certain_count);
    for (uint32_t r = 0; r < law->certain_count; r++) {
      const scant_certain *c = &law->certain[r];
      scant_sumtree_set(&law->explore, c->item, c->explore);
      scant_sumtree_set(&law->follow, c->item, c->follow);
    }
  }
  look->draws = look->gradient_total;
  for (uint32_t i = 0; i < look->count; i++) look->draws += !look->entries[i].gradient_draws;
  return SCANT_OK;
}

/* ---- the law ----------------------------------------------------------------- */

int scant_law_new(scant_law *law, size_t d, uint32_t k) {
  law->certain = scant_array(k / 2 + 1, sizeof *law->certain);
  return law->certain && scant_sumtree_new(&law->explore, d) && scant_sumtree_new(&law->follow, d);
}

void scant_law_free(scant_law *law) {
  free(law->certain);
  scant_sumtree_free(&law->explore);
  scant_sumtree_free(&law->follow);
}
