/* What records say to a request.
 *
 * For a pattern of n rows with seen variables o, S their covariance at the guess, A = S_oo^-1, and c, C the sums of
 * deviations from the guessed mean and of their products:
 *
 *   M += n A - A C A,  g += A c,  log-likelihood += -1/2 (n log det S_oo + tr(A C) + n |o| log 2 pi)
 *
 * So one factorisation serves all rows.  C is the scatter about the mean of the rows, and n times the square of what
 * this mean is off. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>

#include "arrays.h"
#include "sums/reply.h"

/* In place of an infinite factor, as in dense/gaussian/own_error.c. */
#define FACTOR_MOST 1e12

typedef struct {
  scant_arrays arrays;
  const scant_request *request;
  scant_reply *reply;
  size_t n;                                  /* variables of the pattern, the target as the last */
  uint32_t *variable, *place;                /* of each: in the request, and in the pattern */
  double *off;                               /* the mean of the rows less that of the guess */
  double *a;                                 /* a vector */
  double *dense, *products, *half, *squares; /* n x n */
} room;

static int room_new(room *w, size_t most) {
  w->variable = scant_arrays_add(&w->arrays, most, sizeof *w->variable);
  w->place = scant_arrays_add(&w->arrays, most, sizeof *w->place);
  w->off = scant_arrays_add(&w->arrays, most, sizeof *w->off);
  w->a = scant_arrays_add(&w->arrays, most, sizeof *w->a);
  w->dense = scant_arrays_add(&w->arrays, most * most, sizeof *w->dense);
  w->products = scant_arrays_add(&w->arrays, most * most, sizeof *w->products);
  w->half = scant_arrays_add(&w->arrays, most * most, sizeof *w->half);
  w->squares = scant_arrays_add(&w->arrays, most * most, sizeof *w->squares);
  return !w->arrays.failed;
}

/* ---- a pattern in the variables of the guess --------------------------------------------- */

/* The variables that were seen, and the sums of products of deviations, both triangles. */
static void gather(room *w, const scant_record *r, const scant_pattern *t) {
  const scant_request *q = w->request;
  size_t n = 0;
  for (size_t c = 0; c <= t->seen; c++) {
    uint32_t v = c < t->seen ? q->variable[r->attributes[t->place[c]]] : (uint32_t)(q->variables - 1);
    if (v == SCANT_NO_VARIABLE) continue;
    w->variable[n] = v;
    w->place[n] = (uint32_t)c;
    w->off[n++] = (t->mean[c] - q->center[v]) / q->unit[v] - q->mean[v];
  }
  w->n = n;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double unit = q->unit[w->variable[i]] * q->unit[w->variable[j]];
      double scatter = t->scatter[scant_pairs_at(w->place[i], w->place[j])] / unit;
      w->products[i * n + j] = w->products[j * n + i] = scatter + (double)t->rows * w->off[i] * w->off[j];
    }
}

/* S_oo with variances times `factor` (NULL: 1): rows of the lower triangle, which are columns of the upper one to
 * LAPACK; factored.  0: it is not positive definite. */
static int factor(room *w, const double *factor) {
  const scant_request *q = w->request;
  size_t n = w->n;
  for (size_t i = 0; i < n; i++) {
    const double *row = q->covariance + w->variable[i] * q->variables;
    for (size_t j = 0; j <= i; j++) w->dense[i * n + j] = row[w->variable[j]];
    if (factor) w->dense[i * n + i] *= factor[w->variable[i]];
  }
  return !LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, w->dense, (lapack_int)n);
}

/* ---- the E-step ---------------------------------------------------------------------------- */

/* tr(AC), with the upper triangle of A and all of C. */
static double trace(const room *w) {
  double sum = 0;
  for (size_t i = 0; i < w->n; i++) {
    const double *a = w->dense + i * w->n, *c = w->products + i * w->n;
    for (size_t j = 0; j < i; j++) sum += 2 * (a[j] * c[j]);
    sum += a[i] * c[i];
  }
  return sum;
}

