/* Fits and tunings that keep their looks in a file. */
#include "scant_base.h"
#include "fit/fit.h"
#include "fit/looks_file.h"

static const char *name_at(const void *source, size_t i) {
  return scant_source_name(source, i);
}

scant_status scant_fit_keep_looks(scant_fit *fit, const char *path, const char *pairs, scant_error *error) {
  if (!path) {
    scant_looks_file_free(fit->looks);
    fit->looks = NULL;
    return SCANT_OK;
  }
  if (fit->looks) return scant_fail(error, SCANT_MISUSE, "the fit keeps its looks already");
  return scant_looks_file_new(&fit->looks, path, pairs, scant_source_dimension(fit->source), name_at, fit->source,
                              error);
}

scant_status scant_fit_end_looks(scant_fit *fit, scant_error *error) {
  if (!fit->looks) return scant_fail(error, SCANT_MISUSE, "the fit keeps no looks");
  scant_looks_file *file = fit->looks;
  fit->looks = NULL;
  return scant_looks_file_end(file, error);
}

const char *scant_fit_looks_beside(const scant_fit *fit, int pairs) {
  return fit->looks ? scant_looks_file_beside(fit->looks, pairs) : NULL;
}

scant_status scant_fit_keep_look(scant_fit *fit, size_t row, const scant_look *look, const double *values, double y,
                                 scant_error *error) {
  const scant_looks_example bought = {
      .example = fit->source->kept ? fit->source->kept[row] : row, /* rows of other classes are counted */
      .pass = fit->pass,
      .values = values,
      .y = y,
      .prices = fit->prices,
      .observed = fit->terms.settings.learning.observed};
  return scant_looks_file_add(fit->looks, &bought, fit->learner, look, NULL, error);
}
