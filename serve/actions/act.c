/* One request with one study: what is done around its action. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
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

/* ---- requests that are sent twice are done once: Idempotency-Key -------------------- */

/* Of what was asked: method, address and body. */
static void digest_of(const serve_exchange *exchange, char digest[SCANT_SHA256_TEXT]) {
  scant_sha256 sum;
  scant_sha256_begin(&sum);
  scant_sha256_add(&sum, exchange->request.method, strlen(exchange->request.method) + 1);
  scant_sha256_add(&sum, exchange->target, strlen(exchange->target) + 1);
  scant_sha256_add(&sum, exchange->body, exchange->body_length);
  scant_sha256_end(&sum, digest);
}

static int is_key(const char *key) {
  size_t length = strlen(key);
  for (size_t i = 0; i < length; i++)
    if (key[i] < 0x20 || key[i] > 0x7e) return 0;
  return length >= 1 && length <= 200;
}

/* An answer as it is kept: "200 1 "e17"", a line end, and the body; 1 is the role that it was for. */
static scant_status restore(serve_exchange *exchange, const char *kept, scant_error *error) {
  const char *line = strchr(kept, '\n');
  serve_answer *answer = &exchange->answer;
  char *end;
  int status = (int)strtol(kept, &end, 10);
  long role = strtol(end, &end, 10);
  if (!line || end >= line || *end != ' ') return scant_fail(error, SCANT_IO, "a remembered answer can't be read");
  if ((long)exchange->who.role < role)
    return serve_refuse(
        &exchange->call, 403, "role", error,
        "this was done, and answered, when you had the role %s: what you have now does not see that answer",
        scant_role_name((scant_role)role));
  *answer = (serve_answer){.status = status, .type = "application/json", .replayed = 1};
  snprintf(answer->etag, sizeof answer->etag, "%.*s", (int)(line - end - 1), end + 1);
  answer->length = strlen(line + 1);
  if (!answer->length) return SCANT_OK;
  answer->text = malloc(answer->length + 1);
  if (!answer->text) return scant_fail_memory(error);
  memcpy(answer->text, line + 1, answer->length + 1);
  return SCANT_OK;
}

/* Was it done before?  Then *is_done, and the answer is the one given then. */
static scant_status recall(serve_exchange *exchange, scant_study *study, int *is_done, scant_error *error) {
  const scant_study_request *before;
  const char *key = exchange->request.key;
  *is_done = 0;
  if (!key) return SCANT_OK;
  if (!is_key(key)) return scant_fail(error, SCANT_USAGE, "Idempotency-Key is 1 to 200 printable characters of ASCII");
  SCANT_TRY(scant_study_recall(study, exchange->who.name, key, &before, error));
  if (!before) return SCANT_OK;
  char digest[SCANT_SHA256_TEXT];
  digest_of(exchange, digest);
  if (strcmp(digest, before->digest) != 0)
    return serve_refuse(&exchange->call, 422, "key_reused", error, "this Idempotency-Key was used for another request");
  SCANT_TRY(restore(exchange, before->answer, error));
  *is_done = 1;
  return SCANT_OK;
}

static scant_status remember(serve_exchange *exchange, scant_study *study, scant_error *error) {
  const serve_answer *answer = &exchange->answer;
  if (!exchange->request.key) return SCANT_OK;
  size_t size = answer->length + sizeof answer->etag + 32;
  char digest[SCANT_SHA256_TEXT], *kept = malloc(size);
  if (!kept) return scant_fail_memory(error);
  digest_of(exchange, digest);
  snprintf(kept, size, "%d %d %s\n%.*s", answer->status, (int)exchange->who.role, answer->etag, (int)answer->length,
           answer->text ? answer->text : "");
  serve_call *call = &exchange->call;
  scant_study_request request = {
      .by = exchange->who.name, .key = exchange->request.key, .digest = digest, .answer = kept};
  /* What erased somebody does not name them: the name would be back. */
  int is_alone = (exchange->route->flags & SERVE_ALONE) != 0;
  scant_status status = SCANT_OK;
  if (!is_alone && exchange->request.argument_count > 1)
    status = serve_mention(call, exchange->request.arguments[1], error);
  if (status == SCANT_OK)
    status = scant_study_remember(study, &request, (const char *const *)call->examples,
                                  is_alone ? 0 : call->example_count, error);
  free(kept);
  return status;
}

/* ---- tags --------------------------------------------------------------------------- */

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
    scant_json_open(&call->members, NULL, '{');
    scant_json_text(&call->members, "etag", tag);
    scant_json_close(&call->members);
    return serve_refuse(call, 412, "changed", error, "somebody has changed it since you saw it: look at it again");
  }
  *is_done = !writes && request->if_none_match && serve_tag_in(request->if_none_match, tag, 1);
  if (*is_done) {
    exchange->answer = (serve_answer){.status = 304};
    snprintf(exchange->answer.etag, sizeof exchange->answer.etag, "%s", tag);
  }
  return SCANT_OK;
}

/* ---- the action ---------------------------------------------------------------------- */

static scant_status run(serve_exchange *exchange, scant_study *study, scant_error *error) {
  serve_call *call = &exchange->call;
  int is_done, writes = (exchange->route->flags & SERVE_WRITES) != 0;
  SCANT_TRY(serve_body_read(exchange, error));
  if (writes) {
    SCANT_TRY(recall(exchange, study, &is_done, error));
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
  int is_object = !(exchange->route->flags & SERVE_LIST);
  if (is_object) scant_json_open(&call->out, NULL, '{');
  SCANT_TRY(exchange->route->action(call, error));
  if (is_object) scant_json_close(&call->out);
  if (writes)
    SCANT_TRY(make_tag(exchange, study, call->etag, error));
  else
    memcpy(call->etag, seen, sizeof seen);
  SCANT_TRY(serve_answer_take(&exchange->answer, call, error));
  if (!writes) return SCANT_OK;
  scant_status status = remember(exchange, study, error);
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
                                .server = exchange->server};
  scant_status status = run(exchange, study, error);
  if (status != SCANT_OK) serve_answer_failure(&exchange->answer, &exchange->call, status, error);
  return status;
}
