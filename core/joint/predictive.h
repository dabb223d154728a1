/* From the mean and variance of the target to a prediction with an interval. */
#ifndef SCANT_JOINT_PREDICTIVE_H
#define SCANT_JOINT_PREDICTIVE_H

#include "base/shared.h"
#include "joint/joint.h"

/* z with P(Z <= z) = p of a standard normal Z, to 1e-14 of z or 1e-15; p is in (0, 1). */
double scant_normal_quantile(double p);

/* Quantile of the standardised residuals: linear between the numbers of the
 * table; beyond its ends the normal's tail, scaled to continue it (or the last
 * number, where that has the wrong sign); the normal's if the table is empty. */
double scant_gaussian_quantile(const scant_gaussian *gaussian, double p);

/* The prediction as it was learned (of log(1 + y) under log-target), from the
 * linear conditional mean and the conditional variance.  Ends are NaN unless
 * 0 < level < 1. */
SCANT_SHARED void scant_gaussian_predict(const scant_gaussian *gaussian, double mean, double variance, double level,
                                         scant_prediction *prediction);

/* The probability of the upper value of a target of two values, from the same. */
double scant_gaussian_probability(const scant_gaussian *gaussian, double mean, double variance);

/* What a purchase that lowers the variance by `lowers` is expected to make of a prediction. */
typedef struct scant_expected {
  double variance, width, sure, moves; /* as of scant_offer */
} scant_expected;
scant_expected scant_gaussian_foresee(const scant_gaussian *gaussian, double mean, double variance, double lowers,
                                      double level, int log_target);

/* Makes a prediction of y from one of log(1 + y); the variance stays. */
void scant_prediction_unlog(scant_prediction *prediction);

#endif
