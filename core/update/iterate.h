/* The iterate w, its law for residual looks, and its average.
 *
 *   w_i = scale * shape_i
 *
 * so that a projection or a normalisation, which changes every w_i, is one multiplication.  `law` holds the weights by
 * which residual looks are drawn: shape_i^2 for the 2-norm, |shape_i| for the 1-norm; scale drops out.
 *
 * The average is lazy.  With `clock` the sum of scale times the iterate's weight in the average, over the iterates
 * averaged so far, a shape that never changed adds shape_i * clock; one that changes by delta at some time adds delta *
 * clock too much, which `booked` takes away at once:
 *
 *   sum of w_i over the iterates = booked_i + shape_i * clock
 */
#ifndef SCANT_UPDATE_ITERATE_H
#define SCANT_UPDATE_ITERATE_H

#include <math.h>

#include "sample/sumtree.h"
#include "scant.h"

/* Fields that are read and written together lie together. */
typedef struct scant_coordinate {
  double shape, booked;
} scant_coordinate;

/* Sums over the gradients of a coordinate. */
typedef struct scant_score {
  double sum, squares, largest;
} scant_score;

typedef struct scant_iterate {
  size_t d;
  double radius; /* INFINITY: no ball */
  double scale;
  scant_coordinate *at;
  scant_sumtree law;
  scant_sum clock;
  double peak;       /* the largest scale since the clock was restarted */
  uint64_t rescaled; /* how often all shapes changed at once */
  double averaged;   /* weight of the iterates in the average */
  /* where d is large: the coordinates that were touched; all others are zero */
  uint32_t *live; /* NULL: not kept */
  size_t live_count;
  unsigned char *is_live;
  /* exponentiated gradient only */
  double *theta;
  scant_sumtree mass; /* cosh(theta_i) 2^-exponent */
  int exponent;
  /* Pegasos only */
  double penalty;
  /* sinh only */
  struct scant_score *score;
  double unit; /* the largest scale */
} scant_iterate;

/* What a step size is computed from. */
typedef struct scant_step_inputs {
  double k, d, m; /* gradient looks per example, attributes, examples to come */
  double visit;   /* all looks per example */
  double radius;
  int exact; /* every attribute is seen: nothing is lost to drawing */
} scant_step_inputs;

/* How w moves and stays in its ball: one of the parts. */
typedef struct scant_update {
  scant_norm norm;
  int multiplicative;  /* needs theta and mass */
  int scored;          /* needs score; has a law only in a ball (a finite radius) */
  int average_updated; /* the average is of the iterates after their update */
  /* The step size of its theorem; NULL: its step size follows from a penalty, */
  double (*eta)(const scant_step_inputs *inputs);
  /* by these: the penalty of its theorem, and its step size at a given step. */
  double (*penalty)(const scant_step_inputs *inputs);
  double (*own_eta)(const scant_iterate *w, uint64_t step_number);
  int anytime; /* the step size does not depend on the number of examples */
  /* Computes law (and mass) from the shapes (or theta).  O(d). */
  void (*refresh)(scant_iterate *w);
  /* One step along -g, whose entries belong to distinct attributes; `shapes` has
   * room for `count`.  step_number counts from 1. */
  void (*step)(scant_iterate *w, size_t count, const uint32_t *attributes, const double *g, double eta,
               uint64_t step_number, double *shapes);
} scant_update;

extern const scant_update scant_update_gradient; /* [HK12, Alg. 1] */
extern const scant_update scant_update_eg;       /* [HK12, Alg. 2] */
extern const scant_update scant_update_pegasos;  /* [CSS11] */
extern const scant_update scant_update_sinh;     /* ours */

int scant_iterate_new(scant_iterate *w, const scant_update *update, size_t d, double radius);
void scant_iterate_free(scant_iterate *w);

static inline double scant_iterate_weight(const scant_iterate *w, size_t i) {
  return w->scale * w->at[i].shape;
}

/* Gives coordinate i a new shape; `clock` is that of w, as one number. */
static inline void scant_iterate_reshape(scant_iterate *w, size_t i, double shape, double clock) {
  scant_coordinate *c = &w->at[i];
  c->booked -= (shape - c->shape) * clock;
  c->shape = shape;
}

/* Notes that these coordinates were touched, if a list of them is kept. */
static inline void scant_iterate_touch(scant_iterate *w, size_t count, const uint32_t *attributes) {
  for (size_t r = 0; w->live && r < count; r++) {
    uint32_t i = attributes[r];
    w->live[w->live_count] = i; /* it counts only if it is new; there is no branch to mispredict */
    w->live_count += !w->is_live[i];
    w->is_live[i] = 1;
  }
}

/* Books every coordinate and restarts the clock; to be called before shapes are rescaled. O(coordinates
 * touched), and seldom.  A coordinate below 2^-106 of the radius changes no sum of doubles, and becomes zero. */
void scant_iterate_flush(scant_iterate *w);

/* Finds the touched coordinates from the shapes.  O(d). */
void scant_iterate_revive(scant_iterate *w);

/* The current w enters the average with this weight [HK12, Alg. 1, l. 14] [HK12, Alg. 2, l. 18].  O(1), but for a flush
 * when the scale has shrunk to 2^-14 of its peak: shapes have grown as much, and booked_i + shape_i * clock would lose
 * the bits that both have in common. */
static inline void scant_iterate_count(scant_iterate *w, double weight) {
  if (w->scale < w->peak * 0x1p-14) scant_iterate_flush(w);
  if (w->scale > w->peak) w->peak = w->scale;
  scant_sum_add(&w->clock, w->scale * weight);
  w->averaged += weight;
}

/* Computes the law from the shapes: their squares or their absolute values. */
void scant_iterate_refresh_law(scant_iterate *w, int squared);

/* Coordinate i of the average; of w itself while nothing was averaged. */
double scant_iterate_mean(const scant_iterate *w, size_t i);

/* Euclidean projection of `w` onto ||w||_1 <= radius.  O(d) per round, and few rounds. */
void scant_project_1norm(double *w, size_t d, double radius);

/* clip(x, c) [HK12, sec. 3.2]; a NaN stays one. */
static inline double scant_clip(double x, double c) {
  return x > c ? c : x < -c ? -c : x;
}

#endif
