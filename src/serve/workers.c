/* The threads of a study: one that writes, and one that reads what takes long. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "serve/inside.h"

/* ---- queues ---- */

static void queue_init(serve_queue *queue) {
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->filled, NULL);
  queue->first = NULL;
  queue->last = &queue->first;
}

static void queue_free(serve_queue *queue) {
  pthread_mutex_destroy(&queue->mutex);
  pthread_cond_destroy(&queue->filled);
}

static void queue_put(serve_queue *queue, serve_exchange *exchange) {
  exchange->next = NULL;
  pthread_mutex_lock(&queue->mutex);
  *queue->last = exchange;
  queue->last = &exchange->next;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->mutex);
}

/* Up to `most` that wait, in their order, as a list; NULL: the queue is closed and empty. */
static serve_exchange *queue_take(serve_queue *queue, size_t most) {
  pthread_mutex_lock(&queue->mutex);
  while (!queue->first && !queue->closed) pthread_cond_wait(&queue->filled, &queue->mutex);
  serve_exchange *first = queue->first, **end = &queue->first;
  for (size_t i = 0; i < most && *end; i++) end = &(*end)->next;
  queue->first = *end;
  if (!queue->first) queue->last = &queue->first;
  *end = NULL;
  pthread_mutex_unlock(&queue->mutex);
  return first;
}

static void queue_close(serve_queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->closed = 1;
  pthread_cond_broadcast(&queue->filled);
  pthread_mutex_unlock(&queue->mutex);
}

/* ---- work ---- */

/* Parses the body, which actions see as JSON. */
static scant_status read_body(serve_exchange *exchange, scant_error *error) {
  if (!exchange->body_length) return SCANT_OK;
  const char *text = exchange->body;
  size_t length = exchange->body_length;
  if (exchange->is_form) {
    SCANT_TRY(serve_form_to_json(exchange->body, exchange->body_length, &exchange->made, &length, error));
    text = exchange->made;
  }
  SCANT_TRY(scant_json_parse(&exchange->request.body, text, length, error));
  if (exchange->request.body.nodes[0].type != SCANT_JSON_OBJECT)
    return scant_fail(error, SCANT_USAGE, "the body is not an object");
  return SCANT_OK;
}

static void begin_call(serve_exchange *exchange, scant_study *study) {
  exchange->call = (serve_call){.study = study,
                                .study_name = exchange->study->name,
                                .study_path = exchange->study->path,
                                .request = &exchange->request,
                                .by = exchange->who.name,
                                .via = exchange->who.by_cookie ? "page" : "service",
                                .role = exchange->who.role,
                                .base = exchange->server->base,
                                .stopping = &exchange->server->stopping};
}

/* The tag of what the route is about, as it is now. */
static scant_status make_tag(serve_exchange *exchange, scant_study *study, char tag[SERVE_TAG_LENGTH],
                             scant_error *error) {
  tag[0] = 0;
  switch (exchange->route->tag) {
    case SERVE_TAG_EXAMPLE:
      return serve_tag_example(study, exchange->request.arguments[1], tag, error);
    case SERVE_TAG_STUDY:
      return serve_tag_study(study, exchange->who.role, tag, error);
    case SERVE_TAG_TERMS:
      return serve_tag_terms(study, tag, error);
    case SERVE_TAG_NONE:
      break;
  }
  return SCANT_OK;
}

static scant_status act(serve_exchange *exchange, scant_study *study, scant_error *error) {
  serve_call *call = &exchange->call;
  SCANT_TRY(read_body(exchange, error));
  SCANT_TRY(exchange->route->action(call, error));
  if (!call->etag[0]) SCANT_TRY(make_tag(exchange, study, call->etag, error));
  return SCANT_OK;
}

static void work(serve_exchange *exchange, scant_study *study) {
  scant_error error = {{0}};
  begin_call(exchange, study);
  scant_status status = act(exchange, study, &error);
  if (status == SCANT_OK)
    serve_answer_take(&exchange->answer, &exchange->call);
  else
    serve_answer_failure(&exchange->answer, &exchange->call, status, &error);
}

static void give_back(serve_exchange *exchange) {
  MHD_resume_connection(exchange->connection);
  serve_exchange_release(exchange);
}

static void *write_all(void *user) {
  serve_study *study = user;
  for (serve_exchange *list; (list = queue_take(&study->writing, SERVE_BATCH));) {
    for (serve_exchange *e = list; e; e = e->next) work(e, study->writes);
    for (serve_exchange *e = list, *next; e; e = next) {
      next = e->next;
      give_back(e);
    }
  }
  return NULL;
}

static void *read_all(void *user) {
  serve_study *study = user;
  for (serve_exchange *e; (e = queue_take(&study->reading, 1));) {
    work(e, study->reads);
    give_back(e);
  }
  return NULL;
}

static int is_slow(const serve_exchange *exchange) {
  if (exchange->route->flags & SERVE_SLOW) return 1;
  if (!(exchange->route->flags & SERVE_SLOW_RISK)) return 0;
  for (size_t i = 0; i < exchange->request.query_count; i++)
    if (!strcmp(exchange->values[i].name, "risk") && !strcmp(exchange->values[i].value, "no")) return 0;
  return 1;
}

void serve_study_give(serve_exchange *exchange) {
  exchange->is_suspended = 1;
  atomic_fetch_add(&exchange->holders, 1);
  MHD_suspend_connection(exchange->connection);
  queue_put(is_slow(exchange) ? &exchange->study->reading : &exchange->study->writing, exchange);
}

void serve_exchange_work(serve_exchange *exchange) {
  if (exchange->own)
    exchange->own(exchange);
  else
    serve_study_give(exchange);
}

/* ---- a study ---- */

/* clinic of /srv/clinic.study */
static char *stem_of(const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  return scant_copy_text(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

scant_status serve_study_open(serve_study *study, scant_server *server, const char *path, scant_error *error) {
  study->server = server;
  queue_init(&study->writing);
  queue_init(&study->reading);
  study->path = scant_copy_text(path, strlen(path));
  study->name = stem_of(path);
  if (!study->path || !study->name) return scant_fail_memory(error);
  return SCANT_OK;
}

scant_status serve_study_start(serve_study *study, scant_error *error) {
  const scant_settings *given = study->server->settings;
  SCANT_TRY(scant_study_open(&study->writes, study->path, SCANT_STUDY_WRITE, given, error));
  SCANT_TRY(scant_study_open(&study->reads, study->path, SCANT_STUDY_READ, given, error));
  const char *target = scant_study_target(study->writes);
  study->target = scant_copy_text(target, strlen(target));
  if (!study->target) return scant_fail_memory(error);
  study->has_writer = pthread_create(&study->writer, NULL, write_all, study) == 0;
  study->has_reader = pthread_create(&study->reader, NULL, read_all, study) == 0;
  if (!study->has_writer || !study->has_reader) return scant_fail(error, SCANT_MEMORY, "no thread can be made");
  return SCANT_OK;
}

void serve_study_stop(serve_study *study) {
  queue_close(&study->writing);
  queue_close(&study->reading);
  if (study->has_writer) pthread_join(study->writer, NULL);
  if (study->has_reader) pthread_join(study->reader, NULL);
  study->has_writer = study->has_reader = 0;
}

void serve_study_free(serve_study *study) {
  scant_study_close(study->reads);
  scant_study_close(study->writes);
  queue_free(&study->writing);
  queue_free(&study->reading);
  free(study->path);
  free(study->name);
  free(study->target);
}
