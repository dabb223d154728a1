#include "gaussian/scale.h"

/* Values that a spread must come from, at the least, counted as spread / largest;
 * and values that a class must have met to speak. */
#define VALUES_FEWEST 2.5
#define COUNT_FEWEST 20

/* Classes of spread / largest, the number of values that the spread comes from:
 * 1, 1.4, 2, 2.8, ... */
static int class_of(const scant_moments *m) {
  double values = m->spread / m->largest;
  if (!(values > 1)) return 0;
  double place = floor(2 * log2(values));
  return place < SCANT_SCALE_CLASSES - 1 ? (int)place : SCANT_SCALE_CLASSES - 1;
}

void scant_scale_note(scant_scale *scale, const scant_moments *before, double value) {
  double deviation = value - before->mean;
  if (before->count < 2 || !(before->spread > 0)) return;
  double ratio = deviation * deviation / (before->spread / (double)before->count);
  if (!isfinite(ratio)) return;
  scale->sum[class_of(before)] += ratio;
  scale->count[class_of(before)]++;
}

double scant_scale_guess(const scant_scale *scale, const scant_moments *moments) {
  double factor = 1;
  for (int c = SCANT_SCALE_CLASSES - 1; c >= class_of(moments); c--)
    if (scale->count[c] >= COUNT_FEWEST) factor = fmax(factor, scale->sum[c] / scale->count[c]);
  return factor;
}

double scant_scale_factor(const scant_scale *scale, const scant_moments *moments) {
  if (moments->spread < VALUES_FEWEST * moments->largest) return INFINITY;
  return scant_scale_guess(scale, moments);
}
