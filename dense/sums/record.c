#include "sums/record.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

/* ---- memory ---------------------------------------------------------------------------- */

/* Where the next array begins: at a multiple of eight bytes. */
typedef struct {
  char *base; /* NULL: sizes are only added up */
  double used;
} layout;

static void *carve(layout *l, size_t count, size_t size) {
  void *piece = l->base ? l->base + (size_t)l->used : NULL;
  l->used += 8 * ceil((double)count * (double)size / 8);
  return piece;
}

static void lay_out(scant_record *r, const scant_record_shape *shape, layout *l) {
  size_t n = shape->count, p = n + 1;
  r->attributes = carve(l, n, sizeof *r->attributes);
  r->values = carve(l, p, sizeof *r->values);
  if (!shape->limited) r->limits = carve(l, n, sizeof *r->limits);
  for (uint32_t i = 0; i < shape->patterns; i++) {
    scant_pattern *t = &r->pattern[i];
    size_t q = (size_t)shape->seen[i] + 1;
    t->seen = shape->seen[i];
    t->place = carve(l, q - 1, sizeof *t->place);
    t->mean = carve(l, q, sizeof *t->mean);
    t->scatter = carve(l, scant_pairs_triangle(q), sizeof *t->scatter);
  }
  if (shape->available) {
    r->together = carve(l, scant_pairs_triangle(p), sizeof *r->together);
    r->product = carve(l, scant_pairs_triangle(p), sizeof *r->product);
    r->sum = carve(l, p * p, sizeof *r->sum);
  }
}

scant_record *scant_record_new(const scant_record_shape *shape) {
  scant_record made = {.count = shape->count, .patterns = shape->patterns};
  layout counted = {0};
  lay_out(&made, shape, &counted);
  if (counted.used > (double)(SIZE_MAX / 4)) return NULL;
  made.bytes = (size_t)counted.used;
  scant_record *r = scant_array(1, sizeof *r);
  made.data = r ? scant_array(made.bytes, 1) : NULL;
  if (!made.data) {
    free(r);
    return NULL;
  }
  lay_out(&made, shape, &(layout){.base = made.data});
  *r = made;
  return r;
}

scant_record_shape scant_record_shape_of(const scant_record *r) {
  scant_record_shape shape = {
      .count = r->count, .patterns = r->patterns, .limited = !r->limits, .available = r->together != NULL};
  for (uint32_t i = 0; i < r->patterns; i++) shape.seen[i] = r->pattern[i].seen;
  return shape;
}

scant_record *scant_record_copy(const scant_record *record) {
  scant_record_shape shape = scant_record_shape_of(record);
  scant_record *r = scant_record_new(&shape);
  if (!r) return NULL;
  r->block = record->block;
  r->rows = record->rows;
  for (uint32_t i = 0; i < r->patterns; i++) r->pattern[i].rows = record->pattern[i].rows;
  memcpy(r->data, record->data, r->bytes);
  return r;
}

void scant_record_free(scant_record *record) {
  if (!record) return;
  free(record->data);
  free(record);
}

int scant_record_equal(const scant_record *a, const scant_record *b) {
  int same = a->block == b->block && a->rows == b->rows && a->count == b->count && a->patterns == b->patterns &&
             !a->limits == !b->limits && !a->together == !b->together && a->bytes == b->bytes;
  for (uint32_t i = 0; same && i < a->patterns; i++)
    same = a->pattern[i].rows == b->pattern[i].rows && a->pattern[i].seen == b->pattern[i].seen;
  return same && !memcmp(a->data, b->data, a->bytes);
}

/* ---- one attribute --------------------------------------------------------------------- */

/* Where a pattern has a place; `seen` for the target; -1: it was missing. */
static ptrdiff_t find(const scant_record *r, const scant_pattern *t, size_t place) {
  if (place == r->count) return (ptrdiff_t)t->seen;
  size_t low = 0, high = t->seen;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (t->place[middle] < place)
      low = middle + 1;
    else
      high = middle;
  }
  return low < t->seen && t->place[low] == place ? (ptrdiff_t)low : -1;
}

