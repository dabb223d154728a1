#include "moments/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

double scant_pairs_bytes(size_t d) {
  double n = (double)d, triangle = n * (n + 1) / 2;
  return n * n * sizeof(double) + triangle * (sizeof(double) + sizeof(uint32_t)) + 2 * n * sizeof(double);
}

/* Doubles are in one piece, from `product` on. */
static size_t count_sums(size_t d) {
  return scant_pairs_triangle(d) + d * d + 2 * d;
}

int scant_pairs_new(scant_pairs *pairs, size_t d) {
  size_t triangle = scant_pairs_triangle(d);
  *pairs = (scant_pairs){.d = d};
  pairs->count = scant_array(triangle, sizeof *pairs->count);
  pairs->product = scant_array(count_sums(d), sizeof *pairs->product);
  if (!pairs->count || !pairs->product) return 0;
  pairs->sum = pairs->product + triangle;
  pairs->y_sum = pairs->sum + d * d;
  pairs->y_product = pairs->y_sum + d;
  return 1;
}

void scant_pairs_free(scant_pairs *pairs) {
  free(pairs->count);
  free(pairs->product);
  *pairs = (scant_pairs){0};
}

void scant_pairs_clear(scant_pairs *p) {
  p->examples = 0;
  p->y = p->yy = 0;
  memset(p->count, 0, scant_pairs_triangle(p->d) * sizeof *p->count);
  memset(p->product, 0, count_sums(p->d) * sizeof *p->product);
}

void scant_pairs_add(scant_pairs *p, size_t count, const uint32_t *attributes, const double *x, double y) {
  p->examples++;
  p->y += y;
  p->yy += y * y;
  for (size_t r = 0; r < count; r++) {
    size_t i = attributes[r];
    double xi = x[r], *row = p->sum + i * p->d;
    p->y_sum[i] += y;
    p->y_product[i] += xi * y;
    for (size_t q = 0; q < count; q++) row[attributes[q]] += xi;
    for (size_t q = 0; q <= r; q++) {
      size_t at = scant_pairs_at(i, attributes[q]);
      p->count[at]++;
      p->product[at] += xi * x[q];
    }
  }
}

void scant_pairs_shift(scant_pairs *p, const double *dx, double dy) {
  size_t d = p->d;
  for (size_t i = 0; i < d; i++) {
    for (size_t j = 0; j <= i; j++) {
      size_t at = scant_pairs_at(i, j);
      double n = p->count[at], si = p->sum[i * d + j], sj = p->sum[j * d + i];
      p->product[at] += dx[j] * si + dx[i] * sj + n * dx[i] * dx[j];
      p->sum[i * d + j] = si + n * dx[i];
      p->sum[j * d + i] = sj + n * dx[j];
    }
    double n = p->count[scant_pairs_at(i, i)], sum = p->sum[i * d + i];
    /* sum_ii is of the new point already, y_sum still of the old */
    p->y_product[i] += dx[i] * p->y_sum[i] + dy * sum;
    p->y_sum[i] += n * dy;
  }
  double n = (double)p->examples;
  p->yy += 2 * dy * p->y + n * dy * dy;
  p->y += n * dy;
}

void scant_pairs_merge(scant_pairs *p, const scant_pairs *other) {
  p->examples += other->examples;
  p->y += other->y;
  p->yy += other->yy;
  for (size_t at = 0; at < scant_pairs_triangle(p->d); at++) p->count[at] += other->count[at];
  for (size_t at = 0; at < count_sums(p->d); at++) p->product[at] += other->product[at];
}

scant_status scant_pairs_fail_count(scant_error *error) {
  return scant_fail(error, SCANT_DATA,
                    "there are more than %lu examples, and moments counts no further: take fewer, or gaussian",
                    (unsigned long)UINT32_MAX);
}

/* ---- which attributes have shown themselves ------------------------------------------------ */

enum { VALUES = SCANT_SHOWN_VALUES };

int scant_shown_new(scant_shown *shown, size_t dimension) {
  shown->value = scant_array(VALUES * dimension, sizeof *shown->value);
  shown->count = scant_array(VALUES * dimension, sizeof *shown->count);
  return shown->value && shown->count;
}

void scant_shown_free(scant_shown *shown) {
  free(shown->value);
  free(shown->count);
  *shown = (scant_shown){0};
}

/* How many there are, and how many of the most common one. */
static uint64_t total(const uint32_t *count, uint64_t *most) {
  uint64_t sum = 0;
  *most = 0;
  for (int v = 0; v < VALUES; v++) {
    sum += count[v];
    if (count[v] > *most) *most = count[v];
  }
  return sum;
}

void scant_shown_add(scant_shown *shown, size_t attribute, double value, uint32_t times) {
  double *values = shown->value + VALUES * attribute;
  uint32_t *count = shown->count + VALUES * attribute;
  if (count[0] == SCANT_SHOWN_KNOWN) return;
  int v = 0;
  while (v < VALUES && count[v] && values[v] != value) v++;
  uint64_t most = 0, all = 0;
  if (v < VALUES) {
    values[v] = value;
    count[v] += times;
    all = total(count, &most);
  }
  if (v == VALUES || all - most >= SCANT_SHOWN_FEWEST) count[0] = SCANT_SHOWN_KNOWN;
}

void scant_shown_merge(scant_shown *shown, const scant_shown *other, size_t attribute) {
  if (scant_shown_is_known(other, attribute)) shown->count[VALUES * attribute] = SCANT_SHOWN_KNOWN;
  for (size_t v = VALUES * attribute; v < VALUES * (attribute + 1); v++)
    if (other->count[v]) scant_shown_add(shown, attribute, other->value[v], other->count[v]);
}

int scant_shown_is_possible(const scant_shown *shown, size_t attribute, uint64_t values) {
  const double *value = shown->value + VALUES * attribute;
  const uint32_t *count = shown->count + VALUES * attribute;
  if (count[0] == SCANT_SHOWN_KNOWN) return values >= SCANT_SHOWN_FEWEST + 1;
  uint64_t most, all = total(count, &most);
  int good = all == values && all - most < SCANT_SHOWN_FEWEST;
  for (int v = 0; v < VALUES; v++)
    for (int u = 0; u < v; u++) good = good && (!count[v] || (count[u] && value[u] != value[v]));
  return good;
}
