#include "moments/shown.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { VALUES = SCANT_SHOWN_VALUES, UNCOMMON_FEWEST = 4 };

int scant_shown_new(scant_shown *shown, size_t dimension) {
  shown->value = scant_array(VALUES * dimension, sizeof *shown->value);
  shown->count = scant_array(VALUES * dimension, sizeof *shown->count);
  return shown->value && shown->count;
}

void scant_shown_free(scant_shown *shown) {
  free(shown->value);
  free(shown->count);
  *shown = (scant_shown){0};
}

/* How many there are, and how many of the most common one. */
static uint64_t total(const uint32_t *count, uint64_t *most) {
  uint64_t sum = 0;
  *most = 0;
  for (int v = 0; v < VALUES; v++) {
    sum += count[v];
    if (count[v] > *most) *most = count[v];
  }
  return sum;
}

void scant_shown_add(scant_shown *shown, size_t attribute, double value, uint32_t times) {
  double *values = shown->value + VALUES * attribute;
  uint32_t *count = shown->count + VALUES * attribute;
  if (count[0] == SCANT_SHOWN_KNOWN) return;
  int v = 0;
  while (v < VALUES && count[v] && values[v] != value) v++;
  uint64_t most = 0, all = 0;
  if (v < VALUES) {
    values[v] = value;
    count[v] += times;
    all = total(count, &most);
  }
  if (v == VALUES || all - most >= UNCOMMON_FEWEST) count[0] = SCANT_SHOWN_KNOWN;
}

void scant_shown_merge(scant_shown *shown, const scant_shown *other, size_t attribute) {
  if (scant_shown_is_known(other, attribute)) shown->count[VALUES * attribute] = SCANT_SHOWN_KNOWN;
  for (size_t v = VALUES * attribute; v < VALUES * (attribute + 1); v++)
    if (other->count[v]) scant_shown_add(shown, attribute, other->value[v], other->count[v]);
}

int scant_shown_is_possible(const scant_shown *shown, size_t attribute, uint64_t values) {
  const double *value = shown->value + VALUES * attribute;
  const uint32_t *count = shown->count + VALUES * attribute;
  if (count[0] == SCANT_SHOWN_KNOWN) return values >= UNCOMMON_FEWEST + 1;
  uint64_t most, all = total(count, &most);
  int good = all == values && all - most < UNCOMMON_FEWEST;
  for (int v = 0; v < VALUES; v++)
    for (int u = 0; u < v; u++) good = good && (!count[v] || (count[u] && value[u] != value[v]));
  return good;
}
