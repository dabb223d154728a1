/* What is known of one attribute, or of the target, where its values are somewhere else. */
#ifndef SCANT_DENSE_MARGINAL_H
#define SCANT_DENSE_MARGINAL_H

#include "scant_engine.h"

/* Of the known values: how many; their mean, and the sum of squared deviations from it; the lowest and the highest.
 * common and active: as in gaussian/frame.h, the value that more than half of them have, if there is one, and how many
 * were voted against. */
typedef struct scant_marginal {
  uint64_t bought; /* examples in which it was bought, known or not */
  uint64_t known;
  uint64_t blocks; /* with a known value */
  uint64_t active;
  double mean, spread, low, high, common;
} scant_marginal;

/* The largest squared deviation from the mean. */
static inline double scant_marginal_largest(const scant_marginal *m) {
  double below = m->mean - m->low, above = m->high - m->mean, most = below > above ? below : above;
  return m->known ? most * most : 0;
}

static inline scant_moments scant_marginal_moments(const scant_marginal *m) {
  return (scant_moments){.count = m->known, .mean = m->mean, .spread = m->spread, .largest = scant_marginal_largest(m)};
}

/* How much an attribute is worth exploring: less and less while it has never varied.  Rows of a block may have it in
 * common, as the day on which they were stored; so blocks count, or it would hardly be bought again after the first. */
static inline double scant_marginal_curiosity(const scant_marginal *m) {
  return scant_moments_curiosity(&(scant_moments){.count = m->blocks, .spread = m->spread});
}

#endif
