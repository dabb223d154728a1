/* What was seen of the variables of a joint distribution.
 *
 * looks   a store of purchases as they came: attributes, values, target.
 * seen    the same for the statistics: the variables that are worth modelling,
 *         the target last, in units of their standard deviations.
 */
#ifndef SCANT_DENSE_GAUSSIAN_SEEN_H
#define SCANT_DENSE_GAUSSIAN_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "estimate/running.h"

typedef struct scant_answers {
  size_t dimension, examples;
  size_t *first;  /* entries of example e: first[e] .. first[e + 1] - 1 */
  uint32_t *size; /* first[e + 1] - first[e] */
  uint32_t *attribute;
  double *value, *y;
  size_t first_room, size_room, y_room, attribute_room, value_room;
} scant_answers;

void scant_answers_free(scant_answers *looks);

/* Adds an example; values that are NaN are left out.  0: out of memory, and
 * nothing is added. */
int scant_answers_add(scant_answers *looks, size_t count, const uint32_t *attributes, const double *values, double y);

#define SCANT_NO_VARIABLE UINT32_MAX

/* Examples that are worked on together: of one size, or (alike) of which the
 * same variables were seen. */
typedef struct scant_batch {
  uint32_t start, count; /* in `order` */
  int alike;
} scant_batch;

typedef struct scant_seen {
  size_t variables; /* the target is the last */
  size_t examples;
  size_t *first;
  uint32_t *variable; /* ascending within an example */
  double *value;      /* standardised */
  uint32_t *order;    /* examples by how much, then by what was seen of them */
  scant_batch *batches;
  size_t batch_count;
  size_t most; /* seen of an example */
} scant_seen;

static inline size_t scant_seen_size(const scant_seen *seen, size_t example) {
  return seen->first[example + 1] - seen->first[example];
}

/* How attributes become variables: clipped between their limits, centered, in units of standard deviations. */
typedef struct scant_frame {
  size_t dimension, variables;
  uint32_t *variable;  /* of each attribute, or SCANT_NO_VARIABLE */
  uint32_t *attribute; /* of each variable but the last */
  double *center, *unit;
  double *low, *high; /* of each variable; infinite if nothing is clipped */
} scant_frame;

/* Keeps the attributes whose values varied.  Limits are made of all looks, `clip` standard deviations around
 * the mean (infinity: none), and centers and units of what these leave.  0: out of memory. */
int scant_frame_new(scant_frame *frame, const scant_answers *looks, double clip, const scant_moments *y);
void scant_frame_free(scant_frame *frame);

/* All examples (parts = 0), or those e with e % parts == part.  0: out of
 * memory. */
int scant_seen_new(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part);
void scant_seen_free(scant_seen *seen);

/* The most variables of an example in a block, and in a batch of examples that are alike. */
void scant_seen_largest(const scant_seen *seen, size_t *block, size_t *alike);

#endif
