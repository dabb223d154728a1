/* Looks of AESVR [HK12, Alg. 4]: uniform ones for the gradient, and those that the calls of GenEst [HK12,
 * Proc. 3] need for the residual. */
#include <math.h>

#include "base/error.h"
#include "look/looks.h"
#include "settings/settings.h"

static double visit_of(const scant_settings *settings) {
  return (double)settings->learning.k / (double)settings->learning.passes;
}

/* Residual looks that GenEst is expected to take per example. */
static double expected_residual(const scant_settings *settings) {
  scant_loss_form form = scant_settings_loss(settings);
  scant_series series = scant_loss_series(form.loss);
  uint32_t group = scant_genest_group(settings->learning.radius, form.smoothing);
  return scant_loss_calls(form.loss) * scant_genest_expected_draws(&series, group);
}

static scant_status check(const scant_settings *settings, const char *algorithm, scant_error *error) {
  if (!scant_loss_is_entire((scant_loss)settings->learning.loss))
    return scant_fail(error, SCANT_USAGE, "%s has no series for this loss: its derivative is not entire", algorithm);
  double residual = expected_residual(settings), passes = (double)settings->learning.passes;
  if (visit_of(settings) - residual >= 1) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE,
                    "%s: the residual takes %.2f looks per example in expectation, so k must be at least %.0f",
                    algorithm, residual, ceil((residual + 1) * passes));
}

static double purchases(const scant_settings *settings, size_t dimension) {
  double residual = expected_residual(settings);
  return scant_look_distinct(settings, dimension, floor(visit_of(settings) - residual), residual);
}

static void share(scant_looks *looks) {
  double residual = expected_residual(looks->settings); /* `check` saw that it leaves at least one */
  looks->k_gradient = (uint32_t)floor(visit_of(looks->settings) - residual);
  looks->expected_draws = looks->k_gradient + residual;
}

/* The order first, then its factors' draws. */
static scant_status freeze(scant_looks *looks, scant_look *look, scant_error *error) {
  if (scant_iterate_is_zero(looks->w)) return SCANT_OK;
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
static void chances(const scant_looks *looks, const scant_look *look, const scant_chances *found) {
  if (!look->calls) scant_chances_of_uniform(looks, look, found);
}

const scant_look_kind scant_look_genest = {.early = 1,
                                           .check = check,
                                           .purchases = purchases,
                                           .share = share,
                                           .has_draws = 1,
                                           .draw = scant_look_draw_uniform,
                                           .freeze = freeze,
                                           .chances = chances};
