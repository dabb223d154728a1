/* Tuning inside the budget: all candidates learn from the same purchases.
 *
 * A purchase has one look: of one example, or with option block of several.  Purchases come in stretches.  The leader
 * of a stretch draws, buys and learns purchase by purchase; then the others learn from the same, each on its own, while
 * the leader goes on with the next stretch if it leads that too.  The leader of stretch b follows from the risks of all
 * candidates in the stretches up to b - 2, so that the results depend neither on the number of threads nor on how many
 * examples are asked for at a time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "fit/fit.h"
#include "learn/learner.h"
#include "learn/resolve.h"

/* A plain minimum over noisy risks is dangerous where K is small.  So another candidate takes the first one's
 * place only if it is better beyond doubt. */
#define STANDARD_ERRORS 2
#define STEPS_FEWEST 64

/* Long enough to be worth a thread, and shorter where a look is long: two stretches are held in memory. */
enum { STRETCH_MOST = 64, STRETCH_ENTRIES = 1 << 16 };

typedef struct {
  scant_terms terms;
  scant_learner *learner; /* the first one's is the fit's */
  scant_look *look;
  scant_risk risk, difference;
  uint64_t failed_at; /* the purchase, from 1, that it could not learn from; UINT64_MAX: none */
  scant_status why;
  scant_error error;
} candidate;

typedef struct {
  scant_look *look;
  scant_fit_rows rows; /* the examples that were bought with it */
} purchase;

typedef struct {
  purchase bought[STRETCH_MOST];
  size_t position;     /* of the first in the fit's pass */
  uint64_t before;     /* purchases before it, of all passes */
  size_t count, most;  /* purchases: made, and to be made */
  size_t rows;         /* examples that were bought */
  size_t leader;       /* the candidate that draws */
  scant_status status; /* why it bought nothing further */
  scant_error error;
  int lost;        /* of a row that it bought and can't learn from (scant_fit_buy_block); -1: there is none */
  double *risk;    /* of each candidate and purchase, before it was learned from; NaN: unknown */
  double variance; /* of the target after it, and the steps made, as the first candidate has them */
  uint64_t steps;
} stretch;

struct scant_tune {
  scant_fit *fit;
  size_t count, length; /* candidates, and purchases of a whole stretch */
  size_t jobs;
  candidate *candidates;
  stretch stretches[2], *now, *next; /* the leader buys next while the others learn from now */
  size_t leaders[2];                 /* of the even and the odd stretches to come */
  uint64_t seen;                     /* purchases that all have learned from */
  double variance;
  uint64_t steps;
};

/* ---- the object ------------------------------------------------------------ */

/* Looks of gaussian can't be shared, so here `default` is auto. */
static scant_settings named(const scant_settings *given) {
  scant_settings s = *given;
  if (scant_settings_is_default(&s)) s.learning.algorithm = scant_default_algorithm(SCANT_DEFAULT_STREAMING)->name;
  return s;
}

static scant_status start_candidate(scant_tune *t, size_t index, const scant_settings *given, scant_error *error) {
  candidate *c = &t->candidates[index];
  const scant_fit *f = t->fit;
  c->failed_at = UINT64_MAX;
  if (!index) {
    c->learner = f->learner;
    c->terms = f->terms;
    return scant_look_new(&c->look, c->learner, error);
  }
  const scant_settings s = named(given);
  const scant_extent extent = {.dimension = f->terms.dimension, .examples = f->terms.horizon, .prices = f->prices};
  SCANT_TRY(scant_terms_make(&c->terms, &s, &extent, error));
  scant_settings_own(&c->terms.settings);
  c->terms.settings.reading.classes = f->terms.settings.reading.classes;
  SCANT_TRY(scant_learner_of_terms(&c->learner, &c->terms, error));
  /* a stream of its own: the draws of a new leader must be independent of its w */
  scant_learner_set_stream(c->learner, (UINT64_C(1) << 40) + index);
  if (f->prices) SCANT_TRY(scant_learner_price(c->learner, f->prices, error));
  return scant_look_new(&c->look, c->learner, error);
}

