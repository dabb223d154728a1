/* Loops over eight numbers at a time: see scant_engine.h. */
#ifndef SCANT_CORE_LANES_H
#define SCANT_CORE_LANES_H

#include "scant_engine.h"

/* The sum of a_i, and the largest |a_i| (NaN if one is NaN). */
double scant_lanes_sum(size_t count, const double *a);
double scant_lanes_largest(size_t count, const double *a);
/* a_i becomes factor a_i. */
void scant_lanes_scale(size_t count, double *a, double factor);
/* Is every |a_i| <= most?  No if one is NaN. */
int scant_lanes_within(size_t count, const double *a, double most);

#endif
