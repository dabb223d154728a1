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
#include "study/lock_files.h"
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

enum {
  STUDY_NAME_MOST = 200,
  STUDY_REASON_MOST = 1000,
  STUDY_KEEP_EVERY = 4000,
  STUDY_EVENT_TEXTS = 8,
  STUDY_REQUEST_TEXTS = 5
};
enum { STUDY_BUSY = 2000 }; /* milliseconds that SQLite waits for other handles */

/* The database's file as SQLite sees it where it can't have an index of its log in a file: see files.c. */
typedef struct study_files {
  sqlite3_io_methods methods; /* first: what a file points to */
  const sqlite3_io_methods *real;
} study_files;

struct scant_study {
  sqlite3 *db;
  study_files files; /* as long as db is open */
  char *path;        /* NULL: in memory */
  study_held lock;
  long owner; /* the process that opened it: a child of it must not use it */
  scant_study_mode mode;
  scant_study_wait wait; /* for the lock */
  uint64_t renewals;     /* how often settings and catalogue were read again */
  unsigned turns;        /* calls, one inside the other, that hold the lock; of a handle that shares the study */
  study_statements statements;
  /* the catalogue */
  scant_study_attribute *catalogue;
  size_t dimension;
  uint32_t *sorted; /* attributes by name */
  char *target;
  char *frozen;          /* the name of a frozen copy; NULL: it is none */
  scant_prices *prices;  /* NULL: all attributes cost the same */
  int unpriced;          /* nothing costs anything: purchases are counted, not paid */
  uint32_t *group;       /* of each attribute, from 1; 0: alone */
  scant_prices *offered; /* what looks follow where an attribute is retired, which then costs nothing; NULL: `prices` */
  unsigned char *barred; /* marks of the retired attributes; NULL: none is */
  uint64_t *since;    /* of each attribute: what was asked for up to this event teaches nothing of it (terms.c); NULL:
                         all teaches */
  uint64_t amended;   /* the last event that amended the terms as they are in memory; 0: none */
  uint64_t most_open; /* the largest max-open there ever was, if that is not the present one */
  /* The place of an attribute in a list.  It counts only if the list has the attribute at that place, so
   * nothing is ever cleared. */
  size_t *line_at; /* in lines */
  size_t *told_at; /* of the attribute before it, the target's first: in the list that study_index_told was given */
  /* settings */
  scant_settings settings;
  char *algorithm;
  char *reasons;     /* for missing values, separated by ", " */
  int second_needed; /* orders are learned only when second entries agree */
  /* the learner, and up to which event it has learned */
  scant_learner *learner;
  scant_look *drawn;     /* room for a look */
  double *values;        /* room for the values of a look */
  study_tip tip, before; /* before: the transaction at hand */
  study_tip *group_list; /* of groups of calls, one inside the other: where the ledger ended when each began */
  size_t groups, groups_room;
  int lost;                /* all of them were taken back, since a part could not be */
  uint64_t asked;          /* the event that asked for `order` */
  unsigned char *left_out; /* room for marks of places; see study_learner_tell_order */
  uint64_t kept;           /* the event of the last snapshot */
  uint64_t keep_every;     /* events between two snapshots, so that opening after a crash is not slow */
  uint64_t told_before;    /* examples that the learner knew before the one at hand */
  int stale;
  int before_prices; /* from before gaussian followed prices: its looks go on as they began, without */
  char *by, *via;    /* who acts with this handle, and through what */
  /* while a ledger is replayed */
  const scant_study_event *again; /* what is done again; NULL: something new */
  int exact;                      /* its look must be drawn again to the bit */
  int any_name;                   /* names that are nearly those of others are new ones */
  /* copies of the arguments of the call at hand: a caller may pass texts that the study handed out, and
   * reading overwrites those */
  char example[STUDY_NAME_MOST + 1];
  char reason[STUDY_REASON_MOST + 1];
  /* what the last call handed out */
  scant_study_order order;
  scant_study_line *lines;
  size_t lines_room;
  scant_study_told *extras; /* of the order */
  size_t extras_room;
  uint64_t learned_by;    /* the event by which the order was learned; 0: none */
  scant_study_told *told; /* answers that are being recorded */
  size_t told_room;
  char *order_texts[4];
  scant_study_event event;
  scant_study_told *event_told;
  size_t event_room;
  char *event_texts[STUDY_EVENT_TEXTS];
  scant_study_request request;
  char *request_texts[STUDY_REQUEST_TEXTS];
  char *teller; /* see scant_study_teller */
  char **notes; /* every note that was ever read, once: they are few */
  size_t note_count, notes_room;
  struct scant_kept *purchases; /* what the learner is told is kept here, too; NULL: it is not */
  struct study_curve *curve;    /* what the learner says of itself is noted here, before it is told more; NULL: not */
  double risk, risk_error;      /* of the learner after the event below */
  uint64_t judged_at;           /* plus 1; 0: not known */
  scant_model *gaussian;        /* of the event below; NULL: none yet */
  uint64_t gaussian_at;
  uint64_t unknown_looks, unknown_given; /* see scant_study_unknown_looks */
};

