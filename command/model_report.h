/* Scores and standard errors of a model, as text and as fields of JSON. */
#ifndef SCANT_CLI_MODEL_REPORT_H
#define SCANT_CLI_MODEL_REPORT_H

#include "scant_json.h"
#include "scant.h"

#define ERRORS_LEVEL 0.9 /* of intervals, unless another one is wanted */

/* How many weights are away from 0, in one line, and what must be known of the errors; nothing if there are none. */
void errors_print(const scant_model *model);

/* Columns of the table of weights: their titles, and those of one weight.  Nothing if there are none. */
void errors_print_title(const scant_model *model, double level);
void errors_print_weight(const scant_model *model, size_t attribute, double level);
/* Lines below the table. */
void errors_print_notes(const scant_model *model);

/* Is the interval of a weight away from 0? */
int errors_is_away(const scant_model *model, size_t attribute, double level);

/* Puts the fields of the model as a whole into the object that is open. */
void errors_put(scant_json_writer *out, const scant_model *model);

void scores_print(const scant_scores *scores, int log_target);
/* Puts the fields into the object that is open.  Without `with_r2` there is no R^2, and an accuracy only if there are
 * classes. */
void scores_put(scant_json_writer *out, const scant_scores *scores, int with_r2, int log_target);

#endif
