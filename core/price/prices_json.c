/* Prices as JSON and back: part of model files and of kept learners. */
#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "price/prices.h"

void scant_prices_write(const scant_prices *prices, scant_json_writer *out) {
  const scant_prices *p = prices;
  int groups = 0;
  scant_json_open(out, "costs", '[');
  for (size_t i = 0; i < p->dimension; i++) scant_json_count(out, NULL, p->attribute_cost[i]);
  scant_json_close(out, ']');
  for (size_t i = 0; i < p->dimension; i++) groups = groups || p->group[i];
  if (!groups) return;
  scant_json_open(out, "panels", '[');
  for (size_t i = 0; i < p->dimension; i++) scant_json_count(out, NULL, p->group[i]);
  scant_json_close(out, ']');
}

scant_status scant_prices_read(scant_prices **prices, size_t dimension, const scant_json *json, scant_error *error) {
  int grouped = scant_json_member(json, 0, "panels") != SCANT_JSON_NONE;
  uint64_t *costs = scant_array(dimension, sizeof *costs), *numbers = scant_array(dimension, sizeof *numbers);
  uint32_t *groups = scant_array(dimension, sizeof *groups);
  scant_status status = costs && numbers && groups ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_json_get_counts(json, 0, "costs", costs, dimension, error);
  if (status == SCANT_OK && grouped) status = scant_json_get_counts(json, 0, "panels", numbers, dimension, error);
  for (size_t i = 0; status == SCANT_OK && i < dimension; i++) {
    if (numbers[i] > dimension) status = scant_fail(error, SCANT_DATA, "item %zu of 'panels' is too large", i + 1);
    groups[i] = (uint32_t)numbers[i];
  }
  if (status == SCANT_OK) status = scant_prices_new(prices, dimension, costs, groups, error);
  free(costs);
  free(numbers);
  free(groups);
  return status;
}
