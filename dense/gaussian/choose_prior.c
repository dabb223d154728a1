#include "gaussian/choose_prior.h"

#include <math.h>

#include "scant_base.h"
#include "blas.h"

enum { HALVES = 2 };

/* From heavy to light. */
static const double weights_of_rows[SCANT_TRIALS_MOST] = {300, 100, 30, 8, 2, 0.5, 0.05};

/* Where most of an example is seen all
 * are tried: EM is quick then, and a relation that is nearly exact shows with the lightest alone. */
enum { PATIENCE = 2 };

/* More than the last lost on every set that was tried. */
static const double penalties[] = {1e-4, 0.01, 0.1};
enum { PENALTIES = sizeof penalties / sizeof *penalties };

typedef struct {
  const scant_choosing *choosing;
  const double *factor;
  const unsigned char *plain; /* then a light weight alone is tried */
  scant_em_options options;
  uint64_t jobs;                             /* halves at once */
  scant_normal normal[HALVES], best[HALVES]; /* now, and with the best weight */
  scant_own own[HALVES];                     /* of the examples of a half under the other half's distribution */
  double *w[HALVES], *scratch;
  scant_arrays arrays;
} search;

static int search_new(search *s) {
  size_t n = s->choosing->frame->variables;
  s->scratch = scant_arrays_add(&s->arrays, n * n, sizeof *s->scratch);
  for (size_t h = 0; h < HALVES; h++) {
    scant_normal_add(&s->normal[h], n, &s->arrays);
    scant_normal_add(&s->best[h], n, &s->arrays);
    s->w[h] = scant_arrays_add(&s->arrays, n, sizeof **s->w);
  }
  for (size_t h = 0; h < HALVES && !s->arrays.failed; h++) scant_normal_reset(&s->normal[h]);
  return !s->arrays.failed;
}

/* ---- one weight --------------------------------------------------------------------- */

static scant_status fit_half(void *user, size_t half, scant_error *error) {
  search *s = user;
  if (scant_thinking_stopped(s->options.thinking)) return SCANT_OK; /* nobody will measure it */
  const scant_expecter *by = &s->choosing->half[half];
  if (s->plain) SCANT_TRY(scant_em_approach_by(by, &s->options, &s->normal[half], error));
  return scant_em_run_by(by, &s->options, &s->normal[half], NULL, NULL, NULL, error);
}

static scant_status measure_half(void *user, size_t half, scant_error *error) {
  search *s = user;
  const scant_expecter *by = &s->choosing->half[half];
  return by->own(by->user, &s->normal[1 - half], s->factor, SCANT_PENALTY_OF_FEW, &s->own[half], error);
}

/* The mean of the halves' S_ij. */
static double shared(const search *s, size_t place) {
  return (s->normal[0].covariance[place] + s->normal[1].covariance[place]) / 2;
}

static double disagreement(const search *s) {
  size_t n = s->normal[0].n;
  double sum = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double part = 0;
    for (size_t j = 0; j + 1 < n; j++) part += shared(s, i * n + j) * (s->w[0][j] - s->w[1][j]);
    sum += (s->w[0][i] - s->w[1][i]) * part;
  }
  return sum / shared(s, n * n - 1);
}

/* The regressors of both halves with one penalty. */
static int regress(search *s, double penalty, scant_trial *trial) {
  size_t n = s->normal[0].n;
  double y = shared(s, n * n - 1), product, square;
  trial->penalty = penalty;
  trial->product = trial->square = 0;
  for (size_t h = 0; h < HALVES; h++)
    if (!scant_regress(&s->normal[h], s->factor, s->plain, penalty, s->w[h], s->scratch)) return 0;
  for (size_t h = 0; h < HALVES; h++) {
    scant_regress_terms(&s->normal[1 - h], s->w[h], &product, &square);
    trial->product += product / y / HALVES;
    trial->square += square / y / HALVES;
  }
  trial->disagreement = disagreement(s);
  return 1;
}

static double score_of_penalty(const scant_trial *t) {
  return 1 - 2 * t->product + t->square + t->disagreement / 2;
}

static int score(search *s, scant_trial *trial) {
  size_t n = s->normal[0].n;
  double y = shared(s, n * n - 1), fourth = 0, examples = 0;
  *trial = (scant_trial){.noise = s->options.noise};
  for (size_t h = 0; h < HALVES; h++) {
    const scant_own *own = &s->own[h];
    trial->own += own->error / y / HALVES;
    trial->own_variance += own->variance / y / HALVES;
    trial->own_expected += own->expected / y / HALVES;
    fourth += own->spread / (y * y) / HALVES;
    examples += s->choosing->half[h].examples;
  }
  trial->own_error = sqrt(fmax(fourth - trial->own * trial->own, 0) / examples);
  if (s->own[0].blocks > 0) trial->own_error = sqrt(scant_own_variance_of_mean(s->own, HALVES)) / y;
  for (size_t p = 0; p < PENALTIES; p++) {
    scant_trial other = *trial;
    if (!regress(s, penalties[p], &other)) return 0;
    if (!p || score_of_penalty(&other) <= score_of_penalty(trial)) *trial = other;
  }
  return 1;
}

/* Of a weight whose EMs were stopped nothing is measured: it would be compared with others that had converged. */
static scant_status try_weight(search *s, double noise, scant_trial *trial, scant_error *error) {
  s->options.noise = noise;
  SCANT_TRY(scant_blas_jobs(HALVES, s->jobs, fit_half, s, error));
  if (scant_thinking_stopped(s->options.thinking)) return SCANT_OK;
  SCANT_TRY(scant_blas_jobs(HALVES, s->jobs, measure_half, s, error));
  if (!score(s, trial)) return scant_fail(error, SCANT_DATA, "the regression on the covariance can't be solved");
  return SCANT_OK;
}

