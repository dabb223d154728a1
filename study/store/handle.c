/* A handle of an open study, and the database behind it. */
#define _DEFAULT_SOURCE /* getentropy */
#include <errno.h>
#include <pwd.h>
#include <unistd.h>

#include "study.h"

#define SQLITE_LEAST 3037000 /* strict tables */
#define OPEN_MOST "1000"

scant_study *study_new(const scant_settings *given) {
  scant_study *s = scant_array(1, sizeof *s);
  if (!s) return NULL;
  s->lock.file = -1;
  s->owner = (long)getpid();
  s->keep_every = STUDY_KEEP_EVERY;
  scant_settings_init(&s->settings);
  if (given) {
    s->settings.runtime.engines = given->runtime.engines;
    s->settings.runtime.threads = given->runtime.threads;
    s->settings.runtime.memory = given->runtime.memory;
  }
  return s;
}

void study_free(scant_study *s) {
  if (!s) return;
  for (int i = 0; i < STUDY_STATEMENTS; i++) sqlite3_finalize(s->statements[i].made);
  sqlite3_close(s->db);
  study_unlock(&s->lock);
  scant_look_free(s->drawn);
  scant_learner_free(s->learner);
  scant_prices_free(s->prices);
  scant_prices_free(s->offered);
  scant_model_free(s->gaussian);
  scant_study_catalogue_free(s->catalogue);
  for (size_t i = 0; i < sizeof s->order_texts / sizeof *s->order_texts; i++) free(s->order_texts[i]);
  for (int i = 0; i < STUDY_EVENT_TEXTS; i++) free(s->event_texts[i]);
  for (int i = 0; i < STUDY_REQUEST_TEXTS; i++) free(s->request_texts[i]);
  for (size_t i = 0; i < s->note_count; i++) free(s->notes[i]);
  void *const arrays[] = {s->notes,   s->lines,      s->told,      s->event_told, s->extras, s->values,
                          s->barred,  s->since,      s->sorted,    s->left_out,   s->group,  s->line_at,
                          s->told_at, s->group_list, s->algorithm, s->by,         s->via,    s->target,
                          s->frozen,  s->reasons,    s->teller,    s->path};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
  free(s);
}

scant_status study_random(void *bytes, size_t count, scant_error *error) {
  if (getentropy(bytes, count) == 0) return SCANT_OK;
  return scant_fail(error, SCANT_IO, "the system has no random numbers: %s", strerror(errno));
}

/* The name of the user whom the process belongs to, for the caller to free; NULL: out of memory. */
static char *login_name(void) {
  char texts[4096], number[40];
  struct passwd entry, *found = NULL;
  int code = getpwuid_r(geteuid(), &entry, texts, sizeof texts, &found);
  const char *name = !code && found ? found->pw_name : "";
  if (study_check_name(name, "", NULL) == SCANT_OK) return scant_copy_text(name, strlen(name));
  snprintf(number, sizeof number, "user %lu", (unsigned long)geteuid());
  return scant_copy_text(number, strlen(number));
}

scant_status scant_study_sign(scant_study *study, const char *by, const char *via, scant_error *error) {
  if (by) SCANT_TRY(study_check_name(by, "the name of who acts", error));
  if (via) SCANT_TRY(study_check_name(via, "the name of what is acted through", error));
  char *who = by ? scant_copy_text(by, strlen(by)) : login_name();
  char *what = via ? scant_copy_text(via, strlen(via)) : scant_copy_text("library", 7);
  if (!who || !what) {
    free(who);
    free(what);
    return scant_fail_memory(error);
  }
  free(study->by);
  free(study->via);
  study->by = who;
  study->via = what;
  return SCANT_OK;
}

/* ---- the database ------------------------------------------------------------------ */

/* SQLite takes names that begin with "file:" for addresses and ":memory:" for no file at all.  Here a name is the name
 * of a file, unless the flags say otherwise. */
int study_open_file(sqlite3 **db, const char *name, int flags) {
  int special = !(flags & (SQLITE_OPEN_URI | SQLITE_OPEN_MEMORY)) && (!strncmp(name, "file:", 5) || name[0] == ':');
  char *plain = special ? study_join("./", name) : NULL;
  if (special && !plain) return SQLITE_NOMEM;
  int code = sqlite3_open_v2(special ? plain : name, db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
  free(plain);
  return code;
}

/* A foreign file can't run code here: extensions, functions in schemas and writing to the schema are off. */
scant_status study_open_database(scant_study *s, const char *name, int flags, scant_error *error) {
  if (sqlite3_libversion_number() < SQLITE_LEAST)
    return scant_fail(error, SCANT_IO, "studies need SQLite 3.37 or later, and this is %s", sqlite3_libversion());
  int code = study_open_file(&s->db, name, flags);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_busy_timeout(s->db, STUDY_BUSY); /* for those that read while a checkpoint runs */
  /* nothing of the study goes to files elsewhere */
  code = sqlite3_exec(s->db, "PRAGMA temp_store = MEMORY", NULL, NULL, NULL);
  return code == SQLITE_OK ? SCANT_OK : study_refuse(s->db, code, "opening the study", error);
}

scant_status study_read_number(scant_study *s, const char *sql, int64_t *number, scant_error *error) {
  sqlite3_stmt *statement;
  int row, code = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  scant_status status = study_step(s->db, statement, &row, error);
  *number = status == SCANT_OK && row ? sqlite3_column_int64(statement, 0) : -1;
  sqlite3_finalize(statement);
  return status;
}

scant_status study_read_setting(scant_study *s, const char *name, char **value, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query_row(s, "SELECT value FROM setting WHERE name = ?1", (sql_value[]){sql_text(name)}, &statement,
                            &row, error));
  scant_status status = row ? study_column_text(statement, 0, value, error) : SCANT_OK;
  sqlite3_reset(statement);
  return status;
}

