/* The choice of the prior and the penalty while examples are few: by leaving out a group of them at a time.
 *
 * Half of 60 examples, with 3 of 10 attributes each, show each pair of attributes twice: the regressor that halves
 * chose erred by up to half as much again as the best one, and its scale was 0 in one study of eight.  So each
 * regressor of all but a group is judged by that group, as in judge.c, and the weight and penalty with the least mean
 * loss are taken. With 100 examples of that kind both choices are alike. */
#include <math.h>
#include <stdlib.h>

#include "scant_base.h"
#include "gaussian/gaussian.h"

/* The last two are for relations that are nearly exact; so few examples can show them only where most is seen. */
static const double weights[] = {100, 30, 8, 2, 0.5, 0.05}, penalties[] = {1e-4, 0.01, 0.1};
enum { WEIGHTS = sizeof weights / sizeof *weights, LIGHT = 2, PENALTIES = sizeof penalties / sizeof *penalties };

/* Looks per attribute below which examples are few, and the most work of a step of an EM: there are 100 of them. */
#define LOOKS_FEW 30.0
#define WORK_MOST 2e5

int scant_choose_is_by_groups(const scant_engine_view *l) {
  const scant_answers *a = &scant_gaussian_of(l)->looks;
  double entries = a->examples ? (double)a->first[a->examples] : 0, step = pow((double)l->dimension + 1, 3);
  if (!l->chooses_by_groups || l->unpenalised || entries >= LOOKS_FEW * (double)l->dimension) return 0;
  for (size_t e = 0; e < a->examples; e++) step += pow((double)a->size[e] + 1, 3);
  return step <= WORK_MOST;
}

typedef struct {
  const scant_answers *looks;
  const scant_frame *frame;
  scant_em_options options;
  size_t groups;
  scant_seen seen, without[SCANT_ERROR_GROUPS];       /* all examples; those of all other groups */
  scant_normal all, light[SCANT_ERROR_GROUPS], other; /* light: what fills in what was not seen */
  double *c, *loss[PENALTIES];
  scant_own own; /* of predictions from what was seen, with the current weight */
  scant_arrays arrays;
} search;

static void search_free(search *s) {
  scant_seen_free(&s->seen);
  for (size_t g = 0; g < SCANT_ERROR_GROUPS; g++) {
    scant_seen_free(&s->without[g]);
    scant_normal_free(&s->light[g]);
  }
  scant_arrays_free(&s->arrays);
}

static int search_new(search *s) {
  size_t n = s->frame->variables, m = s->looks->examples;
  s->groups = scant_groups_of(s->looks);
  s->c = scant_arrays_add(&s->arrays, n + 1, sizeof *s->c);
  for (int p = 0; p < PENALTIES; p++) s->loss[p] = scant_arrays_add(&s->arrays, m, sizeof **s->loss);
  scant_normal_add(&s->all, n, &s->arrays);
  scant_normal_add(&s->other, n, &s->arrays);
  int good = !s->arrays.failed && scant_seen_new(&s->seen, s->looks, s->frame, 0, 0);
  for (size_t g = 0; good && g < s->groups; g++)
    good = scant_normal_new(&s->light[g], n) &&
           scant_seen_times(&s->without[g], s->looks, s->frame, SCANT_ERROR_GROUPS, g, 0);
  return good;
}

static scant_status expect(search *s, const scant_seen *seen, double noise, scant_normal *normal, scant_error *error) {
  s->options.noise = noise;
  return scant_em_run(seen, &s->options, normal, NULL, NULL, NULL, error);
}

/* The distributions that fill in what was not seen. */
static scant_status make_light(search *s, scant_error *error) {
  s->options.noise = SCANT_JUDGE_NOISE;
  scant_normal_reset(&s->all);
  SCANT_TRY(scant_em_approach(&s->seen, &s->options, &s->all, error));
  SCANT_TRY(expect(s, &s->seen, SCANT_JUDGE_NOISE, &s->all, error));
  for (size_t g = 0; g < s->groups; g++) {
    scant_normal_copy(&s->light[g], &s->all);
    SCANT_TRY(expect(s, &s->without[g], SCANT_JUDGE_NOISE, &s->light[g], error));
  }
  return SCANT_OK;
}

