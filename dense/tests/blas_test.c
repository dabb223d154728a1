/* What is done with BLAS and LAPACK: the number of threads is left as it was, and
 * running out of memory is said by us, not by LAPACKE. */
#include "blas.h"

#include "allocations.h"
#include "scant_full.h"
#include "lapack.h"
#include "engine.h"

extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int threads) __attribute__((weak));

static table data;
static scant_source *source;
static scant_error error;
static int complaints;

/* LAPACKE's own would print. */
void LAPACKE_xerbla(const char *name, lapack_int info) {
  (void)name;
  (void)info;
  complaints++;
}

/* One for other libraries, which have no such number. */
static int threads_of_blas(void) {
  return openblas_get_num_threads ? openblas_get_num_threads() : 1;
}

static scant_status fit_all(const char *row, const char *list) {
  scant_settings s = engine_settings(row, list);
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  int done = 0;
  scant_status status = scant_fit_new(&fit, &s, source, &error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, 1000, &done, &error);
  if (status == SCANT_OK) status = scant_fit_model(fit, 0, &model, &error);
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

TEST(the_threads_of_blas_are_left_as_they_were) {
  static const char *const rows[] = {"algorithm=gaussian k=5", "algorithm=moments k=5",
                                     "algorithm=full-ridge radius=1"};
  for (int threads = 1; threads <= 2; threads++)
    for (size_t r = 0; r < 3; r++) {
      if (openblas_set_num_threads) openblas_set_num_threads(threads);
      int before = threads_of_blas(), failed = 0;
      CHECK(fit_all(rows[r], "threads=1") == SCANT_OK);
      CHECK(threads_of_blas() == before);
      for (unsigned long n = 1; n < 4000; n += 1 + n / 8) {
        allocations_fail(n, 1);
        scant_status status = fit_all(rows[r], "threads=1");
        allocations_reset();
        failed += status != SCANT_OK;
        CHECK(threads_of_blas() == before);
      }
      CHECK(failed > 10);
    }
}

TEST(calm_ends_with_the_last_who_asked_for_it) {
  if (openblas_set_num_threads) openblas_set_num_threads(2);
  int before = threads_of_blas();
  scant_blas_calm();
  scant_blas_calm();
  CHECK(threads_of_blas() == 1);
  scant_blas_restore();
  CHECK(threads_of_blas() == 1);
  scant_blas_restore();
  CHECK(threads_of_blas() == before);
}

/* Ridge with more examples than attributes and fewer; SVR with its QR. */
static scant_status solve_all(void) {
  double w[TABLE_DIMENSION], lambda;
  size_t rows[] = {TABLE_ROWS, 7};
  scant_status status = SCANT_OK;
  for (int r = 0; r < 2 && status == SCANT_OK; r++) {
    scant_dense problem = {rows[r], TABLE_DIMENSION, data.x[0], data.y};
    scant_ridge *ridge = NULL;
    status = scant_ridge_new(&ridge, &problem, &error);
    if (status == SCANT_OK) status = scant_ridge_solve(ridge, 0.5, w, &lambda, &error);
    scant_ridge_free(ridge);
    if (status == SCANT_OK) status = scant_svr_solve(&problem, 0.1, 0.5, w, NULL, &lambda, &error);
  }
  return status;
}

TEST(lapacke_never_says_that_memory_is_short) {
  unsigned long n = 1;
  for (; n < 2000; n++) {
    allocations_fail(n, 1);
    scant_status status = solve_all();
    unsigned long failed = allocations_failed();
    allocations_reset();
    if (!failed) break;
    CHECK(status == SCANT_MEMORY);
  }
  CHECK(n > 20 && n < 2000 && solve_all() == SCANT_OK);
  CHECK(!complaints);
}

TEST(numbers_that_are_none_are_refused) {
  double matrix[4] = {1, NAN, NAN, 1}, values[2];
  CHECK(scant_lapack_eigen('L', 2, matrix, values) != 0);
  CHECK(!complaints);
}

int main(void) {
  table_fill(&data, 17);
  source = table_source(&data);
  RUN(the_threads_of_blas_are_left_as_they_were);
  RUN(calm_ends_with_the_last_who_asked_for_it);
  RUN(lapacke_never_says_that_memory_is_short);
  RUN(numbers_that_are_none_are_refused);
  scant_source_free(source);
  return check_done();
}
