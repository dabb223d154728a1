/* Independent jobs on several threads: which thread does which has no part in the
 * results. */
#ifndef SCANT_CORE_JOBS_H
#define SCANT_CORE_JOBS_H

#include "core/shared.h"
#include "scant.h"

/* `error` begins as "out of memory", which is what most often goes wrong. */
typedef scant_status (*scant_job)(void *user, size_t job, scant_error *error);

/* Runs jobs 0 .. jobs-1, begun in that order, on up to `threads` threads, this one
 * among them; after a failure, jobs that have not begun are left.  The failure of the
 * lowest job that failed comes back.  Job 0 is done by this thread itself. */
SCANT_SHARED scant_status scant_jobs_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error);

#endif
