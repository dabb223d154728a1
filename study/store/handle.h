/* Handles: how they are made, opened and freed. */
#ifndef SCANT_STUDY_HANDLE_H
#define SCANT_STUDY_HANDLE_H

#include <sqlite3.h>

#include "scant_study.h"

/* Nothing is open yet; NULL: out of memory. */
scant_study *study_new(const scant_settings *given);
void study_free(scant_study *study);
scant_status study_random(void *bytes, size_t count, scant_error *error);
/* Opens a database by the name of its file; SQLite's code. */
int study_open_file(sqlite3 **db, const char *name, int flags);
scant_status study_open_database(scant_study *study, const char *name, int flags, scant_error *error);
/* The first number that SQL of the program's gives; -1: none. */
scant_status study_read_number(scant_study *study, const char *sql, int64_t *number, scant_error *error);
/* A setting as the file has it, in place of *value; that stays if there is no such setting. */
scant_status study_read_setting(scant_study *study, const char *name, char **value, scant_error *error);
/* Makes SQLite log ahead: commits are synced to the log, and reading goes on meanwhile. */
scant_status study_log_ahead(scant_study *study, scant_error *error);
/* Takes the settings into memory, resolved. */
scant_status study_take_settings(scant_study *study, const scant_settings *settings, scant_error *error);

/* ---- opening.c ----------------------------------------------------------- */

/* Faults that SQLite would report without the name of the file. */
scant_status study_check_path(const char *path, scant_study_mode mode, scant_error *error);
/* Reads settings and catalogue, as another handle has changed them, in place of those at hand, and the learner. */
scant_status study_reread(scant_study *study, scant_error *error);

/* ---- create.c ------------------------------------------------------------ */

/* An empty study in memory, made as the first event of another one says, which is study->event of that one. */
scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error);

#endif
