/* The parts that a row of the table is made of, as code. */
#ifndef SCANT_LEARN_ALGORITHMS_H
#define SCANT_LEARN_ALGORITHMS_H

#include "update/iterate.h"
#include "scant.h"

/* look: fills an emptied look, as far as it does not depend on the current w. */
typedef scant_status (*scant_look_part)(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_look_uniform(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_look_coinflip(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_look_stopped(scant_learner *learner, scant_look *look, scant_error *error);
/* Every item for certain. */
scant_status scant_look_all_items(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_look_data_dependent(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_look_whole(scant_learner *learner, scant_look *look, scant_error *error);

/* residual: adds what is drawn by the law of the current w. */
scant_status scant_residual_split(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_residual_genest(scant_learner *learner, scant_look *look, scant_error *error);
scant_status scant_residual_data_dependent(scant_learner *learner, scant_look *look, scant_error *error);

/* estimate: phi~ from a look and its values in learning units. */
typedef double (*scant_estimate_part)(const scant_learner *learner, const scant_look *look, const double *x, double y);

/* gradient: g~ from a look all at once, where it is not phi~ times x~, and the
 * risk with it. */
typedef double (*scant_gradient_part)(const scant_learner *learner, const scant_look *look, const double *x, double y,
                                      double *g);

/* risk: an unbiased estimate of (w.x - y)^2 from the same look; NaN: none. */
typedef double (*scant_risk_part)(const scant_look *look, const double *x, const double *spread, double y);

/* A row: what scant_algorithm describes in words.  `update` is NULL where the
 * option norm chooses it. */
typedef struct scant_row {
  scant_algorithm words;
  scant_look_part look;
  scant_look_part residual; /* NULL: nothing depends on the current w */
  scant_estimate_part estimate;
  scant_risk_part risk;
  scant_gradient_part gradient; /* in place of both */
  const scant_update *update;
  int adaptive_eta; /* no theorem gives a step size: eta auto adapts */
  int even_split;   /* half of K goes to the residual */
  int biased;       /* any loss by Richardson: the intercept is a weight of its own */
  int by_deviation; /* stopped looks explore by standard deviations, not evenly */
  int standardised; /* learns in units of standard deviations, of attributes and of the target */
} scant_row;

/* Are looks drawn until one would be too many?  Then they follow prices, and
 * several learners may learn from one purchase. */
static inline int scant_row_is_stopped(const scant_row *row) {
  return row->look == scant_look_stopped;
}

const scant_row *scant_row_find(const char *name);
const scant_row *scant_row_at(size_t index);

#endif
