/* A study's insides: shared by the files of this folder.
 *
 * What is in the file is written by ledger.c and orders.c alone.  The learner in memory follows from the
 * ledger.  When a call fails between the two, the learner is `stale` and is made anew from the file before it
 * is used again.
 */
#ifndef SCANT_STUDY_STUDY_H
#define SCANT_STUDY_STUDY_H

#include <math.h>
#include <sqlite3.h>

#include "scant_study.h"
#include "study/sql.h"

/* Sums over the ledger. */
typedef struct study_totals {
  uint64_t attributes, reserved, spent;
} study_totals;

/* Where the ledger ends. */
typedef struct study_tip {
  uint64_t sequence, checksum;
  study_totals totals;
  uint64_t open; /* orders that are */
  int new_build; /* another build wrote last: the next event says so */
} study_tip;

enum { STUDY_NAME_MOST = 200, STUDY_REASON_MOST = 1000, STUDY_KEEP_EVERY = 4000 };

/* The database's file as SQLite sees it where it can't have an index of its log in a file: see files.c. */
typedef struct study_files {
  sqlite3_io_methods methods; /* first: what a file points to */
  const sqlite3_io_methods *real;
} study_files;

struct scant_study {
  sqlite3 *db;
  study_files files; /* as long as db is open */
  char *path;        /* NULL: in memory */
  int lock;          /* -1: none */
  long owner;        /* the process that took the lock: a child of it must not let it go */
  scant_study_mode mode;
  study_statements statements;
  /* the catalogue */
  scant_study_attribute *catalogue;
  size_t dimension;
  uint32_t *sorted; /* attributes by name */
  char *target;
  scant_prices *prices; /* NULL: all attributes cost the same */
  int unpriced;         /* nothing costs anything: purchases are counted, not paid */
  uint32_t *group;      /* of each attribute, from 1; 0: alone */
  /* The place of an attribute in a list.  It counts only if the list has the attribute at that place, so
   * nothing is ever cleared. */
  size_t *line_at; /* in lines */
  size_t *told_at; /* of the attribute before it, the target's first: in the list that study_index_told was given */
  /* settings */
  scant_settings settings;
  char *algorithm;
  /* the learner, and up to which event it has learned */
  scant_learner *learner;
  scant_look *drawn;     /* room for a look */
  double *values;        /* room for the values of a look */
  study_tip tip, before; /* before: the transaction at hand */
  uint64_t kept;         /* the event of the last snapshot */
  uint64_t keep_every;   /* events between two snapshots, so that opening after a crash is not slow */
  uint64_t told_before;  /* examples that the learner knew before the one at hand */
  int stale;
  int before_prices; /* from before gaussian followed prices: its looks go on as they began, without */
  /* while a ledger is replayed */
  const char *clock; /* what time it was; NULL: now */
  const char *asked; /* the look that was asked for; NULL: any */
  int same_build;    /* it must be drawn again to the bit */
  /* copies of the arguments of the call at hand: a caller may pass texts that the study handed out, and
   * reading overwrites those */
  char example[STUDY_NAME_MOST + 1];
  char reason[STUDY_REASON_MOST + 1];
  /* what the last call handed out */
  scant_study_order order;
  scant_study_line *lines;
  size_t lines_room;
  scant_study_told *told; /* answers that are being recorded */
  size_t told_room;
  char *order_texts[3];
  scant_study_event event;
  scant_study_told *event_told;
  size_t event_room;
  char *event_texts[5];
  struct scant_kept *purchases; /* what the learner is told is kept here, too; NULL: it is not */
  struct study_curve *curve;    /* what the learner says of itself is noted here, before it is told more; NULL: not */
  double risk, risk_error;      /* of the learner after the event below */
  uint64_t judged_at;           /* plus 1; 0: not known */
  scant_model *gaussian;        /* of the event below; NULL: none yet */
  uint64_t gaussian_at;
};

/* ---- catalogue.c ------------------------------------------------------------ */

/* Takes a copy of a checked catalogue into memory, with prices. */
scant_status study_take_catalogue(scant_study *study, const scant_study_attribute *catalogue, size_t count,
                                  const char *target, scant_error *error);
/* The attribute of this name, -1 for the target, -2 for neither. */
int64_t study_find_name(const scant_study *study, const char *name);
const char *study_name_of(const scant_study *study, int64_t attribute);

/* Makes a list of values ready for study_told_at: the place of an attribute (-1: of the target) in it, or SIZE_MAX. */
void study_index_told(scant_study *study, const scant_study_told *told, size_t count);
static inline size_t study_told_at(const scant_study *study, const scant_study_told *told, size_t count,
                                   int64_t attribute) {
  size_t place = study->told_at[attribute + 1];
  return place < count && told[place].attribute == attribute ? place : SIZE_MAX;
}
/* The place of an attribute in study->lines, or SIZE_MAX. */
static inline size_t study_line_at(const scant_study *study, int64_t attribute) {
  size_t place = attribute < 0 ? SIZE_MAX : study->line_at[attribute];
  return place < study->order.count && study->lines[place].attribute == attribute ? place : SIZE_MAX;
}

