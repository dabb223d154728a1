/* From sums over pairs to correlations, made positive, and a path of ridge or lasso solutions. */
#include "moments/moments_problem.h"

#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "lapack.h"

enum { FOLDS = SCANT_MOMENTS_FOLDS };

/* Eigenvalues are raised to this part of the largest, or to the size of the most
 * negative one: by that much the correlations contradict each other. */
#define FLOOR 1e-10
#define SWEEPS_MOST 200
#define SWEEP_TOLERANCE 1e-7 /* of the units */
/* How many times more the largest deviation counts in the unit.  An attribute that was seldom off its mean
 * has shown little of its spread, and in units of that it would be huge when it is off again. */
#define RARITY 100

/* ---- sums ------------------------------------------------------------------- */

scant_moments_pair scant_moments_pair_in(const scant_pairs *f, size_t i, size_t j) {
  size_t at = scant_pairs_at(i, j), d = f->d;
  return (scant_moments_pair){f->count[at], f->sum[i * d + j], f->sum[j * d + i], f->product[at]};
}

/* Over all folds but one. */
scant_moments_pair scant_moments_pair_of(const scant_moments_state *s, int without, size_t i, size_t j) {
  scant_moments_pair total = {0};
  for (int f = 0; f < FOLDS; f++) {
    if (f == without) continue;
    scant_moments_pair one = scant_moments_pair_in(&s->fold[f], i, j);
    total.n += one.n;
    total.si += one.si;
    total.sj += one.sj;
    total.product += one.product;
  }
  return total;
}

/* Of an attribute and the target in one fold. */
static scant_moments_pair target_in(const scant_pairs *f, size_t i) {
  return (scant_moments_pair){f->count[scant_pairs_at(i, i)], f->sum[i * f->d + i], f->y_sum[i], f->y_product[i]};
}

/* ---- correlations -------------------------------------------------------------- */

/* Means and deviations; which attributes vary.  One that has hardly varied has no unit of its own, and is
 * left out unless all share one unit. */
static void measure(scant_moments_problem *p) {
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
    scant_moments_pair one = scant_moments_pair_of(s, p->without, i, i);
    double mean = one.n > 0 ? one.si / one.n : 0, squared = scant_moments_about(one, mean, mean);
    if (one.n < 2 || !(squared > 0)) continue;
    if (!p->settings->learning.like_units && !scant_shown_is_known(&s->shown, i)) continue;
    p->attribute[p->a] = (uint32_t)i;
    p->mean[p->a] = mean;
    p->deviation[p->a] = sqrt(squared / one.n);
    double far = fmax(s->high[i] - mean, mean - s->low[i]); /* of all folds: a unit may know of all */
    p->scale[p->a++] = sqrt((squared + RARITY * far * far) / one.n);
    squares += squared / one.n;
  }
  /* in like units, one unit for all: the root of the mean variance */
  for (size_t k = 0; p->settings->learning.like_units && k < p->a; k++) p->scale[k] = sqrt(squares / (double)p->a);
}

static double clip(double x) {
  return x > 1 ? 1 : x < -1 ? -1 : x;
}

/* The factor of a correlation from n of all examples, when squared ones are t on average. */
static double shrink(double t, double n, double examples) {
  double excess = 1 / n - 1 / examples;
  return excess > 0 ? t / (t + excess) : 1;
}

/* The mean squared correlation, from products of one fold's sums with another's, whose noises are independent. */
typedef struct {
  double products, counts;
} spread;

static double typical(spread s, double examples) {
  double least = 1 / examples;
  return s.counts > 0 ? fmax(least, s.products / s.counts) : least;
}

/* The correlation of i with j, or with the target if j is i itself, about means x and y
 * and in units of `unit`; *n: from how many. */
static double correlation(const scant_moments_problem *p, size_t i, size_t j, double x, double y, double unit,
                          double *n, spread *t) {
  double sum = 0, squares = 0, count_squares = 0;
  *n = 0;
  for (int f = 0; f < FOLDS; f++) {
    const scant_pairs *fold = &p->state->fold[f];
    if (f == p->without) continue;
    scant_moments_pair one = i == j ? target_in(fold, i) : scant_moments_pair_in(fold, i, j);
    double own = scant_moments_about(one, x, y) / unit;
    sum += own;
    squares += own * own;
    *n += one.n;
    count_squares += one.n * one.n;
  }
  t->products += sum * sum - squares;
  t->counts += *n * *n - count_squares;
  return *n > 0 ? clip(sum / *n) : 0;
}

