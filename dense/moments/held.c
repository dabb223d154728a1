#include "moments/held.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "estimate/limits.h"

int scant_held_reserve(scant_held *held, size_t examples, size_t count, int blocks) {
  scant_held *h = held;
  return scant_grow(&h->y, &h->example_room, h->examples + examples, sizeof *h->y) &&
         scant_grow(&h->end, &h->end_room, h->examples + examples, sizeof *h->end) &&
         scant_grow(&h->attribute, &h->attribute_room, h->values + examples * count, sizeof *h->attribute) &&
         scant_grow(&h->value, &h->value_room, h->values + examples * count, sizeof *h->value) &&
         (!blocks || scant_grow(&h->block, &h->block_room, h->examples + examples, sizeof *h->block));
}

void scant_held_add(scant_held *held, uint32_t block, size_t count, const uint32_t *attributes, const double *values,
                    double y) {
  for (size_t r = 0; r < count; r++) {
    if (isnan(values[r])) continue;
    held->attribute[held->values] = attributes[r];
    held->value[held->values++] = values[r];
  }
  if (held->block) held->block[held->examples] = block;
  held->y[held->examples] = y;
  held->end[held->examples++] = held->values;
}

int scant_held_limits(const scant_held *held, size_t dimension, double clip, double *low, double *high) {
  scant_limits *met = scant_array(dimension, sizeof *met);
  double joined;
  if (!met) return 0;
  for (size_t t = 0; t < held->values; t++) scant_limits_add(&met[held->attribute[t]], held->value[t], &joined);
  for (size_t i = 0; i < dimension; i++) scant_limits_of(&met[i], clip, &low[i], &high[i]);
  free(met);
  return 1;
}

void scant_held_save(const scant_held *held, scant_json_writer *out) {
  scant_json_open(out, "held_ends", '[');
  for (size_t t = 0; t < held->examples; t++) scant_json_count(out, NULL, held->end[t]);
  scant_json_close(out, ']');
  scant_json_open(out, "held_attributes", '[');
  for (size_t t = 0; t < held->values; t++) scant_json_count(out, NULL, held->attribute[t]);
  scant_json_close(out, ']');
  scant_json_reals(out, "held_values", held->value, held->values, 1);
  scant_json_reals(out, "held_targets", held->y, held->examples, 1);
  if (!held->block) return;
  scant_json_open(out, "held_blocks", '[');
  for (size_t t = 0; t < held->examples; t++) scant_json_count(out, NULL, held->block[t]);
  scant_json_close(out, ']');
}

/* Whole numbers of a list, each at most `most`; `ascending`: none is below the one before it. */
static scant_status read_numbers(const scant_json *json, size_t node, const char *key, uint64_t *numbers, size_t count,
                                 uint64_t most, int ascending, scant_error *error) {
  SCANT_TRY(scant_json_get_counts(json, node, key, numbers, count, error));
  for (size_t i = 0; i < count; i++)
    if (numbers[i] > most || (ascending && i && numbers[i] < numbers[i - 1]))
      return scant_fail(error, SCANT_DATA, "field '%s' is out of range", key);
  return SCANT_OK;
}

static scant_status read_all(scant_held *h, size_t examples, size_t values, size_t dimension, uint64_t *numbers,
                             const scant_json *json, size_t node, scant_error *error) {
  SCANT_TRY(read_numbers(json, node, "held_ends", numbers, examples, values, 1, error));
  for (size_t t = 0; t < examples; t++) h->end[t] = (size_t)numbers[t];
  if ((examples ? h->end[examples - 1] : 0) != values)
    return scant_fail(error, SCANT_DATA, "field 'held_ends' does not end with the values");
  SCANT_TRY(read_numbers(json, node, "held_attributes", numbers, values, dimension - 1, 0, error));
  for (size_t t = 0; t < values; t++) h->attribute[t] = (uint32_t)numbers[t];
  SCANT_TRY(scant_json_get_reals(json, node, "held_values", h->value, values, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "held_targets", h->y, examples, 1, error));
  h->examples = examples;
  h->values = values;
  return SCANT_OK;
}

/* They are of every block from the first to the last. */
static scant_status read_blocks(scant_held *h, uint64_t blocks, uint64_t *numbers, const scant_json *json, size_t node,
                                scant_error *error) {
  if (!blocks || !h->examples) return SCANT_OK;
  SCANT_TRY(read_numbers(json, node, "held_blocks", numbers, h->examples, blocks - 1, 1, error));
  int good = numbers[0] == 0 && numbers[h->examples - 1] == blocks - 1;
  for (size_t t = 0; t < h->examples; t++) {
    good = good && (!t || numbers[t] - numbers[t - 1] <= 1);
    h->block[t] = (uint32_t)numbers[t];
  }
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "field 'held_blocks' leaves a block out");
}

scant_status scant_held_restore(scant_held *held, uint64_t told, uint64_t blocks, size_t dimension,
                                const scant_json *json, size_t node, scant_error *error) {
  size_t array = scant_json_member(json, node, "held_values"), ends = scant_json_member(json, node, "held_ends");
  if (array == SCANT_JSON_NONE || json->nodes[array].type != SCANT_JSON_ARRAY || ends == SCANT_JSON_NONE ||
      json->nodes[ends].type != SCANT_JSON_ARRAY || json->nodes[ends].count != told)
    return scant_fail(error, SCANT_DATA, "fields 'held_values' or 'held_ends' are not what was told");
  size_t examples = json->nodes[ends].count, values = json->nodes[array].count;
  uint64_t *numbers = scant_array((examples > values ? examples : values) + 1, sizeof *numbers);
  int good = numbers && scant_grow(&held->y, &held->example_room, examples + 1, sizeof *held->y) &&
             scant_grow(&held->end, &held->end_room, examples + 1, sizeof *held->end) &&
             scant_grow(&held->attribute, &held->attribute_room, values + 1, sizeof *held->attribute) &&
             scant_grow(&held->value, &held->value_room, values + 1, sizeof *held->value) &&
             (!blocks || scant_grow(&held->block, &held->block_room, examples + 1, sizeof *held->block));
  scant_status status =
      good ? read_all(held, examples, values, dimension, numbers, json, node, error) : scant_fail_memory(error);
  if (status == SCANT_OK) status = read_blocks(held, blocks, numbers, json, node, error);
  free(numbers);
  return status;
}

void scant_held_free(scant_held *held) {
  free(held->y);
  free(held->end);
  free(held->attribute);
  free(held->value);
  free(held->block);
  *held = (scant_held){0};
}
