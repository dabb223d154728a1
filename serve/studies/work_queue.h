/* Exchanges that wait for a worker. */
#ifndef SCANT_SERVE_WAITING_H
#define SCANT_SERVE_WAITING_H

#include <pthread.h>

struct serve_exchange;

typedef struct serve_queue {
  pthread_mutex_t mutex;
  pthread_cond_t filled;
  struct serve_exchange *first, **last;
  int is_closed;
} serve_queue;

void serve_queue_init(serve_queue *queue);
void serve_queue_free(serve_queue *queue);
void serve_queue_put(serve_queue *queue, struct serve_exchange *exchange);
/* Up to `most` of those that wait, in their order, as a list.  NULL: none came in so many seconds, or the queue is
 * closed and empty, which *is_closed says. */
struct serve_exchange *serve_queue_take(serve_queue *queue, size_t most, double seconds, int *is_closed);
/* No more will come. */
void serve_queue_close(serve_queue *queue);

#endif
