/* The page and the description of the interface, which are part of the program. */
#include <stdio.h>
#include <string.h>

#include "http/server.h"

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
