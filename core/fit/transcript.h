/* The inside of a transcript (scant_replay.h). */
#ifndef SCANT_FIT_TRANSCRIPT_H
#define SCANT_FIT_TRANSCRIPT_H

#include "scant_base.h"
#include "scant_replay.h"

/* One of them; its attributes begin at `first` in the arrays below. */
typedef struct scant_transcript_one {
  size_t first;
  uint32_t count, draws, gradient_total, residual_total;
  uint64_t block;       /* purchases of one block come one after another, and have one look */
  unsigned char group;  /* of its example */
  unsigned char turned; /* was the law of the looks renewed before it? */
  double gradient_scale, y;
} scant_transcript_one;

struct scant_transcript {
  scant_transcript_one *one;
  size_t count, room;
  uint32_t *attribute, *item, *gradient_draws, *residual_draws;
  double *gradient_probability, *residual_probability, *value;
  unsigned char *left_out; /* places of which nothing may be learned, whatever `missing` says; NULL: none so far */
  double *nothing;         /* as many zeros as the longest look has attributes */
  size_t entries, entry_room[7], left_out_room, nothing_room;
  double bytes_most; /* when they take more, they are dropped */
  int dropped;
  uint64_t law; /* how often the law was renewed when the last one was added */
};

/* About what a purchase of so many attributes takes. */
double scant_transcript_bytes(double attributes);

/* Forgets them for good. */
void scant_transcript_drop(scant_transcript *transcript);

/* scant_transcript_add for an example of this block and group. */
void scant_transcript_add_to(scant_transcript *transcript, const scant_learner *learner, uint64_t block, unsigned group,
                             const scant_look *look, const unsigned char *left_out, const double *values, double y);

/* Makes `look` one of its purchases; its arrays stay theirs. */
void scant_transcript_look(const scant_transcript *transcript, size_t index, scant_look *look);

/* A learner with these settings that asks and learns as another one does, but was told nothing yet (replay.c). */
scant_status scant_transcript_learner(scant_learner **learner, const scant_settings *settings,
                                      const scant_learner *like, scant_error *error);

/* How many of the first `count` purchases are of the block that begins at `index`. */
size_t scant_transcript_rows(const scant_transcript *transcript, size_t index, size_t count);

/* Room for the rows of a block. */
typedef struct scant_transcript_room {
  double *values, *y;
  size_t values_room, y_room;
} scant_transcript_room;
void scant_transcript_room_free(scant_transcript_room *room);

/* Tells a learner `rows` of them, those of a block that begins at `index`, but for those of a group (NO_GROUP: all);
 * `look` is one of its own.  *told, if not NULL: how many it was told. */
enum { SCANT_TRANSCRIPT_NO_GROUP = 255 };
scant_status scant_transcript_tell(const scant_transcript *transcript, size_t index, size_t rows, unsigned without,
                                   scant_learner *learner, scant_look *look, scant_transcript_room *room, size_t *told,
                                   scant_error *error);

/* The regressors of learners like this one that are told the first `count` of them, but those of one group: of each
 * group the weights, then the intercept. */
scant_status scant_transcript_leave_out(const scant_transcript *transcript, size_t count, scant_learner *learner,
                                        double *w, scant_error *error);

#endif
