#include "fit/transcript.h"

#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "learn/learner.h"

enum { ENTRY_BYTES = 4 * sizeof(uint32_t) + 3 * sizeof(double) };

double scant_transcript_bytes(double attributes) {
  return sizeof(scant_transcript_one) + attributes * ENTRY_BYTES;
}

scant_status scant_transcript_new(scant_transcript **transcript, double gib, scant_error *error) {
  *transcript = scant_array(1, sizeof **transcript);
  if (!*transcript) return scant_fail_memory(error);
  (*transcript)->bytes_most = gib * 0x1p30;
  return SCANT_OK;
}

void scant_transcript_drop(scant_transcript *k) {
  free(k->one);
  free(k->wholes);
  free(k->reals);
  free(k->left_out);
  free(k->nothing);
  *k = (scant_transcript){.dropped = 1};
}

void scant_transcript_free(scant_transcript *transcript) {
  if (transcript) scant_transcript_drop(transcript);
  free(transcript);
}

/* ---- adding ------------------------------------------------------------------------ */

static int reserve(scant_transcript *k, size_t count) {
  size_t n = k->entries + count;
  double bytes = (double)(k->count + 1) * sizeof *k->one + (double)n * ENTRY_BYTES;
  size_t zeros = k->nothing_room;
  if (!scant_grow(&k->nothing, &k->nothing_room, count, sizeof *k->nothing)) return 0;
  if (zeros < k->nothing_room) memset(k->nothing + zeros, 0, (k->nothing_room - zeros) * sizeof *k->nothing);
  return bytes <= k->bytes_most && scant_grow(&k->one, &k->room, k->count + 1, sizeof *k->one) &&
         scant_grow(&k->wholes, &k->wholes_room, 4 * n, sizeof *k->wholes) &&
         scant_grow(&k->reals, &k->reals_room, 3 * n, sizeof *k->reals);
}

/* Marks places of a look that is added.  There are marks only if a place was ever left out. */
static int mark(scant_transcript *k, const unsigned char *left_out, size_t count) {
  size_t before = k->left_out_room;
  if (!left_out && !k->left_out) return 1;
  if (!scant_grow(&k->left_out, &k->left_out_room, k->entries + count + 1, 1)) return 0;
  memset(k->left_out + before, 0, k->left_out_room - before);
  if (left_out) memcpy(k->left_out + k->entries, left_out, count);
  return 1;
}

void scant_transcript_add_to(scant_transcript *k, const scant_learner *learner, uint64_t block, unsigned group,
                             const scant_look *look, const unsigned char *left_out, const double *values, double y) {
  if (k->dropped) return;
  if (!reserve(k, look->count) || !mark(k, left_out, look->count)) {
    scant_transcript_drop(k);
    return;
  }
  uint64_t law = scant_engine_law(learner);
  k->one[k->count] = (scant_transcript_one){.first = k->entries,
                                            .count = look->count,
                                            .draws = look->draws,
                                            .gradient_total = look->gradient_total,
                                            .residual_total = look->residual_total,
                                            .block = block,
                                            .group = (unsigned char)group,
                                            .turned = k->count && law != k->law,
                                            .gradient_scale = look->gradient_scale,
                                            .y = y};
  size_t n = look->count, places = n * sizeof *k->wholes, reals = n * sizeof *k->reals;
  if (n) {
    uint32_t *whole = k->wholes + 4 * k->entries;
    double *real = k->reals + 3 * k->entries;
    memcpy(whole, look->attributes, places);
    memcpy(whole + n, look->item, places);
    memcpy(whole + 2 * n, look->gradient_draws, places);
    memcpy(whole + 3 * n, look->residual_draws, places);
    memcpy(real, look->gradient_probability, reals);
    memcpy(real + n, look->residual_probability, reals);
    memcpy(real + 2 * n, values, reals);
  }
  k->law = law;
  k->entries += look->count;
  k->count++;
}

void scant_transcript_add(scant_transcript *transcript, const scant_learner *learner, const scant_look *look,
                          const unsigned char *left_out, const double *values, double y) {
  size_t number = transcript->count;
  scant_transcript_add_to(transcript, learner, number, (unsigned)(number % SCANT_ERROR_GROUPS), look, left_out, values,
                          y);
}

/* ---- telling ----------------------------------------------------------------------- */

