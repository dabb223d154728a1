/* The engine's part of a checkpoint. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "moments/moments.h"
#include "packed.h"

static void save_fold(const scant_pairs *p, scant_json_writer *out) {
  double target[2] = {p->y, p->yy};
  size_t triangle = scant_pairs_triangle(p->d);
  scant_json_open(out, NULL, '{');
  scant_json_count(out, "examples", p->examples);
  scant_json_reals(out, "target", target, 2, 1);
  scant_packed_write(out, "counts", p->count, sizeof *p->count, triangle);
  scant_packed_write(out, "products", p->product, sizeof *p->product, triangle);
  scant_packed_write(out, "sums", p->sum, sizeof *p->sum, p->d * p->d);
  scant_json_reals(out, "target_sums", p->y_sum, p->d, 1);
  scant_json_reals(out, "target_products", p->y_product, p->d, 1);
  scant_json_close(out);
}

/* The numbers of a list. */
static void save_numbers(scant_json_writer *out, const char *key, const uint32_t *numbers, size_t count) {
  scant_json_open(out, key, '[');
  for (size_t i = 0; i < count; i++) scant_json_count(out, NULL, numbers[i]);
  scant_json_close(out);
}

static void save_held(const scant_answers *h, scant_json_writer *out) {
  scant_json_open(out, "held_ends", '[');
  for (size_t t = 0; t < h->examples; t++) scant_json_count(out, NULL, h->first[t + 1]);
  scant_json_close(out);
  save_numbers(out, "held_attributes", h->attribute, scant_answers_entries(h));
  scant_json_reals(out, "held_values", h->value, scant_answers_entries(h), 1);
  scant_json_reals(out, "held_targets", h->y, h->examples, 1);
  if (h->block) save_numbers(out, "held_blocks", h->block, h->examples);
}

void scant_moments_save(const scant_engine_view *l, scant_json_writer *out) {
  const scant_moments_state *s = scant_moments_of(l);
  scant_json_count(out, "renew_at", s->renew_at);
  scant_json_reals(out, "law", s->leaves, l->dimension, 1);
  scant_json_real(out, "target_origin", s->origin.y);
  scant_json_reals(out, "origin", s->origin.x, l->dimension, 1);
  scant_json_reals(out, "low", s->low, l->dimension, 1);
  scant_json_reals(out, "high", s->high, l->dimension, 1);
  scant_json_reals(out, "values", s->shown.value, SCANT_SHOWN_VALUES * l->dimension, 1);
  scant_packed_write(out, "value_counts", s->shown.count, sizeof *s->shown.count, SCANT_SHOWN_VALUES * l->dimension);
  if (s->frozen) {
    scant_json_reals(out, "limit_low", s->limit_low, l->dimension, 1);
    scant_json_reals(out, "limit_high", s->limit_high, l->dimension, 1);
  } else if (s->freeze_at) {
    save_held(&s->held, out);
  }
  scant_json_open(out, "spans", '[');
  for (size_t i = 0; i < s->span_count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_count(out, "examples", s->spans[i].examples);
    scant_packed_write(out, "counts", s->spans[i].count, sizeof *s->spans[i].count, l->dimension);
    scant_json_close(out);
  }
  scant_json_close(out);
  scant_json_open(out, "folds", '[');
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) save_fold(&s->fold[f], out);
  scant_json_close(out);
}

/* ---- and back ------------------------------------------------------------------ */

/* Sums that no purchases can have given are refused. */
static scant_status check_fold(const scant_pairs *p, scant_error *error) {
  size_t d = p->d;
  int good = p->yy >= 0 && p->examples < UINT32_MAX;
  for (size_t i = 0; good && i < d; i++) {
    uint32_t own = p->count[scant_pairs_at(i, i)];
    good = own <= p->examples && p->product[scant_pairs_at(i, i)] >= 0;
    for (size_t j = 0; good && j < d; j++) {
      good = p->count[scant_pairs_at(i, j)] <= own && isfinite(p->sum[i * d + j]) &&
             isfinite(p->product[scant_pairs_at(i, j)]);
    }
  }
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "the sums of 'folds' contradict themselves");
}

