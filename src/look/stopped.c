/* Looks for the stopped U-statistic: a certainty set, then draws from the law
 * until one would be too many or too dear. */
#include <string.h>

#include "look/look.h"

/* What an example may still buy. */
typedef struct {
  uint32_t items;
  uint64_t money; /* counts only if the law has a limit */
} room;

static void append_item(scant_learner *learner, scant_look *look, uint32_t item, double q) {
  const scant_law *law = &learner->law;
  for (uint32_t r = 0; r < scant_law_size(law, item); r++) {
    uint32_t place = look->count;
    scant_look_append(learner, look, scant_law_member(law, item, r));
    look->item[place] = item;
    look->gradient_probability[place] = q;
  }
}

/* Where the halves of the draws are compared, every second draw is of the second. */
static void count_draw(const scant_learner *learner, scant_look *look, uint32_t place) {
  look->gradient_draws[place]++;
  if (!learner->row->biased || look->gradient_total % 2 == 0) return;
  look->residual_draws[place]++;
  look->residual_probability[place] = look->gradient_probability[place];
}

/* The draws that are made at once: nearly all that are needed, then a few more. */
static uint32_t batch(const scant_learner *learner, uint32_t done, uint32_t most, uint32_t left) {
  uint32_t size = learner->rng.script ? 1 : done ? 32 : left + left / 4 + 4;
  return size < most - done ? size : most - done;
}

/* Takes one draw of an item into the look; 0 if it does not fit. */
static int take_draw(scant_learner *learner, scant_look *look, uint32_t item, double q, room *left) {
  const scant_law *law = &learner->law;
  uint32_t place = scant_look_find(learner, look, scant_law_member(law, item, 0));
  if (place == look->count) {
    uint64_t cost = scant_law_cost(law, item);
    if (!left->items || (law->spend && cost > left->money)) return 0;
    left->items--;
    left->money -= law->spend ? cost : 0;
    append_item(learner, look, item, q);
  }
  for (uint32_t r = 0; r < scant_law_size(law, item); r++) count_draw(learner, look, place + r);
  if (learner->row->biased) look->residual_total += look->gradient_total % 2;
  look->gradient_total++;
  return 1;
}

/* Draws until one more would not fit, which is dropped; going on without it
 * would be biased. */
static void draw_until_full(scant_learner *learner, scant_look *look, room left) {
  const scant_law *law = &learner->law;
  uint32_t most = 2 * left.items;
  for (uint32_t done = 0, size = 0; done < most; done += size) {
    size = batch(learner, done, most, left.items);
    scant_inverse_fill(&law->draw, &learner->rng, size, learner->drawn);
    for (uint32_t r = 0; r < size; r++) {
      double q;
      uint32_t item = scant_law_item(law, learner->drawn[r], &learner->rng, &q);
      if (!take_draw(learner, look, item, q, &left)) return;
    }
  }
}

/* The same where every attribute is an item, there is no money and no half. */
static void draw_plainly(scant_learner *learner, scant_look *look, uint32_t left) {
  const scant_law *law = &learner->law;
  const uint32_t *listed = law->listed, *drawn = learner->drawn;
  uint32_t most = 2 * left, base = learner->base, known = (uint32_t)law->known, count = look->count, first = count;
  uint32_t *restrict attributes = look->attributes, *restrict draws = look->gradient_draws;
  uint32_t *outcomes = look->item, *restrict met = learner->met, total = 0;
  memset(draws + first, 0, left * sizeof *draws);
  for (uint32_t done = 0, size = 0; done < most; done += size) {
    size = batch(learner, done, most, left);
    scant_inverse_fill(&law->draw, &learner->rng, size, learner->drawn);
    for (uint32_t r = 0; r < size; r++) {
      uint32_t i = drawn[r] < known ? listed[drawn[r]] : scant_law_draw_other(law, &learner->rng);
      uint32_t is_new, place = scant_look_meet(met, base, i, count, &is_new);
      if (is_new > left) goto full;
      attributes[place] = i;
      outcomes[place] = drawn[r];
      draws[place]++;
      left -= is_new;
      count += is_new;
      total++;
    }
  }
full:
  for (uint32_t i = first; i < count; i++)
    look->gradient_probability[i] = outcomes[i] < known ? law->draw.probability[outcomes[i]] : law->other_probability;
  look->count = count;
  scant_look_fill(look, first);
  look->gradient_total = total;
}

/* Is there room for everything? */
static int takes_all(const scant_law *law, uint32_t k) {
  return k >= law->items - law->free_count && (!law->spend || law->prices->total <= law->spend);
}

scant_status scant_look_all_items(scant_learner *learner, scant_look *look, scant_error *error) {
  const scant_law *law = &learner->law;
  (void)error;
  for (uint32_t item = 0; item < law->items; item++) append_item(learner, look, item, 1);
  look->draws = (uint32_t)law->items;
  return SCANT_OK;
}

scant_status scant_look_stopped(scant_learner *learner, scant_look *look, scant_error *error) {
  (void)error;
  const scant_law *law = &learner->law;
  room left = {learner->k_gradient, law->spend};
  if (takes_all(law, left.items)) return scant_look_all_items(learner, look, error);
  for (uint32_t r = 0; r < law->certain_count; r++) {
    uint32_t item = law->certain[r].item;
    append_item(learner, look, item, 1);
    left.items -= r >= law->free_count; /* what is free is outside K */
    left.money -= law->spend ? scant_law_cost(law, item) : 0;
  }
  if (law->prices || learner->row->biased)
    draw_until_full(learner, look, left);
  else
    draw_plainly(learner, look, left.items);
  look->draws = look->gradient_total + law->certain_count;
  return SCANT_OK;
}
