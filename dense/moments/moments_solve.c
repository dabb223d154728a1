/* The choice of the penalty by folds, and the regressor. */
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "moments/moments_problem.h"
#include "blas.h"

enum { FOLDS = SCANT_MOMENTS_FOLDS, ALL = SCANT_MOMENTS_ALL, PATH_MOST = 32, LASSO_PATH = 20 };

#define STANDARD_ERRORS 2
/* With four degrees of freedom two standard errors hold as often as these many do: 95.45% (Student's t is 2.87). */
#define WIDER 1.435
#define RIDGE_STEP 0.5
#define LASSO_STEP 0.7071067811865476
/* A pair that is expected in this many looks counts half by its own rate and half by the rates of its attributes,
 * where being met is a rare chance. */
#define PRIOR_COUNT 50

typedef struct {
  const scant_settings *settings;
  const scant_moments_state *state;
  size_t penalties;
  double penalty[PATH_MOST]; /* falling */
  scant_moments_problem all;
  /* A judging fold's error of the constant; and of solution v scaled by a it is that less 2 a gain + a^2 cost. */
  double base[FOLDS], gain[FOLDS][PATH_MOST], cost[FOLDS][PATH_MOST];
} search;

/* ---- folds ----------------------------------------------------------------------- */

double scant_moments_pair_rate(double count, double expected, double chance, double rows) {
  double prior = PRIOR_COUNT * chance * rows;
  return expected > 0 ? expected * (count + prior) / (expected + prior) : count;
}

/* Looks of each span as chances p, and of those a, both times the root
 * of its examples, of the attributes that vary.  O(spans d) and a few hundred steps. */
static scant_status span_chances(const scant_moments_problem *p, double *x, double *y, scant_error *error) {
  const scant_moments_state *s = p->state;
  size_t d = s->fold[0].d;
  double *chance = scant_array(2 * d, sizeof *chance);
  if (!chance) return scant_fail_memory(error);
  double *together = chance + d;
  for (size_t t = 0; t < s->span_count; t++) {
    double n = (double)s->spans[t].examples;
    if (!(n > 0)) continue;
    for (size_t i = 0; i < d; i++) chance[i] = s->spans[t].count[i] / n;
    scant_together(d, chance, together);
    for (size_t r = 0; r < p->a; r++) {
      x[t * p->a + r] = chance[p->attribute[r]] * sqrt(n);
      y[t * p->a + r] = together[p->attribute[r]] * sqrt(n);
    }
  }
  free(chance);
  return SCANT_OK;
}

/* How often each pair would be looked at together if looks were independent, except that the K of one example are
 * distinct: sums over the laws, into the lower half of p->r.  looks[k], 0 at first: how often each was looked at. */
static scant_status expect_looks(scant_moments_problem *p, double *looks, scant_error *error) {
  const scant_moments_state *s = p->state;
  size_t a = p->a, spans = s->span_count;
  double *x = scant_array(2 * a * spans, sizeof *x), n = 0;
  if (!x) return scant_fail_memory(error);
  double *y = x + a * spans;
  scant_status status = span_chances(p, x, y, error);
  if (status == SCANT_OK && a && spans) {
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)a, (int)spans, 1, x, (int)a, 0, p->r, (int)a);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, (int)a, (int)spans, -1, y, (int)a, 1, p->r, (int)a);
  }
  free(x);
  for (size_t t = 0; t < spans; t++) {
    n += (double)s->spans[t].examples;
    for (size_t k = 0; k < a; k++) looks[k] += s->spans[t].count[p->attribute[k]];
  }
  for (size_t k = 0; k < a; k++) /* no pair of events is less or more often together */
    for (size_t q = 0; q < k; q++) {
      double *r = &p->r[q * a + k], least = fmax(0, looks[k] + looks[q] - n), most = fmin(looks[k], looks[q]);
      *r = fmin(fmax(*r, least), most);
    }
  return status;
}

/* How often each pair of attributes is known together among all examples, into the lower half of p->r.  Missing values
 * are taken to come together.  With a mask that was given there are no laws, and counts are what they are. */
static scant_status rate_pairs(scant_moments_problem *p, scant_error *error) {
  const scant_moments_state *s = p->state;
  size_t a = p->a;
  double all = p->examples + (double)s->fold[p->without].examples, *own = p->s, *looks = scant_array(a, sizeof *looks);
  if (!looks) return scant_fail_memory(error);
  for (size_t k = 0; k < a; k++) own[k] = scant_moments_pair_of(s, ALL, p->attribute[k], p->attribute[k]).n;
  memset(p->r, 0, a * a * sizeof *p->r);
  scant_status status = s->span_count ? expect_looks(p, looks, error) : SCANT_OK;
  for (size_t k = 0; status == SCANT_OK && k < a; k++) {
    for (size_t q = 0; q < k; q++) {
      double *r = &p->r[q * a + k], count = scant_moments_pair_of(s, ALL, p->attribute[k], p->attribute[q]).n;
      double known =
          s->span_count ? fmin(own[k] / looks[k], own[q] / looks[q]) : 1; /* of looks, the share with a value */
      *r = scant_moments_pair_rate(count, *r * known, 1 - *r / all, s->rows_per_block);
    }
    p->r[k * a + k] = own[k];
  }
  free(looks);
  return status;
}

