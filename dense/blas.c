#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "blas.h"

#include <pthread.h>
#include <sys/mman.h>

#include "scant_base.h"

/* Weak symbols: they are there only if the BLAS is OpenBLAS, and some builds of it hide the last two. */
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern void *blas_memory_alloc(int place) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* No buffer is larger: 128 MiB on x86-64, less elsewhere. */
#define BUFFER_BYTES ((size_t)132 << 20)

/* Engines have six jobs at most; OpenBLAS has 64 buffers at least. */
enum { CALLERS_MOST = 6, BUFFERS_MOST = 48 };

/* There is one OpenBLAS per process, so this state is global too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t mapped, promised; /* buffers that there are at least; buffers for callers at work */
static size_t calm;             /* calls without their restore */
static int threads_before;

/* As OpenBLAS maps them; malloc might write to them. */
static int has_room(size_t buffers) {
  void *room = mmap(NULL, buffers * BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return 0;
  munmap(room, buffers * BUFFER_BYTES);
  return 1;
}

/* Where OpenBLAS hides how to map buffers it maps them at the first calls, and there must be room. */
static int expect_buffers(size_t wanted) {
  if (!has_room(wanted - mapped)) return 0;
  mapped = wanted;
  return 1;
}

/* Holds as many buffers at once as there may be callers, so that so many are mapped. Callers at work may not
 * hold their buffers at the moment, so we may get those. */
static int map_buffers(size_t wanted) {
  void *held[BUFFERS_MOST];
  size_t count = 0;
  while (count < wanted && (count + promised < mapped || has_room(1))) {
    held[count] = blas_memory_alloc(1);
    if (!held[count]) break;
    count++;
  }
  for (size_t i = 0; i < count; i++) blas_memory_free(held[i]);
  if (count > mapped) mapped = count;
  return count == wanted;
}

static scant_status reserve(size_t callers, scant_error *error) {
  int good = 1;
  pthread_mutex_lock(&lock);
  size_t wanted = promised + callers < BUFFERS_MOST ? promised + callers : BUFFERS_MOST;
  if (openblas_get_num_threads && wanted > mapped)
    good = blas_memory_alloc && blas_memory_free ? map_buffers(wanted) : expect_buffers(wanted);
  if (good) promised += callers;
  pthread_mutex_unlock(&lock);
  if (good) return SCANT_OK;
  return scant_fail(error, SCANT_MEMORY, "out of memory: OpenBLAS takes %zu MiB for each of %zu threads",
                    BUFFER_BYTES >> 20, callers);
}

void scant_blas_calm(void) {
  if (!openblas_get_num_threads || !openblas_set_num_threads) return;
  pthread_mutex_lock(&lock);
  if (!calm++) {
    threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
  }
  pthread_mutex_unlock(&lock);
}

void scant_blas_restore(void) {
  if (!openblas_get_num_threads || !openblas_set_num_threads) return;
  pthread_mutex_lock(&lock);
  if (!--calm) openblas_set_num_threads(threads_before);
  pthread_mutex_unlock(&lock);
}

scant_status scant_blas_jobs(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error) {
  scant_blas_calm();
  scant_status status = scant_jobs_run(jobs, threads, job, user, error);
  scant_blas_restore();
  return status;
}

static size_t callers_of(uint64_t threads) {
  return threads < CALLERS_MOST ? (size_t)threads : CALLERS_MOST;
}

scant_status scant_blas_begin(uint64_t threads, scant_error *error) {
  SCANT_TRY(reserve(callers_of(threads), error));
  scant_blas_calm();
  return SCANT_OK;
}

void scant_blas_end(uint64_t threads) {
  scant_blas_restore();
  pthread_mutex_lock(&lock);
  promised -= callers_of(threads);
  pthread_mutex_unlock(&lock);
}
