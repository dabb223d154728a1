/* Answers to requests, kept so that a request that is sent twice is done once.
 *
 * They are no part of the ledger, and nothing follows from them: verifying and replaying leave them alone.  They may
 * hold what somebody told, so they go with an example that is erased, and no frozen copy has any.
 */
#include "study.h"

enum { KEY_MOST = 200, DIGEST_LENGTH = 64 };

static scant_status check_key(const char *by, const char *key, scant_error *error) {
  SCANT_TRY(study_check_name(by, "the name of whose request it is", error));
  size_t length = key ? strlen(key) : 0;
  int plain = length > 0 && length <= KEY_MOST;
  for (size_t i = 0; i < length && plain; i++) plain = key[i] >= 0x20 && key[i] < 0x7f;
  if (plain) return SCANT_OK;
  return scant_fail(error, SCANT_USAGE, "the key of a request is 1 to %d printable characters of ASCII", KEY_MOST);
}

static scant_status check_request(const scant_study_request *r, scant_error *error) {
  SCANT_TRY(check_key(r->by, r->key, error));
  if (!r->digest || strlen(r->digest) != DIGEST_LENGTH || strspn(r->digest, "0123456789abcdefABCDEF") != DIGEST_LENGTH)
    return scant_fail(error, SCANT_USAGE, "the digest of a request is %d hexadecimal digits", DIGEST_LENGTH);
  if (!r->answer || !scant_text_is_utf8(r->answer, strlen(r->answer)))
    return scant_fail(error, SCANT_USAGE, "the answer to a request is a text in UTF-8");
  return SCANT_OK;
}

/* A day, or a moment as the ledger has them: both are compared as texts. */
static int is_time(const char *text) {
  static const char shape[] = "0000-00-00T00:00:00Z";
  size_t length = text ? strlen(text) : 0;
  if (length != 10 && length != sizeof shape - 1) return 0;
  for (size_t i = 0; i < length; i++)
    if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i]) return 0;
  return 1;
}

static scant_status find(scant_study *s, const char *by, const char *key, sqlite3_stmt **found, int *row,
                         scant_error *error) {
  return study_query_row(s, "SELECT by, key, digest, answer, at FROM request WHERE by = ?1 AND key = ?2",
                         (sql_value[]){sql_text(by), sql_text(key)}, found, row, error);
}

static scant_status write_request(scant_study *s, const scant_study_request *r, const char *const *examples,
                                  size_t count, scant_error *error) {
  char at[32];
  const sql_value row[] = {sql_text(r->by), sql_text(r->key), sql_text(r->digest), sql_text(r->answer),
                           sql_text(study_now(at, sizeof at))};
  SCANT_TRY(study_run(s, "INSERT INTO request(by, key, digest, answer, at) VALUES(?1, ?2, ?3, ?4, ?5)", row, error));
  const sql_value number = sql_signed(sqlite3_last_insert_rowid(s->db));
  for (size_t i = 0; i < count; i++)
    SCANT_TRY(study_run(s, "INSERT OR IGNORE INTO request_example(request, example) VALUES(?1, ?2)",
                        (sql_value[]){number, sql_text(examples[i])}, error));
  return SCANT_OK;
}

/* In a turn. */
static scant_status remember(scant_study *s, const scant_study_request *r, const char *const *examples, size_t count,
                             scant_error *error) {
  sqlite3_stmt *found;
  int row;
  SCANT_TRY(find(s, r->by, r->key, &found, &row, error));
  sqlite3_reset(found);
  if (row) return scant_fail(error, SCANT_MISUSE, "the request '%.200s' was answered before", r->key);
  SCANT_TRY(study_begin_step(s, error));
  return study_end(s, write_request(s, r, examples, count, error), 0, error);
}

scant_status scant_study_remember(scant_study *study, const scant_study_request *request, const char *const *examples,
                                  size_t count, scant_error *error) {
  SCANT_TRY(check_request(request, error));
  for (size_t i = 0; i < count; i++) SCANT_TRY(study_check_example(examples[i], error));
  SCANT_TRY(study_begin_turn(study, error));
  return study_end_turn(study, remember(study, request, examples, count, error));
}

static scant_status recall(scant_study *s, const char *by, const char *key, const scant_study_request **request,
                           scant_error *error) {
  sqlite3_stmt *found;
  int row;
  SCANT_TRY(find(s, by, key, &found, &row, error));
  char **texts = s->request_texts;
  for (int i = 0; i < STUDY_REQUEST_TEXTS && row; i++) SCANT_TRY(study_column_text(found, i, &texts[i], error));
  sqlite3_reset(found);
  if (!row) return SCANT_OK;
  s->request = (scant_study_request){texts[0], texts[1], texts[2], texts[3], texts[4]};
  *request = &s->request;
  return SCANT_OK;
}

scant_status scant_study_recall(scant_study *study, const char *by, const char *key,
                                const scant_study_request **request, scant_error *error) {
  int alone;
  *request = NULL;
  SCANT_TRY(check_key(by, key, error));
  SCANT_TRY(study_peek(study, &alone, error));
  return study_end_peek(study, alone, recall(study, by, key, request, error));
}

static scant_status forget(scant_study *s, const char *const steps[2], const char *what, uint64_t *count,
                           scant_error *error) {
  for (int i = 0; i < 2; i++) {
    SCANT_TRY(study_run(s, steps[i], (sql_value[]){sql_text(what)}, error));
    *count = (uint64_t)sqlite3_changes64(s->db);
  }
  return SCANT_OK;
}

/* Those of an example, with its name; then the names of others that were part of the same ones. */
scant_status study_forget_example(scant_study *study, const char *example, scant_error *error) {
  static const char *const steps[] = {
      "DELETE FROM request WHERE number IN (SELECT request FROM request_example WHERE example = ?1)",
      "DELETE FROM request_example WHERE request IN (SELECT request FROM request_example WHERE example = ?1)"};
  uint64_t count;
  return forget(study, steps, example, &count, error);
}

/* In a turn. */
static scant_status forget_before(scant_study *s, const char *before, uint64_t *count, scant_error *error) {
  static const char *const steps[] = {
      "DELETE FROM request_example WHERE request IN (SELECT number FROM request WHERE at < ?1)",
      "DELETE FROM request WHERE at < ?1"};
  SCANT_TRY(study_begin_step(s, error));
  return study_end(s, forget(s, steps, before, count, error), 0, error);
}

scant_status scant_study_forget_requests(scant_study *study, const char *before, uint64_t *count, scant_error *error) {
  uint64_t gone = 0;
  if (!is_time(before))
    return scant_fail(error, SCANT_USAGE,
                      "requests are forgotten from before a day or a moment, such as 2026-11-15 or "
                      "2026-11-15T09:30:00Z");
  SCANT_TRY(study_begin_turn(study, error));
  SCANT_TRY(study_end_turn(study, forget_before(study, before, &gone, error)));
  if (count) *count = gone;
  return SCANT_OK;
}
