#include "estimate/limits.h"

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

/* Welford's way, for moments of which `largest` is not needed. */
static void add(scant_moments *m, double x) {
  double deviation = x - m->mean;
  m->count++;
  m->mean += deviation / (double)m->count;
  m->spread += deviation * (x - m->mean);
}

static uint64_t count_aside(const scant_limits *l) {
  return l->count < SCANT_LIMITS_ASIDE ? l->count : SCANT_LIMITS_ASIDE;
}

static scant_moments core_of(const scant_limits *l, double mean, double spread) {
  return (scant_moments){.count = l->count - count_aside(l), .mean = mean, .spread = spread};
}

int scant_limits_add(scant_limits *limits, double x, double *joined) {
  scant_limits *l = limits;
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
  scant_moments core = core_of(l, l->mean, l->spread);
  if (!core.count || *joined < l->low) l->low = *joined;
  if (!core.count || *joined > l->high) l->high = *joined;
  add(&core, *joined);
  l->count++;
  l->mean = core.mean;
  l->spread = core.spread;
  return 1;
}

/* Adds the two values aside on one side, given by their distances from the core's mean (inner, then outer)
 * and that of the core's end there. */
static void add_side(scant_moments *m, double mean, double sign, double most, double next, const double *distances) {
  for (int i = 0; i < 2; i++) {
    double distance = distances[i], counts = next > most ? next : most;
    if (distance <= most)
      counts = distance;
    else if (distance > WILD_TIMES * counts)
      counts = most;
    else
      next = distance;
    add(m, mean + sign * counts);
  }
}

/* The moments of all that was met, with those aside bounded. */
static scant_moments bounded(const scant_limits *l) {
  scant_moments m = core_of(l, l->mean, l->spread);
  if (!(l->spread > 0)) {
    for (uint64_t i = 0; i < count_aside(l); i++) add(&m, l->aside[i]);
    return m;
  }
  double mean = l->mean, most = WILD_COUNTS * sqrt(l->spread / (double)(m.count - 1));
  add_side(&m, mean, -1, most, mean - l->low, (double[]){mean - l->aside[1], mean - l->aside[0]});
  add_side(&m, mean, 1, most, l->high - mean, (double[]){l->aside[2] - mean, l->aside[3] - mean});
  return m;
}

int scant_limits_of(const scant_limits *limits, double clip, double *low, double *high) {
  const scant_limits *l = limits;
  *low = *high = l->aside[0];
  if (!l->count || !(l->aside[0] < l->aside[count_aside(l) - 1])) return 0;
  scant_moments m = bounded(l);
  double most = clip * sqrt(m.spread / (double)m.count);
  *low = m.mean - most;
  *high = m.mean + most;
  return 1;
}

void scant_clipped_add(scant_clipped *clipped, double x, double clip, int around_zero) {
  scant_clipped *c = clipped;
  double joined, low, high;
  if (!scant_limits_add(&c->met, x, &joined)) return;
  scant_limits_of(&c->met, clip, &low, &high);
  joined = scant_limits_clip(joined, low, high);
  double deviation = joined - c->mean;
  c->mean += deviation / (double)(c->met.count - SCANT_LIMITS_ASIDE);
  c->spread += around_zero ? joined * joined : deviation * (joined - c->mean);
}

scant_moments scant_clipped_moments(const scant_clipped *clipped, double clip, int around_zero, double *low,
                                    double *high) {
  const scant_clipped *c = clipped;
  scant_limits_of(&c->met, clip, low, high);
  scant_moments m = core_of(&c->met, c->mean, c->spread);
  uint64_t aside = count_aside(&c->met);
  for (uint64_t i = 0; i < aside; i++) {
    double x = scant_limits_clip(c->met.aside[i], *low, *high), around = m.spread + x * x;
    add(&m, x);
    if (around_zero) m.spread = around;
  }
  double ends[2] = {c->met.aside[0], aside ? c->met.aside[aside - 1] : 0};
  for (int i = 0; i < 2; i++) {
    double deviation = scant_limits_clip(ends[i], *low, *high) - (around_zero ? 0 : m.mean);
    if (deviation * deviation > m.largest) m.largest = deviation * deviation;
  }
  return m;
}
