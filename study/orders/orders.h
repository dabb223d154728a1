/* Orders as they are in the file: how they are made of looks, and what is told of them. */
#ifndef SCANT_STUDY_ORDERS_H
#define SCANT_STUDY_ORDERS_H

#include "study.h"

/* Reads an order into study->order; SCANT_DATA if there is none. */
scant_status study_read_order(scant_study *study, uint64_t number, scant_error *error);
/* The number of the last order of all; 0: there is none. */
scant_status study_last_order(scant_study *study, uint64_t *number, scant_error *error);
/* Money and attributes of the lines of study->order: of all of them, of the measured ones, or of the others. */
typedef enum { STUDY_ALL, STUDY_MEASURED, STUDY_TO_COME } study_which;
study_totals study_price(const scant_study *study, study_which which);
/* The last order of an example, 0 if it has none; and the event that imported it, or 0. */
scant_status study_find_order(scant_study *study, const char *example, uint64_t *number, scant_error *error);
scant_status study_find_import(scant_study *study, const char *example, uint64_t *sequence, scant_error *error);
/* The last order of an example, into study->order. */
scant_status study_need_order(scant_study *study, const char *example, scant_error *error);

/* The place of an attribute in study->lines, or SIZE_MAX. */
static inline size_t study_line_at(const scant_study *study, int64_t attribute) {
  size_t place = attribute < 0 ? SIZE_MAX : study->line_at[attribute];
  return place < study->order.count && study->lines[place].attribute == attribute ? place : SIZE_MAX;
}

/* A walk over the orders that were learned, into study->order: *number is 0 at the start, *more 0 past the last. */
scant_status study_walk_learned(scant_study *study, sqlite3_stmt **walk, scant_error *error);
scant_status study_next_learned(scant_study *study, sqlite3_stmt *walk, uint64_t *number, int *more,
                                scant_error *error);

/* ---- ask.c --------------------------------------------------------------- */

/* What the budgets leave: money as `spent`. */
study_totals study_left(const scant_study *study);
/* Writes the lines of a look to study->order.  The price of a group is at its first member. */
scant_status study_make_lines(scant_study *study, const scant_look *look, scant_error *error);
/* Looks that are no single draws have no probability of one: of their lines only what is free is certain. */
void study_forget_probabilities(scant_study *study);
/* SCANT_DATA, by a sentence of `what`, the example that is not there and `more`; it names an example that may be meant.
 */
scant_status study_refuse_unknown(scant_study *study, const char *example, const char *what, const char *more,
                                  scant_error *error);
/* SCANT_MISUSE if a name that no example has is nearly that of another. */
scant_status study_check_new_name(scant_study *study, const char *example, scant_error *error);

/* ---- tell.c -------------------------------------------------------------- */

/* The notes of unusual values; the second is in memory only, until study_check_confirmed refuses it. */
extern const char study_confirmed[], study_unconfirmed[];
/* Takes a list of reasons for missing values into memory; NULL: the one that there is by default. */
scant_status study_take_reasons(scant_study *study, const char *list, scant_error *error);
/* Checks answers and writes them to study->told, target included.  Values that are unusual and not confirmed have the
 * note study_unconfirmed: see study_check_confirmed. */
scant_status study_check_answers(scant_study *study, const scant_study_answer *answers, size_t count,
                                 scant_error *error);
/* What is stored of study->order; 0: it was never told. */
int study_find_stored(const scant_study *study, int64_t attribute, scant_study_told *stored);
/* Is this another value?  And: or another reason why there is none? */
int study_differs(double stored, double told);
int study_is_change(const scant_study_told *stored, const scant_study_told *told);
/* Keeps some of the answers in study->told; *count becomes how many they are. */
typedef scant_status study_is_kept(const scant_study *study, const scant_study_told *told, int *keeps,
                                   scant_error *error);
scant_status study_keep(scant_study *study, study_is_kept *is_kept, size_t *count, scant_error *error);
/* Is everything that is unusual of `count` answers in study->told confirmed? */
scant_status study_check_confirmed(const scant_study *study, size_t count, scant_error *error);
/* An event of study->order that tells `count` answers in study->told. */
scant_study_event study_event_told(const scant_study *study, scant_event_kind kind, size_t count);
/* Writes `count` answers in study->told to study->order and its lines in the file. */
scant_status study_write_answers(scant_study *study, size_t count, scant_error *error);
/* The same of one line. */
scant_status study_write_line(scant_study *study, size_t place, scant_error *error);
/* The state of an order that has not ended, by what was told of it. */
scant_order_state study_state_of(const scant_study_order *order);
/* Brings study->order, if it is open, into the state that follows from what was told, learns from it if nothing is
 * wanting, and writes it to the file.  event->learned says whether it did. */
scant_status study_learn_if_complete(scant_study *study, scant_study_event *event, scant_error *error);
/* Writes the state of study->order to the file.  `told_before`: it is learned by the current event, and so many
 * examples were learned before it; NULL: it is not. */
scant_status study_write_order(scant_study *study, const uint64_t *told_before, scant_error *error);
/* SCANT_MISUSE: study->order has ended. */
scant_status study_refuse_ended(const scant_study *study, scant_error *error);
/* SCANT_DATA: study->order has another value of this attribute already. */
scant_status study_refuse_other(const scant_study *study, int64_t attribute, const char *stored, scant_error *error);

/* ---- second_entry.c ------------------------------------------------------ */

/* How the values told of an order compare with their second entries; same_hand is 0. */
scant_study_comparison study_compare(const scant_study_order *order);
/* Compares a line of study->order, or the target (SIZE_MAX), with its second entry, if it has one. */
void study_compare_second(scant_study *study, size_t place);

/* ---- unordered_values.c -------------------------------------------------- */

/* The extras of study->order; and the place of one of an attribute among them, or SIZE_MAX. */
scant_status study_read_extras(scant_study *study, scant_error *error);
size_t study_extra_at(const scant_study *study, int64_t attribute);
/* Writes another value to an extra of study->order. */
scant_status study_write_extra(scant_study *study, const scant_study_told *told, scant_error *error);

#endif
