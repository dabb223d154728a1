/* The learner's insides: shared by the files of this folder and by tests. */
#ifndef SCANT_LEARN_LEARNER_H
#define SCANT_LEARN_LEARNER_H

#include "core/rng.h"
#include "estimate/genest.h"
#include "estimate/loss.h"
#include "learn/algorithms.h"
#include "learn/engine.h"
#include "update/iterate.h"
#include "look/law.h"
#include "learn/running.h"
#include "look/open_looks.h"
#include "estimate/risk.h"
#include "scant.h"

/* The laws of the second phase: E x^2 or its root, and that times |w|. */
typedef struct scant_data_law {
  scant_sumtree explore, follow;
  uint64_t rescaled; /* w.rescaled when `follow` was last made as a whole */
} scant_data_law;

/* What the last ask began with, should it be taken back. */
typedef struct scant_before {
  uint64_t serial, told; /* serial 0: nothing can be */
  scant_rng rng, rng_by_w;
} scant_before;

struct scant_learner {
  /* fixed at the start */
  scant_settings settings;
  const scant_row *row;
  const scant_update *update;
  const scant_engine *engine; /* of a dense row; else NULL, and there is an update and an iterate */
  void *engine_state;
  size_t dimension;
  uint64_t horizon;    /* examples to come; 0: unknown */
  uint64_t tag;        /* written into looks */
  uint32_t k_gradient; /* the paper's k */
  uint32_t k_residual;
  int centred;    /* means are subtracted */
  int tallies;    /* moments[i].mean is a sum (see scant_moments_tally) */
  int biased;     /* the iterate has a last coordinate for the intercept */
  double coin;    /* coinflip: probability of looking */
  uint32_t group; /* GenEst's N */
  scant_loss_form loss;
  scant_series series;
  double eta; /* NaN: adapts */
  double expected_draws;
  scant_prices *own_prices; /* of a learner that was loaded; NULL: the caller's, or none */
  /* moves */
  scant_rng rng;
  scant_before before;
  scant_rng rng_by_w; /* for draws by the law of the current w, so that the others can be made ahead */
  scant_iterate w;
  uint64_t told;
  uint64_t next_serial;
  double gradient_size;   /* sqrt of the sum of ||g||^2, for an adaptive eta */
  scant_law law;          /* stopped looks only */
  scant_data_law data;    /* data-dependent rows only */
  scant_moments *moments; /* of each attribute's purchases */
  scant_moments y_moments;
  scant_risk risk; /* in original units */
  /* What all attributes say of a variance, where they are in like units: the sum
   * and number of unbiased estimates, one from each purchase but the first. */
  double pool_sum, pool_count;
  double law_pool; /* the pooled variance that the law knows of */
  scant_open open;
  /* scratch */
  uint32_t *met;   /* of each attribute, its place in the last look that it was in, plus that look's base */
  uint32_t base;   /* of the look at hand: beyond every place of the looks before it */
  uint32_t *drawn; /* the gradient's draws, in order */
  size_t scratch_room;
  int sound;           /* 1: nothing is missing in the answer at hand */
  double *x, *g;       /* values in learning units, and their gradient */
  double *t, *a;       /* see estimate/ustatistic.h */
  double *shapes;      /* two for each place: what an update computes on its way */
  scant_meeting after; /* the moments with the purchase at hand */
};

/* Makes room in a look and in the learner's scratch.  0: out of memory. */
int scant_look_reserve(scant_look *look, size_t places, size_t sequence);
int scant_learner_reserve(scant_learner *learner, size_t places);

/* SCANT_MISUSE if as many looks are open as may be. */
scant_status scant_learner_check_open(const scant_learner *learner, scant_error *error);

/* What tell does with a look that is known to be in order (one that was asked for
 * just now and never left the house), in two halves: what can fail, and what
 * changes the learner.  An example that is skipped, or learned by an engine, is done
 * after the first. */
typedef struct scant_step {
  int ready;
  double eta, size, risk; /* of the step; gradient_size after it; an estimate */
} scant_step;
scant_status scant_learner_prepare(scant_learner *learner, const scant_look *look, const double *values, double y,
                                   scant_step *step, scant_error *error);
void scant_learner_commit(scant_learner *learner, const scant_look *look, const double *values, double y,
                          const scant_step *step);

/* Is everything in a look as ask could have written it?  Looks are kept outside
 * and may come back damaged.  SCANT_MISUSE with what is wrong. */
scant_status scant_look_check(const scant_look *look, const scant_learner *learner, scant_error *error);

/* x in learning units: divided by x-bound, less the mean frozen in the look (an
 * attribute without a mean yet takes no part); divided by the standard
 * deviation, this purchase included, where the row says so.  A missing value
 * (NaN) is taken to be the mean.  Leaves the moments with this purchase in
 * l->after, for scant_learner_note. */
void scant_learner_units(scant_learner *learner, const scant_look *look, const double *values, double *x);

/* The target in learning units, and the unit. */
double scant_learner_target(const scant_learner *learner, const scant_look *look, double y, double *unit);

/* A coordinate of the iterate or of the average, whichever is the result, in
 * learning units; `dimension` is the bias. */
double scant_learner_result(const scant_learner *learner, size_t i);

/* Is nothing to be learned from this answer, because a value is missing? */
int scant_learner_skips(const scant_learner *learner, const scant_look *look, const double *values);

/* The mean of an attribute's purchases, in units of x-bound. */
static inline double scant_learner_mean(const scant_learner *learner, size_t i) {
  const scant_moments *m = &learner->moments[i];
  return !learner->tallies ? m->mean : m->count ? m->mean / (double)m->count : 0;
}

/* The moments learn of an example that was told. */
void scant_learner_note(scant_learner *learner, const scant_look *look, const double *values, double y);

/* The pooled variance of attributes in like units; 0: not known yet. */
static inline double scant_learner_pooled_variance(const scant_learner *learner) {
  return learner->pool_count > 0 ? learner->pool_sum / learner->pool_count : 0;
}

/* Notes for the law of stopped looks what was bought, and rebuilds it when that is
 * due; or at once. */
void scant_learner_follow_law(scant_learner *learner, const scant_look *look);
void scant_learner_rebuild_law(scant_learner *learner);
/* The same from law.explore and law.follow as they are. */
void scant_learner_make_law(scant_learner *learner);

/* DDAERR and DDAELR: the length of the first phase; bringing the law up to date
 * after an example; and starting the second phase (again) from the moments in
 * data.explore. */
uint64_t scant_data_dependent_phase(const scant_learner *learner);
void scant_data_dependent_follow(scant_learner *learner, const scant_look *look);
void scant_data_dependent_start(scant_learner *learner);

static inline int scant_learner_is_data_dependent(const scant_learner *learner) {
  return learner->row->look == scant_look_data_dependent;
}

/* The learner's moving parts as JSON, and back.  Restoring checks sizes and
 * finiteness and fails with SCANT_DATA, leaving the learner unusable but
 * freeable. */
struct scant_json_writer;
struct scant_json;
void scant_learner_write_state(const scant_learner *learner, struct scant_json_writer *out);
scant_status scant_learner_restore(scant_learner *learner, const struct scant_json *json, size_t node,
                                   scant_error *error);

#endif
