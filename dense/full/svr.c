/* Constrained linear SVR by a primal-dual interior-point method.
 *
 *   minimise sum_i t_i   s.t.   u_i = t_i - r_i + tube >= 0   (multiplier a_i)
 *                               v_i = t_i + r_i + tube >= 0   (b_i)
 *                               t_i                    >= 0   (c_i)
 *                               h = (B^2 - ||w||^2)/2  >= 0   (mu)
 *   with r_i = w.x_i - y_i.  Optimal:  a + b + c = 1,  X'(a - b) + mu w = 0,
 *   and every product of a constraint with its multiplier 0.
 *
 * The products are driven to a common, falling value by Newton steps with Mehrotra's correction.  t, a, b, c and mu are
 * eliminated by hand, so that a step is one positive definite system of the size of w.  Its 15 to 40 steps hardly
 * depend on the data; dual coordinate descent needs more passes the less w is penalised, and a search for the penalty.
 */
#include "full/full.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"
#include "lapack.h"

#define GAP_AIM 1e-9
#define GAP_FAIL 1e-6
#define STEPS 100

/* The state; arrays of n unless said otherwise. */
typedef struct interior {
  size_t n, d; /* d: of the reduced data */
  double *x;   /* the reduced data, n x d */
  double *scaled;
  const double *y;
  double tube, radius;
  double *w, *dw, *right, *bend, *stationary; /* d; stationary = X'(a - b) + mu w */
  double *matrix;                             /* d x d */
  double *t, *r, *a, *b, *c;
  double *dt, *dr, *da, *db, *dc;
  double *su, *sv, *st; /* right-hand sides of the products */
  double *pull;
  double h, dh, mu, dmu, sh;
  double miss; /* (B^2 - ||w||^2)/2 - h: h is a variable of its own, see advance */
  double *best_w, *best_beta;
  double best_gap, best_mu;
} interior;

/* From the data to what is solved: w lies in the span of the rows, so with n < d a triangular factor takes the place of
 * x (x_i = Q R_i, w = Q v, the same norm), else the attributes that are always 0 are left out. */
typedef struct reduction {
  size_t d;
  size_t *columns;
  double *q, *tau; /* the factorisation of X' (d x n), if n < d */
  double *x;
  scant_arrays arrays;
} reduction;

static scant_status reduce_rows(reduction *m, const scant_dense *p, scant_error *error) {
  size_t n = p->n, d = p->d;
  m->d = n;
  m->q = scant_arrays_add(&m->arrays, n * d, sizeof *m->q);
  m->tau = scant_arrays_add(&m->arrays, n, sizeof *m->tau);
  m->x = scant_arrays_add(&m->arrays, n * n, sizeof *m->x);
  if (m->arrays.failed) return scant_fail_memory(error);
  memcpy(m->q, p->x, n * d * sizeof *m->q);
  if (scant_lapack_qr(d, n, m->q, m->tau) != 0) return scant_fail_memory(error);
  for (size_t i = 0; i < n; i++) memcpy(m->x + i * n, m->q + i * d, (i + 1) * sizeof *m->x);
  return SCANT_OK;
}

static scant_status reduce_columns(reduction *m, const scant_dense *p, scant_error *error) {
  size_t n = p->n, d = p->d;
  m->columns = scant_arrays_add(&m->arrays, d, sizeof *m->columns);
  char *used = scant_array(d, 1);
  if (m->columns && used) {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < d; j++) used[j] |= p->x[i * d + j] != 0;
    for (size_t j = 0; j < d; j++)
      if (used[j]) m->columns[m->d++] = j;
    m->x = scant_arrays_add(&m->arrays, n * m->d, sizeof *m->x);
  }
  free(used);
  if (!m->columns || !m->x) return scant_fail_memory(error);
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m->d; k++) m->x[i * m->d + k] = p->x[i * d + m->columns[k]];
  return SCANT_OK;
}

/* w (d of the problem) from v (d of the reduction). */
static scant_status reduction_undo(const reduction *m, const scant_dense *p, const double *v, double *w,
                                   scant_error *error) {
  memset(w, 0, p->d * sizeof *w);
  if (!m->q) {
    for (size_t k = 0; k < m->d; k++) w[m->columns[k]] = v[k];
    return SCANT_OK;
  }
  memcpy(w, v, m->d * sizeof *w);
  if (scant_lapack_qr_times(p->d, p->n, m->q, m->tau, w) != 0) return scant_fail_memory(error);
  return SCANT_OK;
}

