/* What moments keeps of its purchases: sums over pairs of attributes, and which attributes have shown themselves. */
#ifndef SCANT_DENSE_MOMENTS_PAIRS_H
#define SCANT_DENSE_MOMENTS_PAIRS_H

#include "scant.h"

/* For every pair i, j (and for i alone) over the examples where both are known: how many, the sum of x_i, the sum of
 * x_i x_j; with the target, which is always known: the sums of y and x_i y where i is known.  Values are taken about a
 * reference point, so that columns far from 0 lose nothing; sums about another one follow by algebra, and sums of two
 * machines add.
 *
 * Memory: a square of doubles, a triangle of doubles and one of 32-bit counts, 14 d^2 bytes and O(d). */
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

/* The reference point: the first values seen. */
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

/* Adds an example: `count` known attributes with their values and the target, about the reference point.  O(count^2).
 */
void scant_pairs_add(scant_pairs *pairs, size_t count, const uint32_t *attributes, const double *x, double y);

/* The sums about another reference point: of x - to, where they were of x - from.  dx[i] = from_i - to_i.  O(d^2). */
void scant_pairs_shift(scant_pairs *pairs, const double *dx, double dy);

/* Says that there are more examples than the counts hold, and what to do; SCANT_DATA. */
scant_status scant_pairs_fail_count(scant_error *error);

/* Adds sums about the same reference point.  The examples of both must not be more than UINT32_MAX, so that no count
 * overflows. */
void scant_pairs_merge(scant_pairs *pairs, const scant_pairs *other);

/* ---- which attributes have shown themselves: at least four of their values were not the most common one ----
 *
 * An attribute that was off its common value once or twice has not shown how far off it can be: a pixel that was 1/255
 * twice would get a weight that ruins the predictions where it is 1.  The first four distinct values of an attribute
 * are counted; a fifth settles it.  So those of several machines add up exactly. */

enum { SCANT_SHOWN_VALUES = 4, SCANT_SHOWN_FEWEST = 4 };

/* A first count that says that the attribute is known. */
#define SCANT_SHOWN_KNOWN UINT32_MAX

typedef struct scant_shown {
  double *value;   /* SCANT_SHOWN_VALUES per attribute, in the order they came */
  uint32_t *count; /* of each; 0 past the last */
} scant_shown;

int scant_shown_new(scant_shown *shown, size_t dimension); /* 0: out of memory */
void scant_shown_free(scant_shown *shown);

/* A value that came `times` times, one at least. */
void scant_shown_add(scant_shown *shown, size_t attribute, double value, uint32_t times);
void scant_shown_merge(scant_shown *shown, const scant_shown *other, size_t attribute);

static inline int scant_shown_is_known(const scant_shown *shown, size_t attribute) {
  return shown->count[SCANT_SHOWN_VALUES * attribute] == SCANT_SHOWN_KNOWN;
}

/* Can it have come from `values` values of the attribute? */
int scant_shown_is_possible(const scant_shown *shown, size_t attribute, uint64_t values);

#endif