static scant_status start_stretches(scant_tune *t, scant_error *error) {
  const scant_settings *s = &t->fit->terms.settings;
  double k = (double)scant_settings_k_visit(s) * (double)s->learning.block,
         most = k > 0 ? STRETCH_ENTRIES / k : INFINITY;
  t->length = most < STRETCH_MOST ? (size_t)most : STRETCH_MOST;
  if (!t->length) t->length = 1;
  t->jobs = s->runtime.threads < t->count ? (size_t)s->runtime.threads : t->count;
  t->now = &t->stretches[0];
  t->next = &t->stretches[1];
  for (int i = 0; i < 2; i++) {
    t->stretches[i].risk = scant_array(t->count * t->length, sizeof *t->stretches[i].risk);
    if (!t->stretches[i].risk) return scant_fail_memory(error);
  }
  return SCANT_OK;
}

/* Settings that concern the purchases must be the same for all. */
static int same_purchases(const scant_settings *a, const scant_settings *b) {
  return a->learning.k == b->learning.k && a->learning.passes == b->learning.passes &&
         a->run.examples == b->run.examples && a->learning.seed == b->learning.seed && a->run.budget == b->run.budget &&
         a->learning.spend == b->learning.spend && a->run.budget_cost == b->run.budget_cost &&
         a->learning.thrift == b->learning.thrift && a->learning.missing == b->learning.missing &&
         a->learning.max_open == b->learning.max_open && a->learning.block == b->learning.block &&
         a->run.shuffle == b->run.shuffle && a->run.split == b->run.split;
}

scant_status scant_tune_new(scant_tune **tune, const scant_settings *candidates, size_t count, scant_source *source,
                            scant_error *error) {
  scant_settings first = count ? named(&candidates[0]) : (scant_settings){0};
  const scant_parts *parts = count ? scant_parts_find(first.learning.algorithm) : NULL;
  if (parts && !parts->look->in_items)
    return scant_fail(error, SCANT_USAGE,
                      "the looks of %s can't be shared by candidates; tune auto, ridge, lasso or svr",
                      parts->words.name);
  for (size_t i = 1; i < count; i++)
    if (strcmp(first.learning.algorithm, named(&candidates[i]).learning.algorithm) != 0 ||
        !same_purchases(&candidates[0], &candidates[i]))
      return scant_fail(error, SCANT_USAGE, "candidates share their purchases, so these can't differ in them");
  scant_tune *t = scant_array(1, sizeof *t);
  if (!t) return scant_fail_memory(error);
  t->count = count;
  t->candidates = scant_array(count, sizeof *t->candidates);
  scant_status status = t->candidates ? scant_fit_new(&t->fit, &first, source, error) : scant_fail_memory(error);
  for (size_t i = 0; status == SCANT_OK && i < count; i++) status = start_candidate(t, i, &candidates[i], error);
  if (status == SCANT_OK) status = start_stretches(t, error);
  if (status != SCANT_OK) {
    scant_tune_free(t);
    return status;
  }
  *tune = t;
  return SCANT_OK;
}

void scant_tune_free(scant_tune *tune) {
  if (!tune) return;
  for (size_t i = 0; tune->candidates && i < tune->count; i++) {
    if (i) scant_learner_free(tune->candidates[i].learner);
    scant_look_free(tune->candidates[i].look);
  }
  for (size_t i = 0; i < 2 * STRETCH_MOST; i++) {
    purchase *p = &tune->stretches[i / STRETCH_MOST].bought[i % STRETCH_MOST];
    scant_look_free(p->look);
    scant_fit_rows_free(&p->rows);
  }
  free(tune->stretches[0].risk);
  free(tune->stretches[1].risk);
  free(tune->candidates);
  scant_fit_free(tune->fit);
  free(tune);
}

/* ---- learning -------------------------------------------------------------- */

