#include "model/pair_counts.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/errors.h"
#include "model/model.h"

/* 64 MiB of counts. */
enum { DIMENSION_COUNTED = 11585 };

int scant_pair_counts_new(scant_pair_counts *counts, size_t dimension) {
  *counts = (scant_pair_counts){.dimension = dimension};
  if (dimension > DIMENSION_COUNTED) return 1;
  counts->count = scant_array(dimension * (dimension - 1) / 2, sizeof *counts->count);
  return counts->count != NULL;
}

void scant_pair_counts_free(scant_pair_counts *counts) {
  free(counts->count);
  *counts = (scant_pair_counts){0};
}

static size_t place_of(size_t a, size_t b) {
  size_t high = a > b ? a : b, low = a > b ? b : a;
  return high * (high - 1) / 2 + low;
}

void scant_pair_counts_add(scant_pair_counts *counts, size_t seen, const uint32_t *attributes, const double *values) {
  for (size_t i = 0; i < seen; i++) {
    for (size_t j = 0; j < i && !isnan(values[i]); j++) {
      if (isnan(values[j])) continue;
      counts->seen++;
      if (!counts->count) continue;
      unsigned char *count = &counts->count[place_of(attributes[i], attributes[j])];
      *count = (unsigned char)(*count + (*count < SCANT_PAIR_FEWEST));
    }
  }
}

static int is_learned(const scant_model *m, size_t attribute) {
  return !isnan(m->errors->weights[attribute]);
}

void scant_pair_counts_finish(const scant_pair_counts *counts, scant_model *model) {
  scant_errors *e = model->errors;
  double d = (double)counts->dimension;
  e->pairs = e->rare_pairs = 0;
  if (!counts->count) { /* then nearly all examples would have to show most of their attributes */
    e->rare_pairs = counts->seen < SCANT_PAIR_FEWEST * d * (d - 1) / 2;
    return;
  }
  for (size_t i = 0; i < counts->dimension; i++) {
    for (size_t j = 0; j < i && is_learned(model, i); j++) {
      if (!is_learned(model, j)) continue;
      if (model->unpenalised && !model->unpenalised[i] && !model->unpenalised[j]) continue;
      e->pairs++;
      e->rare_pairs += counts->count[place_of(i, j)] < SCANT_PAIR_FEWEST;
    }
  }
}
