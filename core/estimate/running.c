#include "estimate/running.h"

#include "base/lanes.h"

/* ---- moments of the attributes of a look ----------------------------------- */

void scant_meeting_gather(scant_meeting *met, const scant_moments *moments, size_t count, const uint32_t *attributes) {
  for (size_t i = 0; i < count; i++) {
    const scant_moments *m = &moments[attributes[i]];
    met->count[i] = (double)(int64_t)m->count;
    met->mean[i] = m->mean;
    met->spread[i] = m->spread;
    met->largest[i] = m->largest;
  }
}

SCANT_INLINE void add(size_t size, double *restrict count, double *restrict mean, double *restrict spread,
                      double *restrict largest, const double *restrict v) {
  for (size_t i = 0; i < size; i++) {
    double n = count[i] + 1, deviation = v[i] - mean[i], after = mean[i] + deviation / n;
    double square = n > 1 ? deviation * deviation : 0;
    count[i] = n;
    mean[i] = after;
    spread[i] += deviation * (v[i] - after);
    largest[i] = square > largest[i] ? square : largest[i];
  }
}

SCANT_INLINE void add_raw(size_t size, double *restrict count, double *restrict mean, double *restrict spread,
                          double *restrict largest, const double *restrict v) {
  for (size_t i = 0; i < size; i++) {
    double n = count[i] + 1, square = v[i] * v[i];
    count[i] = n;
    mean[i] += (v[i] - mean[i]) / n;
    spread[i] += square;
    largest[i] = square > largest[i] ? square : largest[i];
  }
}

SCANT_WIDEST void scant_meeting_add(scant_meeting *met, size_t count, const double *v, int raw) {
  if (raw)
    add_raw(count, met->count, met->mean, met->spread, met->largest, v);
  else
    add(count, met->count, met->mean, met->spread, met->largest, v);
}

void scant_meeting_undo(scant_meeting *met, const scant_moments *moments, size_t count, const uint32_t *attributes,
                        const double *v) {
  for (size_t i = 0; i < count; i++) {
    if (!isnan(v[i])) continue;
    scant_meeting one = {met->count + i, met->mean + i, met->spread + i, met->largest + i};
    scant_meeting_gather(&one, moments, 1, attributes + i);
  }
}

void scant_meeting_scatter(const scant_meeting *met, scant_moments *moments, size_t count, const uint32_t *attributes) {
  for (size_t i = 0; i < count; i++)
    moments[attributes[i]] =
        (scant_moments){(uint64_t)(int64_t)met->count[i], met->mean[i], met->spread[i], met->largest[i]};
}

/* ---- limits --------------------------------------------------------------------- */

/* How far from the core's mean a wild value counts, in standard deviations of the core; and how many times
 * farther out than the next one it must be. */
#define WILD_COUNTS 3
#define WILD_TIMES 1.5

/* Puts x in its place among `count` ascending values. */
static void insert(double *ascending, uint64_t count, double x) {
  while (count > 0 && ascending[count - 1] > x) {
    ascending[count] = ascending[count - 1];
    count--;
  }
  ascending[count] = x;
}

static uint64_t count_aside(const scant_limits *l) {
  return l->count < SCANT_LIMITS_ASIDE ? l->count : SCANT_LIMITS_ASIDE;
}

/* Those in the core. */
static uint64_t count_core(const scant_limits *l) {
  return l->count - count_aside(l);
}

/* One value more in a mean and a spread that are now of `count`, by Welford's way. */
static void add_to(double *mean, double *spread, uint64_t count, double x) {
  double deviation = x - *mean;
  *mean += deviation / (double)count;
  *spread += deviation * (x - *mean);
}

/* The mean and the spread of the core with those aside, which are given by their deviations from `about`: the
 * core's mean, or the first of them while there is no core.  So nothing cancels: a constant has spread 0. */
static scant_moments combine(const scant_limits *l, double about, double spread, const double *deviations) {
  double n = (double)l->count, sum = 0, squares = 0;
  for (uint64_t i = 0; i < count_aside(l); i++) {
    sum += deviations[i];
    squares += deviations[i] * deviations[i];
  }
  return (scant_moments){.count = l->count, .mean = about + sum / n, .spread = spread + (squares - sum * sum / n)};
}

/* Puts a value that is no longer aside into the core, of which there are now `count`. */
static void join(scant_limits *l, uint64_t count, double x) {
  if (count == 1 || x < l->low) l->low = x;
  if (count == 1 || x > l->high) l->high = x;
  add_to(&l->mean, &l->spread, count, x);
}

int scant_limits_add(scant_limits *l, double x, double *joined) {
  double *aside = l->aside;
  if (l->count < SCANT_LIMITS_ASIDE) {
    insert(aside, l->count++, x);
    return 0;
  }
  *joined = x;
  if (x < aside[1]) {
    *joined = aside[1];
    insert(aside, 1, x);
  } else if (x > aside[2]) {
    *joined = aside[2];
    aside[2] = aside[3];
    insert(aside, 3, x);
  }
  l->count++;
  join(l, count_core(l), *joined);
  return 1;
}

