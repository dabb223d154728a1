/* Weighted drawing from weights that stay as they are: Walker's alias table, in
 * whole numbers.
 *
 * The weights are rounded to n 2^32 units in all, at least one for each that is
 * positive.  Column c of n holds 2^32 units: `limit` of outcome c and the others
 * of one other outcome.  So `probability` is that of a draw exactly, not up to
 * rounding, and may be divided by.  build: O(n); draw: O(1), one word.
 */
#ifndef SCANT_SAMPLE_ALIAS_H
#define SCANT_SAMPLE_ALIAS_H

#include "core/rng.h"

typedef struct scant_column {
  double probability; /* of outcome c */
  uint32_t limit;     /* below it outcome c, from it on `other` */
  uint32_t other;
} scant_column;

typedef struct scant_alias {
  size_t count;
  scant_column *column;
  uint64_t *units; /* scratch */
  uint32_t *stack;
} scant_alias;

/* Room for `most` outcomes.  Returns 0 if memory is short. */
int scant_alias_new(scant_alias *alias, size_t most);
void scant_alias_free(scant_alias *alias);

/* Outcomes 0 .. count - 1, whose weights are in column[].probability: finite,
 * none negative, one positive.  They are replaced by the probabilities. */
void scant_alias_build(scant_alias *alias, size_t count);

size_t scant_alias_script(const scant_alias *alias, scant_rng *rng);

static inline uint32_t scant_alias_draw(const scant_alias *alias, scant_rng *rng) {
  if (rng->script) return (uint32_t)scant_alias_script(alias, rng);
  uint64_t word, product;
  do {
    word = scant_rng_next(rng);
    product = (word >> 32) * alias->count;
  } while (scant_rng_is_uneven(product, (uint32_t)alias->count));
  const scant_column *column = &alias->column[product >> 32];
  return (uint32_t)word < column->limit ? (uint32_t)(product >> 32) : column->other;
}

/* Several draws at once. */
void scant_alias_fill(const scant_alias *alias, scant_rng *rng, size_t count, uint32_t *draws);

#endif
