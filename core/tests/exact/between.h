/* An example of five attributes, and a learner that learns from others between ask and tell. */
#ifndef SCANT_TESTS_BETWEEN_H
#define SCANT_TESTS_BETWEEN_H

#include "problem.h"

#define TIGHT 1e-12

enum { D = 5, BETWEEN = 3 };

static const double START[D] = {0.5, -0.25, 0.4, 0.1, -0.3};
static const double X[D] = {0.5, -0.3, 0.9, 0.2, -0.7}, Y = 7.4;
static const double OTHERS[BETWEEN][D] = {
    {1, 0.4, -1, 0.3, 0.2}, {-0.6, 0.8, 0.2, -0.5, 0.6}, {0.3, -0.9, 0.7, 1, -0.4}};
static const double TARGETS[BETWEEN] = {9, 5.5, 8};

/* Learns from other examples, of which everything is told. */
static inline void learn_others(scant_learner *l) {
  scant_look *look;
  scant_error error;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  for (int i = 0; i < BETWEEN; i++) {
    CHECK(scant_learner_ask_all(l, look, &error) == SCANT_OK);
    CHECK(scant_learner_tell(l, look, l->dimension, NULL, OTHERS[i], TARGETS[i], &error) == SCANT_OK);
  }
  scant_look_free(look);
}

/* (w.z - t) z in learning units, for the w and the current means: all attributes are asked for and seen.  Attribute
 * `without` takes no part in w.z; D: all do. */
static inline void find_gradient(scant_learner *l, const double seen[D], size_t without, double g[D]) {
  size_t d = l->dimension;
  scant_look *look;
  scant_error error;
  double x[D], unit, prediction = 0;
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  CHECK(scant_learner_ask_all(l, look, &error) == SCANT_OK);
  l->sound = 1;
  for (size_t i = 0; i < d; i++)
    if (isnan(seen[i])) l->sound = 0;
  double target = scant_learner_target(l, look, Y, &unit);
  scant_learner_units(l, look, seen, x);
  for (size_t i = 0; i < d; i++) prediction += i == without ? 0 : look->weight[i] * x[i];
  for (size_t i = 0; i < d; i++) g[i] = (prediction - target) * x[i];
  CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
  scant_look_free(look);
}

/* Asks for a look whose draws are those of the current run. */
static inline void ask_enumerated(problem *p, enumeration *e) {
  scant_error error;
  p->learner->looks.rng.script = p->learner->looks.rng_by_w.script = &e->script;
  CHECK(scant_learner_ask(p->learner, p->look, &error) == SCANT_OK);
  enumerate_stop(p->learner);
}

/* Adds the gradient that the learner was just told by a look, with the probability of the current run. */
static inline void add_gradient(const enumeration *e, const scant_learner *l, const scant_look *look, double found[D],
                                double *total) {
  for (uint32_t i = 0; i < look->count; i++) found[look->attributes[i]] += e->probability * l->g[i];
  *total += e->probability;
}

#endif
