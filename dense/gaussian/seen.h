/* What was seen of the variables of a joint distribution: the purchases for the statistics.  Variables are the
 * attributes that are worth modelling (frame.h), and the target is the last. */
#ifndef SCANT_DENSE_GAUSSIAN_SEEN_H
#define SCANT_DENSE_GAUSSIAN_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "gaussian/frame.h"

/* Examples that are worked on together: of one size, or (alike) of which the
 * same variables were seen. */
typedef struct scant_batch {
  uint32_t start, count; /* in `order` */
  int alike;
  const double *sums; /* of blocks that are alike: what they were reduced to (reduce.h); else NULL */
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
  size_t most;     /* seen of an example */
  uint32_t *block; /* of each example, never falling; NULL: each is a block of its own */
  size_t blocks;   /* that have examples here */
  double *sums;    /* of batches; with blocks alone */
} scant_seen;

static inline size_t scant_seen_size(const scant_seen *seen, size_t example) {
  return seen->first[example + 1] - seen->first[example];
}

static inline size_t scant_seen_block(const scant_seen *seen, size_t example) {
  return seen->block ? seen->block[example] : example;
}

/* All examples (parts = 0), or those of blocks b with b % parts == part: an example without blocks is one.  0: out of
 * memory. */
int scant_seen_new(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part);
/* All examples, those of blocks b with b % parts == part so many times: 0 or 2. */
int scant_seen_times(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part,
                     size_t times);
void scant_seen_free(scant_seen *seen);

/* The bytes that sums of blocks take: so many examples with so many variables each. */
double scant_seen_sums_bytes(double examples, double rows_per_block, double variables);

/* Eight small matrices are worked on side by side (block.h), up to this size. */
enum { SCANT_SIDE_LARGEST = 96 };

/* The most variables of an example that is worked on beside others, and in a batch of examples that are alike. */
void scant_seen_largest(const scant_seen *seen, size_t *beside, size_t *alike);

#endif
