/* The examples of a pilot, their Gaussian, and how strong a relation they show. */
#ifndef SCANT_PLAN_PILOT_H
#define SCANT_PLAN_PILOT_H

#include "joint/joint.h"
#include "plan/plan.h"

/* Read once; NaN: no value. */
typedef struct scant_pilot {
  size_t rows, dimension;
  double *x, *y;
} scant_pilot;

/* Zeros. */
scant_status scant_pilot_new(scant_pilot *pilot, size_t rows, size_t dimension, scant_error *error);
void scant_pilot_free(scant_pilot *pilot);

/* Their Gaussian, by the algorithm gaussian with the runtime of `given`.  *model stays NULL if their targets do not
 * vary. */
scant_status scant_pilot_fit(const scant_pilot *pilot, const scant_settings *given, scant_model **model,
                             scant_learner_facts *facts, scant_error *error);

/* The covariances with the target of the attributes that the Gaussian knows: its own, or those of the examples where it
 * has none, since its regressor is no better than the mean. */
void scant_pilot_cross(const scant_pilot *pilot, const scant_gaussian *gaussian, double *cross);

/* strength.c: what the attributes explain of the target, at a number of standard errors from the best guess. */
typedef struct scant_strength {
  double shown, error;           /* R^2 by held-out halves, and its standard error */
  double weight;                 /* of what is simulated */
  size_t count;                  /* of the numbers below; 0: what is shown is taken as it is */
  double truth[8], simulated[8]; /* ascending: what pilots from worlds of this strength show on average */
} scant_strength;

/* `whole` and `facts` are of scant_pilot_fit. */
scant_status scant_strength_find(scant_strength *strength, const scant_plan *plan, const scant_pilot *pilot,
                                 const scant_model *whole, const scant_learner_facts *facts,
                                 const scant_settings *given, scant_error *error);
double scant_strength_at(const scant_strength *strength, double deviations);

#define SCANT_STRENGTH_LEAST 0.05
#define SCANT_STRENGTH_MOST 0.98

#endif
