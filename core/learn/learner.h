/* The learner's insides: shared by the files of this folder and by tests. */
#ifndef SCANT_LEARN_LEARNER_H
#define SCANT_LEARN_LEARNER_H

#include "estimate/running.h"
#include "estimate/loss.h"
#include "estimate/risk.h"
#include "learn/resolve.h"
#include "scant_engine.h"
#include "scant_replay.h"

/* Serials of looks that were asked for and not yet told (open_looks.c). */
typedef struct scant_open {
  uint64_t *serial; /* ascending; with a mark if it was closed */
  size_t length;    /* closed ones included */
  size_t count;     /* open ones */
  size_t most;      /* how many may be open */
} scant_open;

int scant_open_new(scant_open *open, size_t most); /* 0: out of memory */
int scant_open_has(const scant_open *open, uint64_t serial);
void scant_open_close(scant_open *open, uint64_t serial);

/* Adds the largest serial yet; count < most. */
void scant_open_add(scant_open *open, uint64_t serial);

/* Opens one again that was closed; count < most.  O(most). */
void scant_open_again(scant_open *open, uint64_t serial);

/* The state before the last ask, so that it can be taken back. */
typedef struct scant_before {
  uint64_t serial, told; /* serial 0: nothing can be taken back */
  scant_rng rng, rng_by_w;
} scant_before;

struct scant_learner {
  /* fixed at the start */
  scant_settings settings;
  const scant_parts *parts;
  const scant_update *update;
  const scant_engine *engine; /* of a dense algorithm; else NULL, and there is an update and an iterate */
  void *engine_state;
  size_t dimension;
  uint64_t horizon;   /* examples to come; 0: unknown; looks.horizon has the blocks that they make */
  uint64_t tag;       /* written into looks */
  int centered;       /* means are subtracted */
  int tallies;        /* moments[i].mean is a sum (see scant_moments_tally) */
  int own_intercept;  /* the iterate has a last coordinate for the intercept */
  int judges_average; /* its looks serve any weights, and the average is the result: judge.c estimates its risk */
  scant_loss_form loss;
  double eta;               /* NaN: adapts */
  scant_prices *own_prices; /* prices of a learner that was loaded; NULL: they are the caller's, or there are none */
  /* moves */
  scant_looks looks;
  scant_before before;
  scant_iterate w;
  uint64_t told;  /* examples */
  uint64_t block; /* blocks told, which is the index of the current block; as `told` where a block is one example */
  uint64_t next_serial;
  uint64_t asked_at;                      /* examples told when the last look was asked for */
  double gradient_size;                   /* sqrt of the sum of ||g||^2, for an adaptive eta */
  scant_moments *moments;                 /* of each attribute's purchases */
  const double *frozen_low, *frozen_high; /* limits that an engine has frozen: moments are of values between them */
  scant_clipped *clipped; /* with clip, what `moments` follow from: those of the clipped purchases; else NULL */
  scant_moments y_moments;
  scant_pool pool;
  scant_risk risk;         /* of recent iterates, in original units */
  scant_parabola parabola; /* of the average, in original units; empty where the learner does not judge it */
  scant_open open;
  /* not serialized: how the regressor is read */
  unsigned char *unpenalised; /* attributes that are not penalised (option errors-of); NULL: none */
  int chooses_by_groups; /* does a dense algorithm choose its prior by groups of its examples while they are few? */
  uint64_t read_as;      /* how often that has changed: what was read before is out of date */
  /* scratch */
  size_t scratch_room;
  int sound;                     /* 1: nothing is missing in the current answer */
  const unsigned char *left_out; /* places of the current answer that are missing on purpose; NULL: none */
  double *x, *g;                 /* values in learning units, and their gradient */
  double *mean_g;                /* of the gradients of a block; NULL where a block is one example */
  double *t, *a;                 /* see estimate/stopped_gradient.h */
  double *shapes;                /* two per place: intermediate results of an update */
  double *renewed;               /* two per place: weights and means of a look that is told late */
  scant_meeting after;           /* the moments with the current purchase */
  scant_clipped *met;            /* and what they follow from, with clip */
};

/* A learner by these terms. */
scant_status scant_learner_of_terms(scant_learner **learner, const scant_terms *terms, scant_error *error);

/* Makes room in the learner's scratch.  0: out of memory. */
int scant_learner_reserve(scant_learner *learner, size_t places);

/* ---- asking (ask.c) --------------------------------------------------------- */

/* SCANT_MISUSE if as many looks are open as may be. */
scant_status scant_learner_check_open(const scant_learner *learner, scant_error *error);

/* If the kind of looks is ageless, *look becomes `room`: the same draws with the present w, means and target mean,
 * which are in the learner's scratch until the next call.  The draws and their probabilities are all that the estimate
 * needs from the time of asking: what the learner knows now depends on other examples alone. */
scant_status scant_learner_renew(scant_learner *learner, const scant_look **look, scant_look *room, scant_error *error);

