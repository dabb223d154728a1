/* One request with one study: what is done around its action. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "http/server.h"

scant_status serve_body_read(serve_exchange *exchange, scant_error *error) {
  if (!exchange->body_length) return SCANT_OK;
  const char *text = exchange->body;
  size_t length = exchange->body_length;
  scant_error why;
  if (exchange->is_form) {
    scant_status status = serve_form_to_json(text, length, &exchange->made, &length, &why);
    if (status != SCANT_OK)
      return serve_refuse(&exchange->call, status == SCANT_USAGE ? 400 : 503, "body", error, "the form: %s", why.text);
    text = exchange->made;
  }
  scant_status status = scant_json_parse(&exchange->request.body, text, length, &why);
  if (status == SCANT_MEMORY) return scant_fail_memory(error);
  if (status != SCANT_OK) return serve_refuse(&exchange->call, 400, "body", error, "the body is no JSON: %s", why.text);
  if (exchange->request.body.nodes[0].type != SCANT_JSON_OBJECT)
    return serve_refuse(&exchange->call, 422, "usage", error, "the body is not an object");
  return SCANT_OK;
}

/* The tag of what the route is about, as it is now; empty: it is not there. */
static scant_status make_tag(const serve_exchange *exchange, scant_study *study, char tag[SERVE_TAG_LENGTH],
                             scant_error *error) {
  tag[0] = 0;
  switch (exchange->route->tag) {
    case SERVE_TAG_EXAMPLE:
      return serve_tag_example(study, exchange->request.arguments[1], tag, error);
    case SERVE_TAG_STUDY:
      return serve_tag_study(study, exchange->who.role, tag, error);
    case SERVE_TAG_TERMS:
      return serve_tag_terms(study, tag, error);
    case SERVE_TAG_NONE:
      break;
  }
  return SCANT_OK;
}

/* Is what the client saw still so?  *is_done: it has what it asks for. */
static scant_status check_tag(serve_exchange *exchange, scant_study *study, int *is_done, scant_error *error) {
  const serve_request *request = &exchange->request;
  serve_call *call = &exchange->call;
  int writes = (exchange->route->flags & SERVE_WRITES) != 0;
  *is_done = 0;
  if ((exchange->route->flags & SERVE_NEEDS_MATCH) && !request->if_match)
    return serve_refuse(call, 428, "precondition_required", error,
                        "this needs the header If-Match, with the ETag of what you saw");
  if (exchange->route->tag == SERVE_TAG_NONE || !(request->if_match || (request->if_none_match && !writes)))
    return SCANT_OK;
  char tag[SERVE_TAG_LENGTH];
  SCANT_TRY(make_tag(exchange, study, tag, error));
  if (!tag[0]) return SCANT_OK; /* the action says that it is not there */
  if (request->if_match && !serve_tag_in(request->if_match, tag, 0)) {
    json_open(&call->members, NULL, '{');
    json_text(&call->members, "etag", tag);
    json_close(&call->members);
    return serve_refuse(call, 412, "changed", error, "somebody has changed it since you saw it: look at it again");
  }
  *is_done = !writes && request->if_none_match && serve_tag_in(request->if_none_match, tag, 1);
  if (*is_done) {
    exchange->answer = (serve_answer){.status = 304};
    snprintf(exchange->answer.etag, sizeof exchange->answer.etag, "%s", tag);
  }
  return SCANT_OK;
}

static scant_status run(serve_exchange *exchange, scant_study *study, scant_error *error) {
  serve_call *call = &exchange->call;
  int is_done, writes = (exchange->route->flags & SERVE_WRITES) != 0;
  SCANT_TRY(serve_body_read(exchange, error));
  if (writes) {
    SCANT_TRY(serve_once_recall(exchange, study, &is_done, error));
    if (is_done) {
      atomic_fetch_add(&exchange->server->metrics.replays, 1);
      return SCANT_OK;
    }
  }
  SCANT_TRY(check_tag(exchange, study, &is_done, error));
  if (is_done) return SCANT_OK;
  /* Somebody may write while this reads.  A tag that is older than what goes with it is looked at again, a newer one
   * would never be. */
  char seen[SERVE_TAG_LENGTH] = "";
  if (!writes) SCANT_TRY(make_tag(exchange, study, seen, error));
  if (writes) {
    SCANT_TRY(scant_study_sign(study, call->by, call->via, error));
    scant_study_take_new_names(study, 0);
    atomic_fetch_add(&exchange->server->metrics.writes, 1);
  }
  SCANT_TRY(exchange->route->action(call, error));
  if (writes)
    SCANT_TRY(make_tag(exchange, study, call->etag, error));
  else
    memcpy(call->etag, seen, sizeof seen);
  SCANT_TRY(serve_answer_take(&exchange->answer, call, error));
  if (!writes) return SCANT_OK;
  scant_status status = serve_once_remember(exchange, study, error);
  return exchange->route->flags & SERVE_ALONE ? SCANT_OK : status; /* what stands alone can't be taken back */
}

scant_status serve_act(serve_exchange *exchange, scant_study *study, scant_error *error) {
  exchange->call = (serve_call){.study = study,
                                .study_name = exchange->study->name,
                                .study_path = exchange->study->path,
                                .request = &exchange->request,
                                .by = exchange->who.name,
                                .via = exchange->who.by_cookie ? "page" : "service",
                                .role = exchange->who.role,
                                .base = exchange->server->base,
                                .stopping = &exchange->server->stopping};
  scant_status status = run(exchange, study, error);
  if (status != SCANT_OK) serve_answer_failure(&exchange->answer, &exchange->call, status, error);
  return status;
}
