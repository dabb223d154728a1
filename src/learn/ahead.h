/* Looks that are drawn ahead, so that their attributes are on the way from memory while
 * the examples before them are learned.  What a look is depends on what was told before
 * it alone, not on how far ahead it was drawn: a law that is gone takes its looks with
 * it. */
#ifndef SCANT_LEARN_AHEAD_H
#define SCANT_LEARN_AHEAD_H

#include "core/rng.h"
#include "scant.h"

enum { SCANT_AHEAD = 32 }; /* a power of two */

typedef struct scant_ahead {
  scant_learner *learner;
  scant_look *looks[SCANT_AHEAD]; /* a ring, the next one at `first` */
  scant_rng before[SCANT_AHEAD];  /* the learner's generator before each was drawn */
  unsigned first, drawn, most;
  uint64_t law_age;   /* that they were drawn by */
  scant_rng rng_by_w; /* before the look at hand was asked for */
  uint64_t serial;
} scant_ahead;

scant_status scant_ahead_new(scant_ahead *ahead, scant_learner *learner, scant_error *error);
void scant_ahead_free(scant_ahead *ahead);

/* The next look, open.  `left` examples are to come with this one, and no more are drawn. */
scant_status scant_ahead_ask(scant_ahead *ahead, size_t left, const scant_look **look, scant_error *error);

/* The look at hand was told; or it was not, and the next one is the same again. */
void scant_ahead_tell(scant_ahead *ahead);
void scant_ahead_take_back(scant_ahead *ahead);

/* As if none had been drawn ahead: the generator is that of the next one. */
void scant_ahead_forget(scant_ahead *ahead);

/* The look that was drawn last, and how many examples it is ahead of the one at hand;
 * NULL: nothing is drawn ahead. */
const scant_look *scant_ahead_last(const scant_ahead *ahead, size_t *examples);

#endif
