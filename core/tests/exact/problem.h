/* Small learners with a chosen w, for exact tests. */
#ifndef SCANT_TESTS_PROBLEM_H
#define SCANT_TESTS_PROBLEM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "enumerate.h"
#include "estimate/gradient.h"
#include "learn/learner.h"

#define PROBLEM_MOST 8

typedef struct problem {
  scant_learner *learner;
  scant_look *look;
  size_t d;
  double w[PROBLEM_MOST]; /* as the learner has it */
  double x[PROBLEM_MOST]; /* the example, in learning units */
  double y;
} problem;

/* settings as "k=3 residual-looks=2": set one after the other */
static inline scant_settings problem_settings(const char *algorithm, const char *text) {
  static char words[16][64];
  scant_settings s;
  scant_error error;
  scant_settings_init(&s);
  CHECK(scant_settings_set(&s, "algorithm", algorithm, &error) == SCANT_OK);
  int n = 0;
  for (const char *c = text; *c;) {
    size_t length = strcspn(c, " ");
    snprintf(words[n], sizeof words[n], "%.*s", (int)length, c);
    char *equals = strchr(words[n], '=');
    *equals = 0;
    if (!CHECK(scant_settings_set(&s, words[n], equals + 1, &error) == SCANT_OK)) printf("# %s\n", error.text);
    n++;
    c += length;
    c += strspn(c, " ");
  }
  return s;
}

/* Puts w into the iterate: shapes for the additive updates, theta = asinh(w)
 * for EG (whose w is then B w_i / sum_j sqrt(1 + w_j^2)). */
static inline void problem_set_weights(problem *p, const double *w) {
  scant_iterate *it = &p->learner->w;
  for (size_t i = 0; i < p->d; i++) {
    if (it->theta)
      it->theta[i] = asinh(w[i]);
    else
      it->at[i].shape = w[i];
  }
  p->learner->update->refresh(it);
  if (it->theta) it->scale = it->radius / scant_sumtree_total(&it->mass);
  for (size_t i = 0; i < p->d; i++) p->w[i] = scant_iterate_weight(it, i);
}

/* Makes the law of a stopped row that of these weights of all items. */
static inline void problem_set_law(scant_learner *l, const double *explore, const double *follow) {
  scant_law_list_all(&l->looks.law);
  l->looks.law.share = SCANT_LAW_SHARE;
  memcpy(l->looks.law.explore, explore, l->looks.law.items * sizeof *explore);
  memcpy(l->looks.law.follow, follow, l->looks.law.items * sizeof *follow);
  scant_law_rebuild(&l->looks.law);
}

static inline void problem_open(problem *p, const char *algorithm, const char *settings, size_t d, const double *w,
                                const double *x, double y) {
  *p = (problem){.d = d, .y = y};
  scant_settings s = problem_settings(algorithm, settings);
  scant_error error;
  if (!CHECK(scant_learner_new(&p->learner, &s, d, 1000, &error) == SCANT_OK)) {
    printf("# %s\n", error.text);
    exit(1);
  }
  CHECK(scant_look_new(&p->look, p->learner, &error) == SCANT_OK);
  memcpy(p->x, x, d * sizeof *x);
  problem_set_weights(p, w);
}

static inline void problem_close(problem *p) {
  scant_look_free(p->look);
  scant_learner_free(p->learner);
}

/* Exact moments of g~, x~ and phi~ over every outcome of ask. */
typedef struct moments {
  double total; /* of the probabilities */
  double g[PROBLEM_MOST], g2[PROBLEM_MOST], x[PROBLEM_MOST], x2[PROBLEM_MOST];
  double phi, phi2, draws, distinct, risk;
  uint32_t most_distinct;
} moments;

/* phi~ by the learner's own estimator, or by another one (to test the tests) */
typedef double (*estimator)(const scant_learner *learner, const scant_look *look, const double *x, double y);

static inline moments problem_enumerate(problem *p, estimator phi_of) {
  moments m = {0};
  enumeration e;
  scant_error error;
  enumerate_start(&e, p->learner);
  if (!phi_of) phi_of = p->learner->parts->estimate;
  do {
    double values[PROBLEM_MOST], x[PROBLEM_MOST], g[PROBLEM_MOST], spread[PROBLEM_MOST];
    enumerate_begin_run(&e);
    if (!CHECK(scant_learner_ask(p->learner, p->look, &error) == SCANT_OK)) break;
    for (uint32_t i = 0; i < p->look->count; i++)
      values[i] = p->x[p->look->attributes[i]] * p->learner->settings.learning.x_bound;
    scant_learner_units(p->learner, p->look, values, x);
    double q = e.probability, phi = p->look->count ? phi_of(p->learner, p->look, x, p->y) : 0;
    scant_estimate_spread(p->look, x, spread);
    for (uint32_t i = 0; i < p->look->count; i++) g[i] = phi * spread[i];
    for (uint32_t i = 0; i < p->look->count; i++) {
      uint32_t a = p->look->attributes[i];
      double xt = spread[i];
      m.g[a] += q * g[i];
      m.g2[a] += q * g[i] * g[i];
      m.x[a] += q * xt;
      m.x2[a] += q * xt * xt;
    }
    if (p->learner->parts->risk && p->look->count) m.risk += q * p->learner->parts->risk(p->look, x, spread, p->y);
    m.phi += q * phi;
    m.phi2 += q * phi * phi;
    m.draws += q * p->look->draws;
    m.distinct += q * p->look->count;
    if (q > 0 && p->look->count > m.most_distinct) m.most_distinct = p->look->count;
    scant_learner_cancel(p->learner, p->look, &error);
  } while (enumerate_next(&e));
  enumerate_stop(p->learner);
  m.total = e.total;
  return m;
}

/* The largest |E[g~]_i - f' x_i|. */
static inline double problem_bias(const problem *p, const moments *m, double derivative) {
  double worst = fabs(m->total - 1);
  for (size_t i = 0; i < p->d; i++) {
    double error = fabs(m->g[i] - derivative * p->x[i]);
    if (!(error <= worst)) worst = error; /* NaN is worst */
  }
  return worst;
}

static inline double dot(const double *a, const double *b, size_t d) {
  double sum = 0;
  for (size_t i = 0; i < d; i++) sum += a[i] * b[i];
  return sum;
}

#endif
