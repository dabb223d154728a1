#include "dense/gaussian/seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "estimate/limits.h"
#include "core/lanes.h"

void scant_answers_free(scant_answers *looks) {
  free(looks->first);
  free(looks->size);
  free(looks->attribute);
  free(looks->value);
  free(looks->y);
  *looks = (scant_answers){0};
}

int scant_answers_add(scant_answers *looks, size_t count, const uint32_t *attributes, const double *values, double y) {
  scant_answers *l = looks;
  size_t start = l->examples ? l->first[l->examples] : 0, end = start;
  if (!scant_grow(&l->first, &l->first_room, l->examples + 2, sizeof *l->first) ||
      !scant_grow(&l->size, &l->size_room, l->examples + 1, sizeof *l->size) ||
      !scant_grow(&l->y, &l->y_room, l->examples + 1, sizeof *l->y) ||
      !scant_grow(&l->attribute, &l->attribute_room, start + count, sizeof *l->attribute) ||
      !scant_grow(&l->value, &l->value_room, start + count, sizeof *l->value))
    return 0;
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) continue;
    l->attribute[end] = attributes[i];
    l->value[end++] = values[i];
  }
  l->first[l->examples] = start;
  l->size[l->examples] = (uint32_t)(end - start);
  l->y[l->examples++] = y;
  l->first[l->examples] = end;
  return 1;
}

/* ---- from attributes to variables ------------------------------------------ */

void scant_frame_free(scant_frame *frame) {
  free(frame->variable);
  free(frame->attribute);
  free(frame->center);
  free(frame->unit);
  free(frame->low);
  free(frame->high);
  *frame = (scant_frame){0};
}

/* Limits of each attribute, then the moments of what they leave. */
static void measure(const scant_answers *looks, double clip, scant_limits *met, double *low, double *high,
                    scant_moments *moments) {
  size_t d = looks->dimension, entries = looks->examples ? looks->first[looks->examples] : 0;
  double joined;
  for (size_t j = 0; j < d; j++) {
    low[j] = -INFINITY;
    high[j] = INFINITY;
  }
  if (isfinite(clip)) {
    for (size_t i = 0; i < entries; i++) scant_limits_add(&met[looks->attribute[i]], looks->value[i], &joined);
    for (size_t j = 0; j < d; j++) scant_limits_of(&met[j], clip, &low[j], &high[j]);
  }
  for (size_t i = 0; i < entries; i++) {
    uint32_t j = looks->attribute[i];
    scant_moments_add(&moments[j], scant_limits_clip(looks->value[i], low[j], high[j]));
  }
}

static void choose_variables(scant_frame *f, const double *low, const double *high, const scant_moments *moments) {
  for (size_t j = 0; j < f->dimension; j++) {
    const scant_moments *m = &moments[j];
    double unit = sqrt(m->spread / (double)m->count);
    f->variable[j] = SCANT_NO_VARIABLE;
    if (m->count < 2 || !(unit > 0)) continue;
    size_t v = f->variables++;
    f->variable[j] = (uint32_t)v;
    f->attribute[v] = (uint32_t)j;
    f->center[v] = m->mean;
    f->unit[v] = unit;
    f->low[v] = low[j];
    f->high[v] = high[j];
  }
}

static void add_target(scant_frame *f, const scant_moments *y) {
  double unit = sqrt(scant_moments_variance(y));
  size_t v = f->variables++;
  f->center[v] = y->mean;
  f->unit[v] = unit > 0 ? unit : 1;
  f->low[v] = -INFINITY;
  f->high[v] = INFINITY;
}

int scant_frame_new(scant_frame *frame, const scant_answers *looks, double clip, const scant_moments *y) {
  size_t d = looks->dimension;
  scant_frame f = {.dimension = d};
  f.variable = scant_array(d, sizeof *f.variable);
  f.attribute = scant_array(d, sizeof *f.attribute);
  f.center = scant_array(d + 1, sizeof *f.center);
  f.unit = scant_array(d + 1, sizeof *f.unit);
  f.low = scant_array(d + 1, sizeof *f.low);
  f.high = scant_array(d + 1, sizeof *f.high);
  double *low = scant_array(d, sizeof *low), *high = scant_array(d, sizeof *high);
  scant_limits *met = scant_array(d, sizeof *met);
  scant_moments *moments = scant_array(d, sizeof *moments);
  int good = f.variable && f.attribute && f.center && f.unit && f.low && f.high && low && high && met && moments;
  if (good) {
    measure(looks, clip, met, low, high, moments);
    choose_variables(&f, low, high, moments);
    add_target(&f, y);
    *frame = f;
  } else {
    scant_frame_free(&f);
  }
  free(low);
  free(high);
  free(met);
  free(moments);
  return good;
}

/* ---- what was seen of the variables ------------------------------------------ */

void scant_seen_free(scant_seen *seen) {
  free(seen->first);
  free(seen->variable);
  free(seen->value);
  free(seen->order);
  free(seen->batches);
  *seen = (scant_seen){0};
}

