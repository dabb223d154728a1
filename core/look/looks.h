/* How a learner looks: which attributes of the next example, with what probability.
 *
 * A kind of looks is a const descriptor.  Asking has two halves.  The first half depends on the
 * settings, on `rng` and on a law that stays as it is until law.age changes, so it may be drawn ahead.  The second
 * half, draws by the current w, has a generator of its own and comes when the look is frozen. */
#ifndef SCANT_LOOK_LOOKS_H
#define SCANT_LOOK_LOOKS_H

#include "scant_replay.h"
#include "estimate/genest.h"
#include "estimate/running.h"
#include "look/law.h"
#include "update/iterate.h"

typedef struct scant_looks scant_looks;

typedef struct scant_look_kind {
  /* ---- what is known of it beforehand ---- */

  int whole;         /* every attribute is bought: K is d */
  int early;         /* looks may be drawn before the examples before them are told */
  int in_items;      /* draws are of items, not of attributes, and are kept without their order */
  int halves;        /* every second draw is of a second half, for estimates that compare them */
  int by_deviation;  /* it explores by standard deviations, not evenly */
  int uses_moments;  /* it follows the moments of the attributes, which must be kept whole */
  int needs_horizon; /* the number of examples must be known beforehand */
  int ageless;       /* any attribute may be drawn, whatever w is: estimates are unbiased for the w of telling too */
  int counts_draws;  /* K counts draws, of which several may be of one attribute; else attributes */
  int has_draws;     /* gradient_draws of a look are independent, each with gradient_probability */
  int fleeting;      /* some chances of a look are known only while the law that drew it lasts */

  /* SCANT_USAGE if K does not suit it; NULL: any K of 2 and more does. */
  scant_status (*check)(const scant_settings *settings, const char *algorithm, scant_error *error);
  /* Shares K, from the settings and the dimension alone: fills in k_gradient, k_residual (or expected_residual) and
   * expected_draws. */
  void (*share)(scant_looks *looks);

  /* ---- its life; NULL: nothing to do ---- */

  /* Makes what it keeps; 0: out of memory. */
  int (*open)(scant_looks *looks);
  /* Follows prices from now on, which must outlive it; 0: out of memory. */
  int (*price)(scant_looks *looks, const scant_prices *prices, uint64_t spend, double rate);

  /* ---- drawing; a look comes emptied, with room for what is expected ---- */

  /* Draws that do not depend on the current w. */
  scant_status (*draw)(scant_looks *looks, scant_look *look, scant_error *error);
  /* Draws by the law of the current w; NULL: there are none. */
  scant_status (*freeze)(scant_looks *looks, scant_look *look, scant_error *error);
  /* Makes a look at every attribute, for values that are known already; NULL: the kind learns from its own looks alone.
   */
  scant_status (*draw_all)(scant_looks *looks, scant_look *look, scant_error *error);

  /* The probability that a look has the attribute of each place of this one, and of each two of its places that it has
   * both.  What has no closed form stays as it is: it comes as NaN.  NULL: nothing has one. */
  void (*chances)(const scant_looks *looks, const scant_look *look, const scant_chances *chances);

  /* ---- learning; NULL: nothing to do ---- */

  /* w and the moments have learned from this look, the `told`-th: that of a block, where a look is for several
   * examples. */
  void (*follow)(scant_looks *looks, const scant_look *look, uint64_t told);
  /* Blocks of a first phase, which the average leaves out. */
  uint64_t (*phase)(const scant_looks *looks);
  /* The step size that goes with the law; NaN: the theorem's. */
  double (*eta)(const scant_looks *looks);

  /* Writes members of a checkpoint's object, and reads them; SCANT_DATA says what is wrong. */
  void (*save)(const scant_looks *looks, scant_json_writer *out);
  scant_status (*restore)(scant_looks *looks, uint64_t told, const scant_json *json, size_t node, scant_error *error);
} scant_look_kind;

