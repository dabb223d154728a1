/* The files of a study: where they are made, copied and removed. */
#ifndef SCANT_STUDY_NEW_FILE_H
#define SCANT_STUDY_NEW_FILE_H

#include "scant_study.h"

/* What the files beside a study end with: those of SQLite, then those of the lock. */
typedef enum { STUDY_WAL, STUDY_JOURNAL, STUDY_SHM, STUDY_LOCK, STUDY_QUEUE, STUDY_SIDES } study_side;
enum { STUDY_OF_SQLITE = STUDY_LOCK, STUDY_SIDE_LONGEST = 16 /* with the 0 at the end */ };
extern const char *const study_side_ends[STUDY_SIDES];

/* Can a new study be made here?  Not if there is a file, or a log that SQLite left. */
scant_status study_check_new_path(const char *path, scant_error *error);
/* Why it can't: what errno says, as a sentence. */
scant_status study_refuse_new_path(const char *path, int code, scant_error *error);
/* Makes an empty file with a new name beside this one, for a study that is not whole yet; the caller frees the name. */
scant_status study_make_temporary(const char *path, char **name, scant_error *error);
/* Gives a file its name unless that is taken. */
scant_status study_name_new_file(const char *from, const char *path, scant_error *error);
/* Removes a file and what SQLite may have left beside it. */
void study_remove_files(char *name);

/* ---- backup.c ------------------------------------------------------------ */

/* Copies the whole study into a file that is there. */
scant_status study_copy(scant_study *study, const char *path, scant_error *error);

/* ---- read_only.c ------------------------------------------------------------- */

/* Lets a database that was just opened for reading do without the index of its log in a file. */
scant_status study_do_without_index(scant_study *study, scant_error *error);

#endif
