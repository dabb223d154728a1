/* Corrections and imports, and what is erased. */
#ifndef SCANT_STUDY_CHANGES_H
#define SCANT_STUDY_CHANGES_H

#include "study.h"

/* ---- import.c ------------------------------------------------------------ */

/* study->event is that of an import: puts the values as they were corrected so far in place of those that it told. */
scant_status study_overlay_corrections(scant_study *study, scant_error *error);
/* A statement over those corrections; NULL: there are none. */
scant_status study_query_corrections(scant_study *study, const char *sql, sqlite3_stmt **statement, scant_error *error);
/* The import of this event with its values as they stand, into study->event. */
scant_status study_read_import(scant_study *study, uint64_t sequence, scant_error *error);
/* A walk over the examples that were imported, into study->event, as study_walk_learned. */
scant_status study_walk_imports(scant_study *study, sqlite3_stmt **walk, scant_error *error);
scant_status study_next_import(scant_study *study, sqlite3_stmt *walk, uint64_t *sequence, int *more,
                               scant_error *error);

/* ---- erase.c ------------------------------------------------------------- */

/* Does an event again of which only a mark is left, or one that erased others. */
scant_status study_redo_erased(scant_study *twin, const scant_study_event *e, scant_error *error);
scant_status study_redo_erase(scant_study *twin, const scant_study_event *e, scant_error *error);
/* Is every event that is erased in the list of an erasure, and the other way round? */
scant_status study_check_erased(scant_study *study, scant_error *error);
/* May bytes of what was erased still be in the file? */
scant_status study_is_unswept(scant_study *study, int *unswept, scant_error *error);
/* Writes the file anew without them, if so.  Waits so long for those who read. */
scant_status study_sweep_if_due(scant_study *study, double seconds, scant_error *error);

#endif