/* out = X v and out = X'v */
static void times(const interior *s, const double *v, double *out) {
  cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)s->n, (int)s->d, 1, s->x, (int)s->d, v, 1, 0, out, 1);
}

static void times_transposed(const interior *s, const double *v, double *out) {
  cblas_dgemv(CblasRowMajor, CblasTrans, (int)s->n, (int)s->d, 1, s->x, (int)s->d, v, 1, 0, out, 1);
}

static double ball_slack(const interior *s) {
  double norm = cblas_dnrm2((int)s->d, s->w, 1);
  return (s->radius - norm) * (s->radius + norm) / 2; /* without cancellation of squares */
}

/* The relative gap between the objective of w, drawn into the ball, and the
 * dual value; keeps the best so far.  Also brings r and stationary up to date. */
static double measure(interior *s, double zero) {
  double primal = 0, dual = 0, shrink = fmin(1, s->radius / cblas_dnrm2((int)s->d, s->w, 1));
  times(s, s->w, s->r);
  for (size_t i = 0; i < s->n; i++) {
    primal += fmax(0, fabs(shrink * s->r[i] - s->y[i]) - s->tube);
    s->r[i] -= s->y[i];
    s->pull[i] = fmax(-1, fmin(1, s->a[i] - s->b[i]));
    dual -= s->pull[i] * s->y[i] + s->tube * fabs(s->pull[i]);
  }
  times_transposed(s, s->pull, s->stationary);
  dual -= s->radius * cblas_dnrm2((int)s->d, s->stationary, 1);
  cblas_daxpy((int)s->d, s->mu, s->w, 1, s->stationary, 1);
  double gap = (primal - dual) / fmax(primal, zero / 1000);
  if (gap < s->best_gap) {
    s->best_gap = gap;
    s->best_mu = s->mu;
    for (size_t j = 0; j < s->d; j++) s->best_w[j] = shrink * s->w[j];
    memcpy(s->best_beta, s->pull, s->n * sizeof *s->pull);
  }
  return gap;
}

/* The mean of all products of a constraint with its multiplier after a step of length `part`. */
static double mean_product(const interior *s, double part) {
  double sum = (s->mu + part * s->dmu) * (s->h + part * s->dh);
  for (size_t i = 0; i < s->n; i++) {
    double t = s->t[i] + part * s->dt[i], r = s->r[i] + part * s->dr[i];
    sum += (s->a[i] + part * s->da[i]) * (t - r + s->tube) + (s->b[i] + part * s->db[i]) * (t + r + s->tube) +
           (s->c[i] + part * s->dc[i]) * t;
  }
  return sum / (double)(3 * s->n + 1);
}

/* The matrix X'DX + mu I + mu/h w w' of the system for dw, factored.  Added to the diagonal if it is not positive
 * definite to rounding (attributes that depend on each other and a ball that does not bind): a multiple of its size,
 * growing until it is. */
static int factor(interior *s) {
  size_t n = s->n, d = s->d;
  double most = 0, extra = 0;
  for (size_t i = 0; i < n; i++) {
    double u = s->t[i] - s->r[i] + s->tube, v = s->t[i] + s->r[i] + s->tube;
    double a = s->a[i] / u, b = s->b[i] / v, c = s->c[i] / s->t[i];
    double root = sqrt((4 * a * b + (a + b) * c) / (a + b + c));
    for (size_t j = 0; j < d; j++) s->scaled[i * d + j] = root * s->x[i * d + j];
  }
  for (int attempt = 0; attempt < 8; attempt++) {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)d, (int)n, 1, s->scaled, (int)d, 0, s->matrix, (int)d);
    cblas_dsyr(CblasColMajor, CblasLower, (int)d, s->mu / s->h, s->w, 1, s->matrix, (int)d);
    for (size_t j = 0; j < d; j++) {
      most = fmax(most, s->matrix[j * d + j]);
      s->matrix[j * d + j] += s->mu + extra;
    }
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)d, s->matrix, (lapack_int)d) == 0) return 1;
    extra = extra > 0 ? extra * 100 : 1e-15 * most;
  }
  return 0;
}

