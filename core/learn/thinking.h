/* Tells whoever watches (runtime.watch) how far work that takes long is, and asks whether it should stop.
 *
 * Several jobs may share one: they run on threads of their own, and their steps are counted together.  Once the watcher
 * has said stop it is not asked again, and every job ends soon: an EM after its round.
 */
#ifndef SCANT_LEARN_THINKING_H
#define SCANT_LEARN_THINKING_H

#include <pthread.h>

#include "base/shared.h"
#include "scant.h"

typedef struct scant_thinking {
  scant_watch *watch; /* NULL: nobody watches */
  void *watcher;
  scant_thought now;
  int stopped;
  pthread_mutex_t lock;
} scant_thinking;

SCANT_SHARED void scant_thinking_begin(scant_thinking *thinking, const scant_runtime *runtime, const char *algorithm,
                                       int reading);
SCANT_SHARED void scant_thinking_end(scant_thinking *thinking);

/* Each tells the watcher, and returns whether to stop.  NULL for the first argument: nobody watches.  The second begins
 * with a prior, from 1 on, or (0) with the EM on all examples. */
SCANT_SHARED int scant_thinking_step(scant_thinking *thinking, unsigned steps);
SCANT_SHARED int scant_thinking_turn(scant_thinking *thinking, unsigned prior, unsigned priors);

/* The same for the regressor without another group of examples, from 1 on. */
SCANT_SHARED int scant_thinking_group(scant_thinking *thinking, unsigned group, unsigned groups);

/* Was it told to stop? */
SCANT_SHARED int scant_thinking_stopped(scant_thinking *thinking);

#endif
