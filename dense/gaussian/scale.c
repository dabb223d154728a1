#include "gaussian/scale.h"

#include <stdlib.h>

#include "base/memory.h"

/* Values that a class must have met to be used. */
enum { COUNT_FEWEST = 20 };

int scant_scale_new(scant_scale *scale, size_t dimension) {
  scale->common = scant_array(dimension, sizeof *scale->common);
  scale->lead = scant_array(dimension, sizeof *scale->lead);
  scale->active = scant_array(dimension, sizeof *scale->active);
  return scale->common && scale->lead && scale->active;
}

void scant_scale_free(scant_scale *scale) {
  free(scale->common);
  free(scale->lead);
  free(scale->active);
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