/* How well the examples of a group are predicted from what was seen of them. */
static scant_status measure_own(search *s, size_t group, scant_error *error) {
  scant_seen seen = {0};
  scant_own own = {0};
  if (!scant_seen_new(&seen, s->looks, s->frame, SCANT_ERROR_GROUPS, group)) return scant_fail_memory(error);
  scant_status status = scant_own_measure(&seen, &s->other, s->frame->factor, SCANT_PENALTY_OF_FEW, &own, error);
  double share = (double)seen.examples / (double)s->seen.examples;
  s->own.error += share * own.error;
  s->own.variance += share * own.variance;
  scant_seen_free(&seen);
  return status;
}

/* The losses of all examples with a weight of the prior, for each penalty; s->all is where it starts. */
static scant_status try_weight(search *s, double noise, scant_error *error) {
  s->own = (scant_own){0};
  SCANT_TRY(expect(s, &s->seen, noise, &s->all, error));
  for (size_t g = 0; g < s->groups; g++) {
    scant_normal_copy(&s->other, &s->all);
    SCANT_TRY(expect(s, &s->without[g], noise, &s->other, error));
    SCANT_TRY(measure_own(s, g, error));
    for (int p = 0; p < PENALTIES; p++) {
      SCANT_TRY(scant_residual_of(&s->other, s->frame, penalties[p], 1, s->c, error));
      SCANT_TRY(scant_losses_of(&s->light[g], s->c, &s->seen, g, s->loss[p], error));
    }
  }
  return SCANT_OK;
}

/* To predict the mean errs by the target's variance and that of the mean. */
static void decide(const search *s, scant_choice *choice) {
  double nothing = 1 + 1 / (double)s->seen.examples;
  if (choice->risk < nothing) return;
  choice->scale = 0;
  choice->risk = nothing;
}

static scant_status try_all(search *s, scant_choice *choice, scant_normal *start, scant_error *error) {
  SCANT_TRY(make_light(s, error));
  scant_normal_reset(&s->all);
  *choice = (scant_choice){.scale = 1, .risk = INFINITY};
  const scant_answers *a = s->looks;
  int count = scant_is_mostly_seen(a->first[a->examples], a->examples, a->dimension) ? WEIGHTS : WEIGHTS - LIGHT;
  for (int q = 0; q < count; q++) {
    SCANT_TRY(try_weight(s, weights[q], error));
    for (int p = 0; p < PENALTIES; p++) {
      double variance, risk = scant_loss_mean(&s->seen, s->loss[p], &variance), said = 1 - s->own.variance;
      if (!(risk < choice->risk)) continue;
      *choice = (scant_choice){weights[q], penalties[p], 1, risk, sqrt(variance), 0};
      choice->few_excess = said > 0 ? fmax(0, (s->own.error - s->own.variance) / said) : 0;
      scant_normal_copy(start, &s->all);
    }
    if (scant_thinking_stopped(s->options.thinking)) break;
  }
  decide(s, choice);
  return SCANT_OK;
}

scant_status scant_choose_by_groups(const scant_answers *looks, const scant_frame *frame,
                                    const scant_em_options *options, scant_choice *choice, scant_normal *start,
                                    scant_error *error) {
  search *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  *s = (search){.looks = looks, .frame = frame, .options = *options};
  s->options.threads = 1;
  s->options.settled = 1e-4;
  scant_choice made;
  scant_status status = search_new(s) ? try_all(s, &made, start, error) : scant_fail_memory(error);
  if (status == SCANT_OK) *choice = made;
  search_free(s);
  free(s);
  return status;
}
