/* Constrained ridge through one eigendecomposition and the secular equation. */
#include "solve/solve.h"

#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"

/* With a = the size of the smaller Gram matrix, basis vector k at basis + k a:
 *   n >= d  X'X/n = V S V', c = V'X'y/n,                  w = V z
 *   n < d   XX'/n = U S U', c = S^(1/2) U'y/sqrt(n),      w = X'U (z / sqrt(n s))
 * and z_k = c_k/(s_k + lambda), ||w|| = ||z|| in both.  Attributes that are
 * always 0 are left out of the first (a third of MNIST's pixels). */
struct scant_ridge {
  size_t n, d, a;
  const double *x; /* borrowed; NULL if n >= d */
  size_t *columns; /* n >= d: the attribute of each row of the basis */
  double *basis, *s, *c;
};

void scant_ridge_free(scant_ridge *ridge) {
  if (!ridge) return;
  free(ridge->columns);
  free(ridge->basis);
  free(ridge->s);
  free(ridge->c);
  free(ridge);
}

/* The lower triangle (columns first) of the smaller Gram matrix over n. */
static void gram(const scant_dense *p, int dual, double *out) {
  int n = (int)p->n, d = (int)p->d;
  cblas_dsyrk(CblasColMajor, CblasLower, dual ? CblasTrans : CblasNoTrans, dual ? n : d, dual ? d : n, 1 / (double)n,
              p->x, d, 0, out, dual ? n : d);
}

/* Moves the rows and columns with a nonzero diagonal to the front of the
 * matrix and returns how many they are. */
static size_t drop_zeros(double *matrix, size_t size, size_t *columns) {
  size_t a = 0;
  for (size_t j = 0; j < size; j++)
    if (matrix[j * size + j] > 0) columns[a++] = j;
  /* The target never lies behind its source, so one array is enough. */
  for (size_t k = 0; k < a; k++)
    for (size_t l = k; l < a; l++) matrix[k * a + l] = matrix[columns[k] * size + columns[l]];
  return a;
}

/* Eigenvalues that are rounding errors of 0: there the part of c that is
 * rounding too is dropped (this makes the norm smallest); a part that is not
 * keeps its direction, with the eigenvalue raised to what can be resolved. */
static void settle_spectrum(scant_ridge *r, const scant_dense *p) {
  double largest = r->a ? fmax(0, r->s[r->a - 1]) : 0;
  double unit = 4 * DBL_EPSILON * (sqrt((double)p->n) + (double)r->a + 10);
  double noise = unit * sqrt(largest / (double)p->n) * cblas_dnrm2((int)p->n, p->y, 1);
  for (size_t k = 0; k < r->a; k++) {
    if (r->s[k] > unit * largest) continue;
    if (r->x || fabs(r->c[k]) <= noise) r->c[k] = 0;
    r->s[k] = unit * largest;
  }
}

static scant_status decompose(scant_ridge *r, const scant_dense *p, scant_error *error) {
  int a = (int)r->a, n = (int)p->n, d = (int)p->d;
  lapack_int info = a ? LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', a, r->basis, a, r->s) : 0;
  if (info == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (info != 0)
    return scant_fail(error, SCANT_DATA, "the eigenvalues of the data can't be computed: too large values?");
  if (r->x) {
    cblas_dgemv(CblasColMajor, CblasTrans, a, a, 1, r->basis, a, p->y, 1, 0, r->c, 1);
    for (int k = 0; k < a; k++) r->c[k] *= sqrt(fmax(0, r->s[k]) / n);
  } else if (a) {
    double *products = scant_array(r->d, sizeof *products);
    if (!products) return scant_fail_memory(error);
    cblas_dgemv(CblasColMajor, CblasNoTrans, d, n, 1 / (double)n, p->x, d, p->y, 1, 0, products, 1);
    for (int k = 0; k < a; k++) products[k] = products[r->columns[k]];
    cblas_dgemv(CblasColMajor, CblasTrans, a, a, 1, r->basis, a, products, 1, 0, r->c, 1);
    free(products);
  }
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
  r->basis = scant_array(a * a, sizeof *r->basis);
  r->columns = scant_array(a, sizeof *r->columns);
  r->s = scant_array(a, sizeof *r->s);
  r->c = scant_array(a, sizeof *r->c);
  if (!r->basis || !r->columns || !r->s || !r->c) return scant_fail_memory(error);
  gram(p, dual, r->basis);
  for (size_t k = 0; k < a; k++)
    if (!isfinite(r->basis[k * a + k]))
      return scant_fail(error, SCANT_DATA, "the attributes are too large to be squared: scale them");
  r->a = dual ? a : drop_zeros(r->basis, a, r->columns);
  return decompose(r, p, error);
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

/* Newton on 1/||z|| - 1/B, which is nearly linear and concave in lambda, so
 * that steps from the left converge without passing the root; the bracket
 * guards against rounding. */
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

scant_status scant_ridge_solve(const scant_ridge *ridge, double radius, double *w, double *lambda, scant_error *error) {
  if (!(radius > 0)) return scant_fail(error, SCANT_USAGE, "the radius must be above 0, not %g", radius);
  const scant_ridge *r = ridge;
  int a = (int)r->a, d = (int)r->d, n = (int)r->n;
  double *z = scant_array(2 * r->a, sizeof *z), *combined;
  if (!z) return scant_fail_memory(error);
  combined = z + a;
  *lambda = secular_root(r, radius);
  for (int k = 0; k < a; k++) {
    z[k] = r->c[k] == 0 ? 0 : r->c[k] / (r->s[k] + *lambda);
    if (r->x) z[k] = r->c[k] == 0 ? 0 : z[k] / sqrt(n * r->s[k]);
  }
  if (a) cblas_dgemv(CblasColMajor, CblasNoTrans, a, a, 1, r->basis, a, z, 1, 0, combined, 1);
  memset(w, 0, r->d * sizeof *w);
  if (r->x)
    cblas_dgemv(CblasColMajor, CblasNoTrans, d, n, 1, r->x, d, combined, 1, 0, w, 1);
  else
    for (int k = 0; k < a; k++) w[r->columns[k]] = combined[k];
  double norm = cblas_dnrm2(d, w, 1);
  if (norm > radius || *lambda > 0) cblas_dscal(d, radius / norm, w, 1);
  free(z);
  return SCANT_OK;
}
