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

void scant_transcript_drop(scant_transcript *transcript) {
  scant_transcript *k = transcript;
  free(k->one);
  free(k->attribute);
  free(k->item);
  free(k->gradient_draws);
  free(k->residual_draws);
  free(k->gradient_probability);
  free(k->residual_probability);
  free(k->value);
  free(k->left_out);
  free(k->nothing);
  *k = (scant_transcript){.dropped = 1};
}

void scant_transcript_free(scant_transcript *transcript) {
  if (transcript) scant_transcript_drop(transcript);
  free(transcript);
}

static int reserve(scant_transcript *k, size_t count) {
  size_t n = k->entries + count, *room = k->entry_room;
  double bytes = (double)(k->count + 1) * sizeof *k->one + (double)n * ENTRY_BYTES;
  return bytes <= k->bytes_most && scant_grow(&k->one, &k->room, k->count + 1, sizeof *k->one) &&
         scant_grow(&k->attribute, &room[0], n, sizeof *k->attribute) &&
         scant_grow(&k->item, &room[1], n, sizeof *k->item) &&
         scant_grow(&k->gradient_draws, &room[2], n, sizeof *k->gradient_draws) &&
         scant_grow(&k->residual_draws, &room[3], n, sizeof *k->residual_draws) &&
         scant_grow(&k->gradient_probability, &room[4], n, sizeof *k->gradient_probability) &&
         scant_grow(&k->residual_probability, &room[5], n, sizeof *k->residual_probability) &&
         scant_grow(&k->value, &room[6], n, sizeof *k->value);
}

/* Room for zeros, which grow by doubling too. */
static int reserve_nothing(scant_transcript *k, size_t count) {
  if (count <= k->nothing_room) return 1;
  double *longer = scant_array(2 * count, sizeof *longer);
  if (!longer) return 0;
  free(k->nothing);
  k->nothing = longer;
  k->nothing_room = 2 * count;
  return 1;
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

void scant_transcript_add_to(scant_transcript *transcript, const scant_learner *learner, uint64_t block, unsigned group,
                             const scant_look *look, const unsigned char *left_out, const double *values, double y) {
  scant_transcript *k = transcript;
  if (k->dropped) return;
  if (!reserve(k, look->count) || !reserve_nothing(k, look->count) || !mark(k, left_out, look->count)) {
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
  size_t places = look->count * sizeof *k->item, reals = look->count * sizeof *k->value;
  if (look->count) {
    memcpy(k->attribute + k->entries, look->attributes, places);
    memcpy(k->item + k->entries, look->item, places);
    memcpy(k->gradient_draws + k->entries, look->gradient_draws, places);
    memcpy(k->residual_draws + k->entries, look->residual_draws, places);
    memcpy(k->gradient_probability + k->entries, look->gradient_probability, reals);
    memcpy(k->residual_probability + k->entries, look->residual_probability, reals);
    memcpy(k->value + k->entries, values, reals);
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

void scant_transcript_look(const scant_transcript *transcript, size_t index, scant_look *look) {
  const scant_transcript *k = transcript;
  const scant_transcript_one *one = &k->one[index];
  *look = (scant_look){.count = one->count,
                       .draws = one->draws,
                       .gradient_total = one->gradient_total,
                       .residual_total = one->residual_total,
                       .gradient_scale = one->gradient_scale,
                       .capacity = one->count,
                       .attributes = k->attribute + one->first,
                       .item = k->item + one->first,
                       .gradient_draws = k->gradient_draws + one->first,
                       .residual_draws = k->residual_draws + one->first,
                       .gradient_probability = k->gradient_probability + one->first,
                       .residual_probability = k->residual_probability + one->first,
                       .weight = k->nothing,
                       .mean = k->nothing};
}
