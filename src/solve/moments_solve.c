/* From sums over pairs to a regressor: correlations, made positive; a path of ridge
 * or lasso solutions; the penalty by folds. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "solve/moments.h"
#include "solve/parallel.h"

enum { FOLDS = SCANT_MOMENTS_FOLDS, ALL = FOLDS, PATH_MOST = 32 };

#define STANDARD_ERRORS 2
/* Eigenvalues are raised to this part of the largest. */
#define FLOOR 1e-10
#define RIDGE_STEP 0.5
#define LASSO_STEP 0.7071067811865476
#define SWEEPS_MOST 1000
#define SWEEP_TOLERANCE 1e-9

/* An attribute is divided by the root of its squares with the largest counted this
 * much more often: what was seldom off its mean has told little of itself, and in
 * its own deviation it would be huge when it is off again. */
#define RARITY 10

/* A problem in learning units: minimise 1/2 v'Rv - b'v + penalty. */
typedef struct {
  const scant_learner *learner;
  const scant_moments_state *state;
  int without; /* the fold left out, or ALL for none */
  size_t a;    /* attributes that vary */
  uint32_t *attribute;
  double *mean;              /* about the reference point */
  double *deviation, *scale; /* scale: the unit */
  double examples, y_mean, y_scale;
  double *r;     /* a x a, column-major, lower triangle; then eigenvectors; lasso: then R again */
  double *b, *s; /* of R: eigenvalues */
  double *path;  /* one solution after the other */
} problem;

typedef struct {
  const scant_learner *learner;
  const scant_moments_state *state;
  size_t penalties;
  double penalty[PATH_MOST]; /* falling */
  problem all;
  double base[FOLDS], score[FOLDS][PATH_MOST]; /* of the constant, and of each penalty */
} search;

static void close_problem(problem *p) {
  free(p->attribute);
  free(p->mean);
  free(p->r);
  free(p->path);
}

/* ---- sums ------------------------------------------------------------------- */

/* Sums of a pair; si is of x_i, sj of x_j. */
typedef struct {
  double n, si, sj, product;
} pair;

static pair pair_in(const scant_pairs *f, size_t i, size_t j) {
  size_t at = scant_pairs_at(i, j), d = f->d;
  return (pair){f->count[at], f->sum[i * d + j], f->sum[j * d + i], f->product[at]};
}

/* Over all folds but one. */
static pair pair_of(const scant_moments_state *s, int without, size_t i, size_t j) {
  pair total = {0};
  for (int f = 0; f < FOLDS; f++) {
    if (f == without) continue;
    pair one = pair_in(&s->fold[f], i, j);
    total.n += one.n;
    total.si += one.si;
    total.sj += one.sj;
    total.product += one.product;
  }
  return total;
}

/* The same of an attribute and the target. */
static pair target_of(const scant_moments_state *s, int without, size_t i) {
  pair total = {0};
  for (int f = 0; f < FOLDS; f++) {
    const scant_pairs *p = &s->fold[f];
    if (f == without) continue;
    total.n += p->count[scant_pairs_at(i, i)];
    total.si += p->sum[i * p->d + i];
    total.sj += p->y_sum[i];
    total.product += p->y_product[i];
  }
  return total;
}

/* Sum of (x_i - a)(x_j - c). */
static double about(pair p, double a, double c) {
  return p.product - a * p.sj - c * p.si + p.n * a * c;
}

/* ---- correlations -------------------------------------------------------------- */

/* Means and deviations; which attributes vary. */
static void measure(problem *p) {
  const scant_moments_state *s = p->state;
  double y = 0, yy = 0, squares = 0;
  for (int f = 0; f < FOLDS; f++) {
    if (f == p->without) continue;
    p->examples += (double)s->fold[f].examples;
    y += s->fold[f].y;
    yy += s->fold[f].yy;
  }
  p->y_mean = p->examples > 0 ? y / p->examples : 0;
  p->y_scale = p->examples > 0 ? sqrt(fmax(0, yy / p->examples - p->y_mean * p->y_mean)) : 0;
  for (size_t i = 0; i < s->fold[0].d; i++) {
    pair one = pair_of(s, p->without, i, i);
    double mean = one.n > 0 ? one.si / one.n : 0, squared = about(one, mean, mean);
    if (one.n < 2 || !(squared > 0)) continue;
    p->attribute[p->a] = (uint32_t)i;
    p->mean[p->a] = mean;
    p->deviation[p->a] = sqrt(squared / one.n);
    p->scale[p->a++] = sqrt((squared + RARITY * p->learner->moments[i].largest) / one.n);
    squares += squared / one.n;
  }
  /* in like units, one unit for all: the root of the mean variance */
  for (size_t k = 0; p->learner->settings.like_units && k < p->a; k++) p->scale[k] = sqrt(squares / (double)p->a);
}

