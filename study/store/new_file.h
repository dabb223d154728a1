/* The files of a study: where they are made, copied and removed. */
#ifndef SCANT_STUDY_PLACE_H
#define SCANT_STUDY_PLACE_H

#include "scant_study.h"

/* Can a new study be made here?  Not if there is a file, or a log that SQLite left. */
scant_status study_check_place(const char *path, scant_error *error);
/* Why it can't: what errno says, as a sentence. */
scant_status study_fail_place(const char *path, int code, scant_error *error);
/* Makes an empty file with a new name beside this one, for a study that is not whole yet; the caller frees the name. */
scant_status study_make_beside(const char *path, char **name, scant_error *error);
/* Gives a file its name unless that is taken. */
scant_status study_put_in_place(const char *from, const char *path, scant_error *error);
/* Removes a file and what SQLite may have left beside it. */
void study_remove_all(char *name);

/* ---- backup.c ------------------------------------------------------------ */

/* Copies the whole study into a file that is there. */
scant_status study_copy(scant_study *study, const char *path, scant_error *error);

/* ---- files.c ------------------------------------------------------------- */

/* Lets a database that was just opened for reading do without the index of its log in a file. */
scant_status study_do_without_index(scant_study *study, scant_error *error);

#endif
