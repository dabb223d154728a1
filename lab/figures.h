/* The paper's two figures, run again on MNIST.
 *
 * Part of scant-lab.
 */
#ifndef SCANT_LAB_FIGURES_H
#define SCANT_LAB_FIGURES_H

#include <stdint.h>

#include "scant.h"

#define POINTS 10
#define CURVES_MOST 20

typedef struct published_point {
  const char *figure, *algorithm;
  uint64_t attributes, examples;
  double mean, bar;
} published_point;

/* One curve: an algorithm with its options. */
typedef struct curve_plan {
  const char *name;      /* in --algorithms and in the results */
  const char *algorithm; /* in the table of algorithms */
  const char *options;   /* "name=value ..." */
  int lasso;             /* of references: the ball is of the 1-norm; else of the 2-norm */
  int unit_rows;         /* each image is first scaled to unit 2-norm, outside the ledger */
  int tuned_once;        /* tuned on the longest prefix, for all prefixes */
  int fit_each;          /* each prefix is a separate fit, since its last half depends on its length */
  const char *step;      /* the option that is tuned with the radius: eta or penalty; NULL: none */
  double steps[8],
      radii[8]; /* the grid, ended by 0; empty: nothing is tuned; radii[0] of a reference: the search begins there */
  const char *published; /* the curve of the paper that it corresponds to, or NULL */
} curve_plan;

typedef struct figure_plan {
  const char *name;         /* lasso, ridge, and with -ablation */
  const char *paper;        /* the figure of the paper */
  const char *title;        /* with %s for the two digits */
  uint64_t k;               /* attributes bought per example */
  uint64_t attributes;      /* attributes at the first point; the other points are multiples */
  const curve_plan *curves; /* ended by a curve without a name */
} figure_plan;

const figure_plan *figure_find(const char *name);

/* Two digits of MNIST, labelled -1 and +1, with pixels between 0 and 1. */
typedef struct image_set {
  size_t n, d;
  double *x, *y;
  double *norm;         /* of each image, the 2-norm; 1 of an empty one */
  unsigned char *pixel; /* the same as bytes, an eighth of the memory; NULL: the values are not bytes / 255 */
  /* The pixels that are not 0, image after image: their numbers, their values, and their values at unit norm. */
  size_t *ink_start; /* n + 1: where those of each image begin */
  uint32_t *ink;
  double *ink_x, *ink_unit;
} image_set;

/* Reads the four IDX files of a folder and keeps two digits ("3,5"). */
scant_status images_load(image_set *images, const char *folder, const char *pair, scant_error *error);
void images_free(image_set *images);

/* Test error, attributes bought and examples of every curve, run and point. */
typedef struct outcome {
  double error;
  uint64_t bought, examples;
} outcome;

typedef struct results {
  const figure_plan *figure;
  const char *pair;                      /* "3,5" */
  const curve_plan *curves[CURVES_MOST]; /* those asked for */
  size_t curve_count, runs;
  outcome *outcome; /* [curve][run][point] */
} results;

static inline outcome *results_at(const results *r, size_t c, size_t run, size_t point) {
  return &r->outcome[(c * r->runs + run) * POINTS + point];
}

/* The published point that corresponds to a point of curve c; NULL if there is none, as for digits other than 3 and 5.
 */
const published_point *results_published(const results *r, size_t c, size_t point);

/* A curve at one point, over all runs. */
typedef struct summary {
  double mean, sd, q10, q90, attributes, examples, bought;
} summary;

summary results_summary(const results *r, size_t c, size_t point);

/* Runs all curves on `runs` random 90/10 splits.  The results do not depend on the number of threads.  `progress` is
 * told the share that is done, by one thread at a time. */
scant_status figure_run(results *r, const image_set *images, uint64_t seed, unsigned threads,
                        void (*progress)(void *user, double share), void *user, scant_error *error);

/* Writes DIR/NAME.csv, DIR/NAME.svg and DIR/NAME-examples.svg. */
scant_status figure_write(const results *r, const char *folder, scant_error *error);

/* ---- what learners and references of a figure share ------------------------------ */

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
