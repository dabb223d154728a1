/* With clip, the first examples of moments are held back as they were told, until there are enough of them
 * to make limits from.  The limits then freeze, since sums of products can't be clipped anew. */
#ifndef SCANT_DENSE_MOMENTS_HELD_H
#define SCANT_DENSE_MOMENTS_HELD_H

#include "base/json.h"
#include "scant.h"

typedef struct scant_held {
  size_t examples, example_room;
  size_t values, value_room, attribute_room;
  double *y;   /* of each example */
  size_t *end; /* of each example's values */
  size_t end_room;
  uint32_t *attribute; /* of each value */
  double *value;
  uint32_t *block; /* of each example; NULL: each is a block of its own */
  size_t block_room;
} scant_held;

/* Room for so many more examples with `count` values each; `blocks`: of blocks that have several.  0: out of memory,
 * and nothing has changed. */
int scant_held_reserve(scant_held *held, size_t examples, size_t count, int blocks);

/* Adds an example, for which there is room; values that are NaN are left out.  A block counts only if there is room for
 * blocks. */
void scant_held_add(scant_held *held, uint32_t block, size_t count, const uint32_t *attributes, const double *values,
                    double y);

static inline size_t scant_held_begin(const scant_held *held, size_t example) {
  return example ? held->end[example - 1] : 0;
}

static inline uint64_t scant_held_block(const scant_held *held, size_t example) {
  return held->block ? held->block[example] : example;
}

/* The limits of each attribute from what is held.  0: out of memory. */
int scant_held_limits(const scant_held *held, size_t dimension, double clip, double *low, double *high);

/* What a checkpoint holds of it.  SCANT_DATA if it is not of `told` examples, in `blocks` if these have several (else
 * 0). */
void scant_held_save(const scant_held *held, scant_json_writer *out);
scant_status scant_held_restore(scant_held *held, uint64_t told, uint64_t blocks, size_t dimension,
                                const scant_json *json, size_t node, scant_error *error);

void scant_held_free(scant_held *held); /* it is empty then */

#endif
