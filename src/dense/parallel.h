/* Jobs that use BLAS. */
#ifndef SCANT_DENSE_PARALLEL_H
#define SCANT_DENSE_PARALLEL_H

#include "core/jobs.h"

/* BLAS is told to use one thread, since it adds in another order with another number
 * of its own: to be called before the first use of BLAS. */
void scant_parallel_calm(void);

/* As scant_jobs_run, with BLAS calmed. */
scant_status scant_parallel_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

#endif
