#include "moments/together.h"

#include <math.h>

/* Steps converge linearly.  They are slow only where one chance varies as much as all others together. */
#define STEPS_MOST 500
#define TOLERANCE 1e-14

void scant_together(size_t d, const double *p, double *a) {
  double all = 0, moved = 1;
  for (size_t i = 0; i < d; i++) all += p[i] * (1 - p[i]);
  for (size_t i = 0; i < d; i++) a[i] = all > 0 ? p[i] * (1 - p[i]) / sqrt(all) : 0;
  for (int step = 0; all > 0 && step < STEPS_MOST && moved > TOLERANCE; step++) {
    double sum = 0;
    for (size_t i = 0; i < d; i++) sum += a[i];
    moved = 0;
    for (size_t i = 0; i < d; i++) {
      double next = (p[i] * (1 - p[i]) + a[i] * a[i]) / sum;
      moved = fmax(moved, fabs(next - a[i]));
      a[i] = next;
    }
  }
}
