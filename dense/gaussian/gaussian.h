/* The engine of the algorithm gaussian: its state, and what its files share.
 *
 * It fits one Gaussian of attributes and target by EM from the looks alone.  The looks are kept as they were bought;
 * limits and units are made of them at every fit.  At growing numbers of examples the law of the next looks is renewed
 * from an EM on all of them, and at every second renewal the weight of the prior is chosen anew.  Reading the regressor
 * is one more choice and EM and changes nothing else; it is a function of what was told.  Where examples share looks as
 * blocks, renewals count looks, and halves and groups are of whole blocks.
 *
 * Cost of an EM: O(steps (m K^3 + d^3)), with m the examples, or the blocks where these have more than K examples.
 * Memory: the looks, 12 bytes each, and about 11 d^2 doubles for each EM that runs at once, and 7 d^2 in all. */
#ifndef SCANT_DENSE_GAUSSIAN_GAUSSIAN_H
#define SCANT_DENSE_GAUSSIAN_GAUSSIAN_H

#include "gaussian/choose_prior.h"
#include "gaussian/em.h"
#include "gaussian/seen.h"
#include "scant_engine.h"

/* What an EM on all looks gave. */
typedef struct scant_gaussian_fit {
  scant_frame frame;
  scant_normal normal;
  double *w; /* standardised */
  double likelihood;
  scant_choice choice; /* what it was made with */
  int read;            /* was it made to be read?  Else for a law. */
  int cut;             /* was it told to stop before it was done? */
  uint64_t read_as;    /* as the learner's when it was made */
} scant_gaussian_fit;

void scant_gaussian_fit_free(scant_gaussian_fit *fit);
/* w[n - 1]: the regressor of a distribution in the frame of a fit, with its penalty, times `scale` (below 0: 0). */
scant_status scant_gaussian_regress(const scant_normal *normal, const scant_frame *frame, double penalty, double scale,
                                    double *w, scant_error *error);
/* With its frame made: room for the rest, of the unit distribution.  0: out of memory. */
int scant_gaussian_fit_open(scant_gaussian_fit *fit);
/* An EM from where the distribution is (`cold`: from nothing), then the regressor by the choice. */
scant_status scant_gaussian_fit_by(scant_gaussian_fit *fit, const scant_expecter *by, const scant_em_options *options,
                                   int cold, scant_error *error);
/* Fills in risk, its error, penalty, scale and likelihood. */
void scant_gaussian_fit_facts(const scant_gaussian_fit *fit, scant_learner_facts *facts);

/* A regressor that is read has converged; a law need not. */
extern const scant_em_options scant_em_to_read, scant_em_to_look;
/* What a fit is made with before there was a choice. */
extern const scant_choice scant_choice_at_first;

typedef struct scant_gaussian_state {
  scant_answers looks;
  scant_choice choice;        /* at the last choice */
  uint64_t chosen_at;         /* blocks then; 0: not yet.  Where a block is one example they are the examples */
  uint64_t renew_at;          /* blocks at the next renewal of the law */
  double *follow;             /* the law, by item: 1 for what forward selection found, else 0; */
  double *explore;            /* and the weights for exploring; room for d each */
  scant_sumtree law;          /* scratch for draws */
  scant_gaussian_fit fit;     /* of the last finish */
  uint64_t fitted_at;         /* examples then, plus 1; 0: none */
  scant_gaussian_fit law_fit; /* of the last renewal of the law; a finish that is told to stop may take it */
  uint64_t law_fitted_at;
} scant_gaussian_state;

static inline scant_gaussian_state *scant_gaussian_of(const scant_engine_view *l) {
  return l->state;
}

/* Was anything learned?  A target that never varied teaches nothing. */
static inline int scant_gaussian_has_fit(const scant_engine_view *l) {
  return scant_gaussian_of(l)->fit.w && l->target->spread > 0;
}

extern const scant_engine scant_gaussian_engine;

