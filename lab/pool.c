#include "pool.h"

#include <pthread.h>

#include "blas.h"

typedef struct {
  size_t jobs, done;
  pool_job job;
  void *user;
  const pool_options *options;
  pthread_mutex_t lock;
} pool;

static scant_status work(void *user, size_t job, scant_error *error) {
  pool *p = user;
  scant_status status = p->job(p->user, job, error);
  pthread_mutex_lock(&p->lock);
  p->done++;
  if (p->options->progress) p->options->progress(p->options->user, (double)p->done / (double)p->jobs);
  pthread_mutex_unlock(&p->lock);
  return status;
}

scant_status pool_run(size_t jobs, pool_job job, void *user, const pool_options *options, scant_error *error) {
  pool p = {.jobs = jobs, .job = job, .user = user, .options = options};
  pthread_mutex_init(&p.lock, NULL);
  scant_status status = scant_blas_jobs(jobs, options->threads, work, &p, error);
  pthread_mutex_destroy(&p.lock);
  return status;
}
