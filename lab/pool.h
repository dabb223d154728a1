/* Jobs 0 .. n-1 on some threads.
 *
 * A job writes to its own place only and draws from its own seed, so the
 * results are the same for any number of threads.
 */
#ifndef SCANT_LAB_POOL_H
#define SCANT_LAB_POOL_H

#include <stddef.h>

#include "scant.h"

typedef struct pool_options {
  unsigned threads;
  void (*progress)(void *user, double share); /* how much is done, from one thread at a time; or NULL */
  void *user;
} pool_options;

/* `error` begins as "out of memory", which is what most often goes wrong. */
typedef scant_status (*pool_job)(void *user, size_t job, scant_error *error);

/* Runs them all, in order of their numbers as threads become free.  After one
 * has failed no other begins; its status and sentence are returned. */
scant_status pool_run(size_t jobs, pool_job job, void *user, const pool_options *options, scant_error *error);

#endif