/* ---- catalogue.c ------------------------------------------------------------ */

/* Takes a copy of a checked catalogue into memory, with prices. */
scant_status study_take_catalogue(scant_study *study, const scant_study_attribute *catalogue, size_t count,
                                  const char *target, scant_error *error);
/* Could a catalogue hold this attribute at this place? */
scant_status study_check_attribute(const scant_study_attribute *attribute, size_t place, const char *target,
                                   scant_error *error);
/* Is this a name for `whose`? */
scant_status study_check_name(const char *name, const char *whose, scant_error *error);
scant_status study_check_example(const char *example, scant_error *error);
/* Two names that differ only in case are mistaken for each other: new studies have none, and no such name is added. */
scant_status study_check_cases(const scant_study_attribute *catalogue, size_t count, const char *target,
                               scant_error *error);
scant_status study_check_new_attribute(const scant_study *study, const char *name, scant_error *error);
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

/* ---- asking.c --------------------------------------------------------------- */

/* What the budgets leave: money as `spent`. */
study_totals study_left(const scant_study *study);
/* Writes the lines of a look to study->order.  The price of a group is at its first member. */
scant_status study_make_lines(scant_study *study, const scant_look *look, scant_error *error);
/* Looks that are no single draws have no probability of one: of their lines only what is free is certain. */
void study_forget_probabilities(scant_study *study);
/* An example whose name differs from this one only in what STUDY_FOLD leaves out; "": there is none. */
scant_status study_find_near(scant_study *study, const char *example, char near[STUDY_NAME_MOST + 1],
                             scant_error *error);
/* SCANT_DATA, by a sentence of `what`, the example that is not there and `more`; it names an example that may be meant.
 */
scant_status study_refuse_unknown(scant_study *study, const char *example, const char *what, const char *more,
                                  scant_error *error);
/* SCANT_MISUSE if a name that no example has is nearly that of another. */
scant_status study_check_new_name(scant_study *study, const char *example, scant_error *error);

/* ---- schema.c --------------------------------------------------------------- */

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

/* ---- handle.c --------------------------------------------------------------- */

/* Nothing is open yet; NULL: out of memory. */
scant_study *study_new(const scant_settings *given);
void study_free(scant_study *study);
scant_status study_random(void *bytes, size_t count, scant_error *error);
/* The name of the user whom the process belongs to, for the caller to free; NULL: out of memory. */
char *study_login_name(void);
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

/* ---- opening.c ---------------------------------------------------------------- */

/* Reads settings and catalogue, as another handle has changed them, in place of those at hand, and the learner. */
scant_status study_reread(scant_study *study, scant_error *error);

/* ---- files.c ---------------------------------------------------------------- */

/* Lets a database that was just opened for reading do without the index of its log in a file. */
scant_status study_do_without_index(scant_study *study, scant_error *error);

/* ---- place.c ---------------------------------------------------------------- */

/* Can a new study be made here?  Not if there is a file, or a log that SQLite left. */
scant_status study_check_place(const char *path, scant_error *error);
/* Why it can't: what errno says, as a sentence. */
scant_status study_fail_place(const char *path, int code, scant_error *error);

