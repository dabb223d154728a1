/* What the actions of the service see: the request, who sent it, the study, and where the answer goes.
 *
 * An action is a function of one row of the table in actions/routes.c.  It runs in the thread of its study, never in
 * the one that talks to the network.  It reads call->request, works on call->study and writes its answer into
 * call->out:
 *
 *   scant_status serve_ACTION(serve_call *call, scant_error *error) {
 *     const scant_study_order *order;
 *     SCANT_TRY(scant_study_find(call->study, serve_argument(call, 1), &order, error));
 *     scant_study_json_order(&call->out, call->study, order);
 *     return SCANT_OK;
 *   }
 *
 * What else an answer needs is done for it: its object is begun and ended, it is signed (scant_study_sign), it runs in
 * a group that is taken back when it fails, the role is checked, tags are compared and put into the answer, a key that
 * came before is answered without it, and a status other than SCANT_OK becomes a problem with the sentence of `error`.
 */
#ifndef SCANT_SERVE_ACTION_H
#define SCANT_SERVE_ACTION_H

#include "scant_json.h"
#include "scant_serve.h"
#include "scant_study.h"
#include "scant_study_json.h"

/* ---- the request ------------------------------------------------------------ */

enum { SERVE_ARGUMENTS = 4 };

/* A name with its value, decoded. */
typedef struct serve_value {
  const char *name, *value;
} serve_value;

typedef struct serve_request {
  const char *method;
  const char *target;                     /* path and query as they came */
  const char *arguments[SERVE_ARGUMENTS]; /* what stands at {study}, {example}, ... of the pattern, decoded */
  size_t argument_count;
  const serve_value *query;
  size_t query_count;
  /* The body: an object of JSON as it came, or made of a form.  body.count is 0 if there is none. */
  scant_json body;
  const char *if_match, *if_none_match, *key; /* headers; NULL: not there */
} serve_request;

/* ---- the call --------------------------------------------------------------- */

/* What the tag of an answer (ETag) is of. */
typedef enum serve_tag {
  SERVE_TAG_NONE,
  SERVE_TAG_EXAMPLE, /* the example that is argument 1: "e<its last event>" */
  SERVE_TAG_STUDY,   /* "s<last event><letter of the role>" */
  SERVE_TAG_TERMS    /* catalogue and settings: "t<...>" */
} serve_tag;

enum { SERVE_TAG_LENGTH = 40 };

/* What a body tells of an example. */
typedef struct serve_answers {
  scant_study_answer *list;
  size_t count;
} serve_answers;

typedef struct serve_call {
  scant_study *study;     /* a handle that writes; of slow routes one that reads */
  const char *study_name; /* clinic */
  const char *study_path; /* clinic.study, as it was given */
  const serve_request *request;
  const char *by;  /* whose request it is */
  const char *via; /* "page" or "service" */
  scant_role role;
  const char *base; /* the base path: "" or "/scant" */

  /* The answer, all empty at first. */
  scant_json_writer out;       /* the document, closed; nothing: no body */
  int status;                  /* 0: 200, or that of the problem */
  char etag[SERVE_TAG_LENGTH]; /* that of the route, which is filled in */
  const char *code;            /* of the problem; NULL: that of the status of the library */
  scant_json_writer members;   /* of the problem beside the usual ones: an object, closed */
  /* In place of `out`: a text (for free) of this type, to be kept under this name. */
  char *text;
  size_t length;
  const char *type;
  char file_name[256];
  /* Examples that the answer holds: a remembered answer goes when one of them is erased.  Copied by serve_mention;
   * the example of the path is among them without it. */
  char **examples;
  size_t example_count, example_room;
  serve_answers answers;      /* as serve_answers_read read them last */
  struct serve_kept *kept;    /* texts that live as long as the call */
  const scant_server *server; /* for serve_is_stopping and serve_time; NULL: none */
} serve_call;

/* SCANT_OK: call->out is the answer.  Else it is a problem, with the sentence of `error`. */
typedef scant_status serve_action(serve_call *call, scant_error *error);

/* ---- the table of routes ------------------------------------------------------ */

enum {
  SERVE_WRITES = 1,        /* takes an Idempotency-Key, and is signed and durable */
  SERVE_SLOW = 2,          /* runs in a reader of the study, and its answer is kept until there is an event */
  SERVE_SLOW_RISK = 4,     /* the same, unless the query says risk=no */
  SERVE_NEEDS_MATCH = 8,   /* without If-Match: 428 */
  SERVE_ALONE = 16,        /* can't be part of a group */
  SERVE_KEEP_NOTHING = 32, /* its answer is not kept, though it is slow */
  SERVE_LONG = 64,         /* of slow ones: it may take minutes, so it runs in a thread that others do not wait for */
  SERVE_LONG_ERRORS = 128, /* the same, if the query says errors=yes */
  SERVE_LIST = 256         /* its answer is a list, and no object */
};

typedef struct serve_route {
  const char *method;
  const char *pattern; /* under BASE/api/v1: "/studies/{study}/orders" */
  scant_role role;     /* the least */
  unsigned flags;
  serve_tag tag;
  const char *query; /* the names that its query may hold, separated by blanks; others: 422; NULL: none */
  serve_action *action;
} serve_route;

extern const serve_route serve_routes[]; /* actions/routes.c; ended by one without a method */

/* ---- what actions call: serve/actions/call.c ------------------------------------------ */