static int has_failed(const scant_tune *t, size_t index, uint64_t purchases) {
  return t->candidates[index].failed_at <= purchases;
}

/* The mean risk of the rows of a purchase; NaN: none gave one. */
static scant_status judge(scant_learner *l, const scant_look *look, const purchase *p, double *risk,
                          scant_error *error) {
  double sum = 0, count = 0, of_row;
  for (size_t r = 0; r < p->rows.count; r++) {
    /* as it learned: one that learns badly must not hide behind its scale */
    SCANT_TRY(scant_learner_judge_at(l, 1, look, p->rows.values + r * look->count, p->rows.y[r], &of_row, error));
    if (isnan(of_row)) continue;
    sum += of_row;
    count++;
  }
  *risk = count > 0 ? sum / count : NAN;
  return SCANT_OK;
}

/* Judges and learns from purchase i of a stretch.  False: its steps overflow, and it is out. */
static int teach(scant_tune *t, size_t index, stretch *b, size_t i) {
  candidate *c = &t->candidates[index];
  const purchase *p = &b->bought[i];
  const scant_fit_rows *rows = &p->rows;
  const scant_look *look = index == b->leader ? p->look : c->look;
  double *risk = &b->risk[index * t->length + i];
  *risk = NAN;
  scant_status status = SCANT_OK;
  if (look != p->look) status = scant_learner_share(c->learner, p->look, c->look, &c->error);
  if (status == SCANT_OK) status = judge(c->learner, look, p, risk, &c->error);
  if (status == SCANT_OK)
    status = scant_learner_tell_block(c->learner, look, rows->count, rows->values, rows->y, &c->error);
  if (status == SCANT_OK && !index) {
    scant_learner_facts facts;
    scant_learner_get_facts(c->learner, &facts);
    b->variance = facts.target_variance;
    b->steps = c->learner->block;
  }
  if (status == SCANT_OK) return 1;
  scant_learner_cancel(c->learner, look, NULL);
  c->failed_at = b->before + i + 1;
  c->why = status;
  return 0;
}

/* Draws a look and buys what it asks for, or nothing: then the next try draws the same look. */
static scant_status buy_one(scant_tune *t, stretch *b, scant_error *error) {
  scant_fit *f = t->fit;
  purchase *p = &b->bought[b->count];
  scant_learner *l = t->candidates[b->leader].learner;
  p->rows.count = 0;
  if (!p->look) SCANT_TRY(scant_look_new(&p->look, f->learner, error));
  SCANT_TRY(scant_learner_ask(l, p->look, error));
  scant_status status = scant_fit_buy_block(f, l, p->look, b->position + b->rows, &p->rows, &b->lost, error);
  if (p->rows.count)
    f->block++;
  else
    scant_learner_undo_ask(l, p->look, NULL);
  return status;
}

/* A stretch ends early with the money, or with its leader. */
static void buy_stretch(scant_tune *t, stretch *b) {
  for (int going = 1; going && b->status == SCANT_OK && b->count < b->most;) {
    b->status = buy_one(t, b, &b->error);
    if (!b->bought[b->count].rows.count) return;
    going = teach(t, b->leader, b, b->count);
    b->rows += b->bought[b->count++].rows.count;
  }
}

static void learn_stretch(scant_tune *t, size_t index, stretch *b) {
  int going = !has_failed(t, index, b->before);
  for (size_t i = 0; going && i < b->count; i++) going = teach(t, index, b, i);
}

/* The job of the r-th candidate behind the leader.  It is the same stretch after stretch, so that its data stay in the
 * cache of one processor.  The leader is in the first job and counts twice, since it also draws and buys. */
static size_t job_of(size_t r, size_t jobs) {
  size_t place = r + 1 < jobs ? r + 1 : r + 2;
  return place % jobs;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  (void)error;
  scant_tune *t = user;
  if (!job) buy_stretch(t, t->next);
  for (size_t i = 0, r = 0; i < t->count; i++)
    if (i != t->now->leader && job_of(r++, t->jobs) == job) learn_stretch(t, i, t->now);
  return SCANT_OK;
}

