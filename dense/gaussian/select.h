/* Forward selection of items: which attributes are worth looking at, and which are for their price.
 *
 * An item is bought at once: one variable, or the variables of a group.  It is worth the share of the target's
 * variance that all of its variables explain together, beside those that were chosen before it. */
#ifndef SCANT_DENSE_GAUSSIAN_SELECT_H
#define SCANT_DENSE_GAUSSIAN_SELECT_H

#include <math.h>
#include <stdint.h>

#include "arrays.h"
#include "gaussian/normal.h"

typedef struct scant_items {
  size_t count;
  size_t *first;    /* variable[first[g]] .. variable[first[g + 1] - 1] are item g; an item may have none */
  size_t *variable; /* each variable but the target once */
  double *value;    /* what a gain of the item counts: less for a dear one; INFINITY: it is known for nothing */
  double *cost;
  scant_arrays arrays;
} scant_items;

/* Room for so many items and variables.  0: out of memory, and scant_items_free is still due. */
int scant_items_new(scant_items *items, size_t count, size_t variables);
void scant_items_free(scant_items *items);

/* gain[g] is the share of the target's variance that item g explained when it was its turn, 0 of those that were not
 * chosen.  The next is the one with the largest gain times value.  What is known for nothing comes first.  Of the
 * others it takes at most `most`, and none once their costs have reached `money`.  The diagonal is multiplied by factor
 * + penalty.  0: out of memory.  O(v^2 n) for v variables chosen, and as much again for each variable of a group. */
int scant_items_select(const scant_items *items, const scant_normal *normal, const double *factor, double penalty,
                       size_t most, double money, double *gain);

/* ---- the share of a look that follows, whether it is that of an example or of a block -------------- */

/* One look in five explores.  The others go evenly to the sqrt(K d) attributes that forward selection finds first:
 * favouring the best of them was no better at K = 4 and worse at K = 56, where it leaves too few of the pairs.  With
 * spend it is sqrt(spend x the price of everything), so that prices of one are as no prices. */
#define SCANT_EXPLORED 0.2
#define SCANT_GAIN_PENALTY 0.05

/* How many of K items explore at least, and the chances of that and of one more. */
static inline uint32_t scant_explored_of(uint32_t k, double chances[2]) {
  double share = SCANT_EXPLORED * k, whole = floor(share);
  chances[1] = share - whole;
  chances[0] = 1 - chances[1];
  return (uint32_t)whole;
}

#endif
