/* Curves: a fit that stops at marks, and curves of several entries and runs. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scant_base.h"
#include "scant.h"

/* ---- a fit that stops at marks ------------------------------------------------------ */

struct scant_curve {
  scant_fit *fit;
  uint64_t start; /* examples before the curve */
  size_t next, count;
  uint64_t marks[]; /* from `start` on */
};

uint64_t scant_curve_step(scant_curve_unit unit, uint64_t end, size_t points, size_t point) {
  uint64_t steps = points, done = (uint64_t)point + 1, rest = end % steps * done;
  int up = unit == SCANT_CURVE_EXAMPLES && rest % steps != 0;
  return end / steps * done + rest / steps + (uint64_t)up;
}

scant_status scant_curve_new(scant_curve **curve, scant_fit *fit, const uint64_t *marks, size_t count,
                             scant_error *error) {
  for (size_t i = 1; i < count; i++)
    if (marks[i] < marks[i - 1])
      return scant_fail(error, SCANT_MISUSE, "mark %zu of a curve lies before the one before it", i + 1);
  scant_curve *c = count > (SIZE_MAX - sizeof *c) / sizeof *marks ? NULL : malloc(sizeof *c + count * sizeof *marks);
  if (!c) return scant_fail_memory(error);
  *c = (scant_curve){.fit = fit, .start = scant_fit_ledger(fit)->examples, .count = count};
  if (count) memcpy(c->marks, marks, count * sizeof *marks);
  *curve = c;
  return SCANT_OK;
}

void scant_curve_free(scant_curve *curve) {
  free(curve);
}

static uint64_t taken(const scant_curve *c) {
  return scant_fit_ledger(c->fit)->examples - c->start;
}

scant_status scant_curve_advance(scant_curve *c, uint64_t examples, int *arrived, int *done, scant_error *error) {
  size_t next = c->next;
  while (next < c->count && c->marks[next] <= taken(c)) next++;
  uint64_t left = next < c->count ? c->marks[next] - taken(c) : UINT64_MAX;
  SCANT_TRY(scant_fit_advance(c->fit, examples < left ? examples : left, done, error));
  c->next = next;
  *arrived = *done || (next < c->count && taken(c) >= c->marks[next]); /* a block may reach past a mark */
  return SCANT_OK;
}

/* Where a fit stands, without scores. */
static scant_curve_point point_of(const scant_fit *fit) {
  const scant_ledger *ledger = scant_fit_ledger(fit);
  scant_learner_facts facts;
  scant_fit_get_facts(fit, &facts);
  return (scant_curve_point){.examples = ledger->examples,
                             .attributes = ledger->attributes_bought,
                             .money = ledger->money_spent,
                             .risk = facts.risk,
                             .risk_error = facts.risk_error,
                             .reached = 1};
}

void scant_curve_get_point(const scant_curve *curve, scant_curve_point *point) {
  *point = point_of(curve->fit);
}

/* ---- entries and data --------------------------------------------------------------- */

/* Sources are for one thread at a time, so every thread opens its own. */
typedef struct {
  scant_source *train, *test;
} tables;

static void close_tables(tables *t) {
  scant_source_free(t->test);
  scant_source_free(t->train);
  *t = (tables){0};
}

static const scant_algorithm *algorithm_of(const scant_curve_entry *entry, scant_error *error) {
  const scant_algorithm *algorithm = scant_algorithm_find(entry->settings.learning.algorithm);
  if (!algorithm)
    scant_error_write(error, "%.160s: there is no algorithm '%.64s'", entry->label, entry->settings.learning.algorithm);
  return algorithm;
}

/* Settings of a learner that buys as the algorithm would.  The radius of online-* is chosen anew for each point,
 * and purchases do not depend on it. */
static scant_settings buyer_of(const scant_algorithm *algorithm, const scant_settings *settings) {
  scant_settings s = *settings;
  if (algorithm->whole && !algorithm->dense && isnan(s.learning.radius)) s.learning.radius = 1;
  return s;
}

/* Do the settings fit the data? */
static scant_status check_entry(const scant_curve_entry *e, scant_source *train, uint64_t *examples,
                                scant_error *error) {
  const scant_algorithm *algorithm = algorithm_of(e, error);
  scant_error inner = {"out of memory"};
  scant_fit *fit = NULL;
  if (!algorithm) return SCANT_USAGE;
  scant_settings s = buyer_of(algorithm, &e->settings);
  s.run.budget = 0; /* it shortens the horizon */
  scant_status status = scant_fit_new(&fit, &s, train, &inner);
  if (status != SCANT_OK) return scant_fail(error, status, "%.160s: %.340s", e->label, inner.text);
  *examples = scant_fit_horizon(fit);
  scant_fit_free(fit);
  return SCANT_OK;
}

