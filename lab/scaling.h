/* What scaling.c and scaling_write.c share. */
#ifndef SCANT_LAB_SCALING_H
#define SCANT_LAB_SCALING_H

#include "instance.h"
#include "numbers.h"
#include "theory.h"

enum { SIZES = 6, LADDER = 26, FAMILY = 16 };

/* One row of [HK12, table 1], or a full-information algorithm to compare with.
 * One of d, K and eps varies while the others are at their base.  Grids end
 * with 0. */
typedef struct scaling_row {
  const char *algorithm;
  measure measure;
  uint64_t d[SIZES], d_base;
  uint64_t k[SIZES], k_base; /* 0: looks at everything */
  double eps[SIZES], eps_base;
  /* The paper's bound on attributes, up to a constant; eps_unknown: the bound
   * does not give a power of eps. */
  double (*bound)(double d, double k, double eps);
  int eps_unknown;
} scaling_row;

/* Mean excess risk of fresh learners at horizons that double, until it is below
 * the smallest eps that is wanted here. */
typedef struct scaling_curve {
  const scaling_row *row;
  uint64_t d, k; /* k is d if it looks at everything */
  double deepest;
  size_t part; /* its place among all curves */
  size_t count;
  double examples[LADDER], bought[LADDER], excess[LADDER], sd[LADDER];
} scaling_curve;

/* Where a curve falls to eps, interpolated between two points in logarithms. */
typedef struct scaling_point {
  const scaling_row *row;
  int varied; /* 0: d, 1: K, 2: eps */
  uint64_t d, k;
  double eps, attributes, examples; /* NAN: not reached */
} scaling_point;

typedef struct scaling_exponent {
  const scaling_row *row;
  int varied;
  line line;    /* of the logarithms */
  double paper; /* the exponent of the bound at the same points; NAN: unknown */
  size_t points;
} scaling_exponent;

enum { ROWS_MOST = 5, CURVES = ROWS_MOST * 2 * SIZES, CROSSINGS = ROWS_MOST * 3 * SIZES };

typedef struct scaling {
  const theory_request *request;
  scaling_curve curves[CURVES];
  size_t curve_count;
  scaling_point points[CROSSINGS];
  size_t point_count;
  scaling_exponent exponents[ROWS_MOST * 3];
  size_t exponent_count;
} scaling;

extern const char *const scaling_varied[3];

scant_status scaling_write(const scaling *s, svg_text *summary, scant_error *error);

#endif
