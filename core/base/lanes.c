#include "base/lanes.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Numbers at the end that do not fill all lanes are added one by one. */
SCANT_WIDEST double scant_lanes_dot(size_t count, const double *a, const double *b) {
  scant_lanes sum = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES)
    sum += *(const scant_loose_lanes *)(a + i) * *(const scant_loose_lanes *)(b + i);
  for (; i < count; i++) rest += a[i] * b[i];
  return scant_lanes_fold(&sum) + rest;
}

SCANT_WIDEST double scant_lanes_sum(size_t count, const double *a) {
  scant_lanes sum = {0};
  double rest = 0;
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES) sum += *(const scant_loose_lanes *)(a + i);
  for (; i < count; i++) rest += a[i];
  return scant_lanes_fold(&sum) + rest;
}

/* The absolute values of doubles have the order of their bits as whole numbers. Comparing whole numbers needs
 * no fixed order, so the compiler can vectorise the loop. */
SCANT_WIDEST double scant_lanes_largest(size_t count, const double *a) {
  int64_t most = 0;
  for (size_t i = 0; i < count; i++) {
    int64_t size;
    memcpy(&size, a + i, sizeof size);
    size &= INT64_MAX;
    most = size > most ? size : most;
  }
  double largest;
  memcpy(&largest, &most, sizeof largest);
  return largest;
}

SCANT_WIDEST int scant_lanes_within(size_t count, const double *a, double most) {
  uint64_t beyond = 0;
  for (size_t i = 0; i < count; i++) beyond |= (uint64_t) !(fabs(a[i]) <= most);
  return !beyond;
}

SCANT_WIDEST void scant_lanes_scale(size_t count, double *a, double factor) {
  for (size_t i = 0; i < count; i++) a[i] *= factor;
}
