#include "learn/engine.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "learn/learner.h"
#include "settings/settings.h"

const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *algorithm) {
  for (; engines && *engines; engines++)
    if (!strcmp((*engines)->algorithm, algorithm)) return *engines;
  return NULL;
}

/* ---- its looks --------------------------------------------------------------- */

static void share(scant_looks *looks) {
  looks->k_gradient = (uint32_t)scant_settings_k_visit(looks->settings);
  looks->expected_draws = looks->k_gradient;
}

static double purchases(const scant_settings *settings, size_t dimension) {
  return fmin(floor((double)settings->learning.k / (double)settings->learning.passes), (double)dimension);
}

static scant_status draw(scant_looks *looks, scant_look *look, scant_error *error) {
  scant_learner *l = looks->owner;
  return l->engine->look(l, look, error);
}

static void chances(const scant_looks *looks, const scant_look *look, const scant_chances *found) {
  const scant_learner *l = looks->owner;
  if (l->engine->chances) l->engine->chances(l, look, found);
}

static int price(scant_looks *looks, const scant_prices *prices, uint64_t spend, double rate) {
  if (!scant_law_price(&looks->law, prices, looks->k_gradient, spend, rate)) return 0;
  looks->expected_draws = looks->law.expected + looks->law.free_count;
  return 1;
}

const scant_look_kind scant_look_by_engine = {.fleeting = 1,
                                              .purchases = purchases,
                                              .share = share,
                                              .draw = draw,
                                              .draw_all = scant_look_draw_all,
                                              .chances = chances};
const scant_look_kind scant_look_by_engine_for_prices = {.fleeting = 1,
                                                         .purchases = purchases,
                                                         .share = share,
                                                         .price = price,
                                                         .draw = draw,
                                                         .draw_all = scant_look_draw_all,
                                                         .chances = chances};

/* ---- what all engines share ---------------------------------------------------- */

scant_status scant_engine_check_memory(const scant_learner *l, double bytes, scant_error *error) {
  double gib = bytes / 0x1p30;
  if (gib <= l->settings.runtime.memory) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    "%s needs %.3g GiB for %zu attributes, and option memory allows %g: give more, or take auto, which "
                    "needs next to nothing (option algorithm auto)",
                    l->parts->words.name, gib, l->dimension, l->settings.runtime.memory);
}

scant_status scant_engine_tell(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                               const double *y, scant_error *error) {
  if (rows > 1 && l->engine->reserve) SCANT_TRY(l->engine->reserve(l, look, rows, error));
  for (size_t r = 0; r < rows; r++, values += look->count) {
    if (rows > 1 && !scant_learner_takes_row(l, look, values)) continue;
    SCANT_TRY(l->engine->tell(l, look, values, y[r], error));
    l->told++;
    scant_learner_note(l, look, values, y[r]);
  }
  l->block++;
  scant_open_close(&l->open, look->serial);
  return SCANT_OK;
}

scant_status scant_learner_finish(scant_learner *learner, scant_error *error) {
  return learner->engine ? learner->engine->finish(learner, error) : SCANT_OK;
}
