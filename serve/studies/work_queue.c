#include "studies/work_queue.h"

#include <time.h>

#include "http/server.h"

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

void serve_queue_put(serve_queue *queue, serve_exchange *exchange) {
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
