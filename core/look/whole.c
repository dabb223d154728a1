/* Two kinds of looks: at every attribute, and at every attribute or none by the flip of a coin. */
#include "look/looks.h"

scant_status scant_look_draw_all(scant_looks *looks, scant_look *look, scant_error *error) {
  (void)error;
  for (uint32_t i = 0; i < looks->dimension; i++) {
    scant_look_append(looks, look, i);
    look->gradient_draws[i] = 1;
    look->gradient_probability[i] = 1;
  }
  look->gradient_total = 1;
  look->draws = look->count;
  return SCANT_OK;
}

static void all_chances(const scant_looks *looks, const scant_look *look, const scant_chances *chances) {
  if (!looks->settings->learning.observed) scant_chances_alike(look, 1, 1, chances); /* else the data chose */
}

static void share_all(scant_looks *looks) {
  looks->k_gradient = (uint32_t)looks->dimension;
  looks->expected_draws = scant_look_visit(looks->settings);
}

const scant_look_kind scant_look_all = {.whole = 1,
                                        .share = share_all,
                                        .draw = scant_look_draw_all,
                                        .draw_all = scant_look_draw_all,
                                        .chances = all_chances};

static void share(scant_looks *looks) {
  looks->expected_draws = scant_look_visit(looks->settings);
}

static void coin_chances(const scant_looks *looks, const scant_look *look, const scant_chances *chances) {
  double coin = scant_look_visit(looks->settings) / (double)looks->dimension;
  scant_chances_alike(look, coin, coin, chances);
}

static scant_status flip(scant_looks *looks, scant_look *look, scant_error *error) {
  double coin = scant_look_visit(looks->settings) / (double)looks->dimension;
  const double sides[2] = {1 - coin, coin};
  look->gradient_scale = 1 / coin;
  return scant_rng_pick(&looks->rng, 2, sides) ? scant_look_draw_all(looks, look, error) : SCANT_OK;
}

const scant_look_kind scant_look_coinflip = {
    .share = share, .draw = flip, .draw_all = scant_look_draw_all, .chances = coin_chances};
