/* What the ways of drawing a look share. */
#ifndef SCANT_LEARN_LOOK_H
#define SCANT_LEARN_LOOK_H

#include "learn/learner.h"

/* The place of an attribute in the look, or `count`.  learner->place is never
 * cleared: a place counts only if the look agrees (the sparse-set trick). */
static inline uint32_t scant_look_find(const scant_learner *learner, const scant_look *look, uint32_t i) {
  uint32_t place = learner->place[i];
  return place < look->count && look->attributes[place] == i ? place : look->count;
}

/* The entry of an attribute, added with everything frozen if it is new: an
 * attribute drawn twice is bought once.  *place, if not NULL, is where it is. */
scant_look_entry *scant_look_add(scant_learner *learner, scant_look *look, uint32_t i, uint32_t *place);

#endif
