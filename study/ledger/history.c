/* What happened last to an example, and by whom. */
#include <stdlib.h>

#include "base/error.h"
#include "terms/catalogue.h"
#include "orders/orders.h"
#include "study.h"
#include "store/transaction.h"
#include "store/walk.h"

static scant_status last_event(scant_study *s, const char *example, uint64_t *sequence, scant_error *error) {
  sqlite3_stmt *statement;
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_LAST_EVENT_OF, &statement, error));
  study_bind_text(statement, 1, example);
  return study_read_single(s, statement, sequence, error);
}

scant_status scant_study_last_event(scant_study *study, const char *example, uint64_t *sequence, scant_error *error) {
  int alone;
  *sequence = 0;
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(study_peek(study, &alone, error));
  return study_end_peek(study, alone, last_event(study, example, sequence, error));
}

/* Events of an import have no order, and those of an order have its number. */
static scant_status find_teller(scant_study *s, const char *example, int64_t attribute, scant_error *error) {
  static const scant_event_kind kinds[] = {SCANT_EVENT_TELL, SCANT_EVENT_CORRECT, SCANT_EVENT_EXTRA,
                                           SCANT_EVENT_IMPORT};
  sqlite3_stmt *statement;
  uint64_t number;
  int row;
  SCANT_TRY(study_find_order(s, example, &number, error));
  SCANT_TRY(study_prepare(s->db, &s->statements, SQL_TELLER, &statement, error));
  study_bind_text(statement, 1, example);
  study_bind_count(statement, 2, number);
  study_bind_count(statement, 3, (uint64_t)attribute);
  for (int i = 0; i < 4; i++) study_bind_text(statement, 4 + i, scant_event_kind_name(kinds[i]));
  SCANT_TRY(study_step(s->db, statement, &row, error));
  scant_status status = row ? study_column_text(statement, 0, &s->teller, error) : SCANT_OK;
  sqlite3_reset(statement);
  return status;
}

static scant_status teller(scant_study *s, const char *example, const char *name, const char **by, scant_error *error) {
  int64_t attribute = study_find_name(s, name);
  if (attribute < -1) return scant_fail(error, SCANT_DATA, "there is no attribute '%.200s'", name);
  free(s->teller);
  s->teller = NULL;
  SCANT_TRY(find_teller(s, example, attribute, error));
  *by = s->teller;
  return SCANT_OK;
}

scant_status scant_study_teller(scant_study *study, const char *example, const char *name, const char **by,
                                scant_error *error) {
  *by = NULL;
  SCANT_TRY(study_check_example(example, error));
  SCANT_TRY(study_enter(study, error)); /* the catalogue is the present one */
  return study_leave(study, teller(study, example, name, by, error));
}