/* Insertion: looks come nearly sorted, or are few. */
static void sort_entries(uint32_t *variable, double *value, size_t count) {
  for (size_t i = 1; i < count; i++) {
    uint32_t v = variable[i];
    double x = value[i];
    size_t at = i;
    for (; at > 0 && variable[at - 1] > v; at--) {
      variable[at] = variable[at - 1];
      value[at] = value[at - 1];
    }
    variable[at] = v;
    value[at] = x;
  }
}

static void fill_example(scant_seen *s, const scant_answers *l, const scant_frame *f, size_t e) {
  size_t start = s->first[s->examples], end = start;
  for (size_t i = l->first[e]; i < l->first[e + 1]; i++) {
    uint32_t v = f->variable[l->attribute[i]];
    if (v == SCANT_NO_VARIABLE) continue;
    s->variable[end] = v;
    s->value[end++] = (scant_limits_clip(l->value[i], f->low[v], f->high[v]) - f->center[v]) / f->unit[v];
  }
  sort_entries(s->variable + start, s->value + start, end - start);
  uint32_t target = (uint32_t)(f->variables - 1);
  s->variable[end] = target;
  s->value[end++] = (l->y[e] - f->center[target]) / f->unit[target];
  s->first[++s->examples] = end;
}

/* ---- what to work on together --------------------------------------------------- */

typedef struct {
  size_t size;
  uint64_t pattern;
  uint32_t example;
} sortable;

static int compare(const void *left, const void *right) {
  const sortable *a = left, *b = right;
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  if (a->pattern != b->pattern) return a->pattern < b->pattern ? -1 : 1;
  return a->example < b->example ? -1 : a->example > b->example;
}

static int same_pattern(const scant_seen *s, uint32_t a, uint32_t b) {
  size_t n = scant_seen_size(s, a);
  return scant_seen_size(s, b) == n &&
         !memcmp(s->variable + s->first[a], s->variable + s->first[b], n * sizeof *s->variable);
}

/* A few that are alike are better off in a block, unless their matrices are
 * large. */
enum { ALIKE_FEWEST = 6, BLOCK_LARGEST = 96 };

static void batch(scant_seen *s) {
  size_t n = s->examples;
  for (size_t i = 0, end; i < n; i = end) {
    size_t size = scant_seen_size(s, s->order[i]);
    for (end = i + 1; end < n && same_pattern(s, s->order[i], s->order[end]);) end++;
    int alike = end - i >= ALIKE_FEWEST || size > BLOCK_LARGEST;
    scant_batch *last = s->batch_count ? &s->batches[s->batch_count - 1] : NULL;
    if (!alike) end = i + 1;
    if (!alike && last && !last->alike && last->count < SCANT_LANES) {
      last->count++;
      continue;
    }
    s->batches[s->batch_count++] = (scant_batch){(uint32_t)i, (uint32_t)(end - i), alike};
  }
}

static int sort_examples(scant_seen *s) {
  sortable *keys = scant_array(s->examples, sizeof *keys);
  if (!keys || !s->batches) {
    free(keys);
    return 0;
  }
  for (size_t e = 0; e < s->examples; e++) {
    size_t size = scant_seen_size(s, e);
    if (size > s->most) s->most = size;
    keys[e] = (sortable){size, scant_hash(SCANT_HASH_START, s->variable + s->first[e], size * sizeof *s->variable),
                         (uint32_t)e};
  }
  qsort(keys, s->examples, sizeof *keys, compare);
  for (size_t i = 0; i < s->examples; i++) s->order[i] = keys[i].example;
  free(keys);
  batch(s);
  return 1;
}

int scant_seen_new(scant_seen *seen, const scant_answers *looks, const scant_frame *frame, size_t parts, size_t part) {
  scant_seen s = {.variables = frame->variables};
  size_t entries = 0, examples = 0;
  for (size_t e = 0; e < looks->examples; e++) {
    if (parts && e % parts != part) continue;
    entries += looks->first[e + 1] - looks->first[e] + 1;
    examples++;
  }
  s.first = scant_array(examples + 1, sizeof *s.first);
  s.order = scant_array(examples, sizeof *s.order);
  s.batches = scant_array(examples, sizeof *s.batches);
  s.variable = scant_array(entries, sizeof *s.variable);
  s.value = scant_array(entries, sizeof *s.value);
  int good = s.first && s.order && s.batches && s.variable && s.value;
  for (size_t e = 0; good && e < looks->examples; e++)
    if (!parts || e % parts == part) fill_example(&s, looks, frame, e);
  if (!good || !sort_examples(&s)) {
    scant_seen_free(&s);
    return 0;
  }
  *seen = s;
  return 1;
}

void scant_seen_largest(const scant_seen *seen, size_t *block, size_t *alike) {
  *block = *alike = 0;
  for (size_t b = 0; b < seen->batch_count; b++) {
    const scant_batch *batch = &seen->batches[b];
    size_t size = scant_seen_size(seen, seen->order[batch->start + batch->count - 1]);
    size_t *most = batch->alike ? alike : block;
    if (size > *most) *most = size;
  }
}
