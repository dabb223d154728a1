/* Squared errors of many linear models in one pass over the images. */
#include <stdlib.h>
#include <string.h>

#include "figure_run.h"

/* So many models go through an image together; their sums stay in registers. */
enum { LANES = 12 };

int lineup_new(lineup *l, size_t d, size_t count) {
  size_t groups = (count + LANES - 1) / LANES;
  *l = (lineup){.d = d, .count = count};
  l->weights = calloc(groups * (d + 1) * LANES, sizeof *l->weights);
  return l->weights != NULL;
}

void lineup_free(lineup *l) {
  free(l->weights);
  *l = (lineup){0};
}

/* A group has d rows of weights and one of intercepts, with one lane per model. */
static double *group_at(const lineup *l, size_t group) {
  return l->weights + group * (l->d + 1) * LANES;
}

void lineup_set(lineup *l, size_t index, const double *w, double intercept) {
  double *to = group_at(l, index / LANES) + index % LANES;
  for (size_t j = 0; j < l->d; j++) to[j * LANES] = w[j];
  to[l->d * LANES] = intercept;
}

/* Four fifths of the pixels are 0 and add nothing, so they are left out.  It is not inlined, since gcc would then not
 * vectorise the lanes. */
static __attribute__((noinline)) void add_image(const double *weights, const uint32_t *ink, const double *value,
                                                size_t count, double *restrict sums) {
  double s[LANES];
  memcpy(s, sums, sizeof s);
  for (size_t r = 0; r < count; r++) {
    const double *w = weights + (size_t)ink[r] * LANES;
    for (size_t k = 0; k < LANES; k++) s[k] += w[k] * value[r];
  }
  memcpy(sums, s, sizeof s);
}

static void group_score(const lineup *l, const double *weights, const view *v, double *sums) {
  for (size_t i = 0; i < v->n; i++) {
    size_t row = v->rows[i], first = v->ink_start[row];
    double s[LANES], y = v->y[row];
    memcpy(s, weights + l->d * LANES, sizeof s);
    add_image(weights, v->ink + first, v->ink_value + first, v->ink_start[row + 1] - first, s);
    for (size_t k = 0; k < LANES; k++) sums[k] += (s[k] - y) * (s[k] - y);
  }
}

void lineup_score(const lineup *l, const view *v, double *errors) {
  for (size_t first = 0; first < l->count; first += LANES) {
    double sums[LANES] = {0};
    group_score(l, group_at(l, first / LANES), v, sums);
    for (size_t k = 0; k < LANES && first + k < l->count; k++) errors[first + k] = sums[k] / (double)v->n;
  }
}
