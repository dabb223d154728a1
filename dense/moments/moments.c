#include "moments/moments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "blas.h"

/* The law is renewed at ever more examples: first when an attribute has been
 * looked at this often on average, then with each growth. */
#define FIRST_LOOKS 4
#define GROWTH 1.5

int scant_moments_add_span(scant_moments_state *s) {
  if (!scant_grow(&s->spans, &s->span_room, s->span_count + 1, sizeof *s->spans)) return 0;
  uint32_t *count = scant_array(s->fold[0].d, sizeof *count);
  if (!count) return 0;
  s->spans[s->span_count++] = (scant_moments_span){0, count};
  return 1;
}

static void moments_free(void *state) {
  scant_moments_state *s = state;
  if (!s) return;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) scant_pairs_free(&s->fold[f]);
  for (size_t i = 0; i < s->span_count; i++) free(s->spans[i].count);
  free(s->spans);
  scant_shown_free(&s->shown);
  scant_sumtree_free(&s->law);
  scant_answers_free(&s->held);
  scant_arrays_free(&s->arrays);
  free(s);
}

/* Blocks told when the law is renewed first. */
static uint64_t first_renewal(const scant_engine_view *l) {
  double first = ceil(FIRST_LOOKS * (double)l->dimension / (double)l->settings->learning.k);
  return first < 2 * SCANT_MOMENTS_FOLDS ? 2 * SCANT_MOMENTS_FOLDS : (uint64_t)first;
}

/* What is held back until then, where blocks are large. */
static double held_bytes(const scant_engine_view *l) {
  double rows = (double)l->settings->learning.block * (double)first_renewal(l), k = (double)l->settings->learning.k;
  if (l->settings->learning.block == 1 || !(l->settings->learning.clip > 0)) return 0;
  if (l->horizon) rows = fmin(rows, (double)l->horizon);
  return rows * (12 * fmin(l->settings->learning.observed ? INFINITY : k, (double)l->dimension) + 24);
}

static scant_status moments_open(scant_engine_view *l, scant_error *error) {
  size_t d = l->dimension;
  double square = 8 * (double)d * (double)d, threads = (double)l->settings->runtime.threads;
  SCANT_TRY(scant_engine_check_memory(
      l, SCANT_MOMENTS_FOLDS * scant_pairs_bytes(d) + 4 * square * threads + held_bytes(l), error));
  if (d > SCANT_LAPACK_MOST)
    return scant_fail(error, SCANT_DATA, "moments takes at most %d attributes", SCANT_LAPACK_MOST);
  scant_moments_state *s = scant_array(1, sizeof *s);
  if (!s) return scant_fail_memory(error);
  l->state = s;
  int good = 1;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) good = good && scant_pairs_new(&s->fold[f], d);
  s->origin.x = scant_arrays_add(&s->arrays, d, sizeof *s->origin.x);
  s->origin.known = scant_arrays_add(&s->arrays, d, sizeof *s->origin.known);
  s->low = scant_arrays_add(&s->arrays, d, sizeof *s->low);
  s->high = scant_arrays_add(&s->arrays, d, sizeof *s->high);
  s->leaves = scant_arrays_add(&s->arrays, d, sizeof *s->leaves);
  s->result.w = scant_arrays_add(&s->arrays, d, sizeof *s->result.w);
  s->known = scant_arrays_add(&s->arrays, d, sizeof *s->known);
  s->shifted = scant_arrays_add(&s->arrays, d, sizeof *s->shifted);
  s->values = scant_arrays_add(&s->arrays, d, sizeof *s->values);
  int clips = l->settings->learning.clip > 0;
  if (clips) s->limit_low = scant_arrays_add(&s->arrays, d, sizeof *s->limit_low);
  if (clips) s->limit_high = scant_arrays_add(&s->arrays, d, sizeof *s->limit_high);
  good = good && !s->arrays.failed && scant_shown_new(&s->shown, d) && scant_sumtree_new(&s->law, d) &&
         (l->settings->learning.observed || scant_moments_add_span(s));
  if (!good) return scant_fail_memory(error); /* the learner frees what there is */
  s->result.penalty = s->result.risk = s->result.risk_error = NAN;
  s->result.scale = 1;
  s->held.dimension = d;
  s->rows_per_block = (double)l->settings->learning.block;
  for (size_t i = 0; i < d; i++) s->leaves[i] = 1;
  s->renew_at = first_renewal(l);
  s->freeze_at = clips ? s->renew_at : 0;
  return SCANT_OK;
}

