#include "pool.h"

#include <pthread.h>

/* Only there if it is OpenBLAS that we are linked with. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

typedef struct {
  size_t jobs, next, done;
  pool_job job;
  void *user;
  const pool_options *options;
  pthread_mutex_t lock;
  scant_status status;
  scant_error error;
} pool;

static void *work(void *argument) {
  pool *p = argument;
  for (;;) {
    scant_error error = {"out of memory"};
    pthread_mutex_lock(&p->lock);
    size_t job = p->status == SCANT_OK ? p->next++ : p->jobs;
    pthread_mutex_unlock(&p->lock);
    if (job >= p->jobs) return NULL;
    scant_status status = p->job(p->user, job, &error);
    pthread_mutex_lock(&p->lock);
    if (status != SCANT_OK && p->status == SCANT_OK) {
      p->status = status;
      p->error = error;
    }
    p->done++;
    if (p->options->progress) p->options->progress(p->options->user, (double)p->done / (double)p->jobs);
    pthread_mutex_unlock(&p->lock);
  }
}

scant_status pool_run(size_t jobs, pool_job job, void *user, const pool_options *options, scant_error *error) {
  /* The jobs are the threads; and BLAS adds in another order with other numbers
   * of its own. */
  if (openblas_set_num_threads) openblas_set_num_threads(1);
  pool p = {.jobs = jobs, .job = job, .user = user, .options = options};
  pthread_t others[64];
  unsigned started = 0;
  pthread_mutex_init(&p.lock, NULL);
  while (started + 1 < options->threads && started < 64 && pthread_create(&others[started], NULL, work, &p) == 0)
    started++;
  work(&p);
  for (unsigned i = 0; i < started; i++) pthread_join(others[i], NULL);
  pthread_mutex_destroy(&p.lock);
  if (p.status != SCANT_OK) *error = p.error;
  return p.status;
}
