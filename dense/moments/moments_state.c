/* The engine's part of a checkpoint. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
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
  scant_json_close(out, '}');
}

void scant_moments_save(const scant_learner *l, scant_json_writer *out) {
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
    scant_held_save(&s->held, out);
  }
  scant_json_open(out, "spans", '[');
  for (size_t i = 0; i < s->span_count; i++) {
    scant_json_open(out, NULL, '{');
    scant_json_count(out, "examples", s->spans[i].examples);
    scant_packed_write(out, "counts", s->spans[i].count, sizeof *s->spans[i].count, l->dimension);
    scant_json_close(out, '}');
  }
  scant_json_close(out, ']');
  scant_json_open(out, "folds", '[');
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) save_fold(&s->fold[f], out);
  scant_json_close(out, ']');
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
static scant_status restore_spans(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
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

/* With clip: the limits, or what is held until they freeze. */
static scant_status restore_limits(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (!s->freeze_at) {
    if (scant_json_member(json, node, "limit_low") == SCANT_JSON_NONE &&
        scant_json_member(json, node, "held_ends") == SCANT_JSON_NONE)
      return SCANT_OK;
    return scant_fail(error, SCANT_DATA, "there are limits, but no setting clip");
  }
  int blocks = l->settings.learning.block > 1; /* then the block after the last that is held freezes them */
  s->frozen = blocks ? l->block > s->freeze_at : l->told >= s->freeze_at;
  if (!s->frozen) return scant_held_restore(&s->held, l->told, blocks ? l->block : 0, l->dimension, json, node, error);
  SCANT_TRY(scant_json_get_reals(json, node, "limit_low", s->limit_low, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "limit_high", s->limit_high, l->dimension, 1, error));
  for (size_t i = 0; i < l->dimension; i++)
    if (!(s->limit_low[i] <= s->limit_high[i]))
      return scant_fail(error, SCANT_DATA, "the limits of attribute %zu do not ascend", i + 1);
  l->frozen_low = s->limit_low;
  l->frozen_high = s->limit_high;
  return SCANT_OK;
}

/* Do the sums and what is held agree with how often each attribute was met? */
static int agree_counts(const scant_learner *l) {
  scant_moments_state *s = scant_moments_of(l);
  int good = 1;
  double *held = s->shifted; /* room for whole numbers */
  memset(held, 0, l->dimension * sizeof *held);
  for (size_t t = 0; t < s->held.values; t++) held[s->held.attribute[t]] += 1;
  for (size_t i = 0; i < l->dimension; i++) {
    uint64_t count = 0;
    for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) count += s->fold[f].count[scant_pairs_at(i, i)];
    s->origin.known[i] = count > 0;
    good = good && count + (uint64_t)held[i] == l->moments[i].count && s->leaves[i] > 0 && s->low[i] <= 0 &&
           s->high[i] >= 0 && scant_shown_is_possible(&s->shown, i, count);
  }
  return good;
}

scant_status scant_moments_restore(scant_learner *l, const scant_json *json, size_t node, scant_error *error) {
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
