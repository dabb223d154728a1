/* How much larger a variance may be than the values so far show.
 *
 * An attribute that is rarely active has shown a value or two, and its next one may be a hundred times
 * larger: a weight in units of what was seen would be ruinous.  So every new value is compared with the
 * variance that was known of its attribute before; attributes that were active about as often share these
 * comparisons.  No constant here depends on units.
 */
#ifndef SCANT_DENSE_GAUSSIAN_SCALE_H
#define SCANT_DENSE_GAUSSIAN_SCALE_H

#include <stddef.h>

#include "estimate/running.h"

enum { SCANT_SCALE_CLASSES = 10 }; /* up to 31 active values */

/* Active values that an attribute must have shown to get a weight. */
enum { SCANT_ACTIVE_FEWEST = 4 };

typedef struct scant_scale {
  /* Of each attribute: its most common value, if one makes up more than half of
   * all (Boyer and Moore's vote), and how many values were voted against: of values
   * that never come twice, every other one. */
  double *common;
  uint64_t *lead, *active;
  /* Of each class: values met, the sum of their ratios (squared deviation over the
   * variance known before) and of the squares of these. */
  double count[SCANT_SCALE_CLASSES], sum[SCANT_SCALE_CLASSES], squares[SCANT_SCALE_CLASSES];
} scant_scale;

int scant_scale_new(scant_scale *scale, size_t dimension); /* 0: out of memory */
void scant_scale_free(scant_scale *scale);

/* A value of an attribute is about to be added to its moments. */
void scant_scale_note(scant_scale *scale, size_t attribute, const scant_moments *before, double value);

/* What the variance of an attribute is to be multiplied by: its largest value counts
 * twice (moments NULL: not, since limits hold it); and while it is rarely active, the mean ratio of its class plus its
 * standard error. */
double scant_scale_factor(const scant_scale *scale, size_t attribute, const scant_moments *moments);

/* What a variance is multiplied by so that the largest value counts twice. */
static inline double scant_scale_twice(const scant_moments *m) {
  return m->spread > 0 ? 1 + m->largest / m->spread : 1;
}

/* Was it active often enough to have a scale at all? */
int scant_scale_is_known(const scant_scale *scale, size_t attribute);

#endif
