/* What learners and references of a figure share. */
#ifndef SCANT_LAB_FIGURE_RUN_H
#define SCANT_LAB_FIGURE_RUN_H

#include "figures.h"

enum { FOLDS = 5 };

/* Where fold f of n rows begins, and f - 1 ends. */
static inline size_t fold_start(size_t n, size_t f) {
  return n * f / FOLDS;
}

/* Some of the images, in some order: n and rows say which.  The other fields are those of all images (image_set). */
typedef struct {
  const double *x, *y;
  size_t d, n;
  const uint32_t *rows;
  const double *norm;         /* what images are divided by; NULL: nothing */
  const unsigned char *pixel; /* x as bytes; NULL: there are none */
  const size_t *ink_start;    /* this and those below are for lineups only */
  const uint32_t *ink;
  const double *ink_value; /* divided by the norm, if there is one */
} view;

/* The share of the images that the figures hold out. */
#define HELD_OUT 0.1

/* Makes the random split of a run: so much is held out.  It depends on seed and run only, so that all curves are
 * compared on the same images.  Returns the rows of both parts, which the caller frees after the views; NULL: out of
 * memory. */
uint32_t *split_images(const image_set *images, double held_out, uint64_t seed, size_t run, view *train, view *test);

/* The seed of the learners in that run. */
static inline uint64_t split_seed(uint64_t seed, size_t run) {
  return seed * 1000 + run;
}

/* One curve on one split. */
typedef struct {
  const figure_plan *figure;
  const curve_plan *curve;
  uint64_t seed, threads;
} task;

/* A source that reads a view, which must outlive it. */
scant_status open_view(scant_source **source, view *v, scant_error *error);

/* Linear models that are scored together, so that an image is read once for all of them. */
typedef struct {
  size_t d, count;
  double *weights;
} lineup;

/* All weights are 0.  Returns 0 if memory ran out. */
int lineup_new(lineup *l, size_t d, size_t count);
void lineup_set(lineup *l, size_t index, const double *w, double intercept);
/* The mean squared error of each on the rows of a view. */
void lineup_score(const lineup *l, const view *v, double *errors);
void lineup_free(lineup *l);

/* The curve's settings with this step and radius; their texts are in buffer. */
scant_status task_settings(const task *t, double step, double radius, char *buffer, size_t size, scant_settings *s,
                           scant_error *error);

/* Runs a full-information reference on the first `mark` examples. */
scant_status run_reference(const task *t, const view *train, const view *test, uint64_t mark, outcome *out,
                           scant_error *error);

#endif
