#include "dense/parallel.h"

/* Only there if it is OpenBLAS that we are linked with. */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

void scant_parallel_calm(void) {
  if (openblas_set_num_threads) openblas_set_num_threads(1);
}

scant_status scant_parallel_run(size_t jobs, uint64_t threads, scant_job job, void *user, scant_error *error) {
  scant_parallel_calm();
  return scant_jobs_run(jobs, threads, job, user, error);
}
