/* What past purchases say of an attribute, or past examples of the target. */
#ifndef SCANT_ESTIMATE_RUNNING_H
#define SCANT_ESTIMATE_RUNNING_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scant_moments {
  uint64_t count;
  double mean;
  double spread;  /* sum of squared deviations from the mean, or from 0 */
  double largest; /* largest squared deviation of a value from the mean before it, without the first value */
} scant_moments;

/* Welford's way: no cancellation, whatever the offset of the values. */
static inline void scant_moments_add(scant_moments *m, double x) {
  double deviation = x - m->mean;
  m->count++;
  m->mean += deviation / (double)m->count;
  m->spread += deviation * (x - m->mean);
  double square = deviation * deviation;
  if (m->count > 1 && square > m->largest) m->largest = square;
}

/* The same with the spread around 0, for learners without an intercept. */
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

/* The variance, with the largest deviation counted twice: an attribute that is
 * rarely active must not look tiny before its first activity and huge at it.
 * 0: nothing known yet. */
static inline double scant_moments_variance(const scant_moments *m) {
  return m->count ? (m->spread + m->largest) / (double)m->count : 0;
}

/* How much an attribute is worth exploring: less and less while it has never varied. */
static inline double scant_moments_curiosity(const scant_moments *m) {
  return m->count >= 2 && m->spread == 0 ? 2 / (2 + (double)m->count) : 1;
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

#endif
