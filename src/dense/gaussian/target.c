#include "dense/gaussian/target.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "dense/lapack.h"

/* In squared units of the variables. */
#define VARIANCE_LEAST 1e-12

scant_status scant_target_fill(size_t n, const double *covariance, unsigned rank, double *target, double *scratch,
                               scant_error *error) {
  lapack_int size = (lapack_int)n, found;
  double *r = target, *vectors = scratch, *values = scratch + n * n, *unit = values + n;
  for (size_t i = 0; i < n; i++) unit[i] = sqrt(fmax(covariance[i * n + i], VARIANCE_LEAST)); /* it may be constant */
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) r[i * n + j] = covariance[i * n + j] / (unit[i] * unit[j]);
  lapack_int bad = scant_lapack_largest('L', n, r, rank < n ? rank : n, &found, values, vectors);
  if (bad == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (bad) return scant_fail(error, SCANT_DATA, "the eigenvalues of the correlations can't be found");
  for (lapack_int k = 0; k < found; k++) {
    double root = sqrt(fmax(values[k], 0));
    for (size_t i = 0; i < n; i++) vectors[(size_t)k * n + i] *= root * unit[i];
  }
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, size, found, 1, vectors, size, 0, target, size);
  scant_mirror(n, target);
  for (size_t i = 0; i < n; i++) target[i * n + i] = covariance[i * n + i];
  return SCANT_OK;
}
