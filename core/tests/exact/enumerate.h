/* Every outcome of the real code, with its exact probability.
 *
 * The learner's generator asks a script at every random choice; the script
 * walks the tree of choices depth first, one leaf a run.  So expectations are
 * sums over all outcomes, exact up to rounding: Monte Carlo could not certify
 * heavy-tailed estimators.
 */
#ifndef SCANT_TESTS_ENUMERATE_H
#define SCANT_TESTS_ENUMERATE_H

#include <assert.h>
#include <stdlib.h>

#include "base/rng.h"
#include "learn/learner.h"

#define ENUMERATE_DEPTH 64

typedef struct enumeration {
  scant_script script; /* first: the generator hands it back to us */
  size_t depth, length;
  size_t choice[ENUMERATE_DEPTH];
  size_t count[ENUMERATE_DEPTH];
  double probability; /* of the run so far */
  double total;       /* of all runs; must end at 1 */
  uint64_t runs;
} enumeration;

static size_t enumerate_choose(scant_script *script, size_t count, const double *weights) {
  enumeration *e = (enumeration *)script;
  double sum = 0;
  for (size_t i = 0; weights && i < count; i++) sum += weights[i];
  assert(e->depth < ENUMERATE_DEPTH);
  if (e->depth == e->length) { /* a choice met for the first time: its first possible outcome */
    size_t first = 0;
    while (weights && !(weights[first] > 0)) first++;
    e->choice[e->depth] = first;
    e->length++;
  }
  size_t chosen = e->choice[e->depth];
  /* A later outcome of weight zero is impossible: enumerate_next asks for the
   * next one, so pass over it here. */
  while (weights && chosen < count && !(weights[chosen] > 0)) chosen++;
  if (chosen == count) { /* nothing left at this choice: a run of probability 0 */
    e->probability = 0;
    e->choice[e->depth] = count;
    e->count[e->depth++] = count;
    for (size_t i = 0; i < count; i++)
      if (!weights || weights[i] > 0) return i;
    abort();
  }
  e->choice[e->depth] = chosen;
  e->count[e->depth++] = count;
  e->probability *= weights ? weights[chosen] / sum : 1.0 / (double)count;
  return chosen;
}

static inline void enumerate_start(enumeration *e, scant_learner *learner) {
  *e = (enumeration){.script = {enumerate_choose}};
  learner->looks.rng.script = learner->looks.rng_by_w.script = &e->script;
}

static inline void enumerate_stop(scant_learner *learner) {
  learner->looks.rng.script = learner->looks.rng_by_w.script = NULL;
}

static inline void enumerate_begin_run(enumeration *e) {
  e->depth = 0;
  e->probability = 1;
}

/* To the next leaf; 0 if there is none. */
static inline int enumerate_next(enumeration *e) {
  e->total += e->probability;
  e->runs++;
  e->length = e->depth;
  while (e->length) {
    size_t last = e->length - 1;
    if (++e->choice[last] < e->count[last]) return 1;
    e->length--;
  }
  return 0;
}

#endif
