/* Making a study: whole, or not at all. */
#include "study.h"

/* Only settings of the learner, the run and callers.  Some are kept even if they were not given, so that a
 * later version with other defaults goes on as the study began. */
static int is_kept(const scant_settings *settings, const scant_option *option) {
  static const char *const always[] = {"algorithm", "seed", "missing"};
  if (option->or_none) return settings->learning.clip > 0; /* see scant_settings_recall_clip */
  for (size_t i = 0; i < sizeof always / sizeof *always; i++)
    if (!strcmp(option->name, always[i])) return 1;
  return (option->scope & (SCANT_SCOPE_MODEL | SCANT_SCOPE_LIBRARY)) && !(option->scope & SCANT_SCOPE_DATA) &&
         scant_settings_is_given(settings, option);
}

static scant_status write_settings(scant_study *s, scant_error *error) {
  const scant_option *o;
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[256];
    if (!is_kept(&s->settings, o)) continue;
    scant_settings_get(&s->settings, o, value, sizeof value);
    SCANT_TRY(study_write_setting(s, o->name, value, error));
  }
  SCANT_TRY(study_write_setting(s, STUDY_TARGET_NAME, s->target, error));
  SCANT_TRY(study_write_setting(s, STUDY_MISSING_REASONS, s->reasons, error));
  if (s->second_needed) SCANT_TRY(study_write_setting(s, STUDY_SECOND_ENTRY, "yes", error));
  uint64_t key[2];
  char text[33];
  SCANT_TRY(study_random(key, sizeof key, error));
  snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, key[0], key[1]);
  return study_write_setting(s, STUDY_PSEUDONYM_KEY, text, error);
}

/* Makes the tables.  What is in them follows from the event that is written last. */
static scant_status make_tables(scant_study *s, scant_error *error) {
  char numbers[80];
  snprintf(numbers, sizeof numbers, "PRAGMA application_id = %d; PRAGMA user_version = %d;", STUDY_APPLICATION,
           STUDY_VERSION);
  SCANT_TRY(study_execute(s->db, numbers, error));
  return study_execute(s->db, study_schema, error);
}

static scant_status append_create(scant_study *s, const char *reason, const char *change, scant_error *error) {
  scant_study_event event = study_event(SCANT_EVENT_CREATE, NULL, 0);
  event.reason = reason;
  event.change = change;
  return study_append(s, &event, error);
}

static scant_status write_all(scant_study *s, scant_error *error) {
  char *change = NULL;
  SCANT_TRY(study_execute(s->db, "BEGIN IMMEDIATE", error));
  SCANT_TRY(make_tables(s, error));
  SCANT_TRY(write_settings(s, error));
  for (size_t i = 0; i < s->dimension; i++) SCANT_TRY(study_write_attribute(s, i, &s->catalogue[i], error));
  SCANT_TRY(study_terms_text(s, &change, error));
  scant_status status = append_create(s, study_build(), change, error);
  free(change);
  SCANT_TRY(status);
  return study_execute(s->db, "COMMIT", error);
}

/* Puts an algorithm in place of `default`, for the catalogue of the study.  Its file names what was taken, so that
 * nothing is chosen anew when it is opened or replayed. */
static scant_status choose(const scant_study *s, scant_settings *settings, scant_error *why, scant_error *error) {
  if (strcmp(settings->learning.algorithm, SCANT_DEFAULT_ALGORITHM) != 0) return SCANT_OK;
  SCANT_TRY(scant_settings_resolve(settings, error));
  scant_settings_choose_for_study(settings, s->dimension, settings->run.examples, s->prices, why);
  return SCANT_OK;
}

scant_status scant_study_choose(scant_settings *settings, const scant_study_attribute *catalogue, size_t count,
                                const char *target, scant_error *why, scant_error *error) {
  scant_study *s = study_new(settings);
  if (!s) return scant_fail_memory(error);
  if (why) why->text[0] = 0;
  scant_status status = study_take_catalogue(s, catalogue, count, target ? target : "y", error);
  if (status == SCANT_OK) status = choose(s, settings, why, error);
  study_free(s);
  return status;
}

