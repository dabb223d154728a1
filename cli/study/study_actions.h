/* What the actions of `scant study` share. */
#ifndef SCANT_CLI_STUDY_ACTIONS_H
#define SCANT_CLI_STUDY_ACTIONS_H

#include "../command.h"
#include "../json_document.h"
#include "scant_study.h"

/* Each is given the open study (create: NULL) and prints what came of it; a status
 * other than SCANT_OK has its sentence in `error` and has printed nothing. */
typedef scant_status study_run(arguments *a, scant_study *study, scant_error *error);

study_run study_create;                 /* study_create.c */
study_run study_ask, study_cancel;      /* study_ask.c */
study_run study_tell, study_correct;    /* study_tell.c */
study_run study_tell_csv, study_import; /* study_csv.c */
study_run study_status;                 /* study_status.c */
study_run study_ledger;                 /* study_ledger.c */
study_run study_predict, study_export;  /* study_use.c */
study_run study_verify, study_replay, study_backup;

/* study.c: SCANT_USAGE, with a sentence. */
__attribute__((format(printf, 2, 3))) scant_status study_refuse_usage(scant_error *error, const char *format, ...);

/* ---- study_ask.c: words that several print ------------------------------------ */

/* Does anything in the catalogue cost something? */
int study_is_priced(const scant_study *study);
/* A number in as few digits as read back to the same one. */
#define STUDY_REAL 32
void study_format_real(char text[STUDY_REAL], double x);
/* `text` and blanks up to `width` characters; in front of it if it is negative. */
void study_print_padded(const char *text, int width);
/* How many characters a text of UTF-8 has. */
int study_width(const char *text);
/* What is left of the budgets, with `before` in front of it; nothing if there are none. */
void study_print_left(const scant_study_status *status, const char *before);
/* The same as fields of JSON: null where there is no limit. */
void study_left_json(json *out, const scant_study_status *status);
/* One sentence: the state of an order, its money, and what is still to come. */
void study_print_order(const scant_study *study, const scant_study_order *order);

/* ---- study_tell.c --------------------------------------------------------------- */

scant_status study_refuse_memory(scant_error *error);

/* Answers from the operands from number `first` on, for study_answers_free. */
scant_status study_answers_read(const arguments *a, int first, scant_study_answer **answers, size_t *count,
                                scant_error *error);
void study_answers_free(scant_study_answer *answers, size_t count);

/* ---- study_plot.c --------------------------------------------------------------- */

/* `name` is what the study is called in the picture. */
scant_status study_plot(scant_study *study, const char *name, const char *path, scant_error *error);

#endif
