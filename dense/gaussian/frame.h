/* How attributes become variables of a joint distribution, made anew of all purchases for each fit. */
#ifndef SCANT_DENSE_GAUSSIAN_FRAME_H
#define SCANT_DENSE_GAUSSIAN_FRAME_H

#include <math.h>
#include <stddef.h>

#include "answers.h"
#include "arrays.h"
#include "marginal.h"
#include "scant_engine.h"

#define SCANT_NO_VARIABLE UINT32_MAX

/* Attributes are clipped between their limits, centered, in units of standard deviations. */
typedef struct scant_frame {
  size_t dimension, variables;
  uint32_t *variable;  /* of each attribute, or SCANT_NO_VARIABLE */
  uint32_t *attribute; /* of each variable but the last */
  double *center, *unit;
  double *guess;        /* how much larger the variance of each variable may be, the target's is 1 */
  double *factor;       /* the same, but infinite where too little was seen for a weight */
  double *low, *high;   /* of each attribute; NULL if nothing is clipped */
  unsigned char *plain; /* of each variable: is it read unpenalised?  NULL: none is */
  scant_arrays arrays;
} scant_frame;

/* Keeps the attributes whose values varied.  Limits are made of all looks, `clip` standard deviations around
 * the mean (0: none), and centers, units and factors of what these leave.  0: out of memory. */
int scant_frame_new(scant_frame *frame, const scant_answers *looks, double clip, const scant_moments *y);
/* Makes it from marginals of the attributes and, the last, of the target, of values that were clipped before.  Without
 * their order a factor is that of the largest value alone (scant_scale); whole: not even that, since limits hold it and
 * most of every example was seen. */
int scant_frame_of_marginals(scant_frame *frame, size_t dimension, const scant_marginal *marginals, int whole);
void scant_frame_free(scant_frame *frame);

/* Marks the variables of these attributes as plain: penalties do not touch them, and their factor is 1, but where too
 * little was seen for a weight.  0: out of memory. */
int scant_frame_unpenalise(scant_frame *frame, const unsigned char *attributes);

/* Can any attribute get a weight? */
static inline int scant_frame_has_known(const scant_frame *frame) {
  size_t v = 0;
  while (v + 1 < frame->variables && !isfinite(frame->factor[v])) v++;
  return v + 1 < frame->variables;
}

/* A value of an attribute between its limits. */
static inline double scant_frame_clip(const scant_frame *frame, uint32_t attribute, double x) {
  return frame->low ? scant_limits_clip(x, frame->low[attribute], frame->high[attribute]) : x;
}

/* ---- how much larger a variance may be than the values so far show -----------------------------
 *
 * An attribute that is rarely active has shown a value or two, and its next one may be a hundred times larger: a weight
 * in units of what was seen would be ruinous.  So every new value is compared with the variance that was known of its
 * attribute before; attributes that were active about as often share these comparisons.  No constant here depends on
 * units. */

enum { SCANT_SCALE_CLASSES = 10 }; /* up to 31 active values */

/* Active values that an attribute must have shown to get a weight. */
enum { SCANT_ACTIVE_FEWEST = 4 };

typedef struct scant_scale {
  /* Of each attribute: its most common value, if one makes up more than half of all (Boyer and Moore's vote), and how
   * many values were voted against: of values that never come twice, every other one. */
  double *common;
  uint64_t *lead, *active;
  /* Of each class: values met, the sum of their ratios (squared deviation over the
   * variance known before) and of the squares of these. */
  double count[SCANT_SCALE_CLASSES], sum[SCANT_SCALE_CLASSES], squares[SCANT_SCALE_CLASSES];
  scant_arrays arrays;
} scant_scale;

int scant_scale_new(scant_scale *scale, size_t dimension); /* 0: out of memory */
void scant_scale_free(scant_scale *scale);

/* A value of an attribute is about to be added to its moments. */
void scant_scale_note(scant_scale *scale, size_t attribute, const scant_moments *before, double value);

/* What the variance of an attribute is to be multiplied by: its largest value counts twice (moments NULL: not, since
 * limits hold it); and while it is rarely active, the mean ratio of its class plus its standard error. */
double scant_scale_factor(const scant_scale *scale, size_t attribute, const scant_moments *moments);

/* What a variance is multiplied by so that the largest value counts twice. */
static inline double scant_scale_twice(const scant_moments *m) {
  return m->spread > 0 ? 1 + m->largest / m->spread : 1;
}

/* Was it active often enough to have a scale at all? */
int scant_scale_is_known(const scant_scale *scale, size_t attribute);

#endif
