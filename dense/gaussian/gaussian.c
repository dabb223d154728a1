#include "gaussian/gaussian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "blas.h"

/* The law is renewed first when an attribute has been looked at this often on
 * average, then with each growth; the choice with every second. */
#define FIRST_LOOKS 3
#define GROWTH 1.4
#define CHOICE_GROWTH 1.9
#define EXAMPLES_FEWEST 10
/* Each half has two blocks at least, or nothing can be chosen by halves. */
#define BLOCKS_FEWEST 4

const scant_em_options scant_em_to_read = {.steps = 150, .settled = 1e-3};
const scant_em_options scant_em_to_look = {.steps = 45, .settled = 2e-3};
const scant_choice scant_choice_at_first = {.noise = 30, .penalty = 0.1, .scale = 1, .risk = NAN, .risk_error = NAN};
/* What is read unpenalised is to have the size that the answers say, so it has converged for good. */
static const scant_em_options to_be_exact = {.steps = 600, .settled = 1e-6};

/* ---- the object -------------------------------------------------------------- */

void scant_gaussian_fit_free(scant_gaussian_fit *f) {
  scant_frame_free(&f->frame);
  scant_normal_free(&f->normal);
  free(f->w);
  *f = (scant_gaussian_fit){0};
}

static void gaussian_free(void *state) {
  scant_gaussian_state *s = state;
  if (!s) return;
  scant_answers_free(&s->looks);
  free(s->follow);
  free(s->explore);
  scant_sumtree_free(&s->law);
  scant_gaussian_fit_free(&s->fit);
  scant_gaussian_fit_free(&s->law_fit);
  free(s);
}

/* Two EMs run at once while choosing, one for each half; the looks are held in three forms.  `most` values and the
 * target are seen of an example at most, `mean` on average. */
static double bytes_needed(const scant_engine_view *l, double most, double mean) {
  double n = (double)l->dimension + 1, jobs = fmin((double)l->settings->runtime.threads, 2);
  double looks = (3 * 12 * (mean + 1) + (l->settings->learning.block > 1 ? 3 * 4 : 0)) * (double)l->horizon;
  double sums = 2 * scant_seen_sums_bytes((double)l->horizon, (double)l->settings->learning.block, mean + 1);
  return jobs * (scant_em_bytes(n, most + 1) + 8 * n * n) + looks + sums + 7 * 8 * n * n;
}

/* Groups may be large, and what is free is always there. */
static scant_status gaussian_check_prices(const scant_engine_view *l, const scant_prices *p, scant_error *error) {
  double free = 0, largest = 0, d = (double)l->dimension, k = (double)l->k;
  for (size_t g = 0; g < p->items; g++) {
    double size = (double)(p->first[g + 1] - p->first[g]);
    if (p->cost[g])
      largest = fmax(largest, size);
    else
      free += size;
  }
  double paid = (double)p->paid, mean = paid > 0 ? (d - free) / paid : 0, items = fmin(k, paid);
  if (l->settings->learning.spend > 0 && paid > 0)
    items = fmin(items, fmax(2, 100 * l->settings->learning.spend * paid / (double)p->total));
  return scant_engine_check_memory(
      l, bytes_needed(l, fmin(d, free + largest * fmin(k, paid)), fmin(d, free + mean * items)), error);
}

static scant_status gaussian_open(scant_engine_view *l, scant_error *error) {
  size_t d = l->dimension;
  if (d > SCANT_LAPACK_MOST)
    return scant_fail(error, SCANT_DATA, "gaussian takes at most %d attributes", SCANT_LAPACK_MOST);
  int by_money = l->settings->learning.spend > 0; /* then how many looks an example has is known only with the prices */
  double most = l->settings->learning.observed ? (double)d : by_money ? 1 : (double)l->k;
  SCANT_TRY(scant_engine_check_memory(l, bytes_needed(l, most, most), error));
  scant_gaussian_state *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  l->state = s;
  s->follow = scant_array(d, sizeof *s->follow);
  s->explore = scant_array(d, sizeof *s->explore);
  if (!s->follow || !s->explore || !scant_sumtree_new(&s->law, d)) return scant_fail_memory(error);
  for (size_t j = 0; j < d; j++) s->explore[j] = 1;
  s->looks.dimension = d;
  s->choice = scant_choice_at_first;
  double first = ceil(FIRST_LOOKS * (double)d / (double)l->settings->learning.k);
  s->renew_at = first < 2 * EXAMPLES_FEWEST ? 2 * EXAMPLES_FEWEST : (uint64_t)first;
  return SCANT_OK;
}

