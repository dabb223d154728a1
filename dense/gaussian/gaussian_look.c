/* The looks of gaussian: which items of the next example.
 *
 * What is free is always in a look.  Without a limit of money per example, a look has K other items: a fifth of them
 * explore, the others follow forward selection.  With one, items are drawn from both laws at once, and those that the
 * money does not pay for are passed over, until K are bought or nothing more can be.  EM needs no probabilities, so
 * there is no bias in going on with what is cheaper. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "gaussian/gaussian.h"
#include "gaussian/select.h"

/* ---- items ---------------------------------------------------------------------- */

static size_t items_of(const scant_engine_view *l) {
  return l->market.prices ? l->market.prices->items : l->dimension;
}

/* What can't be had for nothing. */
static size_t paid_items(const scant_engine_view *l) {
  return l->market.prices ? l->market.prices->paid : l->dimension - l->market.barred_count;
}

static int is_free(const scant_engine_view *l, uint32_t item) {
  return l->market.prices && !l->market.prices->cost[item] && !scant_market_bars(&l->market, item);
}

/* What a gain of the item counts.  Thrift gives dear items less, as in the other algorithms. */
static double worth(const scant_engine_view *l, size_t item) {
  if (scant_market_bars(&l->market, (uint32_t)item)) return 0;
  return l->market.discount ? l->market.discount[item] : 1;
}

/* Where money is limited in all, what is saved pays for more examples.  Then dear items are drawn less often too, by
 * the root of their worth: by their worth itself a third of the money was left, since they are followed less often
 * already. */
static double chance(const scant_engine_view *l, size_t item) {
  if (scant_market_bars(&l->market, (uint32_t)item)) return 0;
  return l->settings->run.budget_cost > 0 ? sqrt(worth(l, item)) : 1;
}

int scant_gaussian_is_due(const scant_engine_view *l, double first_looks, uint64_t fewest) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  if (s->chosen_at || !l->market.prices) return l->block >= s->renew_at;
  return l->block >= fewest && (double)l->block * l->market.expected >= first_looks * (double)paid_items(l);
}

/* ---- the law --------------------------------------------------------------------- */

/* A group is worth the root of its members' sum of squares, as for the other algorithms. */
static void renew_explore(scant_engine_view *l) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  for (uint32_t g = 0; g < items_of(l); g++) {
    s->explore[g] = 0;
    for (uint32_t r = 0; r < scant_market_size(&l->market, g); r++)
      s->explore[g] = hypot(s->explore[g], scant_moments_curiosity(&l->moments[scant_market_member(&l->market, g, r)]));
  }
}

/* The items as variables of the fit, each with what its gain counts. */
static void list_items(const scant_engine_view *l, const scant_frame *frame, scant_items *items) {
  const scant_market *market = &l->market;
  size_t at = 0;
  for (uint32_t g = 0; g < items->count; g++) {
    items->first[g] = at;
    items->cost[g] = (double)scant_market_cost(market, g);
    items->value[g] = is_free(l, g) ? INFINITY : worth(l, g);
    for (uint32_t r = 0; r < scant_market_size(market, g); r++) {
      uint32_t v = frame->variable[scant_market_member(market, g, r)];
      if (v != SCANT_NO_VARIABLE) items->variable[at++] = v;
    }
  }
  items->first[items->count] = at;
}

/* The weights of some attributes are wanted for themselves, whether they help to predict or not. */
static int is_wanted(const scant_engine_view *l, uint32_t item) {
  int wanted = 0;
  for (uint32_t r = 0; l->unpenalised && r < scant_market_size(&l->market, item); r++)
    wanted |= l->unpenalised[scant_market_member(&l->market, item, r)];
  return wanted;
}

