#include "full/full.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

enum { FOLDS = 5, PATIENCE = 6, RADII_MOST = 120, SVR_ROWS = 2000 };
#define GROWTH 1.5

/* A problem of one kind, prepared once for all radii. */
typedef struct {
  scant_reference kind;
  double tube;
  scant_dense problem;
  scant_ridge *ridge;
  scant_lasso *lasso;
} solver;

static scant_status solver_new(solver *s, const scant_dense *problem, scant_reference kind, double tube,
                               scant_error *error) {
  *s = (solver){.kind = kind, .tube = tube, .problem = *problem};
  if (kind == SCANT_FULL_RIDGE) return scant_ridge_new(&s->ridge, problem, error);
  if (kind == SCANT_FULL_LASSO) return scant_lasso_new(&s->lasso, problem, error);
  return SCANT_OK;
}

static void solver_free(solver *s) {
  scant_ridge_free(s->ridge);
  scant_lasso_free(s->lasso);
}

static scant_status solve(const solver *s, double radius, double *w, double *beta, double *lambda, scant_error *error) {
  if (s->kind == SCANT_FULL_RIDGE) return scant_ridge_solve(s->ridge, radius, w, lambda, error);
  if (s->kind == SCANT_FULL_LASSO) return scant_lasso_solve(s->lasso, radius, w, lambda, error);
  return scant_svr_solve(&s->problem, s->tube, radius, w, beta, lambda, error);
}

scant_status scant_reference_solve(const scant_dense *problem, scant_reference kind, double tube, double radius,
                                   double *w, double *beta, double *lambda, scant_error *error) {
  solver s;
  SCANT_TRY(solver_new(&s, problem, kind, tube, error));
  scant_status status = solve(&s, radius, w, beta, lambda, error);
  solver_free(&s);
  return status;
}

/* ---- the radius ---------------------------------------------------------------------- */

/* A fifth of the examples is held out. */
typedef struct {
  double *x, *y; /* a copy without the held-out rows */
  scant_dense held_out;
  solver rest;
} fold;

static void close_fold(fold *f) {
  solver_free(&f->rest);
  free(f->x);
  free(f->y);
}

static scant_status open_fold(fold *f, const scant_dense *all, size_t number, size_t count, scant_reference kind,
                              double tube, scant_error *error) {
  size_t first = all->n * number / count, after = all->n * (number + 1) / count, d = all->d;
  size_t n = all->n - (after - first);
  *f = (fold){.held_out = {after - first, d, all->x + first * d, all->y + first}};
  f->x = scant_array(n * d, sizeof *f->x);
  f->y = scant_array(n, sizeof *f->y);
  if (!f->x || !f->y) return scant_fail_memory(error);
  memcpy(f->x, all->x, first * d * sizeof *f->x);
  memcpy(f->y, all->y, first * sizeof *f->y);
  memcpy(f->x + first * d, all->x + after * d, (all->n - after) * d * sizeof *f->x);
  memcpy(f->y + first, all->y + after, (all->n - after) * sizeof *f->y);
  return solver_new(&f->rest, &(scant_dense){n, d, f->x, f->y}, kind, tube, error);
}

/* Adds the error on the held-out rows to *sum; *binds says whether the ball holds w back. */
static scant_status score_fold(const fold *f, double radius, double *w, double *residual, double *sum, int *binds,
                               scant_error *error) {
  const scant_dense *h = &f->held_out;
  double lambda;
  SCANT_TRY(solve(&f->rest, radius, w, NULL, &lambda, error));
  memcpy(residual, h->y, h->n * sizeof *residual);
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)h->n, (int)h->d, 1, h->x, (int)h->d, w, 1, -1, residual, 1);
  for (size_t i = 0; i < h->n; i++)
    *sum += f->rest.kind == SCANT_FULL_SVR ? fmax(0, fabs(residual[i]) - f->rest.tube) : residual[i] * residual[i];
  *binds = *binds || lambda > 0;
  return SCANT_OK;
}

/* About the size of one short gradient step. */
static double smallest_radius(const scant_dense *p) {
  double most = 0, squares = 0;
  for (size_t j = 0; j < p->d; j++) {
    double c = 0;
    for (size_t i = 0; i < p->n; i++) {
      c += p->x[i * p->d + j] * p->y[i];
      squares += p->x[i * p->d + j] * p->x[i * p->d + j];
    }
    most = fmax(most, fabs(c));
  }
  return squares > 0 && most > 0 ? 0.1 * most / squares : 1;
}

/* candidate: where the search begins. */
static scant_status search(const fold *folds, size_t count, double candidate, double *w, double *residual,
                           double *radius, scant_error *error) {
  double best = INFINITY;
  for (int tried = 0, since = 0; tried < RADII_MOST && since < PATIENCE; tried++) {
    double sum = 0;
    int binds = 0;
    for (size_t k = 0; k < count; k++) SCANT_TRY(score_fold(&folds[k], candidate, w, residual, &sum, &binds, error));
    since = sum < best ? 0 : since + 1;
    if (sum < best) {
      best = sum;
      *radius = candidate;
    }
    if (!binds) break;
    candidate *= GROWTH;
  }
  return SCANT_OK;
}

scant_status scant_radius_choose(const scant_dense *problem, scant_reference kind, double tube, double *radius,
                                 scant_error *error) {
  scant_dense all = *problem;
  if (all.n < SCANT_RADIUS_FEWEST)
    return scant_fail(error, SCANT_DATA, "radius auto needs at least %d examples, not %zu", SCANT_RADIUS_FEWEST, all.n);
  size_t count = all.n < 2 * FOLDS ? all.n / 2 : FOLDS; /* at least two examples in each */
  if (kind == SCANT_FULL_SVR && all.n > SVR_ROWS) all.n = SVR_ROWS;
  fold folds[FOLDS] = {0};
  double *w = scant_array(all.d, sizeof *w), *residual = scant_array(all.n, sizeof *residual);
  scant_status status = w && residual ? SCANT_OK : scant_fail_memory(error);
  for (size_t k = 0; status == SCANT_OK && k < count; k++)
    status = open_fold(&folds[k], &all, k, count, kind, tube, error);
  if (status == SCANT_OK) status = search(folds, count, smallest_radius(&all), w, residual, radius, error);
  for (size_t k = 0; k < FOLDS; k++) close_fold(&folds[k]);
  free(w);
  free(residual);
  return status;
}
