#include "base/jobs.h"

#include <pthread.h>

typedef struct {
  size_t jobs, next, failed; /* failed: the lowest job that failed; `jobs` if none did */
  scant_job job;
  void *user;
  pthread_mutex_t lock;
  scant_status status;
  scant_error error;
} crew;

/* Does this job, then those that nobody has begun. */
static void work_on(crew *c, size_t job) {
  while (job < c->jobs) {
    scant_error error = {"out of memory"};
    scant_status status = c->job(c->user, job, &error);
    pthread_mutex_lock(&c->lock);
    if (status != SCANT_OK && job < c->failed) {
      c->failed = job;
      c->status = status;
      c->error = error;
    }
    job = c->status == SCANT_OK ? c->next++ : c->jobs;
    pthread_mutex_unlock(&c->lock);
  }
}

static void *work(void *argument) {
  crew *c = argument;
  pthread_mutex_lock(&c->lock);
  size_t job = c->status == SCANT_OK ? c->next++ : c->jobs;
  pthread_mutex_unlock(&c->lock);
  work_on(c, job);
  return NULL;
}

scant_status scant_jobs_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error) {
  crew c = {.jobs = jobs, .next = 1, .failed = jobs, .job = job, .user = user};
  pthread_t others[64];
  size_t started = 0, most = threads < jobs ? (size_t)threads : jobs;
  pthread_mutex_init(&c.lock, NULL);
  while (started + 1 < most && started < 64 && pthread_create(&others[started], NULL, work, &c) == 0) started++;
  work_on(&c, 0);
  for (size_t i = 0; i < started; i++) pthread_join(others[i], NULL);
  pthread_mutex_destroy(&c.lock);
  if (c.status != SCANT_OK && error) *error = c.error;
  return c.status;
}
