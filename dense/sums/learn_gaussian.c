/* gaussian from sums of blocks: the EM and the choice of dense/gaussian, by asking. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "gaussian/select.h"
#include "sums/sums_fit.h"

enum { HALVES = 2 };

/* The weights of the prior that are tried are shares of all examples, from heavy to light.  Rows of a block show the
 * same attributes, so a pair is seen in few blocks however many rows there are: what shrinks it must grow with them.
 * In simulations (100 and 200 attributes, 50 to 1,000 blocks of 2 to 1,000 rows) the best was between a tenth of all
 * examples, where targets are mostly noise, and none at all. */
enum { WEIGHTS_MOST = 16, IN_VAIN_MOST = 2 };
#define HEAVIEST 0.3    /* of all examples */
#define LIGHTER 0.31623 /* each than the one before; */
#define FOR_A_LAW 0.1   /* for a law in larger steps, since every step of EM is a request */
#define LIGHTEST 0.05   /* in examples */

/* EM has 4 matrices, the choice 5, the fit and what asks one each; request and reply are half of one each, and so are
 * their bytes. */
double scant_sums_gaussian_bytes(double dimension) {
  double n = dimension + 1;
  return scant_em_own_bytes(n) + 8 * n * n * (5 + 2 + 4 * 0.5);
}

/* ---- an expectation step by asking ---------------------------------------------------------------- */

int scant_asking_new(scant_asking *asking, const scant_asker *asker, const scant_frame *frame,
                     scant_chosen_blocks chosen, uint64_t examples) {
  *asking = (scant_asking){.asker = asker, .frame = frame, .chosen = chosen, .examples = examples};
  asking->m = scant_array(frame->variables * frame->variables, sizeof *asking->m);
  return asking->m != NULL;
}

void scant_asking_free(scant_asking *asking) {
  scant_reply_free(&asking->reply);
  free(asking->m);
  asking->m = NULL;
}

static scant_status ask(scant_asking *a, const scant_request *request, scant_error *error) {
  scant_reply_free(&a->reply);
  a->reply = (scant_reply){0};
  return scant_sums_ask(a->asker, request, a->examples, &a->reply, error);
}

static scant_status expect(void *user, const scant_normal *at, scant_em_sums *sums, scant_error *error) {
  scant_asking *a = user;
  size_t n = at->n;
  scant_request request = {.kind = SCANT_REQUEST_EXPECT, .chosen = a->chosen};
  scant_request_at(&request, a->frame, at);
  SCANT_TRY(ask(a, &request, error));
  const double *row = a->reply.m;
  for (size_t i = 0; i < n; i++) {
    memcpy(a->m + i * n, row, (i + 1) * sizeof *row);
    row += i + 1;
  }
  *sums = (scant_em_sums){a->m, a->reply.g, a->reply.likelihood / (double)a->examples};
  return SCANT_OK;
}

static scant_status own(void *user, const scant_normal *at, const double *factor, double penalty, scant_own *measured,
                        scant_error *error) {
  scant_asking *a = user;
  scant_request request = {.kind = SCANT_REQUEST_OWN, .chosen = a->chosen, .factor = factor, .penalty = penalty};
  scant_request_at(&request, a->frame, at);
  SCANT_TRY(ask(a, &request, error));
  const scant_own_sums *s = &a->reply.own;
  double examples = (double)a->examples;
  *measured = (scant_own){.error = s->error / examples,
                          .variance = s->variance / examples,
                          .expected = s->expected / examples,
                          .blocks = (double)a->reply.blocks,
                          .examples = examples,
                          .squares = s->rows2,
                          .weighted = s->error2,
                          .weighted_squares = s->square2};
  if (!isfinite(measured->error + measured->weighted_squares))
    return scant_fail(error, SCANT_DATA, "the targets can't be predicted from the looks");
  return SCANT_OK;
}

scant_expecter scant_asking_expecter(scant_asking *asking) {
  return (scant_expecter){asking->frame->variables, (double)asking->examples, asking, expect, own, NULL, NULL};
}

/* ---- the frame ------------------------------------------------------------------------- */

static scant_status make_frame(scant_sums_fit *f, int *whole, scant_error *error) {
  double seen = 0;
  for (size_t j = 0; j < f->dimension; j++) seen += (double)f->known.marginals[j].known;
  *whole = 2 * seen >= (double)f->known.examples * (double)f->dimension;
  int limited = *whole && f->settings.learning.clip > 0;
  return scant_frame_of_marginals(&f->gaussian.frame, f->dimension, f->known.marginals, limited)
             ? SCANT_OK
             : scant_fail_memory(error);
}

/* ---- the choice -------------------------------------------------------------------------- */

static size_t list_weights(double examples, int final, double *weights) {
  size_t count = 0;
  double weight = HEAVIEST * examples, lighter = final ? LIGHTER : FOR_A_LAW;
  while (count < WEIGHTS_MOST && weight >= LIGHTEST) {
    weights[count++] = weight;
    weight *= lighter;
  }
  return count;
}

