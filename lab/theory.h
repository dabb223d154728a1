/* Experiments on the theorems, with distributions whose risk is known exactly
 * (instance.h).  They need no data.
 *
 * Part of scant-lab.
 */
#ifndef SCANT_LAB_THEORY_H
#define SCANT_LAB_THEORY_H

#include "command/chart/svg_text.h"
#include "jobs.h"
#include "scant.h"

#define THEORY_ALGORITHMS 8

typedef struct theory_request {
  const char *folder; /* where the files go */
  const char *algorithms[THEORY_ALGORITHMS];
  size_t algorithm_count;
  size_t runs;
  uint64_t seed;
  pool_options pool;
} theory_request;

/* Each runs an experiment, writes its files and fills `summary` with what to
 * print.  Its list of algorithms ends with NULL. */
typedef scant_status (*theory_run)(const theory_request *request, svg_text *summary, scant_error *error);

/* Attributes needed to reach an excess risk as d, K and the excess vary
 * [HK12, table 1]: scaling.csv, scaling-curves.csv, scaling-exponents.csv,
 * scaling.svg. */
extern const char *const scaling_algorithms[];
scant_status scaling_run(const theory_request *request, svg_text *summary, scant_error *error);

/* Excess risk against attributes on the distributions of the lower bounds
 * [HK12, thms 2.1, 2.2 and B.1]: lower-bound.csv, lower-bound.svg. */
extern const char *const lower_bound_algorithms[];
scant_status lower_bound_run(const theory_request *request, svg_text *summary, scant_error *error);

/* Support-vector regression with different smoothings, at equal expected attributes
 * [HK12, thm 4.4]: svr.csv, svr.svg. */
extern const char *const svr_algorithms[];
scant_status svr_run(const theory_request *request, svg_text *summary, scant_error *error);

/* Was this algorithm asked for? */
int theory_wants(const theory_request *request, const char *algorithm);

/* The seed of run `run` of `part` (a configuration or an instance).  No two of
 * them share their random numbers. */
uint64_t theory_seed(const theory_request *request, size_t part, size_t run);

#endif