/* Gives a file its name unless that is taken. */
scant_status study_put_in_place(const char *from, const char *path, scant_error *error);
/* Removes a file and what SQLite may have left beside it. */
void study_remove_all(char *name);

/* ---- backup.c --------------------------------------------------------------- */

/* Copies the whole study into a file that is there. */
scant_status study_copy(scant_study *study, const char *path, scant_error *error);
/* ---- opening.c -------------------------------------------------------------- */

/* Faults that SQLite would report without the name of the file. */
scant_status study_check_path(const char *path, scant_study_mode mode, scant_error *error);
/* Is it a study of this version, and nothing more? */
scant_status study_check_file(scant_study *study, int version, const char *schema, scant_error *error);

/* ---- create.c --------------------------------------------------------------- */

/* A new key for pseudonyms, into the settings of the file. */
scant_status study_write_key(scant_study *study, scant_error *error);
/* An empty study in memory, made as the first event of another one says, which is study->event of that one. */
scant_status study_twin(scant_study **twin, const scant_study *study, scant_error *error);

/* ---- terms.c ---------------------------------------------------------------- */

/* Settings and catalogue are in the file as they are now.  The ledger has them as they were made and amended. */

/* Settings that are not options of the library. */
#define STUDY_TARGET_NAME "target-name"
#define STUDY_PSEUDONYM_KEY "pseudonym-key" /* 32 random hexadecimal digits */
#define STUDY_MOST_OPEN "most-open"         /* the largest max-open there ever was, once that was amended */
#define STUDY_MISSING_REASONS "missing-reasons"
#define STUDY_SECOND_ENTRY "second-entry" /* yes, or it is not there */
#define STUDY_FROZEN "frozen"             /* of frozen copies alone: their name, which is not in the ledger */

/* All of them as JSON, for the caller to free: {"settings": {name: value, ...}, "attributes": [...]}. */
scant_status study_terms_text(scant_study *study, char **text, scant_error *error);
/* Writes what such a text says to the file, in place of what is there of the same names and places. */
scant_status study_write_terms(scant_study *study, const char *text, scant_error *error);
/* Writes one attribute, or one setting. */
scant_status study_write_attribute(scant_study *study, size_t place, const scant_study_attribute *attribute,
                                   scant_error *error);
scant_status study_write_setting(scant_study *study, const char *name, const char *value, scant_error *error);
/* Reads them from the file into memory, in place of those that were there. */
scant_status study_read_terms(scant_study *study, scant_error *error);
/* The same if they were amended since they were read. */
scant_status study_refresh_terms(scant_study *study, scant_error *error);
/* Reads them into another handle, which has no file.  Then: exchanges the terms of the two. */
scant_status study_read_terms_into(scant_study *study, scant_study *fresh, scant_error *error);
void study_swap_terms(scant_study *study, scant_study *fresh);
/* Writes an attribute as JSON. */
struct scant_json_writer;
void study_put_attribute(struct scant_json_writer *out, size_t place, const scant_study_attribute *attribute);
/* An attribute of such a text; the caller frees its texts with study_free_attribute, whatever comes of it. */
struct scant_json;
scant_status study_get_attribute(const struct scant_json *json, size_t node, size_t *place,
                                 scant_study_attribute *attribute, scant_error *error);
void study_free_attribute(scant_study_attribute *attribute);
/* The member `attributes` of such a text. */
scant_status study_find_attributes(const struct scant_json *json, size_t object, size_t *node, scant_error *error);

/* ---- amend.c ----------------------------------------------------------------- */

/* Amends the terms by such a text.  `trial`: nothing is changed, but everything is tried. */
scant_status study_amend_terms(scant_study *study, const char *change, const char *reason, int trial,
                               scant_error *error);

/* ---- extra.c ----------------------------------------------------------------- */

/* Does the learner learn from what was not ordered? */
int study_learns_extras(const scant_study *study);
/* The extras of study->order; and the place of one of an attribute among them, or SIZE_MAX. */
scant_status study_read_extras(scant_study *study, scant_error *error);
size_t study_extra_at(const scant_study *study, int64_t attribute);
/* Writes another value to an extra of study->order. */
scant_status study_write_extra(scant_study *study, const scant_study_told *told, scant_error *error);

