/* The last answers of a reader, which hold until there is an event.  Its thread alone uses them. */
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "http/server.h"

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

/* As the answer is, for who has it already. */
static void say_same(serve_answer *answer, const serve_answer *kept) {
  *answer = (serve_answer){.status = 304};
  memcpy(answer->etag, kept->etag, sizeof answer->etag);
}

int serve_cache_find(const serve_answer_cache *cache, serve_exchange *exchange) {
  const serve_request *request = &exchange->request;
  if (request->if_match) return 0; /* that is compared on the usual way */
  for (size_t i = 0; i < SERVE_CACHED; i++) {
    const serve_answer *answer = &cache->items[i].answer;
    if (!is_same(&cache->items[i], exchange)) continue;
    if (request->if_none_match && serve_tag_in(request->if_none_match, answer->etag, 1)) {
      say_same(&exchange->answer, answer);
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
void serve_cache_drop(serve_answer_cache *cache, uint64_t events) {
  for (size_t i = 0; i < SERVE_CACHED; i++)
    if (cache->items[i].target && cache->items[i].events != events) drop(&cache->items[i]);
}

void serve_cache_put(serve_answer_cache *cache, const serve_exchange *exchange, uint64_t events) {
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
