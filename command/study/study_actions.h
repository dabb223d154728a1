/* What the actions of `scant study` share. */
#ifndef SCANT_CLI_STUDY_ACTIONS_H
#define SCANT_CLI_STUDY_ACTIONS_H

#include "front/command.h"
#include "scant_study_json.h"
#include "scant_study.h"

/* Each is given the open study (create: NULL) and prints its result.  After a status other than SCANT_OK its sentence
 * is in `error` and nothing was printed. */
typedef scant_status study_run(arguments *a, scant_study *study, scant_error *error);

study_run study_create, study_ask, study_tell, study_tell_csv, study_cancel, study_correct, study_erase, study_status,
    study_ledger, study_predict, study_export, study_import, study_verify, study_replay, study_backup, study_list,
    study_show, study_reopen, study_freeze, study_amend, study_catalogue;

/* The settings that amend takes. */
#define STUDY_AMENDABLE "k spend budget budget-cost"

/* Through what the events of the command come. */
#define STUDY_VIA "command"

/* ---- run_study.c: the table of actions ------------------------------------------ */

typedef enum { OPENS_NOTHING, OPENS_TO_READ, OPENS_TO_WRITE } study_opens;

/* One way to call an action. */
typedef struct study_action {
  study_run *run; /* NULL: it is a command of its own: see program.c */
  study_opens how;
  int least, most;     /* operands behind FILE; -1: any number */
  const char *options; /* of its own, separated by spaces */
  const char *name;    /* "ask FILE EXAMPLE": its first word is how it is called */
  const char *help;    /* what it does */
  /* Of its first row alone: a few words, an example, and what exit code 1 means here (NULL: any other failure). */
  const char *summary, *example, *refused;
} study_action;

/* NULL past the end. */
const study_action *study_action_at(size_t index);
int study_is_called(const study_action *action, const char *name);

/* ---- study_print.c: words that several actions print ---------------------------- */

double study_money(uint64_t hundredths);
/* Writes a number with as few digits as read back to the same number. */
#define STUDY_REAL 32
void study_format_real(char text[STUDY_REAL], double x);
/* Writes a value as it can be told: 5.4, 97! if it is unusual and confirmed, missing:refused (NaN). */
void study_write_value(FILE *to, double value, const char *note);
/* Prints `text` and blanks up to `width` characters; the blanks come first if the width is negative. */
void study_print_padded(const char *text, int width);
/* Makes a column as wide as this text of UTF-8; NULL: no text. */
void study_widen(int *width, const char *text);
/* Prints `before` and what is left of the budgets; nothing if there are none. */
void study_print_left(const scant_study_status *status, const char *before);
/* Prints one sentence: the state of an order, its money, and what is still to come. */
void study_print_order(const scant_study *study, const scant_study_order *order);

/* Prints a cell of csv that a spreadsheet does not take for a formula, nothing for NULL.  `quoted`: in quotes even if
 * it needs none. */
scant_status study_print_cell(const char *text, int quoted, scant_error *error);

/* Prints it as a list, with what is left of the budgets unless `status` is NULL. */
void study_print_list(const scant_study *study, const scant_study_order *order, const scant_study_status *status);
/* Prints a sheet to be filled in; `name` is what the study is called. */
void study_print_sheet(const scant_study *study, const char *name, const scant_study_order *order);
/* Writes the names of what is not told yet, the target and second entries that are demanded included; nothing for an
 * order that has ended. */
void study_write_to_come(FILE *to, const scant_study *study, const scant_study_order *order, const char *between);

/* ---- study_values.c: values that are entered twice ------------------------------- */

/* Writes what differs between the entries of an order, a line each with `before` in front; how many there are. */
size_t study_print_differences(const scant_study *study, const scant_study_order *order, const char *before);
/* SCANT_MISUSE and a sentence if there are differences. */
scant_status study_refuse_differences(size_t differ, scant_error *error);
/* Prints that `count` values were entered twice by the same person, if there are any. */
void study_print_same_hand(size_t count);

/* ---- study_export.c -------------------------------------------------------------- */

/* Where the table goes; NULL: nowhere yet.  Beside it is what its columns are. */
const char *study_table_path(const arguments *a);
void study_dictionary_path(const char *path, char *dictionary, size_t size);

/* ---- study_plot.c ----------------------------------------------------------------- */

/* `name` is what the study is called in the picture. */
scant_status study_plot(scant_study *study, const char *name, const char *path, scant_error *error);

#endif
