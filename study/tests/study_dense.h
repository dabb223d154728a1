/* Studies that may be of dense algorithms, which are in a library of their own. */
#ifndef SCANT_TESTS_STUDY_DENSE_H
#define SCANT_TESTS_STUDY_DENSE_H

#include "scant_dense.h"
#include "study_support.h"

static inline scant_settings dense_settings(const char *text) {
  scant_settings s = settings_of(text);
  s.runtime.engines = scant_dense_engines();
  return s;
}

static inline scant_study *open_dense(const char *path, scant_study_mode mode) {
  scant_settings s = dense_settings("");
  scant_study *study = NULL;
  GOOD(scant_study_open(&study, path, mode, &s, &said));
  if (!study) exit(1);
  return study;
}

static inline void create_dense(const char *path, const char *settings, size_t d, catalogue_kind kind) {
  scant_settings s = dense_settings(settings);
  study_remove(path);
  GOOD(scant_study_create(path, &s, catalogue_of(d, kind), d, NULL, &said));
}

static inline scant_study *make_dense(const char *path, const char *settings, size_t d, catalogue_kind kind) {
  create_dense(path, settings, d, kind);
  return open_dense(path, SCANT_STUDY_WRITE);
}

/* The same, and it does not wait for the disk. */
static inline scant_study *make_dense_hurried(const char *path, const char *settings, size_t d, catalogue_kind kind) {
  scant_study *study = make_dense(path, settings, d, kind);
  hurry(study);
  return study;
}

#endif
