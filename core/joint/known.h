/* Conditional means of whole examples, from the cells that have a value.
 *
 * The weights of the last few patterns of known attributes are kept: examples
 * without holes, or with the same ones, cost O(count) each.
 */
#ifndef SCANT_JOINT_KNOWN_H
#define SCANT_JOINT_KNOWN_H

#include "joint/joint.h"

typedef struct scant_known scant_known;

/* The Gaussian must outlive it. */
scant_status scant_known_new(scant_known **known, const scant_gaussian *gaussian, scant_error *error);
void scant_known_free(scant_known *known);

/* Has an attribute that the Gaussian knows no value in x?  O(count). */
int scant_known_has_holes(const scant_known *known, const double *x);

/* Mean and variance of the target as it was learned, given the values of x, one
 * for each attribute of the model, that are not NaN.  O(count), and
 * O(count^3 / 2) for a pattern that is not among the last ones; SCANT_MEMORY
 * changes nothing. */
scant_status scant_known_expect(scant_known *known, const double *x, double *mean, double *variance,
                                scant_error *error);

#endif