static void correlate(scant_moments_problem *p) {
  size_t a = p->a;
  spread x = {0, 0}, y = {0, 0};
  for (size_t k = 0; k < a; k++) {
    size_t i = p->attribute[k];
    double own = p->deviation[k], n;
    for (size_t q = 0; q < k; q++) {
      p->r[q * a + k] = correlation(p, i, p->attribute[q], p->mean[k], p->mean[q], own * p->deviation[q], &n, &x);
      p->r[k * a + q] = n; /* for now */
    }
    p->b[k] = correlation(p, i, i, p->mean[k], p->y_mean, own * p->y_scale, &n, &y);
    p->r[k * a + k] = n;
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
static scant_status decompose(scant_moments_problem *p, scant_error *error) {
  lapack_int info = scant_lapack_eigen('L', p->a, p->r, p->s);
  if (info == LAPACK_WORK_MEMORY_ERROR) return scant_fail_memory(error);
  if (info != 0) return scant_fail(error, SCANT_DATA, "the eigenvalues of the moments can't be computed");
  double least = fmax(-p->s[0], FLOOR * p->s[p->a - 1]);
  for (size_t k = 0; k < p->a; k++) p->s[k] = fmax(p->s[k], least);
  return SCANT_OK;
}

static scant_status ridge_path(scant_moments_problem *p, const double *penalty, size_t count, scant_error *error) {
  int a = (int)p->a;
  double *c = scant_array(2 * p->a, sizeof *c);
  if (!c) return scant_fail_memory(error);
  double *z = c + a;
  cblas_dgemv(CblasColMajor, CblasTrans, a, a, 1, p->r, a, p->b, 1, 0, c, 1);
  for (size_t l = 0; l < count; l++) {
    for (int k = 0; k < a; k++) z[k] = c[k] / (p->s[k] + penalty[l]);
    cblas_dgemv(CblasColMajor, CblasNoTrans, a, a, 1, p->r, a, z, 1, 0, p->path + l * p->a, 1);
  }
  free(c);
  return SCANT_OK;
}

/* One round of coordinate descent; g = b - R v.  Returns the largest move. */
static double sweep(const scant_moments_problem *p, const double *r, double penalty, double *v, double *g) {
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

static scant_status lasso_path(scant_moments_problem *p, const double *penalty, size_t count, scant_error *error) {
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

scant_status scant_moments_problem_open(scant_moments_problem *p, const scant_moments_state *state,
                                        const scant_settings *settings, int without, size_t count,
                                        const double *penalty, scant_error *error) {
  size_t d = state->fold[0].d;
  *p = (scant_moments_problem){.settings = settings, .state = state, .without = without};
  p->attribute = scant_array(d, sizeof *p->attribute);
  p->mean = scant_array(5 * d, sizeof *p->mean);
  if (!p->attribute || !p->mean) return scant_fail_memory(error);
  p->deviation = p->mean + d;
  p->scale = p->deviation + d;
  p->b = p->scale + d;
  p->s = p->b + d;
  measure(p);
  if (!(p->y_scale > 0)) p->a = 0; /* nothing to explain */
  p->path = scant_array(p->a * count, sizeof *p->path);
  p->r = scant_array(p->a * p->a, sizeof *p->r);
  if (!p->path || !p->r) return scant_fail_memory(error);
  if (!p->a) return SCANT_OK;
  correlate(p);
  SCANT_TRY(decompose(p, error));
  return (settings->learning.norm == SCANT_NORM_1 ? lasso_path : ridge_path)(p, penalty, count, error);
}

void scant_moments_problem_close(scant_moments_problem *p) {
  free(p->attribute);
  free(p->mean);
  free(p->r);
  free(p->path);
}

/* ---- pairs of looks --------------------------------------------------------------- */

/* Steps converge linearly.  They are slow only where one chance varies as much as all others together. */
#define STEPS_MOST 500
#define TOLERANCE 1e-14

void scant_together(size_t d, const double *p, double *a) {
  double all = 0, moved = 1;
  for (size_t i = 0; i < d; i++) all += p[i] * (1 - p[i]);
  for (size_t i = 0; i < d; i++) a[i] = all > 0 ? p[i] * (1 - p[i]) / sqrt(all) : 0;
  for (int step = 0; all > 0 && step < STEPS_MOST && moved > TOLERANCE; step++) {
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += a[i];
    moved = 0;
    for (size_t i = 0; i < d; i++) {
      double next = (p[i] * (1 - p[i]) + a[i] * a[i]) / sum;
      moved = fmax(moved, fabs(next - a[i]));
      a[i] = next;
    }
  }
}