/* scant_learner_share for a learner like the one that drew the look, also of an engine. */
scant_status scant_learner_adopt(scant_learner *learner, const scant_look *drawn, scant_look *look, scant_error *error);

/* Gives the looks of this learner a stream of their own, since it learns beside others with the same seed. */
void scant_learner_set_stream(scant_learner *learner, uint64_t stream);

/* scant_learner_describe for a look that needs no check.  With stopped looks of another learner it reads only what
 * never changes: candidates of a tuning may learn meanwhile. */
scant_status scant_learner_describe_sound(const scant_learner *learner, const scant_look *look, scant_look_line *lines,
                                          double *pairs, scant_error *error);

/* Do its looks follow prices? */
static inline int scant_learner_follows_prices(const scant_learner *learner) {
  return learner->looks.kind->price != NULL;
}
/* The prices that they follow; NULL: none. */
static inline const scant_prices *scant_learner_prices(const scant_learner *learner) {
  return learner->looks.law.market.prices;
}
/* Makes a learner that goes on follow the same prices at another address. */
void scant_learner_move_prices(scant_learner *learner, const scant_prices *prices);

/* Looks that were asked for and not told. */
static inline size_t scant_learner_open_looks(const scant_learner *learner) {
  return learner->open.count;
}

/* The norm of the ball that holds w; that of an algorithm without one means nothing. */
static inline scant_norm scant_learner_norm(const scant_learner *learner) {
  return learner->looks.norm;
}

/* Prefetches the learner's data of these attributes into the cache. */
void scant_learner_expect(const scant_learner *learner, size_t count, const uint32_t *attributes);

/* ---- looks drawn ahead (ask.c) --------------------------------------------------
 *
 * Their attributes are on the way from memory while the examples before them are learned.  A look depends on what was
 * told before it alone, not on how far ahead it was drawn: when the law is rebuilt, looks drawn by the old one are
 * dropped. */

enum { SCANT_AHEAD = 32 }; /* a power of two */

typedef struct scant_ahead {
  scant_learner *learner;
  scant_look *looks[SCANT_AHEAD]; /* a ring, the next one at `first` */
  scant_rng before[SCANT_AHEAD];  /* the learner's generator before each was drawn */
  unsigned first, drawn, most;
  uint64_t law_age;   /* age of the law that drew them */
  scant_rng rng_by_w; /* before the current look was asked for */
  uint64_t serial;
} scant_ahead;

scant_status scant_ahead_new(scant_ahead *ahead, scant_learner *learner, scant_error *error);
void scant_ahead_free(scant_ahead *ahead);

/* The next look, open.  `left` examples are still to come, this one included, and no more looks than that are drawn. */
scant_status scant_ahead_ask(scant_ahead *ahead, size_t left, const scant_look **look, scant_error *error);

/* Says that this look was told; or that it was not, so that the next one is the same again. */
void scant_ahead_tell(scant_ahead *ahead);
void scant_ahead_take_back(scant_ahead *ahead);

/* Drops all looks drawn ahead: the generator is where it was before the next one. */
void scant_ahead_forget(scant_ahead *ahead);

/* The look that was drawn last, and how many examples it is ahead; NULL: nothing is drawn ahead. */
const scant_look *scant_ahead_last(const scant_ahead *ahead, size_t *examples);

/* ---- telling (tell.c) --------------------------------------------------------- */

/* Checks an answer to a look; SCANT_DATA with what can't be learned from. */
scant_status scant_learner_check(scant_learner *learner, const scant_look *look, const double *values, double y,
                                 scant_error *error);

/* Is this row of a block learned from?  The option `missing` may skip it.  Makes it the current answer. */
int scant_learner_takes_row(scant_learner *learner, const scant_look *look, const double *values);

/* How many of these rows are learned from. */
size_t scant_learner_takes_rows(scant_learner *learner, const scant_look *look, size_t rows, const double *values);

/* The two halves of tell, for a look that needs no check because it never left the library.  The first half can fail;
 * the second changes the learner.  Each row of values has one per place of the look.  A block of which all rows are
 * skipped, or one that an engine learns, is done after the first half. */
typedef struct scant_step {
  int ready;
  size_t rows;                /* that are learned from */
  double eta, size, risk;     /* of the step; gradient_size after it; an estimate */
  double share;               /* of the iterate in the average after it; 0: none, or the average is not judged */
  scant_parabola_terms terms; /* what the example says of the average */
} scant_step;
scant_status scant_learner_prepare_block(scant_learner *learner, const scant_look *look, size_t rows,
                                         const double *values, const double *y, scant_step *step, scant_error *error);
void scant_learner_commit_block(scant_learner *learner, const scant_look *look, size_t rows, const double *values,
                                const double *y, const scant_step *step);

/* scant_learner_tell_given for a block; `left_out` marks places of every row. */
scant_status scant_learner_tell_given_block(scant_learner *learner, const scant_look *look,
                                            const unsigned char *left_out, size_t rows, const double *values,
                                            const double *y, scant_error *error);

