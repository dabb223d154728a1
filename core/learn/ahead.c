#include "learn/ahead.h"

#include "base/error.h"
#include "learn/learner.h"

/* How many attributes are on their way from memory while one example is learned from. */
#define ATTRIBUTES_AHEAD 64

scant_status scant_ahead_new(scant_ahead *ahead, scant_learner *learner, scant_error *error) {
  *ahead = (scant_ahead){.learner = learner, .most = 1};
  int early = learner->looks.kind->early;
  while (early && ahead->most < SCANT_AHEAD && ahead->most * learner->settings.learning.k < ATTRIBUTES_AHEAD)
    ahead->most *= 2;
  scant_status status = SCANT_OK;
  for (unsigned i = 0; i < ahead->most && status == SCANT_OK; i++)
    status = scant_look_new(&ahead->looks[i], learner, error);
  return status;
}

void scant_ahead_free(scant_ahead *ahead) {
  for (unsigned i = 0; i < SCANT_AHEAD; i++) scant_look_free(ahead->looks[i]);
}

static unsigned place_of(const scant_ahead *ahead, unsigned nth) {
  return (ahead->first + nth) & (ahead->most - 1);
}

void scant_ahead_forget(scant_ahead *ahead) {
  if (ahead->drawn) ahead->learner->looks.rng = ahead->before[ahead->first];
  ahead->drawn = 0;
}

/* Draws as many looks as are wanted.  Looks that were drawn by an old law are drawn again. */
static scant_status draw(scant_ahead *ahead, size_t left, scant_error *error) {
  scant_looks *looks = &ahead->learner->looks;
  if (ahead->law_age != looks->law.age) scant_ahead_forget(ahead);
  ahead->law_age = looks->law.age;
  while (ahead->drawn < ahead->most && (!ahead->drawn || ahead->drawn < left)) {
    unsigned place = place_of(ahead, ahead->drawn);
    ahead->before[place] = looks->rng;
    SCANT_TRY(scant_learner_draw(ahead->learner, ahead->looks[place], error));
    ahead->drawn++;
  }
  return SCANT_OK;
}

scant_status scant_ahead_ask(scant_ahead *ahead, size_t left, const scant_look **look, scant_error *error) {
  scant_learner *l = ahead->learner;
  SCANT_TRY(draw(ahead, left, error));
  ahead->rng_by_w = l->looks.rng_by_w;
  ahead->serial = l->next_serial;
  scant_look *next = ahead->looks[ahead->first];
  scant_status status = scant_learner_freeze(l, next, error);
  if (status != SCANT_OK) scant_ahead_take_back(ahead);
  *look = next;
  return status;
}

void scant_ahead_tell(scant_ahead *ahead) {
  ahead->first = place_of(ahead, 1);
  ahead->drawn--;
}

void scant_ahead_take_back(scant_ahead *ahead) {
  scant_learner *l = ahead->learner;
  if (l->next_serial != ahead->serial) scant_learner_cancel(l, ahead->looks[ahead->first], NULL);
  scant_ahead_forget(ahead);
  l->looks.rng_by_w = ahead->rng_by_w;
  l->next_serial = ahead->serial;
}

const scant_look *scant_ahead_last(const scant_ahead *ahead, size_t *examples) {
  if (ahead->most == 1) return NULL;
  *examples = ahead->drawn - 1;
  return ahead->looks[place_of(ahead, ahead->drawn - 1)];
}
