/* Keeping the law of items with w and the moments. */
#include <math.h>

#include "look/looks.h"

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
  uint32_t item = law->listed[place], size = scant_law_size(law, item), first = scant_law_member(law, item, 0);
  double explore, follow;
  if (scant_law_bars(law, item)) {
    law->explore[place] = law->follow[place] = 0;
    return;
  }
  weigh(l, &l->moments[first], l->w->at[first].shape, &explore, &follow);
  for (uint32_t r = 1; r < size; r++) {
    uint32_t i = scant_law_member(law, item, r);
    double e, f;
    weigh(l, &l->moments[i], l->w->at[i].shape, &e, &f);
    explore = hypot(explore, e);
    follow = hypot(follow, f);
  }
  law->explore[place] = law->discount ? explore * law->discount[item] : explore;
  law->follow[place] = law->discount ? follow * law->discount[item] : follow;
}

/* The moments of an item may be anywhere in memory. */
static void expect_item(const scant_looks *l, uint32_t item) {
  uint32_t i = scant_law_member(&l->law, item, 0);
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
  double looks = (double)told * law->expected / (double)law->items;
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
