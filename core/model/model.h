/* A model's insides: shared with the fit that makes one. */
#ifndef SCANT_MODEL_MODEL_H
#define SCANT_MODEL_MODEL_H

#include "scant_base.h"
#include "estimate/running.h"
#include "joint/joint.h"
#include "model/errors.h"
#include "scant.h"
#include "scant_replay.h"

struct scant_model {
  size_t dimension;
  double *weights; /* in original units */
  double intercept;
  char **names; /* NULL: none */
  char *target_name;
  scant_settings settings; /* its texts are the two below */
  char *algorithm, *classes;
  scant_ledger ledger;
  int amended; /* the ledger may be of other prices, groups and K: those of a study that was amended */
  uint64_t *purchases;
  scant_prices *prices;       /* NULL: costs were not said */
  double *means;              /* of the attributes' known values; NULL in files from before they were kept */
  double *low, *high;         /* what each attribute is clipped to in predictions; NULL: none is */
  scant_gaussian *gaussian;   /* of the algorithm gaussian; else NULL */
  double eta, penalty;        /* as used; NaN where there is none */
  scant_errors *errors;       /* NULL: none */
  unsigned char *unpenalised; /* attributes whose weights are not penalised; NULL: none is left out */
  char *checkpoint;           /* what a fit needs to go on, as JSON; NULL: finished */
};

/* An empty model with its arrays. */
scant_status scant_model_new(scant_model **model, size_t dimension, scant_error *error);

/* Makes room for limits, all 0, of a model without them. */
scant_status scant_model_new_limits(scant_model *model, scant_error *error);

/* x of an attribute as predictions take it; NaN stays. */
static inline double scant_model_clip(const scant_model *model, size_t attribute, double x) {
  return model->low ? scant_limits_clip(x, model->low[attribute], model->high[attribute]) : x;
}

/* The model of a learner, which is brought up to date first; without names. */
scant_status scant_model_of_learner(scant_model **model, scant_learner *learner, const scant_settings *settings,
                                    const scant_prices *prices, const scant_ledger *ledger, const uint64_t *purchases,
                                    scant_error *error);

/* Gives a model without names its names; NULL: none. */
scant_status scant_model_set_names(scant_model *model, const char *const *names, const char *target,
                                   scant_error *error);

/* Keeps copies of the settings' texts. */
scant_status scant_model_set_settings(scant_model *model, const scant_settings *settings, scant_error *error);

#endif
