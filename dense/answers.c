#include "answers.h"

#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "scant_engine.h"

void scant_answers_free(scant_answers *looks) {
  free(looks->first);
  free(looks->size);
  free(looks->attribute);
  free(looks->value);
  free(looks->y);
  free(looks->block);
  *looks = (scant_answers){0};
}

static int reserve(scant_answers *l, size_t examples, size_t entries) {
  size_t last = l->examples + examples, end = scant_answers_entries(l) + entries;
  return scant_grow(&l->first, &l->first_room, last + 1, sizeof *l->first) &&
         scant_grow(&l->size, &l->size_room, last, sizeof *l->size) &&
         scant_grow(&l->y, &l->y_room, last, sizeof *l->y) &&
         scant_grow(&l->attribute, &l->attribute_room, end, sizeof *l->attribute) &&
         scant_grow(&l->value, &l->value_room, end, sizeof *l->value);
}

int scant_answers_reserve(scant_answers *l, size_t examples, size_t entries) {
  return reserve(l, examples, entries) &&
         scant_grow(&l->block, &l->block_room, l->examples + examples, sizeof *l->block);
}

int scant_answers_add(scant_answers *l, const uint32_t *block, size_t count, const uint32_t *attributes,
                      const double *values, double y) {
  size_t start = scant_answers_entries(l), end = start;
  if (!(block ? scant_answers_reserve(l, 1, count) : reserve(l, 1, count))) return 0;
  if (block) l->block[l->examples] = *block;
  for (size_t i = 0; i < count; i++) {
    if (isnan(values[i])) continue;
    l->attribute[end] = attributes[i];
    l->value[end++] = values[i];
  }
  l->first[l->examples] = start;
  l->size[l->examples] = (uint32_t)(end - start);
  l->y[l->examples++] = y;
  l->first[l->examples] = end;
  return 1;
}

int scant_answers_limits(const scant_answers *looks, double clip, double *low, double *high) {
  scant_limits *met = scant_array(looks->dimension, sizeof *met);
  double joined;
  if (!met) return 0;
  for (size_t i = 0; i < scant_answers_entries(looks); i++)
    scant_limits_add(&met[looks->attribute[i]], looks->value[i], &joined);
  for (size_t j = 0; j < looks->dimension; j++) scant_limits_of(&met[j], clip, &low[j], &high[j]);
  free(met);
  return 1;
}
