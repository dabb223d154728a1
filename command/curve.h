/* What `scant curve` was asked for, and what it found. */
#ifndef SCANT_CLI_CURVE_H
#define SCANT_CLI_CURVE_H

#include "chart/svg_text.h"
#include "scant.h"

#define CURVE_ENTRIES 20
#define CURVE_LABEL 160

typedef struct curve_request {
  const char *data, *test;                 /* files; test NULL: a part of data is held out */
  const char *test_labels;                 /* NULL: none */
  scant_settings settings;                 /* options of the data and of the run, which all entries share */
  char labels[CURVE_ENTRIES][CURVE_LABEL]; /* the entries as they were written */
  scant_curve_entry entries[CURVE_ENTRIES];
  size_t entry_count;
  scant_curve_plan plan;
  size_t dimension;
  int noted;                 /* the note on the scan of the data was printed */
  scant_curve_point *points; /* [entry][run][point] */
} curve_request;

/* run_curve.c */

/* Does this entry see everything? */
int curve_sees_all(const curve_request *request, size_t entry);
/* The K of the entries that do not see everything; 0 if they differ or there is none. */
uint64_t curve_common_k(const curve_request *request);
/* The largest K of them; 0 if none has one. */
uint64_t curve_largest_k(const curve_request *request);

/* curve_output.c */

/* Writes curve.csv with the means and curve-runs.csv with every run, and puts one line per curve into `words`. */
scant_status curve_write(const curve_request *request, const char *folder, svg_text *words, scant_error *error);

/* Writes curve.svg, curve-examples.svg and, with costs, curve-money.svg. */
scant_status curve_draw(const curve_request *request, const char *folder, scant_error *error);

#endif
