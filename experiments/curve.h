/* Error against attributes, examples and money on any data set, for any rows of
 * the table of algorithms.
 *
 * Run r of a curve is what `scant fit` does with seed S + r: the same shuffle,
 * the same split, the same looks.  Its points are N equal steps of one budget,
 * of attributes or of money; a point is the model after the last example that
 * fits into its step.
 *
 * Part of the command; uses the headers in include/ alone.
 */
#ifndef SCANT_EXPERIMENTS_CURVE_H
#define SCANT_EXPERIMENTS_CURVE_H

#include "page.h"
#include "pool.h"
#include "scant.h"

#define CURVE_ENTRIES 20
#define CURVE_LABEL 160

/* One curve: a row and its options. */
typedef struct curve_entry {
  char label[CURVE_LABEL]; /* as it was given */
  const scant_algorithm *row;
  scant_settings settings;
} curve_entry;

typedef struct curve_request {
  const char *data, *test; /* files; test NULL: some of data is held out */
  const char *test_labels; /* NULL: none */
  scant_settings settings; /* options that all entries share: of the data and of the run */
  curve_entry entries[CURVE_ENTRIES];
  size_t entry_count;
  size_t runs, points;
  uint64_t seed;
  pool_options pool;
  /* filled by curve_prepare */
  uint64_t budget; /* where the last point is: attributes, or hundredths if `money` */
  int money;
  size_t dimension;
} curve_request;

/* Fills entries from settings and "row name=value ...,row": SCANT_USAGE with a
 * sentence.  `spend` (NULL: none) goes to the rows that take it.  Rows that look
 * at everything are centred, and their radius is chosen by cross-validation,
 * unless their entry says something else. */
scant_status curve_read_entries(curve_request *request, const char *list, const char *spend, scant_error *error);

/* Opens the data once, to refuse what does not fit them, and settles the budget. */
scant_status curve_prepare(curve_request *request, scant_error *error);

/* One run at one point. */
typedef struct curve_outcome {
  scant_scores scores;
  uint64_t attributes, examples, money;
  int reached; /* the step pays for enough examples */
  int over;    /* there were no more examples at the point before: this one is the same */
} curve_outcome;

typedef struct curve_results {
  const curve_request *request;
  curve_outcome *outcome; /* [entry][run][point] */
} curve_results;

/* The same results for any number of threads.  The caller frees outcome. */
scant_status curve_run(curve_results *results, scant_error *error);

/* Means over the runs, and the deviation of the squared error. */
typedef struct curve_summary {
  double attributes, examples, money, squared_error, sd, absolute_error, r2, accuracy;
} curve_summary;

/* 0 if the curve has no such point: a run can't pay for it, or every run had no
 * more examples before. */
int curve_summarise(const curve_results *results, size_t entry, size_t point, curve_summary *summary);

/* curve.csv, curve.svg, curve-examples.svg and, with costs, curve-money.svg; a
 * line for each curve into `words`. */
scant_status curve_write(const curve_results *results, const char *folder, page *words, scant_error *error);

#endif