/* ---- schema.c --------------------------------------------------------------- */

extern const char study_schema[];
#define STUDY_APPLICATION 0x53434e54 /* "SCNT" */
#define STUDY_VERSION 1

/* ---- handle.c --------------------------------------------------------------- */

/* Nothing is open yet; NULL: out of memory. */
scant_study *study_new(const scant_settings *given);
void study_free(scant_study *study);
/* Opens a database by the name of its file; SQLite's code. */
int study_open_file(sqlite3 **db, const char *name, int flags);
scant_status study_open_database(scant_study *study, const char *name, int flags, scant_error *error);
/* The first number that SQL of the program's gives; -1: none. */
scant_status study_read_number(scant_study *study, const char *sql, int64_t *number, scant_error *error);
/* Makes SQLite log ahead: commits are synced to the log, and reading goes on meanwhile. */
scant_status study_log_ahead(scant_study *study, scant_error *error);
/* Takes the settings into memory, resolved. */
scant_status study_take_settings(scant_study *study, const scant_settings *settings, scant_error *error);

/* ---- files.c ---------------------------------------------------------------- */

/* Lets a database that was just opened for reading do without the index of its log in a file. */
scant_status study_do_without_index(scant_study *study, scant_error *error);

/* ---- place.c ---------------------------------------------------------------- */

/* Can a new study be made here?  Not if there is a file, or a log that SQLite left. */
scant_status study_check_place(const char *path, scant_error *error);
/* Why it can't: what errno says, as a sentence. */
scant_status study_fail_place(const char *path, int code, scant_error *error);

/* ---- create.c --------------------------------------------------------------- */

/* A checksum of the settings and the catalogue as they are in the file; the first event of the ledger holds it. */
scant_status study_digest(scant_study *study, uint64_t *digest, scant_error *error);
#define STUDY_DIGEST "; settings and catalogue "

/* An empty study in an open database. */
scant_status study_make(scant_study *study, const scant_settings *settings, const scant_study_attribute *catalogue,
                        size_t count, const char *target, scant_error *error);
/* A study in memory with the catalogue and settings of another. */
scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error);

/* ---- kinds.c ---------------------------------------------------------------- */

/* The kind of this name, as a file has it; 0 if there is none. */
int study_find_kind(const char *name, scant_event_kind *kind);
/* Is this number of a file a state of an order? */
int study_is_state(int64_t number);
/* May something be told of it, and learned from? */
int study_is_open(scant_order_state state);
/* The kind of the event that ends an order so. */
scant_event_kind study_ending(scant_order_state state);

/* ---- ledger.c --------------------------------------------------------------- */

/* An event of this kind, of which nothing else is said yet. */
static inline scant_study_event study_event(scant_event_kind kind, const char *example, uint64_t order) {
  return (scant_study_event){.kind = kind, .example = example, .order = order, .risk = NAN, .risk_error = NAN};
}

/* Appends event->... to the ledger in the transaction at hand: sequence, time and
 * checksum are filled in.  Totals and checksum of the study go on. */
scant_status study_append(scant_study *study, scant_study_event *event, scant_error *error);
/* The event with this number, into study->event; SCANT_DATA if there is none. */
scant_status study_read_event(scant_study *study, uint64_t sequence, scant_error *error);
uint64_t study_checksum(const scant_study_event *event, uint64_t before);
/* A statement over the events that say which build writes, ready to be run. */
scant_status study_prepare_builds(scant_study *study, study_sql which, sqlite3_stmt **statement, scant_error *error);
/* Reads where the ledger ends. */
scant_status study_read_tip(scant_study *study, study_tip *tip, scant_error *error);

/* ---- orders.c --------------------------------------------------------------- */

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
/* Reads an order into study->order; SCANT_DATA if there is none. */
scant_status study_read_order(scant_study *study, uint64_t number, scant_error *error);
/* The money and the attributes of the lines of study->order that are measured, or of all
 * of them. */
typedef enum { STUDY_MEASURED, STUDY_ALL } study_which;
study_totals study_price(const scant_study *study, study_which which);
/* The last order of an example, 0 if it has none; the event that imported it, likewise. */
scant_status study_find_order(scant_study *study, const char *example, uint64_t *number, scant_error *error);
scant_status study_find_import(scant_study *study, const char *example, uint64_t *sequence, scant_error *error);
/* The last order of an example, into study->order. */
scant_status study_need_order(scant_study *study, const char *example, scant_error *error);

/* ---- tell.c ----------------------------------------------------------------- */

