/* The interface of engines.  An engine is a const struct of functions that learn an algorithm which libscant alone only
 * describes; libscant-dense has such engines (scant_dense.h), and runtime.engines of the settings names them.
 *
 *   numbers    sums over lanes, exact sums, random numbers, weighted draws
 *   values     running moments and limits of an attribute
 *   items      what may be bought, and for how much
 *   engine     the functions of an engine, and what they see of the learner
 *   models     the joint Gaussian of a model, and models that no learner made
 *   progress   how far long work is
 *
 * To learn with engines, scant.h is enough.  Until version 1.0 this header may change with every version.
 */
#ifndef SCANT_ENGINE_H
#define SCANT_ENGINE_H

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "scant.h"
#include "scant_base.h"
#include "scant_json.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- eight numbers at a time ----------------------------------------------------- */

/* Sums over eight lanes have one order, whatever the width of the machine's vectors, so the bits are the same
 * everywhere.  Functions marked SCANT_WIDEST are compiled for several widths, of which a program takes the widest. */
enum { SCANT_LANES = 8 };

typedef double scant_lanes __attribute__((vector_size(8 * sizeof(double))));
/* The same at any address. */
typedef double scant_loose_lanes __attribute__((vector_size(8 * sizeof(double)), aligned(8), may_alias));

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__) && __GNUC__ >= 12
#define SCANT_WIDEST __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SCANT_WIDEST
#endif

/* Always inlined into the function of each width: else it might be compiled once, for the narrow width. */
#define SCANT_INLINE static inline __attribute__((always_inline))