/* ---- correct.c ---------------------------------------------------------------- */

/* study->event is that of an import: puts the values as they were corrected so far in place of those that it told. */
scant_status study_overlay_corrections(scant_study *study, scant_error *error);
/* ---- kinds.c ---------------------------------------------------------------- */

/* The kind of this name, as a file has it; 0 if there is none. */
int study_find_kind(const char *name, scant_event_kind *kind);
/* Is this number of a file a state of an order? */
int study_is_state(int64_t number);
/* May something be told of it, and learned from? */
int study_is_open(scant_order_state state);
/* Does an event of this kind change what was there before it: answers, or (STUDY_CATALOGUE) settings or catalogue, too?
 * A learner can't follow such an event from where it is; other handles read all that anew: see study_catch_up. */
typedef enum { STUDY_ADDS, STUDY_REWRITES, STUDY_CATALOGUE } study_reach;
study_reach study_reach_of(scant_event_kind kind);
/* The kind of the event that ends an order so. */
scant_event_kind study_ending(scant_order_state state);

/* ---- ledger.c --------------------------------------------------------------- */

/* An event of this kind, of which nothing else is said yet. */
static inline scant_study_event study_event(scant_event_kind kind, const char *example, uint64_t order) {
  return (scant_study_event){.kind = kind, .example = example, .order = order};
}

/* Appends event->... to the ledger in the transaction at hand: sequence, time, who, salt, digest and checksum are
 * filled in.  Totals and checksum of the study go on. */
scant_status study_append(scant_study *study, scant_study_event *event, scant_error *error);
/* The event with this number, into study->event; SCANT_DATA if there is none. */
scant_status study_read_event(scant_study *study, uint64_t sequence, scant_error *error);
/* The time as the ledger has it; `text` has room for 32 bytes. */
const char *study_now(char *text, size_t size);
/* Begins to read of one moment and leaves the learner as it is.  *alone: this call has begun to read, and no other one
 * around it.  study_end_peek returns `status`. */
scant_status study_peek(scant_study *study, int *alone, scant_error *error);
scant_status study_end_peek(scant_study *study, int alone, scant_status status);
/* Of what can be erased of an event, and of the event behind the checksum before it. */
uint64_t study_digest(const scant_study_event *event);
uint64_t study_checksum(const scant_study_event *event, uint64_t before);
/* A note in a column: one that stays until the study is closed; NULL for null. */
scant_status study_column_note(scant_study *study, sqlite3_stmt *statement, int place, const char **note,
                               scant_error *error);
/* The same of a text, which may be a caller's. */
scant_status study_keep_note(scant_study *study, const char *text, const char **note, scant_error *error);
/* A statement over the events that say which build writes, ready to be run. */
scant_status study_prepare_builds(scant_study *study, study_sql which, sqlite3_stmt **statement, scant_error *error);
/* Counts the orders that are open. */
scant_status study_count_open(scant_study *study, uint64_t *open, scant_error *error);
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
/* The same of one line. */
scant_status study_write_line(scant_study *study, size_t place, scant_error *error);
/* The state of an order that has not ended, by what was told of it. */
scant_order_state study_state_of(const scant_study_order *order);
/* Brings study->order, if it is open, into the state that follows from what was told, learns from it if nothing is
 * wanting, and writes it to the file.  event->learned says whether it did. */
scant_status study_learn_if_complete(scant_study *study, scant_study_event *event, scant_error *error);
/* Writes the state of study->order to the file. */
typedef enum { STUDY_NOT_LEARNED, STUDY_LEARNED_NOW } study_learned;
scant_status study_write_order(scant_study *study, study_learned learned, scant_error *error);
/* Checks answers and writes them to study->told, target included.  Values that are unusual and not confirmed have the
 * note study_unconfirmed: see study_check_confirmed. */
scant_status study_check_answers(scant_study *study, const scant_study_answer *answers, size_t count,
                                 scant_error *error);

/* ---- entries.c -------------------------------------------------------------- */

