/* A world: a joint Gaussian of attributes and target from which examples are drawn.
 *
 *   x = mean + L z,    y = target_mean + l.z + left e,    z and e standard normal, L lower triangular,
 *
 * so that weights w with intercept b err by (target_mean - b - w.mean)^2 + |l - L'w|^2 + left^2, and by left^2 at
 * least.
 */
#ifndef SCANT_PLAN_WORLD_H
#define SCANT_PLAN_WORLD_H

#include "base/shared.h"
#include "joint/joint.h"
#include "scant.h"

typedef struct scant_world {
  size_t dimension;
  double *mean;
  double *factor; /* L by rows, packed */
  double *along;  /* l */
  double target_mean, variance, left;
} scant_world;

/* The world of the attributes that `gaussian` knows; the others are noise of variance 1.  `cross` are the covariances
 * with the target of those that it knows, but for a factor, which makes the attributes explain `strength` (above 0,
 * below 1) of the target's variance.  0 in *explains: they explain nothing, whatever the factor.  O(d^3). */
SCANT_SHARED scant_status scant_world_new(scant_world **world, size_t dimension, const scant_gaussian *gaussian,
                                          const double *cross, double strength, double target_mean, double variance,
                                          int *explains, scant_error *error);
SCANT_SHARED void scant_world_free(scant_world *world);

/* The share of the target's variance that attributes with this covariance and these covariances with it explain:
 * those of the Gaussian itself if cross is NULL.  NaN: out of memory. */
SCANT_SHARED double scant_world_strength(const scant_gaussian *gaussian, const double *cross);

/* The squared error of weights, exactly.  scratch: d.  O(d^2). */
SCANT_SHARED double scant_world_error(const scant_world *world, const double *w, double intercept, double *scratch);

/* `rows` examples of the world; the same seed gives the same examples, however many there are.  The world must outlive
 * the source.  `prices` NULL: none. */
SCANT_SHARED scant_status scant_world_draw(scant_source **source, void **scratch, const scant_world *world, size_t rows,
                                           uint64_t seed, const scant_prices *prices, scant_error *error);
/* What scant_world_draw put into *scratch, when the source has been freed. */
SCANT_SHARED void scant_world_end(void *scratch);

#endif