/* The moments of the fold left out, about the means and in the units of the others, into p->r and p->b, and *target. */
static scant_status judge_moments(scant_moments_problem *p, double *target, scant_error *error) {
  const scant_moments_state *s = p->state;
  const scant_pairs *fold = &s->fold[p->without];
  double n = (double)fold->examples, all = p->examples + n, y = p->y_mean;
  SCANT_TRY(rate_pairs(p, error));
  for (size_t k = 0; k < p->a; k++) {
    size_t i = p->attribute[k];
    double own = p->r[k * p->a + k];
    for (size_t q = 0; q <= k; q++) {
      double *r = &p->r[q * p->a + k], count = *r;
      double sum = scant_moments_about(scant_moments_pair_in(fold, i, p->attribute[q]), p->mean[k], p->mean[q]);
      *r = count > 0 ? sum * all / (count * n) / p->scale[k] / p->scale[q] : 0;
    }
    scant_moments_pair one = {fold->count[scant_pairs_at(i, i)], fold->sum[i * fold->d + i], fold->y_sum[i],
                              fold->y_product[i]};
    p->b[k] = scant_moments_about(one, p->mean[k], y) * all / (own * n) / p->scale[k] / p->y_scale;
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
    scant_status status =
        scant_moments_problem_open(&h->all, h->state, h->settings, ALL, h->penalties, h->penalty, error);
    free(h->all.r);
    h->all.r = NULL;
    return status;
  }
  scant_moments_problem p;
  scant_status status =
      scant_moments_problem_open(&p, h->state, h->settings, (int)job - 1, h->penalties, h->penalty, error);
  double *scratch = scant_array(h->state->fold[0].d, sizeof *scratch);
  if (status == SCANT_OK && !scratch) status = scant_fail_memory(error);
  if (status == SCANT_OK) status = judge(&p, h, scratch, error);
  free(scratch);
  scant_moments_problem_close(&p);
  return status;
}

/* The scale of a solution, from all folds but one.  Correlations of pairs that were seldom met are shrunk, those with
 * the target hardly, so that solutions are too large.  A penalty that was given is taken as it is, unless its solution
 * is worse than the constant. */
static double scale_of(const search *h, size_t l, int without) {
  double gain = 0, cost = 0;
  for (int f = 0; f < FOLDS; f++) {
    if (f == without) continue;
    gain += h->gain[f][l];
    cost += h->cost[f][l];
  }
  int fixed = !isnan(h->settings->learning.penalty);
  if (fixed && cost <= 2 * gain) return 1;
  return gain <= 0 ? 0 : cost > gain ? gain / cost : 1;
}

/* The error of a fold less that of the constant, at the scale that the other folds give. */
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

/* The penalty with the least error plus two standard errors, the largest of equals; `penalties` if the constant is
 * better than all.  A true error is not below 0, so an estimate below 0 is not believed: it would beat every sound one.
 * Smaller penalties are judged with more noise, so that a small standard error after a large one is luck. */
static size_t choose(const search *h) {
  size_t best = h->penalties;
  double error, constant = mean_score(h, best, 0, &error), lowest = 0, largest = 0;
  for (size_t l = 0; l < h->penalties; l++) {
    double mean = fmax(mean_score(h, l, 1, &error), -constant);
    largest = fmax(largest, error);
    if (!(mean + STANDARD_ERRORS * largest < lowest)) continue;
    lowest = mean + STANDARD_ERRORS * largest;
    best = l;
  }
  return best;
}

/* ---- the whole --------------------------------------------------------------------- */

/* Ridge: the trace of R is the number of attributes, so no eigenvalue is larger. Lasso: correlations are at most 1. */
static void lay_path(search *h, size_t d) {
  const scant_settings *s = h->settings;
  if (!isnan(s->learning.penalty)) {
    h->penalties = 1;
    h->penalty[0] = s->learning.penalty;
    return;
  }
  int lasso = s->learning.norm == SCANT_NORM_1;
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

static scant_status solve(search *h, scant_moments_result *result, scant_error *error) {
  int judged = 1; /* is there enough in every fold to judge by? */
  for (int f = 0; f < FOLDS; f++) judged = judged && h->state->fold[f].examples >= 2;
  int fixed = !isnan(h->settings->learning.penalty);
  SCANT_TRY(scant_blas_jobs(judged ? 1 + FOLDS : 1, h->settings->runtime.threads, run_job, h, error));
  double unused;
  size_t at = fixed ? 0 : judged ? choose(h) : h->penalties;
  if (fixed && judged && mean_score(h, at, 1, &unused) > 0) at = h->penalties; /* shrunk, it is worse all the same */
  SCANT_TRY(write_result(h, at, result, error));
  result->penalty = fixed || judged ? h->penalty[at < h->penalties ? at : 0] : NAN;
  result->risk = result->risk_error = NAN;
  if (judged) result->risk = fmax(0, mean_score(h, at, 0, &result->risk_error));
  result->risk_error *= WIDER;
  result->scale = !fixed ? 1 : at < h->penalties ? scale_of(h, at, ALL) : 0;
  return SCANT_OK;
}

scant_status scant_moments_solve(const scant_moments_state *state, const scant_settings *settings,
                                 scant_moments_result *result, scant_error *error) {
  search *h = scant_array(1, sizeof *h);
  if (!h) return scant_fail_memory(error);
  h->state = state;
  h->settings = settings;
  lay_path(h, state->fold[0].d);
  scant_status status = scant_blas_begin(settings->runtime.threads, error);
  if (status == SCANT_OK) {
    status = solve(h, result, error);
    scant_blas_end(settings->runtime.threads);
  }
  scant_moments_problem_close(&h->all);
  free(h);
  return status;
}