/* The examples in blocks of even numbers. */
static scant_status count_half(const scant_sums_work *w, uint64_t *examples, scant_error *error) {
  scant_request request = {
      .kind = SCANT_REQUEST_MARGINALS, .dimension = w->fit->dimension, .chosen = {.parts = HALVES, .part = 0}};
  scant_reply reply = {0};
  scant_status status = scant_asker_ask(w->asker, &request, &reply, error);
  *examples = reply.examples;
  scant_reply_free(&reply);
  return status;
}

static scant_status choose(scant_sums_work *w, const scant_em_options *options, int whole, size_t *tried,
                           scant_error *error) {
  scant_gaussian_fit *g = &w->fit->gaussian;
  scant_asking asking[HALVES] = {{0}};
  scant_expecter half[HALVES];
  double weights[WEIGHTS_MOST];
  scant_trial trials[WEIGHTS_MOST];
  uint64_t examples[HALVES];
  int good = 1;
  SCANT_TRY(count_half(w, &examples[0], error));
  examples[1] = w->fit->known.examples - examples[0];
  if (!examples[0] || !examples[1]) return SCANT_OK; /* nothing to judge one by */
  for (size_t h = 0; h < HALVES && good; h++) {
    scant_chosen_blocks chosen = {.parts = HALVES, .part = h};
    good = scant_asking_new(&asking[h], w->asker, &g->frame, chosen, examples[h]);
    if (good) half[h] = scant_asking_expecter(&asking[h]);
  }
  scant_status status = good ? SCANT_OK : scant_fail_memory(error);
  if (good) {
    size_t count = list_weights((double)w->fit->known.examples, w->final, weights);
    scant_choosing choosing = {half, 0, &g->frame, weights, count, whole ? WEIGHTS_MOST : IN_VAIN_MOST};
    status = scant_choose_by(&choosing, options, &g->choice, &g->normal, trials, tried, error);
  }
  for (size_t h = 0; h < HALVES; h++) scant_asking_free(&asking[h]);
  return status;
}

/* ---- the law of the next round ------------------------------------------------------------- */

/* As gaussian_look.c makes it, of attributes without prices. */
static scant_status make_law(scant_sums_fit *f, scant_error *error) {
  const scant_gaussian_fit *g = &f->gaussian;
  size_t d = f->dimension, most = (size_t)ceil(sqrt((double)f->settings.learning.k * (double)d)), at = 0;
  double *gain = scant_array(d, sizeof *gain);
  scant_items items = {0};
  int good = scant_items_new(&items, d, g->normal.n) && gain;
  for (size_t j = 0; good && j < d; j++) {
    items.first[j] = at;
    items.value[j] = 1;
    if (g->frame.variable[j] != SCANT_NO_VARIABLE) items.variable[at++] = g->frame.variable[j];
  }
  if (good) {
    items.first[d] = at;
    good = scant_items_select(&items, &g->normal, g->frame.guess, SCANT_GAIN_PENALTY, most, INFINITY, gain);
  }
  for (size_t j = 0; good && j < d; j++) f->follow[j] = gain[j] > 0;
  scant_items_free(&items);
  free(gain);
  return good ? SCANT_OK : scant_fail_memory(error);
}

/* ---- all of it -------------------------------------------------------------------------------- */

static scant_status expect_all(scant_sums_work *w, const scant_em_options *options, int cold, scant_error *error) {
  scant_gaussian_fit *g = &w->fit->gaussian;
  scant_asking asking;
  int good = scant_asking_new(&asking, w->asker, &g->frame, (scant_chosen_blocks){0}, w->fit->known.examples);
  scant_expecter by = scant_asking_expecter(&asking);
  scant_status status = good ? scant_gaussian_fit_by(g, &by, options, cold, error) : scant_fail_memory(error);
  scant_asking_free(&asking);
  return status;
}

scant_status scant_sums_learn_gaussian(scant_sums_work *w, scant_error *error) {
  scant_gaussian_fit *g = &w->fit->gaussian;
  scant_em_options o = w->final ? scant_em_to_read : scant_em_to_look;
  size_t tried = 0;
  int whole;
  o.threads = (unsigned)w->fit->settings.runtime.threads;
  o.thinking = &w->thinking;
  SCANT_TRY(make_frame(w->fit, &whole, error));
  if (!scant_gaussian_fit_open(g)) return scant_fail_memory(error);
  if (scant_frame_has_known(&g->frame)) SCANT_TRY(choose(w, &o, whole, &tried, error));
  if (scant_thinking_stopped(&w->thinking) && !tried) return SCANT_OK;
  o.noise = g->choice.noise;
  scant_thinking_turn(&w->thinking, 0, 0);
  SCANT_TRY(expect_all(w, &o, !tried, error));
  SCANT_TRY(make_law(w->fit, error));
  w->fit->learned = 1;
  return SCANT_OK;
}
