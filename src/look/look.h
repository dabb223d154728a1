/* What the ways of drawing a look share. */
#ifndef SCANT_LOOK_LOOK_H
#define SCANT_LOOK_LOOK_H

#include "learn/learner.h"

/* Forgets all places.  They are not cleared: those of earlier looks are below the
 * base. */
void scant_look_forget(scant_learner *learner);

/* The place of an attribute in the look, or `count`. */
static inline uint32_t scant_look_find(const scant_learner *learner, const scant_look *look, uint32_t i) {
  int32_t place = (int32_t)(learner->met[i] - learner->base);
  return place < 0 ? look->count : (uint32_t)place;
}

/* A new place for an attribute that is not in the look, as an item of its own,
 * not drawn. */
static inline void scant_look_append(scant_learner *learner, scant_look *look, uint32_t i) {
  uint32_t place = look->count++;
  learner->met[i] = learner->base + place;
  look->attributes[place] = look->item[place] = i;
  look->gradient_draws[place] = look->residual_draws[place] = 0;
  look->gradient_probability[place] = look->residual_probability[place] = 1;
}

/* The same without branches, where many are added to a look at once: whether an
 * attribute comes again can't be foreseen.  Its place, `count` if it is new; `met` and
 * `base` are the learner's. */
static inline uint32_t scant_look_meet(uint32_t *met, uint32_t base, uint32_t i, uint32_t count, uint32_t *is_new) {
  uint32_t place = met[i] - base;
  *is_new = place >> 31; /* negative: of an earlier look */
  place = *is_new ? count : place;
  met[i] = base + place;
  return place;
}

/* Fills in what is the same for all places from `first` on: attributes that are items
 * of their own, not drawn for the residual. */
void scant_look_fill(scant_look *look, uint32_t first);

/* The place of an attribute, added if it is new: an attribute drawn twice is
 * bought once. */
static inline uint32_t scant_look_add(scant_learner *learner, scant_look *look, uint32_t i) {
  uint32_t place = scant_look_find(learner, look, i);
  if (place == look->count) scant_look_append(learner, look, i);
  return place;
}

/* The two halves of ask.  What is drawn depends on the settings, on l->rng and on
 * a law that stays until law.age changes: it may be drawn ahead.  Freezing adds
 * the draws by the current w, which have a generator of their own, and takes down
 * w and the means; it opens the look. */
scant_status scant_look_draw(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_look_freeze(scant_learner *learner, scant_look *look, scant_error *error);

/* Takes down w and the means, and opens a look that was drawn. */
void scant_look_open(scant_learner *learner, scant_look *look);

/* The residual's draws, by the weights of a tree. */
scant_status scant_residual_by(scant_learner *learner, scant_look *look, const scant_sumtree *law);

/* What the learner keeps of these attributes will be needed soon. */
void scant_learner_expect(const scant_learner *learner, size_t count, const uint32_t *attributes);

/* May looks be drawn before the examples before them are told? */
int scant_look_is_early(const scant_learner *learner);

#endif
