/* What sums keep of one block: one piece of memory, never changed once it is made.
 *
 * Examples that show the same attributes make a pattern: how many, their mean, and their scatter about it.  A block has
 * one pattern, or as many as there are patterns of missing values, up to SCANT_PATTERNS_MOST.  If there are more, the
 * record has the sums over pairs of attributes that are known together (available cases), and one pattern that is made
 * of them, as if all rows had shown what some have: scatter_ij times n / n_ij, made positive semidefinite. */
#ifndef SCANT_DENSE_SUMS_RECORD_H
#define SCANT_DENSE_SUMS_RECORD_H

#include "moments/pairs.h"
#include "scant_engine.h"
#include "scant_sums.h"

enum { SCANT_PATTERNS_MOST = 8 };

typedef struct scant_pattern {
  uint64_t rows;
  uint32_t seen;
  uint32_t *place; /* of what was seen among the attributes of the record; ascending */
  double *mean;    /* of each, and of the target at the end */
  double *scatter; /* of the same: lower triangle, as in pairs.h */
} scant_pattern;

/* Of all values that are known of an attribute, or of the target; see scant_marginal. */
typedef struct scant_shown_values {
  uint64_t known, active;
  double low, high, common;
} scant_shown_values;

typedef struct scant_record {
  uint64_t block, rows;
  uint32_t count, patterns;
  uint32_t *attributes;       /* ascending */
  scant_shown_values *values; /* of each, and of the target at the end */
  scant_limits *limits;       /* of each attribute; NULL: values were clipped */
  scant_pattern pattern[SCANT_PATTERNS_MOST];
  /* Available cases of the attributes and the target (always known), about the means of the pattern: NULL if there are
   * none. In a triangle: rows where both are known, sum of products.  In a square, i * (count + 1) + j: sum of i where
   * j is known. */
  uint32_t *together;
  double *product, *sum;
  void *data; /* where all of these are */
  size_t bytes;
} scant_record;

typedef struct scant_record_shape {
  uint32_t count, patterns;
  uint32_t seen[SCANT_PATTERNS_MOST];
  int limited;
  uint32_t available;
} scant_record_shape;

/* A record whose arrays have only zeros; NULL: out of memory. */
scant_record *scant_record_new(const scant_record_shape *shape);
scant_record_shape scant_record_shape_of(const scant_record *record);
scant_record *scant_record_copy(const scant_record *record); /* NULL: out of memory */
void scant_record_free(scant_record *record);
int scant_record_equal(const scant_record *a, const scant_record *b); /* to the bit */

/* The block as scant_sums_add is given it, with everything but the block's number checked. */
typedef struct scant_block_values {
  size_t dimension, rows, count;
  const uint32_t *attributes;
  const double *values, *y, *low, *high;
} scant_block_values;

/* To be called between scant_blas_begin and scant_blas_end.  SCANT_DATA: a value is infinite or y is not finite;
 * SCANT_MISUSE: an attribute is not there, or there twice. */
scant_status scant_record_make(scant_record **record, uint64_t block, const scant_block_values *given,
                               scant_error *error);

/* The mean of an attribute (or the target: place count) over the rows where it is known, and the spread about it. */
scant_moments scant_record_moments(const scant_record *record, size_t place);

/* ---- one column of a block: passes over values, of which NaN are missing ----------------------- */

void scant_column_count(const double *x, size_t rows, size_t *missing, size_t *infinite);

void scant_column_show(const double *x, size_t rows, scant_shown_values *shown);

/* The mean of n values, those of these rows (NULL: the first n), all known.  It is taken about the first of them, so
 * that of a constant it is exact. */
double scant_column_mean(const double *x, const uint32_t *row, size_t n);
/* Of the `known` values among all rows, at least one. */
double scant_column_mean_known(const double *x, size_t rows, size_t known);

#endif