static double clip(double x) {
  return x > 1 ? 1 : x < -1 ? -1 : x;
}

/* The factor of a correlation from n of all examples, when squared ones are t on
 * average. */
static double shrink(double t, double n, double examples) {
  double excess = 1 / n - 1 / examples;
  return excess > 0 ? t / (t + excess) : 1;
}

/* What squared correlations are on average, from those with noise of about 1/n. */
typedef struct {
  double squares, counts;
} spread;

static double typical(spread s, double examples) {
  double least = 1 / examples;
  return s.counts > 0 ? fmax(least, s.squares / s.counts) : least;
}

static void correlate(problem *p) {
  const scant_moments_state *s = p->state;
  size_t a = p->a;
  spread x = {0, 0}, y = {0, 0};
  for (size_t k = 0; k < a; k++) {
    size_t i = p->attribute[k];
    for (size_t q = 0; q < k; q++) {
      pair one = pair_of(s, p->without, i, p->attribute[q]);
      double c = one.n > 0 ? clip(about(one, p->mean[k], p->mean[q]) / one.n / p->deviation[k] / p->deviation[q]) : 0;
      p->r[q * a + k] = c;
      p->r[k * a + q] = one.n; /* for now */
      x.squares += one.n > 0 ? one.n * c * c - 1 : 0;
      x.counts += one.n;
    }
    pair one = target_of(s, p->without, i);
    p->r[k * a + k] = one.n;
    p->b[k] = clip(about(one, p->mean[k], p->y_mean) / one.n / p->deviation[k] / p->y_scale);
    y.squares += one.n * p->b[k] * p->b[k] - 1;
    y.counts += one.n;
  }
  double tx = typical(x, p->examples), ty = typical(y, p->examples);
  for (size_t k = 0; k < a; k++) {
    double unit = p->deviation[k] / p->scale[k];
    for (size_t q = 0; q < k; q++) {
      double n = p->r[k * a + q], other = p->deviation[q] / p->scale[q];
      p->r[q * a + k] *= n > 0 ? shrink(tx, n, p->examples) * unit * other : 0;
    }
    p->b[k] *= shrink(ty, p->r[k * a + k], p->examples) * unit;
    p->r[k * a + k] = unit * unit;
  }
}

/* ---- the path ------------------------------------------------------------------- */

/* R = V S V' with S positive; V in p->r. */
static scant_status decompose(problem *p, scant_error *error) {
  lapack_int a = (lapack_int)p->a;
  lapack_int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', a, p->r, a, p->s);
  if (info == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (info != 0) return scant_fail(error, SCANT_DATA, "the eigenvalues of the moments can't be computed");
  for (size_t k = 0; k < p->a; k++) p->s[k] = fmax(p->s[k], FLOOR * p->s[p->a - 1]);
  return SCANT_OK;
}

static scant_status ridge_path(problem *p, const double *penalty, size_t count, scant_error *error) {
  int a = (int)p->a;
  double *c = scant_array(2 * p->a, sizeof *c), *z = c + a;
  if (!c) return scant_fail_memory(error);
  cblas_dgemv(CblasColMajor, CblasTrans, a, a, 1, p->r, a, p->b, 1, 0, c, 1);
  for (size_t l = 0; l < count; l++) {
    for (int k = 0; k < a; k++) z[k] = c[k] / (p->s[k] + penalty[l]);
    cblas_dgemv(CblasColMajor, CblasNoTrans, a, a, 1, p->r, a, z, 1, 0, p->path + l * p->a, 1);
  }
  free(c);
  return SCANT_OK;
}

/* One round of coordinate descent; g = b - R v.  Returns the largest move. */
static double sweep(const problem *p, const double *r, double penalty, double *v, double *g) {
  int a = (int)p->a;
  double largest = 0;
  for (int k = 0; k < a; k++) {
    double own = r[k * a + k], pull = g[k] + own * v[k];
    double next = pull > penalty ? (pull - penalty) / own : pull < -penalty ? (pull + penalty) / own : 0;
    double move = next - v[k];
    if (move == 0) continue;
    cblas_daxpy(a, -move, r + (size_t)k * p->a, 1, g, 1);
    v[k] = next;
    largest = fmax(largest, fabs(move) * sqrt(own));
  }
  return largest;
}

static scant_status lasso_path(problem *p, const double *penalty, size_t count, scant_error *error) {
  int a = (int)p->a;
  double *scaled = scant_array(p->a * p->a, sizeof *scaled), *r = scant_array(p->a * p->a, sizeof *r);
  double *g = scant_array(p->a, sizeof *g);
  if (scaled && r && g) {
    for (size_t k = 0; k < p->a; k++)
      for (size_t q = 0; q < p->a; q++) scaled[k * p->a + q] = p->r[k * p->a + q] * p->s[k];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, a, a, a, 1, scaled, a, p->r, a, 0, r, a);
    memcpy(g, p->b, p->a * sizeof *g);
    for (size_t l = 0; l < count; l++) {
      double *v = p->path + l * p->a;
      if (l) memcpy(v, v - p->a, p->a * sizeof *v);
      for (int round = 0; round < SWEEPS_MOST && sweep(p, r, penalty[l], v, g) > SWEEP_TOLERANCE; round++) continue;
    }
  }
  scant_status status = scaled && r && g ? SCANT_OK : scant_fail_memory(error);
  free(scaled);
  free(r);
  free(g);
  return status;
}

