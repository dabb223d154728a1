/* Constrained ridge through one eigendecomposition and the secular equation. */
#include "full/full.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "lapack.h"

/* With a = the size of the smaller Gram matrix:
 *   n >= d  X'X/n = V S V', c = V'X'y/n,                  w = V z
 *   n < d   XX'/n = U S U', c = S^(1/2) U'y/sqrt(n),      w = X'U (z / sqrt(n s))
 * and z_k = c_k/(s_k + lambda), ||w|| = ||z|| in both.  Attributes that are always 0 are left out of the first (a fifth
 * of MNIST's pixels).  The basis V or U is kept as the product Q Z of LAPACK's reflections to tridiagonal form and that
 * form's eigenvectors: multiplying it out, as DSYEVD does, would cost as much as finding it, and each solution needs
 * one vector of it. */
struct scant_ridge {
  scant_arrays arrays;
  size_t n, d, a;
  const double *x; /* borrowed; NULL if n >= d */
  size_t *columns; /* n >= d: the attribute of each row of the basis */
  double *q, *tau, *z, *s, *c;
};

void scant_ridge_free(scant_ridge *ridge) {
  if (!ridge) return;
  scant_arrays_free(&ridge->arrays);
  free(ridge);
}

/* Lists the attributes that are not always 0 and returns how many they are; `used` is scratch of d. */
static size_t columns_find(const scant_dense *p, size_t *columns, double *used) {
  size_t a = 0;
  for (size_t i = 0; i < p->n; i++)
    for (size_t j = 0; j < p->d; j++)
      used[j] += fabs(p->x[i * p->d + j]); /* NOLINT(clang-analyzer-core.NullDereference): scant_dense_check saw x */
  for (size_t j = 0; j < p->d; j++)
    if (used[j] > 0) columns[a++] = j;
  return a;
}

/* The lower triangle (columns first) of X'X/n over those attributes, by blocks of rows without the others: they fit the
 * cache, and n * d more memory is not needed. */
static scant_status gram_columns(const scant_dense *p, const size_t *columns, size_t a, double *out,
                                 scant_error *error) {
  enum { ROWS = 512 };
  double *block = scant_array(a * ROWS, sizeof *block);
  if (!block) return scant_fail_memory(error);
  for (size_t first = 0; first < p->n; first += ROWS) {
    size_t rows = p->n - first < ROWS ? p->n - first : ROWS;
    for (size_t i = 0; i < rows; i++)
      for (size_t k = 0; k < a; k++) block[i * a + k] = p->x[(first + i) * p->d + columns[k]];
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)a, (int)rows, 1 / (double)p->n, block, (int)a, 1, out,
                (int)a);
  }
  free(block);
  return SCANT_OK;
}

/* Fills q with the smaller Gram matrix over n and sets its size. */
static scant_status gram(scant_ridge *r, const scant_dense *p, scant_error *error) {
  int n = (int)p->n, d = (int)p->d;
  if (r->x) {
    r->a = p->n;
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, n, d, 1 / (double)n, p->x, d, 0, r->q, n);
    return SCANT_OK;
  }
  r->a = columns_find(p, r->columns, r->s);
  if (r->a == 0) return SCANT_OK;
  if (r->a < p->d) return gram_columns(p, r->columns, r->a, r->q, error);
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, d, n, 1 / (double)n, p->x, d, 0, r->q, d);
  return SCANT_OK;
}

/* Eigenvalues that are rounding errors of 0: there the part of c that is rounding too is dropped (this makes the norm
 * smallest); a part that is not keeps its direction, with the eigenvalue raised to what can be resolved. */
static void settle_spectrum(scant_ridge *r, const scant_dense *p) {
  double largest = fmax(0, r->s[r->a - 1]);
  double unit = 4 * DBL_EPSILON * (sqrt((double)p->n) + (double)r->a + 10);
  double noise = unit * sqrt(largest / (double)p->n) * cblas_dnrm2((int)p->n, p->y, 1);
  for (size_t k = 0; k < r->a; k++) {
    if (r->s[k] > unit * largest) continue;
    if (r->x || fabs(r->c[k]) <= noise) r->c[k] = 0;
    r->s[k] = unit * largest;
  }
}

/* v := Q v or Q'v; false if out of memory. */
static int reflect(const scant_ridge *r, char transposed, double *v) {
  return scant_lapack_tridiagonal_times(transposed, r->a, r->q, r->tau, v) == 0;
}

