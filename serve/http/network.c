/* The thread of the network: libmicrohttpd with epoll; and a watchdog, which cuts connections that are too slow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "scant_base.h"
#include "http/server.h"

/* ---- the watchdog ----------------------------------------------------------------------
 *
 * libmicrohttpd closes connections that are idle.  One that sends a byte now and then is not idle, and would keep its
 * place for ever.  So every connection has a time by which its head, its body or its answer must be through. */

struct serve_connection {
  serve_connection *next, **before;
  int socket;
  double deadline;
  int is_read; /* bytes of a request are waited for */
  int has_ended, is_cut;
  serve_exchange *exchange; /* of the network's thread: what is begun and not ended */
};

struct serve_watch {
  pthread_mutex_t mutex;
  pthread_cond_t ends;
  pthread_t thread;
  int has_thread, is_ending;
  serve_connection *first;
};

/* Has the client ended the connection, and did at the last look?  libmicrohttpd (0.9.75) does not see an end that comes
 * right behind the last bytes. */
static int is_over(serve_connection *c) {
  char byte;
  int before = c->has_ended;
  c->has_ended = c->is_read && recv(c->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  return before && c->has_ended;
}

static void look(scant_server *server, double now) {
  for (serve_connection *c = server->watch->first; c; c = c->next) {
    int is_gone = !c->is_cut && is_over(c);
    if (c->is_cut || (now < c->deadline && !is_gone)) continue;
    /* The thread of the network sees the end, and closes it. */
    shutdown(c->socket, SHUT_RDWR);
    c->is_cut = 1;
    if (!is_gone) atomic_fetch_add(&server->metrics.cut, 1);
  }
}

static void *watch(void *user) {
  scant_server *server = user;
  struct serve_watch *w = server->watch;
  double step = server->patience < 4 ? server->patience / 4 : 1;
  pthread_mutex_lock(&w->mutex);
  while (!w->is_ending) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double at = (double)until.tv_nsec * 1e-9 + step;
    until.tv_sec += (time_t)at;
    until.tv_nsec = (long)((at - floor(at)) * 1e9);
    pthread_cond_timedwait(&w->ends, &w->mutex, &until);
    look(server, serve_now(server));
  }
  pthread_mutex_unlock(&w->mutex);
  return NULL;
}

scant_status serve_watch_start(scant_server *server, scant_error *error) {
  struct serve_watch *w = server->watch = calloc(1, sizeof *w);
  if (!w) return scant_fail_memory(error);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&w->mutex, NULL);
  pthread_cond_init(&w->ends, &attributes);
  pthread_condattr_destroy(&attributes);
  w->has_thread = pthread_create(&w->thread, NULL, watch, server) == 0;
  return w->has_thread ? SCANT_OK : scant_fail(error, SCANT_MEMORY, "no thread can be made");
}

void serve_watch_stop(scant_server *server) {
  struct serve_watch *w = server->watch;
  if (!w) return;
  pthread_mutex_lock(&w->mutex);
  w->is_ending = 1;
  pthread_cond_signal(&w->ends);
  pthread_mutex_unlock(&w->mutex);
  if (w->has_thread) pthread_join(w->thread, NULL);
  pthread_mutex_destroy(&w->mutex);
  pthread_cond_destroy(&w->ends);
  free(w);
  server->watch = NULL;
}

/* is_read: bytes of a request are waited for, so a client that ends the connection wants nothing any more. */
static void watch_until(scant_server *server, serve_connection *connection, double seconds, int is_read) {
  if (!connection) return;
  pthread_mutex_lock(&server->watch->mutex);
  connection->deadline = serve_now(server) + seconds;
  connection->is_read = is_read;
  connection->has_ended = 0;
  pthread_mutex_unlock(&server->watch->mutex);
}

/* A connection has so many seconds from now on.  NULL: out of memory. */
static serve_connection *watch_add(scant_server *server, int socket, double seconds) {
  serve_connection *connection = calloc(1, sizeof *connection);
  if (!connection) return NULL;
  struct serve_watch *w = server->watch;
  connection->socket = socket;
  connection->deadline = serve_now(server) + seconds;
  connection->is_read = 1;
  pthread_mutex_lock(&w->mutex);
  connection->before = &w->first;
  connection->next = w->first;
  if (w->first) w->first->before = &connection->next;
  w->first = connection;
  pthread_mutex_unlock(&w->mutex);
  return connection;
}

static void watch_remove(scant_server *server, serve_connection *connection) {
  if (!connection) return;
  pthread_mutex_lock(&server->watch->mutex);
  *connection->before = connection->next;
  if (connection->next) connection->next->before = connection->before;
  pthread_mutex_unlock(&server->watch->mutex);
  free(connection);
}

/* ---- the network ------------------------------------------------------------------- */

/* Seconds for an answer to go out: a client that reads byte by byte must not keep its place for ever. */
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
  if (!line || !line->exchange) return;
  free_exchange(line->exchange);
  line->exchange = NULL;
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
  if (exchange->line) exchange->line->exchange = exchange;
  atomic_fetch_add(&server->active, 1);
  watch_until(server, exchange->line, server->patience, 1);
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
  watch_until(exchange->server, exchange->line, SENDING, 0);
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
    watch_until(server, exchange->line, 3 * server->patience, 1);
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
    watch_until(server, exchange->line, INFINITY, 0); /* it waits for us */
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
  watch_until(server, exchange->line, SERVE_IDLE + server->patience, 1);
  if (exchange->line) exchange->line->exchange = NULL;
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
    watch_remove(server, *context);
    atomic_fetch_sub(&server->metrics.connections, 1);
    return;
  }
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  *context = info ? watch_add(server, info->connect_fd, server->patience) : NULL;
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
