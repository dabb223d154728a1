#include "jobs.h"

#include <pthread.h>

#include "scant_dense.h"
#include "scant_full.h"

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

scant_status fit_whole(scant_fit **fit, scant_model **model, const scant_settings *settings, scant_source *source,
                       scant_error *error) {
  scant_settings s = *settings;
  int done;
  s.runtime.engines = scant_dense_engines();
  scant_status status = scant_fit_new(fit, &s, source, error);
  if (status != SCANT_OK) return status;
  status = scant_fit_advance(*fit, UINT64_MAX, &done, error);
  if (status == SCANT_OK) status = scant_fit_model(*fit, 0, model, error);
  if (status == SCANT_OK) return SCANT_OK;
  scant_fit_free(*fit);
  *fit = NULL;
  return status;
}
