/* DDAERR and DDAELR [KS15]: AERR and AELR whose looks follow the second moments of the data.
 *
 * The first phase is a tenth of the examples.  In it gradient looks are uniform and residual looks are by w^2 (ridge)
 * or |w| (lasso), as in AERR and AELR; the moments are learned on the side.  Both phases have K/2 looks of each sort.
 * Then gradient looks are drawn by q_i ~ sqrt(E x_i^2) (ridge) or E x_i^2 (lasso), residual looks by |w_j| sqrt(E
 * x_j^2), and the step size is that of the data:
 *
 *   ridge  1/sqrt(m (H/k + 1)),                        H = (sum_i sqrt(E x_i^2))^2
 *   lasso  1/(2B) sqrt(log 2d / (5 m (||E x^2||_1/k + 1)))
 *
 * The moments stay as they were at the end of the first phase; w goes on from there, and the average is that of the
 * second phase. */
#include <math.h>

#include "scant_base.h"
#include "scant_json.h"
#include "look/looks.h"

static int is_lasso(const scant_looks *l) {
  return l->norm == SCANT_NORM_1;
}

/* Has the second phase begun, with the law of the data? */
static int is_second(const scant_looks *l) {
  return scant_sumtree_total(&l->data.explore) > 0;
}

/* ---- its life ----------------------------------------------------------------- */

static int open_laws(scant_looks *l) {
  return scant_sumtree_new(&l->data.explore, l->dimension) && scant_sumtree_new(&l->data.follow, l->dimension);
}

static uint64_t phase(const scant_looks *l) {
  return l->horizon < 20 ? 1 : l->horizon / 10;
}

/* ---- the law of the data --------------------------------------------------------- */

/* sqrt(E x_i^2) as it was at the end of the first phase. */
static double root_moment(const scant_looks *l, size_t i) {
  double leaf = scant_sumtree_leaf(&l->data.explore, i);
  return is_lasso(l) ? sqrt(leaf) : leaf;
}

static double follow_leaf(const scant_looks *l, size_t i) {
  return fabs(l->w->at[i].shape) * root_moment(l, i);
}

static double eta(const scant_looks *l) {
  if (!is_second(l)) return NAN;
  double m = fmax(1, (double)(l->horizon - phase(l))), k = l->k_gradient, B = l->settings->learning.radius;
  double total = scant_sumtree_total(&l->data.explore), d = (double)l->dimension;
  return is_lasso(l) ? 1 / (2 * B) * sqrt(log(2 * d) / (5 * m * (total / k + 1)))
                     : 1 / sqrt(m * (total * total / k + 1));
}

/* Starts the second phase (again) from the moments in data.explore. */
static void start(scant_looks *l) {
  for (size_t i = 0; i < l->dimension; i++) scant_sumtree_leaves(&l->data.follow)[i] = follow_leaf(l, i);
  scant_sumtree_rebuild(&l->data.follow);
  l->data.rescaled = l->w->rescaled;
}

/* E x^2 of every attribute from its purchases, with the mean of all as one more value.  So an attribute that
 * was never seen, or only as zero, is still looked at now and then. */
static void learn_moments(scant_looks *l) {
  double sum = 0, seen = 0, *leaves = scant_sumtree_leaves(&l->data.explore);
  for (size_t i = 0; i < l->dimension; i++) {
    const scant_moments *m = &l->moments[i];
    double n = (double)m->count;
    leaves[i] = m->spread + (l->centered ? 0 : n * m->mean * m->mean); /* the sum of squares */
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

static void follow(scant_looks *l, const scant_look *look, uint64_t told) {
  uint64_t first = phase(l);
  if (told < first) return;
  if (told == first) learn_moments(l);
  /* a change of scale changes all shapes, and the law with them */
  if (told == first || l->w->rescaled != l->data.rescaled) {
    start(l);
    return;
  }
  for (uint32_t i = 0; i < look->count; i++)
    scant_sumtree_leaves(&l->data.follow)[look->attributes[i]] = follow_leaf(l, look->attributes[i]);
  scant_sumtree_settle(&l->data.follow, look->count, look->attributes);
}

/* ---- drawing -------------------------------------------------------------------- */

static scant_status draw(scant_looks *l, scant_look *look, scant_error *error) {
  const scant_sumtree *law = &l->data.explore;
  if (!is_second(l)) return scant_look_draw_uniform(l, look, error);
  for (uint32_t r = 0; r < l->k_gradient; r++) {
    uint32_t i = scant_sumtree_draw(law, &l->rng), place = scant_look_add(l, look, i);
    look->gradient_draws[place]++;
    look->gradient_probability[place] = scant_sumtree_leaf(law, i) / scant_sumtree_total(law);
  }
  look->gradient_total = look->draws = l->k_gradient;
  return SCANT_OK;
}

static scant_status freeze(scant_looks *l, scant_look *look, scant_error *error) {
  (void)error;
  return scant_look_draw_residual(l, look, is_second(l) ? &l->data.follow : &l->w->law);
}

/* Of an attribute that only one of the two laws drew, the look does not have the probability of the other. */
static void chances(const scant_looks *l, const scant_look *look, const scant_chances *found) {
  const scant_sumtree *explore = &l->data.explore, *follow_law = &l->data.follow;
  if (!found->now) return;
  if (!is_second(l)) {
    scant_chances_of_uniform(l, look, found);
    return;
  }
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t j = look->attributes[i];
    found->q[i] = scant_sumtree_leaf(explore, j) / scant_sumtree_total(explore);
    found->p[i] = look->residual_total ? scant_sumtree_leaf(follow_law, j) / scant_sumtree_total(follow_law) : 0;
  }
  scant_chances_of_draws(look, l->dimension, 0, found);
}

/* ---- a checkpoint: all zeros are the first phase ----------------------------------- */

static void save(const scant_looks *l, scant_json_writer *out) {
  scant_json_reals(out, "law", l->data.explore.level[0], l->dimension, 1);
}

static scant_status restore(scant_looks *l, uint64_t told, const scant_json *json, size_t node, scant_error *error) {
  double *leaves = scant_sumtree_leaves(&l->data.explore);
  SCANT_TRY(scant_json_get_reals(json, node, "law", leaves, l->dimension, 1, error));
  int second = told >= phase(l);
  for (size_t i = 0; i < l->dimension; i++)
    if (second != (leaves[i] > 0) || leaves[i] < 0) return scant_fail(error, SCANT_DATA, "field 'law' is out of range");
  scant_sumtree_rebuild(&l->data.explore);
  if (second) start(l);
  return SCANT_OK;
}

const scant_look_kind scant_look_data_dependent = {.uses_moments = 1,
                                                   .needs_horizon = 1,
                                                   .share = scant_look_share_evenly,
                                                   .open = open_laws,
                                                   .counts_draws = 1,
                                                   .has_draws = 1,
                                                   .fleeting = 1,
                                                   .draw = draw,
                                                   .freeze = freeze,
                                                   .chances = chances,
                                                   .follow = follow,
                                                   .phase = phase,
                                                   .eta = eta,
                                                   .save = save,
                                                   .restore = restore};
