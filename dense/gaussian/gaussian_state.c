/* The engine's part of a checkpoint: the looks, the law and the choice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant_json.h"
#include "gaussian/gaussian.h"
#include "packed.h"

void scant_gaussian_row_save(const scant_engine_view *l, scant_json_writer *out) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  const scant_answers *looks = &s->looks;
  size_t entries = looks->examples ? looks->first[looks->examples] : 0;
  scant_json_count(out, "renew_at", s->renew_at);
  scant_json_count(out, "chosen_at", s->chosen_at);
  scant_json_real(out, "noise", s->choice.noise);
  scant_json_reals(out, "follow", s->follow, l->dimension, 1);
  scant_json_reals(out, "explore", s->explore, l->dimension, 1);
  scant_json_count(out, "looks", entries);
  scant_packed_write(out, "sizes", looks->size, sizeof *looks->size, looks->examples);
  scant_packed_write(out, "attributes", looks->attribute, sizeof *looks->attribute, entries);
  scant_packed_write(out, "values", looks->value, sizeof *looks->value, entries);
  scant_packed_write(out, "targets", looks->y, sizeof *looks->y, looks->examples);
  if (looks->block) scant_packed_write(out, "example_blocks", looks->block, sizeof *looks->block, looks->examples);
}

/* ---- and back ---------------------------------------------------------------------- */

/* Reads the looks into arrays of their own size. */
static scant_status read_looks(const scant_json *json, size_t node, size_t examples, size_t entries,
                               scant_answers *flat, scant_error *error) {
  flat->size = scant_array(examples, sizeof *flat->size);
  flat->attribute = scant_array(entries, sizeof *flat->attribute);
  flat->value = scant_array(entries, sizeof *flat->value);
  flat->y = scant_array(examples, sizeof *flat->y);
  if (!flat->size || !flat->attribute || !flat->value || !flat->y) return scant_fail_memory(error);
  SCANT_TRY(scant_packed_read(json, node, "sizes", flat->size, sizeof *flat->size, examples, error));
  SCANT_TRY(scant_packed_read(json, node, "attributes", flat->attribute, sizeof *flat->attribute, entries, error));
  SCANT_TRY(scant_packed_read(json, node, "values", flat->value, sizeof *flat->value, entries, error));
  return scant_packed_read(json, node, "targets", flat->y, sizeof *flat->y, examples, error);
}

/* Every block has examples, and no more than option block says; the last is the one that was told last. */
static scant_status read_blocks(const scant_engine_view *l, const scant_json *json, size_t node, size_t examples,
                                scant_answers *flat, scant_error *error) {
  uint64_t size = 0;
  int good = 1;
  if (l->settings->learning.block == 1 || !examples) return SCANT_OK;
  flat->block = scant_array(examples, sizeof *flat->block);
  if (!flat->block) return scant_fail_memory(error);
  SCANT_TRY(scant_packed_read(json, node, "example_blocks", flat->block, sizeof *flat->block, examples, error));
  for (size_t e = 0; good && e < examples; e++) {
    uint32_t before = e ? flat->block[e - 1] : 0;
    size = e && flat->block[e] == before ? size + 1 : 1;
    good = size <= l->settings->learning.block && flat->block[e] - before <= (e > 0) && flat->block[e] >= before;
  }
  if (good && (uint64_t)flat->block[examples - 1] + 1 == l->block) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "field 'example_blocks' does not agree with what was told");
}

/* Reads an example as it was told; 0: no learner can have been told that. */
static int is_possible(const scant_engine_view *l, const scant_answers *flat, size_t e, size_t at, size_t entries) {
  int good = flat->size[e] <= entries - at && flat->size[e] <= l->dimension && isfinite(flat->y[e]);
  for (size_t i = at; good && i < at + flat->size[e]; i++)
    good = flat->attribute[i] < l->dimension && isfinite(flat->value[i]);
  return good;
}

/* Tells the looks again, in their order; their moments must be those of the learner. */
static scant_status replay(scant_engine_view *l, const scant_answers *flat, size_t examples, size_t entries,
                           scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  scant_moments *moments = scant_array(l->dimension, sizeof *moments);
  size_t at = 0;
  int good = 1, memory = moments != NULL;
  for (size_t e = 0; good && memory && e < examples; at += flat->size[e++]) {
    good = is_possible(l, flat, e, at, entries);
    const uint32_t *attributes = flat->attribute + at;
    const double *values = flat->value + at;
    if (good)
      memory = scant_answers_add(&s->looks, flat->block ? &flat->block[e] : NULL, flat->size[e], attributes, values,
                                 flat->y[e]);
    for (size_t i = at; good && memory && i < at + flat->size[e]; i++)
      scant_moments_add(&moments[flat->attribute[i]], flat->value[i]);
  }
  good = good && at == entries && (!memory || !memcmp(moments, l->moments, l->dimension * sizeof *moments));
  free(moments);
  if (!memory) return scant_fail_memory(error);
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "the looks do not agree with what was told");
}

static scant_status restore_looks(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  uint64_t entries, most = 0;
  for (size_t j = 0; j < l->dimension; j++) most += l->moments[j].count;
  SCANT_TRY(scant_json_get_count(json, node, "looks", &entries, error));
  if (entries != most) return scant_fail(error, SCANT_DATA, "field 'looks' does not agree with what was told");
  scant_answers flat = {0};
  scant_status status = read_looks(json, node, (size_t)l->told, (size_t)entries, &flat, error);
  if (status == SCANT_OK) status = read_blocks(l, json, node, (size_t)l->told, &flat, error);
  if (status == SCANT_OK) status = replay(l, &flat, (size_t)l->told, (size_t)entries, error);
  scant_answers_free(&flat);
  return status;
}

scant_status scant_gaussian_row_restore(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  SCANT_TRY(scant_json_get_count(json, node, "renew_at", &s->renew_at, error));
  SCANT_TRY(scant_json_get_count(json, node, "chosen_at", &s->chosen_at, error));
  SCANT_TRY(scant_json_get_real(json, node, "noise", &s->choice.noise, error));
  SCANT_TRY(scant_json_get_reals(json, node, "follow", s->follow, l->dimension, 1, error));
  SCANT_TRY(scant_json_get_reals(json, node, "explore", s->explore, l->dimension, 1, error));
  int good = s->renew_at > 0 && s->chosen_at <= l->block && s->choice.noise > 0;
  for (size_t j = 0; j < l->dimension; j++) good = good && s->follow[j] >= 0 && s->explore[j] > 0;
  if (!good) return scant_fail(error, SCANT_DATA, "the law or the choice of the learner is out of range");
  return restore_looks(l, json, node, error);
}
