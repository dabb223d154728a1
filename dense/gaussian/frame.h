/* How attributes become variables of a joint distribution, made anew of all purchases for each fit. */
#ifndef SCANT_DENSE_GAUSSIAN_FRAME_H
#define SCANT_DENSE_GAUSSIAN_FRAME_H

#include "gaussian/answers.h"
#include "estimate/limits.h"

#define SCANT_NO_VARIABLE UINT32_MAX

/* Attributes are clipped between their limits, centered, in units of standard deviations. */
typedef struct scant_frame {
  size_t dimension, variables;
  uint32_t *variable;  /* of each attribute, or SCANT_NO_VARIABLE */
  uint32_t *attribute; /* of each variable but the last */
  double *center, *unit;
  double *guess;        /* how much larger the variance of each variable may be, see scale.h; the target's is 1 */
  double *factor;       /* the same, but infinite where too little was seen for a weight */
  double *low, *high;   /* of each attribute; NULL if nothing is clipped */
  unsigned char *plain; /* of each variable: is it read unpenalised?  NULL: none is */
} scant_frame;

/* Keeps the attributes whose values varied.  Limits are made of all looks, `clip` standard deviations around
 * the mean (0: none), and centers, units and factors of what these leave.  0: out of memory. */
int scant_frame_new(scant_frame *frame, const scant_answers *looks, double clip, const scant_moments *y);
/* The same from what is known of each attribute, and `active` values of each, where nobody has the values themselves:
 * they were clipped before.  How values compare with those before them needs their order, so a factor is that of the
 * largest value alone (scale.h); whole: not even that, since limits hold it and most of every example was seen. */
int scant_frame_of_moments(scant_frame *frame, size_t dimension, const scant_moments *attributes,
                           const uint64_t *active, const scant_moments *y, int whole);
void scant_frame_free(scant_frame *frame);

/* Marks the variables of these attributes as plain: penalties do not touch them, and their factor is 1, but where too
 * little was seen for a weight.  0: out of memory. */
int scant_frame_unpenalise(scant_frame *frame, const unsigned char *attributes);

/* A value of an attribute between its limits. */
static inline double scant_frame_clip(const scant_frame *frame, uint32_t attribute, double x) {
  return frame->low ? scant_limits_clip(x, frame->low[attribute], frame->high[attribute]) : x;
}

#endif
