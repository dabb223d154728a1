#include "learn/engine.h"

#include <string.h>

#include "core/error.h"
#include "look/look.h"

const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *row) {
  for (; engines && *engines; engines++)
    if (!strcmp((*engines)->row, row)) return *engines;
  return NULL;
}

void scant_look_plain(scant_learner *l, scant_look *look, uint32_t attribute, double probability) {
  uint32_t place = scant_look_add(l, look, attribute);
  look->gradient_draws[place] = 1;
  look->gradient_probability[place] = probability;
  look->gradient_total = look->draws = look->count;
}

scant_status scant_engine_check_memory(const scant_learner *l, double bytes, scant_error *error) {
  double gib = bytes / 0x1p30;
  if (gib <= l->settings.memory) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    "%s needs %.3g GiB for %zu attributes, more than memory allows, %g (or take auto, which needs "
                    "next to nothing)",
                    l->row->words.name, gib, l->dimension, l->settings.memory);
}

scant_status scant_engine_tell(scant_learner *l, const scant_look *look, const double *values, double y,
                               scant_error *error) {
  SCANT_TRY(l->engine->tell(l, look, values, y, error));
  l->told++;
  scant_learner_note(l, look, values, y);
  scant_open_close(&l->open, look->serial);
  return SCANT_OK;
}

scant_status scant_learner_finish(scant_learner *learner, scant_error *error) {
  return learner->engine ? learner->engine->finish(learner, error) : SCANT_OK;
}