extern const scant_look_kind scant_look_uniform;        /* [HK12]: all but a few for the gradient */
extern const scant_look_kind scant_look_even;           /* [CSS11]: half for the gradient, half for the residual */
extern const scant_look_kind scant_look_data_dependent; /* [KS15] */
extern const scant_look_kind scant_look_genest;         /* [HK12, Alg. 4] */
extern const scant_look_kind scant_look_coinflip;       /* all or nothing */
extern const scant_look_kind scant_look_all;
extern const scant_look_kind scant_look_stopped; /* ours: a certainty set, and draws until K is full */
extern const scant_look_kind scant_look_stopped_by_deviation;
extern const scant_look_kind scant_look_stopped_halves;

/* The laws of the second phase of a data-dependent kind: E x^2 or its root, and that times |w|. */
typedef struct scant_data_law {
  scant_sumtree explore, follow;
  uint64_t rescaled; /* w->rescaled when `follow` was last made as a whole */
} scant_data_law;

struct scant_looks {
  /* fixed at the start */
  const scant_look_kind *kind;
  const scant_settings *settings; /* the learner's, resolved */
  size_t dimension;
  uint64_t horizon;    /* blocks to come, each of one example by default; 0: unknown */
  uint32_t k_gradient; /* the paper's k */
  uint32_t k_residual;
  double expected_residual; /* draws for the residual, where their number is up to chance and k_residual is 0 */
  double expected_draws;
  scant_norm norm;     /* of w's ball */
  int centered;        /* means are subtracted */
  scant_series series; /* GenEst's, */
  uint32_t group;      /* and its N */
  uint32_t calls;
  struct scant_learner *learner; /* whose looks they are, for kinds that ask an engine */
  /* what laws follow: the learner's */
  const scant_iterate *w;
  const scant_moments *moments;
  scant_pool *pool;
  /* moves */
  scant_rng rng;
  scant_rng rng_by_w;  /* for draws by the law of the current w, so that the others can be made ahead */
  scant_law law;       /* kinds in items only */
  scant_data_law data; /* data-dependent kinds only */
  /* scratch */
  uint32_t *met;         /* of each attribute: its place in the last look that had it, plus the base of that look */
  uint32_t base;         /* of the current look: beyond every place of the looks before it */
  uint32_t *drawn;       /* the gradient's draws, in order */
  unsigned char *barred; /* marks of attributes that are never bought, for the law; NULL: none */
};

/* Shares K, takes memory and makes the first law.  What is fixed and what is followed is filled in already; 0: out of
 * memory, and scant_looks_free is still due. */
int scant_looks_open(scant_looks *looks);
void scant_looks_free(scant_looks *looks);

/* Marks attributes that are never bought, before prices and before the first look; 0: out of memory.  With prices each
 * of them must be an item of its own that costs nothing. */
int scant_looks_bar(scant_looks *looks, const unsigned char *barred);

/* Seeds both generators anew. */
void scant_looks_seed(scant_looks *looks, uint64_t seed, uint64_t stream, uint64_t stream_by_w);

/* An emptied look, into which another can be drawn. */
void scant_looks_empty(scant_looks *looks, scant_look *look);

/* Is everything in a look as a learner of this kind could have written it?  Looks are kept outside and may come back
 * damaged.  SCANT_MISUSE with what is wrong.  A look that was given may have been drawn with other prices, groups or K:
 * its items need not be those of the present law. */
scant_status scant_look_check(const scant_look *look, const scant_looks *looks, scant_error *error);
scant_status scant_look_check_given(const scant_look *look, const scant_looks *looks, scant_error *error);

/* The arrays of a look that have a place for each of its attributes, as they are serialized. */
typedef struct scant_look_array {
  const char *key;
  size_t offset; /* of the pointer */
  int is_real;   /* double; else uint32_t */
} scant_look_array;
enum { SCANT_LOOK_ARRAYS = 8 };
extern const scant_look_array scant_look_arrays[SCANT_LOOK_ARRAYS];
void *scant_look_get_array(const scant_look *look, size_t a);
static inline size_t scant_look_array_size(size_t a) {
  return scant_look_arrays[a].is_real ? sizeof(double) : sizeof(uint32_t);
}