/* The notes of unusual values; the second is in memory only, until study_check_confirmed refuses it. */
extern const char study_confirmed[], study_unconfirmed[];
/* Takes a list of reasons for missing values into memory; NULL: the one that there is by default. */
scant_status study_take_reasons(scant_study *study, const char *list, scant_error *error);
/* The note of an answer whose value is in `told`: its reason, or whether it is unusual. */
scant_status study_note_answer(scant_study *study, const scant_study_answer *answer, scant_study_told *told,
                               scant_error *error);
/* Is everything that is unusual of `count` answers in study->told confirmed? */
scant_status study_check_confirmed(const scant_study *study, size_t count, scant_error *error);

/* ---- second.c --------------------------------------------------------------- */

/* Are two entries, NaN if missing, the same? */
int study_is_same_answer(double value, const char *note, double other, const char *other_note);
/* How the values told of an order compare with their second entries; same_hand is 0. */
scant_study_comparison study_compare(const scant_study_order *order);
/* Compares a line of study->order, or the target (SIZE_MAX), with its second entry, if it has one. */
void study_compare_second(scant_study *study, size_t place);

/* ---- learn.c ---------------------------------------------------------------- */

/* Brings the learner up to the last event: from the last snapshot, or from nothing. */
scant_status study_load_learner(scant_study *study, scant_error *error);
/* The same for a handle beside another that writes: the learner goes on from where it is. */
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
/* Lets it take the answers to study->order again. */
scant_status study_learner_reopen_order(scant_study *study, scant_error *error);
/* The look of study->order, as it was when it was asked for; the caller frees it. */
scant_status study_load_look(scant_study *study, scant_look **look, scant_error *error);
/* Tells it of an example that holds what these say, and was imported by this event. */
scant_status study_learner_import(scant_study *study, const scant_study_told *told, size_t count, uint64_t sequence,
                                  scant_error *error);
/* Goes on past an event of which only a mark is left: serials and generator go on, and nothing is learned. */
scant_status study_follow_erased(scant_study *study, scant_event_kind kind, scant_error *error);
#define STUDY_LEARNERS ", learners "
const char *study_build(void);
/* Is this the build of an event, which may say more after a ';'? */
int study_is_build(const char *reason);
/* Is it one from before builds named the generation of their learners? */
int study_is_old_build(const char *reason);
/* Examples that it has learned from. */
uint64_t study_learner_told(const scant_study *study);

/* ---- verify.c --------------------------------------------------------------- */

/* Makes everything that follows from the ledger anew in the transaction at hand.  The learner in memory is stale then.
 */
scant_status study_remake(scant_study *study, scant_error *error);

/* ---- erase.c ---------------------------------------------------------------- */

/* Does an event again of which only a mark is left, or one that erased others. */
scant_status study_redo_erased(scant_study *twin, const scant_study_event *e, scant_error *error);
scant_status study_redo_erase(scant_study *twin, const scant_study_event *e, scant_error *error);
/* Is every event that is erased in the list of an erasure, and the other way round? */
scant_status study_check_erased(scant_study *study, scant_error *error);

/* ---- sweep.c ---------------------------------------------------------------- */

/* May bytes of what was erased still be in the file? */
scant_status study_is_unswept(scant_study *study, int *unswept, scant_error *error);
/* Writes the file anew without them, if so.  Waits so long for those who read. */
scant_status study_sweep_if_due(scant_study *study, double seconds, scant_error *error);
/* How long that is where the call is about nothing else. */
double study_patience(const scant_study *study);

/* ---- examples.c ---------------------------------------------------------------- */

/* All that was told of examples with a target, by rows; NaN where nothing was told.  The caller frees both
 * arrays, whatever comes of it. */
typedef struct study_table {
  double *x, *y;
  size_t rows, room, y_room;
} study_table;
scant_status study_gather(scant_study *study, study_table *table, scant_error *error);
/* Begins a walk over the examples that were imported; then the next of them, into study->event, as for
 * study_walk_learned. */
scant_status study_walk_imports(scant_study *study, sqlite3_stmt **walk, scant_error *error);
scant_status study_next_import(scant_study *study, sqlite3_stmt *walk, uint64_t *sequence, int *more,
                               scant_error *error);
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