/* ---- sums ------------------------------------------------------------------ */

/* Adds an example of a block: `count` attributes with their values, none of them NaN, and the target. */
static void sum_up(scant_moments_state *s, uint64_t block, size_t count, const uint32_t *attributes,
                   const double *values, double y) {
  scant_origin *o = &s->origin;
  if (!o->y_known) o->y = y;
  o->y_known = 1;
  for (size_t r = 0; r < count; r++) {
    uint32_t i = attributes[r];
    double value = s->limit_low ? scant_limits_clip(values[r], s->limit_low[i], s->limit_high[i]) : values[r];
    if (!o->known[i]) o->x[i] = value;
    o->known[i] = 1;
    scant_shown_add(&s->shown, i, value, 1);
    double x = s->shifted[r] = value - o->x[i]; /* 0 at first, as low and high are */
    s->low[i] = fmin(s->low[i], x);
    s->high[i] = fmax(s->high[i], x);
  }
  scant_pairs_add(&s->fold[block % SCANT_MOMENTS_FOLDS], count, attributes, s->shifted, y - o->y);
}

static void sum_held(scant_moments_state *s) {
  const scant_answers *h = &s->held;
  for (size_t t = 0; t < h->examples; t++) {
    size_t begin = h->first[t];
    sum_up(s, scant_answers_block(h, t), h->size[t], h->attribute + begin, h->value + begin, h->y[t]);
  }
}

/* As if nothing had been summed up. */
static void forget_sums(scant_moments_state *s) {
  size_t d = s->fold[0].d;
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++) scant_pairs_clear(&s->fold[f]);
  memset(s->origin.x, 0, d * sizeof *s->origin.x);
  memset(s->origin.known, 0, d * sizeof *s->origin.known);
  s->origin.y = s->origin.y_known = 0;
  memset(s->low, 0, d * sizeof *s->low);
  memset(s->high, 0, d * sizeof *s->high);
  memset(s->shown.value, 0, SCANT_SHOWN_VALUES * d * sizeof *s->shown.value);
  memset(s->shown.count, 0, SCANT_SHOWN_VALUES * d * sizeof *s->shown.count);
}

static int holds_back(const scant_moments_state *s) {
  return s->freeze_at && !s->frozen;
}

/* Everything from the first example on is clipped by the limits now.  `noted`: so many of what is held the learner has
 * noted already. */
static scant_status freeze(scant_engine_view *l, size_t noted, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  scant_answers *h = &s->held;
  if (!scant_answers_limits(h, l->settings->learning.clip, s->limit_low, s->limit_high))
    return scant_fail_memory(error);
  s->frozen = 1;
  scant_engine_clip(l, s->limit_low, s->limit_high);
  sum_held(s);
  scant_engine_note_anew(l, noted, h->first + 1, h->attribute, h->value);
  scant_answers_free(h);
  return SCANT_OK;
}

/* ---- the regressor --------------------------------------------------------- */

/* Before the limits freeze, those of what is held serve. */
static scant_status solve(scant_engine_view *l, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (!holds_back(s)) return scant_moments_solve(s, l->settings, &s->result, error);
  if (!scant_answers_limits(&s->held, l->settings->learning.clip, s->limit_low, s->limit_high))
    return scant_fail_memory(error);
  sum_held(s);
  scant_status status = scant_moments_solve(s, l->settings, &s->result, error);
  forget_sums(s);
  return status;
}

static scant_status moments_finish(scant_engine_view *l, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (s->solved_at == l->told + 1) return SCANT_OK;
  SCANT_TRY(solve(l, error));
  s->solved_at = l->told + 1;
  return SCANT_OK;
}

static void moments_limits(const scant_engine_view *l, double *low, double *high) {
  const scant_moments_state *s = scant_moments_of(l);
  memcpy(low, s->limit_low, l->dimension * sizeof *s->limit_low);
  memcpy(high, s->limit_high, l->dimension * sizeof *s->limit_high);
}

