/* Sums of blocks, made and asked in the plainest way: an independent reference for those of dense/sums. */
#ifndef SCANT_TESTS_BLOCK_ASKER_H
#define SCANT_TESTS_BLOCK_ASKER_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/sums/reply.h"

/* A block without missing values: places 0 .. count - 1 are its attributes, ascending, and `count` the target. */
typedef struct {
  uint64_t number;
  size_t rows, count;
  uint32_t *attributes;
  double *mean, *scatter; /* about that mean */
  double *low, *high;     /* of the values of each place */
} plain_block;

typedef struct {
  size_t dimension, count, room;
  plain_block *blocks;
  unsigned asked[SCANT_REQUEST_KINDS]; /* how often, by kind */
} plain_blocks;

/* values[c * rows + r] as in scant_sums_add. */
static inline void plain_add(plain_blocks *all, uint64_t number, size_t rows, size_t count, const uint32_t *attributes,
                             const double *values, const double *y) {
  if (all->count == all->room) {
    all->room = 2 * all->room + 16;
    all->blocks = realloc(all->blocks, all->room * sizeof *all->blocks);
  }
  plain_block *b = &all->blocks[all->count++];
  size_t n = count + 1;
  *b = (plain_block){number, rows, count};
  b->attributes = malloc(n * sizeof *b->attributes);
  memcpy(b->attributes, attributes, count * sizeof *attributes);
  b->mean = calloc(3 * n, sizeof *b->mean);
  b->low = b->mean + n;
  b->high = b->low + n;
  b->scatter = calloc(n * n, sizeof *b->scatter);
  for (size_t i = 0; i < n; i++) {
    const double *x = i < count ? values + i * rows : y;
    b->low[i] = b->high[i] = x[0];
    for (size_t r = 0; r < rows; r++) {
      b->mean[i] += x[r] / (double)rows;
      b->low[i] = fmin(b->low[i], x[r]);
      b->high[i] = fmax(b->high[i], x[r]);
    }
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      const double *x = i < count ? values + i * rows : y, *z = j < count ? values + j * rows : y;
      double sum = 0;
      for (size_t r = 0; r < rows; r++) sum += (x[r] - b->mean[i]) * (z[r] - b->mean[j]);
      b->scatter[i * n + j] = b->scatter[j * n + i] = sum;
    }
}

static inline void plain_free(plain_blocks *all) {
  for (size_t i = 0; i < all->count; i++) {
    free(all->blocks[i].attributes);
    free(all->blocks[i].mean);
    free(all->blocks[i].scatter);
  }
  free(all->blocks);
  *all = (plain_blocks){0};
}

/* ---- marginals --------------------------------------------------------------------- */

static inline void plain_marginal(scant_marginal *m, const plain_block *b, size_t i) {
  double n = (double)b->rows, all = (double)m->known + n, away = b->mean[i] - m->mean;
  m->low = m->known ? fmin(m->low, b->low[i]) : b->low[i];
  m->high = m->known ? fmax(m->high, b->high[i]) : b->high[i];
  m->spread += b->scatter[i * (b->count + 1) + i] + away * away * (double)m->known * n / all;
  m->mean += away * n / all;
  m->known += b->rows;
  m->bought += b->rows;
  m->active += b->low[i] < b->high[i] ? b->rows / 2 : 0; /* values that never come twice */
  m->blocks++;
}

/* ---- expectation and own --------------------------------------------------------------- */

/* A symmetric positive matrix becomes its inverse; returns the logarithm of its determinant. */
static inline double plain_invert(size_t n, double *a) {
  double log_det = 0;
  for (size_t p = 0; p < n; p++) {
    double pivot = a[p * n + p];
    if (!(pivot > 0)) return NAN;
    log_det += log(pivot);
    a[p * n + p] = 1;
    for (size_t j = 0; j < n; j++) a[p * n + j] /= pivot;
    for (size_t i = 0; i < n; i++) {
      double f = a[i * n + p];
      if (i == p || f == 0) continue;
      a[i * n + p] = 0;
      for (size_t j = 0; j < n; j++) a[i * n + j] -= f * a[p * n + j];
    }
  }
  return log_det;
}

/* The places of a block as variables: which, the sum of their deviations from the mean of the request, and of the
 * products of these. */
static inline size_t plain_standard(const scant_request *q, const plain_block *b, uint32_t *v, double *c, double *C) {
  size_t size = 0, n = b->count + 1, place[1024];
  for (size_t i = 0; i < n; i++) {
    uint32_t variable = i < b->count ? q->variable[b->attributes[i]] : (uint32_t)q->variables - 1;
    if (variable == SCANT_NO_VARIABLE) continue;
    v[size] = variable;
    place[size++] = i;
  }
  double rows = (double)b->rows;
  for (size_t i = 0; i < size; i++) c[i] = (b->mean[place[i]] - q->center[v[i]]) / q->unit[v[i]] - q->mean[v[i]];
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++)
      C[i * size + j] = b->scatter[place[i] * n + place[j]] / q->unit[v[i]] / q->unit[v[j]] + rows * c[i] * c[j];
  for (size_t i = 0; i < size; i++) c[i] *= rows;
  return size;
}

