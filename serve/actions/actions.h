/* The actions of the table in routes.c, by the files that have them, and what they share. */
#ifndef SCANT_SERVE_ACTIONS_H
#define SCANT_SERVE_ACTIONS_H

#include "scant_study_json.h"
#include "actions/action.h"

/* results.c */
serve_action serve_get_study, serve_get_status, serve_get_purchases, serve_get_risks, serve_get_model,
    serve_get_outlook, serve_get_forecast, serve_predict;
/* order_actions.c */
serve_action serve_get_orders, serve_ask, serve_end, serve_reopen, serve_get_traces, serve_erase;
/* example.c */
serve_action serve_get_example;
/* tell_actions.c */
serve_action serve_tell, serve_tell_second, serve_tell_extra, serve_correct, serve_import;
/* amendments.c */
serve_action serve_amend;
/* ledger_actions.c */
serve_action serve_get_events, serve_freeze, serve_get_proof;
/* exports.c */
serve_action serve_export_examples, serve_export_dictionary, serve_export_events, serve_export_ledger,
    serve_export_looks, serve_export_model;

/* ---- read_answers.c ----------------------------------------------------------- */

/* What a body tells of an example. */
typedef struct serve_answers {
  scant_study_answer *list;
  size_t count;
} serve_answers;

/* Reads {"glucose": 5.4, "scan": null, "crp": {"missing": "refused"}, "hba1c": {"value": 97, "confirmed": true}}.
 * `object` SCANT_JSON_NONE: it is not there, which is refused.  serve_answers_free also after a failure. */
scant_status serve_answers_read(serve_call *call, size_t object, serve_answers *answers, scant_error *error);
void serve_answers_free(serve_answers *answers);
/* A finite number; SCANT_USAGE with `name` if the node is anything else. */
scant_status serve_number(const serve_call *call, size_t node, const char *name, double *x, scant_error *error);
/* A member that must be a text, and there. */
scant_status serve_need_text(serve_call *call, const char *name, const char **text, scant_error *error);

/* ---- order_actions.c ----------------------------------------------------------- */

/* Must first entries that wait for their second one be hidden from this person? */
int serve_is_blind(const serve_call *call);
/* Puts the fields of an order into the object at hand; `row`: with those of a worklist.  Where first entries are
 * hidden, a line that waits for its second entry is told, and has no value. */
scant_status serve_put_order(serve_call *call, const scant_study_order *order, int row, scant_error *error);
/* The same of the last order of the example of the path, and its tag. */
scant_status serve_put_last_order(serve_call *call, scant_error *error);
/* The whole answer: that order. */
scant_status serve_answer_order(serve_call *call, scant_error *error);
/* The tag of an example, as member `etag`; null: nothing is known of it. */
scant_status serve_put_tag(serve_call *call, const char *example, scant_error *error);

/* ---- example.c ----------------------------------------------------------------- */

/* Refuses with 404 if nothing is known of the example of the path. */
scant_status serve_need_example(serve_call *call, scant_error *error);
/* What everybody who reads events wants beside the fields of the history. */
void serve_put_event_rest(scant_json_writer *out, const scant_study_event *event);
/* Values of an event, or of an import. */
void serve_put_values(serve_call *call, const char *key, const scant_study_event *event);

/* ---- refusals.c ---------------------------------------------------------------- */

/* Says more of what the library refused: which values are stored and who told them, or which ones are unusual.
 * Returns `status`. */
scant_status serve_explain(serve_call *call, const char *example, const serve_answers *answers, scant_status status,
                           scant_error *error);

#endif
