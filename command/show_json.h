/* A whole model as one JSON object. */
#ifndef SCANT_CLI_SHOW_JSON_H
#define SCANT_CLI_SHOW_JSON_H

#include "scant.h"

/* Prints it on standard output. */
scant_status show_json(const scant_model *model, scant_error *error);

#endif
