/* The loops of the limit, and AERR as a textbook would write it, for comparison. */
#include <math.h>
#include <string.h>

#include "bench.h"
#include "random.h"

double bench_loop(const bench_range *rows, size_t k, uint64_t *random) {
  uint64_t state = *random; /* in a register */
  uint32_t d = (uint32_t)rows->d;
  double sum = 0;
  for (size_t t = rows->first; t < rows->last; t++) {
    const double *x = rows->x + t * rows->d;
    for (size_t r = 0; r < k; r++) sum += x[random_draw(&state, d)];
  }
  *random = state;
  return sum;
}

static void draw_row(const double *x, size_t k, uint32_t d, uint64_t *state, uint32_t *index) {
  for (size_t r = 0; r < k; r++) {
    index[r] = random_draw(state, d);
    __builtin_prefetch(x + index[r]);
  }
}

/* The indices of rows that are being prefetched are in a ring: as many rows as
 * have BENCH_AHEAD looks together, and at least one. */
double bench_prefetch(const bench_range *rows, size_t k, uint64_t *random, uint32_t *ahead) {
  uint64_t state = *random;
  uint32_t d = (uint32_t)rows->d;
  size_t lead = k < BENCH_AHEAD ? BENCH_AHEAD / k : 1, count = rows->last - rows->first, place = 0;
  if (lead > count) lead = count;
  const double *x = rows->x + rows->first * rows->d;
  for (size_t t = 0; t < lead; t++) draw_row(x + t * rows->d, k, d, &state, ahead + t * k);
  double sum = 0;
  for (size_t t = 0; t < count; t++, x += rows->d) {
    uint32_t *index = ahead + place * k;
    for (size_t r = 0; r < k; r++) sum += x[index[r]];
    if (t + lead < count) draw_row(x + lead * rows->d, k, d, &state, index);
    if (++place == lead) place = 0;
  }
  *random = state;
  return sum;
}

static double norm_of(const double *w, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) sum += w[i] * w[i];
  return sqrt(sum);
}

/* Draws an index with probability w^2 / square, where `square` is the sum of w^2. */
static size_t draw_by_weight(const double *w, size_t d, double square, uint64_t *random) {
  double u = random_unit(random) * square;
  size_t last = 0; /* rounding must not choose a weight of zero */
  for (size_t i = 0; i < d; i++) {
    if (w[i] == 0) continue;
    last = i;
    if (u < w[i] * w[i]) break;
    u -= w[i] * w[i];
  }
  return last;
}

void bench_dense_aerr(bench_dense *state, const bench_range *rows, size_t k, uint64_t *random) {
  double *w = state->w, *mean = state->mean, *g = state->g;
  size_t d = rows->d;
  for (size_t t = rows->first; t < rows->last; t++) {
    const double *x = rows->x + t * d;
    double norm = norm_of(w, d), square = norm * norm, phi = -rows->y[t], count = (double)++state->before;
    for (size_t i = 0; i < d; i++) mean[i] += (w[i] - mean[i]) / count;
    memset(g, 0, d * sizeof *g);
    for (size_t r = 0; r + 1 < k; r++) {
      uint32_t i = random_draw(random, (uint32_t)d);
      g[i] += (double)d / (double)(k - 1) * x[i];
    }
    if (square > 0) {
      size_t j = draw_by_weight(w, d, square, random);
      phi += square * x[j] / w[j];
    }
    for (size_t i = 0; i < d; i++) w[i] -= state->eta * phi * g[i];
    norm = norm_of(w, d);
    for (size_t i = 0; norm > state->radius && i < d; i++) w[i] *= state->radius / norm;
  }
}