/* ---- fitting ------------------------------------------------------------------- */

scant_status scant_gaussian_regress(const scant_normal *normal, const scant_frame *frame, double penalty, double scale,
                                    double *w, scant_error *error) {
  size_t n = normal->n;
  double *scratch = scant_array(n * n, sizeof *scratch);
  if (!scratch) return scant_fail_memory(error);
  int good = scant_regress(normal, frame->factor, frame->plain, penalty, w, scratch);
  for (size_t j = 0; good && j + 1 < n; j++) w[j] = scale > 0 ? scale * w[j] : 0;
  free(scratch);
  return good ? SCANT_OK : scant_fail(error, SCANT_DATA, "the regression on the covariance can't be solved");
}

int scant_gaussian_fit_open(scant_gaussian_fit *f) {
  f->w = scant_array(f->frame.variables, sizeof *f->w);
  if (!f->w || !scant_normal_new(&f->normal, f->frame.variables)) return 0;
  scant_normal_reset(&f->normal);
  return 1;
}

scant_status scant_gaussian_fit_by(scant_gaussian_fit *f, const scant_expecter *by, const scant_em_options *options,
                                   int cold, scant_error *error) {
  if (cold) SCANT_TRY(scant_em_approach_by(by, options, &f->normal, error));
  SCANT_TRY(scant_em_run_by(by, options, &f->normal, &f->likelihood, NULL, NULL, error));
  return scant_gaussian_regress(&f->normal, &f->frame, f->choice.penalty, f->choice.scale, f->w, error);
}

static scant_status make_frame(const scant_engine_view *l, scant_gaussian_fit *f, scant_error *error) {
  const scant_answers *looks = &scant_gaussian_of(l)->looks;
  int good = scant_frame_new(&f->frame, looks, l->settings->learning.clip, l->target);
  if (good && f->read && l->unpenalised) good = scant_frame_unpenalise(&f->frame, l->unpenalised);
  return good && scant_gaussian_fit_open(f) ? SCANT_OK : scant_fail_memory(error);
}

static scant_status expect_all(const scant_engine_view *l, scant_gaussian_fit *f, const scant_em_options *o, int cold,
                               scant_error *error) {
  scant_seen seen = {0};
  if (!scant_seen_new(&seen, &scant_gaussian_of(l)->looks, &f->frame, 0, 0)) return scant_fail_memory(error);
  scant_rows rows = {.seen = &seen};
  scant_expecter by = scant_rows_expecter(&rows);
  scant_status status = scant_gaussian_fit_by(f, &by, o, cold, error);
  scant_seen_free(&seen);
  return status;
}

/* An EM on all looks, with the choice as it stands or, `choosing`, a new one.  Told to stop before a choice was tried,
 * it makes nothing if there is a fit already: an earlier one that converged is better than a few steps. */
static scant_status make_fit(const scant_engine_view *l, int choosing, int reading, scant_thinking *thinking,
                             scant_gaussian_fit *f, scant_error *error) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  scant_em_options o = reading ? scant_em_to_read : scant_em_to_look;
  size_t tried = 0;
  o.threads = (unsigned)l->settings->runtime.threads;
  o.thinking = thinking;
  f->choice = s->choice;
  f->read = reading;
  f->read_as = l->read_as;
  scant_thinking_turn(thinking, choosing ? 1 : 0, choosing ? SCANT_TRIALS_MOST : 0); /* so that it is known at once */
  SCANT_TRY(make_frame(l, f, error));
  choosing = choosing && scant_answers_blocks(&s->looks) >= BLOCKS_FEWEST && scant_frame_has_known(&f->frame);
  if (choosing && reading && scant_choose_is_by_groups(l)) {
    SCANT_TRY(scant_choose_by_groups(&s->looks, &f->frame, &o, &f->choice, &f->normal, error));
    tried = 1;
  } else if (choosing)
    SCANT_TRY(scant_choose(&s->looks, &f->frame, &o, &f->choice, &f->normal, NULL, &tried, error));
  if (!tried && scant_thinking_stopped(thinking) && (s->fit.w || s->law_fit.w)) return SCANT_OK;
  if (f->frame.plain) {
    if (!memchr(f->frame.plain, 0, f->frame.variables - 1)) f->choice.penalty = 0; /* it would touch none */
    o.steps = to_be_exact.steps;
    o.settled = to_be_exact.settled;
  }
  o.noise = f->choice.noise;
  scant_thinking_turn(thinking, 0, 0);
  SCANT_TRY(expect_all(l, f, &o, !tried, error));
  f->cut = scant_thinking_stopped(thinking);
  return SCANT_OK;
}

