/* What learners of every algorithm promise, with engines and without. */
#ifndef SCANT_TESTS_LEARNERS_H
#define SCANT_TESTS_LEARNERS_H

#include "support.h"

static scant_error error;

static inline scant_status tell(scant_learner *learner, const scant_look *look, const double *values, double y) {
  return scant_learner_tell(learner, look, look->count, look->attributes, values, y, &error);
}

static inline int count_missing(const scant_look *look, const double *values) {
  int count = 0;
  for (uint32_t i = 0; i < look->count; i++) count += isnan(values[i]) != 0;
  return count;
}

/* Two learners that are alike ask alike; both are told the looks of the first, five at a time,
 * late and in another order. */
static inline void tell_late(scant_learner *one, scant_learner *two, const table *t) {
  static const size_t order[] = {3, 0, 4, 1, 2};
  scant_look *looks[5], *look = look_for(two);
  for (size_t round = 0; round + 5 <= TABLE_ROWS; round += 5) {
    for (size_t i = 0; i < 5; i++) {
      CHECK(scant_learner_ask(one, look, &error) == SCANT_OK);
      looks[i] = look_copy(look);
      CHECK(scant_learner_ask(two, look, &error) == SCANT_OK);
      CHECK(look->count == looks[i]->count && !memcmp(look->attributes, looks[i]->attributes, look->count * 4));
    }
    for (size_t i = 0; i < 5; i++) {
      size_t at = order[i], example = round + at;
      const double *values = table_values(t, example, looks[at]);
      CHECK(tell(one, looks[at], values, t->y[example]) == SCANT_OK);
      CHECK(tell(one, looks[at], values, t->y[example]) == SCANT_MISUSE);
      CHECK(tell(two, looks[at], values, t->y[example]) == SCANT_OK); /* its twin asked the same */
    }
    for (size_t i = 0; i < 5; i++) scant_look_free(looks[i]);
  }
  scant_look_free(look);
}

/* Tells the first of two learners that are alike a table with holes, and cancels in the second every
 * look in which a value is missing: where examples are skipped, that is the same. */
static inline void skip_or_cancel(scant_learner *one, scant_learner *two, const table *holes) {
  scant_look *look = look_for(one);
  uint64_t learned = 0;
  for (size_t row = 0; row < TABLE_ROWS; row++) {
    CHECK(scant_learner_ask(one, look, &error) == SCANT_OK);
    CHECK(scant_learner_ask(two, look, &error) == SCANT_OK);
    const double *values = table_values(holes, row, look);
    int missing = count_missing(look, values);
    CHECK(tell(one, look, values, holes->y[row]) == SCANT_OK);
    CHECK((missing ? scant_learner_cancel(two, look, &error) : tell(two, look, values, holes->y[row])) == SCANT_OK);
    CHECK(same_state(one, two));
    CHECK(tell(one, look, values, holes->y[row]) == SCANT_MISUSE); /* it is closed */
    learned += !missing;
  }
  scant_learner_facts facts;
  scant_learner_get_facts(one, &facts);
  CHECK(learned < TABLE_ROWS && facts.told == learned);
  scant_look_free(look);
}

#endif
