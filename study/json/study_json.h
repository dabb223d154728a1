/* The JSON of studies: every field has one place, so that whoever shows a study shows it with the same fields.
 *
 * study_json_NOUN puts the fields of a noun into the object at hand, and those with a key put an array or an object
 * under it (NULL: as an item of an array).  Amounts of money are in units with two decimals, times are UTC and, where
 * people read them, local too, and what is not known is null.  After a status other than SCANT_OK the document is to be
 * freed.
 */
#ifndef SCANT_STUDY_JSON_H
#define SCANT_STUDY_JSON_H

#include "base/json_document.h"
#include "scant_study.h"

/* ---- json_order.c ------------------------------------------------------------------- */

void study_json_order(json *out, const scant_study *study, const scant_study_order *order);
/* An order of a worklist: its fields, since when it waits, and what is still to come. */
void study_json_row(json *out, const scant_study *study, const scant_study_order *order);
/* What came of second entries.  Differences are named; `values`: with what was entered both times, which who enters
 * must not see. */
void study_json_comparison(json *out, const scant_study *study, const scant_study_order *order,
                           const scant_study_comparison *comparison, int values);

/* The target of an order as a line. */
scant_study_line study_target_line(const scant_study_order *order);
/* Is a second entry of this line demanded, and not there yet or another one? */
int study_is_second_due(const scant_study_order *order, const scant_study_line *line);

/* ---- json_example.c ----------------------------------------------------------------- */

/* An example: its orders, what was imported, and its history.  SCANT_DATA: nothing is known of it. */
scant_status study_json_example(json *out, scant_study *study, const char *example, scant_error *error);
/* An event as the history of an example has it. */
void study_json_event(json *out, const scant_study *study, const scant_study_event *event);
/* The same for lists of events of all examples: with the example, whether it was erased, and the change. */
void study_json_ledger_event(json *out, const scant_study *study, const scant_study_event *event);

/* The numbers of the orders of an example, for free(), also after a failure.  SCANT_DATA: nothing is known of the
 * example; the sentence names one with nearly this name. */
scant_status study_find_orders(scant_study *study, const char *example, uint64_t **numbers, size_t *count,
                               scant_error *error);
/* The name of an attribute, or of the target (-1). */
const char *study_told_name(const scant_study *study, int64_t attribute);

/* ---- json_status.c ------------------------------------------------------------------ */

void study_json_status(json *out, const scant_study *study, const scant_study_status *status);
/* What is left of the budgets; null where there is no limit. */
void study_json_left(json *out, const scant_study_status *status);
scant_status study_json_purchases(json *out, const char *key, scant_study *study, scant_error *error);
scant_status study_json_open_orders(json *out, const char *key, scant_study *study, scant_error *error);
void study_json_risks(json *out, const char *key, const scant_study_risk *risks, size_t count);
void study_json_outlook(json *out, const scant_study_outlook *outlook);

/* What is left of a budget. */
uint64_t study_rest(uint64_t budget, uint64_t used);

/* ---- json_terms.c ------------------------------------------------------------------- */

/* What a study is made of: target, settings, reasons for missing values and catalogue. */
void study_json_terms(json *out, const scant_study *study);
void study_json_settings(json *out, const char *key, const scant_study *study);
void study_json_catalogue(json *out, const char *key, const scant_study *study);
/* What an amendment changed, as scant_study_amend says it, and the same in words; NULL: nothing, and both are null. */
scant_status study_json_change(json *out, const char *change, scant_error *error);

/* Does anything in the catalogue cost something? */
int study_is_priced(const scant_study *study);

/* ---- json_results.c ----------------------------------------------------------------- */

/* What asking for some examples may cost, before anything is ordered. */
typedef struct study_forecast {
  size_t examples, fresh; /* asked for, and how many of them would get an order */
  scant_study_forecast f;
  const double *chance; /* of each attribute to be in an order, from scant_study_preview just before */
} study_forecast;
/* Does the budget cover that many orders: "yes", "no", or "maybe"? */
const char *study_forecast_covers(const study_forecast *forecast);
void study_json_forecast(json *out, const scant_study *study, const study_forecast *forecast);

/* The weights of a model of this study.  Where it has errors (scant_study_model_errors), each weight has its own and
 * the ends of the interval that holds it with probability `level`; else these are null. */
/* Its risk is that of the status, which every front end shows; a file of a model has the learner's own estimate. */
void study_json_model(json *out, const scant_study *study, const scant_model *model, const scant_study_status *status,
                      double level);
void study_json_prediction(json *out, const scant_prediction *prediction, double level);
void study_json_frozen(json *out, const scant_study_frozen *frozen);
/* frozen: what a frozen copy is; NULL: the study is none. */
void study_json_proof(json *out, const scant_study_proof *proof, const scant_study_frozen *frozen);
void study_json_traces(json *out, const scant_study_traces *traces);

scant_status study_refuse_memory(scant_error *error);

#endif
