/* Purchases as they came, to be told again to other learners. */
#ifndef SCANT_FIT_KEPT_H
#define SCANT_FIT_KEPT_H

#include "base/shared.h"
#include "scant.h"

/* One of them; its attributes begin at `first` in the arrays below. */
typedef struct scant_kept_one {
  size_t first;
  uint32_t count, draws, gradient_total, residual_total;
  uint64_t block;       /* purchases of one block come one after another, and have one look */
  unsigned char group;  /* of its example */
  unsigned char turned; /* was the law of the looks renewed before it? */
  double gradient_scale, y;
} scant_kept_one;

typedef struct scant_kept {
  scant_kept_one *one;
  size_t count, room;
  uint32_t *attribute, *item, *gradient_draws, *residual_draws;
  double *gradient_probability, *residual_probability, *value;
  unsigned char *left_out; /* places of which nothing may be learned, whatever `missing` says; NULL: none so far */
  double *nothing;         /* as many zeros as the longest look has attributes */
  size_t entries, entry_room[7], left_out_room, nothing_room;
  double bytes_most; /* when they take more, they are dropped */
  int dropped;
  uint64_t law; /* how often the law was renewed when the last one was added */
} scant_kept;

/* About what a purchase of so many attributes takes. */
SCANT_SHARED double scant_kept_bytes(double attributes);

/* Purchases that may take `gib` GiB; NULL: out of memory. */
SCANT_SHARED scant_kept *scant_kept_new(double gib);
SCANT_SHARED void scant_kept_free(scant_kept *kept);

/* Forgets them for good. */
void scant_kept_drop(scant_kept *kept);

/* Adds a purchase of an example of this block and group, which the learner asked for and has not been told yet.
 * `left_out` marks places as in scant_learner_tell_given (NULL: none).  Where there is no room for it all are dropped:
 * what was bought must be learned from all the same. */
SCANT_SHARED void scant_kept_add(scant_kept *kept, const scant_learner *learner, uint64_t block, unsigned group,
                                 const scant_look *look, const unsigned char *left_out, const double *values, double y);

/* Makes `look` one of the kept ones; its arrays stay theirs. */
void scant_kept_look(const scant_kept *kept, size_t index, scant_look *look);

/* A learner with these settings that asks and learns as another one does, but was told nothing yet (replay.c). */
scant_status scant_kept_learner(scant_learner **learner, const scant_settings *settings, const scant_learner *like,
                                scant_error *error);

/* How many of the first `count` purchases are of the block that begins at `index`. */
size_t scant_kept_rows(const scant_kept *kept, size_t index, size_t count);

/* Room for the rows of a block. */
typedef struct scant_kept_room {
  double *values, *y;
  size_t values_room, y_room;
} scant_kept_room;
void scant_kept_room_free(scant_kept_room *room);

/* Tells a learner `rows` of them, those of a block that begins at `index`, but for those of a group (NO_GROUP: all);
 * `look` is one of its own.  *told, if not NULL: how many it was told. */
enum { SCANT_KEPT_NO_GROUP = 255 };
scant_status scant_kept_tell(const scant_kept *kept, size_t index, size_t rows, unsigned without,
                             scant_learner *learner, scant_look *look, scant_kept_room *room, size_t *told,
                             scant_error *error);

/* Adds errors to a model of `learner`, from learners like it that are told all of them but those of one group.
 * SCANT_MEMORY: they were dropped. */
SCANT_SHARED scant_status scant_kept_errors(const scant_kept *kept, scant_learner *learner, scant_model *model,
                                            scant_error *error);

/* The regressors of learners like this one that are told the first `count` of them, but those of one group: of each
 * group the weights, then the intercept. */
SCANT_SHARED scant_status scant_kept_leave_out(const scant_kept *kept, size_t count, scant_learner *learner, double *w,
                                               scant_error *error);

/* Is it quick enough to judge a learner by the distribution of what it was told, such a number of examples with so many
 * attributes each?  There is one EM for each group. */
SCANT_SHARED int scant_risk_is_quick(size_t dimension, double examples, double attributes);

/* What a learner says of its risk by itself, and the standard error; NaN: not known.  One example gives an estimate,
 * often 0, without a standard error: that counts as not known.  So does an unbiased estimate that came out below 0. */
SCANT_SHARED void scant_risk_by_itself(const scant_learner *learner, double *risk, double *risk_error);

/* The risk of the regressor of a learner like this one that is told the first `count` of them, and its standard error,
 * by an engine that can judge (kept_risk.c; NULL: there is none); NaN: not known. */
SCANT_SHARED scant_status scant_kept_risk(const scant_kept *kept, size_t count, scant_learner *learner,
                                          const scant_engine *judge, double *risk, double *risk_error,
                                          scant_error *error);

#endif
