#include "dense/moments/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"

/* The law is renewed at ever more examples: first when an attribute has been
 * looked at this often on average, then with each growth. */
#define FIRST_LOOKS 4
#define GROWTH 1.5

/* LAPACK counts with 32 bits, and its room is 2 d^2 and more. */
#define DIMENSION_MOST 32000

int scant_moments_add_span(scant_moments_state *s) {
  if (!scant_grow(&s->spans, &s->span_room, s->span_count + 1, sizeof *s->spans)) return 0;
  uint32_t *count = scant_array(s->fold[0].d, sizeof *count);
  if (!count) return 0;
  s->spans[s->span_count++] = (scant_moments_span){0, count};
  return 1;
}

static void moments_free(scant_learner *l) {
  scant_moments_state *s = scant_moments_of(l);
  if (!s) return;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) scant_pairs_free(&s->fold[f]);
  for (size_t i = 0; i < s->span_count; i++) free(s->spans[i].count);
  free(s->spans);
  scant_shown_free(&s->shown);
  scant_sumtree_free(&s->law);
  free(s->origin.x);
  free(s->origin.known);
  free(s->low);
  free(s->high);
  free(s->leaves);
  free(s->result.w);
  free(s->known);
  free(s->shifted);
  free(s);
  l->engine_state = NULL;
}

static scant_status moments_open(scant_learner *l, scant_error *error) {
  size_t d = l->dimension;
  double square = 8 * (double)d * (double)d;
  SCANT_TRY(scant_engine_check_memory(
      l, SCANT_MOMENTS_FOLDS * scant_pairs_bytes(d) + 4 * square * (double)l->settings.runtime.threads, error));
  if (d > DIMENSION_MOST) return scant_fail(error, SCANT_DATA, "moments takes at most %d attributes", DIMENSION_MOST);
  scant_moments_state *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  l->engine_state = s;
  int good = 1;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) good = good && scant_pairs_new(&s->fold[f], d);
  s->origin.x = scant_array(d, sizeof *s->origin.x);
  s->origin.known = scant_array(d, sizeof *s->origin.known);
  s->low = scant_array(d, sizeof *s->low);
  s->high = scant_array(d, sizeof *s->high);
  s->leaves = scant_array(d, sizeof *s->leaves);
  s->result.w = scant_array(d, sizeof *s->result.w);
  s->known = scant_array(d, sizeof *s->known);
  s->shifted = scant_array(d, sizeof *s->shifted);
  good = good && s->origin.x && s->origin.known && s->low && s->high && s->leaves && s->result.w && s->known &&
         s->shifted && scant_shown_new(&s->shown, d) && scant_sumtree_new(&s->law, d) &&
         (l->settings.learning.observed || scant_moments_add_span(s));
  if (!good) return scant_fail_memory(error); /* the learner frees what there is */
  s->result.penalty = s->result.risk = s->result.risk_error = NAN;
  s->result.scale = 1;
  for (size_t i = 0; i < d; i++) s->leaves[i] = 1;
  double first = ceil(FIRST_LOOKS * (double)d / (double)l->settings.learning.k);
  s->renew_at = first < 2 * SCANT_MOMENTS_FOLDS ? 2 * SCANT_MOMENTS_FOLDS : (uint64_t)first;
  return SCANT_OK;
}

/* ---- the regressor --------------------------------------------------------- */

static scant_status moments_finish(scant_learner *l, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (s->solved_at == l->told + 1) return SCANT_OK;
  SCANT_TRY(scant_moments_solve(l, &s->result, error));
  s->solved_at = l->told + 1;
  return SCANT_OK;
}

static void moments_weights(const scant_learner *l, double *w, double *intercept) {
  const scant_moments_state *s = scant_moments_of(l);
  memcpy(w, s->result.w, l->dimension * sizeof *w);
  *intercept = s->solved_at ? s->result.intercept : l->y_moments.mean;
}

static void moments_facts(const scant_learner *l, scant_learner_facts *facts) {
  const scant_moments_state *s = scant_moments_of(l);
  facts->risk = s->result.risk;
  facts->risk_error = s->result.risk_error;
  facts->penalty = s->result.penalty;
  facts->scale = s->result.scale;
}

/* ---- looks ------------------------------------------------------------------- */

/* How much an attribute is worth exploring: less and less while it has never varied. */
static double explore(const scant_learner *l, size_t i) {
  const scant_moments *m = &l->moments[i];
  double n = (double)m->count;
  if (!l->settings.learning.like_units || m->count < 2 || m->spread == 0) return scant_moments_curiosity(m);
  double pool = scant_pool_variance(&l->pool);
  return pool > 0 ? sqrt((m->spread + 2 * pool) / (n + 1) / pool) : 1;
}

static double follow(const scant_learner *l, const scant_moments_state *s, size_t i) {
  const scant_moments *m = &l->moments[i];
  return m->count ? fabs(s->result.w[i]) * sqrt(m->spread / (double)m->count) : 0;
}

static scant_status renew_law(scant_learner *l, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  SCANT_TRY(moments_finish(l, error));
  if (!scant_moments_add_span(s)) return scant_fail_memory(error);
  double explored = 0, followed = 0;
  for (size_t i = 0; i < l->dimension; i++) {
    explored += explore(l, i);
    followed += follow(l, s, i);
  }
  for (size_t i = 0; i < l->dimension; i++)
    s->leaves[i] = explore(l, i) / explored + (followed > 0 ? follow(l, s, i) / followed : 0);
  while (s->renew_at <= l->told) s->renew_at = (uint64_t)ceil(GROWTH * (double)s->renew_at);
  return SCANT_OK;
}

