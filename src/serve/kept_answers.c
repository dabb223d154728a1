/* The last answers of a reader, which hold until there is an event.  Its thread alone uses them. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "serve/inside.h"

/* A longer answer is not kept. */
enum { LONGEST = 1 << 20 };

/* What somebody of another role sees may differ, and of another name, too. */
static int is_same(const serve_kept_answer *kept, const serve_exchange *exchange, uint64_t events) {
  return kept->target && kept->events == events && kept->role == exchange->who.role &&
         !strcmp(kept->target, exchange->target);
}

/* A copy, which the exchange owns. */
static int copy(serve_answer *to, const serve_answer *from) {
  *to = *from;
  to->text = from->text ? scant_copy_text(from->text, from->length) : NULL;
  return !from->text || to->text;
}

int serve_kept_find(serve_kept_answers *kept, serve_exchange *exchange, uint64_t events) {
  if (exchange->request.if_none_match) return 0; /* its tag is compared on the usual way, which is quick */
  for (size_t i = 0; i < SERVE_KEPT; i++) {
    if (!is_same(&kept->items[i], exchange, events)) continue;
    if (copy(&exchange->answer, &kept->items[i].answer)) return 1;
    exchange->answer = (serve_answer){0};
  }
  return 0;
}

static void drop(serve_kept_answer *item) {
  free(item->target);
  serve_answer_free(&item->answer);
  *item = (serve_kept_answer){0};
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
