/* BLAS, as engines and references use it: its memory, its threads, and jobs that call it.
 *
 * OpenBLAS maps a buffer of its own for every thread that calls it, at its first call, and
 * when it can't have one it tries again without end.  So room for the buffers is
 * tried first, then they are mapped while we look: callers fail with a sentence
 * instead.  Buffers stay mapped and are used again.
 *
 * The number of its threads belongs to the whole process.  While engines work it is one,
 * since it adds in another order with another number; afterwards it is what it was.
 */
#ifndef SCANT_DENSE_BLAS_H
#define SCANT_DENSE_BLAS_H

#include "core/jobs.h"

/* Buffers for up to `callers` threads that call BLAS at once, until they are released.
 * SCANT_MEMORY if there is no room for them.  Any thread may call these. */
scant_status scant_blas_reserve(size_t callers, scant_error *error);
void scant_blas_release(size_t callers);

/* One thread, until as many calls of restore as of calm. */
void scant_blas_calm(void);
void scant_blas_restore(void);

/* As scant_jobs_run, with BLAS calmed. */
scant_status scant_blas_jobs(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

/* What an engine does: it reserves, calms, works on up to `threads` threads, and
 * leaves BLAS as it was. */
typedef scant_status (*scant_blas_work)(void *user, scant_error *error);
scant_status scant_blas_with(uint64_t threads, scant_blas_work work, void *user, scant_error *error);

#endif