scant_status scant_curves_check(const scant_curve_plan *plan, uint64_t *examples, size_t *dimension,
                                scant_error *error) {
  tables t = {0};
  uint64_t found = 0;
  scant_status status = plan->open(plan->user, &t.train, &t.test, error);
  for (size_t i = 0; status == SCANT_OK && i < plan->entry_count; i++)
    status = check_entry(&plan->entries[i], t.train, &found, error);
  if (status == SCANT_OK) {
    *dimension = scant_source_dimension(t.train);
    *examples = found;
  }
  close_tables(&t);
  return status;
}

/* ---- one curve of one run -------------------------------------------------------- */

typedef struct {
  const scant_curve_plan *plan;
  const scant_algorithm *algorithm;
  scant_settings settings;
  scant_source *train, *test; /* test NULL: the held-out rows */
  uint64_t *marks;            /* examples taken at each point; out[point].examples of them were learned from */
  scant_curve_point *out;     /* of each point */
} task;

static scant_status score(const task *t, const scant_fit *fit, const scant_model *model, scant_scores *scores,
                          scant_error *error) {
  size_t count = 0;
  const uint64_t *rows = NULL;
  if (t->test)
    SCANT_TRY(scant_model_bind(model, t->test, error));
  else
    rows = scant_fit_held_out(fit, &count);
  return scant_model_evaluate(model, t->test ? t->test : t->train, rows, count, scores, error);
}

static void set_mark(const task *t, size_t point, uint64_t taken, uint64_t told) {
  t->marks[point] = taken;
  t->out[point].examples = told;
}

static uint64_t used_of(scant_curve_unit unit, const scant_ledger *ledger) {
  if (unit == SCANT_CURVE_EXAMPLES) return ledger->examples;
  return unit == SCANT_CURVE_MONEY ? ledger->money_spent : ledger->attributes_bought;
}

/* Buys all that the budget allows, to find how many examples fit into each step: the cost of a look is known only when
 * it has been drawn. */
static scant_status find_marks(const task *t, scant_error *error) {
  const scant_curve_plan *plan = t->plan;
  scant_settings s = buyer_of(t->algorithm, &t->settings);
  scant_fit *fit = NULL;
  scant_status status = scant_fit_new(&fit, &s, t->train, error);
  uint64_t taken = 0, told = 0;
  size_t p = 0;
  for (int done = 0; status == SCANT_OK && !done;) {
    status = scant_fit_advance(fit, 1, &done, error);
    if (status != SCANT_OK || scant_fit_budget_spent(fit)) break;
    uint64_t used = used_of(plan->unit, scant_fit_ledger(fit));
    for (; p < plan->points && used > scant_curve_step(plan->unit, plan->end, plan->points, p); p++)
      set_mark(t, p, taken, told);
    taken = scant_fit_ledger(fit)->examples; /* a block is taken whole */
    scant_learner_facts facts;
    scant_fit_get_facts(fit, &facts);
    told = facts.told; /* the ledger may count more: examples that were bought and not learned from */
  }
  for (; status == SCANT_OK && p < plan->points; p++) set_mark(t, p, taken, told);
  for (p = 1; status == SCANT_OK && p < plan->points; p++)
    t->out[p].over = !scant_fit_budget_spent(fit) && t->marks[p - 1] == taken;
  scant_fit_free(fit);
  return status;
}

/* Learns up to the mark of point p, and scores the model there. */
static scant_status run_point(const task *t, scant_fit *fit, size_t p, scant_error *error) {
  scant_model *model = NULL;
  uint64_t taken;
  for (int done = 0; !done && (taken = scant_fit_ledger(fit)->examples) < t->marks[p];)
    SCANT_TRY(scant_fit_advance(fit, t->marks[p] - taken, &done, error));
  t->out[p] = point_of(fit);
  scant_status status = scant_fit_model(fit, 0, &model, error);
  if (status == SCANT_OK) status = score(t, fit, model, &t->out[p].scores, error);
  scant_model_free(model);
  return status;
}

