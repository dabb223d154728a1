#include "estimate/running.h"

#include "base/lanes.h"

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