scant_status study_log_ahead(scant_study *s, scant_error *error) {
  sqlite3_stmt *statement;
  int row = 0, code = sqlite3_prepare_v2(s->db, "PRAGMA journal_mode = WAL", -1, &statement, NULL);
  if (code != SQLITE_OK) return study_refuse(s->db, code, "opening the study", error);
  scant_status status = study_step(s->db, statement, &row, error);
  const char *mode = row ? (const char *)sqlite3_column_text(statement, 0) : NULL;
  if (status == SCANT_OK && (!mode || strcmp(mode, "wal") != 0))
    status = scant_fail(error, SCANT_IO, "SQLite can't keep a log ahead of the study there (WAL)");
  sqlite3_finalize(statement);
  return status;
}

/* ---- settings -------------------------------------------------------------------- */

static const char *const not_of_studies[] = {"passes", "split", "shuffle", "observed", "block", NULL};

static scant_status check_settings(const scant_study *s, scant_error *error) {
  for (size_t i = 0; not_of_studies[i]; i++)
    if (scant_settings_is_given(&s->settings, scant_option_find(not_of_studies[i])))
      return scant_fail(error, SCANT_USAGE, "%s is no setting of a study", not_of_studies[i]);
  int steered = study_algorithm(s)->priced;
  for (size_t i = 0; i < s->dimension && !steered; i++)
    if (s->catalogue[i].known || s->catalogue[i].group)
      return scant_fail(
          error, SCANT_USAGE,
          "attribute '%s': known attributes and groups need an algorithm whose looks follow prices: auto, ridge, "
          "lasso, svr or gaussian",
          s->catalogue[i].name);
  for (size_t i = 0; i < s->dimension && !steered; i++)
    if (s->catalogue[i].retired)
      return scant_fail(error, SCANT_USAGE,
                        "attribute '%s': the looks of %s can't leave a retired attribute out; those of auto, ridge, "
                        "lasso, svr and gaussian can",
                        s->catalogue[i].name, s->settings.learning.algorithm);
  if (s->unpriced && (s->settings.learning.spend > 0 || s->settings.run.budget_cost > 0))
    return scant_fail(error, SCANT_USAGE, "spend and budget-cost need attributes that cost something");
  const scant_prices *prices = s->offered ? s->offered : s->prices;
  uint64_t most = prices ? scant_prices_dearest_two(prices) : 0;
  if (s->settings.run.budget_cost > 0 && s->settings.run.budget_cost * 100 < (double)most)
    return scant_fail(error, SCANT_USAGE, "budget-cost %.2f does not pay for the two dearest looks, %.2f",
                      s->settings.run.budget_cost, (double)most / 100);
  return SCANT_OK;
}

scant_status study_take_settings(scant_study *s, const scant_settings *settings, scant_error *error) {
  const scant_option *o;
  s->algorithm = scant_copy_text(settings->learning.algorithm, strlen(settings->learning.algorithm));
  if (!s->algorithm) return scant_fail_memory(error);
  for (size_t i = 0; (o = scant_option_at(i)); i++) {
    char value[256];
    if (!scant_settings_is_given(settings, o)) continue;
    int length = scant_settings_get(settings, o, value, sizeof value);
    int text = o->type == SCANT_OPTION_TEXT;
    if (text && o != scant_option_find("algorithm"))
      return scant_fail(error, SCANT_USAGE, "%s is no setting of a study", o->name);
    if (length < 0 || (size_t)length >= sizeof value)
      return scant_fail(error, SCANT_USAGE, "the value of %s is too long", o->name);
    SCANT_TRY(scant_settings_set(&s->settings, o->name, text ? s->algorithm : value, error));
  }
  s->settings.learning.algorithm = s->algorithm;
  if (!scant_settings_is_given(settings, scant_option_find("max-open")))
    SCANT_TRY(scant_settings_set(&s->settings, "max-open", OPEN_MOST, error));
  if (!strcmp(s->algorithm, SCANT_DEFAULT_ALGORITHM))
    return scant_fail(error, SCANT_USAGE, "the algorithm of a study is not '%s' but what was taken for it",
                      SCANT_DEFAULT_ALGORITHM);
  SCANT_TRY(scant_settings_resolve(&s->settings, error));
  return check_settings(s, error);
}

size_t scant_study_dimension(const scant_study *study) {
  return study->dimension;
}

const scant_study_attribute *scant_study_attribute_at(const scant_study *study, size_t index) {
  return index < study->dimension ? &study->catalogue[index] : NULL;
}

const char *scant_study_target(const scant_study *study) {
  return study->target;
}

uint64_t scant_study_renewals(const scant_study *study) {
  return study->renewals;
}

const scant_settings *scant_study_settings(const scant_study *study) {
  return &study->settings;
}

int scant_study_second_entry(const scant_study *study) {
  return study->second_needed;
}
