/* The choice of the penalty by folds, and the regressor. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "dense/moments/moments_problem.h"
#include "dense/parallel.h"

enum { FOLDS = SCANT_MOMENTS_FOLDS, ALL = SCANT_MOMENTS_ALL, PATH_MOST = 32, LASSO_PATH = 20 };

#define STANDARD_ERRORS 2
#define RIDGE_STEP 0.5
#define LASSO_STEP 0.7071067811865476
/* Pairs met this often count half by their own rate, half by their attributes'. */
#define PRIOR_COUNT 50

typedef struct {
  const scant_learner *learner;
  const scant_moments_state *state;
  size_t penalties;
  double penalty[PATH_MOST]; /* falling */
  scant_moments_problem all;
  /* A judging fold's error of the constant; and of solution v scaled by a it is that
   * less 2 a gain + a^2 cost. */
  double base[FOLDS], gain[FOLDS][PATH_MOST], cost[FOLDS][PATH_MOST];
} search;

/* ---- folds ----------------------------------------------------------------------- */

/* How often a pair is together in n examples, by its count among all and by what
 * independent looks would give: a pair that was never met counts with the others,
 * and one that was met by luck does not stand for those that were not.  Where
 * counts are large they decide, as they must where holes come together. */
static double pair_rate(double count, double independent) {
  return independent > 0 ? independent * (count + PRIOR_COUNT) / (independent + PRIOR_COUNT) : count;
}

/* How often each pair would be known together by looks that know nothing of each
 * other, but that K of them are distinct: sums over the laws, into the lower half of
 * p->r.  Missing values are taken to come together.  own[k]: how often each is known. */
static scant_status expect_pairs(scant_moments_problem *p, const double *own, scant_error *error) {
  const scant_moments_state *s = p->state;
  size_t a = p->a, spans = s->span_count;
  double k = (double)p->learner->looks.k_gradient, *x = scant_array(a * (spans ? spans : 1), sizeof *x);
  if (!x) return scant_fail_memory(error);
  for (size_t t = 0; t < spans; t++)
    for (size_t r = 0; r < a && s->spans[t].examples; r++)
      x[t * a + r] = s->spans[t].count[p->attribute[r]] / sqrt((double)s->spans[t].examples);
  memset(p->r, 0, a * a * sizeof *p->r);
  if (spans && a)
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)a, (int)spans, (k - 1) / k, x, (int)a, 0, p->r, (int)a);
  for (size_t r = 0; spans && r < a; r++) { /* the share of looks that had a value */
    double looks = 0;
    for (size_t t = 0; t < spans; t++) looks += s->spans[t].count[p->attribute[r]];
    x[r] = looks > 0 ? own[r] / looks : 1;
    for (size_t q = 0; q <= r; q++) p->r[q * a + r] *= fmin(x[r], x[q]);
  }
  free(x);
  return SCANT_OK;
}

/* The moments of the fold left out, about the means and in the units of the
 * others, into p->r and p->b, and *target. */
static scant_status judge_moments(scant_moments_problem *p, double *target, scant_error *error) {
  const scant_moments_state *s = p->state;
  const scant_pairs *fold = &s->fold[p->without];
  double n = (double)fold->examples, all = p->examples + n, y = p->y_mean;
  double *own = p->s; /* how often each is known */
  for (size_t k = 0; k < p->a; k++) own[k] = scant_moments_pair_of(s, ALL, p->attribute[k], p->attribute[k]).n;
  SCANT_TRY(expect_pairs(p, own, error));
  for (size_t k = 0; k < p->a; k++) {
    size_t i = p->attribute[k];
    for (size_t q = 0; q <= k; q++) {
      size_t j = p->attribute[q];
      double *r = &p->r[q * p->a + k], count = q == k ? own[k] : pair_rate(scant_moments_pair_of(s, ALL, i, j).n, *r);
      double sum = scant_moments_about(scant_moments_pair_in(fold, i, j), p->mean[k], p->mean[q]);
      *r = count > 0 ? sum * all / (count * n) / p->scale[k] / p->scale[q] : 0;
    }
    scant_moments_pair one = {fold->count[scant_pairs_at(i, i)], fold->sum[i * fold->d + i], fold->y_sum[i],
                              fold->y_product[i]};
    p->b[k] = scant_moments_about(one, p->mean[k], y) * all / (own[k] * n) / p->scale[k] / p->y_scale;
  }
  *target = (fold->yy - 2 * y * fold->y + n * y * y) / n;
  return SCANT_OK;
}

