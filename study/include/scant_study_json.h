/* The JSON of studies, and worklists as people ask for them: for front ends, so that each field has one place.
 *
 * scant_study_json_NOUN puts the fields of a noun into the open object; those with a key put an array or an object
 * under it (NULL: as an item of an array).  Amounts of money are in units with two decimals, times are UTC and, where
 * people read them, local too, and unknown numbers are null.  After a status other than SCANT_OK the document is to be
 * discarded.
 */
#ifndef SCANT_STUDY_JSON_H
#define SCANT_STUDY_JSON_H

#include <stdint.h>

#include "scant_json.h"
#include "scant_study.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- orders, examples and events --------------------------------------------------------- */

SCANT_API void scant_study_json_order(scant_json_writer *out, const scant_study *study, const scant_study_order *order);
/* An order of a worklist: its fields, since when it waits, and what is still to come. */
SCANT_API void scant_study_json_row(scant_json_writer *out, const scant_study *study, const scant_study_order *order);
/* What came of second entries.  Differences are named; `values`: with both values, which must stay hidden from whoever
 * enters them. */
SCANT_API void scant_study_json_comparison(scant_json_writer *out, const scant_study *study,
                                           const scant_study_order *order, const scant_study_comparison *comparison,
                                           int values);

/* The target of an order as a line. */
SCANT_API scant_study_line scant_study_target_line(const scant_study_order *order);
/* Is a second entry of this line demanded, and not there yet or another one? */
SCANT_API int scant_study_is_second_due(const scant_study_order *order, const scant_study_line *line);

/* An example: its orders, what was imported, and its history.  SCANT_DATA: nothing is known of it. */
SCANT_API scant_status scant_study_json_example(scant_json_writer *out, scant_study *study, const char *example,
                                                scant_error *error);
/* An event as the history of an example has it. */
SCANT_API void scant_study_json_event(scant_json_writer *out, const scant_study *study, const scant_study_event *event);
/* The same for lists of events of all examples: with the example, whether it was erased, and the change. */
SCANT_API void scant_study_json_ledger_event(scant_json_writer *out, const scant_study *study,
                                             const scant_study_event *event);

/* The numbers of the orders of an example, for free(), also after a failure.  SCANT_DATA: nothing is known of the
 * example; the sentence names one with nearly this name. */
SCANT_API scant_status scant_study_find_orders(scant_study *study, const char *example, uint64_t **numbers,
                                               size_t *count, scant_error *error);
/* The name of an attribute, or of the target (-1). */
SCANT_API const char *scant_study_told_name(const scant_study *study, int64_t attribute);

/* ---- a study: how it stands, its terms and results --------------------------------------- */

SCANT_API void scant_study_json_status(scant_json_writer *out, const scant_study *study,
                                       const scant_study_status *status);
/* What is left of the budgets; null where there is no limit. */
SCANT_API void scant_study_json_left(scant_json_writer *out, const scant_study_status *status);
SCANT_API scant_status scant_study_json_purchases(scant_json_writer *out, const char *key, scant_study *study,
                                                  scant_error *error);
SCANT_API scant_status scant_study_json_open_orders(scant_json_writer *out, const char *key, scant_study *study,
                                                    scant_error *error);
SCANT_API void scant_study_json_risks(scant_json_writer *out, const char *key, const scant_study_risk *risks,
                                      size_t count);
SCANT_API void scant_study_json_outlook(scant_json_writer *out, const scant_study_outlook *outlook);

/* What is left of a budget. */
SCANT_API uint64_t scant_study_rest(uint64_t budget, uint64_t used);

/* What a study is made of: target, settings, reasons for missing values and catalogue. */
SCANT_API void scant_study_json_terms(scant_json_writer *out, const scant_study *study);
/* What an amendment changed, as scant_study_amend says it, and the same in words; NULL: nothing, and both are null. */
SCANT_API scant_status scant_study_json_change(scant_json_writer *out, const char *change, scant_error *error);

/* Does anything in the catalogue cost something? */
SCANT_API int scant_study_is_priced(const scant_study *study);