/* ---- the choice ------------------------------------------------------------------------ */

static void swap(scant_normal *a, scant_normal *b) {
  scant_normal kept = *a;
  *a = *b;
  *b = kept;
}

static scant_status descend(search *s, scant_trial *trials, size_t *tried, size_t *best, scant_error *error) {
  const double *weights = s->choosing->weights;
  size_t patience = s->choosing->patience, most = s->plain ? 1 : s->choosing->count;
  *best = 0;
  for (*tried = 0; *tried < most && *tried <= *best + patience; ++*tried) {
    scant_trial *now = &trials[*tried];
    *now = (scant_trial){.own = INFINITY};
    if (scant_thinking_turn(s->options.thinking, (unsigned)*tried + 1, (unsigned)most)) break;
    SCANT_TRY(try_weight(s, s->plain ? SCANT_PLAIN_NOISE : weights[*tried], now, error));
    if (scant_thinking_stopped(s->options.thinking)) break;
    if (now->own <= trials[*best].own) {
      *best = *tried;
      for (size_t h = 0; h < HALVES; h++) scant_normal_copy(&s->best[h], &s->normal[h]);
    }
  }
  return SCANT_OK;
}

/* What the extension from pairs to all attributes may be wrong by, relative to the risk: about what it was wrong by
 * on the sets of docs/experiments.md, "Tables, many seeds". */
#define EXTENDED 0.08

void scant_choice_judge(const scant_trial *t, scant_choice *choice) {
  double trust = t->own / t->own_expected, taken = t->disagreement / 4, square = fmax(t->square - taken, 0);
  choice->scale = 1;
  choice->risk = fmin((1 - 2 * t->product + square) * trust, fmax(1 - 2 * t->product + t->square, t->own));
  if (choice->risk >= 1 || t->own >= 1) { /* the lowest point of the parabola, where all is as the mean predicts */
    choice->scale = t->product > 0 && square > 0 && t->own < 1 ? fmin(t->product / square, 1) : 0;
    choice->risk = fmin((1 - choice->scale * (2 * t->product - choice->scale * square)) * trust, 1);
    if (choice->risk >= 1) choice->scale = 0;
  }
  double extended = EXTENDED * choice->risk;
  choice->risk_error = sqrt(t->own_error * t->own_error + taken * taken + extended * extended);
}

/* The size of unpenalised weights is to be right, so it stays, and the risk is that of all of it. */
static void keep_size(const scant_trial *t, scant_choice *choice) {
  if (choice->scale == 1) return;
  choice->scale = 1;
  choice->risk = fmax((1 - 2 * t->product + t->square - t->disagreement / 4) * t->own / t->own_expected, t->own);
}

static void decide(const scant_trial *t, scant_choice *choice) {
  double said = 1 - t->own_variance;
  *choice = (scant_choice){.noise = t->noise, .penalty = t->penalty};
  choice->few_excess = said > 0 ? fmax(0, (t->own - t->own_variance) / said) : 0;
  scant_choice_judge(t, choice);
}

scant_status scant_choose_by(const scant_choosing *choosing, const scant_em_options *options, scant_choice *choice,
                             scant_normal *start, scant_trial *trials, size_t *tried, scant_error *error) {
  const scant_frame *frame = choosing->frame;
  search s = {.choosing = choosing, .factor = frame->factor, .plain = frame->plain, .options = *options};
  size_t best;
  s.jobs = choosing->at_once ? options->threads : 1;
  if (choosing->at_once) s.options.threads = 1; /* an EM is a job of its own then */
  scant_status status = search_new(&s) ? SCANT_OK : scant_fail_memory(error);
  if (status == SCANT_OK) status = descend(&s, trials, tried, &best, error);
  if (status == SCANT_OK && *tried) {
    decide(&trials[best], choice);
    if (s.plain) keep_size(&trials[best], choice);
    for (size_t h = 0; h < HALVES; h++) swap(&s.normal[h], &s.best[h]);
    size_t n = frame->variables;
    for (size_t i = 0; i < n * n; i++) start->covariance[i] = shared(&s, i);
    for (size_t i = 0; i < n; i++) start->mean[i] = (s.normal[0].mean[i] + s.normal[1].mean[i]) / 2;
  }
  scant_arrays_free(&s.arrays);
  return status;
}

scant_status scant_choose(const scant_answers *looks, const scant_frame *frame, const scant_em_options *options,
                          scant_choice *choice, scant_normal *start, scant_trial *trials, size_t *tried,
                          scant_error *error) {
  scant_seen seen[HALVES] = {{0}};
  scant_rows rows[HALVES];
  scant_expecter half[HALVES];
  scant_trial own_trials[SCANT_TRIALS_MOST];
  size_t own_tried;
  int good = 1;
  for (size_t h = 0; good && h < HALVES; h++) {
    good = scant_seen_new(&seen[h], looks, frame, HALVES, h);
    rows[h] = (scant_rows){.seen = &seen[h]};
    if (good) half[h] = scant_rows_expecter(&rows[h]);
  }
  scant_status status = good ? SCANT_OK : scant_fail_memory(error);
  if (good) {
    int whole = scant_is_mostly_seen(seen[0].first[seen[0].examples], seen[0].examples, seen[0].variables);
    scant_choosing choosing = {
        half, 1, frame, weights_of_rows, SCANT_TRIALS_MOST, whole ? SCANT_TRIALS_MOST : PATIENCE};
    status = scant_choose_by(&choosing, options, choice, start, trials ? trials : own_trials,
                             tried ? tried : &own_tried, error);
  }
  for (size_t h = 0; h < HALVES; h++) scant_seen_free(&seen[h]);
  return status;
}
