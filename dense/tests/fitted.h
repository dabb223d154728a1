/* A fit of a sample with its model and errors, for tests of them. */
#ifndef SCANT_TESTS_DENSE_FITTED_H
#define SCANT_TESTS_DENSE_FITTED_H

#include "fit/fit.h"
#include "model/errors.h"
#include "model/model.h"
#include "sample.h"

/* Settings whose errors-of outlives them. */
static inline scant_settings naming(const char *list, const char *names) {
  scant_settings settings = gaussian(list);
  CHECK(scant_settings_set(&settings, "errors-of", names, NULL) == SCANT_OK);
  return settings;
}

static inline scant_source *source_of(const sample *s) {
  scant_source *source = NULL;
  CHECK(scant_source_wrap(&source, SCANT_FLOAT64, s->x, s->rows, s->dimension, (ptrdiff_t)(s->dimension * sizeof *s->x),
                          sizeof *s->x, s->y, NULL) == SCANT_OK);
  return source;
}

/* A fit with its model and, if they are wanted, errors. */
typedef struct {
  scant_source *source;
  scant_fit *fit;
  scant_model *model;
} fitted;

static inline void fitted_free(fitted *f) {
  scant_model_free(f->model);
  scant_fit_free(f->fit);
  scant_source_free(f->source);
}

static inline fitted fit_of(const sample *s, scant_settings settings, int errors) {
  fitted f = {.source = source_of(s)};
  int done = 0;
  CHECK(scant_fit_new(&f.fit, &settings, f.source, &error) == SCANT_OK);
  CHECK(scant_fit_advance(f.fit, UINT64_MAX, &done, &error) == SCANT_OK && done);
  CHECK(scant_fit_model(f.fit, 0, &f.model, &error) == SCANT_OK);
  if (errors && !CHECK(scant_fit_errors(f.fit, f.model, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return f;
}

#endif
