/* Between which limits an attribute's values count as they are: some standard deviations around its mean.
 *
 * The record takes values as they come and never those that limits have clipped: limits made of what they
 * clip would shrink an attribute that is rarely active to nothing.  The two lowest and the two highest values
 * met are kept aside, and all others are the core.  When limits are made, those aside count:
 *   - within three standard deviations of the core from its mean, as they are;
 *   - farther out, as the next value inwards on their side (but not nearer than three), if that is at least
 *     two thirds as far: so the tail of an attribute stays;
 *   - else as three standard deviations: so one wild value, whenever it comes, moves the limits little.
 * While the core has never varied, nobody can tell a wild value from the first activity of a rare attribute,
 * and those aside count as they are.
 *
 * Everything is equivariant: other units of x give the same limits in those units.
 */
#ifndef SCANT_ESTIMATE_LIMITS_H
#define SCANT_ESTIMATE_LIMITS_H

#include <math.h>
#include <stdint.h>

#include "base/shared.h"
#include "estimate/running.h"

enum { SCANT_LIMITS_ASIDE = 4 };

/* What was met of an attribute; all 0 at first. */
typedef struct scant_limits {
  uint64_t count;
  double mean, spread; /* of the core: its mean, and the sum of squared deviations from it */
  double
      aside[SCANT_LIMITS_ASIDE]; /* the two lowest and the two highest values, ascending; fewer while fewer were met */
  double low, high;              /* of the core */
} scant_limits;

/* Adds a finite value.  1: *joined is the value that joined the core, this one or one that was aside before. */
SCANT_SHARED int scant_limits_add(scant_limits *limits, double x, double *joined);

/* Adds all that `other` met.  Of the values aside of both the two lowest and the two highest stay aside, and the inner
 * ones join the core: so a value that is wild among all never gets into it.  The same, but for rounding, as adding
 * each. */
SCANT_SHARED void scant_limits_merge(scant_limits *limits, const scant_limits *other);

/* `clip` standard deviations around the mean.  0: no two different values were met, and both limits are what
 * was met (0 if nothing was). */
SCANT_SHARED int scant_limits_of(const scant_limits *limits, double clip, double *low, double *high);

/* x brought inside the limits; NaN stays. */
static inline double scant_limits_clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

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
