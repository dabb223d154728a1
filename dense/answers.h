/* A store of purchases as they came: attributes, values, target.  Examples of a block share a look, and perhaps the day
 * on which they were measured, so folds and halves are made of whole blocks. */
#ifndef SCANT_DENSE_ANSWERS_H
#define SCANT_DENSE_ANSWERS_H

#include <stddef.h>
#include <stdint.h>

typedef struct scant_answers {
  size_t dimension, examples;
  size_t *first;  /* entries of example e: first[e] .. first[e + 1] - 1; NULL if there was never one */
  uint32_t *size; /* first[e + 1] - first[e] */
  uint32_t *attribute;
  double *value, *y;
  uint32_t *block; /* of each example, never falling; NULL: each is a block of its own */
  size_t first_room, size_room, y_room, attribute_room, value_room, block_room;
} scant_answers;

void scant_answers_free(scant_answers *looks);

static inline size_t scant_answers_entries(const scant_answers *looks) {
  return looks->examples ? looks->first[looks->examples] : 0;
}

/* Are so many values at least half of what the variables of the examples have? */
static inline int scant_is_mostly_seen(size_t values, size_t examples, size_t variables) {
  return 2 * values >= examples * variables;
}

/* Adds an example; values that are NaN are left out.  block: that of the example before it, or a higher one; NULL: it
 * is a block of its own, as all others of the store are.  0: out of memory, and nothing is added. */
int scant_answers_add(scant_answers *looks, const uint32_t *block, size_t count, const uint32_t *attributes,
                      const double *values, double y);

/* Room for so many more examples of a block, so that adding them can't fail.  0: out of memory. */
int scant_answers_reserve(scant_answers *looks, size_t examples, size_t entries);

/* Limits of each attribute, `clip` standard deviations around the mean.  0: out of memory. */
int scant_answers_limits(const scant_answers *looks, double clip, double *low, double *high);

static inline size_t scant_answers_block(const scant_answers *looks, size_t example) {
  return looks->block ? looks->block[example] : example;
}

/* One more than the highest number of a block. */
static inline size_t scant_answers_blocks(const scant_answers *looks) {
  return looks->examples ? scant_answers_block(looks, looks->examples - 1) + 1 : 0;
}

#endif
