/* Errors, memory and threads (scant_base.h), and the version. */
#include "scant_base.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *scant_version(void) {
  return SCANT_VERSION; /* from the build, which has it from meson.build */
}

void scant_error_write(scant_error *error, const char *format, ...) {
  if (!error) return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  /* quoted names may hold control characters: a message stays one line, and a terminal does not obey it */
  for (char *c = error->text; *c; c++)
    if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
}

/* ---- memory -------------------------------------------------------------------- */

void *scant_array(size_t count, size_t size) {
  return calloc(count ? count : 1, size);
}

int scant_grow(void *array_pointer, size_t *capacity, size_t needed, size_t size) {
  if (needed <= *capacity) return 1;
  size_t larger = *capacity ? *capacity : 16;
  while (larger < needed) {
    if (larger > SIZE_MAX / 2) return 0;
    larger *= 2;
  }
  if (larger > SIZE_MAX / size) return 0;
  void *old, *grown;
  memcpy(&old, array_pointer, sizeof old);
  grown = realloc(old, larger * size);
  if (!grown) return 0;
  memcpy(array_pointer, &grown, sizeof grown);
  *capacity = larger;
  return 1;
}

char *scant_copy_text(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

/* ---- threads ------------------------------------------------------------------- */

typedef struct {
  size_t jobs, next, failed; /* failed: the lowest job that failed; `jobs` if none did */
  scant_job job;
  void *user;
  pthread_mutex_t lock;
  scant_status status;
  scant_error error;
} crew;

/* Does this job, then jobs that are not begun yet. */
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