static scant_status renew_follow(scant_engine_view *l, scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  const scant_gaussian_fit *f = &s->law_fit;
  const scant_market *market = &l->market;
  size_t count = items_of(l), most = (size_t)ceil(sqrt((double)l->k * (double)paid_items(l)));
  double money = market->spend ? sqrt((double)market->spend * (double)market->prices->total) : INFINITY;
  double *gain = scant_array(count, sizeof *gain);
  scant_items items = {0};
  int good = scant_items_new(&items, count, f->normal.n) && gain;
  if (good) { /* by guess, also where the scale is not known: a look will tell */
    list_items(l, &f->frame, &items);
    good = scant_items_select(&items, &f->normal, f->frame.guess, SCANT_GAIN_PENALTY, most, money, gain);
  }
  for (uint32_t g = 0; good && g < count; g++) s->follow[g] = gain[g] > 0 || is_wanted(l, g);
  scant_items_free(&items);
  free(gain);
  return good ? SCANT_OK : scant_fail_memory(error);
}

scant_status scant_gaussian_renew_law(scant_engine_view *l, scant_error *error) {
  SCANT_TRY(renew_follow(l, error));
  renew_explore(l);
  return SCANT_OK;
}

/* ---- drawing ---------------------------------------------------------------------- */

/* What may still be bought of an example. */
typedef struct {
  uint32_t items;
  uint64_t money; /* counts only if there is a limit */
} room;

static void take(scant_engine_view *l, scant_look *look, uint32_t item) {
  uint32_t draws = look->draws;
  for (uint32_t r = 0; r < scant_market_size(&l->market, item); r++)
    scant_look_take(look, scant_market_member(&l->market, item, r), item);
  look->draws = draws + 1; /* a group is one */
}

/* Draws up to `count` items that are not in the look yet, by the sum of both laws with these weights. */
static void draw(scant_engine_view *l, scant_look *look, double follow, double explore, uint32_t count, room *left) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  const scant_market *market = &l->market;
  double *leaf = scant_sumtree_leaves(&s->law);
  for (size_t g = 0; g < items_of(l); g++) leaf[g] = (follow * s->follow[g] + explore * s->explore[g]) * chance(l, g);
  for (uint32_t i = 0; i < look->count; i++) leaf[look->item[i]] = 0;
  scant_sumtree_rebuild(&s->law);
  while (count && scant_sumtree_total(&s->law) > 0) {
    uint32_t item = scant_sumtree_draw(&s->law, l->rng);
    uint64_t cost = market->spend ? scant_market_cost(market, item) : 0;
    scant_sumtree_set(&s->law, item, 0);
    if (cost > left->money) continue; /* what is cheaper may fit */
    take(l, look, item);
    left->money -= cost;
    left->items--;
    count--;
  }
}

/* Draws from both laws at once, a fifth from that of exploring. */
static void draw_for_money(scant_engine_view *l, scant_look *look, room *left) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  double follow = 0, explore = 0;
  for (uint32_t g = 0; g < items_of(l); g++) {
    if (is_free(l, g)) continue;
    follow += s->follow[g] * chance(l, g);
    explore += s->explore[g] * chance(l, g);
  }
  int has_law = follow > 0;
  draw(l, look, has_law ? (1 - SCANT_EXPLORED) / follow : 0, (has_law ? SCANT_EXPLORED : 1) / explore, left->items,
       left);
}

void scant_gaussian_draw(scant_engine_view *l, scant_look *look) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  const scant_market *market = &l->market;
  room left = {l->k, market->spend};
  for (uint32_t r = 0; r < market->free_count; r++) take(l, look, market->free[r]);
  if (!paid_items(l)) return;
  if (market->spend) {
    draw_for_money(l, look, &left);
    return;
  }
  uint32_t exploring = left.items;
  if (s->chosen_at) { /* there is a law; the fraction of a look by chance */
    double chances[2];
    exploring = scant_explored_of(left.items, chances);
    exploring += (uint32_t)scant_rng_pick(l->rng, 2, chances);
  }
  draw(l, look, 1, 0, left.items - exploring, &left);
  draw(l, look, 0, 1, left.items, &left);
}

/* ---- how likely a look was ----------------------------------------------------------- */