/* Solves for all differences, given the right-hand sides su, sv, st, sh and bend. */
static int direction(interior *s) {
  size_t n = s->n, d = s->d;
  double ball = (s->sh - s->mu * s->miss) / s->h;
  /* dt = (sum + slope dr) / total for each example, so a - b changes by a
   * constant (pull) and a multiple of dr (in the matrix). */
  for (size_t i = 0; i < n; i++) {
    double u = s->t[i] - s->r[i] + s->tube, v = s->t[i] + s->r[i] + s->tube;
    double a = s->a[i] / u, b = s->b[i] / v, total = a + b + s->c[i] / s->t[i];
    double sum = s->su[i] / u + s->sv[i] / v + s->st[i] / s->t[i] - (1 - s->a[i] - s->b[i] - s->c[i]);
    s->dt[i] = sum / total;
    s->pull[i] = s->su[i] / u - s->sv[i] / v - (a - b) * s->dt[i];
  }
  times_transposed(s, s->pull, s->right);
  for (size_t j = 0; j < d; j++) s->dw[j] = -s->stationary[j] - s->right[j] - s->w[j] * ball - s->bend[j];
  if (LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', (lapack_int)d, 1, s->matrix, (lapack_int)d, s->dw, (lapack_int)d) != 0)
    return 0;
  times(s, s->dw, s->dr);
  for (size_t i = 0; i < n; i++) {
    double u = s->t[i] - s->r[i] + s->tube, v = s->t[i] + s->r[i] + s->tube;
    double a = s->a[i] / u, b = s->b[i] / v, c = s->c[i] / s->t[i];
    s->dt[i] += s->dr[i] * (a - b) / (a + b + c);
    s->da[i] = s->su[i] / u - a * (s->dt[i] - s->dr[i]);
    s->db[i] = s->sv[i] / v - b * (s->dt[i] + s->dr[i]);
    s->dc[i] = s->st[i] / s->t[i] - c * s->dt[i];
  }
  s->dh = s->miss - cblas_ddot((int)d, s->w, 1, s->dw, 1);
  s->dmu = (s->sh - s->mu * s->dh) / s->h;
  return isfinite(s->dmu);
}

static double shorten(double part, double value, double change) {
  return change < 0 ? fmin(part, -value / change) : part;
}

/* The longest step <= 1 that keeps everything >= 0. */
static double longest(const interior *s) {
  double part = 1;
  for (size_t i = 0; i < s->n; i++) {
    part = shorten(part, s->t[i], s->dt[i]);
    part = shorten(part, s->t[i] - s->r[i] + s->tube, s->dt[i] - s->dr[i]);
    part = shorten(part, s->t[i] + s->r[i] + s->tube, s->dt[i] + s->dr[i]);
    part = shorten(part, s->a[i], s->da[i]);
    part = shorten(part, s->b[i], s->db[i]);
    part = shorten(part, s->c[i], s->dc[i]);
  }
  part = shorten(part, s->mu, s->dmu);
  part = shorten(part, s->h, s->dh);
  return part;
}

/* The right-hand sides that aim all products at `target`, with the second-order terms of the step now in the
 * differences times `weight`:  those of the products, of mu w (bend) and of ||w||^2 (miss). */
static void aim(interior *s, double target, double weight) {
  for (size_t i = 0; i < s->n; i++) {
    double u = s->t[i] - s->r[i] + s->tube, v = s->t[i] + s->r[i] + s->tube;
    s->su[i] = target - s->a[i] * u - weight * s->da[i] * (s->dt[i] - s->dr[i]);
    s->sv[i] = target - s->b[i] * v - weight * s->db[i] * (s->dt[i] + s->dr[i]);
    s->st[i] = target - s->c[i] * s->t[i] - weight * s->dc[i] * s->dt[i];
  }
  s->sh = target - s->mu * s->h - weight * s->dmu * s->dh;
  s->miss = ball_slack(s) - s->h - weight * cblas_ddot((int)s->d, s->dw, 1, s->dw, 1) / 2;
  for (size_t j = 0; j < s->d; j++) s->bend[j] = weight * s->dmu * s->dw[j];
}

/* h moves on its own and meets (B^2 - ||w||^2)/2 only in the end: if w had to stay in the ball, the curvature of the
 * sphere would make every second step short. */
static void advance(interior *s, double part) {
  for (size_t i = 0; i < s->n; i++) {
    s->t[i] += part * s->dt[i];
    s->a[i] += part * s->da[i];
    s->b[i] += part * s->db[i];
    s->c[i] += part * s->dc[i];
  }
  cblas_daxpy((int)s->d, part, s->dw, 1, s->w, 1);
  s->mu += part * s->dmu;
  s->h += part * s->dh;
}

/* Rounding must not leave a constraint at or below 0: measure recomputes r. */
static int is_inside(const interior *s) {
  if (!(s->h > 0 && s->mu > 0)) return 0;
  for (size_t i = 0; i < s->n; i++)
    if (!(s->t[i] > fabs(s->r[i]) - s->tube && s->t[i] > 0 && s->a[i] > 0 && s->b[i] > 0 && s->c[i] > 0)) return 0;
  return 1;
}

static void iterate(interior *s) {
  double zero = 0;
  for (size_t i = 0; i < s->n; i++) zero += fmax(0, fabs(s->y[i]) - s->tube);
  for (size_t i = 0; i < s->n; i++) {
    s->t[i] = fabs(s->y[i]) + zero / (double)s->n;
    s->r[i] = -s->y[i];
    s->a[i] = s->b[i] = s->c[i] = 1.0 / 3;
  }
  s->h = ball_slack(s);
  s->mu = mean_product(s, 0) / s->h;
  for (int step = 0; step < STEPS; step++) {
    if (measure(s, zero) <= GAP_AIM || !is_inside(s) || !factor(s)) return;
    aim(s, 0, 0);
    if (!direction(s)) return;
    double now = mean_product(s, 0), part = longest(s), ratio = mean_product(s, part) / now;
    aim(s, now * ratio * ratio * ratio, part * part);
    if (!direction(s)) return;
    advance(s, 0.99 * longest(s));
  }
}

static scant_status solve_reduced(interior *s, const reduction *m, const scant_dense *p, double *w, double *beta,
                                  double *lambda, scant_error *error) {
  size_t n = s->n = p->n, d = s->d = m->d;
  s->x = m->x;
  s->y = p->y;
  double *room = scant_array(n * (d + 15) + d * (d + 6), sizeof *room);
  if (!room) return scant_fail_memory(error);
  double **const of_n[] = {&s->t,  &s->r,  &s->a,  &s->b,  &s->c,  &s->dt,   &s->dr,       &s->da,
                           &s->db, &s->dc, &s->su, &s->sv, &s->st, &s->pull, &s->best_beta};
  double **const of_d[] = {&s->w, &s->dw, &s->right, &s->bend, &s->stationary, &s->best_w};
  double *next = room;
  for (size_t i = 0; i < sizeof of_n / sizeof *of_n; i++, next += n) *of_n[i] = next;
  for (size_t i = 0; i < sizeof of_d / sizeof *of_d; i++, next += d) *of_d[i] = next;
  s->scaled = next;
  s->matrix = next + n * d;
  s->best_gap = INFINITY;
  iterate(s);
  scant_status status = SCANT_OK;
  if (!(s->best_gap <= GAP_FAIL))
    status =
        scant_fail(error, SCANT_DATA, "the support vector regression stopped at a relative gap of %.1e", s->best_gap);
  if (status == SCANT_OK) status = reduction_undo(m, p, s->best_w, w, error);
  if (status == SCANT_OK && beta) memcpy(beta, s->best_beta, n * sizeof *beta);
  if (status == SCANT_OK) *lambda = s->best_mu / (double)n;
  free(room);
  return status;
}

/* Nothing to learn: every target is in the tube, or every attribute is 0. */
static int is_trivial(const scant_dense *p) {
  for (size_t i = 0; i < p->n * p->d; i++)
    if (p->x[i] != 0) return 0;
  return 1;
}

scant_status scant_svr_solve(const scant_dense *p, double tube, double radius, double *w, double *beta, double *lambda,
                             scant_error *error) {
  if (!(radius > 0 && radius < INFINITY))
    return scant_fail(error, SCANT_USAGE, "the radius must be above 0 and finite, not %g", radius);
  if (!(tube >= 0 && tube < INFINITY))
    return scant_fail(error, SCANT_USAGE, "the tube must be 0 or above and finite, not %g", tube);
  SCANT_TRY(scant_dense_check(p, error));
  double beyond = 0;
  for (size_t i = 0; i < p->n; i++) beyond = fmax(beyond, fabs(p->y[i]) - tube);
  if (beyond <= 0 || is_trivial(p)) { /* w = 0 is best: beta proves it */
    memset(w, 0, p->d * sizeof *w);
    for (size_t i = 0; beta && i < p->n; i++) beta[i] = fabs(p->y[i]) <= tube ? 0 : p->y[i] > 0 ? -1 : 1;
    *lambda = 0;
    return SCANT_OK;
  }
  interior s = {.tube = tube, .radius = radius};
  reduction m = {0};
  scant_status status = p->n < p->d ? reduce_rows(&m, p, error) : reduce_columns(&m, p, error);
  if (status == SCANT_OK) status = solve_reduced(&s, &m, p, w, beta, lambda, error);
  scant_arrays_free(&m.arrays);
  return status;
}
