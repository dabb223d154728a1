/* Runs jobs 0 .. n-1 on several threads, and whole fits, of which most jobs consist.
 *
 * A job writes only to its own place and has its own seed, so the results do
 * not depend on the number of threads.
 */
#ifndef SCANT_LAB_JOBS_H
#define SCANT_LAB_JOBS_H

#include <stddef.h>

#include "scant.h"

typedef struct pool_options {
  unsigned threads;
  void (*progress)(void *user, double share); /* called by one thread at a time with the share that is done; or NULL */
  void *user;
} pool_options;

/* `error` begins as "out of memory", so a job that runs out of memory need not write it. */
typedef scant_status (*pool_job)(void *user, size_t job, scant_error *error);

/* Runs all jobs; a thread that becomes free takes the next number.  After a job
 * has failed no other begins, and its status and sentence are returned. */
scant_status pool_run(size_t jobs, pool_job job, void *user, const pool_options *options, scant_error *error);

/* Learns from all examples and makes the model; the caller frees fit and model. */
scant_status fit_whole(scant_fit **fit, scant_model **model, const scant_settings *settings, scant_source *source,
                       scant_error *error);

#endif