/* Sets the step size that goes with the law of the looks, unless eta was given. */
void scant_learner_take_eta(scant_learner *learner);

/* ---- how good the regressor is (judge.c) -------------------------------------- */

/* What an example says of the average after it, in original units: see estimate/risk.h.  `share` is the share of
 * the current iterate in that average.  To be called after the gradient was made: it takes the scratch but for g. */
scant_parabola_terms scant_learner_terms(scant_learner *learner, const scant_look *look, double y, double share);

/* The regressor is the average times this. */
double scant_learner_scale(const scant_learner *learner);

/* scant_learner_judge for the average times another scale. */
scant_status scant_learner_judge_at(scant_learner *learner, double scale, const scant_look *look, const double *values,
                                    double y, double *risk, scant_error *error);

/* ---- units (units.c) ---------------------------------------------------------- */

/* x in learning units: divided by x-bound, less the mean frozen in the look (an attribute without a mean yet takes no
 * part); divided by the standard deviation, this purchase included, where the algorithm says so.  A missing value (NaN)
 * is taken to be the mean.  Leaves the moments with this purchase in l->after, for scant_learner_note.
 *
 * With clip, x is first brought between limits that the purchases before this one made (with this one, while those
 * before it did not vary), and the frozen mean between those that this one makes too.  So every attribute is a function
 * of its value, whatever else was bought, and the gradient is unbiased for these clipped attributes. */
void scant_learner_units(scant_learner *learner, const scant_look *look, const double *values, double *x);

/* The target in learning units, and the unit. */
double scant_learner_target(const scant_learner *learner, const scant_look *look, double y, double *unit);

/* A coordinate of the result, the iterate or the average, in learning units; `dimension` is the intercept. */
double scant_learner_result(const scant_learner *learner, size_t i);

/* Is nothing to be learned from this answer, because a value is missing? */
int scant_learner_skips(const scant_learner *learner, const scant_look *look, const double *values);

/* Are deviations from 0? */
static inline int scant_learner_is_raw(const scant_learner *learner) {
  return learner->parts->standardised && !learner->centered;
}

/* The mean of an attribute's purchases, in units of x-bound. */
static inline double scant_learner_mean(const scant_learner *learner, size_t i) {
  const scant_moments *m = &learner->moments[i];
  return !learner->tallies ? m->mean : m->count ? m->mean / (double)m->count : 0;
}

/* Adds an example that was told to the moments; or its values alone, for an engine that makes the moments anew. */
void scant_learner_note(scant_learner *learner, const scant_look *look, const double *values, double y);
void scant_learner_note_values(scant_learner *learner, const scant_look *look, const double *values);

/* ---- engines (engine.c) -------------------------------------------------------- */

/* The looks of an engine are a kind of their own: its function `look` draws them.  Those of the second kind follow
 * prices. */
extern const scant_look_kind scant_look_by_engine;
extern const scant_look_kind scant_look_by_engine_for_prices;

/* The engine of an algorithm in a list ended by NULL (which may be NULL), or NULL. */
const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *algorithm);

/* What an engine sees, for a call that may change something, and for one that changes nothing. */
scant_engine_view scant_engine_view_of(scant_learner *l);
scant_engine_view scant_engine_peek(const scant_learner *l);

/* Learns from the checked rows of a block and closes their look. */
scant_status scant_engine_tell(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                               const double *y, scant_error *error);

/* The engine must have `judge`. */
scant_status scant_engine_judge(scant_learner *l, const double *w, double *risk, double *risk_error,
                                scant_error *error);

/* 0 and nothing where the law of its looks does not matter, as without an engine. */
uint64_t scant_engine_law(const scant_learner *l);
scant_status scant_engine_turn(scant_learner *l, scant_error *error);

/* Adds what the other learner was told, which is used up; the engine must have `merge`. */
scant_status scant_engine_merge(scant_learner *l, scant_learner *other, scant_error *error);

/* ---- option errors-of (unpenalised.c) ---------------------------------------------- */

/* Marks the attributes of a list: "all", or names separated by commas, which they may hold themselves; numbers from
 * 1 where attributes have no names (`name` NULL: none has).  SCANT_USAGE names what is no attribute, or comes twice. */
scant_status scant_unpenalised_parse(const char *list, size_t dimension, scant_attribute_name *name, const void *user,
                                     unsigned char *marks, scant_error *error);

/* Makes the learner read these attributes unpenalised; NULL: none.  The marks are copied. */
scant_status scant_unpenalised_set(scant_learner *learner, const unsigned char *marks, scant_error *error);

/* ---- keeping (state.c) ---------------------------------------------------------- */

/* Writes the learner's moving parts as JSON, and reads them.  Restoring checks sizes and
 * finiteness and fails with SCANT_DATA, leaving the learner unusable but freeable. */
void scant_learner_write_state(const scant_learner *learner, scant_json_writer *out);
scant_status scant_learner_restore(scant_learner *learner, const scant_json *json, size_t node, scant_error *error);

#endif
