/* How good the regressor is by its own looks, and the scale that follows from that. */
#include <math.h>

#include "estimate/stopped_gradient.h"
#include "learn/learner.h"

/* The furthest that the weights are stretched.  While there are few looks per attribute the iterates point the right
 * way long before they have their size, so that the best scale is above 10. */
#define STRETCH_MOST 64

scant_parabola_terms scant_learner_terms(scant_learner *l, const scant_look *look, double y, double share) {
  double unit, target = scant_learner_target(l, look, y, &unit);
  double *v = l->shapes, *away = l->shapes + look->count;
  for (uint32_t i = 0; i < look->count; i++) {
    v[i] = scant_iterate_weight(&l->w, look->attributes[i]);
    away[i] = v[i] - scant_iterate_mean(&l->w, look->attributes[i]);
  }
  scant_ustatistic of_v = scant_ustatistic_of(look, l->x, v, l->t, l->a);
  scant_ustatistic of_away = scant_ustatistic_of(look, l->x, away, l->t, l->a);
  if (l->own_intercept) { /* an attribute that is always 1 and always bought */
    double intercept = scant_iterate_weight(&l->w, l->dimension);
    of_v.certain += intercept;
    of_away.certain += intercept - scant_iterate_mean(&l->w, l->dimension);
  }
  double prediction = of_v.certain + (of_v.draws > 0 ? of_v.drawn / of_v.draws : 0), squared = unit * unit;
  double square = scant_ustatistic_risk(&of_v, 0) - (1 - share) * scant_ustatistic_risk(&of_away, 0);
  return (scant_parabola_terms){target * target * squared, target * prediction * squared, square * squared};
}

double scant_learner_scale(const scant_learner *l) {
  int learns_squares = !l->own_intercept && l->loss.loss == SCANT_LOSS_SQUARED; /* for others w has the right size */
  if (!l->judges_average || !learns_squares) return 1;
  return scant_parabola_scale(&l->parabola, isfinite(l->w.radius) ? 1 : STRETCH_MOST);
}

scant_status scant_learner_judge(scant_learner *learner, const scant_look *look, const double *values, double y,
                                 double *risk, scant_error *error) {
  return scant_learner_judge_at(learner, scant_learner_scale(learner), look, values, y, risk, error);
}

scant_status scant_learner_judge_at(scant_learner *l, double scale, const scant_look *look, const double *values,
                                    double y, double *risk, scant_error *error) {
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
