/* The threads of a study, and who gets what: one writes, and others read what takes a while.
 *
 * The writer takes what waits and does all of it in one group, so that many share one sync of the disk.  Each is a
 * group of its own inside: one that fails has changed nothing.  Answers go out when the outer group is on the disk. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "scant_base.h"
#include "access/access.h"
#include "http/server.h"

/* ---- queues ---------------------------------------------------------------------- */

void serve_queue_init(serve_queue *queue) {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&queue->mutex, NULL);
  pthread_cond_init(&queue->filled, &attributes);
  pthread_condattr_destroy(&attributes);
  queue->first = NULL;
  queue->last = &queue->first;
  queue->is_closed = 0;
}

void serve_queue_free(serve_queue *queue) {
  pthread_mutex_destroy(&queue->mutex);
  pthread_cond_destroy(&queue->filled);
}

static void put_into(serve_queue *queue, serve_exchange *exchange) {
  exchange->next = NULL;
  pthread_mutex_lock(&queue->mutex);
  *queue->last = exchange;
  queue->last = &exchange->next;
  pthread_cond_signal(&queue->filled);
  pthread_mutex_unlock(&queue->mutex);
}

serve_exchange *serve_queue_take(serve_queue *queue, size_t most, double seconds, int *is_closed) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)seconds;
  pthread_mutex_lock(&queue->mutex);
  while (!queue->first && !queue->is_closed)
    if (pthread_cond_timedwait(&queue->filled, &queue->mutex, &until) != 0) break;
  serve_exchange *first = queue->first, **end = &queue->first;
  for (size_t i = 0; i < most && *end; i++) end = &(*end)->next;
  serve_exchange *rest = *end;
  *end = NULL;
  queue->first = rest;
  if (!rest) queue->last = &queue->first;
  *is_closed = queue->is_closed;
  pthread_mutex_unlock(&queue->mutex);
  return first;
}

void serve_queue_close(serve_queue *queue) {
  pthread_mutex_lock(&queue->mutex);
  queue->is_closed = 1;
  pthread_cond_broadcast(&queue->filled);
  pthread_mutex_unlock(&queue->mutex);
}

/* ---- exchanges ---- */

void serve_give_back(serve_exchange *exchange) {
  scant_server *server = exchange->server;
  MHD_resume_connection(exchange->connection);
  atomic_fetch_sub(&server->busy, 1);
}

void serve_refuse_stopping(serve_exchange *exchange) {
  serve_turn_away(exchange, 503, "stopping", "the server is stopping");
}

/* ---- readers ----------------------------------------------------------------------------
 *
 * Whoever looks at how the study stands waits for a moment.  What may take minutes has a thread to itself, so that the
 * others do not wait for it. */

/* ---- the last answers, which hold until there is an event ------------------------------- */

/* A longer answer is not kept. */
enum { LONGEST = 1 << 20 };

/* What somebody of another role sees may differ. */
static int is_same(const serve_cached_answer *kept, const serve_exchange *exchange) {
  return kept->target && kept->role == exchange->who.role && !strcmp(kept->target, exchange->target);
}

/* A copy, which the exchange owns. */
static int copy(serve_answer *to, const serve_answer *from) {
  *to = *from;
  to->text = from->text ? scant_copy_text(from->text, from->length) : NULL;
  return !from->text || to->text;
}

/* Answers if the same was answered already. */
static int cache_find(const serve_answer_cache *cache, serve_exchange *exchange) {
  const serve_request *request = &exchange->request;
  if (request->if_match) return 0; /* that is compared on the usual way */
  for (size_t i = 0; i < SERVE_CACHED; i++) {
    const serve_answer *answer = &cache->items[i].answer;
    if (!is_same(&cache->items[i], exchange)) continue;
    if (request->if_none_match && serve_tag_in(request->if_none_match, answer->etag, 1)) {
      exchange->answer = (serve_answer){.status = 304};
      memcpy(exchange->answer.etag, answer->etag, sizeof answer->etag);
      return 1;
    }
    if (copy(&exchange->answer, answer)) return 1;
    exchange->answer = (serve_answer){0};
  }
  return 0;
}

static void drop(serve_cached_answer *item) {
  free(item->target);
  serve_answer_free(&item->answer);
  *item = (serve_cached_answer){0};
}

/* They may name somebody who was erased since. */
static void cache_drop(serve_answer_cache *cache, uint64_t events) {
  for (size_t i = 0; i < SERVE_CACHED; i++)
    if (cache->items[i].target && cache->items[i].events != events) drop(&cache->items[i]);
}

static void cache_put(serve_answer_cache *cache, const serve_exchange *exchange, uint64_t events) {
  if (exchange->answer.status != 200 || exchange->answer.length > LONGEST) return;
  serve_cached_answer *item = &cache->items[cache->next++ % SERVE_CACHED];
  drop(item);
  item->target = scant_copy_text(exchange->target, strlen(exchange->target));
  item->events = events;
  item->role = exchange->who.role;
  if (!item->target || !copy(&item->answer, &exchange->answer)) drop(item);
}

