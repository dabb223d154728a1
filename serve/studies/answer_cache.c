/* The last answers of a reader, which hold until there is an event.  Its thread alone uses them. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "http/server.h"

/* A longer answer is not kept. */
enum { LONGEST = 1 << 20 };

/* What somebody of another role sees may differ. */
static int is_same(const serve_kept_answer *kept, const serve_exchange *exchange) {
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

int serve_kept_find(const serve_kept_answers *kept, serve_exchange *exchange) {
  const serve_request *request = &exchange->request;
  if (request->if_match) return 0; /* that is compared on the usual way */
  for (size_t i = 0; i < SERVE_KEPT; i++) {
    const serve_answer *answer = &kept->items[i].answer;
    if (!is_same(&kept->items[i], exchange)) continue;
    if (request->if_none_match && serve_tag_in(request->if_none_match, answer->etag, 1)) {
      say_same(&exchange->answer, answer);
      return 1;
    }
    if (copy(&exchange->answer, answer)) return 1;
    exchange->answer = (serve_answer){0};
  }
  return 0;
}

static void drop(serve_kept_answer *item) {
  free(item->target);
  serve_answer_free(&item->answer);
  *item = (serve_kept_answer){0};
}

/* They may name somebody who was erased since. */
void serve_kept_drop(serve_kept_answers *kept, uint64_t events) {
  for (size_t i = 0; i < SERVE_KEPT; i++)
    if (kept->items[i].target && kept->items[i].events != events) drop(&kept->items[i]);
}

void serve_kept_put(serve_kept_answers *kept, const serve_exchange *exchange, uint64_t events) {
  if (exchange->answer.status != 200 || exchange->answer.length > LONGEST) return;
  serve_kept_answer *item = &kept->items[kept->next++ % SERVE_KEPT];
  drop(item);
  item->target = scant_copy_text(exchange->target, strlen(exchange->target));
  item->events = events;
  item->role = exchange->who.role;
  if (!item->target || !copy(&item->answer, &exchange->answer)) drop(item);
}

void serve_kept_free(serve_kept_answers *kept) {
  for (size_t i = 0; i < SERVE_KEPT; i++) drop(&kept->items[i]);
}