/* gaussian_look.c: makes the law of the looks from s->law_fit, and draws one.  The law is renewed first when an item
 * has been looked at `first_looks` times on average; with prices, which are not known at the beginning, not before
 * `fewest` blocks. */
int scant_gaussian_is_due(const scant_engine_view *l, double first_looks, uint64_t fewest);
scant_status scant_gaussian_renew_law(scant_engine_view *l, scant_error *error);
void scant_gaussian_draw(scant_engine_view *l, scant_look *look);
/* How likely a look was: in closed form while both laws are even and nothing limits the money of an example. */
void scant_gaussian_chances(const scant_engine_view *l, const scant_look *look, const scant_chances *chances);

/* gaussian_state.c: the checkpoint. */
void scant_gaussian_row_save(const scant_engine_view *l, struct scant_json_writer *out);
scant_status scant_gaussian_row_restore(scant_engine_view *l, const struct scant_json *json, size_t node,
                                        scant_error *error);

/* The regressor in original units of a distribution and standardised weights in the frame of a fit.  w: of all
 * attributes. */
void scant_gaussian_unstandardise(const scant_gaussian_fit *fit, const scant_normal *normal, const double *standardised,
                                  double *w, double *intercept);

/* leave_out.c: see `errors` of an engine. */
scant_status scant_gaussian_row_errors(scant_engine_view *l, scant_jackknife *jackknife, scant_pair_counts *pairs,
                                       scant_error *error);

/* How many EMs on nearly all examples run at once: as many as there are threads, and as option memory allows beside the
 * fit. */
uint64_t scant_gaussian_jobs(const scant_engine_view *l, const scant_gaussian_fit *fit);

/* ---- judge.c: how far a regressor errs at examples of which only some attributes were seen ---------------- */

/* The weight of the prior of the distribution that fills in what was not seen. */
#define SCANT_JUDGE_NOISE 2.0

/* c, then b: the coefficients of the residual c.z - b of the regressor of a distribution, n + 1 numbers. */
scant_status scant_residual_of(const scant_normal *normal, const scant_frame *frame, double penalty, double scale,
                               double *c, scant_error *error);

/* loss[e] = E[(c.z - b)^2 | what was seen of e] for every example of a group: of blocks b with this b %
 * SCANT_ERROR_GROUPS. */
scant_status scant_losses_of(const scant_normal *normal, const double *c, const scant_seen *seen, size_t group,
                             double *loss, scant_error *error);

/* The mean of a loss over the examples, and the variance of that mean: blocks are the units of chance (own_error.h). */
double scant_loss_mean(const scant_seen *seen, const double *loss, double *variance);

/* How many groups there are: as many as blocks, if these are fewer than SCANT_ERROR_GROUPS. */
size_t scant_groups_of(const scant_answers *looks);

/* See `judge` of an engine. */
scant_status scant_gaussian_row_judge(scant_engine_view *l, const double *w, double *risk, double *risk_error,
                                      scant_error *error);

/* choose_by_groups.c: the weight of the prior and the penalty, as scant_choose, but by leaving out a twentieth of the
 * examples at a time in place of half of them.  It is for few examples, half of which are too few to say anything, and
 * takes the scant_choose_is_by_groups of them. */
int scant_choose_is_by_groups(const scant_engine_view *l);
scant_status scant_choose_by_groups(const scant_answers *looks, const scant_frame *frame,
                                    const scant_em_options *options, scant_choice *choice, scant_normal *start,
                                    scant_error *error);

/* to_model.c: what a model keeps of a fit, without the shape of its errors; and the means of those attributes that are
 * variables, in original units.  Both also for fits that no learner made. */
scant_status scant_gaussian_of_fit(scant_gaussian **gaussian, const scant_gaussian_fit *fit, scant_error *error);
void scant_gaussian_fit_means(const scant_gaussian_fit *fit, double *means);

/* to_model.c: adds what predictions need. */
scant_status scant_gaussian_row_keep(scant_engine_view *l, scant_model_extras *extras, scant_error *error);

#endif
