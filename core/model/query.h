/* A query's insides. */
#ifndef SCANT_MODEL_QUERY_H
#define SCANT_MODEL_QUERY_H

#include "joint/conditional.h"
#include "model/model.h"

/* One answer. */
typedef struct scant_query_step {
  uint32_t attribute;
  int has_value;
  size_t depth; /* columns of the factor after it */
} scant_query_step;

/* What to ask for next, if it may cost at most `most`. */
typedef struct scant_choice {
  uint32_t attribute;
  int dear; /* something would help, but costs more */
  uint64_t most;
} scant_choice;

/* The factor and the choices depend on which attributes were told and had a value, not on the values.  So the way of
 * the last example (its attributes in order) is kept, and an example with the same way reuses everything. */
struct scant_query {
  const scant_model *model;
  const scant_prices *prices; /* NULL: none */
  scant_conditional conditional;
  uint32_t *place;       /* of each attribute; the Gaussian's count: it does not know it */
  unsigned char *told;   /* was this attribute told? */
  scant_query_step *way; /* steps for which the factor is there */
  scant_choice *choices; /* what to ask for before each of them, and after the last */
  size_t way_length;
  size_t steps;                        /* of this example */
  size_t depth;                        /* columns that it used */
  double *innovations;                 /* their values */
  double mean, variance;               /* of the target as it was learned */
  double *group_matrix, *group_vector; /* room for the largest group; NULL without prices */
  uint32_t *group_places;
};

/* scant_query_decide with `most` items; UINT64_MAX: any number. */
scant_verdict scant_query_judge(scant_query *query, const scant_stop *stop, uint64_t most, double level,
                                uint64_t bought, uint64_t spent, uint32_t *attribute);

/* scant_query_predict in the units that were learned: of log(1 + y) under log-target. */
void scant_query_expect(const scant_query *query, double level, scant_prediction *prediction);

#endif
