/* How far a regressor errs at examples of which only some attributes were seen: what judge.c and choose_by_groups.c
 * share. */
#ifndef SCANT_DENSE_GAUSSIAN_JUDGE_H
#define SCANT_DENSE_GAUSSIAN_JUDGE_H

#include "gaussian/gaussian.h"

/* The weight of the prior of the distribution that fills in what was not seen. */
#define SCANT_JUDGE_NOISE 2.0

/* c, then b: the coefficients of the residual c.z - b of the regressor of a distribution, n + 1 numbers. */
scant_status scant_residual_of(const scant_normal *normal, const scant_frame *frame, double penalty, double scale,
                               double *c, scant_error *error);

/* loss[e] = E[(c.z - b)^2 | what was seen of e] for every example of a group: of blocks b with this b %
 * SCANT_ERROR_GROUPS. */
scant_status scant_losses_of(const scant_normal *normal, const double *c, const scant_seen *seen, size_t group,
                             double *loss, scant_error *error);

/* The mean of a loss over the examples, and the variance of that mean: blocks are the units of chance (own.h). */
double scant_loss_mean(const scant_seen *seen, const double *loss, double *variance);

/* How many groups there are: as many as blocks, if these are fewer than SCANT_ERROR_GROUPS. */
size_t scant_groups_of(const scant_answers *looks);

/* choose_by_groups.c: the weight of the prior and the penalty, as scant_choose, but by leaving out a twentieth of the
 * examples at a time in place of half of them.  It is for few examples, half of which are too few to say anything, and
 * takes the scant_choose_is_by_groups of them. */
int scant_choose_is_by_groups(const scant_learner *l);
scant_status scant_choose_by_groups(const scant_answers *looks, const scant_frame *frame,
                                    const scant_em_options *options, scant_choice *choice, scant_normal *start,
                                    scant_error *error);

#endif
