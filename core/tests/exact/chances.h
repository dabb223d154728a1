/* Every look that a learner could draw next, with its exact probability, beside what is said of how it was drawn. */
#ifndef SCANT_TESTS_CHANCES_H
#define SCANT_TESTS_CHANCES_H

#include "enumerate.h"
#include "support.h"

enum { CHANCES_MOST = 8 };

typedef struct chances {
  size_t d;
  uint64_t looks;                                              /* outcomes that are possible */
  double has[CHANCES_MOST][CHANCES_MOST];                      /* the probability of both (i = j: of one), summed up */
  double said[CHANCES_MOST][CHANCES_MOST];                     /* in closed form; NaN: there is none */
  double mean[CHANCES_MOST], pair[CHANCES_MOST][CHANCES_MOST]; /* of Hansen and Hurwitz's weights, which must be 1 */
  double across[CHANCES_MOST][CHANCES_MOST];                   /* a draw for the gradient times one for the residual */
  int certain[CHANCES_MOST];
  uint32_t fewest; /* draws of a look */
} chances;

/* The same in every look. */
static inline void chances_note(chances *c, size_t i, size_t j, double said, int first) {
  if (first)
    c->said[i][j] = said;
  else if (isnan(said) || isnan(c->said[i][j]))
    CHECK(isnan(said) && isnan(c->said[i][j]));
  else
    CHECK_NEAR(said, c->said[i][j], 1e-12);
}

/* The weight of a value whose mean over all looks is the value itself. */
static inline double chances_weight(const scant_look_line *l) {
  return l->certain ? 1 : l->draws ? l->draws / (l->draws_total * l->probability) : 0;
}

static inline double chances_weight_of_two(const scant_look_line *a, const scant_look_line *b) {
  double n = a->draws_total, both = chances_weight(a) * chances_weight(b);
  if (a->item == b->item) return chances_weight(a);
  return a->certain || b->certain ? both : n > 1 ? both * n / (n - 1) : 0;
}

static inline void chances_add(chances *c, const scant_look *look, const scant_look_line *lines, const double *pairs,
                               double probability) {
  for (uint32_t i = 0; i < look->count; i++) {
    const scant_look_line *a = &lines[i];
    CHECK(a->attribute == look->attributes[i]);
    c->certain[a->attribute] = a->certain;
    c->mean[a->attribute] += probability * chances_weight(a);
    for (uint32_t j = 0; j < look->count; j++) {
      const scant_look_line *b = &lines[j];
      double said = pairs[i * look->count + j];
      chances_note(c, a->attribute, b->attribute, said, !(c->has[a->attribute][b->attribute] > 0));
      if (i == j) CHECK(said == a->inclusion || (isnan(said) && isnan(a->inclusion)));
      c->has[a->attribute][b->attribute] += probability;
      c->pair[a->attribute][b->attribute] += probability * chances_weight_of_two(a, b);
      if (b->residual_draws)
        c->across[a->attribute][b->attribute] +=
            probability * chances_weight(a) * b->residual_draws / (b->residual_total * b->residual_probability);
    }
  }
}

static inline chances chances_enumerate(scant_learner *l) {
  chances c = {.d = l->dimension, .fewest = UINT32_MAX};
  scant_look *look = NULL;
  enumeration e;
  scant_error error = {""};
  CHECK(scant_look_new(&look, l, &error) == SCANT_OK);
  enumerate_start(&e, l);
  do {
    scant_look_line lines[CHANCES_MOST];
    double pairs[CHANCES_MOST * CHANCES_MOST];
    enumerate_begin_run(&e);
    if (!CHECK(scant_learner_ask(l, look, &error) == SCANT_OK)) break;
    if (!CHECK(scant_learner_describe(l, look, lines, pairs, &error) == SCANT_OK)) break;
    if (e.probability > 0) chances_add(&c, look, lines, pairs, e.probability);
    if (e.probability > 0 && look->gradient_total < c.fewest) c.fewest = look->gradient_total;
    c.looks += e.probability > 0;
    CHECK(scant_learner_cancel(l, look, &error) == SCANT_OK);
  } while (enumerate_next(&e));
  enumerate_stop(l);
  CHECK_NEAR(e.total, 1, 1e-12);
  scant_look_free(look);
  return c;
}

/* What is said is what comes out; how many of the d^2 have a closed form. */
static inline int chances_agree(const chances *c) {
  int closed = 0;
  for (size_t i = 0; i < c->d; i++) {
    for (size_t j = 0; j < c->d; j++) {
      if (!(c->has[i][j] > 0) || isnan(c->said[i][j])) continue;
      CHECK_NEAR(c->said[i][j], c->has[i][j], 1e-12);
      closed++;
    }
  }
  return closed;
}

/* How many of them are not 0. */
static inline int chances_possible(const chances *c) {
  int possible = 0;
  for (size_t i = 0; i < c->d; i++)
    for (size_t j = 0; j < c->d; j++) possible += c->has[i][j] > 0;
  return possible;
}

/* Hansen and Hurwitz: weighted values have the right mean, and so have weighted products. */
static inline void chances_unbiased(const chances *c, int with_pairs) {
  for (size_t i = 0; i < c->d; i++) {
    CHECK_NEAR(c->mean[i], 1, 1e-12);
    for (size_t j = 0; with_pairs && j < c->d; j++) CHECK_NEAR(i == j ? c->mean[i] : c->pair[i][j], 1, 1e-12);
  }
}

#endif
