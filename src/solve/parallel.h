/* Independent jobs on several threads: which thread does which has no part in the
 * results. */
#ifndef SCANT_SOLVE_PARALLEL_H
#define SCANT_SOLVE_PARALLEL_H

#include "scant.h"

/* BLAS is told to use one thread, since it adds in another order with another number
 * of its own: to be called before the first use of BLAS. */
void scant_parallel_calm(void);

typedef scant_status (*scant_job)(void *user, size_t job, scant_error *error);

/* Runs jobs 0 .. jobs-1 on up to `threads` threads, this one among them; after a
 * failure, jobs that have not begun are left.  The failure of the lowest job that failed comes
 * back.  BLAS is calmed. */
scant_status scant_parallel_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

#endif
