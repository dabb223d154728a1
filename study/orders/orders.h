/* Orders as they are in the file, and how they are made of looks. */
#ifndef SCANT_STUDY_ORDERS_H
#define SCANT_STUDY_ORDERS_H

#include "study.h"

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

/* The place of an attribute in study->lines, or SIZE_MAX. */
static inline size_t study_line_at(const scant_study *study, int64_t attribute) {
  size_t place = attribute < 0 ? SIZE_MAX : study->line_at[attribute];
  return place < study->order.count && study->lines[place].attribute == attribute ? place : SIZE_MAX;
}

/* ---- asking.c ------------------------------------------------------------ */

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

#endif
