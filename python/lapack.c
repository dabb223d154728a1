/* What a build with LAPACK adds to the library inside the Python package. */
#include "scant_solve.h"

SCANT_API void scant_python_engines(scant_settings *settings);
SCANT_API scant_status scant_python_solve(scant_fit **fit, scant_model **model, const scant_settings *settings,
                                          scant_source *source, scant_error *error);

/* Settings that know the dense rows. */
void scant_python_engines(scant_settings *settings) {
  settings->engines = scant_solve_engines;
}

scant_status scant_python_solve(scant_fit **fit, scant_model **model, const scant_settings *settings,
                                scant_source *source, scant_error *error) {
  scant_certificate certificate;
  return scant_solve_fit(fit, model, &certificate, settings, source, error);
}
