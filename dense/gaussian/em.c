#include "gaussian/em.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "blas.h"
#include "lapack.h"

typedef struct {
  size_t n;
  const scant_em_options *options;
  const scant_expecter *expecter;
  double examples;
  scant_em_sums expected;       /* of the last expectation step */
  scant_normal one, two, point; /* after one step, after two, and where the third starts */
  double *scratch, *delta, *w;
  scant_arrays arrays;
} room;

double scant_em_own_bytes(double n) {
  return 8 * (4 * n * n + 5 * n);
}

double scant_em_bytes(double n, double most) {
  return scant_expectation_bytes(n, most) + scant_em_own_bytes(n);
}

static int room_new(room *r) {
  size_t n = r->n = r->expecter->variables;
  r->examples = r->expecter->examples;
  r->scratch = scant_arrays_add(&r->arrays, n * n, sizeof(double));
  r->delta = scant_arrays_add(&r->arrays, n, sizeof(double));
  r->w = scant_arrays_add(&r->arrays, n, sizeof(double));
  scant_normal_add(&r->one, n, &r->arrays);
  scant_normal_add(&r->two, n, &r->arrays);
  scant_normal_add(&r->point, n, &r->arrays);
  return !r->arrays.failed;
}

/* -1/2 noise (log det S + tr S^-1) per example; -infinity if S is not positive definite. */
static double log_prior(room *r, const scant_normal *at) {
  size_t n = r->n;
  double log_det = 0, trace = 0, *factor = r->scratch;
  memcpy(factor, at->covariance, n * n * sizeof *factor);
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, factor, (lapack_int)n)) return -INFINITY;
  if (r->options->noise == 0) return 0;
  for (size_t i = 0; i < n; i++) log_det += 2 * log(factor[i * n + i]);
  if (LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, factor, (lapack_int)n)) return -INFINITY;
  for (size_t i = 0; i < n; i++) trace += factor[i * n + i];
  return -0.5 * r->options->noise * (log_det + trace) / r->examples;
}

/* ---- one step --------------------------------------------------------------------- */

/* Products are cut into panels of columns, always in the same way, so that threads do not change their bits. */
enum { PANELS = 4, PANELLED_FEWEST = 160 };

typedef struct {
  room *r;
  const scant_normal *from;
  double *to;
  size_t panels;
} product;

/* Columns of S (M/m) S, from the diagonal down. */
static scant_status multiply(void *user, size_t job, scant_error *error) {
  const product *p = user;
  size_t n = p->r->n, first = job * n / p->panels, last = (job + 1) * n / p->panels;
  int size = (int)n, columns = (int)(last - first);
  const double *z = p->from->covariance, *scatter = p->r->expected.m;
  double *half = p->r->scratch + first * n;
  (void)error;
  cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, size, columns, 1 / p->r->examples, scatter, size, z + first * n,
              size, 0, half, size);
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, size - (int)first, columns, size, 1, z + first, size, half,
              size, 0, p->to + first * n + first, size);
  return SCANT_OK;
}

/* The lower triangle by rows into the upper one. */
static void mirror(size_t n, double *matrix) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) matrix[j * n + i] = matrix[i * n + j];
}

/* The expected moments, mixed with the prior, into `to`; from the expectation at `from`. */
static void maximise(room *r, const scant_normal *from, scant_normal *to) {
  size_t n = r->n;
  double m = r->examples, noise = r->options->noise;
  product p = {r, from, to->covariance, n < PANELLED_FEWEST ? 1 : PANELS};
  cblas_dsymv(CblasColMajor, CblasUpper, (int)n, 1 / m, from->covariance, (int)n, r->expected.g, 1, 0, r->delta, 1);
  scant_blas_jobs(p.panels, r->options->threads, multiply, &p, NULL); /* the jobs can't fail */
  for (size_t i = 0; i < n; i++) {
    to->mean[i] = from->mean[i] + r->delta[i];
    for (size_t j = 0; j <= i; j++) {
      double moment = from->covariance[i * n + j] - to->covariance[j * n + i] - r->delta[i] * r->delta[j];
      to->covariance[i * n + j] = m * moment / (m + noise);
    }
    to->covariance[i * n + i] += noise / (m + noise);
  }
  mirror(n, to->covariance);
}

