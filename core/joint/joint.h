/* The joint Gaussian of attributes and target, as a model keeps it.
 *
 * Variables are the attributes that it knows, in ascending order, and the
 * target as the last; a place is a variable's number.
 */
#ifndef SCANT_JOINT_JOINT_H
#define SCANT_JOINT_JOINT_H

#include "scant_base.h"
#include "scant_json.h"
#include "scant.h"

/* A variable of which less than this share of its variance is left, given others,
 * follows from them but for rounding. */
#define SCANT_GAUSSIAN_DEPENDENT 1e-10

typedef struct scant_gaussian {
  size_t count;         /* attributes it knows; those that never varied are left out */
  uint32_t *attributes; /* ascending */
  double *mean;         /* count + 1, the target's last; in original units, of log(1 + y) under log-target */
  double *covariance;   /* lower triangle by rows, (count + 1)(count + 2)/2, target last; may be singular */
  double excess;        /* how far predictions err beyond the model's own variance, per unit of variance explained */
  int two_valued;       /* the target is of two values, */
  double values[2];     /* ascending, in units of its mean */
  size_t quantile_count;
  /* Of standardised residuals, or of the probability that the value which came was
   * given if there are two, at (i + 1/2)/quantile_count, ascending; none: the
   * normal's, or as if all probabilities were right. */
  double *quantiles;
  /* The part of the target's variance that the looks behind the table left, on average.  Where less is known
   * of an example than that, a table of probabilities does not apply. */
  double quantile_variance;
} scant_gaussian;

/* Zeros, to be filled in.  O(count^2) memory. */
SCANT_API scant_status scant_gaussian_new(scant_gaussian **gaussian, size_t count, size_t quantile_count,
                                             scant_error *error);
void scant_gaussian_free(scant_gaussian *gaussian);

/* Notes whether the targets, at least one, have two values: there is no third, and classes were `declared` or
 * there are enough targets to tell, twenty in all and five of each.  The two values may be any numbers. */
SCANT_API void scant_gaussian_note_values(scant_gaussian *gaussian, const double *y, size_t count, int declared);

/* Of two places. */
static inline double scant_gaussian_covariance(const scant_gaussian *g, size_t i, size_t j) {
  return i < j ? g->covariance[j * (j + 1) / 2 + i] : g->covariance[i * (i + 1) / 2 + j];
}

/* Cholesky of the correlations of the first `count` variables, row after row, packed.  A variable that follows from those
 * before it gets no column.  Returns the least share of a variance that was left: below 0, but for rounding, if they
 * can't be correlations; NaN if they are not numbers.  O(count^3). */
double scant_gaussian_factorise(const scant_gaussian *gaussian, size_t count, double *factor);

/* SCANT_DATA with a sentence unless it can be the Gaussian of a model with
 * `dimension` attributes: sizes, order, finite numbers, and a covariance without
 * negative directions.  O(count^3). */
scant_status scant_gaussian_check(const scant_gaussian *gaussian, size_t dimension, scant_error *error);

/* The member "gaussian" of a model file. */
void scant_gaussian_save(const scant_gaussian *gaussian, scant_json_writer *out);
/* NULL if there is none; checked. */
scant_status scant_gaussian_load(scant_gaussian **gaussian, const scant_json *json, size_t dimension,
                                 scant_error *error);

#endif