static scant_status judge(scant_moments_problem *p, search *h, double *scratch, scant_error *error) {
  int f = p->without, a = (int)p->a;
  double unit = p->y_scale * p->y_scale;
  SCANT_TRY(judge_moments(p, &h->base[f], error));
  for (size_t l = 0; l < h->penalties; l++) {
    double *v = p->path + l * p->a;
    if (!a) continue;
    cblas_dsymv(CblasColMajor, CblasLower, a, 1, p->r, a, v, 1, 0, scratch, 1);
    h->gain[f][l] = unit * cblas_ddot(a, v, 1, p->b, 1);
    h->cost[f][l] = unit * cblas_ddot(a, v, 1, scratch, 1);
  }
  return SCANT_OK;
}

/* Job 0 solves for all, the others leave a fold out. */
static scant_status run_job(void *user, size_t job, scant_error *error) {
  search *h = user;
  if (!job) {
    scant_status status = scant_moments_problem_open(&h->all, h->learner, ALL, h->penalties, h->penalty, error);
    free(h->all.r);
    h->all.r = NULL;
    return status;
  }
  scant_moments_problem p;
  scant_status status = scant_moments_problem_open(&p, h->learner, (int)job - 1, h->penalties, h->penalty, error);
  double *scratch = scant_array(h->state->fold[0].d, sizeof *scratch);
  if (status == SCANT_OK && !scratch) status = scant_fail_memory(error);
  if (status == SCANT_OK) status = judge(&p, h, scratch, error);
  free(scratch);
  scant_moments_problem_close(&p);
  return status;
}

/* By what a solution is scaled, as all folds but one say.  Correlations of pairs that
 * were seldom met are shrunk, those with the target hardly, so that solutions are
 * too large. */
static double scale_of(const search *h, size_t l, int without) {
  double gain = 0, cost = 0;
  if (!isnan(h->learner->settings.penalty)) return 1;
  for (int f = 0; f < FOLDS; f++) {
    if (f == without) continue;
    gain += h->gain[f][l];
    cost += h->cost[f][l];
  }
  return gain <= 0 ? 0 : cost > gain ? gain / cost : 1;
}

/* The error of a fold, less the constant's, at the scale that the others say. */
static double difference_of(const search *h, size_t l, int f) {
  double a = scale_of(h, l, f);
  return a * a * h->cost[f][l] - 2 * a * h->gain[f][l];
}

/* Mean and standard error over the folds of the error, less the constant's if
 * `paired`; l past the end is the constant. */
static double mean_score(const search *h, size_t l, int paired, double *error) {
  double score[FOLDS], mean = 0, squares = 0;
  for (int f = 0; f < FOLDS; f++) {
    score[f] = (paired ? 0 : h->base[f]) + (l < h->penalties ? difference_of(h, l, f) : 0);
    mean += score[f] / FOLDS;
  }
  for (int f = 0; f < FOLDS; f++) squares += (score[f] - mean) * (score[f] - mean);
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
  h->penalties = lasso ? LASSO_PATH : PATH_MOST;
  h->penalty[0] = lasso ? 1 : (double)d;
  for (size_t l = 1; l < h->penalties; l++) h->penalty[l] = h->penalty[l - 1] * (lasso ? LASSO_STEP : RIDGE_STEP);
}

/* Fills *to with solution l of the path, or with the constant if there is no l. */
static scant_status write_result(const search *h, size_t l, scant_moments_result *to, scant_error *error) {
  const scant_moments_problem *p = &h->all;
  const scant_origin *o = &h->state->origin;
  size_t d = h->state->fold[0].d;
  double intercept = o->y + p->y_mean, scale = l < h->penalties ? p->y_scale * scale_of(h, l, ALL) : 0;
  for (size_t k = 0; l < h->penalties && k < p->a; k++)
    if (!isfinite(p->path[l * p->a + k] * scale / p->scale[k]))
      return scant_fail(error, SCANT_DATA, "a weight of moments overflows: scale the attributes");
  memset(to->w, 0, d * sizeof *to->w);
  for (size_t k = 0; l < h->penalties && k < p->a; k++) {
    size_t i = p->attribute[k];
    to->w[i] = p->path[l * p->a + k] * scale / p->scale[k];
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
    if (judged) result->risk = mean_score(h, at, 0, &result->risk_error);
  }
  scant_moments_problem_close(&h->all);
  free(h);
  return status;
}