/* The core of `l`, now of `count`, and that of another. */
static void merge_core(scant_limits *l, uint64_t count, const scant_limits *other) {
  double n = (double)count, m = (double)count_core(other), off = other->mean - l->mean;
  l->spread += other->spread + off * off * (n * m / (n + m));
  l->mean += off * (m / (n + m));
  if (other->low < l->low) l->low = other->low;
  if (other->high > l->high) l->high = other->high;
}

void scant_limits_merge(scant_limits *l, const scant_limits *other) {
  double all[2 * SCANT_LIMITS_ASIDE];
  uint64_t aside = 0, core = count_core(l);
  for (uint64_t i = 0; i < count_aside(l); i++) insert(all, aside++, l->aside[i]);
  for (uint64_t i = 0; i < count_aside(other); i++) insert(all, aside++, other->aside[i]);
  if (core && count_core(other)) {
    merge_core(l, core, other);
  } else if (count_core(other)) {
    l->mean = other->mean;
    l->spread = other->spread;
    l->low = other->low;
    l->high = other->high;
  }
  core += count_core(other);
  l->count += other->count;
  for (uint64_t i = 2; i + 2 < aside && aside > SCANT_LIMITS_ASIDE; i++) join(l, ++core, all[i]);
  for (uint64_t i = 0; i < count_aside(l); i++)
    l->aside[i] = aside > SCANT_LIMITS_ASIDE && i >= 2 ? all[aside - 4 + i] : all[i];
}

/* As how far out the two values aside on one side count, from their distances (inner, then outer) and that of
 * the core's end there, all from the core's mean. */
static void bound(double most, double next, double *inner, double *outer) {
  double *distances[2] = {inner, outer};
  for (int i = 0; i < 2; i++) {
    double distance = *distances[i], counts = next > most ? next : most;
    if (distance <= most) continue;
    if (distance > WILD_TIMES * counts)
      counts = most;
    else
      next = distance;
    *distances[i] = counts;
  }
}

/* The moments of all that was met, with those aside bounded; at least one value. */
static scant_moments bounded(const scant_limits *l) {
  double about = count_core(l) ? l->mean : l->aside[0], off[SCANT_LIMITS_ASIDE] = {0};
  for (uint64_t i = 0; i < count_aside(l); i++) off[i] = l->aside[i] - about;
  if (l->spread > 0) {
    double most = WILD_COUNTS * sqrt(l->spread / (double)(count_core(l) - 1));
    off[0] = -off[0];
    off[1] = -off[1];
    bound(most, about - l->low, &off[1], &off[0]);
    bound(most, l->high - about, &off[2], &off[3]);
    off[0] = -off[0];
    off[1] = -off[1];
  }
  return combine(l, about, l->spread, off);
}

int scant_limits_of(const scant_limits *l, double clip, double *low, double *high) {
  *low = *high = l->aside[0];
  if (!l->count || !(l->aside[0] < l->aside[count_aside(l) - 1])) return 0;
  scant_moments m = bounded(l);
  double most = clip * sqrt(m.spread / (double)m.count);
  *low = m.mean - most;
  *high = m.mean + most;
  return 1;
}

scant_moments scant_clipped_moments(const scant_clipped *c, int around_zero) {
  const scant_limits *l = &c->met;
  double off[SCANT_LIMITS_ASIDE], squares = 0, far = 0, ends[2];
  if (!l->count) return (scant_moments){0};
  uint64_t aside = count_aside(l);
  double about = count_core(l) ? c->mean : scant_limits_clip(l->aside[0], c->low, c->high);
  for (uint64_t i = 0; i < aside; i++) {
    double value = scant_limits_clip(l->aside[i], c->low, c->high);
    off[i] = value - about;
    squares += value * value;
  }
  scant_moments m = combine(l, about, around_zero ? 0 : c->spread, off);
  if (around_zero) m.spread = c->spread + squares;
  ends[0] = off[0] + about - (around_zero ? 0 : m.mean);
  ends[1] = off[aside - 1] + about - (around_zero ? 0 : m.mean);
  for (int i = 0; i < 2; i++) far = ends[i] * ends[i] > far ? ends[i] * ends[i] : far;
  m.largest = far;
  return m;
}

void scant_clipped_add(scant_clipped *c, double x, double clip, int around_zero) {
  double joined, spread = c->spread;
  int has_joined = scant_limits_add(&c->met, x, &joined);
  scant_limits_of(&c->met, clip, &c->low, &c->high);
  if (!has_joined) return;
  joined = scant_limits_clip(joined, c->low, c->high);
  add_to(&c->mean, &c->spread, count_core(&c->met), joined);
  if (around_zero) c->spread = spread + joined * joined;
}