static scant_status restore_fold(scant_pairs *p, const scant_json *json, size_t node, scant_error *error) {
  size_t triangle = scant_pairs_triangle(p->d);
  double target[2];
  if (json->nodes[node].type != SCANT_JSON_OBJECT)
    return scant_fail(error, SCANT_DATA, "an item of 'folds' is not an object");
  SCANT_TRY(scant_json_get_count(json, node, "examples", &p->examples, error));
  SCANT_TRY(scant_json_get_reals(json, node, "target", target, 2, 1, error));
  p->y = target[0];
  p->yy = target[1];
  SCANT_TRY(scant_packed_read(json, node, "counts", p->count, sizeof *p->count, triangle, error));
  SCANT_TRY(scant_packed_read(json, node, "products", p->product, sizeof *p->product, triangle, error));
  SCANT_TRY(scant_packed_read(json, node, "sums", p->sum, sizeof *p->sum, p->d * p->d, error));
  SCANT_TRY(scant_json_get_reals(json, node, "target_sums", p->y_sum, p->d, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "target_products", p->y_product, p->d, 1, error));
  return check_fold(p, error);
}

/* Spans must add up to what the folds count. */
static scant_status restore_spans(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  size_t array = scant_json_member(json, node, "spans");
  if (array == SCANT_JSON_NONE || json->nodes[array].type != SCANT_JSON_ARRAY)
    return scant_fail(error, SCANT_DATA, "field 'spans' is not a list");
  size_t count = json->nodes[array].count;
  if (!count != !s->span_count) return scant_fail(error, SCANT_DATA, "field 'spans' has a wrong length");
  uint64_t told = 0;
  for (size_t t = 0, child = array + 1; t < count; t++, child = json->nodes[child].after) {
    if (json->nodes[child].type != SCANT_JSON_OBJECT)
      return scant_fail(error, SCANT_DATA, "an item of 'spans' is not an object");
    if (t == s->span_count && !scant_moments_add_span(s)) return scant_fail_memory(error);
    scant_moments_span *span = &s->spans[t];
    SCANT_TRY(scant_json_get_count(json, child, "examples", &span->examples, error));
    SCANT_TRY(scant_packed_read(json, child, "counts", span->count, sizeof *span->count, l->dimension, error));
    told += span->examples;
    for (size_t i = 0; i < l->dimension; i++)
      if (span->count[i] > span->examples)
        return scant_fail(error, SCANT_DATA, "the counts of 'spans' are more than its examples");
  }
  if (count && told != l->told) return scant_fail(error, SCANT_DATA, "'spans' do not add up to what was told");
  return SCANT_OK;
}

/* A list of whole numbers, each at most `most`; `ascending`: none is below the one before it. */
static scant_status read_numbers(const scant_json *json, size_t node, const char *key, uint64_t *numbers, size_t count,
                                 uint64_t most, int ascending, scant_error *error) {
  SCANT_TRY(scant_json_get_counts(json, node, key, numbers, count, error));
  for (size_t i = 0; i < count; i++)
    if (numbers[i] > most || (ascending && i && numbers[i] < numbers[i - 1]))
      return scant_fail(error, SCANT_DATA, "field '%s' is out of range", key);
  return SCANT_OK;
}

/* Blocks are every one from the first to the last. */
static scant_status read_blocks(const scant_json *json, size_t node, uint64_t *block, size_t examples, uint64_t blocks,
                                scant_error *error) {
  SCANT_TRY(read_numbers(json, node, "held_blocks", block, examples, blocks - 1, 1, error));
  int good = block[0] == 0 && block[examples - 1] == blocks - 1;
  for (size_t t = 1; t < examples; t++) good = good && block[t] - block[t - 1] <= 1;
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "field 'held_blocks' leaves a block out");
}

/* Reads what is held and tells it again.  `number` has room for the ends, the blocks and the attributes, `real` for
 * values and targets. */
static scant_status replay_held(scant_engine_view *l, const scant_json *json, size_t node, size_t entries,
                                uint64_t *number, uint32_t *attribute, double *real, scant_error *error) {
  size_t examples = (size_t)l->told;
  uint64_t *end = number, *block = end + examples, *wide = block + examples, begin = 0;
  int blocks = l->settings->learning.block > 1 && examples;
  scant_answers *h = &scant_moments_of(l)->held;
  SCANT_TRY(read_numbers(json, node, "held_ends", end, examples, entries, 1, error));
  if ((examples ? end[examples - 1] : 0) != entries)
    return scant_fail(error, SCANT_DATA, "field 'held_ends' does not end with the values");
  SCANT_TRY(read_numbers(json, node, "held_attributes", wide, entries, l->dimension - 1, 0, error));
  for (size_t t = 0; t < entries; t++) attribute[t] = (uint32_t)wide[t];
  SCANT_TRY(scant_json_get_reals(json, node, "held_values", real, entries, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "held_targets", real + entries, examples, 1, error));
  if (blocks) SCANT_TRY(read_blocks(json, node, block, examples, l->block, error));
  for (size_t t = 0; t < examples; begin = end[t++]) {
    uint32_t own = (uint32_t)block[t];
    if (!scant_answers_add(h, blocks ? &own : NULL, (size_t)(end[t] - begin), attribute + begin, real + begin,
                           real[entries + t]))
      return scant_fail_memory(error);
  }
  return SCANT_OK;
}

