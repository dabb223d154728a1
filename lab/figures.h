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

extern const published_point published[];
extern const size_t published_count;

/* One curve: a row of the table of algorithms, with what it is given. */
typedef struct curve_plan {
  const char *name;          /* in --algorithms and in the results */
  const char *row;           /* in the table of algorithms */
  const char *options;       /* "name=value ..." */
  int unit_rows;             /* each image is first scaled to unit 2-norm, outside the ledger */
  int tuned_once;            /* on the longest prefix, for all */
  int fit_each;              /* each prefix is a fit of its own: the last half of it depends on its length */
  const char *step;          /* option tuned beside the radius: eta or penalty; NULL: none */
  double steps[8], radii[8]; /* the grid, ended by 0; none: nothing is tuned; of references, where the search begins */
  const char *published;     /* the curve of the paper it stands for, or NULL */
} curve_plan;

typedef struct figure_plan {
  const char *name;         /* lasso, ridge, and with -ablation */
  const char *paper;        /* the figure of the paper */
  const char *title;        /* with %s for the two digits */
  uint64_t k;               /* attributes of an example */
  uint64_t attributes;      /* at the first point; the others are multiples */
  const curve_plan *curves; /* ended by a curve without a name */
} figure_plan;

const figure_plan *figure_find(const char *name);

/* Two digits of MNIST, labelled -1 and +1, with pixels between 0 and 1. */
typedef struct image_set {
  size_t n, d;
  double *x, *y;
  double *norm;         /* of each image, the 2-norm; 1 of an empty one */
  unsigned char *pixel; /* 0 to 255, an eighth of the memory to go through; NULL: they are no bytes */
  /* The pixels that are not 0, image after image: which, their values, and those with every image at unit norm. */
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

/* The published point that curve c stands for, or NULL: there are none for
 * other digits than 3 and 5. */
const published_point *results_published(const results *r, size_t c, size_t point);

/* What a curve comes to at a point. */
typedef struct summary {
  double mean, sd, q10, q90, attributes, examples, bought;
} summary;

summary results_summary(const results *r, size_t c, size_t point);

/* Runs all curves on `runs` random 90/10 splits with some threads; the same
 * results for any number of them.  `progress` is told how much is done, from
 * one thread at a time. */
scant_status figure_run(results *r, const image_set *images, uint64_t seed, unsigned threads,
                        void (*progress)(void *user, double share), void *user, scant_error *error);

/* DIR/NAME.csv, DIR/NAME.svg and DIR/NAME-examples.svg. */
scant_status figure_write(const results *r, const char *folder, scant_error *error);

#endif