/* Argument number i of the path, decoded: 0 is the study. */
const char *serve_argument(const serve_call *call, size_t i);
/* The value of a name in the query; NULL: it is not there. */
const char *serve_query(const serve_call *call, const char *name);
/* The same as a whole number in a range; `preset` if it is not there.  SCANT_USAGE: it is none. */
scant_status serve_query_count(const serve_call *call, const char *name, uint64_t least, uint64_t most, uint64_t preset,
                               uint64_t *n, scant_error *error);
scant_status serve_query_real(const serve_call *call, const char *name, double preset, double *x, scant_error *error);
/* "yes" or "no"; `preset` if it is not there. */
scant_status serve_query_flag(const serve_call *call, const char *name, int preset, int *yes, scant_error *error);

/* Members of the body.  Node SCANT_JSON_NONE, NULL, `preset`: it is not there, or null.  SCANT_USAGE: it is of another
 * kind.  Texts are kept until the call ends. */
size_t serve_body(const serve_call *call, const char *name);
scant_status serve_body_text(serve_call *call, const char *name, const char **text, scant_error *error);
scant_status serve_body_flag(const serve_call *call, const char *name, int preset, int *yes, scant_error *error);
/* A text node of the body, kept until the call ends; NULL: out of memory. */
const char *serve_copy(serve_call *call, size_t node);
/* SCANT_USAGE if the object has a member that is none of these, which are separated by blanks. */
scant_status serve_check_members(const serve_call *call, size_t object, const char *allowed, scant_error *error);

/* Refuses with a status of HTTP and a code of our own: returns SCANT_DATA, with the sentence. */
__attribute__((format(printf, 5, 6))) scant_status serve_refuse(serve_call *call, int status, const char *code,
                                                                scant_error *error, const char *format, ...);

/* Says that the answer holds this example: see serve_call. */
scant_status serve_mention(serve_call *call, const char *example, scant_error *error);

/* The tags as they are now, with their quotes. */
scant_status serve_tag_example(scant_study *study, const char *example, char tag[SERVE_TAG_LENGTH], scant_error *error);
scant_status serve_tag_study(scant_study *study, scant_role role, char tag[SERVE_TAG_LENGTH], scant_error *error);
scant_status serve_tag_terms(const scant_study *study, char tag[SERVE_TAG_LENGTH], scant_error *error);

/* Should long work end?  It then returns SCANT_STOPPED. */
int serve_is_stopping(const serve_call *call);
/* Seconds of the server's clock. */
double serve_time(const serve_call *call);

/* ---- the actions of the table in routes.c, by the files that have them --------- */

/* results.c */
serve_action serve_get_study, serve_get_status, serve_get_purchases, serve_get_risks, serve_get_model,
    serve_get_outlook, serve_get_forecast, serve_predict;
/* order_actions.c */
serve_action serve_get_orders, serve_ask, serve_end, serve_reopen, serve_get_traces, serve_erase;
/* example_actions.c */
serve_action serve_get_example, serve_tell, serve_tell_second, serve_tell_extra, serve_correct, serve_import;
/* amendments.c */
serve_action serve_amend;
/* ledger_actions.c */
serve_action serve_get_events, serve_freeze, serve_get_proof;
/* exports.c */
serve_action serve_export_examples, serve_export_dictionary, serve_export_events, serve_export_ledger,
    serve_export_looks, serve_export_model;

/* ---- values.c ----------------------------------------------------------- */

/* Reads {"glucose": 5.4, "scan": null, "crp": {"missing": "refused"}, "hba1c": {"value": 97, "confirmed": true}}.
 * into call->answers.  `object` SCANT_JSON_NONE: it is not there, which is refused. */
scant_status serve_answers_read(serve_call *call, size_t object, scant_error *error);
void serve_answers_free(serve_answers *answers);
/* A finite number; SCANT_USAGE with `name` if the node is anything else. */
scant_status serve_number(const serve_call *call, size_t node, const char *name, double *x, scant_error *error);
/* A member that must be a text, and there. */
scant_status serve_need_text(serve_call *call, const char *name, const char **text, scant_error *error);

/* ---- order_actions.c ----------------------------------------------------------- */

/* Must first entries that wait for their second one be hidden from this person? */
int serve_is_blind(const serve_call *call);
/* Puts the fields of an order into the open object; `row`: with those of a worklist.  Where first entries are
 * hidden, a line that waits for its second entry is told, and has no value. */
scant_status serve_put_order(serve_call *call, const scant_study_order *order, int row, scant_error *error);
/* The same of the last order of the example of the path, and its tag. */
scant_status serve_put_last_order(serve_call *call, scant_error *error);
/* The tag of an example, as member `etag`; null: nothing is known of it. */
scant_status serve_put_tag(serve_call *call, const char *example, scant_error *error);

/* ---- example_actions.c ----------------------------------------------------------------- */

/* Refuses with 404 if nothing is known of the example of the path. */
scant_status serve_need_example(serve_call *call, scant_error *error);
/* Puts the fields of an event that the history does not have. */
void serve_put_event_rest(scant_json_writer *out, const scant_study_event *event);
/* Values of an event, or of an import. */
void serve_put_values(serve_call *call, const char *key, const scant_study_event *event);

/* Says more of call->answers that the library refused: which values are stored and who told them, or which ones are
 * unusual.  Returns `status`. */
scant_status serve_explain(serve_call *call, const char *example, scant_status status, scant_error *error);

#endif
