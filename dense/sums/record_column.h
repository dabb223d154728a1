/* What a record says of one column of its block: passes over values, of which NaN are missing. */
#ifndef SCANT_DENSE_SUMS_RECORD_COLUMN_H
#define SCANT_DENSE_SUMS_RECORD_COLUMN_H

#include "sums/record.h"

void scant_column_count(const double *x, size_t rows, size_t *missing, size_t *infinite);

void scant_column_show(const double *x, size_t rows, scant_shown_values *shown);

/* The mean of n values, those of these rows (NULL: the first n), all known.  It is taken about the first of them, so
 * that of a constant it is exact. */
double scant_column_mean(const double *x, const uint32_t *row, size_t n);
/* The same of the `known` values among all rows; at least one. */
double scant_column_mean_known(const double *x, size_t rows, size_t known);

#endif
