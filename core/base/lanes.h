/* Eight numbers at a time.
 *
 * Sums over eight lanes have one order, whatever the width of the machine's
 * vectors, so the bits are the same everywhere.  Functions marked SCANT_WIDEST
 * are compiled for several widths, and the widest that the machine has is chosen
 * when the program starts.
 */
#ifndef SCANT_CORE_LANES_H
#define SCANT_CORE_LANES_H

#include <stddef.h>

enum { SCANT_LANES = 8 };

typedef double scant_lanes __attribute__((vector_size(8 * sizeof(double))));
/* The same at any address. */
typedef double scant_loose_lanes __attribute__((vector_size(8 * sizeof(double)), aligned(8), may_alias));

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__) && __GNUC__ >= 12
#define SCANT_WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SCANT_WIDEST
#endif

/* Always inlined into the function of each width: a plain inline function might be compiled once, for the
 * narrow width. */
#define SCANT_INLINE static inline __attribute__((always_inline))

/* The sum of the lanes, added in pairs. */
SCANT_INLINE double scant_lanes_fold(const scant_lanes *lanes) {
  const scant_lanes v = *lanes;
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* The sum of a_i b_i, that of a_i, and the largest |a_i| (NaN if one is NaN). */
double scant_lanes_dot(size_t count, const double *a, const double *b);
double scant_lanes_sum(size_t count, const double *a);
double scant_lanes_largest(size_t count, const double *a);
/* a_i becomes factor a_i. */
void scant_lanes_scale(size_t count, double *a, double factor);
/* Is every |a_i| <= most?  No if one is NaN. */
int scant_lanes_within(size_t count, const double *a, double most);

/* sinh and cosh of each; |x| up to 700; cosh may be NULL, and sinh may be x.  Made of additions, multiplications,
 * divisions and shifts of bits alone, so that the bits are the same on every machine and with every C library; within 2
 * units in the last place (core/tests/base/lanes_test.c). */
void scant_hyperbolic(size_t count, const double *x, double *sinh, double *cosh);

#endif