/* `first` items are any of those that are followed, and `then` any of the rest. */
typedef struct {
  double paid, followed, first, then;
} mixture;

static double chance_of(const mixture *m, int follows) {
  double first = follows ? m->first / m->followed : 0, rest = m->paid - m->first;
  return first + (1 - first) * (rest > 0 ? m->then / rest : 0);
}

static double chance_of_both(const mixture *m, int follows, int other_follows) {
  double rest = m->paid - m->first, one = rest > 0 ? m->then / rest : 0, two = scant_chances_pair(m->then, rest);
  if (!follows && !other_follows) return two;
  if (!follows || !other_follows) return m->first / m->followed * one + (1 - m->first / m->followed) * two;
  double both = scant_chances_pair(m->first, m->followed);
  double neither = scant_chances_pair(m->followed - m->first, m->followed);
  return both + (1 - both - neither) * one + neither * two;
}

/* Adds the chances of looks of which `exploring` explore, times the probability of that. */
static void add_mixture(const scant_engine_view *l, const scant_look *look, uint32_t exploring, double followed,
                        double probability, const scant_chances *chances) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  double k = l->k, paid = (double)paid_items(l), first = fmin(k - exploring, followed);
  mixture m = {paid, followed, first, fmin(k, paid) - first};
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t item = look->item[i];
    if (is_free(l, item)) continue;
    chances->inclusion[i] += probability * chance_of(&m, s->follow[item] > 0);
    for (uint32_t j = 0; chances->pairs && j < look->count; j++) {
      uint32_t other = look->item[j];
      if (is_free(l, other) || other == item) continue;
      chances->pairs[i * look->count + j] +=
          probability * chance_of_both(&m, s->follow[item] > 0, s->follow[other] > 0);
    }
  }
}

/* Are draws of each law even?  Then *followed is the number of items that are followed. */
static int is_even(const scant_engine_view *l, double *followed) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  double explore = 0, follow = 0;
  *followed = 0;
  for (uint32_t g = 0; g < items_of(l); g++) {
    double e = s->explore[g] * chance(l, g), f = s->follow[g] * chance(l, g);
    if (is_free(l, g) || scant_market_bars(&l->market, g)) continue;
    if ((explore > 0 && e != explore) || (f > 0 && follow > 0 && f != follow)) return 0;
    explore = e;
    if (f > 0) follow = f;
    *followed += f > 0;
  }
  return !l->market.spend;
}

/* Completes what has a closed form, whatever the law: a free item is in every look, and members of a group are bought
 * together.  Prices alone say what is free, so that a look of long ago may come back without its law. */
static void complete(const scant_engine_view *l, const scant_look *look, const scant_chances *chances) {
  const scant_prices *p = l->market.prices;
  for (uint32_t i = 0; p && i < look->count; i++)
    if (is_free(l, p->item[look->attributes[i]])) chances->inclusion[i] = 1;
  for (uint32_t i = 0; chances->pairs && i < look->count; i++) {
    uint32_t a = look->attributes[i];
    for (uint32_t j = 0; j < look->count; j++) {
      uint32_t b = look->attributes[j];
      double *pair = &chances->pairs[i * look->count + j];
      if (p ? p->item[a] == p->item[b] || is_free(l, p->item[b]) : i == j) *pair = chances->inclusion[i];
      if (p && is_free(l, p->item[a])) *pair = chances->inclusion[j];
    }
  }
}

void scant_gaussian_chances(const scant_engine_view *l, const scant_look *look, const scant_chances *chances) {
  double followed, shares[2] = {1, 0};
  uint32_t k = l->k, exploring = k;
  if (chances->now && is_even(l, &followed)) {
    scant_chances_alike(look, 0, 0, chances);
    if (scant_gaussian_of(l)->chosen_at) exploring = scant_explored_of(k, shares);
    for (uint32_t more = 0; more < 2; more++)
      if (shares[more] > 0) add_mixture(l, look, exploring + more, followed, shares[more], chances);
  }
  complete(l, look, chances);
}
