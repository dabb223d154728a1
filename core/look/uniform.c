/* Uniform looks for the gradient: those of [HK12] with a few by the law of w for the residual, those of [CSS11] with
 * half of K for each, and those of AESVR [HK12, Alg. 4], whose residual takes what the calls of GenEst
 * [HK12, Proc. 3] need. */
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

/* Residual looks that GenEst is expected to take per example. */
static double expected_residual(const scant_settings *settings) {
  scant_loss_form form = scant_settings_loss(settings);
  scant_series series = scant_loss_series(form.loss);
  uint32_t group = scant_genest_group(settings->learning.radius, form.smoothing);
  return scant_loss_calls(form.loss) * scant_genest_expected_draws(&series, group);
}

static scant_status check_genest(const scant_settings *settings, const char *algorithm, scant_error *error) {
  if (!scant_loss_is_entire((scant_loss)settings->learning.loss))
    return scant_fail(error, SCANT_USAGE, "%s has no series for this loss: its derivative is not entire", algorithm);
  double residual = expected_residual(settings), passes = (double)settings->learning.passes;
  if (scant_look_visit(settings) - residual >= 1) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE,
                    "%s: the residual takes %.2f looks per example in expectation, so k must be at least %.0f",
                    algorithm, residual, ceil((residual + 1) * passes));
}

static void share_genest(scant_looks *looks) {
  looks->expected_residual = expected_residual(looks->settings); /* check_genest saw that it leaves at least one */
  looks->k_gradient = (uint32_t)floor(scant_look_visit(looks->settings) - looks->expected_residual);
  looks->expected_draws = looks->k_gradient + looks->expected_residual;
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

/* The order first [HK12, Proc. 3, l. 2], then its factors' draws: one each [HK12, Proc. 3, l. 4-5], or N each
 * [HK12, Proc. 3, l. 8-10]. */
static scant_status freeze_genest(scant_looks *looks, scant_look *look, scant_error *error) {
  if (!(scant_sumtree_total(&looks->w->law) > 0)) return SCANT_OK; /* w = 0 */
  scant_looks_find_again(looks, look);
  look->calls = looks->calls;
  for (uint32_t c = 0; c < look->calls; c++) {
    uint32_t order = scant_genest_order(&looks->series, &looks->rng_by_w);
    uint32_t group = scant_genest_draws(order, looks->group);
    look->call[c] = (scant_look_call){order, group};
    uint64_t draws = (uint64_t)order * group, length = look->sequence_count + draws;
    size_t most = looks->dimension - look->count; /* new places */
    if (draws < most) most = (size_t)draws;
    if (length > UINT32_MAX || !scant_look_reserve(look, look->count + most, (size_t)length))
      return scant_fail_memory(error);
    for (uint64_t r = 0; r < draws; r++)
      look->sequence[look->sequence_count++] = scant_look_draw_by(looks, look, &looks->w->law);
  }
  return SCANT_OK;
}

/* How many draws the residual takes is up to chance, so only looks without any have a closed form. */
static void genest_chances(const scant_looks *looks, const scant_look *look, const scant_chances *found) {
  if (!look->calls) scant_chances_of_uniform(looks, look, found);
}

const scant_look_kind scant_look_uniform = {.early = 1,
                                            .check = check,
                                            .share = share,
                                            .counts_draws = 1,
                                            .has_draws = 1,
                                            .draw = scant_look_draw_uniform,
                                            .freeze = freeze,
                                            .chances = scant_chances_of_uniform};

const scant_look_kind scant_look_even = {.early = 1,
                                         .check = check_even,
                                         .share = scant_look_share_evenly,
                                         .counts_draws = 1,
                                         .has_draws = 1,
                                         .draw = scant_look_draw_uniform,
                                         .freeze = freeze,
                                         .chances = scant_chances_of_uniform};

const scant_look_kind scant_look_genest = {.early = 1,
                                           .check = check_genest,
                                           .share = share_genest,
                                           .counts_draws = 1,
                                           .has_draws = 1,
                                           .draw = scant_look_draw_uniform,
                                           .freeze = freeze_genest,
                                           .chances = genest_chances};
