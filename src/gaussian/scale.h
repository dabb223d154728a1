/* How much larger than it looks a variance may be.
 *
 * An attribute that is rarely active has shown a value or two, and its next one
 * may be a hundred times larger: a weight in units of what was seen would be
 * ruinous.  So every new value is compared with the variance that was known of
 * its attribute before; attributes whose spread comes from about as many values
 * share what they learn.  No constant here carries units.
 */
#ifndef SCANT_GAUSSIAN_SCALE_H
#define SCANT_GAUSSIAN_SCALE_H

#include "learn/moments.h"

enum { SCANT_SCALE_CLASSES = 24 };

typedef struct scant_scale {
  double sum[SCANT_SCALE_CLASSES]; /* of squared deviations over the variance known before */
  double count[SCANT_SCALE_CLASSES];
} scant_scale;

/* A value is about to be added to the moments. */
void scant_scale_note(scant_scale *scale, const scant_moments *before, double value);

/* What the variance of an attribute is to be multiplied by, at least 1; infinite
 * where its spread comes from too few values to say. */
double scant_scale_factor(const scant_scale *scale, const scant_moments *moments);

/* The same, with a guess in place of infinity: for choosing looks, where a mistake
 * costs little and is found out. */
double scant_scale_guess(const scant_scale *scale, const scant_moments *moments);

#endif