static void expect(room *w, const scant_record *r, const scant_pattern *t) {
  scant_reply *to = w->reply;
  gather(w, r, t);
  int n = (int)w->n, bad = !factor(w, NULL);
  double rows = (double)t->rows, log_diagonal = 0;
  for (size_t i = 0; i < w->n && !bad; i++) log_diagonal += log(w->dense[i * w->n + i]);
  if (bad || LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', n, w->dense, n)) {
    to->likelihood = NAN;
    return;
  }
  to->likelihood -= rows * (log_diagonal + 0.5 * SCANT_LOG_TWO_PI * (double)n) + 0.5 * trace(w);
  cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, n, n, 1, w->dense, n, w->products, n, 0, w->half, n);
  cblas_dsymm(CblasColMajor, CblasRight, CblasUpper, n, n, 1, w->dense, n, w->half, n, 0, w->squares, n);
  cblas_dsymv(CblasColMajor, CblasUpper, n, rows, w->dense, n, w->off, 1, 0, w->a, 1);
  for (size_t i = 0; i < w->n; i++) {
    to->g[w->variable[i]] += w->a[i];
    for (size_t j = 0; j <= i; j++)
      to->m[scant_pairs_at(w->variable[i], w->variable[j])] += rows * w->dense[i * w->n + j] - w->squares[i * w->n + j];
  }
}

/* ---- the error of the targets ---------------------------------------------------------------- */

/* Adds rows times variance, rows times expected, and the sum of squared errors. */
static int measure(room *w, const scant_record *r, const scant_pattern *t, const double *factors, scant_own_sums *own) {
  const scant_request *q = w->request;
  gather(w, r, t);
  size_t n = w->n, last = n - 1;
  if (!factor(w, factors)) return 0;
  double root = w->dense[n * n - 1], expected = root * root, error = 0, *a = w->a, rows = (double)t->rows;
  for (size_t i = 0; i < last; i++) a[i] = w->dense[last * n + i];
  cblas_dtrsv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)last, w->dense, (int)n, a, 1);
  for (size_t i = 0; i < last; i++) {
    double variance = q->covariance[w->variable[i] * q->variables + w->variable[i]];
    expected -= a[i] * a[i] * (factors[w->variable[i]] - 1) * variance;
    a[i] = -a[i];
  }
  a[last] = 1;
  /* the error of a row is the product of these weights and its deviations */
  cblas_dsymv(CblasColMajor, CblasUpper, (int)n, 1, w->products, (int)n, a, 1, 0, w->half, 1);
  for (size_t i = 0; i < n; i++) error += a[i] * w->half[i];
  own->error += error > 0 ? error : 0;
  own->variance += rows * root * root;
  own->expected += rows * expected;
  return 1;
}

static void measure_block(room *w, const scant_record *r, const double *factors) {
  scant_own_sums own = {0};
  double n = (double)r->rows;
  int good = 1;
  for (uint32_t i = 0; good && i < r->patterns; i++) good = measure(w, r, &r->pattern[i], factors, &own);
  if (!good) own.error = own.variance = own.expected = NAN;
  own.rows2 = n * n;
  own.error2 = n * own.error;
  own.square2 = own.error * own.error;
  scant_own_take(&w->reply->own, &own);
}

/* ---- marginals ----------------------------------------------------------------------------- */

static void show(scant_reply *to, const scant_record *r) {
  for (size_t c = 0; c <= r->count; c++) {
    size_t j = c < r->count ? r->attributes[c] : to->dimension;
    const scant_shown_values *v = &r->values[c];
    scant_moments m = scant_record_moments(r, c);
    scant_marginal one = {.bought = r->rows,
                          .known = v->known,
                          .blocks = v->known > 0,
                          .active = v->active,
                          .mean = m.mean,
                          .spread = m.spread,
                          .low = v->low,
                          .high = v->high,
                          .common = v->common};
    scant_marginal_take(&to->marginals[j], &one);
  }
}

/* ---- pairs --------------------------------------------------------------------------------- */

/* Sums over pairs of what a pattern saw, about the origin. */
static void pair_up(scant_pairs *p, const scant_request *q, const scant_record *r, const scant_pattern *t) {
  double n = (double)t->rows, dy = t->mean[t->seen] - q->origin_y;
  size_t y = t->seen;
  p->y += n * dy;
  p->yy += t->scatter[scant_pairs_at(y, y)] + n * dy * dy;
  for (size_t k = 0; k < t->seen; k++) {
    size_t i = r->attributes[t->place[k]];
    double di = t->mean[k] - q->origin[i], *row = p->sum + i * p->d;
    p->y_sum[i] += n * dy;
    p->y_product[i] += t->scatter[scant_pairs_at(y, k)] + n * di * dy;
    for (size_t l = 0; l < t->seen; l++) row[r->attributes[t->place[l]]] += n * di;
    for (size_t l = 0; l <= k; l++) {
      size_t j = r->attributes[t->place[l]], at = scant_pairs_at(i, j);
      p->count[at] += (uint32_t)t->rows;
      p->product[at] += t->scatter[scant_pairs_at(k, l)] + n * di * (t->mean[l] - q->origin[j]);
    }
  }
}