static scant_status expect(room *r, const scant_normal *at, scant_error *error) {
  return r->expecter->expect(r->expecter->user, at, &r->expected, error);
}

/* *likelihood: the mean at `from`; NaN if it is not positive definite. */
static scant_status step(room *r, const scant_normal *from, scant_normal *to, double *likelihood, scant_error *error) {
  SCANT_TRY(expect(r, from, error));
  maximise(r, from, to);
  *likelihood = r->expected.likelihood;
  return SCANT_OK;
}

/* ---- a round of three ---------------------------------------------------------------- */

/* How far to go along the steps, at most. */
#define FARTHEST 64

static double distance_squared(size_t count, const double *a, const double *b, const double *c) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double x = c ? a[i] - 2 * b[i] + c[i] : a[i] - b[i];
    sum += x * x;
  }
  return sum;
}

static void extrapolate(size_t count, double a, const double *zero, const double *one, const double *two, double *to) {
  for (size_t i = 0; i < count; i++) {
    double r = one[i] - zero[i], v = two[i] - 2 * one[i] + zero[i];
    to[i] = zero[i] - 2 * a * r + a * a * v;
  }
}

/* Where the third step starts, and the logarithm of its prior. */
static double choose_point(room *r, const scant_normal *now) {
  size_t n = r->n;
  const double *zero = now->covariance, *one = r->one.covariance, *two = r->two.covariance;
  double bend = distance_squared(n * n, two, one, zero), prior = -INFINITY;
  double a = -fmin(fmax(sqrt(distance_squared(n * n, one, zero, NULL) / fmax(bend, 1e-300)), 1), FARTHEST);
  while (a < -1.01) {
    extrapolate(n * n, a, zero, one, two, r->point.covariance);
    extrapolate(n, a, now->mean, r->one.mean, r->two.mean, r->point.mean);
    prior = log_prior(r, &r->point);
    if (isfinite(prior)) return prior;
    a = (a - 1) / 2;
  }
  scant_normal_copy(&r->point, &r->two);
  return log_prior(r, &r->point);
}

/* *likelihood: at the point the last step started from that was kept. */
static scant_status three_steps(room *r, scant_normal *now, double *likelihood, scant_error *error) {
  double first, third;
  SCANT_TRY(step(r, now, &r->one, &first, error));
  SCANT_TRY(step(r, &r->one, &r->two, &first, error));
  double least = first + log_prior(r, &r->one), prior = choose_point(r, now);
  SCANT_TRY(step(r, &r->point, now, &third, error));
  *likelihood = third;
  if (third + prior >= least - 1e-9 * fabs(least)) return SCANT_OK;
  scant_normal_copy(now, &r->two);
  *likelihood = first;
  return SCANT_OK;
}

/* ---- all of them ----------------------------------------------------------------------- */

enum { ROUNDS_COMPARED = 2 };
#define SHARE_PENALTY 1e-3

/* The share of the target's variance that a regressor on all other variables explains. */
static double explained(room *r, const scant_normal *now) {
  size_t n = r->n;
  const double *target = now->covariance + (n - 1) * n;
  double share = 0;
  if (!scant_regress(now, NULL, NULL, SHARE_PENALTY, r->w, r->scratch)) return NAN;
  for (size_t j = 0; j + 1 < n; j++) share += r->w[j] * target[j] / target[n - 1];
  return share;
}

typedef struct {
  scant_normal *normal;
  double *likelihood, *trace;
  unsigned used; /* expectation steps so far */
} course;