/* Its arrays stay the transcript's. */
static scant_look look_of(const scant_transcript *k, size_t index) {
  const scant_transcript_one *one = &k->one[index];
  size_t n = one->count;
  uint32_t *whole = k->wholes + 4 * one->first;
  double *real = k->reals + 3 * one->first;
  return (scant_look){.count = one->count,
                      .draws = one->draws,
                      .gradient_total = one->gradient_total,
                      .residual_total = one->residual_total,
                      .gradient_scale = one->gradient_scale,
                      .capacity = n,
                      .attributes = whole,
                      .item = whole + n,
                      .gradient_draws = whole + 2 * n,
                      .residual_draws = whole + 3 * n,
                      .gradient_probability = real,
                      .residual_probability = real + n,
                      .weight = k->nothing,
                      .mean = k->nothing};
}

scant_status scant_transcript_learner(scant_learner **learner, const scant_settings *settings,
                                      const scant_learner *like, scant_error *error) {
  const scant_prices *prices = scant_learner_prices(like);
  const unsigned char *barred = like->looks.barred;
  scant_learner *l = NULL;
  scant_terms terms;
  const scant_extent extent = {.dimension = like->dimension, .examples = like->horizon};
  SCANT_TRY(scant_terms_recall(&terms, settings, &extent, error));
  SCANT_TRY(scant_learner_of_terms(&l, &terms, error));
  scant_status status = barred ? scant_learner_bar(l, barred, error) : SCANT_OK;
  if (status == SCANT_OK && prices) status = scant_learner_price(l, prices, error);
  if (status == SCANT_OK)
    *learner = l;
  else
    scant_learner_free(l);
  return status;
}

size_t scant_transcript_rows(const scant_transcript *transcript, size_t index, size_t count) {
  size_t end = index;
  while (end < count && transcript->one[end].block == transcript->one[index].block) end++;
  return end - index;
}

/* The rows that are told.  All rows of a block have one look, so they have equally many values. */
static void gather(const scant_transcript *k, size_t index, size_t rows, unsigned without, scant_fit_rows *told) {
  const uint32_t *attributes;
  const double *values;
  told->count = 0;
  for (size_t i = index; i < index + rows; i++) {
    if (k->one[i].group == without) continue;
    size_t count = scant_transcript_cells(k, i, &attributes, &values);
    if (count) memcpy(told->values + told->count * count, values, count * sizeof *values);
    told->y[told->count++] = k->one[i].y;
  }
}

/* The law also turns for a learner that is not told the first purchase after it. */
static scant_status tell_block(const scant_transcript *k, size_t index, size_t rows, unsigned without, scant_learner *l,
                               scant_look *look, scant_fit_rows *told, scant_error *error) {
  const scant_transcript_one *one = &k->one[index];
  const unsigned char *left_out = k->left_out ? k->left_out + one->first : NULL;
  if (!scant_fit_rows_reserve(told, rows, one->count)) return scant_fail_memory(error);
  if (one->turned) SCANT_TRY(scant_engine_turn(l, error));
  gather(k, index, rows, without, told);
  if (!told->count) return SCANT_OK;
  scant_look drawn = look_of(k, index);
  SCANT_TRY(scant_learner_adopt(l, &drawn, look, error));
  return scant_learner_tell_given_block(l, look, left_out, told->count, told->values, told->y, error);
}

enum { EXAMPLES_BETWEEN = 512 }; /* two questions whether to stop */

scant_status scant_transcript_tell(const scant_transcript *transcript, size_t count, unsigned without,
                                   scant_learner *learner, scant_thinking *thinking, scant_error *error) {
  scant_look *look = NULL;
  scant_fit_rows told = {0};
  size_t since = 0;
  scant_status status = scant_look_new(&look, learner, error);
  for (size_t i = 0, rows; status == SCANT_OK && i < count; i += rows) {
    rows = scant_transcript_rows(transcript, i, count);
    status = tell_block(transcript, i, rows, without, learner, look, &told, error);
    if (status != SCANT_OK || (since += told.count) < EXAMPLES_BETWEEN) continue;
    if (scant_thinking_step(thinking, (unsigned)since)) break;
    since = 0;
  }
  scant_fit_rows_free(&told);
  scant_look_free(look);
  if (status == SCANT_OK && thinking && scant_thinking_stopped(thinking))
    return scant_fail(error, SCANT_STOPPED, "stopped while errors were made");
  return status;
}
