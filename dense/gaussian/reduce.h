/* Many examples of which the same was seen, reduced once for all steps of an EM.
 *
 * An expectation step needs of them their number n, their mean m and T, the sum of their squared deviations from it:
 * with A = S_oo^-1 and a = A (m - mu), they add n A - A T A - n a a' to M and n a to g.  T is kept as L with T = L L',
 * from a QR of the deviations: squares would lose half of the digits.  Where they are fewer than the variables, L is
 * the deviations themselves.  A step then costs O(|o|^3), however many they are.
 */
#ifndef SCANT_DENSE_GAUSSIAN_REDUCE_H
#define SCANT_DENSE_GAUSSIAN_REDUCE_H

#include "gaussian/seen.h"

/* Gives sums to the batches of examples that are alike.  0: out of memory. */
int scant_seen_reduce(scant_seen *seen);

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