static scant_status moments_look(scant_learner *l, scant_look *look, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (l->told >= s->renew_at) SCANT_TRY(renew_law(l, error));
  memcpy(scant_sumtree_leaves(&s->law), s->leaves, l->dimension * sizeof *s->leaves);
  scant_sumtree_rebuild(&s->law);
  for (uint32_t r = 0; r < l->looks.k_gradient; r++) {
    uint32_t i = scant_sumtree_draw(&s->law, &l->looks.rng);
    scant_look_plain(&l->looks, look, i, 1);
    scant_sumtree_set(&s->law, i, 0);
  }
  return SCANT_OK;
}

/* ---- learning ------------------------------------------------------------------ */

static scant_status moments_tell(scant_learner *l, const scant_look *look, const double *values, double y,
                                 scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  scant_origin *o = &s->origin;
  scant_pairs *fold = &s->fold[l->told % SCANT_MOMENTS_FOLDS];
  if (fold->examples >= UINT32_MAX) return scant_fail(error, SCANT_DATA, "there are too many examples to count");
  scant_moments_span *span = s->span_count ? &s->spans[s->span_count - 1] : NULL;
  size_t count = 0;
  if (span) span->examples++;
  if (!o->y_known) o->y = y;
  o->y_known = 1;
  for (uint32_t r = 0; r < look->count; r++) {
    uint32_t i = look->attributes[r];
    if (span) span->count[i]++;
    if (isnan(values[r])) continue;
    if (!o->known[i]) o->x[i] = values[r];
    o->known[i] = 1;
    scant_shown_add(&s->shown, i, values[r], 1);
    s->known[count] = i;
    double x = s->shifted[count++] = values[r] - o->x[i]; /* 0 at first, as low and high are */
    s->low[i] = fmin(s->low[i], x);
    s->high[i] = fmax(s->high[i], x);
  }
  scant_pairs_add(fold, count, s->known, s->shifted, y - o->y);
  return SCANT_OK;
}

/* dx: the shift from the reference point `from` to `to`.  `to` takes over the attributes that it lacks. */
static void agree(scant_origin *to, const scant_origin *from, size_t d, double *dx, double *dy) {
  for (size_t i = 0; i < d; i++) {
    if (!to->known[i] && from->known[i]) {
      to->x[i] = from->x[i];
      to->known[i] = 1;
    }
    dx[i] = from->known[i] ? from->x[i] - to->x[i] : 0;
  }
  if (!to->y_known) to->y = from->y;
  to->y_known = to->y_known || from->y_known;
  *dy = from->y_known ? from->y - to->y : 0;
}

/* Adds the moments, as if one learner had been told the values of both. */
static void merge_running(scant_moments *a, const scant_moments *b) {
  double n = (double)a->count, m = (double)b->count, gap = b->mean - a->mean;
  if (!b->count) return;
  a->spread += b->spread + gap * gap * n * m / (n + m);
  a->mean += gap * m / (n + m);
  a->largest = fmax(a->largest, b->largest); /* each is about its own mean; this algorithm does not use it */
  a->count += b->count;
}

/* Room for the spans of both; 0: out of memory, and they are as they were. */
static int merge_spans(scant_moments_state *s, scant_moments_state *other) {
  if (!scant_grow(&s->spans, &s->span_room, s->span_count + other->span_count, sizeof *s->spans)) return 0;
  if (other->span_count) memcpy(s->spans + s->span_count, other->spans, other->span_count * sizeof *s->spans);
  s->span_count += other->span_count;
  other->span_count = 0; /* they are ours now */
  return 1;
}

scant_status scant_moments_merge(scant_learner *l, scant_learner *other, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l), *o = scant_moments_of(other);
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++)
    if (s->fold[f].examples + o->fold[f].examples > UINT32_MAX)
      return scant_fail(error, SCANT_DATA, "there are too many examples to count");
  double *dx = scant_array(l->dimension, sizeof *dx), dy;
  if (!dx || !merge_spans(s, o)) {
    free(dx);
    return scant_fail_memory(error);
  }
  agree(&s->origin, &o->origin, l->dimension, dx, &dy);
  for (size_t i = 0; i < l->dimension; i++) {
    if (!o->origin.known[i]) continue;
    s->low[i] = fmin(s->low[i], o->low[i] + dx[i]);
    s->high[i] = fmax(s->high[i], o->high[i] + dx[i]);
  }
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) {
    scant_pairs_shift(&o->fold[f], dx, dy);
    scant_pairs_merge(&s->fold[f], &o->fold[f]);
  }
  free(dx);
  for (size_t i = 0; i < l->dimension; i++) scant_shown_merge(&s->shown, &o->shown, i);
  for (size_t i = 0; i < l->dimension; i++) merge_running(&l->moments[i], &other->moments[i]);
  merge_running(&l->y_moments, &other->y_moments);
  l->told += other->told;
  s->solved_at = 0;
  return SCANT_OK;
}

const scant_engine scant_moments_engine = {
    .algorithm = "moments",
    .open = moments_open,
    .free = moments_free,
    .look = moments_look,
    .tell = moments_tell,
    .finish = moments_finish,
    .weights = moments_weights,
    .facts = moments_facts,
    .save = scant_moments_save,
    .restore = scant_moments_restore,
};