/* Until the limits freeze, the learner's means are of values as they were told. */
static scant_status moments_keep(scant_engine_view *l, scant_model_extras *extras, scant_error *error) {
  const scant_moments_state *s = scant_moments_of(l);
  const scant_answers *h = &s->held;
  (void)error;
  if (!holds_back(s)) return SCANT_OK;
  memset(extras->means, 0, l->dimension * sizeof *extras->means);
  for (size_t t = 0; t < scant_answers_entries(h); t++) {
    uint32_t i = h->attribute[t];
    double x = scant_limits_clip(h->value[t], extras->low[i], extras->high[i]);
    extras->means[i] += x / (double)l->moments[i].count;
  }
  return SCANT_OK;
}

static void moments_weights(const scant_engine_view *l, double *w, double *intercept) {
  const scant_moments_state *s = scant_moments_of(l);
  memcpy(w, s->result.w, l->dimension * sizeof *w);
  *intercept = s->solved_at ? s->result.intercept : l->target->mean;
}

static void moments_facts(const scant_engine_view *l, scant_learner_facts *facts) {
  const scant_moments_state *s = scant_moments_of(l);
  facts->risk = s->result.risk;
  facts->risk_error = s->result.risk_error;
  facts->penalty = s->result.penalty;
  facts->scale = s->result.scale;
}

static uint64_t moments_law(const scant_engine_view *l) {
  return scant_moments_of(l)->span_count;
}

static scant_status moments_turn(scant_engine_view *l, scant_error *error) {
  if (l->settings->learning.observed || scant_moments_add_span(scant_moments_of(l))) return SCANT_OK;
  return scant_fail_memory(error);
}

/* ---- looks ------------------------------------------------------------------- */

double scant_moments_explore(const scant_moments *m, int like_units, double pool) {
  double n = (double)m->count;
  if (!like_units || m->count < 2 || m->spread == 0) return scant_moments_curiosity(m);
  return pool > 0 ? sqrt((m->spread + 2 * pool) / (n + 1) / pool) : 1;
}

double scant_moments_follow(const scant_moments *m, double w) {
  return m->count ? fabs(w) * sqrt(m->spread / (double)m->count) : 0;
}

static double explore(const scant_engine_view *l, size_t i) {
  return scant_moments_explore(&l->moments[i], l->settings->learning.like_units, l->pooled);
}

static double follow(const scant_engine_view *l, const scant_moments_state *s, size_t i) {
  return scant_moments_follow(&l->moments[i], s->result.w[i]);
}

static scant_status renew_law(scant_engine_view *l, scant_error *error) {
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
  while (s->renew_at <= l->block) s->renew_at = (uint64_t)ceil(GROWTH * (double)s->renew_at);
  return SCANT_OK;
}

static scant_status moments_look(scant_engine_view *l, scant_look *look, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  if (l->block >= s->renew_at) SCANT_TRY(renew_law(l, error));
  memcpy(scant_sumtree_leaves(&s->law), s->leaves, l->dimension * sizeof *s->leaves);
  scant_sumtree_rebuild(&s->law);
  for (uint32_t r = 0; r < l->k; r++) {
    uint32_t i = scant_sumtree_draw(&s->law, l->rng);
    scant_look_take(look, i, i);
    scant_sumtree_set(&s->law, i, 0);
  }
  return SCANT_OK;
}

/* While the law is even, a look is any K of the attributes. */
static void moments_chances(const scant_engine_view *l, const scant_look *look, const scant_chances *chances) {
  const scant_moments_state *s = scant_moments_of(l);
  double k = look->count, d = (double)l->dimension;
  if (!chances->now) return;
  for (size_t i = 1; i < l->dimension; i++)
    if (s->leaves[i] != s->leaves[0]) return;
  scant_chances_alike(look, k / d, scant_chances_pair(k, d), chances);
}

/* ---- learning ------------------------------------------------------------------ */

/* Makes room for rows of the current block.  Where blocks have several, limits freeze between two of them, when enough
 * were told. */
