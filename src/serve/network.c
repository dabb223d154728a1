/* The thread of the network: libmicrohttpd with epoll. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/error.h"
#include "core/memory.h"
#include "serve/inside.h"

void serve_exchange_release(serve_exchange *exchange) {
  if (!exchange || atomic_fetch_sub(&exchange->holders, 1) > 1) return;
  serve_call_free(&exchange->call);
  serve_answer_free(&exchange->answer);
  scant_json_free(&exchange->request.body);
  for (size_t i = 0; i < sizeof exchange->headers / sizeof *exchange->headers; i++) free(exchange->headers[i]);
  atomic_fetch_sub(&exchange->server->body_bytes, exchange->body_room);
  free(exchange->body);
  free(exchange->made);
  free(exchange->values);
  free(exchange->room);
  free(exchange->target);
  free(exchange);
}

/* The first line has come: the exchange begins.  NULL: out of memory. */
static void *begin(void *user, const char *target, struct MHD_Connection *connection) {
  scant_server *server = user;
  serve_exchange *exchange = calloc(1, sizeof *exchange);
  if (!exchange) return NULL;
  exchange->server = server;
  exchange->connection = connection;
  exchange->number = atomic_fetch_add(&server->requests, 1);
  atomic_init(&exchange->holders, 1);
  exchange->target = scant_copy_text(target, strlen(target));
  if (exchange->target) return exchange;
  free(exchange);
  return NULL;
}

/* Paths are decoded by decode.c, part by part. */
static size_t keep_escapes(void *user, struct MHD_Connection *connection, char *text) {
  (void)user, (void)connection;
  return strlen(text);
}

static void refuse_body(serve_exchange *exchange, int status, const char *code, const char *sentence) {
  serve_answer_problem(&exchange->answer, status, code, sentence, NULL);
  exchange->is_discarding = 1;
}

/* Takes a part of the body; 0: the connection is to be closed. */
static int add_body(serve_exchange *exchange, const char *bytes, size_t length) {
  exchange->body_length += length;
  if (exchange->is_discarding) return exchange->body_length <= SERVE_BODY_DISCARD;
  size_t most = exchange->who.is_known ? SERVE_BODY_MOST : SERVE_BODY_UNKNOWN, before = exchange->body_room;
  if (exchange->body_length > most) {
    refuse_body(exchange, 413, "size", "the body is too long");
  } else if (!scant_grow(&exchange->body, &exchange->body_room, exchange->body_length + 1, 1)) {
    refuse_body(exchange, 503, "storage", "out of memory");
  } else {
    memcpy(exchange->body + exchange->body_length - length, bytes, length);
    size_t all = atomic_fetch_add(&exchange->server->body_bytes, exchange->body_room - before);
    if (all > SERVE_BODIES_MOST) refuse_body(exchange, 503, "busy", "too many requests are being read");
  }
  return 1;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *bytes, size_t *length, void **context) {
  (void)user, (void)connection, (void)url, (void)version;
  serve_exchange *exchange = *context;
  if (!exchange) return MHD_NO;
  if (!exchange->has_head) {
    exchange->has_head = 1;
    serve_head_read(exchange, method);
    return exchange->is_early ? serve_answer_send(exchange) : MHD_YES;
  }
  if (*length) {
    size_t taken = *length;
    *length = 0;
    return add_body(exchange, bytes, taken) ? MHD_YES : MHD_NO;
  }
  if (!exchange->has_all) {
    exchange->has_all = 1;
    if (!exchange->answer.status) serve_exchange_work(exchange);
    if (exchange->is_suspended) return MHD_YES;
  }
  return serve_answer_send(exchange);
}

static void end(void *user, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode how) {
  (void)user, (void)connection, (void)how;
  serve_exchange_release(*context);
  *context = NULL;
}

scant_status serve_network_start(scant_server *server, scant_error *error) {
  server->daemon =
      MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL, handle, server, /**/
                       MHD_OPTION_LISTEN_SOCKET, server->listener,                                            /**/
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_HEAD_MOST,                           /**/
                       MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVE_CONNECTIONS,                              /**/
                       MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVE_IDLE,                                   /**/
                       MHD_OPTION_URI_LOG_CALLBACK, begin, server,                                            /**/
                       MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,                                      /**/
                       MHD_OPTION_NOTIFY_COMPLETED, end, NULL,                                                /**/
                       MHD_OPTION_END);
  if (!server->daemon) return scant_fail(error, SCANT_IO, "the server could not be started at %s", server->url);
  return SCANT_OK;
}

void serve_network_stop(scant_server *server, double seconds) {
  (void)seconds;
  if (!server->daemon) return;
  MHD_stop_daemon(server->daemon);
  server->daemon = NULL;
  server->listener = -1; /* it closed it */
}
