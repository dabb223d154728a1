/* Looks that are drawn ahead, so that their attributes are on the way from memory while the examples before
 * them are learned.  A look depends on what was told before it alone, not on how far ahead it was drawn: when
 * the law is rebuilt, looks drawn by the old one are dropped. */
#ifndef SCANT_LEARN_AHEAD_H
#define SCANT_LEARN_AHEAD_H

#include "base/rng.h"
#include "scant.h"

enum { SCANT_AHEAD = 32 }; /* a power of two */

typedef struct scant_ahead {
  scant_learner *learner;
  scant_look *looks[SCANT_AHEAD]; /* a ring, the next one at `first` */
  scant_rng before[SCANT_AHEAD];  /* the learner's generator before each was drawn */
  unsigned first, drawn, most;
  uint64_t law_age;   /* age of the law that drew them */
  scant_rng rng_by_w; /* before the look at hand was asked for */
  uint64_t serial;
} scant_ahead;

scant_status scant_ahead_new(scant_ahead *ahead, scant_learner *learner, scant_error *error);
void scant_ahead_free(scant_ahead *ahead);

/* The next look, open.  `left` examples are still to come, this one included, and no more looks than that are drawn. */
scant_status scant_ahead_ask(scant_ahead *ahead, size_t left, const scant_look **look, scant_error *error);

/* Says that the look at hand was told; or that it was not, so that the next one is the same again. */
void scant_ahead_tell(scant_ahead *ahead);
void scant_ahead_take_back(scant_ahead *ahead);

/* Drops all looks drawn ahead: the generator is where it was before the next one. */
void scant_ahead_forget(scant_ahead *ahead);

/* The look that was drawn last, and how many examples it is ahead of the one at hand;
 * NULL: nothing is drawn ahead. */
const scant_look *scant_ahead_last(const scant_ahead *ahead, size_t *examples);

#endif
