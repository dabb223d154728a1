#include "dense/gaussian/em.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "dense/gaussian/target.h"
#include "dense/lapack.h"

typedef struct {
  size_t n;
  scant_expectation *expectation;
  scant_normal point; /* where the expectation is taken */
  double *previous;   /* the covariance before the last */
  double *target, *scratch, *delta;
} room;

double scant_em_bytes(double n, double most) {
  return scant_expectation_bytes(n, most) + 8 * (6 * n * n + 4 * n);
}

static void room_free(room *r) {
  scant_expectation_free(r->expectation);
  scant_normal_free(&r->point);
  free(r->previous);
  free(r->target);
  free(r->scratch);
  free(r->delta);
}

static int room_new(room *r, const scant_seen *seen, unsigned threads) {
  size_t n = r->n = seen->variables;
  r->previous = scant_array(n * n, sizeof(double));
  r->target = scant_array(n * n, sizeof(double));
  r->scratch = scant_array(2 * n * n + 2 * n, sizeof(double));
  r->delta = scant_array(n, sizeof(double));
  return r->previous && r->target && r->scratch && r->delta && scant_normal_new(&r->point, n) &&
         scant_expectation_new(&r->expectation, seen, threads);
}

/* log det of a copy, and the copy is the factor; NaN if not positive definite. */
static double log_determinant(size_t n, const double *matrix, double less, double *copy) {
  memcpy(copy, matrix, n * n * sizeof *copy);
  for (size_t i = 0; i < n; i++) copy[i * n + i] -= less;
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, copy, (lapack_int)n)) return NAN;
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += 2 * log(copy[i * n + i]);
  return sum;
}

/* -1/2 nu (log det S + tr S^-1 T). */
static double log_prior(room *r, const scant_em_options *o) {
  size_t n = r->n;
  double log_det = log_determinant(n, r->point.covariance, 0, r->scratch), trace = 0;
  if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, r->scratch, (lapack_int)n)) return NAN;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) trace += (i == j ? 1 : 2) * r->scratch[i * n + j] * o->held[i * n + j];
  return -0.5 * o->factors * (log_det + trace);
}

/* The first guess is poor: early steps may gain little. */
enum { STEPS_FEWEST = 10 };

/* ---- one step --------------------------------------------------------------------- */

/* S + b (S - S_previous), if that is safely positive definite. */
static int extrapolate(room *r, const scant_normal *now, unsigned k) {
  size_t n = r->n;
  double b = (double)k / (double)(k + 3);
  memcpy(r->point.mean, now->mean, n * sizeof(double));
  for (size_t i = 0; i < n * n; i++)
    r->point.covariance[i] = now->covariance[i] + b * (now->covariance[i] - r->previous[i]);
  return isfinite(log_determinant(n, r->point.covariance, 1e-5, r->scratch));
}

static void stay(room *r, const scant_normal *now) {
  memcpy(r->point.mean, now->mean, r->n * sizeof(double));
  memcpy(r->point.covariance, now->covariance, r->n * r->n * sizeof(double));
}

/* The expected moments S^ into now, from the expectation at the point. */
static void maximise(room *r, const scant_seen *seen, scant_normal *now) {
  size_t n = r->n;
  int size = (int)n;
  double m = (double)seen->examples, *z = r->point.covariance, *scatter = scant_expectation_m(r->expectation);
  cblas_dsymv(CblasColMajor, CblasUpper, size, 1 / m, z, size, scant_expectation_g(r->expectation), 1, 0, r->delta, 1);
  cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, size, 1 / m, scatter, size, z, size, 0, r->scratch, size);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, z, size, r->scratch, size, 0,
              now->covariance, size);
  for (size_t i = 0; i < n; i++) {
    now->mean[i] = r->point.mean[i] + r->delta[i];
    for (size_t j = 0; j <= i; j++) {
      double product = 0.5 * (now->covariance[i * n + j] + now->covariance[j * n + i]);
      now->covariance[i * n + j] = z[i * n + j] - product - r->delta[i] * r->delta[j];
    }
  }
  scant_mirror(n, now->covariance);
}

/* Mixes in the prior: (m S^ + nu T)/(m + nu). */
static scant_status shrink(room *r, const scant_em_options *o, double m, scant_normal *now, scant_error *error) {
  size_t n = r->n;
  const double *target = o->held;
  double noise = o->held ? 0 : o->noise;
  if (!target && o->factors > 0) {
    SCANT_TRY(scant_target_fill(n, now->covariance, o->rank, r->target, r->scratch, error));
    target = r->target;
  }
  double factors = target ? o->factors : 0, all = m + factors + noise;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++)
      now->covariance[i * n + j] = (m * now->covariance[i * n + j] + (target ? factors * target[i * n + j] : 0)) / all;
    now->covariance[i * n + i] += noise / all;
  }
  return SCANT_OK;
}

