#include "dense/gaussian/choose_prior.h"

#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/memory.h"
#include "dense/gaussian/regress.h"
#include "dense/blas.h"

enum { HALVES = 2 };

static const double weights[] = {100, 300, 1000};
enum { TRIALS = sizeof weights / sizeof *weights };

/* To shrink too much is safer than too little.  So a heavier choice is taken if the halves of the looks can't
 * tell it from the best. */
#define AS_GOOD 1.01

static const double penalties[] = {0.003, 0.01, 0.03, 0.1, 0.3, 1};
enum { PENALTIES = sizeof penalties / sizeof *penalties, FEW_MOST = 2 };

typedef struct {
  const scant_em_options *options;
  scant_seen seen[HALVES];
  scant_normal normal[TRIALS][HALVES];
} trials;

/* One EM: a job of its own, so its sums are on one thread. */
static scant_status fit_half(void *user, size_t job, scant_error *error) {
  trials *t = user;
  size_t trial = job / HALVES, half = job % HALVES;
  scant_em_options o = *t->options;
  scant_normal *normal = &t->normal[trial][half];
  double likelihood;
  o.factors = weights[trial];
  o.threads = 1;
  if (!scant_normal_new(normal, t->seen[half].variables)) return scant_fail_memory(error);
  SCANT_TRY(scant_em_start(&t->seen[half], &o, normal, error));
  return scant_em_run(&t->seen[half], &o, normal, &likelihood, NULL, error);
}

/* The risks of both directions with one penalty. */
static int score(const scant_normal *halves, const double *factor, double penalty, double *w, double *scratch,
                 double *risk) {
  for (int h = 0; h < HALVES; h++) {
    if (!scant_regress(&halves[h], factor, penalty, w, scratch)) return 0;
    const scant_normal *other = &halves[1 - h];
    risk[h] = scant_regress_risk(other, w) / other->covariance[other->n * other->n - 1];
  }
  return 1;
}

/* Fills the choices in order: heavier weights of the factors last, and among those
 * larger penalties. */
static int score_all(const trials *t, const double *factor, scant_choice *choices, double *w, double *scratch) {
  for (size_t i = 0; i < TRIALS * PENALTIES; i++) {
    double risk[HALVES], penalty = penalties[i % PENALTIES];
    if (!score(t->normal[i / PENALTIES], factor, penalty, w, scratch, risk)) return 0;
    scant_choice *c = &choices[i];
    *c = (scant_choice){weights[i / PENALTIES], penalty, (risk[0] + risk[1]) / 2, 0, 0};
    const scant_choice *few =
        i % PENALTIES > FEW_MOST ? c - 1 : NULL; /* the choice before, whose penalty for a few is taken */
    c->few_penalty = few ? few->few_penalty : penalty;
    c->few_risk = few ? few->few_risk : c->risk;
  }
  return 1;
}

static scant_status compare(const trials *t, const double *factor, scant_choice *choice, scant_error *error) {
  size_t n = t->seen[0].variables;
  double *w = scant_array(n, sizeof *w), *scratch = scant_array(n * n, sizeof *scratch), best = INFINITY;
  scant_choice choices[TRIALS * PENALTIES];
  int memory = w && scratch, good = memory && score_all(t, factor, choices, w, scratch);
  for (size_t i = 0; good && i < TRIALS * PENALTIES; i++) best = fmin(best, choices[i].risk);
  for (size_t i = 0; good && i < TRIALS * PENALTIES; i++)
    if (choices[i].risk <= AS_GOOD * best) *choice = choices[i];
  free(w);
  free(scratch);
  if (!memory) return scant_fail_memory(error);
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "the regression on the covariance can't be solved");
}

scant_status scant_choose(const scant_answers *looks, const scant_frame *frame, const double *factor,
                          const scant_em_options *options, scant_choice *choice, scant_error *error) {
  trials t = {.options = options};
  int good = 1;
  for (size_t h = 0; h < HALVES; h++) good = good && scant_seen_new(&t.seen[h], looks, frame, HALVES, h);
  scant_status status = good ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = scant_blas_jobs(TRIALS * HALVES, options->threads, fit_half, &t, error);
  if (status == SCANT_OK) status = compare(&t, factor, choice, error);
  for (size_t h = 0; h < HALVES; h++) {
    scant_seen_free(&t.seen[h]);
    for (size_t i = 0; i < TRIALS; i++) scant_normal_free(&t.normal[i][h]);
  }
  return status;
}
