/* BLAS, as engines and references use it: its memory, its threads, and jobs that call it.
 *
 * OpenBLAS maps a buffer for every thread that calls it, at its first call, and without memory it tries for ever or
 * ends the process.  So we test that there is room for the buffers and make it map them; where it hides how, we only
 * test. Buffers stay mapped and are used again.
 *
 * The number of its threads belongs to the whole process.  While engines work it is one, since the order of additions
 * depends on it; afterwards it is what it was. */
#ifndef SCANT_DENSE_BLAS_H
#define SCANT_DENSE_BLAS_H

#include "scant_full.h"

/* LAPACK counts with 32 bits, and its room is 2 d^2 and more. */
enum { SCANT_LAPACK_MOST = 32000 };

/* Makes OpenBLAS use one thread until restore was called as often as calm. */
void scant_blas_calm(void);
void scant_blas_restore(void);

/* Before the work of an engine on up to `threads` threads, and after it: buffers for so many callers at once, and calm.
 * SCANT_MEMORY if there is no room for them; then nothing is to be ended.  Any thread may call these. */
scant_status scant_blas_begin(uint64_t threads, scant_error *error);
void scant_blas_end(uint64_t threads);

#endif
