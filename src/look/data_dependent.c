/* DDAERR and DDAELR [KS15]: AERR and AELR whose looks follow the second moments
 * of the data.
 *
 * In a first phase, a tenth of the examples, they are AERR and AELR and learn the
 * moments on the side.  Then gradient looks are drawn by q_i ~ sqrt(E x_i^2)
 * (ridge) or E x_i^2 (lasso), residual looks by |w_j| sqrt(E x_j^2), and the step
 * size is that of the data:
 *
 *   ridge  1/sqrt(m (H/k + 1)),                        H = (sum_i sqrt(E x_i^2))^2
 *   lasso  1/(2B) sqrt(log 2d / (5 m (||E x^2||_1/k + 1)))
 *
 * The moments stay as they were at the end of the first phase; w goes on from
 * there, and the average is that of the second phase.
 */
#include <math.h>

#include "look/look.h"

static int is_lasso(const scant_learner *l) {
  return l->update->norm == SCANT_NORM_1;
}

uint64_t scant_data_dependent_phase(const scant_learner *learner) {
  return learner->horizon < 20 ? 1 : learner->horizon / 10;
}

/* sqrt(E x_i^2) as it was at the end of the first phase. */
static double root_moment(const scant_learner *l, size_t i) {
  double leaf = scant_sumtree_leaf(&l->data.explore, i);
  return is_lasso(l) ? sqrt(leaf) : leaf;
}

static double follow_leaf(const scant_learner *l, size_t i) {
  return fabs(l->w.at[i].shape) * root_moment(l, i);
}

void scant_data_dependent_start(scant_learner *learner) {
  scant_learner *l = learner;
  double m = fmax(1, (double)(l->horizon - scant_data_dependent_phase(l))), k = l->k_gradient, B = l->settings.radius;
  double total = scant_sumtree_total(&l->data.explore), d = (double)l->dimension;
  for (size_t i = 0; i < l->dimension; i++) scant_sumtree_leaves(&l->data.follow)[i] = follow_leaf(l, i);
  scant_sumtree_rebuild(&l->data.follow);
  l->data.rescaled = l->w.rescaled;
  if (!isnan(l->settings.eta)) return;
  l->eta =
      is_lasso(l) ? 1 / (2 * B) * sqrt(log(2 * d) / (5 * m * (total / k + 1))) : 1 / sqrt(m * (total * total / k + 1));
}

/* E x^2 of every attribute from its purchases, with the mean of all as one more:
 * what was never seen, or only as zero, must be looked at now and then. */
static void learn_moments(scant_learner *l) {
  double sum = 0, seen = 0, *leaves = scant_sumtree_leaves(&l->data.explore);
  for (size_t i = 0; i < l->dimension; i++) {
    const scant_moments *m = &l->moments[i];
    double n = (double)m->count;
    leaves[i] = m->spread + (l->centred ? 0 : n * m->mean * m->mean); /* the sum of squares */
    sum += leaves[i];
    seen += n;
  }
  double pooled = sum > 0 ? sum / seen : 1;
  for (size_t i = 0; i < l->dimension; i++) {
    double moment = (leaves[i] + pooled) / ((double)l->moments[i].count + 1);
    leaves[i] = is_lasso(l) ? moment : sqrt(moment);
  }
  scant_sumtree_rebuild(&l->data.explore);
}

void scant_data_dependent_follow(scant_learner *learner, const scant_look *look) {
  scant_learner *l = learner;
  uint64_t phase = scant_data_dependent_phase(l);
  if (l->told < phase) return;
  if (l->told == phase) learn_moments(l);
  /* a change of scale changes all shapes, and the law with them */
  if (l->told == phase || l->w.rescaled != l->data.rescaled) {
    scant_data_dependent_start(l);
    return;
  }
  for (uint32_t i = 0; i < look->count; i++)
    scant_sumtree_leaves(&l->data.follow)[look->attributes[i]] = follow_leaf(l, look->attributes[i]);
  scant_sumtree_settle(&l->data.follow, look->count, look->attributes);
}

scant_status scant_look_data_dependent(scant_learner *learner, scant_look *look, scant_error *error) {
  const scant_sumtree *law = &learner->data.explore;
  if (!(scant_sumtree_total(law) > 0)) return scant_look_uniform(learner, look, error);
  for (uint32_t r = 0; r < learner->k_gradient; r++) {
    uint32_t i = scant_sumtree_draw(law, &learner->rng), place = scant_look_add(learner, look, i);
    look->gradient_draws[place]++;
    look->gradient_probability[place] = scant_sumtree_leaf(law, i) / scant_sumtree_total(law);
  }
  look->gradient_total = look->draws = learner->k_gradient;
  return SCANT_OK;
}

scant_status scant_residual_data_dependent(scant_learner *learner, scant_look *look, scant_error *error) {
  int first_phase = !(scant_sumtree_total(&learner->data.explore) > 0);
  return first_phase ? scant_residual_split(learner, look, error)
                     : scant_residual_by(learner, look, &learner->data.follow);
}
