#include "gaussian/frame.h"

#include <math.h>
#include <stdlib.h>

void scant_frame_free(scant_frame *frame) {
  scant_arrays_free(&frame->arrays);
  *frame = (scant_frame){0};
}

/* An attribute that varied becomes a variable. */
static void add_attribute(scant_frame *f, size_t j, const scant_moments *m, double guess, int known) {
  double unit = sqrt(m->spread / (double)m->count);
  f->variable[j] = SCANT_NO_VARIABLE;
  if (m->count < 2 || !(unit > 0)) return;
  size_t v = f->variables++;
  f->variable[j] = (uint32_t)v;
  f->attribute[v] = (uint32_t)j;
  f->center[v] = m->mean;
  f->unit[v] = unit;
  f->guess[v] = guess;
  f->factor[v] = known ? guess : INFINITY;
}

static void add_target(scant_frame *f, const scant_moments *y) {
  double unit = sqrt(scant_moments_variance(y));
  size_t v = f->variables++;
  f->center[v] = y->mean;
  f->unit[v] = unit > 0 ? unit : 1;
  f->factor[v] = f->guess[v] = 1;
}

/* What the limits leave of the values, in their order. */
static int measure(scant_frame *f, const scant_answers *looks) {
  scant_moments *moments = scant_array(f->dimension, sizeof *moments);
  scant_scale scale = {0};
  int good = scant_scale_new(&scale, f->dimension) && moments;
  for (size_t i = 0; good && i < scant_answers_entries(looks); i++) {
    uint32_t j = looks->attribute[i];
    double x = scant_frame_clip(f, j, looks->value[i]);
    scant_scale_note(&scale, j, &moments[j], x);
    scant_moments_add(&moments[j], x);
  }
  /* Where limits hold all values, and most of every example was seen, a variance is what it is: to count the largest
   * value twice would weigh as a penalty that hides a relation that is nearly exact. */
  int whole = f->low && scant_is_mostly_seen(scant_answers_entries(looks), looks->examples, f->dimension);
  for (size_t j = 0; good && j < f->dimension; j++)
    add_attribute(f, j, &moments[j], scant_scale_factor(&scale, j, whole ? NULL : &moments[j]),
                  scant_scale_is_known(&scale, j));
  scant_scale_free(&scale);
  free(moments);
  return good;
}

static int make_room(scant_frame *f, size_t d) {
  *f = (scant_frame){.dimension = d};
  f->variable = scant_arrays_add(&f->arrays, d, sizeof *f->variable);
  f->attribute = scant_arrays_add(&f->arrays, d, sizeof *f->attribute);
  f->center = scant_arrays_add(&f->arrays, d + 1, sizeof *f->center);
  f->unit = scant_arrays_add(&f->arrays, d + 1, sizeof *f->unit);
  f->factor = scant_arrays_add(&f->arrays, d + 1, sizeof *f->factor);
  f->guess = scant_arrays_add(&f->arrays, d + 1, sizeof *f->guess);
  return !f->arrays.failed;
}

int scant_frame_of_marginals(scant_frame *frame, size_t dimension, const scant_marginal *marginals, int whole) {
  scant_frame f;
  if (!make_room(&f, dimension)) {
    scant_frame_free(&f);
    return 0;
  }
  for (size_t j = 0; j < dimension; j++) {
    scant_moments m = scant_marginal_moments(&marginals[j]);
    add_attribute(&f, j, &m, whole ? 1 : scant_scale_twice(&m), marginals[j].active >= SCANT_ACTIVE_FEWEST);
  }
  scant_moments y = scant_marginal_moments(&marginals[dimension]);
  add_target(&f, &y);
  *frame = f;
  return 1;
}

int scant_frame_new(scant_frame *frame, const scant_answers *looks, double clip, const scant_moments *y) {
  scant_frame f;
  int good = make_room(&f, looks->dimension);
  if (good && clip > 0) {
    f.low = scant_arrays_add(&f.arrays, f.dimension, sizeof *f.low);
    f.high = scant_arrays_add(&f.arrays, f.dimension, sizeof *f.high);
    good = !f.arrays.failed && scant_answers_limits(looks, clip, f.low, f.high);
  }
  if (!good || !measure(&f, looks)) {
    scant_frame_free(&f);
    return 0;
  }
  add_target(&f, y);
  *frame = f;
  return 1;
}

int scant_frame_unpenalise(scant_frame *f, const unsigned char *attributes) {
  f->plain = scant_arrays_add(&f->arrays, f->variables, sizeof *f->plain);
  if (!f->plain) return 0;
  for (size_t v = 0; v + 1 < f->variables; v++) {
    f->plain[v] = attributes[f->attribute[v]];
    if (f->plain[v] && isfinite(f->factor[v])) f->factor[v] = 1;
  }
  return 1;
}

/* ---- how much larger a variance may be --------------------------------------------------- */

/* Values that a class must have met to be used. */
enum { COUNT_FEWEST = 20 };

int scant_scale_new(scant_scale *scale, size_t dimension) {
  scale->common = scant_arrays_add(&scale->arrays, dimension, sizeof *scale->common);
  scale->lead = scant_arrays_add(&scale->arrays, dimension, sizeof *scale->lead);
  scale->active = scant_arrays_add(&scale->arrays, dimension, sizeof *scale->active);
  return !scale->arrays.failed;
}

void scant_scale_free(scant_scale *scale) {
  scant_arrays_free(&scale->arrays);
  *scale = (scant_scale){0};
}

int scant_scale_is_known(const scant_scale *scale, size_t attribute) {
  return scale->active[attribute] >= SCANT_ACTIVE_FEWEST;
}

/* Active 0 or 1, 2, 3, 4 .. 5, 6 .. 7, 8 .. 11, ... times: two classes per doubling.
 * SCANT_SCALE_CLASSES: so often that its own values can tell. */
static int class_of(const scant_scale *scale, size_t attribute) {
  double active = (double)scale->active[attribute];
  int place = active > 0 ? (int)floor(2 * log2(active)) : 0;
  return place < SCANT_SCALE_CLASSES ? place : SCANT_SCALE_CLASSES;
}

static void vote(scant_scale *scale, size_t j, double value) {
  if (!scale->lead[j]) scale->common[j] = value;
  if (value == scale->common[j]) {
    scale->lead[j]++;
  } else {
    scale->lead[j]--;
    scale->active[j]++;
  }
}

void scant_scale_note(scant_scale *scale, size_t attribute, const scant_moments *before, double value) {
  if (before->count >= 2 && before->spread > 0) {
    double deviation = value - before->mean, ratio = deviation * deviation / (before->spread / (double)before->count);
    int c = class_of(scale, attribute);
    if (c < SCANT_SCALE_CLASSES && isfinite(ratio * ratio)) {
      scale->count[c]++;
      scale->sum[c] += ratio;
      scale->squares[c] += ratio * ratio;
    }
  }
  vote(scale, attribute, value);
}

double scant_scale_factor(const scant_scale *scale, size_t attribute, const scant_moments *moments) {
  double factor = 1;
  for (int c = SCANT_SCALE_CLASSES - 1; c >= class_of(scale, attribute); c--)
    if (scale->count[c] >= COUNT_FEWEST)
      factor = fmax(factor, (scale->sum[c] + sqrt(scale->squares[c])) / scale->count[c]);
  return moments ? factor * scant_scale_twice(moments) : factor;
}
