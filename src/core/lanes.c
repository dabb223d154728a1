#include "core/lanes.h"

SCANT_WIDEST double scant_lanes_dot(size_t count, const double *a, const double *b) {
  scant_lanes sum = {0};
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES)
    sum += *(const scant_loose_lanes *)(a + i) * *(const scant_loose_lanes *)(b + i);
  for (size_t lane = 0; i < count; i++, lane++) sum[lane] += a[i] * b[i];
  return scant_lanes_fold(&sum);
}

SCANT_WIDEST double scant_lanes_sum(size_t count, const double *a) {
  scant_lanes sum = {0};
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES) sum += *(const scant_loose_lanes *)(a + i);
  for (size_t lane = 0; i < count; i++, lane++) sum[lane] += a[i];
  return scant_lanes_fold(&sum);
}

SCANT_WIDEST double scant_lanes_largest(size_t count, const double *a) {
  const scant_lane_bits sign = (scant_lane_bits){0} + INT64_MIN;
  scant_lanes most = {0};
  size_t i = 0;
  for (; i + SCANT_LANES <= count; i += SCANT_LANES) {
    scant_lanes size = (scant_lanes)(*(const scant_loose_bits *)(a + i) & ~sign);
    scant_lane_bits larger = size > most;
    most = (scant_lanes)(((scant_lane_bits)size & larger) | ((scant_lane_bits)most & ~larger));
  }
  double largest = 0;
  for (int lane = 0; lane < SCANT_LANES; lane++) largest = most[lane] > largest ? most[lane] : largest;
  for (; i < count; i++) {
    double size = a[i] < 0 ? -a[i] : a[i];
    largest = size > largest ? size : largest;
  }
  return largest;
}