/* Puts a fit in the place of another. */
static void take(scant_gaussian_fit *place, uint64_t *place_at, scant_gaussian_fit *fit, uint64_t at) {
  scant_gaussian_fit_free(place);
  *place = *fit;
  *place_at = at;
  *fit = (scant_gaussian_fit){0};
}

/* A law that follows from a fit that was cut short would make other looks than one that was not, so it is an error.  A
 * regressor is what there is: the one before, or that of the law, if it is of more examples. */
static scant_status fit_now(scant_engine_view *l, int choosing, int reading, scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  scant_gaussian_fit made = {0};
  scant_thinking thinking;
  scant_thinking_begin(&thinking, &l->settings->runtime, scant_gaussian_engine.algorithm, reading);
  scant_status status = scant_blas_begin(l->settings->runtime.threads, error);
  if (status == SCANT_OK) {
    status = make_fit(l, choosing, reading, &thinking, &made, error);
    scant_blas_end(l->settings->runtime.threads);
  }
  scant_thinking_end(&thinking);
  int stopped = thinking.stopped, whole = status == SCANT_OK && (!stopped || made.cut);
  if (status == SCANT_OK && stopped && !reading)
    status = scant_fail(error, SCANT_STOPPED, "stopped while it chose what to look at next");
  if (status == SCANT_OK && whole)
    take(reading ? &s->fit : &s->law_fit, reading ? &s->fitted_at : &s->law_fitted_at, &made, l->told + 1);
  else if (status == SCANT_OK && s->law_fit.w && s->law_fitted_at > s->fitted_at)
    take(&s->fit, &s->fitted_at, &s->law_fit, s->law_fitted_at);
  scant_gaussian_fit_free(&made);
  return status;
}

/* Is it time for a new choice? */
static int choice_is_due(const scant_engine_view *l) {
  const scant_gaussian_state *s = scant_gaussian_of(l);
  return !s->chosen_at || (l->block >= s->renew_at && (double)l->block >= CHOICE_GROWTH * (double)s->chosen_at);
}

/* A regressor that is read has a choice of its own, whatever the law was made with: so it does not depend on
 * whether there was an ask before.  One that was cut short is made anew, unless it is told to stop again. */
static scant_status gaussian_finish(scant_engine_view *l, scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  int done = s->fitted_at == l->told + 1 && s->fit.read && !s->fit.cut && s->fit.read_as == l->read_as;
  if (done || l->told < EXAMPLES_FEWEST) return SCANT_OK;
  return fit_now(l, 1, 1, error);
}

void scant_gaussian_unstandardise(const scant_gaussian_fit *fit, const scant_normal *normal, const double *standardised,
                                  double *w, double *intercept) {
  const scant_frame *frame = &fit->frame;
  size_t y = normal->n - 1;
  memset(w, 0, frame->dimension * sizeof *w);
  *intercept = frame->center[y] + frame->unit[y] * normal->mean[y];
  for (size_t j = 0; j < y; j++) {
    double weight = standardised[j] * frame->unit[y] / frame->unit[j];
    w[frame->attribute[j]] = weight;
    *intercept -= weight * (frame->center[j] + frame->unit[j] * normal->mean[j]);
  }
}

static void gaussian_weights(const scant_engine_view *l, double *w, double *intercept) {
  const scant_gaussian_fit *f = &scant_gaussian_of(l)->fit;
  memset(w, 0, l->dimension * sizeof *w);
  *intercept = l->target->mean;
  if (scant_gaussian_has_fit(l)) scant_gaussian_unstandardise(f, &f->normal, f->w, w, intercept);
}

