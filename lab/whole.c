#include "whole.h"

#include "scant_dense.h"

scant_status fit_whole(scant_fit **fit, scant_model **model, const scant_settings *settings, scant_source *source,
                       scant_error *error) {
  scant_settings s = *settings;
  int done;
  s.runtime.engines = scant_dense_engines();
  scant_status status = scant_fit_new(fit, &s, source, error);
  if (status != SCANT_OK) return status;
  status = scant_fit_advance(*fit, UINT64_MAX, &done, error);
  if (status == SCANT_OK) status = scant_fit_model(*fit, 0, model, error);
  if (status == SCANT_OK) return SCANT_OK;
  scant_fit_free(*fit);
  *fit = NULL;
  return status;
}
