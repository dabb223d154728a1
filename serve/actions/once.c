/* Requests that are sent twice are done once: Idempotency-Key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "http/server.h"

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

scant_status serve_once_recall(serve_exchange *exchange, scant_study *study, int *is_done, scant_error *error) {
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

scant_status serve_once_remember(serve_exchange *exchange, scant_study *study, scant_error *error) {
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
