/* SQLite behind the library's conventions: statements by name, prepared once;
 * failures as sentences. */
#ifndef SCANT_STUDY_SQL_H
#define SCANT_STUDY_SQL_H

#include <sqlite3.h>

#include "scant.h"

typedef enum study_sql {
  SQL_BEGIN,
  SQL_BEGIN_READING,
  SQL_COMMIT,
  SQL_ROLLBACK,
  SQL_SAVEPOINT,
  SQL_RELEASE,
  SQL_ROLLBACK_TO,
  SQL_ADD_SETTING,
  SQL_SETTINGS,
  SQL_SETTING,
  SQL_FROZEN,
  SQL_ADD_ATTRIBUTE,
  SQL_ATTRIBUTES,
  SQL_ADD_EVENT,
  SQL_ADD_TOLD,
  SQL_EVENT,
  SQL_TOLD,
  SQL_GIVEN,
  SQL_TOTALS,
  SQL_LAST_EVENT,
  SQL_KINDS_SINCE,
  SQL_LAST_BUILD,
  SQL_BUILDS,
  SQL_ADD_ORDER,
  SQL_ADD_LINE,
  SQL_ORDER,
  SQL_LINES,
  SQL_LAST_ORDER_OF,
  SQL_LAST_ORDER,
  SQL_SET_ORDER,
  SQL_SET_LINE,
  SQL_HANDS,
  SQL_ADD_IMPORT,
  SQL_IMPORTED,
  SQL_ADD_SNAPSHOT,
  SQL_DROP_SNAPSHOTS,
  SQL_SNAPSHOT,
  SQL_COUNTS,
  SQL_AGES,
  SQL_PURCHASES,
  SQL_BOUGHT,
  SQL_LEARNED_ORDERS,
  SQL_LAST_ORDERS,
  SQL_ORDER_EVENTS,
  SQL_IMPORTS,
  SQL_IMPORTED_COUNT,
  SQL_DIFFER,
  SQL_EXTRAS,
  SQL_ADD_EXTRA,
  SQL_SET_EXTRA,
  SQL_CORRECT_IMPORT,
  SQL_IS_CORRECTED,
  SQL_CORRECTIONS,
  SQL_CORRECTORS,
  SQL_LAST_AMENDED,
  SQL_CHANGES,
  SQL_LAST_ASKED,
  SQL_NEAR_ORDER,
  SQL_NEAR_IMPORT,
  SQL_OPEN_AFTER,
  SQL_EVENT_OF,
  SQL_EVENTS_OF,
  SQL_ORDERS_OF,
  SQL_LOOKS_SINCE,
  SQL_MENTIONS,
  SQL_ERASE_EVENT,
  SQL_ERASE_TOLD,
  SQL_ADD_ERASED,
  SQL_PAY_ERASED,
  SQL_ERASED_EVENTS,
  SQL_ERASED_RESERVED,
  SQL_NEXT_OF_KIND,
  SQL_ADD_SWEEP,
  SQL_SWEEP,
  SQL_SWEPT,
  SQL_ADD_REQUEST,
  SQL_ADD_REQUEST_EXAMPLE,
  SQL_REQUEST,
  SQL_FORGET_OF,
  SQL_FORGET_LEFT,
  SQL_FORGET_NAMES,
  SQL_FORGET_BEFORE,
  SQL_LAST_EVENT_OF,
  SQL_TELLER,
  SQL_COUNT /* how many there are */
} study_sql;

typedef struct study_statements {
  sqlite3_stmt *made[SQL_COUNT];
} study_statements;

/* A statement ready to be bound and run; NULL with a sentence. */
scant_status study_prepare(sqlite3 *db, study_statements *statements, study_sql which, sqlite3_stmt **statement,
                           scant_error *error);
void study_finalize(study_statements *statements);
/* Ends a statement whose rows were not read to the end, and so releases its lock on the file. */
void study_reset(study_statements *statements);

/* Runs a statement that gives no row. */
scant_status study_run(sqlite3 *db, sqlite3_stmt *statement, scant_error *error);
/* Goes to the next row: *row is 0 past the last. */
scant_status study_step(sqlite3 *db, sqlite3_stmt *statement, int *row, scant_error *error);
/* Runs SQL that is in the program. */
scant_status study_execute(sqlite3 *db, const char *sql, scant_error *error);

/* What SQLite says, as a status and a sentence. */
scant_status study_refuse(sqlite3 *db, int code, const char *doing, scant_error *error);

/* NULL: null.  It is not copied, so that it can't fail: it is there until the statement was run. */
void study_bind_text(sqlite3_stmt *statement, int place, const char *text);
void study_bind_count(sqlite3_stmt *statement, int place, uint64_t n);
void study_bind_real(sqlite3_stmt *statement, int place, double x); /* NaN: null */
double study_column_real(sqlite3_stmt *statement, int place);       /* null: NaN */
/* A copy for the caller, in place of the one before.  null gives NULL. */
scant_status study_column_text(sqlite3_stmt *statement, int place, char **text, scant_error *error);

#endif