/* Writes `count` answers in study->told to study->order and its lines in the file. */
scant_status study_write_answers(scant_study *study, size_t count, scant_error *error);
/* Writes the state of study->order to the file. */
typedef enum { STUDY_NOT_LEARNED, STUDY_LEARNED_NOW } study_learned;
scant_status study_write_order(scant_study *study, study_learned learned, scant_error *error);
scant_status study_check_example(const char *example, scant_error *error);
/* Checks answers and writes them to study->told, target included. */
scant_status study_check_answers(scant_study *study, const scant_study_answer *answers, size_t count,
                                 scant_error *error);

/* ---- learn.c ---------------------------------------------------------------- */

/* Brings the learner up to the last event: from the last snapshot, or from nothing. */
scant_status study_load_learner(scant_study *study, scant_error *error);
/* The same for a reader beside a writer: the learner goes on from where it is. */
scant_status study_catch_up(scant_study *study, scant_error *error);
/* Is the last snapshot of an event that is there? */
scant_status study_check_end(scant_study *study, scant_error *error);
/* Is the last snapshot one that can be used, or of another build, and of an event that is there? */
scant_status study_check_snapshot(scant_study *study, scant_error *error);
/* From nothing, with the values as they are now. */
scant_status study_relearn(scant_study *study, scant_error *error);
/* Do the learner's looks follow prices? */
int study_is_steered(const scant_study *study);
/* Keeps the learner in the transaction at hand. */
scant_status study_keep_learner(scant_study *study, scant_error *error);
/* Draws a look, or tells the learner of study->order, which is complete. */
scant_status study_learner_tell_order(scant_study *study, scant_error *error);
scant_status study_learner_cancel_order(scant_study *study, scant_error *error);
/* The look of study->order, as it was when it was asked for; the caller frees it. */
scant_status study_load_look(scant_study *study, scant_look **look, scant_error *error);
/* Tells it of an example that holds what study->event.told says. */
scant_status study_learner_import(scant_study *study, const scant_study_told *told, size_t count, scant_error *error);
#define STUDY_LEARNERS ", learners "
const char *study_build(void);
/* Is this the build of an event, which may say more after a ';'? */
int study_is_build(const char *reason);
/* Is it one from before builds named the generation of their learners? */
int study_is_old_build(const char *reason);
/* Examples that it has learned from. */
uint64_t study_learner_told(const scant_study *study);

/* ---- examples.c ---------------------------------------------------------------- */

/* All that was told of examples with a target, by rows; NaN where nothing was told.  The caller frees both
 * arrays, whatever comes of it. */
typedef struct study_table {
  double *x, *y;
  size_t rows, room, y_room;
} study_table;
scant_status study_gather(scant_study *study, study_table *table, scant_error *error);
/* The names of the attributes, for the caller to free (not the texts); NULL: out of memory. */
const char **study_names(const scant_study *study);
/* Gives a source the names of attributes and target. */
scant_status study_describe(const scant_study *study, scant_source *source, scant_error *error);

/* ---- risk.c ------------------------------------------------------------------- */

/* The learner is told everything once more, and this time it is kept in study->purchases, until they are dropped. */
scant_status study_keep_purchases(scant_study *study, scant_error *error);
void study_drop_purchases(scant_study *study);
/* What the learner says of itself before it is told more, into study->curve. */
void study_note_point(scant_study *study);

/* ---- use.c -------------------------------------------------------------------- */

/* Begins a walk over the orders that were learned; then the next of them, into study->order (*number is 0 at the
 * start, *more 0 past the last). */
scant_status study_walk_learned(scant_study *study, sqlite3_stmt **walk, scant_error *error);
scant_status study_next_learned(scant_study *study, sqlite3_stmt *walk, uint64_t *number, int *more,
                                scant_error *error);

/* ---- transaction.c ---------------------------------------------------- */

/* Every function that reads begins and ends with these.  They bring the learner up to date, and a reader
 * beside a writer sees the study of one moment.  study_leave returns `status`. */
scant_status study_enter(scant_study *study, scant_error *error);
scant_status study_leave(scant_study *study, scant_status status);

/* Every function that writes begins with this: it checks that the study is open for writing, and brings the
 * learner up to date.  *example and *reason (NULL: none) become copies. */
scant_status study_take(scant_study *study, const char **example, const char **reason, scant_error *error);
/* Begins to write, with a learner that is up to date. */
scant_status study_begin(scant_study *study, scant_error *error);
/* Takes back what was not committed, if there is any. */
scant_status study_take_back(scant_study *study, scant_error *error);
/* Ends it: commits if `status` is SCANT_OK, else takes all back.  `touched`: the learner has changed, and is
 * stale if all is taken back. */
scant_status study_end(scant_study *study, scant_status status, int touched, scant_error *error);
/* The same after the learner was touched. */
static inline scant_status study_settle(scant_study *study, scant_status status, scant_error *error) {
  return study_end(study, status, 1, error);
}

#endif
