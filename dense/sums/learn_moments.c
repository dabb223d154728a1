/* moments from sums of blocks: the pairs of each fold by asking, then the solver of dense/moments. */
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "gaussian/mixture.h"
#include "moments/moments_sums.h"
#include "sums/sums_fit.h"

/* The folds of two replies while they merge, and what a solution takes on each thread. */
double scant_sums_moments_bytes(double dimension, double threads) {
  return 2 * SCANT_MOMENTS_FOLDS * scant_pairs_bytes((size_t)dimension) + 4 * 8 * dimension * dimension * threads;
}

typedef struct {
  scant_reply pairs;
  double *origin;
  scant_moments *moments;
  uint64_t *active, *blocks, *bought;
} room;

static void room_free(room *r) {
  scant_reply_free(&r->pairs);
  free(r->origin);
  free(r->moments);
  free(r->active);
  free(r->blocks);
  free(r->bought);
}

static int room_new(room *r, scant_sums_fit *f) {
  size_t d = f->dimension;
  r->origin = scant_array(d, sizeof *r->origin);
  r->moments = scant_array(d, sizeof *r->moments);
  r->active = scant_array(d, sizeof *r->active);
  r->blocks = scant_array(d, sizeof *r->blocks);
  r->bought = scant_array(d, sizeof *r->bought);
  f->moments.w = scant_array(d, sizeof *f->moments.w);
  if (!r->origin || !r->moments || !r->active || !r->blocks || !r->bought || !f->moments.w) return 0;
  for (size_t j = 0; j < d; j++) {
    const scant_marginal *m = &f->known.marginals[j];
    r->moments[j] = scant_marginal_moments(m);
    r->origin[j] = m->mean;
    r->active[j] = m->active;
    r->blocks[j] = m->blocks;
    r->bought[j] = m->bought;
  }
  return 1;
}

/* Half of the law of moments explores, and a fifth of a look already does (mixture.h): so the rest of that half is in
 * what is followed. */
static void mix_law(scant_sums_fit *f) {
  double sum = 0, share = 0.5 / (1 - SCANT_EXPLORED);
  for (size_t j = 0; j < f->dimension; j++) sum += f->follow[j];
  for (size_t j = 0; sum > 0 && j < f->dimension; j++)
    f->follow[j] = share * f->follow[j] + (1 - share) * f->explore[j];
}

scant_status scant_sums_learn_moments(scant_sums_work *w, scant_error *error) {
  scant_sums_fit *f = w->fit;
  room r = {0};
  scant_status status = room_new(&r, f) ? SCANT_OK : scant_fail_memory(error);
  scant_request request = {.kind = SCANT_REQUEST_PAIRS,
                           .dimension = f->dimension,
                           .origin = r.origin,
                           .origin_y = scant_sums_fit_target(f)->mean};
  if (status == SCANT_OK) status = scant_asker_ask(w->asker, &request, &r.pairs, error);
  if (status == SCANT_OK && r.pairs.examples != f->known.examples)
    status = scant_fail(error, SCANT_DATA, "the replies are of %llu examples, and were of %llu before",
                        (unsigned long long)r.pairs.examples, (unsigned long long)f->known.examples);
  if (status == SCANT_OK && !scant_thinking_step(&w->thinking, 1)) {
    scant_moments_sums sums = {.dimension = f->dimension,
                               .fold = r.pairs.folds,
                               .origin = r.origin,
                               .y_origin = request.origin_y,
                               .attributes = r.moments,
                               .active = r.active,
                               .blocks = r.blocks,
                               .bought = r.bought,
                               .rows_per_block = (double)f->known.examples / (double)f->known.blocks};
    status = scant_moments_from_pairs(&sums, &f->settings, &f->moments, f->follow, f->explore, error);
    f->learned = status == SCANT_OK;
    if (f->learned) mix_law(f);
  }
  room_free(&r);
  return status;
}
