/* Answers: problems, documents, downloads, and the headers that every one of them has. */
#include "scant_base.h"
#include "http/server.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POLICY                                                                                                   \
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src " \
  "'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

void serve_answer_free(serve_answer *answer) {
  free(answer->text);
  answer->text = NULL;
}

/* Puts the members of another object, which is closed, behind those of a document: {"a": 1} and {"b": 2} become
 * {"a": 1, "b": 2}.  Without memory for it the document stays as it is. */
static void put_members(serve_answer *answer, const scant_json_writer *members) {
  if (!answer->text || !members || members->failed || members->depth || members->length < 3) return;
  size_t kept = answer->length - 2, inner = members->length - 2; /* without "}\n"; without both brackets */
  char *text = malloc(kept + inner + 5);
  if (!text) return;
  int length =
      snprintf(text, kept + inner + 5, "%.*s, %.*s}\n", (int)kept, answer->text, (int)inner, members->text + 1);
  free(answer->text);
  answer->text = text;
  answer->length = (size_t)length;
}

/* A problem in place of what the answer was.  `members`: more of it, as a closed object, or NULL. */
static void put_problem(serve_answer *answer, int status, const char *code, const char *sentence,
                        const scant_json_writer *members) {
  /* If not even this much memory is there, the status alone goes out. */
  serve_answer fresh = {.status = status, .type = "application/problem+json", .closes = answer->closes};
  memcpy(fresh.cookie, answer->cookie, sizeof fresh.cookie);
  memcpy(fresh.allow, answer->allow, sizeof fresh.allow);
  if (status == 503 || status == 429) fresh.retry_after = 1;
  fresh.is_storage = !strcmp(code, "storage");
  const char *title = MHD_get_reason_phrase_for((unsigned)status);
  scant_json_writer out = {0};
  scant_json_open(&out, NULL, '{');
  scant_json_text(&out, "type", "about:blank");
  scant_json_text(&out, "title", title ? title : "Problem");
  scant_json_count(&out, "status", (uint64_t)status);
  scant_json_text(&out, "detail", sentence);
  scant_json_text(&out, "code", code);
  scant_json_close(&out);
  scant_error none;
  if (scant_json_take(&out, &fresh.text, &fresh.length, &none) == SCANT_OK) put_members(&fresh, members);
  serve_answer_free(answer);
  *answer = fresh;
}

int serve_turn_away(serve_exchange *exchange, int status, const char *code, const char *format, ...) {
  char sentence[SCANT_ERROR_LENGTH];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  put_problem(&exchange->answer, status, code, sentence, NULL);
  return 0;
}

void serve_answer_failure(serve_answer *answer, const serve_call *call, scant_status status, const scant_error *error) {
  static const struct {
    int status;
    const char *code;
  } problems[] = {
      [SCANT_OK] = {500, "internal"},      [SCANT_USAGE] = {422, "usage"}, [SCANT_DATA] = {422, "data"},
      [SCANT_NO_INPUT] = {503, "storage"}, [SCANT_IO] = {503, "storage"},  [SCANT_MEMORY] = {503, "storage"},
      [SCANT_MISUSE] = {409, "conflict"},  [SCANT_SPENT] = {409, "spent"}, [SCANT_BUSY] = {503, "busy"},
      [SCANT_STOPPED] = {503, "stopping"},
  };
  int http = call && call->status ? call->status : problems[status].status;
  const char *code = call && call->code ? call->code : problems[status].code;
  put_problem(answer, http, code, error->text, call ? &call->members : NULL);
}

scant_status serve_answer_take(serve_answer *answer, serve_call *call, scant_error *error) {
  *answer = (serve_answer){.status = call->status ? call->status : 200, .type = call->type};
  snprintf(answer->etag, sizeof answer->etag, "%s", call->etag);
  snprintf(answer->file_name, sizeof answer->file_name, "%s", call->file_name);
  if (call->text) {
    answer->text = call->text;
    answer->length = call->length;
    call->text = NULL;
    return SCANT_OK;
  }
  if (!call->out.length && !call->out.failed) return SCANT_OK;
  answer->type = "application/json";
  return scant_json_take(&call->out, &answer->text, &answer->length, error);
}

static int add(struct MHD_Response *response, const char *name, const char *value) {
  return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* A name in a header, without what would end it there. */
static int add_file_name(struct MHD_Response *response, const char *name) {
  char text[320], plain[256];
  size_t length = 0;
  for (const char *c = name; *c && length + 1 < sizeof plain; c++)
    plain[length++] = (*c >= 0x20 && *c < 0x7f && *c != '"' && *c != '\\') ? *c : '_';
  plain[length] = 0;
  snprintf(text, sizeof text, "attachment; filename=\"%s\"", plain);
  return add(response, "Content-Disposition", text);
}

static int add_headers(const serve_exchange *exchange, struct MHD_Response *response) {
  const serve_answer *a = &exchange->answer;
  char number[32];
  snprintf(number, sizeof number, "%016" PRIx64, exchange->number);
  int good = add(response, "X-Request-Id", number) &&
             add(response, "Cache-Control", a->may_be_kept ? "no-cache" : "no-store") &&
             add(response, "X-Content-Type-Options", "nosniff") && add(response, "Referrer-Policy", "no-referrer") &&
             add(response, "Content-Security-Policy", POLICY) && add(response, "X-Frame-Options", "DENY") &&
             add(response, "Cross-Origin-Resource-Policy", "same-origin");
  if (good && a->type) good = add(response, "Content-Type", a->type);
  if (good && a->etag[0]) good = add(response, "ETag", a->etag);
  if (good && a->allow[0]) good = add(response, "Allow", a->allow);
  if (good && a->location[0]) good = add(response, "Location", a->location);
  if (good && a->cookie[0]) good = add(response, "Set-Cookie", a->cookie);
  if (good && a->file_name[0]) good = add_file_name(response, a->file_name);
  if (good && a->replayed) good = add(response, "Idempotency-Replayed", "true");
  if (good && a->status == 401) good = add(response, "WWW-Authenticate", "Bearer realm=\"scant\"");
  if (good && a->retry_after) {
    snprintf(number, sizeof number, "%d", a->retry_after);
    good = add(response, "Retry-After", number);
  }
  if (good && (a->closes || atomic_load(&exchange->server->draining))) good = add(response, "Connection", "close");
  return good;
}

enum MHD_Result serve_answer_send(serve_exchange *exchange) {
  serve_answer *a = &exchange->answer;
  serve_metrics_count(&exchange->server->metrics, a->status, serve_now(exchange->server) - exchange->begun);
  struct MHD_Response *response;
  if (a->fixed) {
    response = MHD_create_response_from_buffer(a->length, (void *)(uintptr_t)a->fixed, MHD_RESPMEM_PERSISTENT);
  } else {
    /* It frees the text. */
    response = MHD_create_response_from_buffer(a->text ? a->length : 0, a->text, MHD_RESPMEM_MUST_FREE);
    if (response) a->text = NULL;
  }
  if (!response) return MHD_NO; /* the connection is closed */
  enum MHD_Result result = MHD_NO;
  if (add_headers(exchange, response)) result = MHD_queue_response(exchange->connection, (unsigned)a->status, response);
  MHD_destroy_response(response);
  return result;
}