static scant_status run(room *r, course *c, scant_error *error) {
  const scant_em_options *options = r->options;
  double shares[ROUNDS_COMPARED + 1] = {NAN, NAN, NAN};
  int settled = 0, stopped = 0;
  for (size_t round = 0; !settled && !stopped && c->used < options->steps && isfinite(*c->likelihood); round++) {
    if (c->trace) {
      SCANT_TRY(expect(r, c->normal, error));
      c->trace[round] = r->expected.likelihood + log_prior(r, c->normal);
    }
    if (options->steps - c->used < 3) {
      SCANT_TRY(step(r, c->normal, &r->one, c->likelihood, error));
      scant_normal_copy(c->normal, &r->one);
      c->used++;
      stopped = scant_thinking_step(options->thinking, 1);
      continue;
    }
    SCANT_TRY(three_steps(r, c->normal, c->likelihood, error));
    c->used += 3;
    stopped = scant_thinking_step(options->thinking, 3);
    if (options->settled == 0 || stopped) continue;
    double *share = &shares[round % (ROUNDS_COMPARED + 1)], before = shares[(round + 1) % (ROUNDS_COMPARED + 1)];
    *share = explained(r, c->normal);
    settled = fabs(*share - before) < options->settled; /* not while the one before is not known */
  }
  return isfinite(*c->likelihood) ? SCANT_OK : scant_fail(error, SCANT_DATA, "the covariance became singular");
}

scant_status scant_em_run_by(const scant_expecter *expecter, const scant_em_options *options, scant_normal *normal,
                             double *likelihood, double *trace, unsigned *taken, scant_error *error) {
  room r = {.expecter = expecter, .options = options};
  double unused;
  if (!likelihood) likelihood = &unused;
  *likelihood = 0;
  course c = {normal, likelihood, trace, 0};
  int begun = !expecter->begin || expecter->begin(expecter->user, options->threads);
  scant_status status = begun && room_new(&r) ? run(&r, &c, error) : scant_fail_memory(error);
  if (begun && expecter->end) expecter->end(expecter->user);
  scant_arrays_free(&r.arrays);
  if (taken) *taken = c.used;
  return status;
}

scant_status scant_em_approach_by(const scant_expecter *expecter, const scant_em_options *options, scant_normal *normal,
                                  scant_error *error) {
  scant_em_options o = *options;
  o.steps = 3;
  scant_normal_reset(normal);
  o.noise = 300;
  while (o.noise > 2 * options->noise) {
    SCANT_TRY(scant_em_run_by(expecter, &o, normal, NULL, NULL, NULL, error));
    o.noise /= 4;
  }
  return SCANT_OK;
}

/* ---- on examples in memory ------------------------------------------------------------------ */

static scant_status expect_rows(void *user, const scant_normal *at, scant_em_sums *expected, scant_error *error) {
  scant_rows *rows = user;
  (void)error;
  scant_expect(rows->expectation, rows->seen, at, expected);
  return SCANT_OK;
}

static scant_status measure_rows(void *user, const scant_normal *at, const double *factor, double penalty,
                                 scant_own *measured, scant_error *error) {
  const scant_rows *rows = user;
  return scant_own_measure(rows->seen, at, factor, penalty, measured, error);
}

static int begin(void *user, unsigned threads) {
  scant_rows *rows = user;
  return scant_expectation_new(&rows->expectation, rows->seen, threads);
}

static void end(void *user) {
  scant_rows *rows = user;
  scant_expectation_free(rows->expectation);
  rows->expectation = NULL;
}

scant_expecter scant_rows_expecter(scant_rows *rows) {
  return (scant_expecter){
      rows->seen->variables, (double)rows->seen->examples, rows, expect_rows, measure_rows, begin, end};
}

scant_status scant_em_run(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                          double *likelihood, double *trace, unsigned *taken, scant_error *error) {
  scant_rows rows = {.seen = seen};
  scant_expecter expecter = scant_rows_expecter(&rows);
  return scant_em_run_by(&expecter, options, normal, likelihood, trace, taken, error);
}

scant_status scant_em_approach(const scant_seen *seen, const scant_em_options *options, scant_normal *normal,
                               scant_error *error) {
  scant_rows rows = {.seen = seen};
  scant_expecter expecter = scant_rows_expecter(&rows);
  return scant_em_approach_by(&expecter, options, normal, error);
}
