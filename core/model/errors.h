/* Standard errors of a model, by the delete-a-group jackknife: the regressors that learned from all groups of examples
 * but one vary as the regressor of all would over other examples,
 *
 *   var(w) = (G - 1)/G sum over g of (w_(g) - mean of all w_(g))^2
 */
#ifndef SCANT_MODEL_ERRORS_H
#define SCANT_MODEL_ERRORS_H

#include "scant_engine.h"

typedef struct scant_errors {
  uint64_t groups;
  double *weights; /* NaN: nothing is known of this weight */
  double intercept, risk, risk_error;
  uint64_t pairs, rare_pairs; /* see scant_model_pairs */
} scant_errors;

void scant_errors_free(scant_errors *errors);

/* Regressors that leave a group out, one after another. */
struct scant_jackknife {
  size_t dimension;
  scant_moments *numbers; /* each weight, then the intercept and the risk */
};

int scant_jackknife_new(scant_jackknife *jackknife, size_t dimension); /* 0: out of memory */
void scant_jackknife_free(scant_jackknife *jackknife);

/* Gives the model the errors that follow, in place of those that it has.  risk and risk_error are those of the model's
 * regressor; risk_error stays, unless the groups have risks (not NaN) and the jackknife's error of them is larger.  The
 * pairs are not counted yet. */
scant_status scant_jackknife_finish(const scant_jackknife *jackknife, double risk, double risk_error,
                                    scant_model *model, scant_error *error);

/* How often two attributes were seen in the same example, counted up to SCANT_PAIR_FEWEST. */
struct scant_pair_counts {
  size_t dimension;
  unsigned char *count; /* of each pair, the lower triangle by rows; NULL: there are too many to count */
  double seen;          /* pairs in all examples together */
};

int scant_pair_counts_new(scant_pair_counts *counts, size_t dimension); /* 0: out of memory */
void scant_pair_counts_free(scant_pair_counts *counts);

/* Puts into the errors of a model how many pairs they concern: those of two attributes with a weight, one of them
 * unpenalised if any is.  O(d^2). */
void scant_pair_counts_finish(const scant_pair_counts *counts, scant_model *model);

/* Adds errors to a model of a learner whose engine makes them (scant_engine.h). */
scant_status scant_errors_by_engine(scant_learner *learner, scant_model *model, scant_error *error);

/* SCANT_DATA if there are too few examples for errors; or too few blocks, where `rows` > 1 share a look. */
scant_status scant_errors_check_blocks(uint64_t blocks, uint64_t rows, scant_error *error);

/* Student's t with so many degrees of freedom is within plus and minus this with probability `level`. */
double scant_student_quantile(double level, unsigned degrees);

/* The members "errors" and "unpenalised" of a model file. */
void scant_errors_save(const scant_model *model, scant_json_writer *out);
scant_status scant_errors_load(scant_model *model, const scant_json *json, scant_error *error);
/* Could a file hold them? */
int scant_errors_are_sound(const scant_model *model);

#endif
