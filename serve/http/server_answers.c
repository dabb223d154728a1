/* Answers of the server itself: whether it is there, who is signed in, which studies there are, the page and the
 * description of the interface, which are part of the program, and what is counted, for Prometheus. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "http/server.h"

static void put_document(serve_exchange *exchange, scant_json_writer *out) {
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
    serve_refuse_stopping(exchange);
    return;
  }
  for (size_t i = 0; i < exchange->server->study_count; i++) {
    if (!serve_trouble_is(&exchange->server->studies[i])) continue;
    /* Anybody may ask, so names of studies and files are not for this answer. */
    serve_turn_away(exchange, 503, "storage", "a study can't be written: the server has printed which one, and why");
    return;
  }
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_flag(&out, "ready", 1);
  scant_json_close(&out);
  put_document(exchange, &out);
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
  put_document(exchange, &out);
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
    serve_turn_away(exchange, 422, "usage", "give \"token\" or \"code\", as a text");
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
  put_document(exchange, &out);
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
  serve_turn_away(exchange, 308, "moved", "the page is at the same address with a / behind it");
  snprintf(exchange->answer.location, sizeof exchange->answer.location, "%s/", exchange->server->base);
}

void serve_own_description(serve_exchange *exchange) {
  const serve_file *file = serve_file_find("openapi.json");
  if (file)
    put_file(exchange, file);
  else
    serve_turn_away(exchange, 404, "unknown", "there is no description in this build");
}

/* ---- what is counted --------------------------------------------------------------- */

static const double limits[SERVE_BUCKETS] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 10};

void serve_metrics_count(serve_metrics *metrics, int status, double seconds) {
  size_t bucket = 0;
  while (bucket < SERVE_BUCKETS && seconds > limits[bucket]) bucket++;
  atomic_fetch_add(&metrics->buckets[bucket], 1);
  atomic_fetch_add(&metrics->microseconds, (unsigned long long)(1e6 * seconds));
  if (status >= 100 && status < 600) atomic_fetch_add(&metrics->answers[status / 100], 1);
}

/* A text that grows up to its room. */
typedef struct {
  char *text;
  size_t length, room;
} page;

__attribute__((format(printf, 2, 3))) static void put(page *out, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(out->text + out->length, out->room - out->length, format, arguments);
  va_end(arguments);
  if (length > 0 && (size_t)length < out->room - out->length) out->length += (size_t)length;
}

static void put_one(page *out, const char *name, const char *kind, const char *help, unsigned long long value) {
  put(out, "# HELP %s %s\n# TYPE %s %s\n%s %llu\n", name, help, name, kind, name, value);
}

static void put_answers(page *out, const serve_metrics *m) {
  put(out, "# HELP scant_answers_total Answers by the class of their status.\n# TYPE scant_answers_total counter\n");
  for (int i = 2; i < 6; i++)
    put(out, "scant_answers_total{status=\"%dxx\"} %llu\n", i, (unsigned long long)atomic_load(&m->answers[i]));
  put(out, "# HELP scant_answer_seconds From the head of a request to its answer.\n");
  put(out, "# TYPE scant_answer_seconds histogram\n");
  unsigned long long sum = 0;
  for (size_t i = 0; i < SERVE_BUCKETS; i++) {
    sum += atomic_load(&m->buckets[i]);
    put(out, "scant_answer_seconds_bucket{le=\"%g\"} %llu\n", limits[i], sum);
  }
  sum += atomic_load(&m->buckets[SERVE_BUCKETS]);
  put(out, "scant_answer_seconds_bucket{le=\"+Inf\"} %llu\n", sum);
  unsigned long long time = atomic_load(&m->microseconds);
  put(out, "scant_answer_seconds_sum %llu.%06llu\nscant_answer_seconds_count %llu\n", time / 1000000, time % 1000000,
      sum);
}

/* A name as the value of a label. */
static void put_label(page *out, const char *name) {
  for (const char *c = name; *c; c++) put(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
}

static void put_studies(page *out, const serve_exchange *exchange) {
  const scant_server *server = exchange->server;
  put(out, "# HELP scant_open_orders Orders of which something is still to come.\n# TYPE scant_open_orders gauge\n");
  for (size_t i = 0; i < server->study_count; i++) {
    if (!(exchange->who.opens >> i & 1)) continue;
    put(out, "scant_open_orders{study=\"");
    put_label(out, server->studies[i].name);
    put(out, "\"} %llu\n", (unsigned long long)atomic_load(&server->studies[i].open));
  }
}

void serve_own_metrics(serve_exchange *exchange) {
  scant_server *server = exchange->server;
  const serve_metrics *m = &server->metrics;
  page out = {.room = 8192 + 600 * server->study_count};
  out.text = malloc(out.room);
  if (!out.text) {
    serve_turn_away(exchange, 503, "storage", "out of memory");
    return;
  }
  put_answers(&out, m);
  put_one(&out, "scant_sign_in_failures_total", "counter", "Tokens and links that opened nothing.",
          atomic_load(&m->failures));
  put_one(&out, "scant_writes_total", "counter", "Requests that wrote to a study.", atomic_load(&m->writes));
  put_one(&out, "scant_replays_total", "counter", "Requests that were answered from what was remembered.",
          atomic_load(&m->replays));
  put_one(&out, "scant_groups_total", "counter", "Transactions for writes, those that could not begin too.",
          atomic_load(&m->groups));
  put_one(&out, "scant_cut_total", "counter", "Connections that were closed since they were too slow.",
          atomic_load(&m->cut));
  put_one(&out, "scant_connections", "gauge", "Open connections.", (unsigned long long)atomic_load(&m->connections));
  put_one(&out, "scant_sessions", "gauge", "Sessions of browsers.", server->access->sessions.count);
  put_one(&out, "scant_body_bytes", "gauge", "Bytes of bodies that are being read.", atomic_load(&server->body_bytes));
  put_studies(&out, exchange);
  exchange->answer.status = 200;
  exchange->answer.type = "text/plain; version=0.0.4; charset=utf-8";
  exchange->answer.text = out.text;
  exchange->answer.length = out.length;
}
