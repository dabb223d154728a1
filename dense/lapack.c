#include "lapack.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"

/* LAPACKE refuses NaN and LAPACK does not, so it is refused here. */
enum { HAS_NAN = -4 };

static int triangle_has_nan(char triangle, size_t n, const double *matrix) {
  for (size_t column = 0; column < n; column++) {
    size_t first = triangle == 'L' ? column : 0, after = triangle == 'L' ? n : column + 1;
    for (size_t row = first; row < after; row++)
      if (isnan(matrix[column * n + row])) return 1;
  }
  return 0;
}

static int has_nan(size_t count, const double *x) {
  for (size_t i = 0; i < count; i++)
    if (isnan(x[i])) return 1;
  return 0;
}

/* As much as a query said. */
static double *work_array(double size) {
  return scant_array((size_t)size, sizeof(double));
}

lapack_int scant_lapack_eigen(char triangle, size_t n, double *matrix, double *values) {
  lapack_int a = (lapack_int)n, whole;
  double size;
  if (triangle_has_nan(triangle, n, matrix)) return HAS_NAN;
  lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', triangle, a, matrix, a, values, &size, -1, &whole, -1);
  if (info) return info;
  double *work = work_array(size);
  lapack_int *wholes = scant_array((size_t)whole, sizeof *wholes);
  info = LAPACK_WORK_MEMORY_ERROR;
  if (work && wholes)
    info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', triangle, a, matrix, a, values, work, (lapack_int)size, wholes,
                               whole);
  free(work);
  free(wholes);
  return info;
}

lapack_int scant_lapack_tridiagonal(size_t n, double *matrix, double *diagonal, double *beside, double *tau) {
  lapack_int a = (lapack_int)n;
  double size;
  if (triangle_has_nan('L', n, matrix)) return HAS_NAN;
  lapack_int info = LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', a, matrix, a, diagonal, beside, tau, &size, -1);
  if (info) return info;
  double *work = work_array(size);
  if (!work) return LAPACK_WORK_MEMORY_ERROR;
  info = LAPACKE_dsytrd_work(LAPACK_COL_MAJOR, 'L', a, matrix, a, diagonal, beside, tau, work, (lapack_int)size);
  free(work);
  return info;
}

lapack_int scant_lapack_tridiagonal_eigen(size_t n, double *diagonal, double *beside, double *vectors) {
  lapack_int a = (lapack_int)n, whole;
  double size;
  if (has_nan(n, diagonal) || has_nan(n - 1, beside)) return HAS_NAN;
  lapack_int info = LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', a, diagonal, beside, vectors, a, &size, -1, &whole, -1);
  if (info) return info;
  double *work = work_array(size);
  lapack_int *wholes = scant_array((size_t)whole, sizeof *wholes);
  info = LAPACK_WORK_MEMORY_ERROR;
  if (work && wholes)
    info = LAPACKE_dstedc_work(LAPACK_COL_MAJOR, 'I', a, diagonal, beside, vectors, a, work, (lapack_int)size, wholes,
                               whole);
  free(work);
  free(wholes);
  return info;
}

lapack_int scant_lapack_tridiagonal_times(char transposed, size_t n, const double *matrix, const double *tau,
                                          double *vector) {
  lapack_int a = (lapack_int)n;
  double size;
  lapack_int info =
      LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', transposed, a, 1, matrix, a, tau, vector, a, &size, -1);
  if (info) return info;
  double *work = work_array(size);
  if (!work) return LAPACK_WORK_MEMORY_ERROR;
  info = LAPACKE_dormtr_work(LAPACK_COL_MAJOR, 'L', 'L', transposed, a, 1, matrix, a, tau, vector, a, work,
                             (lapack_int)size);
  free(work);
  return info;
}

lapack_int scant_lapack_qr(size_t rows, size_t columns, double *matrix, double *tau) {
  lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
  double size;
  lapack_int info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, m, n, matrix, m, tau, &size, -1);
  if (info) return info;
  double *work = work_array(size);
  if (!work) return LAPACK_WORK_MEMORY_ERROR;
  info = LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, m, n, matrix, m, tau, work, (lapack_int)size);
  free(work);
  return info;
}

lapack_int scant_lapack_qr_times(size_t rows, size_t columns, const double *matrix, const double *tau, double *vector) {
  lapack_int m = (lapack_int)rows, n = (lapack_int)columns;
  double size;
  lapack_int info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', m, 1, n, matrix, m, tau, vector, m, &size, -1);
  if (info) return info;
  double *work = work_array(size);
  if (!work) return LAPACK_WORK_MEMORY_ERROR;
  info = LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'N', m, 1, n, matrix, m, tau, vector, m, work, (lapack_int)size);
  free(work);
  return info;
}
