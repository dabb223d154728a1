/* Weighted drawing from weights that stay: the inverse of their cumulated sum, found through a table of guides.
 *
 * The outcome of a random word is the first whose `end` is larger.  Ends are in units of 2^-63, and a positive weight
 * has at least one unit.  So `probability` is exactly that of a draw, not up to rounding, and may be divided by.
 * Weights that differ by rounding draw the same outcome for nearly every word.  build: O(n); draw: O(1).
 */
#ifndef SCANT_SAMPLE_INVERSE_H
#define SCANT_SAMPLE_INVERSE_H

#include "base/rng.h"

typedef struct scant_inverse {
  size_t count;
  double *probability;
  uint64_t *end;
  uint32_t *guide; /* for each stretch of words, the outcome that its first word falls into */
  unsigned shift;  /* a stretch has 2^shift words */
} scant_inverse;

/* Room for `most` outcomes, fewer than 2^31.  Returns 0 if memory is short. */
int scant_inverse_new(scant_inverse *inverse, size_t most);
void scant_inverse_free(scant_inverse *inverse);

/* Outcomes 0 .. count - 1, whose weights are in `probability`: none negative, their sum positive and finite.  They are
 * replaced by the probabilities. */
void scant_inverse_build(scant_inverse *inverse, size_t count);

/* Several draws at once. */
void scant_inverse_fill(const scant_inverse *inverse, scant_rng *rng, size_t count, uint32_t *draws);

#endif
