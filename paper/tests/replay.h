/* A fast learner and an oracle, side by side: the fast learner asks, the oracle makes the same random choices, both
 * learn, and w_t, its average and the intercept must agree after every example.
 *
 * The oracle has its own w all the way.  Of a look it is told the attributes that were drawn and GenEst's orders; the
 * probabilities by which it would have drawn them must be those in the look.  Values of other attributes are NaN. */
#ifndef SCANT_PAPER_TESTS_REPLAY_H
#define SCANT_PAPER_TESTS_REPLAY_H

#include "../paper.h"
#include "support.h"

enum { REPLAY_MOST = 160 };

typedef struct replay {
  paper_draws draws;
  const scant_look *look;
  uint32_t place, repeated; /* of the next draw for the gradient */
  uint32_t uniform, by_w, calls;
  double worst_probability;
} replay;

static inline size_t replay_pick(paper_draws *draws, size_t d, const scalar *p) {
  replay *r = (replay *)draws;
  const scant_look *look = r->look;
  if (p) {
    if (!CHECK(r->by_w < look->sequence_count)) return 0;
    uint32_t place = look->sequence[r->by_w++], j = look->attributes[place];
    double off = fabs((double)(p[j] - look->residual_probability[place]));
    r->worst_probability = off <= r->worst_probability ? r->worst_probability : isnan(off) ? INFINITY : off;
    return j;
  }
  while (r->place < look->count && r->repeated == look->gradient_draws[r->place]) r->place++, r->repeated = 0;
  if (!CHECK(r->place < look->count)) return 0;
  double q = 1 / (double)d, off = fabs(look->gradient_probability[r->place] - q);
  r->worst_probability = off <= r->worst_probability ? r->worst_probability : isnan(off) ? INFINITY : off;
  r->repeated++;
  r->uniform++;
  return look->attributes[r->place];
}

static inline size_t replay_order(paper_draws *draws, paper_series *a) {
  replay *r = (replay *)draws;
  if (!CHECK(r->calls < r->look->calls)) return 0;
  size_t n = r->look->call[r->calls++].order;
  CHECK(a(n) != 0);
  return n;
}

static inline void replay_begin(replay *r, const scant_look *look) {
  *r = (replay){.draws = {replay_pick, replay_order}, .look = look, .worst_probability = r->worst_probability};
}

/* Has the oracle made every choice that the fast learner made? */
static inline int replay_is_over(const replay *r) {
  return r->uniform == r->look->gradient_total && r->by_w == r->look->sequence_count && r->calls == r->look->calls;
}

/* ---- centring, which the paper leaves to the reader ------------------------------- */

/* Attributes and the target less the means of what was bought before; 0 where nothing was. */
typedef struct means {
  size_t rows, n[REPLAY_MOST];
  scalar target, total[REPLAY_MOST];
} means;

static inline scalar mean_of(scalar total, size_t n) {
  return n ? total / (scalar)n : 0;
}

/* ---- both ------------------------------------------------------------------------- */

typedef struct match {
  const char *list; /* settings */
  void (*round)(paper_state *s, const scalar *x, scalar y);
  size_t d, k;     /* k: uniform draws, the paper's; 0: as many as the first look has */
  size_t residual; /* draws of the residual; 0: one */
  int steps;
  int unknown; /* the learner is not told how many */
  /* The oracle begins every round at the fast learner's w_t.  Algorithm 1 divides by w_j, so that with large steps any
   * rounding error doubles within a few rounds, and no two programs stay together. */
  int tied;
  double size, offset;        /* of values and targets, and of their means */
  double tolerance, of_means; /* of w_t and of its averages; 0: 1e-12 */
} match;

typedef struct pair {
  const match *m;
  scant_learner *fast;
  scant_look *look;
  paper_state oracle;
  replay replay;
  means means;
  scalar largest;            /* entry of any w so far */
  double worst, worst_mean;  /* of w_t and of its averages, relative */
  uint32_t singles, grouped; /* calls of GenEst in its first and in its second branch */
} pair;

static inline void pair_open(pair *p, const match *m) {
  scant_settings settings = settings_from(m->list);
  *p = (pair){.m = m};
  p->fast = learner_from(m->list, m->d, m->unknown ? 0 : (uint64_t)m->steps);
  p->look = look_for(p->fast);
  CHECK(m->d <= REPLAY_MOST && paper_new(&p->oracle, m->d));
  paper_state *s = &p->oracle;
  s->k = m->k;
  s->residual = m->residual ? m->residual : 1;
  s->norm = scant_learner_norm(p->fast) == SCANT_NORM_1 ? 1 : 2;
  s->B = settings.learning.radius;
  s->delta = settings.learning.tube;
  s->eps = settings.learning.smoothing;
  s->eta = isnan(p->fast->eta) ? 0 : p->fast->eta;
  s->lambda = p->fast->w.penalty;
  s->draws = &p->replay.draws;
}

static inline void pair_close(pair *p) {
  paper_free(&p->oracle);
  scant_look_free(p->look);
  scant_learner_free(p->fast);
}