void serve_cache_free(serve_answer_cache *cache) {
  for (size_t i = 0; i < SERVE_CACHED; i++) drop(&cache->items[i]);
}

/* ---- the thread ------------------------------------------------------------------------- */

/* Long work ends when the server does. */
static int watch(void *user, const scant_thought *thought) {
  (void)thought;
  return atomic_load((atomic_int *)user);
}

scant_status serve_reader_open(serve_reader *reader, const scant_settings *settings, scant_error *error) {
  scant_settings given = *settings;
  given.runtime.watch = watch;
  given.runtime.watcher = &reader->study->server->stopping;
  return scant_study_open(&reader->handle, reader->study->path, SCANT_STUDY_READ, &given, error);
}

static int is_kept(const serve_exchange *exchange) {
  return !(exchange->route->flags & SERVE_KEEP_NOTHING) && !strcmp(exchange->request.method, "GET");
}

static uint64_t events_of(scant_study *study) {
  scant_study_status status;
  scant_error error;
  return scant_study_get_totals(study, &status, &error) == SCANT_OK ? status.events : 0;
}

static void read_one(serve_reader *reader, serve_exchange *exchange) {
  const atomic_int *stopping = &exchange->server->stopping;
  scant_error error = {{0}};
  if (atomic_load(stopping)) {
    serve_refuse_stopping(exchange);
    return;
  }
  uint64_t events = events_of(reader->handle);
  cache_drop(&reader->cache, events);
  int may_keep = events && is_kept(exchange);
  if (may_keep && cache_find(&reader->cache, exchange)) return;
  scant_status status = serve_act(exchange, reader->handle, &error);
  /* What was cut short is no answer. */
  if (status == SCANT_OK && atomic_load(stopping)) serve_refuse_stopping(exchange);
  if (status == SCANT_OK && may_keep && events == events_of(reader->handle))
    cache_put(&reader->cache, exchange, events);
}

static void *read_all(void *user) {
  serve_reader *reader = user;
  for (int is_closed = 0; !is_closed;) {
    serve_exchange *exchange = serve_queue_take(&reader->queue, 1, 60, &is_closed);
    if (exchange) {
      is_closed = 0; /* more may wait */
      atomic_fetch_add(&reader->study->reading, 1);
      read_one(reader, exchange);
      atomic_fetch_sub(&reader->study->reading, 1);
      serve_give_back(exchange);
    } else {
      cache_drop(&reader->cache, events_of(reader->handle));
    }
  }
  return NULL;
}

static scant_status start_reader(serve_reader *reader, scant_error *error) {
  reader->has_thread = pthread_create(&reader->thread, NULL, read_all, reader) == 0;
  return reader->has_thread ? SCANT_OK : scant_fail(error, SCANT_MEMORY, "no thread can be made");
}

/* Closes the queue of a reader and joins its thread; requests in the queue are done or refused first. */
static void stop_reader(serve_reader *reader) {
  serve_queue_close(&reader->queue);
  if (reader->has_thread) pthread_join(reader->thread, NULL);
  reader->has_thread = 0;
}

/* ---- the writer ---- */

/* Seconds from one look at old answers to the next, and from one try to sweep. */
#define TIDY_EVERY 3600
#define SWEEP_EVERY 10

static int writes(const serve_exchange *exchange) {
  return (exchange->route->flags & SERVE_WRITES) != 0;
}

/* Within the open group.  A request that fails is rolled back. */
static void act_in_group(serve_exchange *exchange, scant_study *study) {
  scant_error error = {{0}};
  scant_status status = scant_study_begin(study, &error);
  if (status != SCANT_OK) {
    serve_answer_failure(&exchange->answer, NULL, status, &error);
    return;
  }
  status = serve_act(exchange, study, &error);
  if (status == SCANT_OK) {
    status = scant_study_commit(study, &error);
    if (status != SCANT_OK) serve_answer_failure(&exchange->answer, NULL, status, &error);
  } else {
    scant_study_roll_back(study);
  }
}

/* The exchanges from `first` to the one before `end` are a group.  It ends: all of it is on the disk, or none. */
static void end_group(serve_study *study, serve_exchange *first, const serve_exchange *end) {
  scant_error error = {{0}};
  scant_status status = scant_study_commit(study->writes, &error);
  if (status == SCANT_OK) return;
  for (serve_exchange *e = first; e != end; e = e->next) serve_answer_failure(&e->answer, NULL, status, &error);
}

