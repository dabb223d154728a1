/* Fits, and the texts of their models. */
#ifndef SCANT_TESTS_FITS_H
#define SCANT_TESTS_FITS_H

#include "files.h"
#include "support.h"

static inline scant_fit *fit_with(const scant_settings *settings, scant_source *source) {
  scant_error failure = {""};
  scant_fit *fit = NULL;
  if (!CHECK(scant_fit_new(&fit, settings, source, &failure) == SCANT_OK)) printf("#   %s\n", failure.text);
  return fit;
}

static inline scant_fit *fit_from(const char *list, scant_source *source) {
  scant_settings settings = settings_from(list);
  scant_fit *fit = fit_with(&settings, source);
  if (!fit) printf("#   %s\n", list);
  return fit;
}

/* Goes on by as many examples; is the fit done? */
static inline int advance(scant_fit *fit, uint64_t examples) {
  scant_error failure = {""};
  int done = -1;
  if (!CHECK(scant_fit_advance(fit, examples, &done, &failure) == SCANT_OK)) printf("#   %s\n", failure.text);
  return done;
}

/* The text of the fit's model, which is in the file fit.json, too; the caller frees it. */
static inline char *fit_text(const scant_fit *fit, int checkpoint) {
  scant_error failure = {""};
  scant_model *model = NULL;
  if (!CHECK(scant_fit_model(fit, checkpoint, &model, &failure) == SCANT_OK)) printf("#   %s\n", failure.text);
  char *text = model ? model_text(model, file_path("fit.json")) : NULL;
  scant_model_free(model);
  return text;
}

/* The text of the model of a whole fit; NULL: there is none. */
static inline char *fitted_text(const scant_settings *settings, scant_source *source) {
  scant_fit *fit = fit_with(settings, source);
  char *text = fit && advance(fit, 1 << 30) == 1 ? fit_text(fit, 0) : NULL;
  scant_fit_free(fit);
  return text;
}

#endif
