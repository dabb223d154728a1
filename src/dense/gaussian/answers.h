/* A store of purchases as they came: attributes, values, target. */
#ifndef SCANT_DENSE_GAUSSIAN_ANSWERS_H
#define SCANT_DENSE_GAUSSIAN_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct scant_answers {
  size_t dimension, examples;
  size_t *first;  /* entries of example e: first[e] .. first[e + 1] - 1 */
  uint32_t *size; /* first[e + 1] - first[e] */
  uint32_t *attribute;
  double *value, *y;
  size_t first_room, size_room, y_room, attribute_room, value_room;
} scant_answers;

void scant_answers_free(scant_answers *looks);

/* Are so many values at least half of what the variables of the examples have? */
static inline int scant_is_mostly_seen(size_t values, size_t examples, size_t variables) {
  return 2 * values >= examples * variables;
}

/* Adds an example; values that are NaN are left out.  0: out of memory, and
 * nothing is added. */
int scant_answers_add(scant_answers *looks, size_t count, const uint32_t *attributes, const double *values, double y);

#endif
