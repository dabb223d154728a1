/* The law of stopped looks, over items: half exploration, half |w|.
 *
 *   q_i = 1/2 e_i/sum e + 1/2 f_i/sum f      (the first alone while w = 0)
 *
 * e_i is what an item is worth exploring, f_i how much of the prediction rests
 * on it; both are divided by sqrt(1 + rate * cost) where money is short.  Two
 * sum trees, kept up to date by `tell`; the law is fixed before an example is
 * seen, and positive everywhere.
 */
#ifndef SCANT_LEARN_LAW_H
#define SCANT_LEARN_LAW_H

#include "learn/prices.h"
#include "sample/sumtree.h"

/* An item that is bought for certain, with its leaves while it is out of the
 * trees. */
typedef struct scant_certain {
  uint32_t item;
  double probability, explore, follow;
} scant_certain;

typedef struct scant_law {
  size_t items;
  scant_sumtree explore, follow;
  scant_certain *certain; /* the certainty set of the look being drawn */
  uint32_t certain_count;
  const scant_prices *prices; /* NULL: every attribute is an item, and free of choice */
  uint32_t *free;             /* items that cost nothing */
  uint32_t free_count;
  double *discount; /* of each item; NULL: 1 */
  uint64_t spend;   /* of an example; 0: no limit */
  double expected;  /* items that an example is expected to buy, for the certainty set */
} scant_law;

/* A law over `dimension` attributes for looks of k items; 0: out of memory. */
int scant_law_new(scant_law *law, size_t dimension, uint32_t k);
void scant_law_free(scant_law *law);

/* Makes it a law over the items of `prices`, which must outlive it; 0: out of
 * memory, and it is as it was.  `rate` says how much costs matter (see
 * thrift.h). */
int scant_law_price(scant_law *law, const scant_prices *prices, uint32_t k, uint64_t spend, double rate);

static inline uint64_t scant_law_cost(const scant_law *law, uint32_t item) {
  return law->prices ? law->prices->cost[item] : 0;
}

/* The members of an item. */
static inline uint32_t scant_law_size(const scant_law *law, uint32_t item) {
  return law->prices ? law->prices->first[item + 1] - law->prices->first[item] : 1;
}

static inline uint32_t scant_law_member(const scant_law *law, uint32_t item, uint32_t place) {
  return law->prices ? law->prices->members[law->prices->first[item] + place] : item;
}

/* The probability of one draw by the trees as they are, and one draw. */
double scant_law_probability(const scant_law *law, uint32_t item);
uint32_t scant_law_draw(const scant_law *law, scant_rng *rng);

/* Fills law->certain: free items, then the items that k draws would meet once or
 * more on average, at most k/2 of them, so that at least two draws remain.  Takes
 * them out of the trees; scant_law_return puts them back to the same bits.
 * O(k log d). */
void scant_law_choose_certain(scant_law *law, uint32_t k);
void scant_law_return(scant_law *law);

#endif