/* A problem with its path; r is let go of. */
static scant_status open_problem(problem *p, const search *h, int without, scant_error *error) {
  size_t d = h->state->fold[0].d;
  *p = (problem){.learner = h->learner, .state = h->state, .without = without};
  p->attribute = scant_array(d, sizeof *p->attribute);
  p->mean = scant_array(5 * d, sizeof *p->mean);
  if (!p->attribute || !p->mean) return scant_fail_memory(error);
  p->deviation = p->mean + d;
  p->scale = p->deviation + d;
  p->b = p->scale + d;
  p->s = p->b + d;
  measure(p);
  if (!(p->y_scale > 0)) p->a = 0; /* nothing to explain */
  p->path = scant_array(p->a * h->penalties, sizeof *p->path);
  p->r = scant_array(p->a * p->a, sizeof *p->r);
  if (!p->path || !p->r) return scant_fail_memory(error);
  if (!p->a) return SCANT_OK;
  correlate(p);
  SCANT_TRY(decompose(p, error));
  SCANT_TRY((h->learner->settings.norm == SCANT_NORM_1 ? lasso_path : ridge_path)(p, h->penalty, h->penalties, error));
  return SCANT_OK;
}

/* ---- folds ----------------------------------------------------------------------- */

/* The moments of the fold left out, about the means and in the units of the
 * others, into p->r and p->b; returns that of the target. */
static double judge_moments(problem *p) {
  const scant_moments_state *s = p->state;
  const scant_pairs *fold = &s->fold[p->without];
  double n = (double)fold->examples, all = p->examples + n, y = p->y_mean;
  for (size_t k = 0; k < p->a; k++) {
    size_t i = p->attribute[k];
    for (size_t q = 0; q <= k; q++) {
      size_t j = p->attribute[q];
      double count = pair_of(s, ALL, i, j).n;
      double sum = count > 0 ? about(pair_in(fold, i, j), p->mean[k], p->mean[q]) : 0;
      p->r[q * p->a + k] = count > 0 ? sum * all / (count * n) / p->scale[k] / p->scale[q] : 0;
    }
    pair one = {fold->count[scant_pairs_at(i, i)], fold->sum[i * fold->d + i], fold->y_sum[i], fold->y_product[i]};
    p->b[k] = about(one, p->mean[k], y) * all / (pair_of(s, ALL, i, i).n * n) / p->scale[k] / p->y_scale;
  }
  return (fold->yy - 2 * y * fold->y + n * y * y) / n;
}

static void judge(problem *p, search *h, double *scratch) {
  int f = p->without, a = (int)p->a;
  double own = judge_moments(p), unit = p->y_scale * p->y_scale;
  h->base[f] = own;
  for (size_t l = 0; l < h->penalties; l++) {
    double *v = p->path + l * p->a;
    h->score[f][l] = own;
    if (!a) continue;
    cblas_dsymv(CblasColMajor, CblasLower, a, 1, p->r, a, v, 1, 0, scratch, 1);
    h->score[f][l] += unit * (cblas_ddot(a, v, 1, scratch, 1) - 2 * cblas_ddot(a, v, 1, p->b, 1));
  }
}

/* Job 0 solves for all, the others leave a fold out. */
static scant_status run_job(void *user, size_t job, scant_error *error) {
  search *h = user;
  if (!job) {
    scant_status status = open_problem(&h->all, h, ALL, error);
    free(h->all.r);
    h->all.r = NULL;
    return status;
  }
  problem p;
  scant_status status = open_problem(&p, h, (int)job - 1, error);
  double *scratch = scant_array(h->state->fold[0].d, sizeof *scratch);
  if (status == SCANT_OK && !scratch) status = scant_fail_memory(error);
  if (status == SCANT_OK) judge(&p, h, scratch);
  free(scratch);
  close_problem(&p);
  return status;
}