static scant_status decompose(scant_ridge *r, scant_error *error) {
  double *beside = scant_array(r->a, sizeof *beside); /* the tridiagonal form beside its diagonal */
  if (!beside) return scant_fail_memory(error);
  lapack_int info = scant_lapack_tridiagonal(r->a, r->q, r->s, beside, r->tau);
  if (info == 0) info = scant_lapack_tridiagonal_eigen(r->a, r->s, beside, r->z);
  free(beside);
  if (info == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (info != 0) return scant_fail(error, SCANT_DATA, "the eigenvalues of the data can't be computed: scale them");
  return SCANT_OK;
}

/* c from the targets. */
static scant_status project(scant_ridge *r, const scant_dense *p, scant_error *error) {
  int a = (int)r->a, n = (int)p->n, d = (int)p->d;
  double *v = scant_array(p->n + p->d, sizeof *v);
  if (!v) return scant_fail_memory(error);
  if (r->x) {
    memcpy(v, p->y, p->n * sizeof *v);
  } else {
    cblas_dgemv(CblasColMajor, CblasNoTrans, d, n, 1 / (double)n, p->x, d, p->y, 1, 0, v, 1);
    for (int k = 0; k < a; k++) v[k] = v[r->columns[k]];
  }
  int good = reflect(r, 'T', v);
  cblas_dgemv(CblasColMajor, CblasTrans, a, a, 1, r->z, a, v, 1, 0, r->c, 1);
  if (r->x)
    for (int k = 0; k < a; k++) r->c[k] *= sqrt(fmax(0, r->s[k]) / n);
  free(v);
  if (!good) return scant_fail_memory(error);
  settle_spectrum(r, p);
  return SCANT_OK;
}

static scant_status prepare(scant_ridge *r, const scant_dense *p, scant_error *error) {
  int dual = p->n < p->d;
  size_t a = dual ? p->n : p->d;
  r->n = p->n;
  r->d = p->d;
  r->x = dual ? p->x : NULL;
  if (a > SIZE_MAX / sizeof(double) / a) return scant_fail_memory(error);
  r->q = scant_arrays_add(&r->arrays, a * a, sizeof *r->q);
  r->z = scant_arrays_add(&r->arrays, a * a, sizeof *r->z);
  r->tau = scant_arrays_add(&r->arrays, a, sizeof *r->tau);
  r->columns = scant_arrays_add(&r->arrays, a, sizeof *r->columns);
  r->s = scant_arrays_add(&r->arrays, a, sizeof *r->s);
  r->c = scant_arrays_add(&r->arrays, a, sizeof *r->c);
  if (r->arrays.failed) return scant_fail_memory(error);
  SCANT_TRY(gram(r, p, error));
  for (size_t k = 0; k < r->a; k++)
    if (!isfinite(r->q[k * r->a + k]))
      return scant_fail(error, SCANT_DATA, "the attributes are too large to be squared: scale them");
  if (r->a == 0) return SCANT_OK; /* every attribute is 0 everywhere */
  SCANT_TRY(decompose(r, error));
  return project(r, p, error);
}

scant_status scant_ridge_new(scant_ridge **ridge, const scant_dense *problem, scant_error *error) {
  *ridge = NULL;
  SCANT_TRY(scant_dense_check(problem, error));
  scant_ridge *r = scant_array(1, sizeof *r);
  if (!r) return scant_fail_memory(error);
  scant_status status = prepare(r, problem, error);
  if (status != SCANT_OK)
    scant_ridge_free(r);
  else
    *ridge = r;
  return status;
}

/* ||z||, and in *fall the sum of c^2/(s + lambda)^3 = -1/2 d||z||^2/dlambda. */
static double norm_at(const scant_ridge *r, double lambda, double *fall) {
  double squares = 0;
  *fall = 0;
  for (size_t k = 0; k < r->a; k++) {
    if (r->c[k] == 0) continue;
    double z = r->c[k] / (r->s[k] + lambda);
    squares += z * z;
    *fall += z * z / (r->s[k] + lambda);
  }
  return sqrt(squares);
}

/* Newton on 1/||z|| - 1/B, which is nearly linear and concave in lambda, so that steps from the left converge without
 * passing the root; the bracket guards against rounding. */
static double secular_root(const scant_ridge *r, double radius) {
  double fall, norm = norm_at(r, 0, &fall);
  if (!(norm > radius)) return 0;
  double length = cblas_dnrm2((int)r->a, r->c, 1);
  double low = fmax(0, length / radius - r->s[r->a - 1]), high = length / radius;
  double lambda = low;
  for (int step = 0; step < 200; step++) {
    norm = norm_at(r, lambda, &fall);
    if (norm > radius)
      low = lambda;
    else
      high = lambda;
    double next = lambda + norm * norm / fall * (norm / radius - 1);
    if (!(next > low && next < high)) next = fabs(norm / radius - 1) < 1e-13 ? lambda : low + (high - low) / 2;
    if (fabs(next - lambda) <= 2 * DBL_EPSILON * lambda) break;
    lambda = next;
  }
  return lambda;
}

scant_status scant_ridge_solve(const scant_ridge *r, double radius, double *w, double *lambda, scant_error *error) {
  if (!(radius > 0)) return scant_fail(error, SCANT_USAGE, "the radius must be above 0, not %g", radius);
  int a = (int)r->a, d = (int)r->d, n = (int)r->n;
  double *z = scant_array(2 * r->a, sizeof *z), *combined;
  if (!z) return scant_fail_memory(error);
  combined = z + a;
  double root = secular_root(r, radius);
  for (int k = 0; k < a; k++) {
    z[k] = r->c[k] == 0 ? 0 : r->c[k] / (r->s[k] + root);
    if (r->x && z[k] != 0) z[k] /= sqrt(n * r->s[k]);
  }
  if (a) cblas_dgemv(CblasColMajor, CblasNoTrans, a, a, 1, r->z, a, z, 1, 0, combined, 1);
  if (a && !reflect(r, 'N', combined)) {
    free(z);
    return scant_fail_memory(error);
  }
  memset(w, 0, r->d * sizeof *w);
  if (r->x)
    cblas_dgemv(CblasColMajor, CblasNoTrans, d, n, 1, r->x, d, combined, 1, 0, w, 1);
  else
    for (int k = 0; k < a; k++) w[r->columns[k]] = combined[k];
  double norm = cblas_dnrm2(d, w, 1);
  if (norm > radius || root > 0) cblas_dscal(d, radius / norm, w, 1);
  *lambda = root;
  free(z);
  return SCANT_OK;
}
