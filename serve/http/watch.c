/* The watchdog: cuts connections that are too slow.
 *
 * libmicrohttpd closes connections that are idle.  One that sends a byte now and then is not idle, and would keep its
 * place for ever.  So every connection has a time by which its head, its body or its answer must be through. */
#include <math.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/error.h"
#include "http/server.h"

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
    look(server, serve_now());
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

void serve_watch_until(scant_server *server, serve_connection *connection, double seconds, int is_read) {
  if (!connection) return;
  pthread_mutex_lock(&server->watch->mutex);
  connection->deadline = serve_now() + seconds;
  connection->is_read = is_read;
  connection->has_ended = 0;
  pthread_mutex_unlock(&server->watch->mutex);
}

serve_connection *serve_watch_add(scant_server *server, int socket, double seconds) {
  serve_connection *connection = calloc(1, sizeof *connection);
  if (!connection) return NULL;
  struct serve_watch *w = server->watch;
  connection->socket = socket;
  connection->deadline = serve_now() + seconds;
  connection->is_read = 1;
  pthread_mutex_lock(&w->mutex);
  connection->before = &w->first;
  connection->next = w->first;
  if (w->first) w->first->before = &connection->next;
  w->first = connection;
  pthread_mutex_unlock(&w->mutex);
  return connection;
}

void serve_watch_remove(scant_server *server, serve_connection *connection) {
  if (!connection) return;
  pthread_mutex_lock(&server->watch->mutex);
  *connection->before = connection->next;
  if (connection->next) connection->next->before = connection->before;
  pthread_mutex_unlock(&server->watch->mutex);
  free(connection);
}

serve_exchange **serve_watch_exchange(serve_connection *connection) {
  return connection ? &connection->exchange : NULL;
}
