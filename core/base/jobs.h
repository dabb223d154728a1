/* Independent jobs on several threads. The results do not depend on which thread does which job. */
#ifndef SCANT_CORE_JOBS_H
#define SCANT_CORE_JOBS_H

#include "base/shared.h"
#include "scant.h"

/* `error` holds "out of memory" at the start, since that is the most common failure. */
typedef scant_status (*scant_job)(void *user, size_t job, scant_error *error);

/* Runs jobs 0 .. jobs-1, begun in that order, on up to `threads` threads; the calling thread is one of them,
 * and does job 0. After a failure no further job begins. The failure of the lowest job that failed is
 * returned. */
SCANT_SHARED scant_status scant_jobs_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

#endif