scant_moments scant_record_moments(const scant_record *r, size_t place) {
  scant_moments all = {0};
  for (uint32_t i = 0; i < r->patterns; i++) {
    const scant_pattern *t = &r->pattern[i];
    ptrdiff_t at = find(r, t, place);
    if (at < 0) continue;
    if (r->together) { /* the scatter was changed */
      size_t both = scant_pairs_at(place, place);
      return (scant_moments){.count = r->together[both], .mean = t->mean[at], .spread = r->product[both]};
    }
    double n = (double)t->rows, total = n + (double)all.count, off = t->mean[at] - all.mean;
    double spread = t->scatter[scant_pairs_at((size_t)at, (size_t)at)];
    if (all.count) {
      all.mean += off * (n / total);
      all.spread += spread + off * off * ((double)all.count * n / total);
    } else {
      all.mean = t->mean[at];
      all.spread = spread;
    }
    all.count += t->rows;
  }
  return all;
}

/* ---- one column of values ---------------------------------------------------------------- */

SCANT_WIDEST void scant_column_count(const double *x, size_t rows, size_t *missing, size_t *infinite) {
  size_t holes = 0, endless = 0;
  for (size_t r = 0; r < rows; r++) {
    holes += isnan(x[r]) ? 1 : 0;
    endless += fabs(x[r]) > DBL_MAX ? 1 : 0;
  }
  *missing = holes;
  *infinite = endless;
}

/* If all are known and no neighbours are the same, no value makes up more than half of them; for an odd number the ends
 * are neighbours, too.  It is so for most attributes, and quickly found. */
SCANT_WIDEST static int has_no_common(const double *x, size_t rows, uint64_t known) {
  size_t same = 0;
  for (size_t r = 1; r < rows; r++) same += x[r] == x[r - 1] ? 1 : 0;
  return known == rows && rows > 1 && !same && x[0] != x[rows - 1];
}

/* Boyer and Moore's vote gives the only value that more than half of them can have; it is then counted.  Without such a
 * value the first one stands for it, and every other one is against it. */
static void vote(const double *x, size_t rows, scant_shown_values *v) {
  double common = 0, first = NAN;
  uint64_t lead = 0, times = 0;
  if (!has_no_common(x, rows, v->known)) {
    for (size_t r = 0; r < rows; r++) {
      if (isnan(x[r])) continue;
      common = lead ? common : x[r];
      lead += x[r] == common ? 1 : (uint64_t)-1;
    }
    for (size_t r = 0; r < rows; r++) times += x[r] == common ? 1 : 0;
  }
  for (size_t r = 0; isnan(first); r++) first = x[r];
  int is_common = 2 * times > v->known;
  v->active = is_common ? v->known - times : v->known / 2;
  v->common = (is_common ? common : first) + 0.0; /* no negative zero */
}

SCANT_WIDEST static void find_ends(const double *x, size_t rows, scant_shown_values *v) {
  double low = INFINITY, high = -INFINITY;
  uint64_t known = 0;
  for (size_t r = 0; r < rows; r++) {
    low = x[r] < low ? x[r] : low;
    high = x[r] > high ? x[r] : high;
    known += isnan(x[r]) ? 0 : 1;
  }
  v->known = known;
  v->low = known ? low : 0;
  v->high = known ? high : 0;
}

void scant_column_show(const double *x, size_t rows, scant_shown_values *shown) {
  *shown = (scant_shown_values){0};
  find_ends(x, rows, shown);
  if (shown->known) vote(x, rows, shown);
}

/* In four sums, so that additions need not wait for each other. */
double scant_column_mean(const double *x, const uint32_t *row, size_t n) {
  double first = row ? x[row[0]] : x[0], s[4] = {0};
  size_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (size_t k = 0; k < 4; k++) s[k] += (row ? x[row[i + k]] : x[i + k]) - first;
  for (; i < n; i++) s[0] += (row ? x[row[i]] : x[i]) - first;
  return first + ((s[0] + s[1]) + (s[2] + s[3])) / (double)n;
}

double scant_column_mean_known(const double *x, size_t rows, size_t known) {
  size_t start = 0;
  while (isnan(x[start])) start++;
  double first = x[start], s = 0;
  for (size_t r = start; r < rows; r++) s += isnan(x[r]) ? 0 : x[r] - first;
  return first + s / (double)known;
}