/* What asking for some examples may cost, before anything is ordered. */
typedef struct scant_study_ask_forecast {
  size_t examples, fresh; /* asked for, and how many of them would get an order */
  scant_study_forecast f;
  const double *chance; /* of each attribute to be in an order, from scant_study_preview just before */
} scant_study_ask_forecast;
/* Does the budget cover that many orders: "yes", "no", or "maybe"? */
SCANT_API const char *scant_study_ask_covers(const scant_study_ask_forecast *forecast);
SCANT_API void scant_study_json_forecast(scant_json_writer *out, const scant_study *study,
                                         const scant_study_ask_forecast *forecast);

/* The weights of a model of this study.  Where it has errors (scant_study_model_errors), each weight has its own and
 * the ends of the interval that holds it with probability `level`; else these are null.  Its risk is that of the
 * status, which every front end shows; a file of a model has the learner's own estimate. */
SCANT_API void scant_study_json_model(scant_json_writer *out, const scant_study *study, const scant_model *model,
                                      const scant_study_status *status, double level);
SCANT_API void scant_study_json_prediction(scant_json_writer *out, const scant_prediction *prediction, double level);
SCANT_API void scant_study_json_frozen(scant_json_writer *out, const scant_study_frozen *frozen);
/* frozen: what a frozen copy is; NULL: the study is none. */
SCANT_API void scant_study_json_proof(scant_json_writer *out, const scant_study_proof *proof,
                                      const scant_study_frozen *frozen);
SCANT_API void scant_study_json_traces(scant_json_writer *out, const scant_study_traces *traces);

SCANT_API scant_status scant_study_refuse_memory(scant_error *error);

/* ---- which orders are in a worklist ------------------------------------------------------ */

/* What somebody asks for; a NULL is nothing. */
typedef struct scant_study_filter_words {
  const char *state;          /* names of states, separated by commas; the first word of a name is enough */
  const char *due;            /* an attribute or the target that is still to come */
  const char *since, *before; /* when the order was asked for: see scant_study_read_time */
  const char *by;             /* who asked for it */
  int open, all;              /* orders that are open, or of every state; `state` goes before both */
  int differs;                /* only those with entries that differ: of every state, unless the others say which */
} scant_study_filter_words;

typedef struct scant_study_filter {
  unsigned states; /* a bit for each */
  int64_t due;     /* an attribute, or one of those below 0 in worklists.c */
  int has_since, has_before;
  int64_t since, before;
  const char *by; /* as in the words, which must outlive it; NULL: whoever asked */
  int differs;
} scant_study_filter;

/* Without words: the orders that are open.  `dashes` stands before the name of an option in a sentence: "--" or "".
 * SCANT_USAGE, or SCANT_DATA for an attribute that is not there. */
SCANT_API scant_status scant_study_filter_read(scant_study_filter *filter, const scant_study *study,
                                               const scant_study_filter_words *words, const char *dashes,
                                               scant_error *error);

/* The next order to look at, whose number is larger than `after`, and whether it passes; NULL: there is none.  As the
 * next function's, it is valid until the next call with this study. */
SCANT_API scant_status scant_study_filter_look(const scant_study_filter *filter, scant_study *study, uint64_t after,
                                               const scant_study_order **order, int *passes, scant_error *error);

/* The first order that passes and whose number is larger than `after`; NULL: there is none. */
SCANT_API scant_status scant_study_filter_next(const scant_study_filter *filter, scant_study *study, uint64_t after,
                                               const scant_study_order **order, scant_error *error);

/* ---- times as people read them ----------------------------------------------------------- */

/* Local times with the offset from UTC.  The study itself knows UTC alone. */
enum { SCANT_STUDY_TIME = 64 };
/* Seconds since 1970 of 2026-11-15, T09:30 or T09:30:00 behind it or not: local, or UTC with a Z.  0: it is none. */
SCANT_API int scant_study_read_time(const char *text, int64_t *seconds);
/* Writes a time of the study, which is UTC, as local time with its offset: 2026-11-15T10:30:00+01:00. */
SCANT_API void scant_study_format_local(char text[SCANT_STUDY_TIME], const char *utc);
/* Whole days from then to now. */
SCANT_API uint64_t scant_study_days_since(const char *utc);

#ifdef __cplusplus
}
#endif

#endif