/* ---- the leader --------------------------------------------------------------- */

/* The candidate with the lowest risk plus standard errors. */
static size_t surest(const scant_tune *t) {
  size_t best = 0;
  double lowest = INFINITY;
  for (size_t i = 0; i < t->count; i++) {
    double error, risk = scant_risk_mean(&t->candidates[i].risk, &error);
    if (has_failed(t, i, t->seen) || !(risk + STANDARD_ERRORS * error < lowest)) continue;
    lowest = risk + STANDARD_ERRORS * error;
    best = i;
  }
  return best;
}

static size_t choose(const scant_tune *t) {
  if (t->steps < STEPS_FEWEST) return 0;
  /* If a constant would beat the first candidate, its noise must not shield it from comparison. */
  if (scant_risk_mean(&t->candidates[0].risk, NULL) > t->variance) return surest(t);
  size_t leader = 0;
  double lowest = 0;
  for (size_t i = 1; i < t->count; i++) {
    double error, difference = scant_risk_mean(&t->candidates[i].difference, &error);
    if (has_failed(t, i, t->seen) || !(difference + STANDARD_ERRORS * error < 0) || !(difference < lowest)) continue;
    lowest = difference;
    leader = i;
  }
  return leader;
}

static void note_risks(scant_tune *t, const stretch *b, size_t i) {
  double first = b->risk[i];
  for (size_t index = 0; index < t->count; index++) {
    candidate *c = &t->candidates[index];
    double risk = b->risk[index * t->length + i];
    if (has_failed(t, index, b->before + i + 1) || !isfinite(risk) || !isfinite(first)) continue;
    scant_risk_add(&c->risk, risk);
    scant_risk_add(&c->difference, risk - first);
  }
}

/* An example that the first candidate can't learn from ends the tuning, as it ends a fit.  A failure that does not
 * concern the example ends it too. */
static scant_status check_failures(scant_tune *t, const stretch *b, scant_error *error) {
  const candidate *worst = NULL;
  for (size_t i = 0; i < t->count; i++) {
    const candidate *c = &t->candidates[i];
    int fatal = c->why != SCANT_OK && (!i || c->why != SCANT_DATA) && c->failed_at <= b->before + b->count;
    if (fatal && (!worst || c->failed_at < worst->failed_at)) worst = c;
  }
  if (!worst) return SCANT_OK;
  size_t failed = (size_t)(worst->failed_at - b->before - 1);
  for (size_t i = 0; i < failed; i++) t->fit->position += b->bought[i].rows.count;
  const purchase *p = &b->bought[failed];
  size_t lost = scant_learner_takes_rows(worst->learner, p->look, p->rows.count, p->rows.values);
  return scant_fit_fail(t->fit, t->fit->position, lost, worst->why, &worst->error, error);
}

/* Called when all have learned from the current stretch. */
static scant_status finish_stretch(scant_tune *t, scant_error *error) {
  const stretch *b = t->now;
  scant_fit *f = t->fit;
  SCANT_TRY(check_failures(t, b, error));
  for (size_t i = 0; i < b->count; i++) note_risks(t, b, i);
  t->seen += b->count;
  if (b->count) {
    t->variance = b->variance;
    t->steps = b->steps;
    f->position += b->rows - 1;
    scant_fit_next(f);
  }
  if (t->seen % t->length == 0 && t->seen) t->leaders[(t->seen / t->length + 1) % 2] = choose(t);
  if (b->status == SCANT_SPENT) {
    f->finished = f->spent = 1;
    return SCANT_OK;
  }
  if (b->lost >= 0) /* those before it are told */
    return scant_fit_fail(f, f->position, (size_t)b->lost, b->status, &b->error, error);
  if (b->status != SCANT_OK) scant_error_write(error, "%s", b->error.text);
  return b->status;
}

/* ---- the loop ------------------------------------------------------------------- */

