/* From a fit to a model. */
#include <stdlib.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "model/model.h"

static scant_status copy_names(const scant_fit *f, scant_model *m, scant_error *error) {
  const char **names = scant_array(m->dimension, sizeof *names);
  if (!names) return scant_fail_memory(error);
  for (size_t i = 0; i < m->dimension; i++) names[i] = scant_source_name(f->source, i);
  int named = names[0] != NULL;
  scant_status status = scant_model_set_names(m, named ? names : NULL, scant_source_target_name(f->source), error);
  free(names);
  return status;
}

scant_status scant_fit_model(const scant_fit *fit, int checkpoint, scant_model **model, scant_error *error) {
  scant_model *m;
  if (checkpoint && fit->stream)
    return scant_fail(error, SCANT_MISUSE,
                      "examples that come source by source have no checkpoint: keep the model and the learner");
  SCANT_TRY(scant_model_of_learner(&m, fit->learner, &fit->terms.settings, fit->prices, &fit->meter->ledger,
                                   fit->meter->purchases, error));
  scant_status status = copy_names(fit, m, error);
  /* what goes on from a checkpoint chooses anew */
  if (checkpoint) m->settings.learning.radius = fit->terms.settings.learning.radius;
  if (status == SCANT_OK && checkpoint) status = scant_fit_save_checkpoint(fit, m, error);
  if (status != SCANT_OK) {
    scant_model_free(m);
    return status;
  }
  *model = m;
  return SCANT_OK;
}