static scant_status restore_held(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  size_t values = scant_json_member(json, node, "held_values"), ends = scant_json_member(json, node, "held_ends");
  if (values == SCANT_JSON_NONE || json->nodes[values].type != SCANT_JSON_ARRAY || ends == SCANT_JSON_NONE ||
      json->nodes[ends].type != SCANT_JSON_ARRAY || json->nodes[ends].count != l->told)
    return scant_fail(error, SCANT_DATA, "fields 'held_values' or 'held_ends' are not what was told");
  size_t examples = json->nodes[ends].count, entries = json->nodes[values].count;
  uint64_t *number = scant_array(2 * examples + entries, sizeof *number);
  uint32_t *attribute = scant_array(entries, sizeof *attribute);
  double *real = scant_array(entries + examples, sizeof *real);
  scant_status status = number && attribute && real
                            ? replay_held(l, json, node, entries, number, attribute, real, error)
                            : scant_fail_memory(error);
  free(number);
  free(attribute);
  free(real);
  return status;
}

/* With clip: the limits, or what is held until they freeze. */
static scant_status restore_limits(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (!s->freeze_at) {
    if (scant_json_member(json, node, "limit_low") == SCANT_JSON_NONE &&
        scant_json_member(json, node, "held_ends") == SCANT_JSON_NONE)
      return SCANT_OK;
    return scant_fail(error, SCANT_DATA, "there are limits, but no setting clip");
  }
  int blocks = l->settings->learning.block > 1; /* then the block after the last that is held freezes them */
  s->frozen = blocks ? l->block > s->freeze_at : l->told >= s->freeze_at;
  if (!s->frozen) return restore_held(l, json, node, error);
  SCANT_TRY(scant_json_get_reals(json, node, "limit_low", s->limit_low, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "limit_high", s->limit_high, l->dimension, 1, error));
  for (size_t i = 0; i < l->dimension; i++)
    if (!(s->limit_low[i] <= s->limit_high[i]))
      return scant_fail(error, SCANT_DATA, "the limits of attribute %zu do not ascend", i + 1);
  scant_engine_clip(l, s->limit_low, s->limit_high);
  return SCANT_OK;
}

/* Do the sums and what is held agree with how often each attribute was met? */
static int agree_counts(const scant_engine_view *l) {
  scant_moments_state *s = scant_moments_of(l);
  int good = 1;
  double *held = s->shifted; /* room for whole numbers */
  memset(held, 0, l->dimension * sizeof *held);
  for (size_t t = 0; t < scant_answers_entries(&s->held); t++) held[s->held.attribute[t]] += 1;
  for (size_t i = 0; i < l->dimension; i++) {
    uint64_t count = 0;
    for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) count += s->fold[f].count[scant_pairs_at(i, i)];
    s->origin.known[i] = count > 0;
    good = good && count + (uint64_t)held[i] == l->moments[i].count && s->leaves[i] > 0 && s->low[i] <= 0 &&
           s->high[i] >= 0 && scant_shown_is_possible(&s->shown, i, count);
  }
  return good;
}

scant_status scant_moments_restore(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  size_t folds;
  SCANT_TRY(scant_json_get_count(json, node, "renew_at", &s->renew_at, error));
  SCANT_TRY(scant_json_get_reals(json, node, "law", s->leaves, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_real(json, node, "target_origin", &s->origin.y, error));
  SCANT_TRY(scant_json_get_reals(json, node, "origin", s->origin.x, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "low", s->low, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "high", s->high, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_array(json, node, "folds", SCANT_MOMENTS_FOLDS, &folds, error));
  size_t values = SCANT_SHOWN_VALUES * l->dimension;
  SCANT_TRY(scant_json_get_reals(json, node, "values", s->shown.value, values, 1, error));
  SCANT_TRY(scant_packed_read(json, node, "value_counts", s->shown.count, sizeof *s->shown.count, values, error));
  uint64_t told = 0;
  for (size_t f = 0, child = folds + 1; f < SCANT_MOMENTS_FOLDS; f++, child = json->nodes[child].after) {
    SCANT_TRY(restore_fold(&s->fold[f], json, child, error));
    told += s->fold[f].examples;
  }
  s->origin.y_known = told > 0;
  SCANT_TRY(restore_spans(l, json, node, error));
  SCANT_TRY(restore_limits(l, json, node, error));
  int good = told == (s->freeze_at && !s->frozen ? 0 : l->told) && s->renew_at > 0 && agree_counts(l);
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "the sums of 'folds' do not agree with what was told");
}