/* ---- verify.c ------------------------------------------------------------------- */

/* Sees an event of kind ask that was just done again in a twin: its look is in twin->drawn, drawn by twin->learner, if
 * twin->exact; else it was taken as given. */
typedef scant_status study_see(void *user, const scant_study *twin, uint64_t order, scant_error *error);
/* Does the ledger again, as scant_study_verify does, and shows every ask. */
scant_status study_see_asks(scant_study *study, study_see *see, void *user, scant_error *error);

/* ---- export_examples.c ----------------------------------------------------------- */

/* Adds to a file that is being replaced (core/file.h). */
scant_study_sink study_sink_file;

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

/* Begins to read the study of one moment, and leaves the learner as it is; study_leave ends it.  For handles of which
 * study_is_shared_now is true. */
scant_status study_begin_reading(scant_study *study, scant_error *error);
/* SCANT_MISUSE in a child of the process that opened the study. */
scant_status study_check_process(const scant_study *study, scant_error *error);
/* The same, and SCANT_IO if the group at hand is lost. */
scant_status study_check_usable(const scant_study *study, scant_error *error);
/* Runs a statement that has no parameters and gives no row. */
scant_status study_run_plainly(scant_study *study, study_sql which, scant_error *error);
/* Begins a transaction, or a savepoint within a group.  SCANT_IO: the file is not where it was opened any more. */
scant_status study_begin_writing(scant_study *study, scant_error *error);

/* Is nobody kept from writing meanwhile?  Then a call reads within a transaction. */
int study_is_shared_now(const scant_study *study);

/* Every function that writes begins with study_begin_turn, or with study_take, and ends with study_end_turn, which
 * returns `status`.  They check that the study is open for writing, by this process.  A handle that shares the study
 * takes the lock and catches up with what others wrote meanwhile, and lets the lock go at the end; turns may stand
 * inside turns.  study_take also checks texts; *example and *reason (NULL: none) become copies. */
scant_status study_begin_turn(scant_study *study, scant_error *error);
/* The same without catching up, for a study whose orders may be damaged. */
scant_status study_seize(scant_study *study, scant_error *error);
scant_status study_end_turn(scant_study *study, scant_status status);
scant_status study_take(scant_study *study, const char **example, const char **reason, scant_error *error);
/* Says in the ledger that this build writes from here on, if another one did before. */
scant_status study_append_build(scant_study *study, scant_error *error);
/* Begins to write, within a turn: a transaction, or a step of the group at hand. */
scant_status study_begin(scant_study *study, scant_error *error);
/* The same for what is no event: the ledger does not get that of a new build before it. */
scant_status study_begin_step(scant_study *study, scant_error *error);
/* Takes back the transaction at hand, if there is any: all of it. */
scant_status study_take_back(scant_study *study, scant_error *error);
/* Takes back what was begun last, and not what stands before it in a group.  `touched` as below. */
scant_status study_take_step_back(scant_study *study, int touched, scant_error *error);
/* Ends it: commits if `status` is SCANT_OK, else takes all back.  `touched`: the learner has changed, and is
 * stale if all is taken back. */
scant_status study_end(scant_study *study, scant_status status, int touched, scant_error *error);
/* The same after the learner was touched. */
static inline scant_status study_settle(scant_study *study, scant_status status, scant_error *error) {
  return study_end(study, status, 1, error);
}

/* ---- requests.c ---------------------------------------------------------------- */

/* Removes the answers to requests that were about an example, in the transaction at hand. */
scant_status study_forget_example(scant_study *study, const char *example, scant_error *error);

/* ---- groups.c ------------------------------------------------------------------ */

/* SCANT_IO if there is a group and all of it was taken back, since memory or the disk failed. */
scant_status study_check_group(const scant_study *study, scant_error *error);
/* SCANT_MISUSE if there is a group: `what` can't be a part of one. */
scant_status study_refuse_in_group(const scant_study *study, const char *what, scant_error *error);
/* Takes back the last step or group inside the group at hand; if that fails, all of it is lost. */
scant_status study_undo_inside(scant_study *study, scant_error *error);
/* Takes back all groups. */
void study_leave_groups(scant_study *study);

#endif
