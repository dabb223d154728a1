/* What past purchases say of an attribute, or past examples of the target: running moments, and limits of values
 * (scant_engine.h) for learners that see each value once. */
#ifndef SCANT_ESTIMATE_RUNNING_H
#define SCANT_ESTIMATE_RUNNING_H

#include "scant_engine.h"

/* scant_moments_add with the spread around 0, for learners without an intercept. */
static inline void scant_moments_add_raw(scant_moments *m, double x) {
  m->count++;
  m->mean += (x - m->mean) / (double)m->count;
  m->spread += x * x;
  if (x * x > m->largest) m->largest = x * x;
}

/* Algorithms that need the mean alone, and only at the end, keep the sum in its place. */
static inline void scant_moments_tally(scant_moments *m, double x) {
  m->count++;
  m->mean += x;
}

/* Attributes in like units share one variance: the sum and number of its unbiased estimates, one from each
 * purchase but an attribute's first. */
typedef struct scant_pool {
  double sum, count;
} scant_pool;

/* The pooled variance; 0: not known yet. */
static inline double scant_pool_variance(const scant_pool *pool) {
  return pool->count > 0 ? pool->sum / pool->count : 0;
}

/* The moments of the attributes of a look, in arrays side by side for vector code. */
typedef struct scant_meeting {
  double *count, *mean, *spread, *largest;
} scant_meeting;

void scant_meeting_gather(scant_meeting *met, const scant_moments *moments, size_t count, const uint32_t *attributes);

/* scant_moments_add for each, or scant_moments_add_raw. */
void scant_meeting_add(scant_meeting *met, size_t count, const double *v, int raw);

/* Those that had no value (NaN) are as they were. */
void scant_meeting_undo(scant_meeting *met, const scant_moments *moments, size_t count, const uint32_t *attributes,
                        const double *v);

void scant_meeting_scatter(const scant_meeting *met, scant_moments *moments, size_t count, const uint32_t *attributes);

/* A record with the mean and the spread of the clipped values beside it, for learners that see each value once.
 * A value is clipped by the limits of the moment when it joins the core, and those aside by the limits of
 * the moment of asking; so a wild value that came before there were limits does no harm. */
typedef struct scant_clipped {
  scant_limits met;
  double mean, spread; /* of the clipped values in the core; the spread around the mean, or around 0 */
  double low, high;    /* what scant_limits_of gives of what was met; equal while nothing has varied */
} scant_clipped;

/* The moments of the clipped values; their `largest` is the largest squared deviation of a clipped value
 * from the mean, or from 0.  `around_zero` must be the same for all values of an attribute. */
scant_moments scant_clipped_moments(const scant_clipped *clipped, int around_zero);

/* Adds a finite value. */
void scant_clipped_add(scant_clipped *clipped, double x, double clip, int around_zero);

#endif
