/* What a learner asks of sums (scant_sums.h).
 *
 *   MARGINALS  what is known of each attribute and of the target
 *   EXPECT     the E-step of dense/gaussian/expect.h
 *   OWN        the error of targets from what was bought of their examples, dense/gaussian/own_error.h
 *   PAIRS      the sums of dense/moments/pairs.h, fold by fold
 *
 * A request is a view: arrays are the caller's.  One that was decoded has them in `owned`. */
#ifndef SCANT_DENSE_SUMS_REQUEST_H
#define SCANT_DENSE_SUMS_REQUEST_H

#include "gaussian/frame.h"
#include "gaussian/normal.h"
#include "scant_sums.h"

typedef enum scant_request_kind {
  SCANT_REQUEST_MARGINALS = 1,
  SCANT_REQUEST_EXPECT,
  SCANT_REQUEST_OWN,
  SCANT_REQUEST_PAIRS,
  SCANT_REQUEST_KINDS
} scant_request_kind;

/* Blocks b with b % parts == part; with `invert` the others; all if parts is 0. */
typedef struct scant_chosen_blocks {
  uint64_t parts, part;
  int invert;
} scant_chosen_blocks;

static inline int scant_is_chosen(scant_chosen_blocks chosen, uint64_t block) {
  return !chosen.parts || (block % chosen.parts == chosen.part) != (chosen.invert != 0);
}

typedef struct scant_request {
  scant_request_kind kind;
  size_t dimension;
  scant_chosen_blocks chosen; /* for all kinds */
  /* EXPECT, OWN: attributes as variables, and the guess of their distribution */
  size_t variables;         /* the target is the last */
  const uint32_t *variable; /* of each attribute, or SCANT_NO_VARIABLE; each at most once */
  const double *center, *unit;
  const double *mean, *covariance; /* as scant_normal has them: both triangles.  Encoded is the lower one */
  /* OWN: as scant_own_measure takes them */
  const double *factor; /* of each variable, infinity allowed; NULL: 1 */
  double penalty;
  /* PAIRS: about what, of each attribute and of the target */
  const double *origin;
  double origin_y;
  void *owned;
} scant_request;

/* The variables of EXPECT and OWN; 0 of the other kinds. */
static inline size_t scant_request_variables(const scant_request *q) {
  return q->kind == SCANT_REQUEST_EXPECT || q->kind == SCANT_REQUEST_OWN ? q->variables : 0;
}

/* The fields of EXPECT and OWN from where a learner has them. */
static inline void scant_request_at(scant_request *request, const scant_frame *frame, const scant_normal *at) {
  request->dimension = frame->dimension;
  request->variables = frame->variables;
  request->variable = frame->variable;
  request->center = frame->center;
  request->unit = frame->unit;
  request->mean = at->mean;
  request->covariance = at->covariance;
}

/* As bytes and back.  Decoding checks all sizes and numbers; only a decoded request is to be freed. */
scant_status scant_request_encode(const scant_request *request, unsigned char **bytes, size_t *size,
                                  scant_error *error);
scant_status scant_request_decode(scant_request *request, const unsigned char *bytes, size_t size, scant_error *error);
void scant_request_free(scant_request *request);

#endif
