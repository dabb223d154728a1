/* The joint Gaussian of a model (scant_engine.h): its checks, and its part of a file. */
#ifndef SCANT_JOINT_JOINT_H
#define SCANT_JOINT_JOINT_H

#include "scant_engine.h"

/* A variable of which less than this share of its variance is left, given others,
 * follows from them but for rounding. */
#define SCANT_GAUSSIAN_DEPENDENT 1e-10

/* Of two places. */
static inline double scant_gaussian_covariance(const scant_gaussian *g, size_t i, size_t j) {
  return i < j ? g->covariance[j * (j + 1) / 2 + i] : g->covariance[i * (i + 1) / 2 + j];
}

/* Cholesky of the correlations of the first `count` variables, row after row, packed.  A variable that follows from
 * those before it gets no column.  Returns the least share of a variance that was left: below 0, but for rounding, if
 * they can't be correlations; NaN if they are not numbers.  O(count^3). */
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
