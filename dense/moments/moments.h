/* The engine of the algorithm moments: second moments of the purchases, then ridge or lasso.
 *
 * Looks: K distinct attributes, drawn one after the other by a law that is renewed when the examples have grown by
 * half: evenly over the attributes that varied or may still, and after the first solution half of it by |w| times the
 * deviation.
 *
 * State: FOLDS sets of sums over pairs (see pairs.h), those of block b in set b mod FOLDS (a block is one example,
 * unless examples share looks): 70 d^2 bytes.  A solution takes 32 d^2 bytes more for each thread.
 *
 * Covariances are about the means of all purchases of each attribute, not about those of the pair: with K of d looks a
 * pair is seen (K/d)^2 m times, perhaps once or twice, and about means of so few values it would tell nothing.  A
 * correlation from N of n examples has about 1/N - 1/n more variance than with every value known, so it is multiplied
 * by t/(t + 1/N - 1/n), with t the mean squared correlation as the pairs themselves estimate it; where nothing is
 * missing, it stays as it is.  The matrix is then made positive:  eigenvalues below a floor are raised to it.
 *
 * The penalty: each fold is left out in turn, and its sums judge the solutions of the others.  In a judging fold pairs
 * count by their rate among all examples (moments_problem.h), which is unbiased where the fold has few or none of a
 * pair.  Of the paired differences to the constant predictor, the least mean plus two standard errors is chosen.
 *
 * An attribute that has hardly shown itself gets no weight (pairs.h).  With clip, the examples before the first renewal
 * of the law are held back as they were told.  Then limits are made of them and freeze, since sums of products can't be
 * clipped anew, and every value from the first one on is clipped by them. */
#ifndef SCANT_DENSE_MOMENTS_MOMENTS_H
#define SCANT_DENSE_MOMENTS_MOMENTS_H

#include "answers.h"
#include "arrays.h"
#include "marginal.h"
#include "scant_engine.h"
#include "moments/pairs.h"

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
  scant_answers held;
  double *limit_low, *limit_high; /* in use once they are frozen; NULL without clip */
  uint32_t *known;                /* scratch: attributes of an example that have a value */
  double *values;                 /* and the values, */
  double *shifted;                /* also about the reference point */
  scant_arrays arrays;
} scant_moments_state;

static inline scant_moments_state *scant_moments_of(const scant_engine_view *l) {
  return l->state;
}

/* Solves for the sums as they are into result->w and the rest, which hold the last solution on failure. */
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
void scant_moments_save(const scant_engine_view *l, struct scant_json_writer *out);
scant_status scant_moments_restore(scant_engine_view *l, const struct scant_json *json, size_t node,
                                   scant_error *error);

extern const scant_engine scant_moments_engine;

/* ---- sums over blocks of examples, kept elsewhere -----------------------------------------------
 *
 * The learner keeps its sums as it is told.  Here they come from elsewhere: the folds are those of blocks b with equal
 * b % SCANT_MOMENTS_FOLDS, so that no block is on both sides of a judgement.
 *
 * Pairs: all rows of a block show the same attributes.  The chance that a look has both of a pair is p_i p_j - a_i a_j
 * (scant_together), with p_i the share of rows in which i was bought, whether a row has a look of its own or shares
 * one. So the rows in which a pair is expected are as many as ever.  Their number varies more, though: it is as many
 * looks as there were blocks, so the counts of pairs are believed by blocks, not by rows.  Sums do not say by which law
 * a block was bought.  So all are taken as of one law, with the shares of all rows: attributes that were followed for
 * some of the time come together more often than that says, and their counts correct it once a pair was met in some
 * fifty blocks. */

/* What is known of all blocks.  Everything stays the caller's. */
typedef struct scant_moments_sums {
  size_t dimension;
  const scant_pairs *fold; /* SCANT_MOMENTS_FOLDS of them, about the origin */
  const double *origin;    /* of each attribute; */
  double y_origin;
  const scant_marginal *attributes;
  double rows_per_block; /* on average */
} scant_moments_sums;

/* Solves as scant_moments_solve does.  settings: norm, penalty, like_units, threads.  result->w: room for the
 * dimension.  follow, explore, if not NULL: weights of each attribute for the next looks; those of each sum up to 1,
 * but follow is 0 throughout while nothing has a weight.  The law of moments is the sum of both: half of it explores.
 * SCANT_DATA: more rows than can be counted, or weights that overflow. */
scant_status scant_moments_from_pairs(const scant_moments_sums *sums, const scant_settings *settings,
                                      scant_moments_result *result, double *follow, double *explore,
                                      scant_error *error);

#endif