/* Available cases count each pair by its own rows. */
static void pair_available(scant_pairs *p, const scant_request *q, const scant_record *r) {
  const scant_pattern *t = &r->pattern[0];
  size_t side = (size_t)r->count + 1, y = r->count;
  double n = (double)r->rows, dy = t->mean[t->seen] - q->origin_y;
  p->y += r->sum[y * side + y] + n * dy;
  p->yy += r->product[scant_pairs_at(y, y)] + 2 * dy * r->sum[y * side + y] + n * dy * dy;
  for (size_t k = 0; k < t->seen; k++) {
    size_t a = t->place[k], i = r->attributes[a];
    double di = t->mean[k] - q->origin[i], known = r->together[scant_pairs_at(a, a)];
    double own = r->sum[a * side + a], with = r->sum[y * side + a];
    p->y_sum[i] += with + known * dy;
    p->y_product[i] += r->product[scant_pairs_at(y, a)] + di * with + dy * own + known * di * dy;
    for (size_t l = 0; l < t->seen; l++) {
      size_t b = t->place[l], j = r->attributes[b], from = scant_pairs_at(a, b), at = scant_pairs_at(i, j);
      double both = r->together[from], dj = t->mean[l] - q->origin[j];
      p->sum[i * p->d + j] += r->sum[a * side + b] + both * di;
      if (l > k) continue;
      p->count[at] += r->together[from];
      p->product[at] += r->product[from] + dj * r->sum[a * side + b] + di * r->sum[b * side + a] + both * di * dj;
    }
  }
}

static scant_status pair_record(scant_reply *to, const scant_request *q, const scant_record *r, scant_error *error) {
  scant_pairs *p = &to->folds[r->block % SCANT_REPLY_FOLDS];
  if (p->examples + r->rows > UINT32_MAX) return scant_pairs_fail_count(error);
  p->examples += r->rows;
  if (r->together) {
    pair_available(p, q, r);
    return SCANT_OK;
  }
  for (uint32_t i = 0; i < r->patterns; i++) pair_up(p, q, r, &r->pattern[i]);
  return SCANT_OK;
}

/* ---- all of them --------------------------------------------------------------------------- */

static scant_status answer_one(room *w, const scant_record *r, const double *factors, scant_error *error) {
  scant_reply *to = w->reply;
  to->blocks++;
  to->examples += r->rows;
  switch (to->kind) {
    case SCANT_REQUEST_MARGINALS:
      show(to, r);
      return SCANT_OK;
    case SCANT_REQUEST_EXPECT:
      for (uint32_t i = 0; i < r->patterns; i++) expect(w, r, &r->pattern[i]);
      return SCANT_OK;
    case SCANT_REQUEST_OWN:
      measure_block(w, r, factors);
      return SCANT_OK;
    default:
      return pair_record(to, w->request, r, error);
  }
}

/* The most variables of a pattern that may be seen, 0 if no block is chosen. */
static size_t find_most(const scant_sums *s, size_t first, size_t after, const scant_request *q) {
  size_t most = 0;
  for (size_t i = first; i < after; i++)
    if (scant_is_chosen(q->chosen, s->records[i]->block) && s->records[i]->count + (size_t)1 > most)
      most = s->records[i]->count + (size_t)1;
  return most;
}

static double *make_factors(const scant_request *q, scant_arrays *arrays) {
  size_t n = q->kind == SCANT_REQUEST_OWN ? q->variables : 0;
  double *factors = scant_arrays_add(arrays, n, sizeof *factors);
  for (size_t v = 0; factors && v < n; v++)
    factors[v] = v + 1 < n ? fmin((q->factor ? q->factor[v] : 1) + q->penalty, FACTOR_MOST) : 1;
  return factors;
}

scant_status scant_records_answer(const scant_sums *sums, size_t first, size_t after, const scant_request *q,
                                  scant_reply *reply, scant_error *error) {
  *reply = (scant_reply){.kind = q->kind, .dimension = q->dimension, .variables = scant_request_variables(q)};
  size_t most = find_most(sums, first, after, q);
  if (!most) return SCANT_OK;
  int needs_room = reply->variables > 0;
  room w = {.request = q, .reply = reply};
  double *factors = make_factors(q, &w.arrays);
  scant_status status =
      factors && scant_reply_fill(reply) && room_new(&w, needs_room ? most : 0) ? SCANT_OK : scant_fail_memory(error);
  for (size_t i = first; status == SCANT_OK && i < after; i++)
    if (scant_is_chosen(q->chosen, sums->records[i]->block)) status = answer_one(&w, sums->records[i], factors, error);
  scant_arrays_free(&w.arrays);
  return status;
}
