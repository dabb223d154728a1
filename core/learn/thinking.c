#include "learn/thinking.h"

void scant_thinking_begin(scant_thinking *thinking, const scant_runtime *runtime, const char *algorithm, int reading) {
  *thinking = (scant_thinking){
      .watch = runtime->watch, .watcher = runtime->watcher, .now = {.algorithm = algorithm, .reading = reading}};
  pthread_mutex_init(&thinking->lock, NULL);
}

void scant_thinking_end(scant_thinking *thinking) {
  pthread_mutex_destroy(&thinking->lock);
}

/* The lock is held. */
static int tell(scant_thinking *t) {
  if (!t->stopped && t->watch) t->stopped = t->watch(t->watcher, &t->now) != 0;
  return t->stopped;
}

int scant_thinking_step(scant_thinking *thinking, unsigned steps) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  thinking->now.steps += steps;
  int stop = tell(thinking);
  pthread_mutex_unlock(&thinking->lock);
  return stop;
}

int scant_thinking_turn(scant_thinking *thinking, unsigned prior, unsigned priors) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  thinking->now.prior = prior;
  thinking->now.priors = priors;
  int stop = tell(thinking);
  pthread_mutex_unlock(&thinking->lock);
  return stop;
}

int scant_thinking_group(scant_thinking *thinking, unsigned group, unsigned groups) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  if (group > thinking->now.group) thinking->now.group = group;
  thinking->now.groups = groups;
  int stop = tell(thinking);
  pthread_mutex_unlock(&thinking->lock);
  return stop;
}

int scant_thinking_stopped(scant_thinking *thinking) {
  if (!thinking) return 0;
  pthread_mutex_lock(&thinking->lock);
  int stop = thinking->stopped;
  pthread_mutex_unlock(&thinking->lock);
  return stop;
}
