/* What is told of an order: answers, second entries, corrections, and what was not ordered. */
#ifndef SCANT_STUDY_TELLING_H
#define SCANT_STUDY_TELLING_H

#include "study.h"

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
/* Checks answers and writes them to study->told, target included.  Values that are unusual and not confirmed have the
 * note study_unconfirmed: see study_check_confirmed. */
scant_status study_check_answers(scant_study *study, const scant_study_answer *answers, size_t count,
                                 scant_error *error);

/* ---- entries.c ----------------------------------------------------------- */

/* The notes of unusual values; the second is in memory only, until study_check_confirmed refuses it. */
extern const char study_confirmed[], study_unconfirmed[];
/* Takes a list of reasons for missing values into memory; NULL: the one that there is by default. */
scant_status study_take_reasons(scant_study *study, const char *list, scant_error *error);
/* The note of an answer whose value is in `told`: its reason, or whether it is unusual. */
scant_status study_note_answer(scant_study *study, const scant_study_answer *answer, scant_study_told *told,
                               scant_error *error);
/* Is everything that is unusual of `count` answers in study->told confirmed? */
scant_status study_check_confirmed(const scant_study *study, size_t count, scant_error *error);

/* ---- second.c ------------------------------------------------------------ */

/* How the values told of an order compare with their second entries; same_hand is 0. */
scant_study_comparison study_compare(const scant_study_order *order);
/* Compares a line of study->order, or the target (SIZE_MAX), with its second entry, if it has one. */
void study_compare_second(scant_study *study, size_t place);

/* ---- unordered_values.c ------------------------------------------------------------- */

/* The extras of study->order; and the place of one of an attribute among them, or SIZE_MAX. */
scant_status study_read_extras(scant_study *study, scant_error *error);
size_t study_extra_at(const scant_study *study, int64_t attribute);
/* Writes another value to an extra of study->order. */
scant_status study_write_extra(scant_study *study, const scant_study_told *told, scant_error *error);

/* ---- correct.c ----------------------------------------------------------- */

/* study->event is that of an import: puts the values as they were corrected so far in place of those that it told. */
scant_status study_overlay_corrections(scant_study *study, scant_error *error);

#endif
