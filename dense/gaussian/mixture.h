/* What the looks of gaussian have in common, whether for an example or for a block of them. */
#ifndef SCANT_DENSE_GAUSSIAN_MIXTURE_H
#define SCANT_DENSE_GAUSSIAN_MIXTURE_H

#include <math.h>
#include <stdint.h>

/* One look in five explores.  The others go evenly to the sqrt(K d) attributes that
 * forward selection finds first: favouring the best of them was no better at K = 4
 * and worse at K = 56, where it leaves too few of the pairs.  With spend it is
 * sqrt(spend x the price of everything), so that prices of one are as no prices. */
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