scant_status scant_em_run(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                          double *likelihood, double *trace, scant_error *error) {
  room r = {0};
  const scant_em_options *o = options;
  double m = (double)seen->examples, before = -INFINITY;
  if (!room_new(&r, seen, o->threads)) {
    room_free(&r);
    return scant_fail_memory(error);
  }
  scant_status status = SCANT_OK;
  int settled = 0;
  double least = o->tolerance * (double)seen->first[seen->examples] / m;
  for (unsigned step = 0, k = 0; status == SCANT_OK && !settled && step < o->steps; step++) {
    if (!o->accelerated || !k || !extrapolate(&r, normal, k)) {
      k = 0;
      stay(&r, normal);
    }
    double now = scant_expect(r.expectation, seen, &r.point);
    if (!isfinite(now) && k) { /* too far */
      k = 0;
      stay(&r, normal);
      now = scant_expect(r.expectation, seen, &r.point);
    }
    *likelihood = now;
    if (trace) trace[step] = now + (o->held ? log_prior(&r, o) / m : 0);
    if (!isfinite(now)) status = scant_fail(error, SCANT_DATA, "the covariance became singular");
    settled = o->tolerance > 0 && step >= STEPS_FEWEST && now - before < least;
    k = now < before && k ? 0 : k + 1;
    before = now;
    memcpy(r.previous, normal->covariance, r.n * r.n * sizeof(double));
    maximise(&r, seen, normal);
    if (status == SCANT_OK) status = shrink(&r, o, m, normal, error);
  }
  room_free(&r);
  return status;
}

/* ---- the start --------------------------------------------------------------------- */

enum { PAIRS_PRIOR = 20 };

/* Sums of products into the lower triangle of sums, numbers of pairs into counts. */
static void count_pairs(const scant_seen *seen, double *sums, double *counts) {
  size_t n = seen->variables;
  for (size_t e = 0; e < seen->examples; e++)
    for (size_t i = seen->first[e]; i < seen->first[e + 1]; i++)
      for (size_t j = seen->first[e]; j <= i; j++) {
        size_t place = seen->variable[i] * n + seen->variable[j];
        sums[place] += seen->value[i] * seen->value[j];
        counts[place]++;
      }
}

/* Eigenvalues are raised to a floor. */
static scant_status make_positive(size_t n, double *matrix, double floor, double *scratch, scant_error *error) {
  lapack_int size = (lapack_int)n;
  double *values = scratch + n * n;
  lapack_int bad = scant_lapack_eigen('U', n, matrix, values);
  if (bad == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (bad) return scant_fail(error, SCANT_DATA, "the eigenvalues of the correlations can't be found");
  for (size_t k = 0; k < n; k++)
    for (size_t i = 0; i < n; i++) matrix[k * n + i] *= sqrt(fmax(values[k], floor));
  cblas_dsyrk(CblasColMajor, CblasUpper, CblasNoTrans, size, size, 1, matrix, size, 0, scratch, size);
  memcpy(matrix, scratch, n * n * sizeof *matrix);
  scant_mirror(n, matrix);
  return SCANT_OK;
}

scant_status scant_em_start(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                            scant_error *error) {
  size_t n = seen->variables;
  double *counts = scant_array(n * n, sizeof *counts), *scratch = scant_array(2 * n * n + 2 * n, sizeof *scratch);
  double *p = normal->covariance;
  if (!counts || !scratch) {
    free(counts);
    free(scratch);
    return scant_fail_memory(error);
  }
  memset(normal->mean, 0, n * sizeof *normal->mean);
  memset(p, 0, n * n * sizeof *p);
  count_pairs(seen, p, counts);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < i; j++) p[i * n + j] /= counts[i * n + j] + PAIRS_PRIOR;
    p[i * n + i] = (p[i * n + i] + 2) / (counts[i * n + i] + 2);
  }
  scant_mirror(n, p);
  scant_status status = make_positive(n, p, 0.01, scratch, error);
  if (status == SCANT_OK) status = scant_target_fill(n, p, options->rank, counts, scratch, error);
  for (size_t i = 0; status == SCANT_OK && i < n * n; i++) p[i] = 0.3 * p[i] + 0.7 * counts[i];
  free(counts);
  free(scratch);
  return status;
}
