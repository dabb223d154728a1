/* Tables of numbers, before they are solved. */
#ifndef SCANT_DENSE_FULL_TABLE_H
#define SCANT_DENSE_FULL_TABLE_H

#include "scant_full.h"

/* Refuses n = 0, d = 0, sizes beyond LAPACK's integers and numbers that are
 * not finite, naming the place.  O(nd). */
scant_status scant_dense_check(const scant_dense *problem, scant_error *error);

/* Replaces every NaN by the mean of its column's known values, in place, and returns the means; a column
 * without any value becomes 0. */
void scant_dense_impute(size_t n, size_t d, double *x, double *mean);

#endif