/* What a study is made of. */
typedef struct {
  const scant_settings *settings;
  const scant_study_attribute *catalogue;
  size_t count;
  scant_study_terms terms;
} making;

/* An empty study in an open database. */
static scant_status make(scant_study *s, const making *m, scant_error *error) {
  SCANT_TRY(scant_study_sign(s, m->terms.by, m->terms.via, error));
  SCANT_TRY(study_take_catalogue(s, m->catalogue, m->count, m->terms.target ? m->terms.target : "y", error));
  scant_settings taken = *m->settings;
  SCANT_TRY(choose(s, &taken, NULL, error));
  SCANT_TRY(study_take_settings(s, &taken, error));
  SCANT_TRY(study_take_reasons(s, m->terms.missing_reasons, error));
  s->second_needed = m->terms.second_entry != 0;
  s->mode = SCANT_STUDY_WRITE;
  SCANT_TRY(study_relearn(s, error)); /* made from nothing, so that a refusal by the learner shows now */
  return write_all(s, error);
}

/* Writes an empty study to a file that is there.  It begins to log ahead (WAL) last: all of it is in that file. */
static scant_status make_file(const char *name, const making *m, scant_error *error) {
  scant_study *s = study_new(m->settings);
  if (!s) return scant_fail_memory(error);
  scant_status status = study_open_database(s, name, SQLITE_OPEN_READWRITE, error);
  if (status == SCANT_OK) status = study_execute(s->db, "PRAGMA synchronous = FULL", error);
  if (status == SCANT_OK) status = make(s, m, error);
  if (status == SCANT_OK) status = study_log_ahead(s, error);
  study_free(s);
  return status;
}

scant_status scant_study_create_with(const char *path, const scant_settings *settings,
                                     const scant_study_attribute *catalogue, size_t count,
                                     const scant_study_terms *terms, scant_error *error) {
  making m = {settings, catalogue, count, terms ? *terms : (scant_study_terms){0}};
  SCANT_TRY(study_check_cases(catalogue, count, m.terms.target ? m.terms.target : "y", error));
  scant_study *s = study_new(settings);
  if (!s) return scant_fail_memory(error);
  /* tried in memory first, so that no file is made if it fails */
  scant_status status = study_open_database(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error);
  if (status == SCANT_OK) status = make(s, &m, error);
  study_free(s);
  if (status != SCANT_OK) return status;
  SCANT_TRY(study_check_new_path(path, error));
  /* under another name until it is whole, so that no half study is ever there */
  char *name;
  SCANT_TRY(study_make_temporary(path, &name, error));
  status = make_file(name, &m, error);
  if (status == SCANT_OK) status = study_name_new_file(name, path, error);
  study_remove_files(name);
  free(name);
  return status;
}

scant_status scant_study_create(const char *path, const scant_settings *settings,
                                const scant_study_attribute *catalogue, size_t count, const char *target,
                                scant_error *error) {
  scant_study_terms terms = {.target = target};
  return scant_study_create_with(path, settings, catalogue, count, &terms, error);
}

static scant_status make_twin(scant_study *s, const scant_study_event *made, scant_error *error) {
  if (!made->change) return scant_fail(error, SCANT_DATA, "event 1 of the ledger has no settings and no catalogue");
  SCANT_TRY(study_open_database(s, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY, error));
  SCANT_TRY(make_tables(s, error));
  SCANT_TRY(study_write_terms(s, made->change, error));
  SCANT_TRY(append_create(s, made->reason, made->change, error));
  SCANT_TRY(study_read_terms(s, error));
  return study_relearn(s, error);
}

scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error) {
  scant_study *s = study_new(&study->settings);
  if (!s) return scant_fail_memory(error);
  s->mode = SCANT_STUDY_WRITE;
  s->again = &study->event;
  scant_status status = make_twin(s, &study->event, error);
  if (status == SCANT_OK) *twin = s;
  if (status != SCANT_OK) study_free(s);
  return status;
}