static scant_status moments_reserve(scant_engine_view *l, const scant_look *look, size_t rows, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  int blocks = l->settings->learning.block > 1;
  if (rows > UINT32_MAX - s->fold[l->block % SCANT_MOMENTS_FOLDS].examples) return scant_pairs_fail_count(error);
  if (blocks && holds_back(s) && l->block >= s->freeze_at) SCANT_TRY(freeze(l, s->held.examples, error));
  if (!blocks || !holds_back(s) || scant_answers_reserve(&s->held, rows, rows * look->count)) return SCANT_OK;
  return scant_fail_memory(error);
}

static scant_status moments_tell(scant_engine_view *l, const scant_look *look, const double *values, double y,
                                 scant_error *error) {
  scant_moments_state *s = scant_moments_of(l);
  SCANT_TRY(moments_reserve(l, look, 1, error));
  if (holds_back(s)) {
    int blocks = l->settings->learning.block > 1;
    uint32_t block = (uint32_t)l->block;
    if (!scant_answers_add(&s->held, blocks ? &block : NULL, look->count, look->attributes, values, y))
      return scant_fail_memory(error);
    int due = !blocks && s->held.examples == s->freeze_at;
    scant_status status = due ? freeze(l, s->held.examples - 1, error) : SCANT_OK; /* the learner notes the last one */
    if (status != SCANT_OK) {
      s->held.examples--;
      return status;
    }
  } else {
    size_t count = 0;
    double *known = s->values;
    for (uint32_t r = 0; r < look->count; r++) {
      if (isnan(values[r])) continue;
      s->known[count] = look->attributes[r];
      known[count++] = values[r];
    }
    sum_up(s, l->block, count, s->known, known, y);
  }
  scant_moments_span *span = s->span_count ? &s->spans[s->span_count - 1] : NULL;
  if (span) span->examples++;
  for (uint32_t r = 0; span && r < look->count; r++) span->count[look->attributes[r]]++;
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

/* Room for the spans of both; 0: out of memory, and they are as they were. */
static int merge_spans(scant_moments_state *s, scant_moments_state *other) {
  if (!scant_grow(&s->spans, &s->span_room, s->span_count + other->span_count, sizeof *s->spans)) return 0;
  if (other->span_count) memcpy(s->spans + s->span_count, other->spans, other->span_count * sizeof *s->spans);
  s->span_count += other->span_count;
  other->span_count = 0; /* they are ours now */
  return 1;
}

/* Sums of values that were clipped by other limits do not add up. */
static scant_status check_limits(const scant_moments_state *a, const scant_moments_state *b, size_t d,
                                 scant_error *error) {
  if (!a->freeze_at) return SCANT_OK;
  int same = a->frozen && b->frozen;
  for (size_t i = 0; same && i < d; i++)
    same = a->limit_low[i] == b->limit_low[i] && a->limit_high[i] == b->limit_high[i];
  if (same) return SCANT_OK;
  return scant_fail(error, SCANT_DATA,
                    "its limits are not those of the first: with clip, every fit makes limits of its own, so only "
                    "fits with clip none can be merged");
}

static scant_status moments_merge(scant_engine_view *l, scant_engine_view *other, scant_error *error) {
  scant_moments_state *s = scant_moments_of(l), *o = scant_moments_of(other);
  SCANT_TRY(check_limits(s, o, l->dimension, error));
  for (int f = 0; f < SCANT_MOMENTS_FOLDS; f++)
    if (s->fold[f].examples + o->fold[f].examples > UINT32_MAX) return scant_pairs_fail_count(error);
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
  s->solved_at = 0;
  return SCANT_OK;
}

const scant_engine scant_moments_engine = {
    .algorithm = "moments",
    .open = moments_open,
    .free = moments_free,
    .look = moments_look,
    .chances = moments_chances,
    .reserve = moments_reserve,
    .tell = moments_tell,
    .finish = moments_finish,
    .weights = moments_weights,
    .facts = moments_facts,
    .save = scant_moments_save,
    .restore = scant_moments_restore,
    .law = moments_law,
    .turn = moments_turn,
    .keep = moments_keep,
    .limits = moments_limits,
    .merge = moments_merge,
};
