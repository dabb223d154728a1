/* Keeping the law of stopped looks with w and the moments. */
#include <math.h>

#include "learn/learner.h"

/* The standard deviation of an attribute (around 0 without centring) as the law
 * knows it, shrunk towards the pooled one while it was seldom seen. */
static double deviation(const scant_learner *l, const scant_moments *m) {
  if (m->count < 2) return l->law_pool > 0 ? sqrt(l->law_pool) : 1;
  /* without centring it is the size around 0 that counts */
  double n = (double)m->count, squares = m->spread + (l->centred ? 0 : n * m->mean * m->mean);
  return sqrt((squares + 2 * l->law_pool) / (n + 1));
}

/* How much an attribute is worth exploring: its deviation, or all alike; but
 * what never varied less and less. */
static double explore_leaf(const scant_learner *l, uint32_t i) {
  const scant_moments *m = &l->moments[i];
  double fade = scant_moments_curiosity(m);
  if (!l->row->by_deviation) return fade;
  /* the pool keeps it above 0; nothing varied at all yet: all alike */
  double size = deviation(l, m);
  return size > 0 ? size : fade;
}

/* How much of the prediction rests on an attribute, up to a common factor. */
static double follow_leaf(const scant_learner *l, uint32_t i) {
  double size = fabs(l->w.shape[i]);
  return l->row->by_deviation ? size * deviation(l, &l->moments[i]) : size;
}

/* The leaves of an item: a panel's are the roots of its members' sums of
 * squares, as if they were uncorrelated. */
static void item_leaves(const scant_learner *l, uint32_t item, double *explore, double *follow) {
  const scant_law *law = &l->law;
  uint32_t size = scant_law_size(law, item), first = scant_law_member(law, item, 0);
  *explore = explore_leaf(l, first);
  *follow = follow_leaf(l, first);
  for (uint32_t r = 1; r < size; r++) {
    uint32_t i = scant_law_member(law, item, r);
    *explore = hypot(*explore, explore_leaf(l, i));
    *follow = hypot(*follow, follow_leaf(l, i));
  }
  if (!law->discount) return;
  *explore *= law->discount[item];
  *follow *= law->discount[item];
}

static void refresh_item(scant_learner *learner, uint32_t item) {
  double explore, follow;
  item_leaves(learner, item, &explore, &follow);
  scant_sumtree_set(&learner->law.explore, item, explore);
  scant_sumtree_set(&learner->law.follow, item, follow);
}

void scant_learner_rebuild_law(scant_learner *learner) {
  scant_law *law = &learner->law;
  if (!scant_row_is_stopped(learner->row)) return;
  for (uint32_t item = 0; item < law->items; item++)
    item_leaves(learner, item, &scant_sumtree_leaves(&law->explore)[item], &scant_sumtree_leaves(&law->follow)[item]);
  scant_sumtree_rebuild(&law->explore);
  scant_sumtree_rebuild(&law->follow);
}

/* Keeps the law with w and the moments.  What it knows of the pooled variance is
 * renewed for all at once, ever more rarely: an old law is as good. */
void scant_learner_follow_law(scant_learner *learner, const scant_look *look) {
  scant_learner *l = learner;
  if ((l->row->by_deviation && l->told >= 2 * l->law_age) || l->w.rescaled != l->law_shapes) {
    l->law_pool = scant_learner_pooled_variance(l);
    l->law_age = l->told;
    l->law_shapes = l->w.rescaled;
    scant_learner_rebuild_law(l);
    return;
  }
  for (uint32_t i = 0; i < look->count; i++) { /* once for each item */
    uint32_t item = look->entries[i].item;
    if (scant_law_member(&l->law, item, 0) == look->attributes[i]) refresh_item(l, item);
  }
}
