/* The joint Gaussian of a model (scant_engine.h): its checks, its part of a file, and predictions. */
#ifndef SCANT_JOINT_JOINT_H
#define SCANT_JOINT_JOINT_H

#include "scant_engine.h"

/* A variable with less than this share of its variance left, given others, follows from them but for rounding. */
#define SCANT_GAUSSIAN_DEPENDENT 1e-10

/* Of two places. */
static inline double scant_gaussian_covariance(const scant_gaussian *g, size_t i, size_t j) {
  return i < j ? g->covariance[j * (j + 1) / 2 + i] : g->covariance[i * (i + 1) / 2 + j];
}

/* Cholesky of the correlations of the first `count` variables, row after row, packed.  A variable that follows from
 * those before it gets no column.  Returns the least share of a variance that was left: below 0, but for rounding, if
 * they can't be correlations; NaN if they are not numbers.  O(count^3). */
double scant_gaussian_factorise(const scant_gaussian *gaussian, size_t count, double *factor);

/* SCANT_DATA with a sentence unless it can be the Gaussian of a model with `dimension` attributes: sizes, order, finite
 * numbers, and a covariance without negative directions.  O(count^3). */
scant_status scant_gaussian_check(const scant_gaussian *gaussian, size_t dimension, scant_error *error);

/* The member "gaussian" of a model file. */
void scant_gaussian_save(const scant_gaussian *gaussian, scant_json_writer *out);
/* NULL if there is none; checked. */
scant_status scant_gaussian_load(scant_gaussian **gaussian, const scant_json *json, size_t dimension,
                                 scant_error *error);

/* ---- from the mean and variance of the target to a prediction with an interval ---- */

/* z with P(Z <= z) = p of a standard normal Z, to 1e-14 of z or 1e-15; p is in (0, 1). */
double scant_normal_quantile(double p);

/* Quantile of the standardised residuals: linear between the numbers of the table; beyond its ends the normal's tail,
 * scaled to continue it (or the last number, where that has the wrong sign); the normal's if the table is empty. */
double scant_gaussian_quantile(const scant_gaussian *gaussian, double p);

/* The probability of the upper value of a target of two values, from what scant_gaussian_predict takes. */
double scant_gaussian_probability(const scant_gaussian *gaussian, double mean, double variance);

/* Replaces the offer's `variance`, by which it lowers the prediction's, by the expected results of the purchase. */
void scant_gaussian_foresee(const scant_gaussian *gaussian, double mean, double variance, double level, int log_target,
                            scant_offer *offer);

/* Makes a prediction of y from one of log(1 + y); the variance stays. */
void scant_prediction_unlog(scant_prediction *prediction);

#endif