static inline void plain_expect(const scant_request *q, const plain_block *b, scant_reply *reply) {
  size_t most = b->count + 1, n = q->variables;
  uint32_t *v = malloc(most * sizeof *v);
  double *c = malloc(most * sizeof *c), *C = malloc(3 * most * most * sizeof *C), rows = (double)b->rows;
  size_t size = plain_standard(q, b, v, c, C);
  double *A = C + most * most, *half = A + most * most, trace = 0;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) A[i * size + j] = q->covariance[v[i] * n + v[j]];
  double log_det = plain_invert(size, A);
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) {
      double sum = 0;
      for (size_t k = 0; k < size; k++) sum += A[i * size + k] * C[k * size + j];
      half[i * size + j] = sum;
      if (i == j) trace += sum;
    }
  for (size_t i = 0; i < size; i++) {
    for (size_t j = 0; j < size; j++) {
      reply->g[v[i]] += A[i * size + j] * c[j];
      if (v[j] > v[i]) continue;
      double sum = rows * A[i * size + j];
      for (size_t k = 0; k < size; k++) sum -= half[i * size + k] * A[k * size + j];
      reply->m[scant_pairs_at(v[i], v[j])] += sum;
    }
  }
  reply->likelihood -= 0.5 * (rows * log_det + trace + rows * (double)size * log(2 * acos(-1)));
  free(v);
  free(c);
  free(C);
}

static inline void plain_own(const scant_request *q, const plain_block *b, scant_reply *reply) {
  size_t most = b->count + 1, n = q->variables, y = n - 1;
  uint32_t *v = malloc(most * sizeof *v);
  double *c = malloc(most * sizeof *c), *C = malloc(2 * most * most * sizeof *C), *a = malloc(most * sizeof *a);
  size_t size = plain_standard(q, b, v, c, C), x = size - 1;
  double *A = C + most * most, variance = q->covariance[y * n + y], expected, error = C[x * size + x];
  for (size_t i = 0; i < x; i++)
    for (size_t j = 0; j < x; j++) {
      double factor = fmin((q->factor ? q->factor[v[i]] : 1) + q->penalty, 1e12);
      A[i * x + j] = q->covariance[v[i] * n + v[j]] * (i == j ? factor : 1);
    }
  plain_invert(x, A);
  for (size_t i = 0; i < x; i++) {
    a[i] = 0;
    for (size_t j = 0; j < x; j++) a[i] += A[i * x + j] * q->covariance[v[j] * n + y];
    variance -= a[i] * q->covariance[v[i] * n + y];
  }
  expected = variance;
  for (size_t i = 0; i < x; i++) {
    double factor = fmin((q->factor ? q->factor[v[i]] : 1) + q->penalty, 1e12);
    expected -= a[i] * a[i] * (factor - 1) * q->covariance[v[i] * n + v[i]];
    error -= 2 * a[i] * C[i * size + x];
    for (size_t j = 0; j < x; j++) error += a[i] * C[i * size + j] * a[j];
  }
  double rows = (double)b->rows, e = error / rows;
  reply->own.error += error;
  reply->own.variance += rows * variance;
  reply->own.expected += rows * expected;
  reply->own.rows2 += rows * rows;
  reply->own.error2 += rows * rows * e;
  reply->own.square2 += rows * rows * e * e;
  free(v);
  free(c);
  free(C);
  free(a);
}

/* Marginals, expectations and own. */
static inline void plain_answer(plain_blocks *all, const scant_request *q, scant_reply *reply) {
  *reply = (scant_reply){.kind = q->kind, .dimension = all->dimension};
  all->asked[q->kind]++;
  if (q->kind == SCANT_REQUEST_MARGINALS) reply->marginals = calloc(all->dimension + 1, sizeof *reply->marginals);
  if (q->kind == SCANT_REQUEST_EXPECT) {
    reply->variables = q->variables;
    reply->m = calloc(scant_pairs_triangle(q->variables), sizeof *reply->m);
    reply->g = calloc(q->variables, sizeof *reply->g);
  }
  for (size_t i = 0; i < all->count; i++) {
    const plain_block *b = &all->blocks[i];
    if (!scant_is_chosen(q->chosen, b->number)) continue;
    reply->blocks++;
    reply->examples += b->rows;
    for (size_t p = 0; q->kind == SCANT_REQUEST_MARGINALS && p <= b->count; p++)
      plain_marginal(&reply->marginals[p < b->count ? b->attributes[p] : all->dimension], b, p);
    if (q->kind == SCANT_REQUEST_EXPECT) plain_expect(q, b, reply);
    if (q->kind == SCANT_REQUEST_OWN) plain_own(q, b, reply);
  }
}

#endif
