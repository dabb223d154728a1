/* What the engines keep of a learner. */
#ifndef SCANT_TESTS_STATES_H
#define SCANT_TESTS_STATES_H

#include <stdlib.h>

#include "gaussian/gaussian.h"
#include "learn/learner.h"
#include "moments/moments.h"

static inline scant_gaussian_state *gaussian_of(const scant_learner *l) {
  return l->engine_state;
}

static inline scant_moments_state *moments_of(const scant_learner *l) {
  return l->engine_state;
}

/* The joint Gaussian that a model of the learner keeps, which the caller frees, also after a failure. */
static inline scant_status gaussian_kept(scant_learner *l, scant_gaussian **gaussian, scant_error *why) {
  scant_engine_view view = scant_engine_view_of(l);
  scant_model_extras extras = {.means = scant_array(l->dimension, sizeof *extras.means)};
  scant_status status = extras.means ? scant_gaussian_row_keep(&view, &extras, why) : scant_fail_memory(why);
  free(extras.means);
  *gaussian = extras.gaussian;
  return status;
}

#endif
