/* How often two attributes were seen in the same example, counted up to SCANT_PAIR_FEWEST. */
#ifndef SCANT_MODEL_PAIR_COUNTS_H
#define SCANT_MODEL_PAIR_COUNTS_H

#include "base/shared.h"
#include "scant.h"

typedef struct scant_pair_counts {
  size_t dimension;
  unsigned char *count; /* of each pair, the lower triangle by rows; NULL: there are too many to count */
  double seen;          /* pairs in all examples together */
} scant_pair_counts;

SCANT_SHARED int scant_pair_counts_new(scant_pair_counts *counts, size_t dimension); /* 0: out of memory */
SCANT_SHARED void scant_pair_counts_free(scant_pair_counts *counts);

/* Adds an example; a value that is NaN was not seen.  O(seen^2). */
SCANT_SHARED void scant_pair_counts_add(scant_pair_counts *counts, size_t seen, const uint32_t *attributes,
                                        const double *values);

/* Puts into the errors of a model how many pairs they concern: those of two attributes with a weight, one of them
 * unpenalised if any is.  O(d^2). */
SCANT_SHARED void scant_pair_counts_finish(const scant_pair_counts *counts, scant_model *model);

#endif
