/* Standard errors of a model, by the delete-a-group jackknife: the regressors that learned from all groups of examples
 * but one vary as the regressor of all would over other examples,
 *
 *   var(w) = (G - 1)/G sum over g of (w_(g) - mean of all w_(g))^2
 */
#ifndef SCANT_MODEL_ERRORS_H
#define SCANT_MODEL_ERRORS_H

#include "base/shared.h"
#include "scant.h"

typedef struct scant_errors {
  uint64_t groups;
  double *weights; /* NaN: nothing is known of this weight */
  double intercept, risk, risk_error;
  uint64_t pairs, rare_pairs; /* see scant_model_pairs */
} scant_errors;

void scant_errors_free(scant_errors *errors);

/* Regressors that leave a group out, one after another. */
typedef struct scant_jackknife {
  size_t dimension;
  uint64_t groups;       /* added so far */
  double *mean, *spread; /* of each weight, then the intercept and the risk */
} scant_jackknife;

SCANT_SHARED int scant_jackknife_new(scant_jackknife *jackknife, size_t dimension); /* 0: out of memory */
SCANT_SHARED void scant_jackknife_free(scant_jackknife *jackknife);
SCANT_SHARED void scant_jackknife_add(scant_jackknife *jackknife, const double *w, double intercept, double risk);

/* Half of what leaving a group out and counting it twice changes, as a regressor that another jackknife adds up: terms
 * of second order are not in it. */
SCANT_SHARED void scant_jackknife_halve(size_t dimension, const double *without, const double *twice, double *w);

/* Gives the model the errors that follow, in place of those that it has.  risk and risk_error are those of the model's
 * regressor; risk_error stays, unless the groups have risks (not NaN) and the jackknife's error of them is larger.  The
 * pairs are counted by nobody yet. */
SCANT_SHARED scant_status scant_jackknife_finish(const scant_jackknife *jackknife, double risk, double risk_error,
                                                 scant_model *model, scant_error *error);

/* SCANT_DATA if there are too few examples for errors; or too few blocks, where `rows` of them share a look. */
SCANT_SHARED scant_status scant_errors_check_blocks(uint64_t blocks, uint64_t rows, scant_error *error);
SCANT_SHARED scant_status scant_errors_check_examples(uint64_t examples, scant_error *error);

/* Student's t with so many degrees of freedom is within plus and minus this with probability `level`. */
double scant_student_quantile(double level, unsigned degrees);

/* The members "errors" and "unpenalised" of a model file. */
struct scant_json_writer;
struct scant_json;
void scant_errors_save(const scant_model *model, struct scant_json_writer *out);
scant_status scant_errors_load(scant_model *model, const struct scant_json *json, scant_error *error);
/* Could a file hold them? */
int scant_errors_are_sound(const scant_model *model);

#endif
