/* The terms of a study: its settings and its catalogue, in the file, in the ledger and in memory. */
#include "study.h"

static const char select_settings[] = "SELECT name, value FROM setting ORDER BY name";

/* ---- in the file --------------------------------------------------------------------- */

scant_status study_write_setting(scant_study *study, const char *name, const char *value, scant_error *error) {
  return study_run(study, "INSERT OR REPLACE INTO setting(name, value) VALUES(?1, ?2)",
                   (sql_value[]){sql_text(name), sql_text(value)}, error);
}

scant_status study_write_attribute(scant_study *study, size_t place, const scant_study_attribute *a,
                                   scant_error *error) {
  const sql_value row[] = {sql_count(place),
                           sql_text(a->name),
                           sql_text(a->unit),
                           sql_count(a->cost),
                           sql_real(a->low),
                           sql_real(a->high),
                           sql_real(a->usual_low),
                           sql_real(a->usual_high),
                           sql_text(a->group),
                           sql_signed((a->known != 0)),
                           sql_signed((a->retired != 0))};
  return study_run(study,
                   "INSERT OR REPLACE INTO attribute(place, name, unit, cost, low, high, usual_low, usual_high, panel, "
                   "known, retired) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                   row, error);
}

/* An attribute with texts of its own. */
void study_free_attribute(scant_study_attribute *a) {
  free((char *)a->name);
  free((char *)a->unit);
  free((char *)a->group);
  *a = (scant_study_attribute){0};
}

static scant_status read_attribute(sqlite3_stmt *statement, scant_study_attribute *a, scant_error *error) {
  char *texts[3] = {NULL, NULL, NULL};
  static const int places[3] = {1, 2, 8};
  scant_status status = SCANT_OK;
  for (int i = 0; i < 3 && status == SCANT_OK; i++) status = study_column_text(statement, places[i], &texts[i], error);
  *a = (scant_study_attribute){.name = texts[0],
                               .unit = texts[1],
                               .group = texts[2],
                               .cost = study_column_count(statement, 3),
                               .low = study_column_real(statement, 4),
                               .high = study_column_real(statement, 5),
                               .usual_low = study_column_real(statement, 6),
                               .usual_high = study_column_real(statement, 7),
                               .known = sqlite3_column_int(statement, 9),
                               .retired = sqlite3_column_int(statement, 10)};
  return status;
}

static scant_status read_catalogue(scant_study *s, scant_study_attribute **rows, size_t *count, scant_error *error) {
  sqlite3_stmt *statement;
  size_t capacity = 0;
  int row;
  SCANT_TRY(study_query(s,
                        "SELECT place, name, unit, cost, low, high, usual_low, usual_high, panel, known, retired FROM "
                        "attribute ORDER BY place",
                        NULL, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    if (sqlite3_column_int64(statement, 0) != (int64_t)*count)
      return scant_fail(error, SCANT_DATA, "the catalogue is damaged: attribute %zu is not in its place", *count + 1);
    if (!scant_grow(rows, &capacity, *count + 1, sizeof **rows)) return scant_fail_memory(error);
    SCANT_TRY(read_attribute(statement, &(*rows)[(*count)++], error));
  }
}

/* ---- as a text ------------------------------------------------------------------------ */

scant_status study_take_text(scant_json_writer *out, char **text, scant_error *error) {
  *text = out->failed ? NULL : scant_copy_text(out->text, out->length);
  scant_json_discard(out);
  return *text ? SCANT_OK : scant_fail_memory(error);
}

void study_put_attribute(scant_json_writer *out, size_t place, const scant_study_attribute *a) {
  scant_json_open(out, NULL, '{');
  scant_json_count(out, "place", place);
  scant_json_text(out, "name", a->name);
  scant_json_text(out, "unit", a->unit);
  scant_json_count(out, "cost", a->cost);
  scant_json_real(out, "low", a->low);
  scant_json_real(out, "high", a->high);
  scant_json_real(out, "usual_low", a->usual_low);
  scant_json_real(out, "usual_high", a->usual_high);
  scant_json_text(out, "group", a->group);
  scant_json_flag(out, "known", a->known);
  scant_json_flag(out, "retired", a->retired);
  scant_json_close(out);
}

static scant_status put_settings(scant_study *s, scant_json_writer *out, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  SCANT_TRY(study_query(s, select_settings, NULL, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) return SCANT_OK;
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    const char *value = (const char *)sqlite3_column_text(statement, 1);
    if (!name || !value) return scant_fail_memory(error);
    scant_json_text(out, name, value);
  }
}

static scant_status put_terms(scant_study *s, scant_json_writer *out, scant_error *error) {
  scant_study_attribute *rows = NULL;
  size_t count = 0;
  scant_json_open(out, NULL, '{');
  scant_json_open(out, "settings", '{');
  scant_status status = put_settings(s, out, error);
  scant_json_close(out);
  if (status == SCANT_OK) status = read_catalogue(s, &rows, &count, error);
  scant_json_open(out, "attributes", '[');
  for (size_t i = 0; status == SCANT_OK && i < count; i++) study_put_attribute(out, i, &rows[i]);
  scant_json_close(out);
  scant_json_close(out);
  for (size_t i = 0; i < count; i++) study_free_attribute(&rows[i]);
  free(rows);
  return status;
}

scant_status study_terms_text(scant_study *study, char **text, scant_error *error) {
  scant_json_writer out = {.lines = 1};
  scant_status status = put_terms(study, &out, error);
  if (status == SCANT_OK) return study_take_text(&out, text, error);
  scant_json_discard(&out);
  return status;
}

scant_status study_get_attribute(const scant_json *json, size_t node, size_t *place, scant_study_attribute *a,
                                 scant_error *error) {
  uint64_t at = 0;
  *a = (scant_study_attribute){0};
  SCANT_TRY(scant_json_get_count(json, node, "place", &at, error));
  *place = (size_t)at;
  SCANT_TRY(scant_json_get_text(json, node, "name", (char **)&a->name, error));
  SCANT_TRY(scant_json_get_text(json, node, "unit", (char **)&a->unit, error));
  SCANT_TRY(scant_json_get_count(json, node, "cost", &a->cost, error));
  SCANT_TRY(scant_json_get_real_or_null(json, node, "low", &a->low, error));
  SCANT_TRY(scant_json_get_real_or_null(json, node, "high", &a->high, error));
  SCANT_TRY(scant_json_get_real_or_null(json, node, "usual_low", &a->usual_low, error));
  SCANT_TRY(scant_json_get_real_or_null(json, node, "usual_high", &a->usual_high, error));
  SCANT_TRY(scant_json_get_text(json, node, "group", (char **)&a->group, error));
  SCANT_TRY(scant_json_get_flag(json, node, "known", &a->known, error));
  return scant_json_get_flag(json, node, "retired", &a->retired, error);
}

static scant_status take_attribute(scant_study *s, const scant_json *json, size_t node, scant_error *error) {
  scant_study_attribute a;
  size_t place = 0;
  scant_status status = study_get_attribute(json, node, &place, &a, error);
  if (status == SCANT_OK) status = study_write_attribute(s, place, &a, error);
  study_free_attribute(&a);
  return status;
}

static scant_status take_setting(scant_study *s, const scant_json *json, size_t node, scant_error *error) {
  const scant_json_node *n = &json->nodes[node];
  char *name = scant_copy_text(json->text + n->key, n->key_length); /* names of settings need no escapes */
  char *value = scant_json_copy(json, node);
  scant_status status = n->type != SCANT_JSON_TEXT ? scant_fail(error, SCANT_DATA, "a setting is no text")
                        : name && value            ? study_write_setting(s, name, value, error)
                                                   : scant_fail_memory(error);
  free(name);
  free(value);
  return status;
}

scant_status study_find_attributes(const scant_json *json, size_t object, size_t *node, scant_error *error) {
  *node = scant_json_member(json, object, "attributes");
  if (*node != SCANT_JSON_NONE && json->nodes[*node].type == SCANT_JSON_ARRAY) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "there are no attributes");
}

static scant_status take_terms(scant_study *s, const scant_json *json, scant_error *error) {
  size_t settings, attributes;
  SCANT_TRY(scant_json_get_object(json, 0, "settings", &settings, error));
  SCANT_TRY(study_find_attributes(json, 0, &attributes, error));
  for (size_t i = settings + 1; i < json->nodes[settings].after; i = json->nodes[i].after)
    SCANT_TRY(take_setting(s, json, i, error));
  for (size_t i = attributes + 1; i < json->nodes[attributes].after; i = json->nodes[i].after)
    SCANT_TRY(take_attribute(s, json, i, error));
  return SCANT_OK;
}

scant_status study_write_terms(scant_study *study, const char *text, scant_error *error) {
  scant_json json;
  SCANT_TRY(scant_json_parse(&json, text, strlen(text), error));
  scant_status status = take_terms(study, &json, error);
  scant_json_free(&json);
  return status;
}

/* ---- in memory ------------------------------------------------------------------------- */

/* Settings of the study's own that study_read_terms leaves out. */
static int is_own(const char *name) {
  static const char *const own[] = {STUDY_PSEUDONYM_KEY, STUDY_FROZEN, STUDY_MOST_OPEN};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    if (!strcmp(own[i], name)) return 1;
  return 0;
}

/* The settings as texts that scant_settings_set reads. */
static scant_status read_settings(scant_study *s, scant_study *fresh, scant_settings *settings, char **algorithm,
                                  char **target, scant_error *error) {
  sqlite3_stmt *statement;
  int row;
  scant_settings_init(settings);
  SCANT_TRY(study_query(s, select_settings, NULL, &statement, error));
  for (;;) {
    SCANT_TRY(study_step(s->db, statement, &row, error));
    if (!row) break;
    const char *name = (const char *)sqlite3_column_text(statement, 0);
    const char *value = (const char *)sqlite3_column_text(statement, 1);
    if (!name || !value) return scant_fail_memory(error);
    if (!strcmp(name, STUDY_MOST_OPEN)) fresh->most_open = strtoull(value, NULL, 10);
    if (is_own(name)) continue;
    if (!strcmp(name, STUDY_MISSING_REASONS)) {
      SCANT_TRY(study_take_reasons(fresh, value, error));
      continue;
    }
    if (!strcmp(name, STUDY_SECOND_ENTRY)) {
      fresh->second_needed = !strcmp(value, "yes");
      continue;
    }
    if (!strcmp(name, STUDY_TARGET_NAME)) {
      SCANT_TRY(study_column_text(statement, 1, target, error));
      continue;
    }
    const scant_option *o = scant_option_find(name);
    if (!o || (o->type == SCANT_OPTION_TEXT && strcmp(name, "algorithm") != 0))
      return scant_fail(error, SCANT_DATA, "this scant does not know the study's setting '%.60s'", name);
    if (o->type == SCANT_OPTION_TEXT) SCANT_TRY(study_column_text(statement, 1, algorithm, error));
    SCANT_TRY(scant_settings_set(settings, name, o->type == SCANT_OPTION_TEXT ? *algorithm : value, error));
  }
  scant_settings_recall_clip(settings);
  return *target ? SCANT_OK : scant_fail(error, SCANT_DATA, "the study has no target");
}

#define SWAP(type, a, b) \
  do {                   \
    type swapped = (a);  \
    (a) = (b);           \
    (b) = swapped;       \
  } while (0)

void study_swap_terms(scant_study *study, scant_study *fresh) {
  SWAP(scant_study_attribute *, study->catalogue, fresh->catalogue);
  SWAP(size_t, study->dimension, fresh->dimension);
  SWAP(uint32_t *, study->sorted, fresh->sorted);
  SWAP(char *, study->target, fresh->target);
  SWAP(scant_prices *, study->prices, fresh->prices);
  SWAP(scant_prices *, study->offered, fresh->offered);
  SWAP(unsigned char *, study->barred, fresh->barred);
  SWAP(uint64_t *, study->since, fresh->since);
  SWAP(uint64_t, study->amended, fresh->amended);
  SWAP(uint64_t, study->most_open, fresh->most_open);
  SWAP(uint32_t *, study->group, fresh->group);
  SWAP(size_t *, study->line_at, fresh->line_at);
  SWAP(size_t *, study->told_at, fresh->told_at);
  SWAP(double *, study->values, fresh->values);
  SWAP(unsigned char *, study->left_out, fresh->left_out);
  SWAP(scant_settings, study->settings, fresh->settings);
  SWAP(char *, study->algorithm, fresh->algorithm);
  SWAP(char *, study->reasons, fresh->reasons);
  SWAP(int, study->second_needed, fresh->second_needed);
  SWAP(int, study->unpriced, fresh->unpriced);
}

/* The last event that amended the terms, 0 if there is none. */
static scant_status last_amended(scant_study *s, uint64_t *sequence, scant_error *error) {
  return study_read_single(s, "SELECT max(sequence) FROM ledger WHERE kind = 'amend'", NULL, sequence, error);
}

/* The attributes of the change that an event made: when each was retired, and since when it can be asked for again. */
static scant_status follow_change(scant_study *s, scant_study *fresh, const char *change, uint64_t sequence,
                                  uint64_t *retired, scant_error *error) {
  scant_json json;
  size_t attributes;
  SCANT_TRY(scant_json_parse(&json, change, strlen(change), error));
  scant_status status = study_find_attributes(&json, 0, &attributes, error);
  size_t end = status == SCANT_OK ? json.nodes[attributes].after : 0;
  for (size_t i = attributes + 1; status == SCANT_OK && i < end; i = json.nodes[i].after) {
    scant_study_attribute a;
    size_t place = 0;
    status = study_get_attribute(&json, i, &place, &a, error);
    if (status == SCANT_OK && place >= fresh->dimension)
      status = scant_fail(error, SCANT_DATA, "event %llu of the ledger is of an attribute that is not in the catalogue",
                          (unsigned long long)sequence);
    if (status == SCANT_OK && a.retired && !retired[place]) retired[place] = sequence;
    if (status == SCANT_OK && !a.retired && retired[place]) {
      uint64_t last = 0;
      status = study_read_single(
          s, "SELECT max(sequence) FROM ledger WHERE kind = 'ask' AND sequence > ?1 AND sequence < ?2",
          (sql_value[]){sql_count(retired[place]), sql_count(sequence)}, &last, error);
      if (last > fresh->since[place]) fresh->since[place] = last;
      retired[place] = 0;
    }
    study_free_attribute(&a);
  }
  scant_json_free(&json);
  return status;
}

static scant_status follow_changes(scant_study *s, scant_study *fresh, uint64_t *retired, scant_error *error) {
  sqlite3_stmt *statement;
  char *change = NULL;
  int row;
  SCANT_TRY(study_query(s, "SELECT sequence, change FROM ledger WHERE kind IN ('create', 'amend') ORDER BY sequence",
                        NULL, &statement, error));
  scant_status status;
  while ((status = study_step(s->db, statement, &row, error)) == SCANT_OK && row) {
    uint64_t sequence = study_column_count(statement, 0);
    status = study_column_text(statement, 1, &change, error);
    if (status == SCANT_OK && change) status = follow_change(s, fresh, change, sequence, retired, error);
    if (status != SCANT_OK) break;
  }
  free(change);
  return status;
}

/* Estimates that need draws are unbiased for all attributes that could be drawn.  A look that was asked for while an
 * attribute could not be is an estimate with its weight at 0, so that weight must be 0 while such looks are learned
 * from: nothing is learned of a retired attribute, and of one that was taken back only from looks that were asked for
 * after the last one without it.  An attribute that is new was in none of the looks before. */
static scant_status read_since(scant_study *s, scant_study *fresh, scant_error *error) {
  SCANT_TRY(last_amended(s, &fresh->amended, error));
  if (!fresh->amended && !fresh->barred) return SCANT_OK;
  uint64_t *retired = scant_array(fresh->dimension, sizeof *retired);
  fresh->since = scant_array(fresh->dimension, sizeof *fresh->since);
  scant_status status = retired && fresh->since ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = follow_changes(s, fresh, retired, error);
  for (size_t i = 0; status == SCANT_OK && i < fresh->dimension; i++)
    if (fresh->catalogue[i].retired) fresh->since[i] = UINT64_MAX;
  free(retired);
  return status;
}

scant_status study_read_terms_into(scant_study *s, scant_study *fresh, scant_error *error) {
  scant_settings settings;
  char *algorithm = NULL, *target = NULL;
  scant_study_attribute *rows = NULL;
  size_t count = 0;
  scant_status status = study_take_reasons(fresh, NULL, error); /* unless the file has others */
  if (status == SCANT_OK) status = read_settings(s, fresh, &settings, &algorithm, &target, error);
  if (status == SCANT_OK) status = read_catalogue(s, &rows, &count, error);
  if (status == SCANT_OK) status = study_take_catalogue(fresh, rows, count, target, error);
  if (status == SCANT_OK) status = study_take_settings(fresh, &settings, error);
  if (status == SCANT_OK) status = read_since(s, fresh, error);
  if (status == SCANT_OK && (!(fresh->values = scant_array(count, sizeof *fresh->values)) ||
                             !(fresh->left_out = scant_array(count, sizeof *fresh->left_out))))
    status = scant_fail_memory(error);
  for (size_t i = 0; i < count; i++) study_free_attribute(&rows[i]);
  free(rows);
  free(algorithm);
  free(target);
  return status;
}

scant_status study_read_terms(scant_study *study, scant_error *error) {
  scant_study *fresh = study_new(&study->settings);
  scant_status status = fresh ? study_read_terms_into(study, fresh, error) : scant_fail_memory(error);
  if (status == SCANT_OK) study_swap_terms(study, fresh);
  study_free(fresh);
  return status == SCANT_USAGE ? SCANT_DATA : status;
}

scant_status study_refresh_terms(scant_study *study, scant_error *error) {
  uint64_t last;
  SCANT_TRY(last_amended(study, &last, error));
  if (last == study->amended) return SCANT_OK;
  study->stale = 1; /* the learner is of the terms before */
  SCANT_TRY(study_read_terms(study, error));
  study->renewals++;
  return SCANT_OK;
}
