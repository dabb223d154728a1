/* SQLite behind the library's conventions: statements prepared once; failures as sentences. */
#ifndef SCANT_STUDY_SQL_H
#define SCANT_STUDY_SQL_H

#include <sqlite3.h>

#include "scant_study.h"

/* A statement that was prepared, found by the address of its text, a literal.  There are far more places. */
enum { STUDY_STATEMENTS = 256 };
typedef struct study_statement {
  const char *sql; /* NULL: a free place */
  sqlite3_stmt *made;
} study_statement;

/* A value to bind.  Texts are not copied: they stay until the statement was run. */
typedef struct sql_value {
  enum { STUDY_TEXT, STUDY_COUNT, STUDY_REAL } type;
  union {
    const char *text;
    uint64_t count;
    double real;
  } is;
} sql_value;

/* NULL: null. */
static inline sql_value sql_text(const char *text) {
  return (sql_value){STUDY_TEXT, {.text = text}};
}

static inline sql_value sql_count(uint64_t n) {
  return (sql_value){STUDY_COUNT, {.count = n}};
}

static inline sql_value sql_signed(int64_t n) {
  return sql_count((uint64_t)n);
}

/* NaN: null. */
static inline sql_value sql_real(double x) {
  return (sql_value){STUDY_REAL, {.real = x}};
}

/* A statement ready to be stepped through: `values` are as many as it has parameters; NULL: these are null. */
scant_status study_query(scant_study *study, const char *sql, const sql_value *values, sqlite3_stmt **statement,
                         scant_error *error);
/* Goes to the next row: *row is 0 past the last. */
scant_status study_step(sqlite3 *db, sqlite3_stmt *statement, int *row, scant_error *error);
/* The first row, for sqlite3_reset. */
scant_status study_query_row(scant_study *study, const char *sql, const sql_value *values, sqlite3_stmt **statement,
                             int *row, scant_error *error);
/* The number that a statement gives, 0 if there is none. */
scant_status study_read_single(scant_study *study, const char *sql, const sql_value *values, uint64_t *number,
                               scant_error *error);
/* Runs a statement that gives no row. */
scant_status study_run(scant_study *study, const char *sql, const sql_value *values, scant_error *error);
/* Runs SQL that is in the program. */
scant_status study_execute(sqlite3 *db, const char *sql, scant_error *error);
/* Ends statements whose rows were not read to the end, and so releases their locks on the file. */
void study_reset(scant_study *study);

/* Walks by key: reads the next row of the statement, whose first column is the key, into *key, which is 0 at the start;
 * *more is 0 past the last.  In a damaged file keys may go back: then SCANT_DATA, with a sentence about `many` things,
 * each called `one`. */
scant_status study_next_key(scant_study *study, sqlite3_stmt *statement, const char *many, const char *one,
                            uint64_t *key, int *more, scant_error *error);
/* Is `next` a key that can come after `after`?  SCANT_DATA as above. */
scant_status study_check_key(int64_t next, uint64_t after, const char *many, const char *one, scant_error *error);

/* What SQLite says, as a status and a sentence. */
scant_status study_refuse(sqlite3 *db, int code, const char *doing, scant_error *error);

static inline uint64_t study_column_count(sqlite3_stmt *statement, int place) {
  return (uint64_t)sqlite3_column_int64(statement, place);
}
double study_column_real(sqlite3_stmt *statement, int place); /* null: NaN */
/* A text that is valid until the next step; NULL for null.  SCANT_MEMORY. */
scant_status study_column_peek(sqlite3_stmt *statement, int place, const char **text, scant_error *error);
/* A copy for the caller, in place of the one before.  null gives NULL. */
scant_status study_column_text(sqlite3_stmt *statement, int place, char **text, scant_error *error);

#endif
