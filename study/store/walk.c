/* Reading rows one by one: single numbers, and walks in the order of a key. */
#include "store/walk.h"

#include <inttypes.h>

#include "base/error.h"
#include "ledger/ledger.h"
#include "orders/orders.h"
#include "study.h"
#include "orders/tell.h"

scant_status study_read_single(scant_study *s, sqlite3_stmt *statement, uint64_t *number, scant_error *error) {
  int row;
  SCANT_TRY(study_step(s->db, statement, &row, error));
  *number = row ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
  sqlite3_reset(statement);
  return SCANT_OK;
}

scant_status study_check_key(int64_t next, uint64_t after, const char *many, const char *one, scant_error *error) {
  if (next > 0 && (uint64_t)next > after) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "%s damaged: %s %" PRId64 " comes after %s %" PRIu64, many, one, next, one,
                    after);
}

scant_status study_next_key(scant_study *study, sqlite3_stmt *statement, const char *many, const char *one,
                            uint64_t *key, int *more, scant_error *error) {
  SCANT_TRY(study_step(study->db, statement, more, error));
  if (!*more) return SCANT_OK;
  int64_t next = sqlite3_column_int64(statement, 0);
  SCANT_TRY(study_check_key(next, *key, many, one, error));
  *key = (uint64_t)next;
  return SCANT_OK;
}

/* ---- walks ------------------------------------------------------------------------------ */

scant_status study_walk_learned(scant_study *study, sqlite3_stmt **walk, scant_error *error) {
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_LEARNED_ORDERS, walk, error));
  study_bind_count(*walk, 1, SCANT_ORDER_LEARNED);
  return SCANT_OK;
}

scant_status study_next_learned(scant_study *study, sqlite3_stmt *walk, uint64_t *number, int *more,
                                scant_error *error) {
  SCANT_TRY(study_next_key(study, walk, "the orders are", "order", number, more, error));
  return *more ? study_read_order(study, *number, error) : SCANT_OK;
}

scant_status study_walk_imports(scant_study *study, sqlite3_stmt **walk, scant_error *error) {
  SCANT_TRY(study_prepare(study->db, &study->statements, SQL_IMPORTS, walk, error));
  study_bind_text(*walk, 1, scant_event_kind_name(SCANT_EVENT_IMPORT));
  return SCANT_OK;
}

scant_status study_next_import(scant_study *study, sqlite3_stmt *walk, uint64_t *sequence, int *more,
                               scant_error *error) {
  SCANT_TRY(study_next_key(study, walk, "the ledger is", "event", sequence, more, error));
  if (!*more) return SCANT_OK;
  SCANT_TRY(study_read_event(study, *sequence, error));
  return study_overlay_corrections(study, error);
}