void scant_gaussian_fit_facts(const scant_gaussian_fit *f, scant_learner_facts *facts) {
  facts->likelihood = f->likelihood;
  if (!isfinite(f->choice.risk)) return;
  double y_variance = f->normal.covariance[f->normal.n * f->normal.n - 1] * f->frame.unit[f->normal.n - 1] *
                      f->frame.unit[f->normal.n - 1];
  facts->risk = f->choice.risk * y_variance;
  facts->risk_error = f->choice.risk_error * y_variance;
  facts->penalty = f->choice.penalty;
  facts->scale = f->choice.scale;
}

/* They are of what was told so far, or not known: so they do not depend on when it was read before. */
static void gaussian_facts(const scant_engine_view *l, scant_learner_facts *facts) {
  const scant_gaussian_fit *f = &scant_gaussian_of(l)->fit;
  if (!scant_gaussian_has_fit(l) || !f->read || scant_gaussian_of(l)->fitted_at != l->told + 1) return;
  scant_gaussian_fit_facts(f, facts);
}

static void gaussian_limits(const scant_engine_view *l, double *low, double *high) {
  const scant_frame *frame = &scant_gaussian_of(l)->fit.frame;
  memset(low, 0, l->dimension * sizeof *low);
  memset(high, 0, l->dimension * sizeof *high);
  if (!frame->low) return; /* nothing was learned yet */
  memcpy(low, frame->low, l->dimension * sizeof *low);
  memcpy(high, frame->high, l->dimension * sizeof *high);
}

/* ---- looks ---------------------------------------------------------------------- */

static scant_status renew(scant_engine_view *l, scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  int choosing = choice_is_due(l);
  SCANT_TRY(fit_now(l, choosing, 0, error));
  SCANT_TRY(scant_gaussian_renew_law(l, error));
  if (!s->chosen_at && l->market.prices) s->renew_at = l->block; /* the first with prices */
  if (choosing) {
    s->choice = s->law_fit.choice;
    s->chosen_at = l->block;
  }
  while (s->renew_at <= l->block) s->renew_at = (uint64_t)ceil(GROWTH * (double)s->renew_at);
  return SCANT_OK;
}

static scant_status gaussian_look(scant_engine_view *l, scant_look *look, scant_error *error) {
  if (scant_gaussian_is_due(l, FIRST_LOOKS, 2 * EXAMPLES_FEWEST)) SCANT_TRY(renew(l, error));
  scant_gaussian_draw(l, look);
  return SCANT_OK;
}

/* ---- learning ---------------------------------------------------------------------- */

static scant_status check_room(const scant_gaussian_state *s, size_t rows, scant_error *error) {
  if (rows <= UINT32_MAX - s->looks.examples) return SCANT_OK;
  return scant_fail(error, SCANT_DATA, "there are too many examples to count");
}

static scant_status gaussian_reserve(scant_engine_view *l, const scant_look *look, size_t rows, scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  SCANT_TRY(check_room(s, rows, error));
  return scant_answers_reserve(&s->looks, rows, rows * look->count) ? SCANT_OK : scant_fail_memory(error);
}

static scant_status gaussian_tell(scant_engine_view *l, const scant_look *look, const double *values, double y,
                                  scant_error *error) {
  scant_gaussian_state *s = scant_gaussian_of(l);
  SCANT_TRY(check_room(s, 1, error));
  uint32_t block = (uint32_t)l->block;
  const uint32_t *of = l->settings->learning.block > 1 ? &block : NULL;
  return scant_answers_add(&s->looks, of, look->count, look->attributes, values, y) ? SCANT_OK
                                                                                    : scant_fail_memory(error);
}

const scant_engine scant_gaussian_engine = {
    .algorithm = "gaussian",
    .state_version = 3,
    .open = gaussian_open,
    .free = gaussian_free,
    .check_prices = gaussian_check_prices,
    .look = gaussian_look,
    .chances = scant_gaussian_chances,
    .reserve = gaussian_reserve,
    .tell = gaussian_tell,
    .finish = gaussian_finish,
    .weights = gaussian_weights,
    .facts = gaussian_facts,
    .save = scant_gaussian_row_save,
    .restore = scant_gaussian_row_restore,
    .errors = scant_gaussian_row_errors,
    .judge = scant_gaussian_row_judge,
    .keep = scant_gaussian_row_keep,
    .limits = gaussian_limits,
};
