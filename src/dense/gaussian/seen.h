/* What was seen of the variables of a joint distribution: the purchases for the statistics.  Variables are the
 * attributes that are worth modelling (frame.h), and the target is the last. */
#ifndef SCANT_DENSE_GAUSSIAN_SEEN_H
#define SCANT_DENSE_GAUSSIAN_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "dense/gaussian/frame.h"

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

/* All examples (parts = 0), or those e with e % parts == part.  0: out of
 * memory. */
int scant_seen_new(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part);
/* All examples, those e with e % parts == part so many times: 0 or 2. */
int scant_seen_times(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part,
                     size_t times);
void scant_seen_free(scant_seen *seen);

/* The most variables of an example in a block, and in a batch of examples that are alike. */
void scant_seen_largest(const scant_seen *seen, size_t *block, size_t *alike);

#endif
