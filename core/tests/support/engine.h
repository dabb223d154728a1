/* What the tests of rows with engines share: settings, refusals that do not depend on
 * the row, and the way through a checkpoint. */
#ifndef SCANT_TESTS_ENGINE_H
#define SCANT_TESTS_ENGINE_H

#include "scant_dense.h"
#include "support.h"

/* "algorithm=moments" and more on top of it. */
static inline scant_settings engine_settings(const char *row, const char *list) {
  scant_settings s = settings_from(row);
  settings_add(&s, list);
  s.runtime.engines = scant_dense_engines();
  return s;
}

static inline scant_learner *engine_learner(scant_settings s, size_t dimension) {
  scant_error error = {""};
  scant_learner *l = NULL;
  if (!CHECK(scant_learner_new(&l, &s, dimension, 0, &error) == SCANT_OK)) printf("#   %s\n", error.text);
  return l;
}

static inline void refused(scant_settings s, size_t d, scant_status status, const char *words) {
  scant_error error = {""};
  scant_learner *l = NULL;
  CHECK(scant_learner_new(&l, &s, d, 0, &error) == status);
  CHECK_SAYS(error.text, words);
  scant_learner_free(l);
}

/* What no row with an engine takes. */
static inline void check_engine_refusals(scant_settings (*of)(const char *list), size_t d) {
  scant_settings without = of("k=5");
  without.runtime.engines = NULL;
  refused(without, d, SCANT_USAGE, "needs an engine");
  refused(of(""), d, SCANT_USAGE, "k is missing");
  refused(of("k=5 passes=2"), d, SCANT_USAGE, "one pass");
  refused(of("k=5 observed=yes"), d, SCANT_DATA, "observed");
  refused(of("observed=yes missing=error"), d, SCANT_USAGE, "missing can't be error");
  refused(of("observed=yes missing=skip-example"), d, SCANT_USAGE, "skip-example");
  refused(of("k=5 memory=1e6"), 33000, SCANT_DATA, "at most");
}

/* Saves a learner and loads it again. */
static inline scant_status engine_reload(const scant_learner *l, const scant_settings *s, scant_learner **again,
                                         scant_error *error) {
  char *text = NULL;
  size_t length = 0;
  scant_status status = scant_learner_save(l, &text, &length, error);
  if (status == SCANT_OK) status = scant_learner_load(again, text, length, s, error);
  scant_text_free(text);
  return status;
}

#endif
