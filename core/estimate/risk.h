/* The running estimate of the risk from the looks themselves.
 *
 * Every example brings an unbiased estimate of (w.x - y)^2 for the w that asked,
 * noisy and at times negative.  Their mean is taken over a window that is between
 * a half and all of the examples and forgets the beginning, when w was poor.
 */
#ifndef SCANT_ESTIMATE_RISK_H
#define SCANT_ESTIMATE_RISK_H

#include <math.h>
#include <stdint.h>

typedef struct scant_window {
  double count, mean, squares; /* squares: sum of squared deviations */
} scant_window;

typedef struct scant_risk {
  scant_window before, now; /* two windows: `now` follows `before`, and takes its place when it is twice as long */
} scant_risk;

#define SCANT_RISK_FIRST 64 /* examples of the first window */

static inline void scant_risk_add(scant_risk *risk, double estimate) {
  scant_window *n = &risk->now;
  double deviation = estimate - n->mean;
  n->count += 1;
  n->mean += deviation / n->count;
  n->squares += deviation * (estimate - n->mean);
  if (n->count < (risk->before.count > 0 ? 2 * risk->before.count : SCANT_RISK_FIRST)) return;
  risk->before = *n;
  *n = (scant_window){0, 0, 0};
}

/* The mean of the window and its standard error; NaN while nothing is known. */
static inline double scant_risk_mean(const scant_risk *risk, double *error) {
  const scant_window *a = &risk->before, *b = &risk->now;
  double n = a->count + b->count, gap = b->mean - a->mean;
  if (error) *error = NAN;
  if (!(n > 0)) return NAN;
  double squares = a->squares + b->squares + gap * gap * a->count * b->count / n;
  if (error && n > 1) *error = sqrt(squares / (n - 1) / n);
  return (a->mean * a->count + b->mean * b->count) / n;
}

#endif
