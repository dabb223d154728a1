/* The scores of a model, as text and as fields of JSON. */
#ifndef SCANT_CLI_SCORES_H
#define SCANT_CLI_SCORES_H

#include "base/json_document.h"
#include "scant.h"

void scores_print(const scant_scores *scores, int log_target);
/* Puts the fields into the object that is open.  Without `with_r2` there is no R^2, and an accuracy only if there are
 * classes. */
void scores_put(json *out, const scant_scores *scores, int with_r2, int log_target);

#endif
