#include "sums/record.h"

#include <stdlib.h>
#include <string.h>

#include "scant_base.h"

/* ---- memory ---------------------------------------------------------------------------- */

/* Arrays begin at multiples of eight bytes. */
static double padded(double count, size_t size) {
  return 8 * ceil(count * (double)size / 8);
}

/* Of its arrays. */
static double bytes_of(const scant_record_shape *shape) {
  const scant_record_shape *s = shape;
  double n = s->count, p = n + 1;
  double bytes = padded(n, sizeof(uint32_t)) + p * sizeof(scant_shown_values);
  if (!s->limited) bytes += n * sizeof(scant_limits);
  for (uint32_t i = 0; i < s->patterns; i++) {
    double q = (double)s->seen[i] + 1;
    bytes += padded(q - 1, sizeof(uint32_t)) + 8 * (q + q * (q + 1) / 2);
  }
  if (s->available) bytes += padded(p * (p + 1) / 2, sizeof(uint32_t)) + 8 * (p * (p + 1) / 2 + p * p);
  return bytes;
}

static void *carve(char **at, size_t count, size_t size) {
  void *piece = *at;
  *at += (count * size + 7) / 8 * 8;
  return piece;
}

scant_record *scant_record_new(const scant_record_shape *shape) {
  double bytes = bytes_of(shape);
  if (bytes > (double)(SIZE_MAX / 4)) return NULL;
  scant_record *r = scant_array(1, sizeof *r);
  char *at = r ? scant_array((size_t)bytes, 1) : NULL;
  if (!at) {
    free(r);
    return NULL;
  }
  size_t n = shape->count, p = n + 1;
  r->data = at;
  r->bytes = (size_t)bytes;
  r->count = shape->count;
  r->patterns = shape->patterns;
  r->attributes = carve(&at, n, sizeof *r->attributes);
  r->values = carve(&at, p, sizeof *r->values);
  if (!shape->limited) r->limits = carve(&at, n, sizeof *r->limits);
  for (uint32_t i = 0; i < shape->patterns; i++) {
    scant_pattern *t = &r->pattern[i];
    size_t q = (size_t)shape->seen[i] + 1;
    t->seen = shape->seen[i];
    t->place = carve(&at, q - 1, sizeof *t->place);
    t->mean = carve(&at, q, sizeof *t->mean);
    t->scatter = carve(&at, scant_pairs_triangle(q), sizeof *t->scatter);
  }
  if (shape->available) {
    r->together = carve(&at, scant_pairs_triangle(p), sizeof *r->together);
    r->product = carve(&at, scant_pairs_triangle(p), sizeof *r->product);
    r->sum = carve(&at, p * p, sizeof *r->sum);
  }
  return r;
}

scant_record_shape scant_record_shape_of(const scant_record *record) {
  const scant_record *r = record;
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

scant_moments scant_record_moments(const scant_record *record, size_t place) {
  const scant_record *r = record;
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
