#include "solve/parallel.h"

#include <pthread.h>

/* Only there if it is OpenBLAS that we are linked with. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

void scant_parallel_calm(void) {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

typedef struct {
  size_t jobs, next, failed; /* failed: the lowest, or jobs */
  scant_job job;
  void *user;
  pthread_mutex_t lock;
  scant_status status;
  scant_error error;
} crew;

static void *work(void *argument) {
  crew *c = argument;
  for (;;) {
    scant_error error = {"out of memory"}; /* what most often goes wrong */
    pthread_mutex_lock(&c->lock);
    size_t job = c->status == SCANT_OK ? c->next++ : c->jobs;
    pthread_mutex_unlock(&c->lock);
    if (job >= c->jobs) return NULL;
    scant_status status = c->job(c->user, job, &error);
    pthread_mutex_lock(&c->lock);
    if (status != SCANT_OK && job < c->failed) {
      c->failed = job;
      c->status = status;
      c->error = error;
    }
    pthread_mutex_unlock(&c->lock);
  }
}

scant_status scant_parallel_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error) {
  scant_parallel_calm();
  crew c = {.jobs = jobs, .failed = jobs, .job = job, .user = user};
  pthread_t others[64];
  size_t started = 0, most = threads < jobs ? (size_t)threads : jobs;
  pthread_mutex_init(&c.lock, NULL);
  while (started + 1 < most && started < 64 && pthread_create(&others[started], NULL, work, &c) == 0) started++;
  work(&c);
  for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
  pthread_mutex_destroy(&c.lock);
  if (c.status != SCANT_OK && error) *error = c.error;
  return c.status;
}