static void act_all(serve_study *study, serve_exchange *list) {
  serve_exchange *first = list; /* of the group */
  int is_open = 0;
  scant_error why = {{0}};
  scant_status status = SCANT_OK; /* why no group can begin: each try may wait for long, so there is one */
  for (serve_exchange *e = list; e; e = e->next) {
    scant_error error = {{0}};
    if (atomic_load(&study->server->stopping)) {
      serve_refuse_stopping(e);
      continue;
    }
    if (e->route->flags & SERVE_ALONE) {
      if (is_open) end_group(study, first, e);
      is_open = 0;
      serve_act(e, study->writes, &error); /* it can't be part of a group; its answer is remembered behind it */
      first = e->next;
      continue;
    }
    if (!writes(e)) {
      serve_act(e, study->writes, &error);
      continue;
    }
    if (!is_open && status == SCANT_OK) {
      status = scant_study_begin(study->writes, &why);
      atomic_fetch_add(&study->server->metrics.groups, 1);
      is_open = status == SCANT_OK;
      first = e;
    }
    if (is_open)
      act_in_group(e, study->writes);
    else
      serve_answer_failure(&e->answer, NULL, status, &why);
  }
  if (is_open) end_group(study, first, NULL);
}

static void count_open(serve_study *study) {
  scant_study_status status;
  scant_error error;
  if (scant_study_get_totals(study->writes, &status, &error) != SCANT_OK) return;
  atomic_store(&study->open, status.open);
  study->is_unswept = status.unswept;
}

/* Answers are remembered for a month, and what was erased is swept when nobody reads.  A try to sweep while somebody
 * does keeps all others waiting, so our own readers are not tried, and those of other processes seldom. */
static void tidy(serve_study *study) {
  scant_error error;
  char before[SERVE_TIME];
  if (study->is_unswept && serve_now(study->server) >= study->sweep_at && !atomic_load(&study->reading)) {
    scant_status status = scant_study_sweep(study->writes, &error);
    study->is_unswept = status != SCANT_OK;
    study->sweep_at = serve_now(study->server) + SWEEP_EVERY;
  }
  if (serve_now(study->server) < study->tidy_at) return;
  study->tidy_at = serve_now(study->server) + TIDY_EVERY;
  serve_format_time(before, time(NULL) - (time_t)31 * 86400);
  scant_study_forget_requests(study->writes, before, NULL, &error);
}

static void *write_all(void *user) {
  serve_study *study = user;
  count_open(study);
  tidy(study);
  for (int is_closed = 0; !is_closed;) {
    serve_exchange *list = serve_queue_take(&study->writing, SERVE_BATCH, 5, &is_closed);
    int has_written = 0;
    if (list) is_closed = 0; /* more may wait */
    act_all(study, list);
    for (serve_exchange *e = list, *next; e; e = next) {
      next = e->next;
      has_written |= writes(e);
      serve_trouble_see(study, e);
      serve_give_back(e);
    }
    if (has_written) count_open(study);
    serve_trouble_try(study);
    tidy(study);
  }
  return NULL;
}

/* ---- handing over ---- */

/* Does the query have this value of a name? */
static int has_value(const serve_exchange *exchange, const char *name, const char *value) {
  for (size_t i = 0; i < exchange->request.query_count; i++)
    if (!strcmp(exchange->values[i].name, name)) return !strcmp(exchange->values[i].value, value);
  return 0;
}

static serve_queue *queue_of(serve_exchange *exchange) {
  unsigned flags = exchange->route->flags;
  serve_study *study = exchange->study;
  int is_slow = (flags & SERVE_SLOW) || ((flags & SERVE_SLOW_RISK) && !has_value(exchange, "risk", "no"));
  int is_long = (flags & SERVE_LONG) || ((flags & SERVE_LONG_ERRORS) && has_value(exchange, "errors", "yes"));
  if (!is_slow) return &study->writing;
  return &study->readers[is_long ? SERVE_READER_LONG : SERVE_READER].queue;
}

void serve_exchange_work(serve_exchange *exchange) {
  if (exchange->body_length && !serve_head_again(exchange)) return;
  if (exchange->own) {
    exchange->own(exchange);
    return;
  }
  /* First it is counted, then the server is seen to go on: see serve_network_stop. */
  atomic_fetch_add(&exchange->server->busy, 1);
  if (atomic_load(&exchange->server->stopping)) {
    atomic_fetch_sub(&exchange->server->busy, 1);
    serve_refuse_stopping(exchange);
    return;
  }
  exchange->is_suspended = 1;
  MHD_suspend_connection(exchange->connection);
  put_into(queue_of(exchange), exchange);
}

scant_status serve_workers_start(serve_study *study, scant_error *error) {
  study->has_writer = pthread_create(&study->writer, NULL, write_all, study) == 0;
  if (!study->has_writer) return scant_fail(error, SCANT_MEMORY, "no thread can be made");
  for (size_t i = 0; i < SERVE_READERS; i++) SCANT_TRY(start_reader(&study->readers[i], error));
  return SCANT_OK;
}

void serve_workers_stop(serve_study *study) {
  serve_queue_close(&study->writing);
  for (size_t i = 0; i < SERVE_READERS; i++) stop_reader(&study->readers[i]);
  if (study->has_writer) pthread_join(study->writer, NULL);
  study->has_writer = 0;
}
