/* Answers of the server itself: whether it is there, who is signed in, which studies there are, the page and the
 * description of the interface, which are part of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/server.h"

static void put(serve_exchange *exchange, scant_json_writer *out) {
  char cookie[sizeof exchange->answer.cookie];
  memcpy(cookie, exchange->answer.cookie, sizeof cookie);
  serve_call call = {.out = *out};
  scant_error error;
  scant_status status = serve_answer_take(&exchange->answer, &call, &error);
  if (status != SCANT_OK) serve_answer_failure(&exchange->answer, NULL, status, &error);
  memcpy(exchange->answer.cookie, cookie, sizeof cookie);
}

void serve_own_ready(serve_exchange *exchange) {
  if (atomic_load(&exchange->server->draining)) {
    serve_answer_problem(&exchange->answer, 503, "stopping", "the server is stopping", NULL);
    return;
  }
  for (size_t i = 0; i < exchange->server->study_count; i++) {
    if (!serve_trouble_is(&exchange->server->studies[i])) continue;
    /* Anybody may ask, so names of studies and files are not for this answer. */
    serve_answer_problem(&exchange->answer, 503, "storage",
                         "a study can't be written: the server has printed which one, and why", NULL);
    return;
  }
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_flag(&out, "ready", 1);
  scant_json_close(&out);
  put(exchange, &out);
}

void serve_own_session(serve_exchange *exchange) {
  const serve_who *who = &exchange->who;
  const scant_server *server = exchange->server;
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_text(&out, "name", who->name);
  scant_json_text(&out, "role", scant_role_name(who->role));
  scant_json_open(&out, "studies", '[');
  for (size_t i = 0; i < server->study_count; i++)
    if (who->opens >> i & 1) scant_json_text(&out, NULL, server->studies[i].name);
  scant_json_close(&out);
  scant_json_text(&out, "csrf", who->by_cookie ? who->csrf : NULL);
  scant_json_close(&out);
  put(exchange, &out);
}

/* A member of the body that is a text; NULL: it is none.  The caller frees it. */
static char *take_text(const serve_exchange *exchange, const char *name) {
  const scant_json *body = &exchange->request.body;
  size_t node = body->count ? scant_json_member(body, 0, name) : SCANT_JSON_NONE;
  return node != SCANT_JSON_NONE && body->nodes[node].type == SCANT_JSON_TEXT ? scant_json_copy(body, node) : NULL;
}

void serve_own_sign_in(serve_exchange *exchange) {
  scant_error error;
  scant_status status = serve_body_read(exchange, &error);
  if (status != SCANT_OK) {
    serve_answer_failure(&exchange->answer, &exchange->call, status, &error);
    return;
  }
  char *token = take_text(exchange, "token"), *code = take_text(exchange, "code");
  if (!token == !code)
    serve_answer_problem(&exchange->answer, 422, "usage", "give \"token\" or \"code\", as a text", NULL);
  else if (serve_access_sign_in(exchange, token, code))
    serve_own_session(exchange);
  free(token);
  free(code);
}

void serve_own_sign_out(serve_exchange *exchange) {
  serve_access_sign_out(exchange);
  exchange->answer.status = 204;
}

void serve_own_studies(serve_exchange *exchange) {
  const scant_server *server = exchange->server;
  char url[400];
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_open(&out, "items", '[');
  for (size_t i = 0; i < server->study_count; i++) {
    const serve_study *study = &server->studies[i];
    if (!(exchange->who.opens >> i & 1)) continue;
    serve_study_url(study, url, sizeof url);
    scant_json_open(&out, NULL, '{');
    scant_json_text(&out, "name", study->name);
    scant_json_text(&out, "title", study->name);
    scant_json_text(&out, "role", scant_role_name(exchange->who.role));
    scant_json_text(&out, "url", url);
    scant_json_count(&out, "open", atomic_load(&study->open));
    scant_json_text(&out, "target", study->target);
    scant_json_close(&out);
  }
  scant_json_close(&out);
  scant_json_null(&out, "next");
  scant_json_close(&out);
  put(exchange, &out);
}

/* ---- files that are part of the program ------------------------------------------ */

const serve_file *serve_file_find(const char *name) {
  for (const serve_file *f = serve_files; f->name; f++)
    if (!strcmp(f->name, name)) return f;
  return NULL;
}

static void put_file(serve_exchange *exchange, const serve_file *file) {
  serve_answer *answer = &exchange->answer;
  answer->status = 200;
  answer->may_be_kept = 1;
  snprintf(answer->etag, sizeof answer->etag, "%s", file->etag);
  if (exchange->request.if_none_match && serve_tag_in(exchange->request.if_none_match, file->etag, 1)) {
    answer->status = 304;
    return;
  }
  answer->type = file->type;
  answer->fixed = file->bytes;
  answer->length = file->length;
}

void serve_own_page(serve_exchange *exchange) {
  if (exchange->file) {
    put_file(exchange, exchange->file);
    return;
  }
  serve_answer_problem(&exchange->answer, 308, "moved", "the page is at the same address with a / behind it", NULL);
  snprintf(exchange->answer.location, sizeof exchange->answer.location, "%s/", exchange->server->base);
}

void serve_own_description(serve_exchange *exchange) {
  const serve_file *file = serve_file_find("openapi.json");
  if (file)
    put_file(exchange, file);
  else
    serve_answer_problem(&exchange->answer, 404, "unknown", "there is no description in this build", NULL);
}