/* How many purchases so many examples make. */
static uint64_t purchases_of(const scant_tune *t, uint64_t examples) {
  uint64_t size = t->fit->terms.settings.learning.block;
  return examples / size + (examples % size > 0);
}

/* Empties a stretch that begins after so many purchases, at this position of the pass,
 * and lets it have up to `most` examples, and those of a last block. */
static void plan_stretch(const scant_tune *t, stretch *b, uint64_t before, size_t position, uint64_t most) {
  uint64_t left = t->length - before % t->length, there = purchases_of(t, t->fit->train_count - position);
  b->before = before;
  b->position = position;
  b->count = b->rows = 0;
  if (there < left) left = there;
  if (purchases_of(t, most) < left) left = purchases_of(t, most);
  b->most = (size_t)left;
  b->status = SCANT_OK;
  b->lost = -1;
  b->leader = t->leaders[before / t->length % 2];
  if (has_failed(t, b->leader, before)) b->leader = 0;
}

/* How much the leader can buy ahead: it must lead there too, and the row order of the next pass is not known yet. */
static void plan_next(const scant_tune *t, uint64_t most) {
  const stretch *b = t->now;
  plan_stretch(t, t->next, b->before + b->count, b->position + b->rows, most);
  if (b->status != SCANT_OK || t->next->leader != b->leader || has_failed(t, b->leader, b->before + b->count))
    t->next->most = 0;
}

scant_status scant_tune_advance(scant_tune *t, uint64_t examples, int *done, scant_error *error) {
  scant_fit *f = t->fit;
  if (f->failed) return scant_fail(error, f->failed, "%s", f->failure.text);
  t->next->most = 0;
  while (!f->finished && (examples > 0 || t->next->most > 0)) {
    stretch *ahead = t->next;
    t->next = t->now;
    t->now = ahead;
    if (!ahead->most) { /* nothing was bought ahead */
      plan_stretch(t, ahead, t->seen, f->position, examples);
      buy_stretch(t, ahead);
    }
    examples -= ahead->rows < examples ? ahead->rows : examples;
    plan_next(t, examples);
    SCANT_TRY(scant_jobs_run(t->jobs, t->jobs, run_job, t, error));
    SCANT_TRY(finish_stretch(t, error));
  }
  *done = f->finished;
  return SCANT_OK;
}

/* ---- facts ------------------------------------------------------------------- */

void scant_tune_candidate(const scant_tune *tune, size_t index, scant_candidate *candidate_facts) {
  const candidate *c = &tune->candidates[index];
  scant_candidate *out = candidate_facts;
  out->risk = scant_risk_mean(&c->risk, &out->risk_error);
  out->difference = scant_risk_mean(&c->difference, &out->difference_error);
  out->failed = c->failed_at != UINT64_MAX;
}

size_t scant_tune_leader(const scant_tune *tune) {
  return choose(tune);
}

void scant_tune_watch_purchases(scant_tune *tune, scant_on_purchase *function, void *user) {
  scant_fit_watch_purchases(tune->fit, function, user);
}

scant_status scant_tune_keep_looks(scant_tune *tune, const char *path, const char *pairs, scant_error *error) {
  return scant_fit_keep_looks(tune->fit, path, pairs, error);
}

scant_status scant_tune_end_looks(scant_tune *tune, scant_error *error) {
  return scant_fit_end_looks(tune->fit, error);
}

const scant_fit *scant_tune_fit(const scant_tune *tune) {
  return tune->fit;
}

scant_status scant_tune_errors(const scant_tune *tune, size_t index, scant_model *model, scant_error *error) {
  return scant_fit_errors_with(tune->fit, tune->candidates[index].learner, model, error);
}

scant_status scant_tune_model(const scant_tune *tune, size_t index, scant_model **model, scant_error *error) {
  scant_fit shown = *tune->fit; /* the same purchases, another learner */
  shown.learner = tune->candidates[index].learner;
  shown.terms = tune->candidates[index].terms;
  return scant_fit_model(&shown, 0, model, error);
}
