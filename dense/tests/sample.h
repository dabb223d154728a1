/* Data with hidden causes, and learners of the row gaussian that are taught them. */
#ifndef SCANT_TESTS_SAMPLE_H
#define SCANT_TESTS_SAMPLE_H

#include "engine.h"
#include "gaussian/gaussian.h"
#include "gaussians.h"

static scant_error error;

enum { D = 14, N = 400 };

/* Three hidden causes, and noise. */
typedef struct {
  size_t rows, dimension;
  double *x, *y;
} sample;

static inline sample sample_new(size_t rows, size_t dimension, uint64_t seed) {
  sample s = {rows, dimension, calloc(rows * dimension, sizeof(double)), calloc(rows, sizeof(double))};
  double load[64][3];
  CHECK(dimension <= 64);
  uint64_t fixed = 77; /* the same causes whatever the seed */
  for (size_t j = 0; j < dimension; j++)
    for (int k = 0; k < 3; k++) load[j][k] = random_normal(&fixed);
  for (size_t row = 0; row < rows; row++) {
    double f[3] = {random_normal(&seed), random_normal(&seed), random_normal(&seed)};
    for (size_t j = 0; j < dimension; j++) {
      double *x = &s.x[row * dimension + j];
      *x = random_normal(&seed) / 2;
      for (int k = 0; k < 3; k++) *x += load[j][k] * f[k];
    }
    s.y[row] = f[0] - 2 * f[1] + f[2] / 2 + random_normal(&seed) / 3;
  }
  return s;
}

static inline void sample_free(sample *s) {
  free(s->x);
  free(s->y);
}

static inline scant_settings gaussian(const char *list) {
  return engine_settings("algorithm=gaussian threads=1", list);
}

static inline scant_learner *open_learner(const char *list, size_t dimension) {
  return engine_learner(gaussian(list), dimension);
}

static inline scant_status tell_row(scant_learner *l, const scant_look *look, const sample *s, size_t row) {
  double values[64];
  for (uint32_t i = 0; i < look->count; i++) values[i] = s->x[row * s->dimension + look->attributes[i]];
  return scant_learner_tell(l, look, look->count, look->attributes, values, s->y[row], &error);
}

static inline scant_status learn_row(scant_learner *l, scant_look *look, const sample *s, size_t row) {
  scant_status status = scant_learner_ask(l, look, &error);
  if (status != SCANT_OK) return status;
  status = tell_row(l, look, s, row);
  if (status != SCANT_OK) scant_learner_cancel(l, look, NULL);
  return status;
}

static inline void teach(scant_learner *l, const sample *s, size_t first, size_t after) {
  scant_look *look = look_for(l);
  for (size_t row = first; row < after; row++)
    if (!CHECK(learn_row(l, look, s, row) == SCANT_OK)) printf("#   %s\n", error.text);
  scant_look_free(look);
}

static inline scant_learner *learned(const char *list, const sample *s, size_t rows) {
  scant_learner *l = open_learner(list, s->dimension);
  teach(l, s, 0, rows);
  if (!CHECK(scant_learner_finish(l, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return l;
}

#endif
