/* Reading rows one by one: single numbers, and walks in the order of a key. */
#ifndef SCANT_STUDY_WALK_H
#define SCANT_STUDY_WALK_H

#include "study.h"

/* A single number that a statement gives, 0 if there is none. */
scant_status study_read_single(scant_study *study, sqlite3_stmt *statement, uint64_t *number, scant_error *error);
/* Walks by key: reads the next row of the statement, whose first column is the key, into *key, which is 0 at
 * the start; *more is 0 past the last.  In a damaged file keys may go back: then SCANT_DATA, with a sentence
 * about `many` things, each called `one`.
 */
scant_status study_next_key(scant_study *study, sqlite3_stmt *statement, const char *many, const char *one,
                            uint64_t *key, int *more, scant_error *error);
/* Is `next` a key that can come after `after`?  SCANT_DATA likewise. */
scant_status study_check_key(int64_t next, uint64_t after, const char *many, const char *one, scant_error *error);

/* Begins a walk over the orders that were learned; then the next of them, into study->order (*number is 0 at the
 * start, *more 0 past the last). */
scant_status study_walk_learned(scant_study *study, sqlite3_stmt **walk, scant_error *error);
scant_status study_next_learned(scant_study *study, sqlite3_stmt *walk, uint64_t *number, int *more,
                                scant_error *error);

/* Begins a walk over the examples that were imported; then the next of them, into study->event, as for
 * study_walk_learned. */
scant_status study_walk_imports(scant_study *study, sqlite3_stmt **walk, scant_error *error);
scant_status study_next_import(scant_study *study, sqlite3_stmt *walk, uint64_t *sequence, int *more,
                               scant_error *error);

#endif
