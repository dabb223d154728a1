/* What was seen of the variables of a joint distribution: the purchases for the statistics.  Variables are the
 * attributes that are worth modelling (frame.h), and the target is the last. */
#ifndef SCANT_DENSE_GAUSSIAN_SEEN_H
#define SCANT_DENSE_GAUSSIAN_SEEN_H

#include <stddef.h>
#include <stdint.h>

#include "arrays.h"
#include "gaussian/frame.h"

/* Examples that are worked on together: of one size, or (alike) of which the same variables were seen. */
typedef struct scant_batch {
  uint32_t start, count; /* in `order` */
  int alike;
  const double *sums; /* of blocks that are alike: what they were reduced to (below); else NULL */
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
  scant_arrays arrays;
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

/* ---- many examples of which the same was seen, reduced once for all steps of an EM -----------------
 *
 * An expectation step needs of them their number n, their mean m and T, the sum of their squared deviations from it:
 * with A = S_oo^-1 and a = A (m - mu), they add n A - A T A - n a a' to M and n a to g.  T is kept as L with T = L L',
 * from a QR of the deviations: squares would lose half of the digits.  Where they are fewer than the variables, L is
 * the deviations themselves.  A step then costs O(|o|^3), however many they are. */

static inline const double *scant_batch_mean(const scant_batch *batch) {
  return batch->sums;
}

/* How many columns L has. */
static inline size_t scant_batch_columns(const scant_batch *batch, size_t size) {
  return batch->count < size ? batch->count : size;
}

/* L by columns, each of `size`. */
static inline const double *scant_batch_root(const scant_batch *batch, size_t size) {
  return batch->sums + size;
}

#endif
