/* How curves fit algorithms that are solved at once: scant_curve_plan.solve. */
#include "scant_solve.h"
#include "dense/parallel.h"

scant_status scant_solve_for_curve(scant_fit **fit, scant_model **model, const scant_settings *settings,
                                   scant_source *source, scant_error *error) {
  scant_certificate certificate;
  scant_parallel_calm(); /* the curves have their own threads */
  return scant_solve_fit(fit, model, &certificate, settings, source, error);
}
