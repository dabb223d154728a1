/* One purchase, many learners: a look that one learner drew teaches others too.
 *
 * The gradient from a stopped look is unbiased for any w, whatever law the looks
 * were drawn by, as long as the law was fixed before the example was seen and is
 * positive everywhere.  So probabilities stay, and weights and means become the
 * other learner's own.
 */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "estimate/ustatistic.h"
#include "learn/learner.h"

scant_status scant_learner_share(scant_learner *learner, const scant_look *drawn, scant_look *look,
                                 scant_error *error) {
  if (!learner->looks.kind->in_items)
    return scant_fail(error, SCANT_USAGE, "%s can't learn from looks that another learner drew",
                      learner->parts->words.name);
  SCANT_TRY(scant_look_check(drawn, &learner->looks, error));
  return scant_learner_adopt(learner, drawn, look, error);
}

scant_status scant_learner_adopt(scant_learner *learner, const scant_look *drawn, scant_look *look,
                                 scant_error *error) {
  scant_learner *l = learner;
  SCANT_TRY(scant_look_check_given(drawn, &l->looks, error));
  SCANT_TRY(scant_learner_check_open(l, error));
  if (!scant_look_reserve(look, drawn->count, 0)) return scant_fail_memory(error);
  scant_look to = *look; /* its arrays */
  *look = *drawn;
  look->attributes = memcpy(to.attributes, drawn->attributes, drawn->count * sizeof *to.attributes);
  look->item = memcpy(to.item, drawn->item, drawn->count * sizeof *to.item);
  look->gradient_draws = memcpy(to.gradient_draws, drawn->gradient_draws, drawn->count * sizeof *to.gradient_draws);
  look->residual_draws = memcpy(to.residual_draws, drawn->residual_draws, drawn->count * sizeof *to.residual_draws);
  size_t reals = drawn->count * sizeof *to.weight;
  look->gradient_probability = memcpy(to.gradient_probability, drawn->gradient_probability, reals);
  look->residual_probability = memcpy(to.residual_probability, drawn->residual_probability, reals);
  look->weight = to.weight;
  look->mean = to.mean;
  look->sequence = to.sequence;
  look->capacity = to.capacity;
  look->sequence_capacity = to.sequence_capacity;
  scant_learner_open_look(l, look);
  return SCANT_OK;
}

scant_status scant_learner_judge(scant_learner *learner, const scant_look *look, const double *values, double y,
                                 double *risk, scant_error *error) {
  return scant_learner_judge_at(learner, scant_learner_scale(learner), look, values, y, risk, error);
}

scant_status scant_learner_judge_at(scant_learner *learner, double scale, const scant_look *look, const double *values,
                                    double y, double *risk, scant_error *error) {
  scant_learner *l = learner;
  if (!l->looks.kind->in_items)
    return scant_fail(error, SCANT_USAGE, "%s can't be judged by its looks", l->parts->words.name);
  if (look->learner != l->tag) return scant_fail(error, SCANT_MISUSE, "this look was asked for by another learner");
  SCANT_TRY(scant_look_check(look, &l->looks, error));
  scant_look room;
  SCANT_TRY(scant_learner_renew(l, &look, &room, error));
  l->sound = 0;
  *risk = NAN; /* an example that is skipped gives no risk */
  if (scant_learner_skips(l, look, values)) return SCANT_OK;
  if (!scant_learner_reserve(l, look->count + 1)) return scant_fail_memory(error);
  double unit, target = scant_learner_target(l, look, y, &unit);
  scant_learner_units(l, look, values, l->x);
  for (uint32_t i = 0; i < look->count; i++) l->g[i] = scale * scant_learner_result(l, look->attributes[i]);
  scant_ustatistic u = scant_ustatistic_of(look, l->x, l->g, l->t, l->a);
  double intercept = l->own_intercept ? scant_learner_result(l, l->dimension) : 0;
  *risk = scant_ustatistic_risk(&u, target - intercept) * unit * unit;
  return SCANT_OK;
}
