/* The file of a study: handles, the files beside it, transactions, and groups of calls. */
#ifndef SCANT_STUDY_STORE_H
#define SCANT_STUDY_STORE_H

#include "scant_study.h"
#include "store/sql.h"

/* ---- schema.c ------------------------------------------------------------ */

extern const char study_schema[];

/* A name without what people mistype: blanks (also those that do not break) and the kinds of dashes that word
 * processors put in place of '-'; case does not count.  Indices have this expression, so it stays as it is.  It uses
 * nothing that an extension of SQLite changes, as some change lower(). */
#define STUDY_FOLD(name)                                                                                       \
  "replace(replace(replace(replace(replace(replace(" name                                                      \
  ", ' ', ''), char(160), ''), char(8239), ''), char(8208), '-'), char(8211), '-'), char(8722), '-') COLLATE " \
  "NOCASE"
#define STUDY_APPLICATION 0x53434e54 /* "SCNT" */
#define STUDY_VERSION 2

/* Which build this is.  The ledger says which one writes, since the last bits of a learner may depend on it. */
const char *study_build(void);

/* ---- handle.c ------------------------------------------------------------ */

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

/* Lets a database that was just opened for reading do without the index of its log in a file. */
scant_status study_do_without_index(scant_study *study, scant_error *error);
/* Faults that SQLite would report without the name of the file. */
scant_status study_check_path(const char *path, scant_study_mode mode, scant_error *error);
/* Reads settings and catalogue, which another handle has changed, again, and makes the learner anew. */
scant_status study_reread(scant_study *study, scant_error *error);

/* ---- create.c ------------------------------------------------------------ */

/* An empty study in memory, made as the first event of another one says, which is study->event of that one. */
scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error);

/* ---- files.c ------------------------------------------------------------- */

/* What the files beside a study end with: those of SQLite, then those of the lock. */
typedef enum { STUDY_WAL, STUDY_JOURNAL, STUDY_SHM, STUDY_LOCK, STUDY_QUEUE, STUDY_SIDES } study_side;
enum { STUDY_OF_SQLITE = STUDY_LOCK };
extern const char *const study_side_ends[STUDY_SIDES];

/* Two texts as one, for the caller to free; NULL: out of memory. */
char *study_join(const char *start, const char *end);
/* The name of a file without links that lead to it, for the caller to free: the files of SQLite are beside that one. */
scant_status study_find_real(const char *path, char **real, scant_error *error);
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
/* Copies the whole study into a file that is there. */
scant_status study_copy(scant_study *study, const char *path, scant_error *error);

/* ---- transaction.c ------------------------------------------------------- */

/* Every function that reads begins and ends with these.  They bring the learner up to date, and a reader beside a
 * writer sees the study of one moment.  study_leave returns `status`. */
scant_status study_enter(scant_study *study, scant_error *error);
scant_status study_leave(scant_study *study, scant_status status);

/* Begins to read of one moment and leaves the learner as it is.  *alone: this call has begun to read, and no other one
 * around it.  study_end_peek returns `status`. */
scant_status study_peek(scant_study *study, int *alone, scant_error *error);
scant_status study_end_peek(scant_study *study, int alone, scant_status status);
/* Is nobody kept from writing meanwhile?  Then a call reads within a transaction. */
int study_is_shared_now(const scant_study *study);
/* SCANT_MISUSE in a child of the process that opened the study. */
scant_status study_check_process(const scant_study *study, scant_error *error);
/* The same, and SCANT_IO if the open group is lost. */
scant_status study_check_usable(const scant_study *study, scant_error *error);
/* Begins to read of one moment though the learner may be stale; study_leave ends it. */
scant_status study_enter_file(scant_study *study, scant_error *error);

/* Every function that writes begins with study_begin_turn, or with study_take, and ends with study_end_turn, which
 * returns `status`.  They check that the study is open for writing, by this process.  A handle that shares the study
 * takes the lock and catches up with what others wrote meanwhile, and lets the lock go at the end; turns may stand
 * inside turns.  study_take also checks texts and copies *example and *reason (NULL, or the text is: none). */
scant_status study_begin_turn(scant_study *study, scant_error *error);
/* The same without catching up, for a study whose orders may be damaged. */
scant_status study_seize(scant_study *study, scant_error *error);
scant_status study_end_turn(scant_study *study, scant_status status);
scant_status study_take(scant_study *study, const char **example, const char **reason, scant_error *error);
/* Begins to write, within a turn: a transaction, or a step of the open group. */
scant_status study_begin(scant_study *study, scant_error *error);
/* The same for what is no event: the ledger does not get that of a new build before it. */
scant_status study_begin_step(scant_study *study, scant_error *error);
/* Rolls the open transaction back, if there is one, with all of its steps. */
scant_status study_roll_back(scant_study *study, scant_error *error);
/* Takes back what was begun last, and not what stands before it in a group.  `touched` as below. */
scant_status study_take_step_back(scant_study *study, int touched, scant_error *error);
/* Ends it: commits if `status` is SCANT_OK, else takes all back.  `touched`: then the changed learner is stale. */
scant_status study_end(scant_study *study, scant_status status, int touched, scant_error *error);
/* SCANT_MISUSE if there is a group: `what` can't be a part of one. */
scant_status study_refuse_in_group(const scant_study *study, const char *what, scant_error *error);
/* ---- requests.c ---------------------------------------------------------- */

/* Removes the answers to requests that were about an example, in the open transaction. */
scant_status study_forget_example(scant_study *study, const char *example, scant_error *error);

#endif
