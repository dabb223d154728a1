/* The ledger: its events, in the order in which they came, where it ends, and the proof that a study follows from it.
 */
#ifndef SCANT_STUDY_LEDGER_H
#define SCANT_STUDY_LEDGER_H

#include "study.h"

/* An event of this kind, of which nothing else is said yet. */
static inline scant_study_event study_event(scant_event_kind kind, const char *example, uint64_t order) {
  return (scant_study_event){.kind = kind, .example = example, .order = order};
}

/* Appends event->... to the ledger in the open transaction: sequence, time, who, salt, digest and checksum are
 * filled in.  Totals and checksum of the study go on. */
scant_status study_append(scant_study *study, scant_study_event *event, scant_error *error);
/* The event with this number, into study->event; SCANT_DATA if there is none. */
scant_status study_read_event(scant_study *study, uint64_t sequence, scant_error *error);
/* The time as the ledger has it; `text` has room for 32 bytes. */
const char *study_now(char *text, size_t size);
/* The checksum of what can be erased of an event; and that of the event behind the checksum before it. */
uint64_t study_digest(const scant_study_event *event);
uint64_t study_checksum(const scant_study_event *event, uint64_t before);
/* A note in a column: one that stays until the study is closed; NULL for null. */
scant_status study_column_note(scant_study *study, sqlite3_stmt *statement, int place, const char **note,
                               scant_error *error);
/* The same of a text, which may be a caller's. */
scant_status study_keep_note(scant_study *study, const char *text, const char **note, scant_error *error);
/* Counts the orders of each state, and those that are open. */
scant_status study_count_orders(scant_study *study, uint64_t counts[STUDY_STATES], uint64_t *open, scant_error *error);
/* Reads where the ledger ends. */
scant_status study_read_tip(scant_study *study, study_tip *tip, scant_error *error);
/* Brings a tip behind an event. */
void study_move_tip(study_tip *tip, const scant_study_event *event);
/* Is this the build of an event, which may say more after a ';'? */
int study_is_build(const char *reason);

/* ---- kinds.c ------------------------------------------------------------- */

/* The kind of this name, as a file has it; 0 if there is none. */
int study_find_kind(const char *name, scant_event_kind *kind);
/* Is such an event about an example?  Then it can be erased. */
int study_is_of_example(scant_event_kind kind);
/* Is this number of a file a state of an order? */
int study_is_state(int64_t number);
/* May something be told of it, and learned from? */
int study_is_open(scant_order_state state);
/* Does an event of this kind change what was there before it: answers, or (STUDY_CATALOGUE) settings or catalogue, too?
 * A learner can't follow such an event from where it is; other handles read all that anew: see study_catch_up. */
typedef enum { STUDY_ADDS, STUDY_REWRITES, STUDY_CATALOGUE } study_reach;
study_reach study_reach_of(scant_event_kind kind);

/* ---- verify.c ------------------------------------------------------------ */

/* Makes everything that follows from the ledger anew in the open transaction.  The learner in memory is stale then.
 */
scant_status study_remake(scant_study *study, scant_error *error);
/* Sees an event of kind ask, done again in a twin: its look is twin->drawn, drawn by twin->learner if twin->exact. */
typedef scant_status study_see(void *user, const scant_study *twin, uint64_t order, scant_error *error);
/* Does the ledger again, as scant_study_verify does, and shows every ask. */
scant_status study_see_asks(scant_study *study, study_see *see, void *user, scant_error *error);

#endif
