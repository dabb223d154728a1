#include "gaussian/select.h"

#include <math.h>
#include <stdlib.h>

/* A variable that keeps less of its variance than this follows from those before it. */
#define LEFT_LEAST 1e-9

int scant_items_new(scant_items *items, size_t count, size_t variables) {
  *items = (scant_items){.count = count};
  items->first = scant_arrays_add(&items->arrays, count + 1, sizeof *items->first);
  items->variable = scant_arrays_add(&items->arrays, variables, sizeof *items->variable);
  items->value = scant_arrays_add(&items->arrays, count, sizeof *items->value);
  items->cost = scant_arrays_add(&items->arrays, count, sizeof *items->cost);
  return !items->arrays.failed;
}

void scant_items_free(scant_items *items) {
  scant_arrays_free(&items->arrays);
  *items = (scant_items){0};
}

/* Variables are taken one by one; each adds a column to the Cholesky factor of those taken. */
typedef struct {
  scant_arrays arrays;
  const scant_normal *normal;
  size_t n, taken, room;
  double *column;      /* taken x n; it grows */
  double *variance;    /* of each variable, given those taken, */
  double *with_target; /* and its covariance with the target */
  double *block;       /* the columns of a group that is tried; as many as its variables, */
  double *left;        /* and what they leave of variances and covariances with the target */
} selection;

static int selection_new(selection *s, const scant_items *items, const scant_normal *normal, const double *factor,
                         double penalty) {
  size_t n = normal->n, largest = 1;
  for (size_t g = 0; g < items->count; g++) {
    size_t size = items->first[g + 1] - items->first[g];
    largest = size > largest ? size : largest;
  }
  *s = (selection){.normal = normal, .n = n};
  s->variance = scant_arrays_add(&s->arrays, n, sizeof *s->variance);
  s->with_target = scant_arrays_add(&s->arrays, n, sizeof *s->with_target);
  s->block = scant_arrays_add(&s->arrays, largest * largest, sizeof *s->block);
  s->left = scant_arrays_add(&s->arrays, 2 * largest, sizeof *s->left);
  if (s->arrays.failed) return 0;
  for (size_t j = 0; j + 1 < n; j++) {
    s->variance[j] = normal->covariance[j * n + j] * (factor[j] + penalty);
    s->with_target[j] = normal->covariance[(n - 1) * n + j];
  }
  return 1;
}

static int is_left(const selection *s, size_t j, double variance) {
  return variance > LEFT_LEAST * s->normal->covariance[j * s->n + j];
}

/* The covariance of two different variables given those taken. */
static double covariance(const selection *s, size_t i, size_t j) {
  double c = s->normal->covariance[i * s->n + j];
  for (size_t t = 0; t < s->taken; t++) c -= s->column[t * s->n + i] * s->column[t * s->n + j];
  return c;
}

/* 0: out of memory. */
static int take(selection *s, size_t best) {
  size_t n = s->n;
  if (!is_left(s, best, s->variance[best])) return 1;
  if (!scant_grow(&s->column, &s->room, (s->taken + 1) * n, sizeof *s->column)) return 0;
  double *column = s->column + s->taken * n, root = sqrt(s->variance[best]), step = s->with_target[best] / root;
  for (size_t j = 0; j + 1 < n; j++) column[j] = covariance(s, best, j) / root;
  for (size_t j = 0; j + 1 < n; j++) {
    if (j == best) continue;
    s->variance[j] -= column[j] * column[j];
    s->with_target[j] -= column[j] * step;
  }
  s->taken++;
  return 1;
}

/* As if the variables were taken one after the other. */
static double gain_of_group(const selection *s, size_t count, const size_t *variable) {
  double *variance = s->left, *with_target = s->left + count, gain = 0;
  for (size_t a = 0; a < count; a++) {
    double *row = s->block + a * count;
    size_t j = variable[a];
    variance[a] = s->variance[j];
    with_target[a] = s->with_target[j];
    for (size_t b = 0; b < a; b++) {
      const double *other = s->block + b * count;
      row[b] = 0;
      if (!(variance[b] > 0)) continue; /* it was not taken */
      row[b] = covariance(s, j, variable[b]);
      for (size_t c = 0; c < b; c++) row[b] -= row[c] * other[c];
      row[b] /= sqrt(variance[b]);
      variance[a] -= row[b] * row[b];
      with_target[a] -= row[b] * with_target[b] / sqrt(variance[b]);
    }
    if (!is_left(s, j, variance[a])) variance[a] = 0;
    if (variance[a] > 0) gain += with_target[a] * with_target[a] / variance[a];
  }
  return gain;
}

static double gain_of(const selection *s, const scant_items *items, size_t g) {
  size_t count = items->first[g + 1] - items->first[g];
  const size_t *variable = items->variable + items->first[g];
  if (count != 1) return gain_of_group(s, count, variable);
  size_t j = variable[0];
  return is_left(s, j, s->variance[j]) ? s->with_target[j] * s->with_target[j] / s->variance[j] : 0;
}

static int take_item(selection *s, const scant_items *items, size_t g, double explained, double *gain) {
  gain[g] = explained / s->normal->covariance[s->n * s->n - 1];
  int good = 1;
  for (size_t i = items->first[g]; good && i < items->first[g + 1]; i++) good = take(s, items->variable[i]);
  return good;
}

static int select_paid(selection *s, const scant_items *items, size_t most, double money, double *gain) {
  double spent = 0;
  for (size_t k = 0; k < most && spent < money; k++) {
    size_t best = items->count;
    double explained = 0, top = 0;
    for (size_t g = 0; g < items->count; g++) {
      if (gain[g] >= 0) continue;
      double x = gain_of(s, items, g);
      if (x * items->value[g] > top) {
        top = x * items->value[g];
        explained = x;
        best = g;
      }
    }
    if (best == items->count) break;
    if (!take_item(s, items, best, explained, gain)) return 0;
    spent += items->cost[best];
  }
  return 1;
}

int scant_items_select(const scant_items *items, const scant_normal *normal, const double *factor, double penalty,
                       size_t most, double money, double *gain) {
  selection s;
  int good = selection_new(&s, items, normal, factor, penalty);
  for (size_t g = 0; g < items->count; g++) gain[g] = -1; /* not chosen */
  for (size_t g = 0; good && g < items->count; g++)
    if (isinf(items->value[g])) good = take_item(&s, items, g, gain_of(&s, items, g), gain);
  good = good && select_paid(&s, items, most, money, gain);
  free(s.column);
  scant_arrays_free(&s.arrays);
  for (size_t g = 0; g < items->count; g++) gain[g] = fmax(gain[g], 0);
  return good;
}
