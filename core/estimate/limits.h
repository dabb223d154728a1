/* Limits of an attribute's values (scant_engine.h), for learners that see each value once. */
#ifndef SCANT_ESTIMATE_LIMITS_H
#define SCANT_ESTIMATE_LIMITS_H

#include "estimate/running.h"
#include "scant_engine.h"

/* A record with the mean and the spread of the clipped values beside it, for those who see each value once.
 * A value is clipped by the limits of the moment when it joins the core, and those aside by the limits of
 * the moment of asking; so a wild value that came before there were limits does no harm. */
typedef struct scant_clipped {
  scant_limits met;
  double mean, spread; /* of the clipped values in the core; the spread around the mean, or around 0 */
  double low, high;    /* what scant_limits_of gives of what was met */
} scant_clipped;

/* Have different values been met, so that the limits mean something? */
static inline int scant_clipped_varies(const scant_clipped *clipped) {
  return clipped->low < clipped->high;
}

/* The moments of the clipped values; their `largest` is the largest squared deviation of a clipped value
 * from the mean, or from 0.  `around_zero` must be the same for all values of an attribute. */
scant_moments scant_clipped_moments(const scant_clipped *clipped, int around_zero);

/* Adds a finite value. */
void scant_clipped_add(scant_clipped *clipped, double x, double clip, int around_zero);

#endif
