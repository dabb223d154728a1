/* The engine of the algorithm moments: second moments of the purchases, then ridge or lasso.
 *
 * Looks: K distinct attributes, drawn one after the other by a law that is renewed
 * when the examples have grown by half: evenly over the attributes that varied or
 * may still, and after the first solution half of it by |w| times the deviation.
 *
 * State: FOLDS sets of sums over pairs (see pairs.h), those of block b in set b mod FOLDS (a block is one example,
 * unless examples share looks): 70 d^2 bytes.  A solution takes 32 d^2 bytes more for each thread.
 *
 * Covariances are about the means of all purchases of each attribute, not about those of the pair: with K of
 * d looks a pair is seen (K/d)^2 m times, perhaps once or twice, and about means of so few values it would
 * tell nothing.  A correlation from N of n examples has about 1/N - 1/n more variance than with every value
 * known, so it is multiplied by t/(t + 1/N - 1/n), with t the mean squared correlation as the pairs
 * themselves estimate it; where nothing is missing, it stays as it is.  The matrix is then made positive:
 * eigenvalues below a floor are raised to it.
 *
 * The penalty: each fold is left out in turn, and its sums judge the solutions of the others.  In a judging
 * fold pairs count by their rate among all examples (together.h), which is unbiased where the fold has few or
 * none of a pair.  Of the paired differences to the constant predictor, the least mean plus two standard
 * errors is chosen.
 *
 * An attribute that has hardly shown itself gets no weight (shown.h).
 *
 * With clip, the examples before the first renewal of the law are held back (held.h).  Then the limits
 * freeze, and every value from the first one on is clipped by them.
 */
#ifndef SCANT_DENSE_MOMENTS_MOMENTS_H
#define SCANT_DENSE_MOMENTS_MOMENTS_H

#include "learn/learner.h"
#include "sample/sumtree.h"
#include "moments/held.h"
#include "moments/pairs.h"
#include "moments/shown.h"

enum { SCANT_MOMENTS_FOLDS = 5 };

/* A regressor and what is known of it. */
typedef struct scant_moments_result {
  double *w; /* in original units */
  double intercept;
  double penalty, risk, risk_error; /* NaN: none */
  double scale; /* of the solution for a penalty that was given: below 1 if it would be worse than the constant */
} scant_moments_result;

/* The examples of one law, and how often each attribute was looked at, known or not. */
typedef struct scant_moments_span {
  uint64_t examples;
  uint32_t *count;
} scant_moments_span;

typedef struct scant_moments_state {
  scant_pairs fold[SCANT_MOMENTS_FOLDS];
  scant_origin origin;
  double *low, *high;        /* the least and the largest value of each attribute, about the reference point */
  scant_shown shown;         /* what has shown itself: the others get no weight */
  scant_sumtree law;         /* the weights by which the next attribute of a look is drawn */
  double *leaves;            /* the law as it is between looks */
  double rows_per_block;     /* examples that share a look */
  scant_moments_span *spans; /* one for each law; with observed none */
  size_t span_count, span_room;
  uint64_t renew_at;  /* blocks told when the law is renewed */
  uint64_t solved_at; /* examples told when `result` was solved, plus 1; 0: never */
  scant_moments_result result;
  uint64_t freeze_at; /* blocks told when the limits freeze; 0: there are none */
  int frozen;
  scant_held held;
  double *limit_low, *limit_high; /* in use once they are frozen; NULL without clip */
  uint32_t *known;                /* scratch: attributes of an example that have a value */
  double *values;                 /* and the values, */
  double *shifted;                /* also about the reference point */
} scant_moments_state;

static inline scant_moments_state *scant_moments_of(const scant_learner *l) {
  return l->engine_state;
}

/* Solves for the sums as they are into result->w and the rest, which hold the last
 * solution on failure. */
scant_status scant_moments_solve(const scant_moments_state *state, const scant_settings *settings,
                                 scant_moments_result *result, scant_error *error);

/* How much an attribute is worth exploring: less and less while it has never varied.  pool: the variance of attributes
 * in like units, 0 while it is not known. */
double scant_moments_explore(const scant_moments *m, int like_units, double pool);
/* How much one with this weight is worth following. */
double scant_moments_follow(const scant_moments *m, double w);

/* Opens the span of a new law.  0: out of memory. */
int scant_moments_add_span(scant_moments_state *s);

/* The engine's part of a checkpoint. */
void scant_moments_save(const scant_learner *l, struct scant_json_writer *out);
scant_status scant_moments_restore(scant_learner *l, const struct scant_json *json, size_t node, scant_error *error);

/* Adds what another learner of moments was told.  That learner is used up.  SCANT_DATA
 * if it is too much to be counted. */
scant_status scant_moments_merge(scant_learner *l, scant_learner *other, scant_error *error);

extern const scant_engine scant_moments_engine;

#endif
