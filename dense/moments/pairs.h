/* Sums over pairs of attributes that were bought together.
 *
 * For every pair i, j (and for i alone) over the examples where both are known:
 * how many, the sum of x_i, the sum of x_i x_j; with the target, which is always
 * known: the sums of y and x_i y where i is known.  Values are taken about a
 * reference point, so that columns far from 0 lose nothing; sums about another one
 * follow by algebra, and sums of two machines add.
 *
 * Memory: a square of doubles, a triangle of doubles and one of 32-bit counts,
 * 14 d^2 bytes and O(d).
 */
#ifndef SCANT_DENSE_MOMENTS_PAIRS_H
#define SCANT_DENSE_MOMENTS_PAIRS_H

#include "scant.h"

typedef struct scant_pairs {
  size_t d;
  uint64_t examples;
  double y, yy;      /* sums of y and y^2 */
  uint32_t *count;   /* triangle, at scant_pairs_at(i, j): examples with i and j */
  double *product;   /* triangle: sum of x_i x_j */
  double *sum;       /* square, at i * d + j: sum of x_i where j is known too */
  double *y_sum;     /* sum of y where i is known */
  double *y_product; /* sum of x_i y */
} scant_pairs;

/* About what values are taken: the first ones seen. */
typedef struct scant_origin {
  double *x;
  unsigned char *known; /* has the attribute a value yet? */
  double y;
  int y_known;
} scant_origin;

/* Place of a pair in a triangle. */
static inline size_t scant_pairs_at(size_t i, size_t j) {
  return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

static inline size_t scant_pairs_triangle(size_t d) {
  return d * (d + 1) / 2;
}

/* Bytes of one, and the room of its arrays; 0: out of memory. */
double scant_pairs_bytes(size_t d);
int scant_pairs_new(scant_pairs *pairs, size_t d);
void scant_pairs_free(scant_pairs *pairs);
/* Of no examples, with the same room. */
void scant_pairs_clear(scant_pairs *pairs);

/* One example: `count` known attributes with their values and the target, all
 * about the reference point.  O(count^2). */
void scant_pairs_add(scant_pairs *pairs, size_t count, const uint32_t *attributes, const double *x, double y);

/* The sums about another reference point: of x - to, where they were of x - from.
 * dx[i] = from_i - to_i.  O(d^2). */
void scant_pairs_shift(scant_pairs *pairs, const double *dx, double dy);

/* Says that there are more examples than the counts hold, and what to do; SCANT_DATA. */
scant_status scant_pairs_fail_count(scant_error *error);

/* Adds sums about the same reference point.  0, and nothing is changed, if a count
 * would be too large. */
int scant_pairs_merge(scant_pairs *pairs, const scant_pairs *other);

#endif
