/* The threads of a study that read what takes a while, each with a handle of its own.
 *
 * Whoever looks at how the study stands waits for a moment.  What may take minutes has a thread to itself, so that the
 * others do not wait for it. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "http/server.h"

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

scant_status serve_reader_start(serve_reader *reader, scant_error *error) {
  reader->has_thread = pthread_create(&reader->thread, NULL, read_all, reader) == 0;
  return reader->has_thread ? SCANT_OK : scant_fail(error, SCANT_MEMORY, "no thread can be made");
}

void serve_reader_stop(serve_reader *reader) {
  serve_queue_close(&reader->queue);
  if (reader->has_thread) pthread_join(reader->thread, NULL);
  reader->has_thread = 0;
}
