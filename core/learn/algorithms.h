/* The parts that an algorithm is made of, as code. */
#ifndef SCANT_LEARN_ALGORITHMS_H
#define SCANT_LEARN_ALGORITHMS_H

#include "look/looks.h"
#include "scant.h"
#include "update/iterate.h"

/* estimate: phi~ from a look and its values in learning units. */
typedef double (*scant_estimate_part)(const scant_learner *learner, const scant_look *look, const double *x, double y);

/* gradient: g~ from a look all at once, where it is not phi~ times x~, and the risk with it. */
typedef double (*scant_gradient_part)(const scant_learner *learner, const scant_look *look, const double *x, double y,
                                      double *g);

/* risk: an unbiased estimate of (w.x - y)^2 from the same look; NaN: none. */
typedef double (*scant_risk_part)(const scant_look *look, const double *x, const double *spread, double y);

/* An algorithm as code; scant_algorithm has it in words.  One that an engine learns has neither estimate nor update. */
typedef struct scant_parts {
  scant_algorithm words;
  const scant_look_kind *look;
  scant_estimate_part estimate;
  scant_risk_part risk;
  scant_gradient_part gradient; /* in place of both */
  const scant_update *update;   /* NULL: the option norm chooses it */
  int adaptive_eta;             /* no theorem gives a step size: eta auto adapts */
  int own_intercept;            /* the intercept is a weight of its own, learned as the others are */
  int standardised;             /* learns in units of standard deviations, of attributes and of the target */
  int theorem;                  /* a theorem bounds its regret, for values and targets within bounds */
} scant_parts;

const scant_parts *scant_parts_find(const char *algorithm);

/* The kind of looks of resolved settings; with the option observed, looks at everything. */
const scant_look_kind *scant_parts_looks(const scant_settings *settings);

#endif
