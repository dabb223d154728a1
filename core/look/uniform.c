/* Looks of [HK12]: uniform ones for the gradient, a few by the law of w for the
 * residual; and those of [CSS11], with half of K for each. */
#include <math.h>
#include <string.h>

#include "scant_base.h"
#include "look/looks.h"
#include "settings/settings.h"

/* ---- how K is shared ------------------------------------------------------------- */

static void share(scant_looks *looks) {
  uint32_t k = (uint32_t)scant_settings_k_visit(looks->settings);
  looks->k_residual = (uint32_t)looks->settings->learning.residual_looks;
  looks->k_gradient = k - looks->k_residual;
  looks->expected_draws = k;
}

static scant_status check(const scant_settings *settings, const char *algorithm, scant_error *error) {
  (void)algorithm;
  uint64_t visit = scant_settings_k_visit(settings);
  if (settings->learning.residual_looks < visit) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "residual-looks must leave at least one of the %llu looks to the gradient",
                    (unsigned long long)visit);
}

static double purchases(const scant_settings *settings, size_t dimension) {
  double visit = floor((double)settings->learning.k / (double)settings->learning.passes),
         residual = (double)settings->learning.residual_looks;
  return scant_look_distinct(settings, dimension, visit - residual, residual);
}

/* [CSS11, AER, looks] */
static void share_evenly(scant_looks *looks) {
  uint32_t k = (uint32_t)scant_settings_k_visit(looks->settings);
  looks->k_residual = k / 2;
  looks->k_gradient = k - looks->k_residual;
  looks->expected_draws = k;
}

static scant_status check_even(const scant_settings *settings, const char *algorithm, scant_error *error) {
  uint64_t visit = scant_settings_k_visit(settings);
  if (settings->learning.k % 2)
    return scant_fail(error, SCANT_USAGE, "%s needs an even k, not %llu", algorithm,
                      (unsigned long long)settings->learning.k);
  if (visit % 2)
    return scant_fail(error, SCANT_USAGE, "%s needs an even number of attributes per visit, not %llu", algorithm,
                      (unsigned long long)visit);
  return SCANT_OK;
}

static double even_purchases(const scant_settings *settings, size_t dimension) {
  double visit = (double)settings->learning.k / (double)settings->learning.passes, residual = floor(visit / 2);
  return scant_look_distinct(settings, dimension, floor(visit) - residual, residual);
}

/* ---- the gradient's draws --------------------------------------------------------- */

typedef struct {
  const scant_looks *looks;
  const scant_look *look;
} drawn_so_far;

static int is_drawn(const void *set, uint32_t i) {
  const drawn_so_far *s = set;
  return scant_look_find(s->looks, s->look, i) < s->look->count;
}

/* [CSS11, AER, looks] */
static void draw_subset(scant_looks *looks, scant_look *look) {
  uint32_t d = (uint32_t)looks->dimension, k = looks->k_gradient;
  drawn_so_far set = {looks, look};
  for (uint32_t r = 0; r < k; r++) {
    scant_look_append(looks, look, scant_subset_draw(&looks->rng, d, k, r, is_drawn, &set));
    look->gradient_draws[r] = 1;
  }
}

static void draw_with_replacement(scant_looks *looks, scant_look *look) {
  uint32_t k = looks->k_gradient, base = looks->base, count = 0;
  uint32_t *restrict attributes = look->attributes, *restrict draws = look->gradient_draws;
  uint32_t *restrict met = looks->met;
  const uint32_t *drawn = looks->drawn;
  scant_rng_fill(&looks->rng, (uint32_t)looks->dimension, k, looks->drawn);
  memset(draws, 0, k * sizeof *draws);
  for (uint32_t r = 0; r < k; r++) {
    uint32_t is_new, place = scant_look_meet(met, base, drawn[r], count, &is_new);
    attributes[place] = drawn[r];
    draws[place]++;
    count += is_new;
  }
  look->count = count;
  scant_look_fill(look, 0);
}

/* [HK12, Alg. 1, l. 3-6] [HK12, Alg. 2, l. 4-7] [CSS11, AER, looks] */
scant_status scant_look_draw_uniform(scant_looks *looks, scant_look *look, scant_error *error) {
  (void)error;
  double q = 1.0 / (double)looks->dimension;
  if (looks->settings->learning.replacement)
    draw_with_replacement(looks, look);
  else
    draw_subset(looks, look);
  for (uint32_t i = 0; i < look->count; i++) look->gradient_probability[i] = q;
  look->gradient_total = look->draws = looks->k_gradient;
  return SCANT_OK;
}

/* ---- the residual's --------------------------------------------------------------- */

static scant_status freeze(scant_looks *looks, scant_look *look, scant_error *error) {
  (void)error;
  return scant_look_draw_residual(looks, look, &looks->w->law);
}

const scant_look_kind scant_look_uniform = {.early = 1,
                                            .check = check,
                                            .purchases = purchases,
                                            .share = share,
                                            .has_draws = 1,
                                            .draw = scant_look_draw_uniform,
                                            .freeze = freeze,
                                            .chances = scant_chances_of_uniform};

const scant_look_kind scant_look_even = {.early = 1,
                                         .check = check_even,
                                         .purchases = even_purchases,
                                         .share = share_evenly,
                                         .has_draws = 1,
                                         .draw = scant_look_draw_uniform,
                                         .freeze = freeze,
                                         .chances = scant_chances_of_uniform};
