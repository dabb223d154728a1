/* sinh and cosh of many numbers at once.
 *
 * Made of additions, multiplications, divisions and shifts of bits alone, so that
 * the bits are the same on every machine and with every C library; within 2 units
 * in the last place (core/tests/base/lanes_test.c).
 */
#ifndef SCANT_CORE_HYPERBOLIC_H
#define SCANT_CORE_HYPERBOLIC_H

#include <stddef.h>

/* |x| up to 700; cosh may be NULL, and sinh may be x. */
void scant_hyperbolic(size_t count, const double *x, double *sinh, double *cosh);

#endif
