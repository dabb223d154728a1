/* The inside of a transcript (scant_replay.h). */
#ifndef SCANT_FIT_TRANSCRIPT_H
#define SCANT_FIT_TRANSCRIPT_H

#include <stdlib.h>

#include "scant_base.h"
#include "scant_engine.h"
#include "scant_replay.h"

/* Rows of a block, which share a look.  All zero at first. */
typedef struct scant_fit_rows {
  size_t count;
  double *values, *y; /* values row by row */
  size_t values_room, y_room;
} scant_fit_rows;

/* Makes room for so many rows of `width` values; 0: out of memory. */
static inline int scant_fit_rows_reserve(scant_fit_rows *rows, size_t count, size_t width) {
  return scant_grow(&rows->values, &rows->values_room, count * width, sizeof *rows->values) &&
         scant_grow(&rows->y, &rows->y_room, count, sizeof *rows->y);
}

static inline void scant_fit_rows_free(scant_fit_rows *rows) {
  free(rows->values);
  free(rows->y);
}

typedef struct scant_transcript_one {
  size_t first; /* attributes of the purchases before it */
  uint32_t count, draws, gradient_total, residual_total;
  uint64_t block;       /* purchases of one block come one after another, and have one look */
  unsigned char group;  /* of its example */
  unsigned char turned; /* was the law of the looks renewed before it? */
  double gradient_scale, y;
} scant_transcript_one;

struct scant_transcript {
  scant_transcript_one *one;
  size_t count, room;
  uint32_t *wholes;        /* four arrays of each purchase: attributes, items, gradient draws, residual draws */
  double *reals;           /* and three: probabilities of gradient and residual draws, values */
  unsigned char *left_out; /* places of which nothing may be learned, whatever `missing` says; NULL: none so far */
  double *nothing;         /* as many zeros as the longest look has attributes */
  size_t entries, wholes_room, reals_room, left_out_room, nothing_room;
  double bytes_most; /* when they take more, they are dropped */
  int dropped;
  uint64_t law; /* how often the law was renewed when the last one was added */
};

/* About how many bytes a purchase of so many attributes takes. */
double scant_transcript_bytes(double attributes);

/* Forgets them for good. */
void scant_transcript_drop(scant_transcript *transcript);

/* scant_transcript_add for an example of this block and group. */
void scant_transcript_add_to(scant_transcript *transcript, const scant_learner *learner, uint64_t block, unsigned group,
                             const scant_look *look, const unsigned char *left_out, const double *values, double y);

/* The attributes and the values of a purchase, and how many there are. */
static inline uint32_t scant_transcript_cells(const scant_transcript *transcript, size_t index,
                                              const uint32_t **attributes, const double **values) {
  const scant_transcript_one *one = &transcript->one[index];
  *attributes = transcript->wholes + 4 * one->first;
  *values = transcript->reals + 3 * one->first + 2 * (size_t)one->count;
  return one->count;
}

/* How many of the first `count` purchases are of the block that begins at `index`. */
size_t scant_transcript_rows(const scant_transcript *transcript, size_t index, size_t count);

/* A learner with these settings that asks and learns as another one does, but was told nothing yet. */
scant_status scant_transcript_learner(scant_learner **learner, const scant_settings *settings,
                                      const scant_learner *like, scant_error *error);

/* Tells a learner the first `count` purchases but those of a group (NO_GROUP: all).  `thinking` (NULL: nobody) is asked
 * now and then whether to stop; then the status is SCANT_STOPPED. */
enum { SCANT_TRANSCRIPT_NO_GROUP = 255 };
scant_status scant_transcript_tell(const scant_transcript *transcript, size_t count, unsigned without,
                                   scant_learner *learner, scant_thinking *thinking, scant_error *error);

/* The regressors of learners like this one that are told the first `count` purchases but those of one group: of each
 * group the weights, then the intercept; and, unless NULL, their risks. */
scant_status scant_transcript_leave_out(const scant_transcript *transcript, size_t count, scant_learner *learner,
                                        double *w, double *risk, scant_error *error);

#endif
