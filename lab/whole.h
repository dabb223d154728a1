/* A fit from beginning to end. */
#ifndef LAB_WHOLE_H
#define LAB_WHOLE_H

#include "scant.h"

/* Learns from all examples and makes the model; the caller frees fit and model. */
scant_status fit_whole(scant_fit **fit, scant_model **model, const scant_settings *settings, scant_source *source,
                       scant_error *error);

#endif
