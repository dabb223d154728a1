/* Engines learn the algorithms that libscant alone only describes.
 *
 * Such an algorithm is asked and told as any other.  The learner keeps the parts that all algorithms share:
 * the table of open looks, serials, the generator, the checks of looks and answers, the running moments of
 * attributes and target, the number told, and their part of a checkpoint.  The engine has the rest in
 * l->engine_state.
 *
 * A failed call changes nothing.  An engine may depend on what was told, the settings and l->looks.rng alone:
 * not on time, on threads, or on whether the regressor was read in between.
 */
#ifndef SCANT_LEARN_ENGINE_H
#define SCANT_LEARN_ENGINE_H

#include "base/shared.h"
#include "scant.h"

struct scant_json;
struct scant_json_writer;
struct scant_chances;

/* The looks of an engine are a kind of their own: its function `look` draws them.  Those of the second kind follow
 * prices: l->looks.law has the prices, what may be spent, what is free and the discounts, and nothing more.  What may
 * be spent pays for the two cheapest items; what it does not pay for must be passed over. */
extern const struct scant_look_kind scant_look_by_engine;
extern const struct scant_look_kind scant_look_by_engine_for_prices;

struct scant_engine {
  const char *algorithm;  /* its name in the table */
  uint64_t state_version; /* raised whenever what `save` writes changes its meaning; 0: it never did on its own */

  /* Makes l->engine_state for l->settings and l->dimension.  SCANT_DATA, before
   * anything large is allocated, if it would take more than the option memory. */
  scant_status (*open)(scant_learner *l, scant_error *error);
  void (*free)(scant_learner *l); /* also after a failed open */

  /* Refuses prices with which it would take more than the option memory; NULL: they don't matter. */
  scant_status (*check_prices)(const scant_learner *l, const scant_prices *prices, scant_error *error);

  /* Fills an emptied look with room for K attributes (with prices for all), drawing with l->looks.rng, entry
   * by entry through scant_look_plain.  Not called with the option observed: then
   * a look is every attribute. */
  scant_status (*look)(scant_learner *l, scant_look *look, scant_error *error);

  /* As `chances` of a kind of looks; NULL: nothing has a closed form. */
  void (*chances)(const scant_learner *l, const scant_look *look, const struct scant_chances *chances);

  /* Makes room for `rows` answers to one look, which are a block, so that telling them can't fail; NULL: telling never
   * fails, or blocks are refused. */
  scant_status (*reserve)(scant_learner *l, const scant_look *look, size_t rows, scant_error *error);

  /* Learns from a checked answer, before the learner counts it: l->told examples came
   * before this one.  A value that is NaN is not known, and the engine leaves it out.  The rows of a block come one
   * after another, all with the same look and the same l->block, the number of the block; l->told counts on. */
  scant_status (*tell)(scant_learner *l, const scant_look *look, const double *values, double y, scant_error *error);

  /* Brings the regressor up to date.  A second call without a tell between does nothing. */
  scant_status (*finish)(scant_learner *l, scant_error *error);
  /* The regressor of the last finish, in original units; before the first one, 0 and the mean target. */
  void (*weights)(const scant_learner *l, double *w, double *intercept);
  /* Fills in risk, penalty and likelihood of the last finish, as far as it knows them. */
  void (*facts)(const scant_learner *l, scant_learner_facts *facts);

  /* With clip: the limits of the last finish, in original units; NULL: it does not clip. */
  void (*limits)(const scant_learner *l, double *low, double *high);

  /* Writes members of the learner's object in a checkpoint, and reads them. */
  void (*save)(const scant_learner *l, struct scant_json_writer *out);
  scant_status (*restore)(scant_learner *l, const struct scant_json *json, size_t node, scant_error *error);

  /* Adds errors (model/errors.h) to a model of the regressor that finish gives, from what it keeps of its answers;
   * NULL: it keeps none, and others tell them again. */
  scant_status (*errors)(scant_learner *l, scant_model *model, scant_error *error);

  /* The risk of regressors and its standard error, by the distribution of what was told; NULL: it has none.  w has, for
   * each group of examples e with equal e % SCANT_ERROR_GROUPS, the weights and the intercept of a regressor that was
   * learned without that group (as many groups as there are, or examples if they are fewer); NULL: regressors of its
   * own, made as that of finish is.  NaN: not known, because too little was told. */
  scant_status (*judge)(scant_learner *l, const double *w, double *risk, double *risk_error, scant_error *error);

  /* How often the law of its looks was renewed, if that matters to what it learns from them; and notes that the looks
   * told from now on were drawn by another law.  NULL: it does not matter. */
  uint64_t (*law)(const scant_learner *l);
  scant_status (*turn)(scant_learner *l, scant_error *error);

  /* Adds what the model keeps beside the weights, after finish; NULL: nothing. */
  scant_status (*keep)(scant_learner *l, scant_model *model, scant_error *error);
};

/* Learns from the checked rows of a block and closes their look. */
scant_status scant_engine_tell(scant_learner *l, const scant_look *look, size_t rows, const double *values,
                               const double *y, scant_error *error);

/* The engine of an algorithm in a list ended by NULL (which may be NULL), or NULL. */
SCANT_SHARED const scant_engine *scant_engine_find(const scant_engine *const *engines, const char *algorithm);

/* Refuses a learner that would take more than the option memory, and says how much it would take. */
SCANT_SHARED scant_status scant_engine_check_memory(const scant_learner *l, double bytes, scant_error *error);

#endif
