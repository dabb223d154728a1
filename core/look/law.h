/* The sampling distribution of stopped looks, over items, called the law of the looks here and elsewhere: exploration
 * and |w|, in the end half and half.
 *
 *   q_i = (1 - share) e_i/sum e + share f_i/sum f      (the first alone while w = 0)
 *
 * e_i says how much an item is worth exploring, f_i how much of the prediction rests on it; both are divided by sqrt(1
 * + rate * cost) where money is short.
 *
 * The estimate is unbiased for any law that is fixed before an example is seen and positive everywhere, however old.
 * So the law stays as it is for a while (law.c says how long) and is then rebuilt as a whole. Hence a draw is O(1).
 * Only items that were bought before are listed in it one by one; the others are alike, so that rebuilding costs
 * O(items bought), not O(d). */
#ifndef SCANT_LOOK_LAW_H
#define SCANT_LOOK_LAW_H

#include "price/prices.h"
#include "sample/inverse.h"

/* Up to so many items are all listed from the start: a law of them is cheap to rebuild. */
enum { SCANT_LAW_FEW = 1024 };

/* The share of |w| in the end. */
#define SCANT_LAW_SHARE 0.5

/* An item that is bought for certain. */
typedef struct scant_certain {
  uint32_t item;
  double probability; /* the probability of one draw, if it had been left to the draws */
  double explore, follow;
} scant_certain;

typedef struct scant_law {
  size_t items;
  uint32_t k;       /* items of a look, at most */
  uint32_t *listed; /* items that were bought, in that order; with prices, or if they are few, all */
  uint32_t *place;  /* of an item in `listed`, if it is there */
  size_t listed_count;
  /* as of the last rebuild */
  size_t known;    /* how many of the listed items had e and f of their own, */
  double *explore; /* by place */
  double *follow;
  double other;             /* e of each of the others, whose f is 0 */
  double other_probability; /* of one draw being one of them */
  scant_inverse draw;       /* over the known items, and all others as one */
  scant_certain *certain;   /* the certainty set, free items first */
  uint32_t certain_count;
  double share; /* of |w| */
  double pool;  /* the pooled variance at the last rebuild */
  uint64_t age; /* rebuilds so far */
  uint64_t due; /* the next rebuild comes when so many examples were told */
  scant_market market;
} scant_law;

/* A law over `dimension` attributes for looks of k items; 0: out of memory. */
int scant_law_new(scant_law *law, size_t dimension, uint32_t k);
void scant_law_free(scant_law *law);

/* Makes it a law over the items of `prices`, which must outlive it; 0: out of memory, and it is as it was.  `rate` says
 * how much costs matter (see prices.h). */
int scant_law_price(scant_law *law, const scant_prices *prices, uint32_t k, uint64_t spend, double rate);

/* Is the item among the first `count` of the list? */
static inline int scant_law_lists(const scant_law *law, uint32_t item, size_t count) {
  uint32_t place = law->place[item];
  return place < count && law->listed[place] == item;
}

/* An item was bought: the next rebuild knows it. */
static inline void scant_law_list(scant_law *law, uint32_t item) {
  if (scant_law_lists(law, item, law->listed_count)) return;
  law->place[item] = (uint32_t)law->listed_count;
  law->listed[law->listed_count++] = item;
}
void scant_law_list_all(scant_law *law);

/* Makes the law of explore, follow and other.  O(known). */
void scant_law_rebuild(scant_law *law);

/* One of the items that the law does not know, all alike. */
uint32_t scant_law_draw_other(const scant_law *law, scant_rng *rng);

/* The item of an outcome of law->draw, and the probability of its draw. */
static inline uint32_t scant_law_item(const scant_law *law, uint32_t drawn, scant_rng *rng, double *probability) {
  if (drawn == law->known) {
    *probability = law->other_probability;
    return scant_law_draw_other(law, rng);
  }
  *probability = law->draw.probability[drawn];
  return law->listed[drawn];
}

#endif
