/* The thread of the network: libmicrohttpd with epoll. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "scant_base.h"
#include "http/server.h"

/* Seconds for an answer to go out: who reads it byte by byte must not keep a place for ever. */
#define SENDING 300

static void free_exchange(serve_exchange *exchange) {
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

/* Ends the exchange of a connection of which libmicrohttpd (0.9.75) says nothing any more: a cookie that can't be read
 * and a length that is none make it forget to. */
static void end_forgotten(scant_server *server, serve_connection *line) {
  serve_exchange **exchange = serve_watch_exchange(line);
  if (!exchange || !*exchange) return;
  free_exchange(*exchange);
  *exchange = NULL;
  atomic_fetch_sub(&server->active, 1);
}

/* The first line has come: the exchange begins.  NULL: out of memory. */
static void *begin(void *user, const char *target, struct MHD_Connection *connection) {
  scant_server *server = user;
  serve_exchange *exchange = calloc(1, sizeof *exchange);
  if (!exchange) return NULL;
  exchange->server = server;
  exchange->connection = connection;
  exchange->number = atomic_fetch_add(&server->requests, 1);
  exchange->begun = serve_now(server);
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  exchange->line = info ? info->socket_context : NULL;
  exchange->target = scant_copy_text(target, strlen(target));
  if (!exchange->target) {
    free(exchange);
    return NULL;
  }
  end_forgotten(server, exchange->line);
  if (exchange->line) *serve_watch_exchange(exchange->line) = exchange;
  atomic_fetch_add(&server->active, 1);
  serve_watch_until(server, exchange->line, server->patience, 1);
  return exchange;
}

/* Paths are decoded by decode.c, part by part. */
static size_t keep_escapes(void *user, struct MHD_Connection *connection, char *text) {
  (void)user, (void)connection;
  return strlen(text);
}

static void refuse_body(serve_exchange *exchange, int status, const char *code, const char *sentence) {
  serve_turn_away(exchange, status, code, "%s", sentence);
  exchange->is_discarding = 1;
}

/* Takes a part of the body; 0: the connection is to be closed. */
static int add_body(serve_exchange *exchange, const char *bytes, size_t length) {
  exchange->body_length += length;
  if (exchange->is_discarding) return exchange->body_length <= SERVE_BODY_DISCARD;
  size_t most = serve_body_most(exchange), before = exchange->body_room;
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

/* Sends the answer, which is there. */
static enum MHD_Result send_answer(serve_exchange *exchange) {
  serve_watch_until(exchange->server, exchange->line, SENDING, 0);
  return serve_answer_send(exchange);
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *bytes, size_t *length, void **context) {
  (void)connection, (void)url, (void)version;
  scant_server *server = user;
  serve_exchange *exchange = *context;
  if (!exchange) return MHD_NO;
  if (!exchange->has_head) {
    exchange->has_head = 1;
    serve_watch_until(server, exchange->line, 3 * server->patience, 1);
    serve_head_read(exchange, method);
    return exchange->is_early ? send_answer(exchange) : MHD_YES;
  }
  if (*length) {
    size_t taken = *length;
    *length = 0;
    return add_body(exchange, bytes, taken) ? MHD_YES : MHD_NO;
  }
  if (!exchange->has_all) {
    exchange->has_all = 1;
    serve_watch_until(server, exchange->line, INFINITY, 0); /* it waits for us */
    if (!exchange->answer.status) serve_exchange_work(exchange);
    if (exchange->is_suspended) return MHD_YES;
  }
  return send_answer(exchange);
}

/* Closes a connection whose client has gone already.  libmicrohttpd does not notice if the end came together with the
 * request, or while the connection was suspended, and would keep it until it was idle for long. */
static void close_if_left(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  char byte;
  if (info && recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) shutdown(info->connect_fd, SHUT_RDWR);
}

static void end(void *user, struct MHD_Connection *connection, void **context, enum MHD_RequestTerminationCode how) {
  scant_server *server = user;
  serve_exchange *exchange = *context;
  (void)how;
  if (!exchange) return;
  close_if_left(connection);
  serve_watch_until(server, exchange->line, SERVE_IDLE + server->patience, 1);
  if (exchange->line) *serve_watch_exchange(exchange->line) = NULL;
  free_exchange(exchange);
  *context = NULL;
  atomic_fetch_sub(&server->active, 1);
}

/* A connection has come or is to be closed. */
static void note_connection(void *user, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode what) {
  scant_server *server = user;
  if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
    end_forgotten(server, *context);
    serve_watch_remove(server, *context);
    atomic_fetch_sub(&server->metrics.connections, 1);
    return;
  }
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *context = info ? serve_watch_add(server, info->connect_fd, server->patience) : NULL;
  atomic_fetch_add(&server->metrics.connections, 1);
  /* One that nobody watches is not kept. */
  if (info && !*context) shutdown(info->connect_fd, SHUT_RDWR);
}

scant_status serve_network_start(scant_server *server, scant_error *error) {
  server->daemon =
      MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL, handle, server, /**/
                       MHD_OPTION_LISTEN_SOCKET, server->listener,                                            /**/
                       MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVE_HEAD_MOST,                           /**/
                       MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVE_CONNECTIONS,                              /**/
                       MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(server->clock ? 0 : SERVE_IDLE),             /**/
                       MHD_OPTION_URI_LOG_CALLBACK, begin, server,                                            /**/
                       MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,                                      /**/
                       MHD_OPTION_NOTIFY_COMPLETED, end, server,                                              /**/
                       MHD_OPTION_NOTIFY_CONNECTION, note_connection, server,                                 /**/
                       MHD_OPTION_END);
  if (!server->daemon) return scant_fail(error, SCANT_IO, "the server could not be started at %s", server->url);
  return SCANT_OK;
}

/* Waits until a count is 0, for so many seconds at most. */
static void wait_for(const scant_server *server, const atomic_int *count, double seconds) {
  double until = serve_now(server) + seconds;
  struct timespec moment = {.tv_nsec = 5000000};
  while (atomic_load(count) > 0 && serve_now(server) < until) nanosleep(&moment, NULL);
}

void serve_network_stop(scant_server *server, double seconds) {
  atomic_store(&server->draining, 1);
  if (!server->daemon) return;
  /* Nobody can connect from here on.  It is closed behind the daemon, whose thread may still be looking at it. */
  if (MHD_quiesce_daemon(server->daemon) >= 0) shutdown(server->listener, SHUT_RDWR);
  wait_for(server, &server->active, seconds);
  /* From here on nothing more goes to a worker.  What is with one has to come back: a connection that is suspended
   * can't be closed. */
  atomic_store(&server->stopping, 1);
  wait_for(server, &server->busy, INFINITY);
  wait_for(server, &server->active, seconds < 1 ? seconds : 1);
  MHD_stop_daemon(server->daemon);
  server->daemon = NULL;
}
