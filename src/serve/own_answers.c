/* What the server answers itself. */
#include "serve/inside.h"

#include <stdlib.h>

static void put(serve_exchange *exchange, json *out) {
  serve_call call = {.out = *out};
  serve_answer_take(&exchange->answer, &call);
}

void serve_own_ready(serve_exchange *exchange) {
  if (atomic_load(&exchange->server->draining)) {
    serve_answer_problem(&exchange->answer, 503, "stopping", "the server is stopping", NULL);
    return;
  }
  json out = {0};
  json_open(&out, NULL, '{');
  json_flag(&out, "ready", 1);
  json_close(&out);
  put(exchange, &out);
}