/* The example as the oracle sees it, and as the fast learner is told it. */
static inline scalar pair_example(pair *p, uint64_t *random, scalar *x, double *values, double *y) {
  const match *m = p->m;
  const scant_look *look = p->look;
  double bound = p->fast->settings.learning.x_bound;
  int centred = p->fast->settings.learning.center;
  for (size_t i = 0; i < m->d; i++) x[i] = NAN;
  *y = m->offset + m->size * random_real(random) / 2;
  for (uint32_t i = 0; i < look->count; i++) {
    uint32_t a = look->attributes[i];
    double z = m->size * random_real(random);
    values[i] = bound * (m->offset + z);
    x[a] = (scalar)values[i] / bound;
    if (a < 3) *y += z / (3 + a);
    if (!centred) continue;
    scalar mean = mean_of(p->means.total[a], p->means.n[a]);
    p->means.total[a] += x[a];
    x[a] = p->means.n[a]++ ? x[a] - mean : 0;
  }
  scalar target = *y - (centred ? mean_of(p->means.target, p->means.rows) : 0);
  p->means.target += *y;
  p->means.rows++;
  return target;
}

/* The largest |a_i - b_i| over `largest`, which the largest |b_i| may raise, becomes the worst, if it is larger. */
static inline void note_difference(const double *a, const scalar *b, size_t count, scalar *largest, double *worst) {
  scalar off = 0;
  for (size_t i = 0; i < count; i++) {
    scalar miss = fabsl((scalar)a[i] - b[i]);
    *largest = fmaxl(*largest, fabsl(b[i]));
    if (!(miss <= off)) off = isnan(miss) ? INFINITY : miss;
  }
  if (off > 0 && !(off / *largest <= *worst)) *worst = (double)(off / *largest);
}

/* w_{t+1}, in units of its largest entry; the average as the fast learner gives it, in units of the largest entry of
 * any w so far; the intercept, in units of that or of its own. */
static inline void pair_compare(pair *p) {
  const paper_state *s = &p->oracle;
  double w[REPLAY_MOST], intercept, bound = p->fast->settings.learning.x_bound;
  int centred = p->fast->settings.learning.center;
  scalar mean[REPLAY_MOST], now = 0, shift = centred ? mean_of(p->means.target, p->means.rows) : 0;
  for (size_t i = 0; i < s->d; i++) w[i] = scant_iterate_weight(&p->fast->w, i);
  note_difference(w, s->w, s->d, &now, &p->worst);
  p->largest = fmaxl(p->largest, now);
  scant_learner_weights(p->fast, w, &intercept);
  for (size_t i = 0; i < s->d; i++) {
    mean[i] = paper_mean(s, i) / bound;
    if (centred) shift -= mean[i] * bound * mean_of(p->means.total[i], p->means.n[i]);
  }
  note_difference(w, mean, s->d, &p->largest, &p->worst_mean);
  now = p->largest;
  note_difference(&intercept, &shift, 1, &now, &p->worst_mean);
}

/* One example; 0: they have parted. */
static inline int pair_step(pair *p, uint64_t *random) {
  scant_error error = {""};
  scalar x[REPLAY_MOST];
  double values[REPLAY_MOST], y;
  if (!CHECK(scant_learner_ask(p->fast, p->look, &error) == SCANT_OK)) return 0;
  if (!p->oracle.k) p->oracle.k = p->look->gradient_total;
  for (uint32_t c = 0; c < p->look->calls; c++) *(p->look->call[c].group > 1 ? &p->grouped : &p->singles) += 1;
  scalar target = pair_example(p, random, x, values, &y);
  replay_begin(&p->replay, p->look);
  for (size_t i = 0; p->m->tied && i < p->m->d; i++) p->oracle.w[i] = scant_iterate_weight(&p->fast->w, i);
  p->m->round(&p->oracle, x, target);
  if (!CHECK(replay_is_over(&p->replay))) return 0;
  if (!CHECK(scant_learner_tell(p->fast, p->look, p->look->count, NULL, values, y, &error) == SCANT_OK)) return 0;
  pair_compare(p);
  return p->worst < 1;
}

static inline void pair_run(pair *p) {
  const match *m = p->m;
  double tolerance = m->tolerance > 0 ? m->tolerance : 1e-12;
  uint64_t random = 7;
  int t = 0;
  while (t < m->steps && pair_step(p, &random)) t++;
  int good = CHECK(t == m->steps);
  good &= CHECK_AT_MOST(p->worst, tolerance);
  good &= CHECK_AT_MOST(p->worst_mean, m->of_means > 0 ? m->of_means : tolerance);
  good &= CHECK_AT_MOST(p->replay.worst_probability, tolerance);
  if (!good) printf("# %s, d = %zu: after %d examples\n", m->list, m->d, t);
}

static inline void compare(const match *m) {
  pair p;
  pair_open(&p, m);
  pair_run(&p);
  pair_close(&p);
}

#endif