/* ---- what the kinds share ------------------------------------------------------ */

/* Every attribute for certain. */
scant_status scant_look_draw_all(scant_looks *looks, scant_look *look, scant_error *error);

/* `k_residual` draws by the weights of a tree, in order. */
scant_status scant_look_draw_residual(scant_looks *looks, scant_look *look, const scant_sumtree *law);
/* One of them; its place. */
uint32_t scant_look_draw_by(scant_looks *looks, scant_look *look, const scant_sumtree *law);

/* Finds the places of the attributes drawn; other looks may have been drawn meanwhile. */
void scant_looks_find_again(scant_looks *looks, const scant_look *look);

/* k_gradient attributes with equal probabilities. */
scant_status scant_look_draw_uniform(scant_looks *looks, scant_look *look, scant_error *error);

/* Attributes per visit, K shared by the passes, which need not be whole. */
double scant_look_visit(const scant_settings *settings);
/* About how many distinct attributes a visit buys. */
double scant_look_purchases(const scant_look_kind *kind, const scant_settings *settings, size_t dimension);

/* `share` of kinds with K looks for the gradient, and of those with half of K for the residual. */
void scant_look_share_k(scant_looks *looks);
void scant_look_share_evenly(scant_looks *looks);

/* `price`, but for rebuilding the law. */
int scant_looks_price(scant_looks *looks, const scant_prices *prices, uint64_t spend, double rate);

/* Fills in the chances of looks with gradient_total draws by q and residual_total by p, all independent;
 * or with `subset` of a subset of gradient_total and residual_total draws by p. */
void scant_chances_of_draws(const scant_look *look, size_t dimension, int subset, const scant_chances *chances);
/* The same for looks whose gradient's draws are uniform, and whose residual's are by w^2 (norm 2) or |w|. */
void scant_chances_of_uniform(const scant_looks *looks, const scant_look *look, const scant_chances *chances);

/* Makes the law of items (law.c): from w and the moments; from law.explore and law.follow as they are; and,
 * after a look, from w and the moments if that is due. */
void scant_looks_rebuild_law(scant_looks *looks, uint64_t told);
void scant_looks_make_law(scant_looks *looks);
void scant_looks_follow_law(scant_looks *looks, const scant_look *look, uint64_t told);

/* The place of an attribute in the look, or `count`. */
static inline uint32_t scant_look_find(const scant_looks *looks, const scant_look *look, uint32_t i) {
  int32_t place = (int32_t)(looks->met[i] - looks->base);
  return place < 0 ? look->count : (uint32_t)place;
}

/* A new place for an attribute that is not in the look, as an item of its own, not drawn. */
static inline void scant_look_append(scant_looks *looks, scant_look *look, uint32_t i) {
  uint32_t place = look->count++;
  looks->met[i] = looks->base + place;
  look->attributes[place] = look->item[place] = i;
  look->gradient_draws[place] = look->residual_draws[place] = 0;
  look->gradient_probability[place] = look->residual_probability[place] = 1;
}

/* The same without branches, where many are added to a look at once: a processor can't predict whether an
 * attribute comes again.  Its place, `count` if it is new; `met` and `base` are those of the looks. */
static inline uint32_t scant_look_meet(uint32_t *met, uint32_t base, uint32_t i, uint32_t count, uint32_t *is_new) {
  uint32_t place = met[i] - base;
  *is_new = place >> 31; /* negative: of an earlier look */
  place = *is_new ? count : place;
  met[i] = base + place;
  return place;
}

/* Fills in what all places from `first` on have in common: items of their own, not drawn for the residual. */
void scant_look_fill(scant_look *look, uint32_t first);

/* The place of an attribute, added if it is new: an attribute drawn twice is bought once. */
static inline uint32_t scant_look_add(scant_looks *looks, scant_look *look, uint32_t i) {
  uint32_t place = scant_look_find(looks, look, i);
  if (place == look->count) scant_look_append(looks, look, i);
  return place;
}

#endif