/* A fit of all examples. */
static scant_status fit_whole(const task *t, const scant_settings *s, scant_fit **fit, scant_model **model,
                              scant_error *error) {
  int done;
  SCANT_TRY(scant_fit_new(fit, s, t->train, error));
  SCANT_TRY(scant_fit_advance(*fit, UINT64_MAX, &done, error));
  return scant_fit_model(*fit, 0, model, error);
}

/* The radius of online-* is that of full-* on the same examples. */
static scant_status choose_radius(const task *t, scant_settings *s, scant_error *error) {
  scant_settings solved = *s;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  solved.learning.algorithm = t->algorithm->solver;
  solved.given = 0;
  scant_status status = fit_whole(t, &solved, &fit, &model, error);
  if (status == SCANT_OK) s->learning.radius = scant_model_settings(model)->learning.radius;
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

/* An algorithm that looks at everything learns anew from the examples up to the mark. */
static scant_status run_whole_point(const task *t, size_t p, scant_error *error) {
  scant_settings s = t->settings;
  scant_fit *fit = NULL;
  scant_model *model = NULL;
  scant_status status = SCANT_OK;
  s.run.examples = t->marks[p];
  s.run.budget = 0;
  s.run.budget_cost = 0;
  if (isnan(s.learning.radius) && !t->algorithm->dense) status = choose_radius(t, &s, error);
  if (status == SCANT_OK) status = fit_whole(t, &s, &fit, &model, error);
  if (status == SCANT_OK) {
    t->out[p] = point_of(fit);
    status = score(t, fit, model, &t->out[p].scores, error);
  }
  scant_model_free(model);
  scant_fit_free(fit);
  return status;
}

enum { FEWEST_FOR_RADIUS = 4 };

/* All points; those that do not pay for enough examples are not reached. */
static scant_status run_points(const task *t, scant_error *error) {
  int whole = t->algorithm->whole;
  uint64_t least = whole && isnan(t->settings.learning.radius) ? FEWEST_FOR_RADIUS : 1;
  scant_fit *fit = NULL;
  scant_status status = whole ? SCANT_OK : scant_fit_new(&fit, &t->settings, t->train, error);
  for (size_t p = 0; status == SCANT_OK && p < t->plan->points; p++) {
    int over = t->out[p].over;
    if (t->out[p].examples < least)
      t->out[p] = (scant_curve_point){0};
    else if (p && t->marks[p] == t->marks[p - 1])
      t->out[p] = t->out[p - 1];
    else
      status = whole ? run_whole_point(t, p, error) : run_point(t, fit, p, error);
    t->out[p].over = over;
  }
  scant_fit_free(fit);
  return status;
}

/* ---- all of it --------------------------------------------------------------------------- */

typedef struct {
  const scant_curve_plan *plan;
  scant_curve_point *points;
  size_t *order; /* the jobs */
  size_t done;
  pthread_mutex_t lock;
  tables *idle; /* opened, and in use by no thread */
  size_t idle_count;
} crowd;

static scant_status take_tables(crowd *c, tables *taken, scant_error *error) {
  pthread_mutex_lock(&c->lock);
  int found = c->idle_count > 0;
  if (found) *taken = c->idle[--c->idle_count];
  pthread_mutex_unlock(&c->lock);
  return found ? SCANT_OK : c->plan->open(c->plan->user, &taken->train, &taken->test, error);
}

/* The longest runs come first, so that no thread waits for them at the end: they take d^2, a fit for each point, or
 * less. */
static void sort_jobs(const scant_curve_plan *plan, size_t *order) {
  size_t count = 0;
  for (int length = 2; length >= 0; length--)
    for (size_t job = 0; job < plan->entry_count * plan->runs; job++) {
      const scant_algorithm *a =
          scant_algorithm_find(plan->entries[job % plan->entry_count].settings.learning.algorithm);
      if ((a->dense ? 2 : a->whole ? 1 : 0) == length) order[count++] = job;
    }
}

/* Each run has a thread.  Algorithms that use several threads get those that are left over. */
static scant_settings settings_of(const scant_curve_plan *plan, size_t entry, size_t run) {
  scant_settings s = plan->entries[entry].settings;
  uint64_t jobs = plan->entry_count * plan->runs;
  s.runtime.threads = plan->threads > jobs ? plan->threads / jobs : 1;
  s.learning.seed = plan->seed + run; /* the order of the examples, and so the split, follow from it */
  if (plan->unit == SCANT_CURVE_ATTRIBUTES) s.run.budget = plan->end;
  if (plan->unit == SCANT_CURVE_MONEY && !(s.run.budget_cost > 0)) s.run.budget_cost = (double)plan->end / 100;
  return s;
}

static scant_status run_curve(crowd *c, const tables *own, size_t entry, size_t run, scant_error *error) {
  const scant_curve_plan *plan = c->plan;
  task t = {.plan = plan,
            .algorithm = scant_algorithm_find(plan->entries[entry].settings.learning.algorithm),
            .settings = settings_of(plan, entry, run),
            .train = own->train,
            .test = own->test,
            .marks = calloc(plan->points, sizeof *t.marks),
            .out = c->points + (entry * plan->runs + run) * plan->points};
  scant_error inner = {"out of memory"};
  scant_status status = t.marks ? find_marks(&t, &inner) : SCANT_MEMORY;
  if (status == SCANT_OK) status = run_points(&t, &inner);
  free(t.marks);
  if (status != SCANT_OK) scant_error_write(error, "%.160s: %.340s", plan->entries[entry].label, inner.text);
  return status;
}

static scant_status run_job(void *user, size_t job, scant_error *error) {
  crowd *c = user;
  const scant_curve_plan *plan = c->plan;
  tables own = {0};
  scant_status status = take_tables(c, &own, error);
  if (status == SCANT_OK)
    status = run_curve(c, &own, c->order[job] % plan->entry_count, c->order[job] / plan->entry_count, error);
  else
    close_tables(&own);
  pthread_mutex_lock(&c->lock);
  if (own.train) c->idle[c->idle_count++] = own;
  c->done++;
  if (plan->progress) plan->progress(plan->progress_user, (double)c->done / (double)(plan->entry_count * plan->runs));
  pthread_mutex_unlock(&c->lock);
  return status;
}

scant_status scant_curves_run(const scant_curve_plan *plan, scant_curve_point *points, scant_error *error) {
  size_t jobs = plan->entry_count * plan->runs;
  if (!jobs || !plan->points)
    return scant_fail(error, SCANT_MISUSE, "curves need an entry, a run and a point at least");
  for (size_t i = 0; i < plan->entry_count; i++)
    if (!algorithm_of(&plan->entries[i], error)) return SCANT_USAGE;
  crowd c = {.plan = plan,
             .points = points,
             .order = scant_array(jobs, sizeof *c.order),
             .idle = scant_array(jobs, sizeof *c.idle)};
  scant_status status = c.order && c.idle ? SCANT_OK : scant_fail_memory(error);
  pthread_mutex_init(&c.lock, NULL);
  if (status == SCANT_OK) {
    memset(points, 0, jobs * plan->points * sizeof *points);
    sort_jobs(plan, c.order);
    status = scant_jobs_run(jobs, plan->threads, run_job, &c, error);
  }
  pthread_mutex_destroy(&c.lock);
  for (size_t i = 0; i < c.idle_count; i++) close_tables(&c.idle[i]);
  free(c.idle);
  free(c.order);
  return status;
}

/* ---- means ------------------------------------------------------------------------------- */

int scant_curves_mean(const scant_curve_plan *plan, const scant_curve_point *points, size_t entry, size_t point,
                      scant_curve_mean *mean) {
  const scant_curve_point *at = points + entry * plan->runs * plan->points + point;
  double n = (double)plan->runs, squares = 0;
  int goes_on = 0;
  *mean = (scant_curve_mean){0};
  for (size_t run = 0; run < plan->runs; run++) {
    const scant_curve_point *p = at + run * plan->points;
    if (!p->reached) return 0;
    goes_on = goes_on || !p->over;
    mean->attributes += (double)p->attributes / n;
    mean->examples += (double)p->examples / n;
    mean->money += (double)p->money / 100 / n;
    mean->squared_error += p->scores.squared_error / n;
    mean->absolute_error += p->scores.absolute_error / n;
    mean->r2 += p->scores.r2 / n;
    mean->accuracy += p->scores.accuracy / n;
  }
  for (size_t run = 0; run < plan->runs; run++) {
    double off = at[run * plan->points].scores.squared_error - mean->squared_error;
    squares += off * off;
  }
  mean->sd = plan->runs > 1 ? sqrt(squares / (n - 1)) : 0;
  return goes_on;
}
