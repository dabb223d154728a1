/* The distribution of a Gaussian's target once some attributes are known.
 *
 * It is a partial Cholesky factor that grows by one attribute at a time.  An attribute's innovation is the part that
 * does not follow from those before it, scaled to variance 1; column t holds the covariances of all variables with the
 * t-th innovation.  So, with o the attributes of the columns,
 *
 *   E[y | o] = mu_y + sum over t of column_t[y] innovation_t
 *   var(j | o) = S_jj - sum of column_t[j]^2
 *   cov(j, y | o) = S_jy - sum of column_t[j] column_t[y]
 *
 * Columns do not depend on values: one factor serves all examples of which the same attributes are known.
 */
#ifndef SCANT_JOINT_CONDITIONAL_H
#define SCANT_JOINT_CONDITIONAL_H

#include "joint/joint.h"

typedef struct scant_conditional {
  const scant_gaussian *gaussian;
  size_t variables; /* attributes and target: the target's place is the last */
  size_t depth;     /* columns */
  size_t capacity;
  double *columns;    /* `variables` numbers each */
  uint32_t *order;    /* whose innovation each is, as a place */
  double *variance;   /* of each variable, given those of the columns */
  double *covariance; /* of each variable with the target, given the same */
} scant_conditional;

/* Nothing is known yet.  The Gaussian must outlive it.  O(count). */
scant_status scant_conditional_init(scant_conditional *conditional, const scant_gaussian *gaussian, scant_error *error);
void scant_conditional_free(scant_conditional *conditional);

static inline const double *scant_conditional_column(const scant_conditional *c, size_t t) {
  return c->columns + t * c->variables;
}

/* Has the attribute at this place a variance of its own left, so that it can be added? */
int scant_conditional_varies(const scant_conditional *conditional, size_t place);

/* The attribute at `place`, which varies, becomes known.  O(count * depth); SCANT_MEMORY changes nothing. */
scant_status scant_conditional_add(scant_conditional *conditional, size_t place, scant_error *error);

/* Forgets all but the first `depth` columns, to the bits that there were then.  O(count * depth). */
void scant_conditional_rewind(scant_conditional *conditional, size_t depth);

/* The value of the innovation of column t, given x of its attribute and the innovations before it.  O(t). */
double scant_conditional_innovation(const scant_conditional *conditional, size_t t, double x,
                                    const double *innovations);

/* Weights such that E[y | o] = mu_y + sum over t of weights[t] (x_t - mu_t), x_t being the attribute of column t.
 * O(depth^2). */
void scant_conditional_weights(const scant_conditional *conditional, double *weights);

/* Covariance of two places, given those of the columns.  O(depth). */
double scant_conditional_covariance(const scant_conditional *conditional, size_t i, size_t j);

/* Conditional means of whole examples, from the cells that have a value.  The weights of the last few patterns of known
 * attributes are kept: examples without holes, or with the same ones, cost O(count) each. */
typedef struct scant_known scant_known;

/* The Gaussian must outlive it. */
scant_status scant_known_new(scant_known **known, const scant_gaussian *gaussian, scant_error *error);
void scant_known_free(scant_known *known);

/* Has an attribute that the Gaussian knows no value in x?  O(count). */
int scant_known_has_holes(const scant_known *known, const double *x);

/* Mean and variance of the target as it was learned, given those of the model's attributes x that are not NaN.
 * O(count), and O(count^3 / 2) for a pattern that is not among the last ones; SCANT_MEMORY changes nothing. */
scant_status scant_known_expect(scant_known *known, const double *x, double *mean, double *variance,
                                scant_error *error);

#endif