/* Mean and standard error over the folds of a score, less the constant's if
 * `paired`. */
static double mean_score(const search *h, size_t l, int paired, double *error) {
  double mean = 0, squares = 0;
  for (int f = 0; f < FOLDS; f++) mean += (h->score[f][l] - (paired ? h->base[f] : 0)) / FOLDS;
  for (int f = 0; f < FOLDS; f++) {
    double deviation = h->score[f][l] - (paired ? h->base[f] : 0) - mean;
    squares += deviation * deviation;
  }
  *error = sqrt(squares / (FOLDS - 1) / FOLDS);
  return mean;
}

/* The surest penalty, the largest of equals; `penalties` if the constant is surer
 * than any. */
static size_t choose(const search *h) {
  size_t best = h->penalties;
  double lowest = 0;
  for (size_t l = 0; l < h->penalties; l++) {
    double error, mean = mean_score(h, l, 1, &error);
    if (!(mean + STANDARD_ERRORS * error < lowest)) continue;
    lowest = mean + STANDARD_ERRORS * error;
    best = l;
  }
  return best;
}

/* ---- the whole --------------------------------------------------------------------- */

/* Ridge: the trace of R is the number of attributes, so no eigenvalue is larger.
 * Lasso: correlations are at most 1. */
static void lay_path(search *h, size_t d) {
  const scant_settings *s = &h->learner->settings;
  if (!isnan(s->penalty)) {
    h->penalties = 1;
    h->penalty[0] = s->penalty;
    return;
  }
  int lasso = s->norm == SCANT_NORM_1;
  h->penalties = PATH_MOST;
  h->penalty[0] = lasso ? 1 : (double)d;
  for (size_t l = 1; l < PATH_MOST; l++) h->penalty[l] = h->penalty[l - 1] * (lasso ? LASSO_STEP : RIDGE_STEP);
}

/* Fills *to with solution l of the path, or with the constant if there is no l. */
static scant_status write_result(const search *h, size_t l, scant_moments_result *to, scant_error *error) {
  const problem *p = &h->all;
  const scant_origin *o = &h->state->origin;
  size_t d = h->state->fold[0].d;
  double intercept = o->y + p->y_mean;
  for (size_t k = 0; l < h->penalties && k < p->a; k++)
    if (!isfinite(p->path[l * p->a + k] * p->y_scale / p->scale[k]))
      return scant_fail(error, SCANT_DATA, "a weight of moments overflows: scale the attributes");
  memset(to->w, 0, d * sizeof *to->w);
  for (size_t k = 0; l < h->penalties && k < p->a; k++) {
    size_t i = p->attribute[k];
    to->w[i] = p->path[l * p->a + k] * p->y_scale / p->scale[k];
    intercept -= to->w[i] * (o->x[i] + p->mean[k]);
  }
  to->intercept = intercept;
  return SCANT_OK;
}

scant_status scant_moments_solve(const scant_learner *l, scant_moments_result *result, scant_error *error) {
  const scant_moments_state *s = scant_moments_of(l);
  search *h = scant_array(1, sizeof *h);
  if (!h) return scant_fail_memory(error);
  h->state = s;
  h->learner = l;
  lay_path(h, s->fold[0].d);
  int judged = 1; /* is there enough in every fold to judge by? */
  for (int f = 0; f < FOLDS; f++) judged = judged && s->fold[f].examples >= 2;
  int fixed = !isnan(l->settings.penalty);
  scant_status status = scant_parallel_run(judged ? 1 + FOLDS : 1, l->settings.threads, run_job, h, error);
  size_t at = fixed ? 0 : judged ? choose(h) : h->penalties;
  if (status == SCANT_OK) status = write_result(h, at, result, error);
  if (status == SCANT_OK) {
    result->penalty = fixed || judged ? h->penalty[at < h->penalties ? at : 0] : NAN;
    result->risk = result->risk_error = NAN;
    if (judged && at < h->penalties)
      result->risk = mean_score(h, at, 0, &result->risk_error);
    else if (judged) {
      for (int f = 0; f < FOLDS; f++) h->score[f][0] = h->base[f];
      result->risk = mean_score(h, 0, 0, &result->risk_error);
    }
  }
  close_problem(&h->all);
  free(h);
  return status;
}