/* The sum of the lanes, added in pairs. */
SCANT_INLINE double scant_lanes_fold(const scant_lanes *lanes) {
  const scant_lanes v = *lanes;
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

/* The sum of a_i b_i. */
SCANT_API double scant_lanes_dot(size_t count, const double *a, const double *b);

/* ---- exact sums -------------------------------------------------------------------- */

/* Sums that stay exact over 10^9 terms: a double and the rounding error of it, 106 bits together. */
typedef struct scant_sum {
  double high, low;
} scant_sum;

/* Knuth's two-sum gives the rounding error of high + x exactly; the errors gathered in low are then moved into high as
 * far as they fit. */
static inline void scant_sum_add(scant_sum *sum, double x) {
  double high = sum->high + x;
  double part = high - sum->high;
  double low = sum->low + ((sum->high - (high - part)) + (x - part));
  sum->high = high + low;
  sum->low = low - (sum->high - high);
}

static inline double scant_sum_value(scant_sum sum) {
  return sum.high + sum.low;
}

/* ---- random numbers ---------------------------------------------------------------- */

/* One explicit value (xoshiro256**, seeded by splitmix64): the same bits everywhere. */
typedef struct scant_rng {
  uint64_t state[4];
  struct scant_script *script; /* in tests: chooses in place of chance; else NULL */
} scant_rng;

/* Streams of one seed are independent.  Learners use the first ones. */
SCANT_API void scant_rng_seed(scant_rng *rng, uint64_t seed, uint64_t stream);

/* One of a few outcomes with these weights, whose sum is 1 up to rounding. */
SCANT_API size_t scant_rng_pick(scant_rng *rng, size_t count, const double *weights);

/* Weighted drawing from weights that keep changing: a tree of sums over d leaves, sixteen children per node.
 *
 * Parents are recomputed from their children, never adjusted by differences, so the root can neither drift nor turn
 * negative, and is a function of the leaves alone, whatever the order of the updates.  Set and draw: O(log d); rebuild:
 * O(d). */
enum { SCANT_SUMTREE_DEPTH = 9 /* 16^8 = 2^32 */ };

typedef struct scant_sumtree {
  size_t leaves;
  unsigned height;                    /* levels above the leaves, the root's included */
  double *level[SCANT_SUMTREE_DEPTH]; /* 0: the leaves; each is filled up with zeros to whole families */
} scant_sumtree;

/* Every leaf 0.  Returns 0 if memory is short. */
SCANT_API int scant_sumtree_new(scant_sumtree *tree, size_t leaves);
SCANT_API void scant_sumtree_free(scant_sumtree *tree);

static inline double scant_sumtree_total(const scant_sumtree *tree) {
  return tree->level[tree->height][0];
}

SCANT_API void scant_sumtree_set(scant_sumtree *tree, size_t i, double weight);

/* The leaves, which the caller may write.  It must then rebuild the tree. */
static inline double *scant_sumtree_leaves(scant_sumtree *tree) {
  return tree->level[0];
}
SCANT_API void scant_sumtree_rebuild(scant_sumtree *tree);

/* Leaf i with probability leaf(i) / total; the total must be positive.  A leaf of weight zero is never drawn. */
SCANT_API uint32_t scant_sumtree_draw(const scant_sumtree *tree, scant_rng *rng);

/* ---- the values of an attribute, or of the target ------------------------------------- */

typedef struct scant_moments {
  uint64_t count;
  double mean;
  double spread;  /* sum of squared deviations from the mean, or from 0 */
  double largest; /* largest squared deviation of a value from the mean before it, without the first value */
} scant_moments;

/* Welford's way: no cancellation, whatever the offset of the values. */
static inline void scant_moments_add(scant_moments *m, double x) {
  double deviation = x - m->mean;
  m->count++;
  m->mean += deviation / (double)m->count;
  m->spread += deviation * (x - m->mean);
  double square = deviation * deviation;
  if (m->count > 1 && square > m->largest) m->largest = square;
}

/* The variance, with the largest deviation counted twice: an attribute that is rarely active must not look tiny before
 * its first activity and huge at it.  0: nothing known yet. */
static inline double scant_moments_variance(const scant_moments *m) {
  return m->count ? (m->spread + m->largest) / (double)m->count : 0;
}

/* How much an attribute is worth exploring: less and less while it has never varied. */
static inline double scant_moments_curiosity(const scant_moments *m) {
  return m->count >= 2 && m->spread == 0 ? 2 / (2 + (double)m->count) : 1;
}

/* Between which limits an attribute's values count as they are: some standard deviations around its mean.
 *
 * The record takes values as they come and never those that limits have clipped: limits made of what they clip would
 * shrink an attribute that is rarely active to nothing.  The two lowest and the two highest values met are kept aside,
 * and all others are the core.  When limits are made, those aside count:
 *   - within three standard deviations of the core from its mean, as they are;
 *   - farther out, as the next value inwards on their side (but not nearer than three), if that is at least
 *     two thirds as far: so the tail of an attribute stays;
 *   - else as three standard deviations: so one wild value, whenever it comes, moves the limits little.
 * While the core has never varied, nobody can tell a wild value from the first activity of a rare attribute, and those
 * aside count as they are.
 *
 * Everything is equivariant: other units of x give the same limits in those units. */
enum { SCANT_LIMITS_ASIDE = 4 };

/* What was met of an attribute; all 0 at first. */
typedef struct scant_limits {
  uint64_t count;
  double mean, spread; /* of the core: its mean, and the sum of squared deviations from it */
  double
      aside[SCANT_LIMITS_ASIDE]; /* the two lowest and the two highest values, ascending; fewer while fewer were met */
  double low, high;              /* of the core */
} scant_limits;

/* Adds a finite value.  1: *joined is the value that joined the core, this one or one that was aside before. */
SCANT_API int scant_limits_add(scant_limits *limits, double x, double *joined);

/* Adds all that `other` met, as adding each value would but for rounding.  Of the values aside of both the two lowest
 * and the two highest stay aside, and the inner ones join the core: so a value that is wild among all never does. */
SCANT_API void scant_limits_merge(scant_limits *limits, const scant_limits *other);

/* `clip` standard deviations around the mean.  0: no two different values were met, and both limits are what was met (0
 * if nothing was). */
SCANT_API int scant_limits_of(const scant_limits *limits, double clip, double *low, double *high);

/* x brought inside the limits; NaN stays. */
static inline double scant_limits_clip(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

/* ---- items ---------------------------------------------------------------------------- */

/* What attributes cost, and which are bought together.  An item is what is bought at once: an attribute of its own, or
 * a group, which costs the sum of its members' costs and counts as one look.  Money is counted in hundredths. */
struct scant_prices {
  size_t dimension, items;
  uint64_t *attribute_cost; /* as given */
  uint32_t *group;          /* as given; 0: none */
  uint32_t *item;           /* the item of each attribute; items are numbered by their first attributes */
  uint32_t *first;          /* members[first[g] .. first[g + 1]) are item g */
  uint32_t *members;
  uint64_t *cost;        /* of each item */
  size_t paid;           /* items that cost something */
  uint64_t total;        /* of all items */
  uint64_t dearest_two;  /* together */
  uint64_t cheapest_two; /* of those that cost something, together; if there is one, it alone */
};

/* What the looks of a learner may buy. */
typedef struct scant_market {
  const scant_prices *prices; /* NULL: every attribute is an item, and costs play no part */
  uint32_t *free;             /* items that cost nothing */
  uint32_t free_count;
  double *discount;            /* of each item, what its worth is multiplied by where money is short; NULL: 1 */
  uint64_t spend;              /* of an example; 0: no limit */
  double expected;             /* items that an example is expected to buy, free ones apart */
  const unsigned char *barred; /* attributes that are never bought; NULL: none.  Each is an item of its own, and free */
  size_t barred_count;
} scant_market;

static inline uint64_t scant_market_cost(const scant_market *market, uint32_t item) {
  return market->prices ? market->prices->cost[item] : 0;
}

/* The members of an item. */
static inline uint32_t scant_market_size(const scant_market *market, uint32_t item) {
  return market->prices ? market->prices->first[item + 1] - market->prices->first[item] : 1;
}

static inline uint32_t scant_market_member(const scant_market *market, uint32_t item, uint32_t place) {
  return market->prices ? market->prices->members[market->prices->first[item] + place] : item;
}

/* Is the item never bought? */
static inline int scant_market_bars(const scant_market *market, uint32_t item) {
  return market->barred && market->barred[scant_market_member(market, item, 0)];
}

/* Adds an attribute that is not in the look yet, bought for certain with its item, as a look of its own: where an item
 * has several, the caller counts them as one in look->draws. */
static inline void scant_look_take(scant_look *look, uint32_t attribute, uint32_t item) {
  uint32_t place = look->count++;
  look->attributes[place] = attribute;
  look->item[place] = item;
  look->gradient_draws[place] = 1;
  look->residual_draws[place] = 0;
  look->gradient_probability[place] = look->residual_probability[place] = 1;
  look->gradient_total = look->draws = look->count;
}

/* How likely a look was to have what it has. */
typedef struct scant_chances {
  int now;           /* the law of the learner's looks is the one that drew this look */
  double *inclusion; /* of each place */
  double *pairs;     /* of places i and j: at i * count + j; NULL: not asked for */
  double *q, *p;     /* room for the probabilities of one draw, for the gradient and for the residual */
} scant_chances;

/* These chances for every place and every two places. */
static inline void scant_chances_alike(const scant_look *look, double inclusion, double pair,
                                       const scant_chances *chances) {
  uint32_t count = look->count;
  for (uint32_t i = 0; i < count; i++) chances->inclusion[i] = inclusion;
  for (uint32_t i = 0; chances->pairs && i < count; i++)
    for (uint32_t j = 0; j < count; j++) chances->pairs[i * count + j] = i == j ? inclusion : pair;
}

/* The probability that a subset of n of d, all subsets being equally likely, has two things. */
static inline double scant_chances_pair(double n, double d) {
  return n >= 2 ? n * (n - 1) / (d * (d - 1)) : 0;
}

/* ---- the joint Gaussian of a model ------------------------------------------------------ */

/* Variables are the attributes that it knows, in ascending order, then the target; a place is a variable's number. */
typedef struct scant_gaussian {
  size_t count;         /* attributes it knows; those that never varied are left out */
  uint32_t *attributes; /* ascending */
  double *mean;         /* count + 1, the target's last; in original units, of log(1 + y) under log-target */
  double *covariance;   /* lower triangle by rows, (count + 1)(count + 2)/2, target last; may be singular */
  double excess;        /* how far predictions err beyond the model's own variance, per unit of variance explained */
  int two_valued;       /* the target is of two values, */
  double values[2];     /* ascending, in units of its mean */
  size_t quantile_count;
  /* Of standardised residuals, or of the probability that the value which came was given if there are two, at (i +
   * 1/2)/quantile_count, ascending; none: the normal's, or as if all probabilities were right. */
  double *quantiles;
  /* The part of the target's variance that the looks behind the table left, on average.  Where less is known of an
   * example than that, a table of probabilities does not apply. */
  double quantile_variance;
} scant_gaussian;

/* Zeros, to be filled in.  O(count^2) memory. */
SCANT_API scant_status scant_gaussian_new(scant_gaussian **gaussian, size_t count, size_t quantile_count,
                                          scant_error *error);
SCANT_API void scant_gaussian_free(scant_gaussian *gaussian);

/* Notes whether the targets, at least one, have two values: there is no third, and classes were `declared` or there are
 * enough targets to tell, twenty in all and five of each.  The two values may be any numbers. */
SCANT_API void scant_gaussian_note_values(scant_gaussian *gaussian, const double *y, size_t count, int declared);

/* The prediction as it was learned (of log(1 + y) under log-target), from the linear conditional mean and the
 * conditional variance.  Ends are NaN unless 0 < level < 1. */
SCANT_API void scant_gaussian_predict(const scant_gaussian *gaussian, double mean, double variance, double level,
                                      scant_prediction *prediction);

/* ---- engines ------------------------------------------------------------------------------ */

/* An algorithm with an engine is asked and told as any other.  The learner keeps the parts that all algorithms share:
 * the table of open looks, serials, the generator, the checks of looks and answers, the running moments of attributes
 * and target, the number told, and their part of a checkpoint.  The engine has the rest in its state.
 *
 * A failed call changes nothing.  An engine may depend on what was told, the settings and the generator alone: not on
 * time, on threads, or on whether the regressor was read in between. */

/* What an engine sees of a learner, for the length of a call. */
typedef struct scant_engine_view {
  void *state;                    /* the engine's own */
  const scant_settings *settings; /* resolved */
  size_t dimension;
  uint64_t horizon; /* examples to come in all; 0: unknown */
  uint64_t told;    /* examples told so far */
  uint64_t block;   /* blocks told so far, which is the index of the current block; as `told` if blocks are examples */
  uint32_t k;       /* items of a look, at most */
  scant_market market;
  const scant_moments *moments; /* of each attribute's purchases */
  const scant_moments *target;
  double pooled;                    /* the variance that attributes in like units share; 0: not known yet */
  const unsigned char *unpenalised; /* attributes that are not penalised; NULL: none is left out */
  int chooses_by_groups;            /* may the prior be chosen by groups of examples while they are few? */
  uint64_t read_as; /* how often the last two have changed: a regressor read before that is out of date */
  /* In calls that may change something; else NULL. */
  scant_rng *rng;
  scant_learner *learner; /* for scant_engine_clip and scant_engine_note_anew */
} scant_engine_view;

/* Where errors are added up: see `errors`. */
typedef struct scant_jackknife scant_jackknife;
typedef struct scant_pair_counts scant_pair_counts;

/* What a model keeps beside the weights. */
typedef struct scant_model_extras {
  double *means;            /* of each attribute as it was told, which the engine may replace */
  const double *low, *high; /* what attributes are clipped to; NULL: none is */
  int classes;              /* the target's values were declared as classes */
  double radius;            /* as used */
  scant_gaussian *gaussian; /* NULL at first.  The model takes it over, also after a failure */
} scant_model_extras;

struct scant_engine {
  const char *algorithm;  /* its name in the table */
  uint64_t state_version; /* raised whenever what `save` writes changes its meaning; 0: it never did on its own */

  /* Makes l->state.  SCANT_DATA, before anything large is allocated, if it would take more than the option memory. */
  scant_status (*open)(scant_engine_view *l, scant_error *error);
  void (*free)(void *state); /* also after a failed open; of NULL, too */

  /* Refuses prices with which it would take more than the option memory; NULL: they don't matter. */
  scant_status (*check_prices)(const scant_engine_view *l, const scant_prices *prices, scant_error *error);

  /* Fills an emptied look with room for K attributes (with prices for all), drawing with l->rng, attribute by attribute
   * through scant_look_take.  Where prices are followed, market.spend pays for the two cheapest items; what it does not
   * pay for must be passed over.  Not called with the option observed: then a look is every attribute. */
  scant_status (*look)(scant_engine_view *l, scant_look *look, scant_error *error);

  /* Fills in what is known of the chances of a look, which come as NaN; NULL: nothing has a closed form. */
  void (*chances)(const scant_engine_view *l, const scant_look *look, const scant_chances *chances);

  /* Makes room for `rows` answers to one look, which are a block, so that telling them can't fail; NULL: telling never
   * fails, or blocks are refused. */
  scant_status (*reserve)(scant_engine_view *l, const scant_look *look, size_t rows, scant_error *error);

  /* Learns from a checked answer, before the learner counts it: l->told examples came before this one.  A value that is
   * NaN is not known, and the engine leaves it out.  The rows of a block come one after another, all with the same look
   * and the same l->block; l->told counts on. */
  scant_status (*tell)(scant_engine_view *l, const scant_look *look, const double *values, double y,
                       scant_error *error);

  /* Brings the regressor up to date.  A second call without a tell between does nothing. */
  scant_status (*finish)(scant_engine_view *l, scant_error *error);
  /* The regressor of the last finish, in original units; before the first one, 0 and the mean target. */
  void (*weights)(const scant_engine_view *l, double *w, double *intercept);
  /* Fills in risk, penalty and likelihood of the last finish, as far as it knows them. */
  void (*facts)(const scant_engine_view *l, scant_learner_facts *facts);

  /* With clip: the limits of the last finish, in original units; NULL: it does not clip. */
  void (*limits)(const scant_engine_view *l, double *low, double *high);

  /* Writes members of the learner's object in a checkpoint, and reads them. */
  void (*save)(const scant_engine_view *l, scant_json_writer *out);
  scant_status (*restore)(scant_engine_view *l, const scant_json *json, size_t node, scant_error *error);

  /* Adds regressors that leave a group of examples out to the jackknife, and the attributes of each example to the
   * pairs, from what it keeps of its answers: a model of the regressor that finish gives gets the errors which follow.
   * NULL: it keeps none, and others tell them again. */
  scant_status (*errors)(scant_engine_view *l, scant_jackknife *jackknife, scant_pair_counts *pairs,
                         scant_error *error);

  /* The risk of regressors and its standard error, by the distribution of what was told; NULL: it has none.  w has, for
   * each group of examples e with equal e % SCANT_ERROR_GROUPS, the weights and the intercept of a regressor that was
   * learned without that group (as many groups as there are, or examples if they are fewer); NULL: regressors of its
   * own, made as that of finish is.  NaN: not known, because too little was told. */
  scant_status (*judge)(scant_engine_view *l, const double *w, double *risk, double *risk_error, scant_error *error);

  /* How often the law of its looks was renewed, if that matters to what it learns from them; and notes that the looks
   * told from now on were drawn by another law.  NULL: it does not matter. */
  uint64_t (*law)(const scant_engine_view *l);
  scant_status (*turn)(scant_engine_view *l, scant_error *error);

  /* Adds what the model keeps beside the weights, after finish; NULL: nothing. */
  scant_status (*keep)(scant_engine_view *l, scant_model_extras *extras, scant_error *error);

  /* Adds what another learner of the same settings was told, which is used up.  The learners add moments and counts
   * themselves.  SCANT_DATA: they do not add up.  NULL: they never do. */
  scant_status (*merge)(scant_engine_view *l, scant_engine_view *other, scant_error *error);
};

/* Refuses what would take more than the option memory, and says how much it would take. */
SCANT_API scant_status scant_engine_check_memory(const scant_engine_view *l, double bytes, scant_error *error);

/* From now on the moments are of values brought between these limits, of each attribute; the arrays last as long as the
 * state. */
SCANT_API void scant_engine_clip(scant_engine_view *l, const double *low, const double *high);

/* Makes the moments of all attributes anew, of the values of these examples: those of example e are from end[e - 1] (0
 * for the first) to end[e]. */
SCANT_API void scant_engine_note_anew(scant_engine_view *l, size_t examples, const size_t *end, uint32_t *attributes,
                                      const double *values);

/* Adds the regressor without a group (risk NaN: not known); adds an example, of which NaN were not seen: O(seen^2). */
SCANT_API void scant_jackknife_add(scant_jackknife *jackknife, const double *w, double intercept, double risk);
SCANT_API void scant_pair_counts_add(scant_pair_counts *counts, size_t seen, const uint32_t *attributes,
                                     const double *values);

/* ---- settings without a learner ------------------------------------------------------------- */

/* Resolves settings for this many attributes: the algorithm, its defaults, and K. */
SCANT_API scant_status scant_settings_resolve_for(scant_settings *settings, size_t dimension, scant_error *error);

/* Drops the caller's texts and engines: the algorithm's name becomes the table's, other texts and engines NULL. */
SCANT_API void scant_settings_own(scant_settings *settings);

/* ---- models without a learner --------------------------------------------------------------- */

/* A pointer that is NULL stands for none, or for zeros. */
typedef struct scant_model_parts {
  size_t dimension;
  const double *weights;
  double intercept;
  const char *const *names;
  const char *target;
  const scant_settings *settings; /* resolved */
  const scant_ledger *ledger;
  const uint64_t *purchases; /* of each attribute */
  const scant_prices *prices;
  const double *means, *low, *high;
  double penalty;           /* NaN: none */
  scant_gaussian *gaussian; /* which the model takes over, also after a failure */
} scant_model_parts;

/* A finished model with copies of its parts.  The caller frees it. */
SCANT_API scant_status scant_model_make(scant_model **model, const scant_model_parts *parts, scant_error *error);

/* The joint Gaussian of a model, which may be changed; NULL: it has none. */
SCANT_API scant_gaussian *scant_model_gaussian(scant_model *model);

/* ---- progress ------------------------------------------------------------------------------- */

/* Tells whoever watches (runtime.watch) how far work that takes long is, and asks whether it should stop.
 *
 * Several jobs may share one: they run on threads of their own, and their steps are counted together.  Once the watcher
 * has said stop it is not asked again, and every job ends soon: an EM after its round. */
typedef struct scant_thinking {
  scant_watch *watch; /* NULL: nobody watches */
  void *watcher;
  scant_thought now;
  int stopped;
  pthread_mutex_t lock;
} scant_thinking;

SCANT_API void scant_thinking_begin(scant_thinking *thinking, const scant_runtime *runtime, const char *algorithm,
                                    int reading);
SCANT_API void scant_thinking_end(scant_thinking *thinking);

/* Each tells the watcher, and returns whether to stop.  NULL for the first argument: nobody watches.  The second begins
 * with a prior, from 1 on, or (0) with the EM on all examples. */
SCANT_API int scant_thinking_step(scant_thinking *thinking, unsigned steps);
SCANT_API int scant_thinking_turn(scant_thinking *thinking, unsigned prior, unsigned priors);

/* The same for the regressor without another group of examples, from 1 on. */
SCANT_API int scant_thinking_group(scant_thinking *thinking, unsigned group, unsigned groups);

/* Was it told to stop? */
SCANT_API int scant_thinking_stopped(scant_thinking *thinking);

#ifdef __cplusplus
}
#endif

#endif
