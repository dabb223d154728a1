/* How the attributes of a look were drawn, for whoever weighs what was bought. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "learn/learner.h"

/* Is the law at hand the one that drew the look?  It was the last, and nothing was told since. */
static int is_now(const scant_learner *l, const scant_look *look) {
  return look->learner == l->tag && look->serial + 1 == l->next_serial && l->told == l->asked_at;
}

static void describe(const scant_learner *l, const scant_look *look, const double *inclusion, scant_look_line *lines) {
  const scant_look_kind *kind = l->looks.kind;
  int has_residual = kind->has_draws && !kind->halves; /* else they are the second half of the same draws */
  for (uint32_t i = 0, item = 0; i < look->count; i++) {
    int drawn = look->gradient_draws[i] > 0, again = has_residual && look->residual_draws[i];
    int certain = kind->has_draws ? !drawn && !again : inclusion[i] == 1;
    item += i && look->item[i] != look->item[i - 1];
    lines[i] = (scant_look_line){
        .attribute = look->attributes[i],
        .item = item,
        .certain = certain,
        .draws = certain ? 0 : look->gradient_draws[i],
        .draws_total = kind->whole ? 0 : look->gradient_total,
        .probability = certain                    ? 1
                       : kind->has_draws && drawn ? look->gradient_probability[i]
                                                  : NAN,
        .residual_draws = again ? look->residual_draws[i] : 0,
        .residual_total = has_residual ? look->residual_total : 0,
        .residual_probability = again ? look->residual_probability[i] : NAN,
        .inclusion = inclusion[i],
    };
  }
}

scant_status scant_learner_describe(const scant_learner *learner, const scant_look *look, scant_look_line *lines,
                                    double *pairs, scant_error *error) {
  SCANT_TRY(scant_look_check_given(look, &learner->looks, error)); /* it may have been drawn with other prices */
  return scant_learner_describe_sound(learner, look, lines, pairs, error);
}

scant_status scant_learner_describe_sound(const scant_learner *learner, const scant_look *look, scant_look_line *lines,
                                          double *pairs, scant_error *error) {
  const scant_learner *l = learner;
  size_t count = look->count;
  double *room = scant_array(3 * count, sizeof *room);
  if (!room) return scant_fail_memory(error);
  scant_chances chances = {is_now(l, look), room, pairs, room + count, room + 2 * count};
  for (size_t i = 0; i < count; i++) chances.inclusion[i] = NAN;
  for (size_t i = 0; pairs && i < count * count; i++) pairs[i] = NAN;
  if (l->looks.kind->chances) l->looks.kind->chances(&l->looks, look, &chances);
  describe(l, look, chances.inclusion, lines);
  free(room);
  return SCANT_OK;
}
