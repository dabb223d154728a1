#include "dense/gaussian/answers.h"

#include <math.h>
#include <stdlib.h>

#include "core/memory.h"

void scant_answers_free(scant_answers *looks) {
  free(looks->first);
  free(looks->size);
  free(looks->attribute);
  free(looks->value);
  free(looks->y);
  *looks = (scant_answers){0};
}

int scant_answers_add(scant_answers *looks, size_t count, const uint32_t *attributes, const double *values, double y) {
  scant_answers *l = looks;
  size_t start = l->examples ? l->first[l->examples] : 0, end = start;
  if (!scant_grow(&l->first, &l->first_room, l->examples + 2, sizeof *l->first) ||
      !scant_grow(&l->size, &l->size_room, l->examples + 1, sizeof *l->size) ||
      !scant_grow(&l->y, &l->y_room, l->examples + 1, sizeof *l->y) ||
      !scant_grow(&l->attribute, &l->attribute_room, start + count, sizeof *l->attribute) ||
      !scant_grow(&l->value, &l->value_room, start + count, sizeof *l->value))
    return 0;
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
