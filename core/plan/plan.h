/* A plan's insides.  plan_request.c checks the request and decides what each K may cost, pilot.c makes the worlds,
 * plan.c simulates the fits in them, plan_result.c sums them up. */
#ifndef SCANT_PLAN_PLAN_H
#define SCANT_PLAN_PLAN_H

#include <pthread.h>

#include "joint/joint.h"
#include "price/prices.h"
#include "scant.h"

/* ---- worlds (world.c) ---------------------------------------------------------- */

/* A world is a joint Gaussian of attributes and target from which examples are drawn,
 *
 *   x = mean + L z,    y = target_mean + l.z + left e,    z and e standard normal, L lower triangular,
 *
 * so that weights w with intercept b err by (target_mean - b - w.mean)^2 + |l - L'w|^2 + left^2, and by left^2 at
 * least. */
typedef struct scant_world {
  size_t dimension;
  double *mean;
  double *factor; /* L by rows, packed */
  double *along;  /* l */
  double target_mean, variance, left;
} scant_world;

/* The world of the attributes that `gaussian` knows; the others are noise of variance 1.  `cross` are the covariances
 * with the target of those that it knows, but for a factor, which makes the attributes explain `strength` (above 0,
 * below 1) of the target's variance.  0 in *explains: they explain nothing, whatever the factor.  O(d^3). */
scant_status scant_world_new(scant_world **world, size_t dimension, const scant_gaussian *gaussian, const double *cross,
                             double strength, double target_mean, double variance, int *explains, scant_error *error);
void scant_world_free(scant_world *world);

/* The share of the target's variance that attributes with this covariance and these covariances with it explain:
 * those of the Gaussian itself if cross is NULL.  NaN: out of memory. */
double scant_world_strength(const scant_gaussian *gaussian, const double *cross);

/* The squared error of weights, exactly.  scratch: d.  O(d^2). */
double scant_world_error(const scant_world *world, const double *w, double intercept, double *scratch);

/* `rows` examples of the world; the same seed gives the same examples, however many there are.  The world must outlive
 * the source.  `prices` NULL: none. */
scant_status scant_world_draw(scant_source **source, void **scratch, const scant_world *world, size_t rows,
                              uint64_t seed, const scant_prices *prices, scant_error *error);
/* Frees *scratch, after the source. */
void scant_world_end(void *scratch);

/* ---- the plan -------------------------------------------------------------------- */

enum {
  SCANT_PLAN_HALVINGS = 3,          /* points below the budget: at a half, a quarter, ... */
  SCANT_PLAN_DOUBLINGS = 4,         /* and beyond it, for a wanted error */
  SCANT_PLAN_FITS = 30,             /* in all, unless runs are given */
  SCANT_PLAN_RUNS_MOST = 10,        /* of each K, unless they are given */
  SCANT_PLAN_PILOT_LEAST = 10,      /* examples */
  SCANT_PLAN_EXAMPLES_MOST = 20000, /* of a fit without a budget */
  SCANT_PLAN_ROWS_FIRST = 20        /* whole examples that its first point pays for */
};

/* A K that is simulated.  Money is in hundredths; an attribute costs 100 where there are no prices. */
typedef struct scant_plan_case {
  scant_settings settings;
  const char *algorithm; /* that was taken, by the first run */
  uint64_t rows;         /* examples that there are, unless they turn out too few */
  uint64_t rows_most;    /* that there can be */
  uint64_t dearest;      /* most that an example can cost, with its label */
  double work;           /* of a fit, about */
} scant_plan_case;

struct scant_plan {
  scant_plan_request request; /* model, pilot, prices and k may be gone after scant_plan_new */
  size_t dimension, k_count, runs, steps;
  uint64_t budget;      /* at step SCANT_PLAN_HALVINGS, in hundredths */
  scant_prices *prices; /* a copy; NULL: none */
  char *target;         /* its name; NULL: it has none */
  int by_attributes;    /* the budget counts attributes, whatever they cost */
  scant_plan_case *cases;
  scant_world **worlds; /* of run r, worlds[r % world_count] */
  size_t world_count;
  scant_plan_facts facts;
  scant_plan_point *points;  /* [k][run][step]; without examples: not reached */
  size_t *order;             /* of the fits: k * runs + run */
  scant_plan_entry *entries; /* of each K, after the run */
  size_t for_reach;          /* which K to take for the wanted error; k_count: none */
  int ran;
  pthread_mutex_t lock; /* for the progress */
  double done;          /* work */
  int stopped;
};

/* plan_request.c: checks a request, and makes a case of every K; dimension and prices are known. */
scant_status scant_plan_check(const scant_plan_request *request, size_t dimension, scant_error *error);
scant_status scant_plan_make_cases(scant_plan *plan, scant_error *error);

/* pilot.c: makes the worlds, and fills in the facts of the pilot. */
scant_status scant_plan_make_worlds(scant_plan *plan, scant_error *error);

/* plan_result.c: fills the entries and recommends, when all points are there. */
scant_status scant_plan_conclude(scant_plan *plan, scant_error *error);

/* plan.c: the standard error of the least error; 0: not known. */
double scant_plan_least_error(const scant_plan *plan);

static inline scant_plan_point *scant_plan_points(const scant_plan *plan, size_t k, size_t run) {
  return plan->points + (k * plan->runs + run) * plan->steps;
}

/* The money that a step may spend: the budget, halved or doubled. */
static inline uint64_t scant_plan_money(const scant_plan *plan, size_t step) {
  if (step >= SCANT_PLAN_HALVINGS) return plan->budget << (step - SCANT_PLAN_HALVINGS);
  return plan->budget >> (SCANT_PLAN_HALVINGS - step);
}

/* The seed of a run's examples; that of its looks is request.seed + run.  Learners use the first streams of a seed, and
 * every example has one. */
static inline uint64_t scant_plan_world_seed(const scant_plan *plan, size_t run) {
  return (plan->request.seed + run) ^ UINT64_C(0x6e616c7000000000);
}

#endif
